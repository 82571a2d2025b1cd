"""Settings of a splitter, and loops that cut a text -> chunk specifications (Comfrey §4.3.2)."""

from __future__ import annotations

from knitbone.adaptation.reading.text_consumers import items_of
from knitbone.adaptation.requirements.records import ChunkSpec, Confidence, Evidence
from knitbone.adaptation.requirements.uses import Operation, Use

__all__ = ["chunk_of"]

_OWN_LOOP = "slice"
"""What the analysis calls a loop that cuts a text; without a known size it says nothing."""


def chunk_of(
    operation: Operation, evidence: Evidence, use: Use, confidence: Confidence
) -> ChunkSpec | None:
    """The specification that the settings give; ``None`` where they give none."""
    size = _number(operation.setting("size"))
    overlap = _number(operation.setting("overlap"))
    given = operation.setting("separators")
    separators = tuple(value for value in items_of(given) if isinstance(value, str))
    length = operation.setting("length")
    splitter = operation.setting("splitter")
    library = isinstance(splitter, str) and splitter != _OWN_LOOP
    if size is None and overlap is None and not separators and not library:
        return None
    return ChunkSpec(
        size=size,
        overlap=overlap,
        length=length if isinstance(length, str) and length else "characters",
        separators=separators,
        splitter=splitter if isinstance(splitter, str) else operation.name,
        keeps_blanks=operation.setting("keeps_blanks") is True,
        on_violation=use.on_violation,
        evidence=evidence,
        confidence=confidence,
        when=use.when,
    )


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
