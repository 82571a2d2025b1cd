"""Exporters: runs in formats of others."""

from knitbone.tethering.interchange.exporters.otlp import lines, requests

__all__ = ["lines", "requests"]
