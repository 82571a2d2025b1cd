"""Paths that documentation named before; nothing new belongs here."""
