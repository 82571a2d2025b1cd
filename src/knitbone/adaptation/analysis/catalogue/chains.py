"""Chains (``a | b | c`` of LangChain, ``QueryPipeline`` of LlamaIndex) and their outputs.

Found is the part that brings the output, and the parsers behind it, whose demands are then known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from knitbone.adaptation.analysis.catalogue.canonical_names import (
    ABSTRACT_PARSERS,
    PARSERS,
    canonical,
)
from knitbone.adaptation.analysis.catalogue.lookup import entry_of, reach, step, tokens
from knitbone.adaptation.analysis.catalogue.outputs import (
    follow,
    form_of,
    is_piece,
    make,
    role,
)
from knitbone.adaptation.analysis.catalogue.records import (
    Call,
    ChainPart,
    ChainResult,
    ParserUse,
    Produced,
)

__all__ = ["chain", "parser_operation", "run_chain"]

_RUN_METHODS = ("invoke()", "complete()", "query()", "retrieve()", "chat()", "()")
"""The methods by which a chain runs one of its parts, in this order."""
_STREAM_METHODS = {"stream", "astream", "transform", "atransform"}
_SINGLE_RUN_METHODS = {"invoke", "ainvoke", "run", "arun", "()"}
_BATCH_METHODS = {"batch", "abatch"}
_NAMED_ROLES = ("parser", "splitter", "retriever", "vectorstore")


class _ChainSource(NamedTuple):
    """The part of a chain that brings its output."""

    part: int
    made: Produced
    piece: str


def chain(parts: Sequence[ChainPart]) -> ChainResult | None:
    """Return what a chain does; ``None`` where no part of it brings an output."""
    sources = [source for index, part in enumerate(parts) if (source := _source(index, part))]
    models = [source for source in sources if source.made.kind == "chat"]
    if not sources:
        return None
    source = (models or sources)[-1]
    parsers: list[ParserUse] = []
    rest: list[int] = []
    shape, piece = source.made.shape, source.piece
    for index in range(source.part + 1, len(parts)):
        part = parts[index]
        operation = parser_operation(part.path, part.settings)
        if rest or operation is None:
            rest.append(index)
            continue
        parsers.append(ParserUse(index, operation, part.settings))
        text = operation.endswith(".StrOutputParser")
        shape, piece = (_as_text(shape), "piece") if text else ("object", "object")
    return ChainResult(
        source=source.part,
        kind=source.made.kind,
        provider=source.made.provider,
        confidence=source.made.confidence,
        parsers=tuple(parsers),
        rest=tuple(rest),
        shape=shape,
        piece=piece,
        form=form_of(shape),
        prompts=tuple(
            index for index, part in enumerate(parts) if role(part.path, part.settings) == "prompt"
        ),
        schema=source.made.schema,
    )


def run_chain(result: ChainResult, method: str) -> Produced | None:
    """Return what ``.invoke()``, ``.stream()``, ``.batch()`` of a chain brings; ``None`` for
    others."""
    if method not in _SINGLE_RUN_METHODS | _STREAM_METHODS | _BATCH_METHODS:
        return None
    streamed = method in _STREAM_METHODS
    shape = f"{result.piece}*" if streamed else result.shape
    if method in _BATCH_METHODS:
        shape = f"{result.shape}*"
    return Produced(
        kind=result.kind,
        provider=result.provider,
        confidence=result.confidence,
        form=form_of(shape),
        shape=shape,
        streamed=streamed,
        awaited=method in {"ainvoke", "abatch", "arun"},
        prompt=(),
        schema=result.schema,
    )


def parser_operation(path: str, settings: Mapping[str, Any]) -> str | None:
    """Return the name under which readers know a parser, splitter, retriever or vector store.

    The path is that of the class, of an object or of a method of one. ``None`` for what is none of
    these, and for the bases of parsers: what they do stands in the application's own ``parse``.
    """
    parts = tokens(path)
    names = next((i for i, part in enumerate(parts) if part in ("()", "[]")), len(parts))
    for length in range(names, 0, -1):
        name = ".".join(parts[:length])
        if not entry_of(name):
            continue
        known = canonical(name)
        last = known.rpartition(".")[2]
        if last in ABSTRACT_PARSERS:
            return None
        if last in PARSERS or role(f"{name}()", settings) in _NAMED_ROLES:
            return known
    return None


def _source(index: int, part: ChainPart) -> _ChainSource | None:
    """Return a part as the source of the output; ``None`` where it brings none."""
    at = reach(part.path) if part.path else None
    if at is None:
        return None
    for name in _RUN_METHODS:
        found = step(at, name)
        if isinstance(found, Call):
            if role(part.path, part.settings) is None:
                return None
            made = make(found, at, part.settings, {}, lower=False)
            return _ChainSource(index, made, _piece(step(at, "stream()"), made.shape))
    return None


def _piece(stream: str | Call | None, shape: str) -> str:
    """Return the type of one piece of a stream."""
    if not isinstance(stream, Call):
        return shape
    item = follow(stream.shape, "[]")
    return item.shape if item else shape


def _as_text(shape: str) -> str:
    """Return what ``StrOutputParser`` makes of a message."""
    return "piece" if is_piece(shape) else "text"
