"""A run that goes on → a word where it leaves the path, else silence (AgentTether §III.D)."""
