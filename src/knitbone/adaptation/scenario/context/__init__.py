"""Repair of incorrect context construction (Comfrey §4.3.3): retrieved entries that do not belong
together."""

from knitbone.adaptation.scenario.context.retrieval import HEURISTICS, load, prepare

__all__ = ["HEURISTICS", "load", "prepare"]
