"""Incorrect context construction: entries that do not belong together (Comfrey §4.3.3)."""

from knitbone.adaptation.repair.context.check import HEURISTICS, load, prepare

__all__ = ["HEURISTICS", "load", "prepare"]
