"""Consumers of the engines' events: terminal, HTML, JSON."""
