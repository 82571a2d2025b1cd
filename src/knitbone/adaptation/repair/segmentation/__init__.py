"""Improper segmentation: words, sentences and rows cut between chunks (Comfrey §4.3.2)."""

from knitbone.adaptation.repair.segmentation.chunks import HEURISTICS, load, prepare

__all__ = ["HEURISTICS", "load", "prepare"]
