"""Tools whose documentation misleads an agent, and sound ones: what is found, and what mends it."""
