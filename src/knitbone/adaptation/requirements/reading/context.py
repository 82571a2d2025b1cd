"""Settings of a retriever, and how its entries are joined -> context rules (Comfrey §4.3.3)."""

from __future__ import annotations

from collections.abc import Iterable

from knitbone.adaptation.requirements.records import Confidence, ContextRule
from knitbone.adaptation.requirements.uses import Use

__all__ = ["context_of"]

_TO_JOIN = frozenset(
    {"iterate", "getattr", "getitem", "unpack", "slice", "list", "enumerate", "sorted", "reversed"}
    | {"str", "format", "concat", "listed", ".strip", ".get", "tuple", "set", "map", ".replace"}
)
"""What may stand between the entries and the text that they are joined to."""


def context_of(node: Use, confidence: Confidence) -> ContextRule | None:
    """The rule, from settings that the code gives; ``None`` where it leaves all to run time."""
    operation = node.operation
    k = operation.setting("k")
    threshold = operation.setting("threshold")
    defaults = operation.setting("defaults")
    if not isinstance(k, int) or isinstance(k, bool):
        k = None
    if isinstance(threshold, bool) or not isinstance(threshold, int | float):
        threshold = None
    join = _join(node.uses)
    joiner = join.operation.arguments[0] if join is not None else None
    by_default = k is None or (isinstance(defaults, tuple) and "k" in defaults)
    if by_default and threshold is None and joiner is None:
        return None
    retriever = operation.setting("retriever")
    return ContextRule(
        k=k,
        threshold=None if threshold is None else float(threshold),
        joiner=joiner,
        retriever=retriever if isinstance(retriever, str) else operation.name,
        on_violation=node.on_violation,
        evidence=node.evidence if not by_default or join is None else join.evidence,
        confidence=confidence,
        when=node.when,
    )


def _join(uses: Iterable[Use]) -> Use | None:
    for use in uses:
        if use.branch != "core":
            continue
        name, arguments = use.operation.name, use.operation.arguments
        if name == "join" and arguments and isinstance(arguments[0], str):
            return use
        if name in _TO_JOIN and (found := _join(use.uses)) is not None:
            return found
    return None
