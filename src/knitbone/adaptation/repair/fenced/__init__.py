"""Repair of code fences (template discrepancy, Comfrey §4.3.1): tags, closing fences, code without
any."""

from knitbone.adaptation.repair.fenced.fences import HEURISTICS, prepare

__all__ = ["HEURISTICS", "prepare"]
