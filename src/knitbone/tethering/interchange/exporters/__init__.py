"""Exporters: runs in formats of others."""

from knitbone.tethering.interchange.exporters.otlp import lines

__all__ = ["lines"]
