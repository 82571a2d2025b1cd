"""The four ways to notice that a run leaves the path (AgentTether §III.D.1)."""
