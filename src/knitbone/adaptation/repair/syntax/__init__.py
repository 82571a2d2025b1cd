"""Repair of code (syntax-parser misalignment, Comfrey §4.4.1): what an interpreter does not accept.

``programs.py`` is the flow, ``records.py`` holds what its parts exchange, ``languages.py`` puts
parser and rules of each language together.
"""

from knitbone.adaptation.repair.syntax.programs import HEURISTICS, prepare

__all__ = ["HEURISTICS", "prepare"]
