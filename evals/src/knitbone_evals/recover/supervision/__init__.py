"""Supervision: what it says of recorded runs, of stuck and not stuck sequences, and how long a hook
takes."""
