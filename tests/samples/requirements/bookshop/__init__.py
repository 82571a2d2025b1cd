"""A bookshop, and no model in it."""
