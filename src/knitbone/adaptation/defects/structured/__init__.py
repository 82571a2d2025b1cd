"""Template discrepancy of structured data (Comfrey §4.3.1)."""

from knitbone.adaptation.defects.structured.arguments import prepare_arguments
from knitbone.adaptation.defects.structured.check import HEURISTICS, prepare

__all__ = ["HEURISTICS", "prepare", "prepare_arguments"]
