"""Rewrite what drifted, and prove that the consumer now reads it."""
