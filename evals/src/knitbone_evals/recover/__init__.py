"""A simulated agent on real environments, with and without repair (ground 3 of recovery)."""
