"""The one place where Python's import is hooked: what changes modules, and what follows them."""
