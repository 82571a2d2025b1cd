"""Inconsistent lexical features: language, spelling variety, text structure (Comfrey §4.4.2)."""

from knitbone.adaptation.defects.lexical.check import HEURISTICS, load, prepare
from knitbone.adaptation.defects.lexical.standard import LexicalStandard

__all__ = ["HEURISTICS", "LexicalStandard", "load", "prepare"]
