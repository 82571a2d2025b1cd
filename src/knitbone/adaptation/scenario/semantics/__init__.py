"""Repair of redundant semantics (Comfrey §4.5.2): what an answer says twice is removed."""

from knitbone.adaptation.scenario.semantics.iterations import repeats
from knitbone.adaptation.scenario.semantics.redundancy import HEURISTICS, load, prepare

__all__ = ["HEURISTICS", "load", "prepare", "repeats"]
