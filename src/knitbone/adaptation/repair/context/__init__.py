"""Incorrect context construction: entries that do not belong together (Comfrey §4.3.3)."""

from knitbone.adaptation.repair.context.retrieval import HEURISTICS, load, prepare

__all__ = ["HEURISTICS", "load", "prepare"]
