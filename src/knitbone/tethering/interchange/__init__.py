"""Runs in formats of others: read by ``importers/``, written by ``exporters/``."""
