"""Diagnosis → guidance for the next attempt, with memory (AgentTether §III.C.3)."""
