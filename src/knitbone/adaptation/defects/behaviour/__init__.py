"""Redundant behaviour: a tool called again with the same arguments (Comfrey §4.5.1)."""

from knitbone.adaptation.defects.behaviour.bypass import HEURISTICS, Repeated, Tools
from knitbone.adaptation.defects.behaviour.purity import Purity, purity_of

__all__ = ["HEURISTICS", "Purity", "Repeated", "Tools", "purity_of"]
