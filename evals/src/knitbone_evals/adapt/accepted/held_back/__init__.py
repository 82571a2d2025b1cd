"""A grammar of consumers; see consumers.py."""
