"""Repair of structured data (template discrepancy, Comfrey §4.3.1): JSON, XML, YAML, CSV and
others."""

from knitbone.adaptation.repair.structured.arguments import prepare_arguments
from knitbone.adaptation.repair.structured.formats import HEURISTICS, load, prepare

__all__ = ["HEURISTICS", "load", "prepare", "prepare_arguments"]
