"""The types where a walk ends: what readers of requirements take over."""

from __future__ import annotations

from knitbone.adaptation.analysis.catalogue.records import Type

__all__ = ["TYPES"]

TYPES: dict[str, Type] = {
    "text": Type(form="text"),
    "piece": Type(form="text", piece=True),
    "arguments": Type(form="arguments"),
    "arguments-piece": Type(form="arguments", piece=True),
    "object": Type(form="object"),
    "tool-name": Type(form="text"),
    "unknown": Type(),
    # A retrieved entry's text, and a piece of a split text.
    "entry-text": Type(form="text"),
    "chunk-text": Type(form="text"),
}
"""``text*`` has the form ``text`` item by item; retrieved entries and pieces have types of their
own in the families."""
