"""Texts as people read them: where their parts stand, and whether two of them say the same."""
