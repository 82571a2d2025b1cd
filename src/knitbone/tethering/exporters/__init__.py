"""Exporters: runs in formats of others."""

from knitbone.tethering.exporters.otlp import lines, requests

__all__ = ["lines", "requests"]
