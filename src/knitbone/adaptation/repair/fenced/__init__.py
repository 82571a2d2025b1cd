"""Template discrepancy of code fences (Comfrey §4.3.1)."""

from knitbone.adaptation.repair.fenced.fences import HEURISTICS, prepare

__all__ = ["HEURISTICS", "prepare"]
