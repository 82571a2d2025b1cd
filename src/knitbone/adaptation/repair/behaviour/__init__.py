"""Repair of redundant behaviour (Comfrey §4.5.1): a tool called again with the same arguments."""

from knitbone.adaptation.repair.behaviour.bypass import HEURISTICS, Repeated, Tools
from knitbone.adaptation.repair.behaviour.purity import Purity, purity_of

__all__ = ["HEURISTICS", "Purity", "Repeated", "Tools", "purity_of"]
