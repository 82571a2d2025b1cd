"""Repair of redundant behaviour (Comfrey §4.5.1): a tool called again with the same arguments."""

from knitbone.adaptation.scenario.behaviour.bypass import HEURISTICS, Repeated, Tools, load, prepare
from knitbone.adaptation.scenario.behaviour.places import declare, watch
from knitbone.adaptation.scenario.behaviour.purity import Purity, purity_of

__all__ = [
    "HEURISTICS",
    "Purity",
    "Repeated",
    "Tools",
    "declare",
    "load",
    "prepare",
    "purity_of",
    "watch",
]
