"""Redundant semantics (Comfrey §4.5.2)."""

from knitbone.adaptation.repair.semantics.redundancy import HEURISTICS, load, prepare
from knitbone.adaptation.repair.semantics.repeats import repeats

__all__ = ["HEURISTICS", "load", "prepare", "repeats"]
