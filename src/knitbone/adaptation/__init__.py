"""Adapt: read from the code what it expects of a model's answer, and repair the answer that does
not fit before that code sees it (Comfrey)."""

from knitbone.adaptation.decorators import adapt, report, source

__all__ = ["adapt", "report", "source"]
