"""Syntax-parser misalignment (Comfrey §4.4.1)."""

from knitbone.adaptation.repair.syntax.programs import HEURISTICS, prepare

__all__ = ["HEURISTICS", "prepare"]
