"""A search for values within words: one value, and what models write around it."""
