"""Template discrepancy of positional templates (Comfrey §4.3.1)."""

from knitbone.adaptation.repair.positional.template import HEURISTICS, prepare

__all__ = ["HEURISTICS", "prepare"]
