"""Tools whose documentation misleads an agent, and sound ones: what finds them, and what mends them."""
