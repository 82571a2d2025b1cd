"""Repair of improper segmentation (Comfrey §4.3.2): words, sentences and rows cut between
chunks."""

from knitbone.adaptation.scenario.segmentation.chunks import HEURISTICS, load, prepare

__all__ = ["HEURISTICS", "load", "prepare"]
