"""Repair of inconsistent lexical features (Comfrey §4.4.2): language, spelling variety, text
structure."""

from knitbone.adaptation.scenario.lexical.features import HEURISTICS, load, prepare
from knitbone.adaptation.scenario.lexical.standard import LexicalStandard

__all__ = ["HEURISTICS", "LexicalStandard", "load", "prepare"]
