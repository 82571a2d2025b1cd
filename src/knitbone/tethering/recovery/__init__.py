"""An agent + a task → attempts until it is done or the repairs are spent (AgentTether §IV.A)."""
