"""One parser for several callers: what the parser demands of every output, and what each caller
reads for itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from knitbone.adaptation.reading.structured import parser_format, reading_of
from knitbone.adaptation.requirements.uses import Operation, Use

__all__ = ["separated"]

_KEYED = frozenset({"getitem", ".get", ".pop", ".setdefault", "getattr", "construct", "annotate"})
_THROUGH = frozenset({"iterate", "list", "tuple", "sorted", "reversed", "enumerate", "next"}) | {
    "unpack",
    "slice",
    "await",
}

_Key = tuple[Operation, str, int, str]


def separated(trees: Sequence[Use]) -> tuple[Use, ...]:
    """The trees of one site, one for each caller of a function that parses its output.

    What all of them do with the parsed value in the parser's file is taken for the work of the
    parser's own function: it stays below the parser. What a caller reads hangs below a second
    parser, whose evidence is the caller's first reading. An output that suits one of the callers
    is enough, because the analysis does not know which of them it is for. The entries of a store
    are for none of them in particular: each entry has to suit all.
    """
    if len(trees) > 1 and all(_is_stored(tree) for tree in trees):
        return tuple(_united(trees))
    if len(trees) < 2:
        return tuple(trees)
    if all(tree.operation.arguments[:1] == ("object",) for tree in trees):
        return tuple(msgspec.structs.replace(tree, alternative=_mark(tree)) for tree in trees)
    parsed = [_parsed(tree) for tree in trees]
    shared = {
        key: _Shared([uses[key] for uses in parsed if key in uses])
        for key in dict.fromkeys(key for uses in parsed for key in uses)
        if sum(key in uses for uses in parsed) > 1
    }
    return tuple(_split(tree, shared) for tree in trees)


def _is_stored(tree: Use) -> bool:
    return tree.operation.arguments[:1] in (("documents",), ("texts",))


def _united(uses: Iterable[Use]) -> Iterator[Use]:
    """Uses with what several of them share written once, and what each does below it."""
    alike: dict[object, list[Use]] = {}
    for use in uses:
        key = (_key(use), use.branch, use.alternative, use.when, use.on_violation)
        alike.setdefault(key, []).append(use)
    for first, *others in alike.values():
        below = [use for one in (first, *others) for use in one.uses]
        yield msgspec.structs.replace(first, uses=tuple(_united(below))) if others else first


class _Shared:
    """A parser that several trees hold."""

    def __init__(self, trees: Sequence[Sequence[Use]]) -> None:
        first, *others = trees
        self.common = [use for use in first if all(use in uses for uses in others)]
        self.claimed = {
            use.evidence.file for uses in trees for use in uses if use not in self.common
        }
        """Files of which some caller has a reading of its own."""


def _parsed(tree: Use) -> dict[_Key, list[Use]]:
    """Find what is done with each parsed value."""
    found: dict[_Key, list[Use]] = {}
    for use in tree.walk():
        if parser_format(use.operation) is not None:
            found.setdefault(_key(use), []).extend(use.uses)
    return found


def _key(use: Use) -> _Key:
    evidence = use.evidence
    return use.operation, evidence.file, evidence.line, evidence.expression


def _mark(use: Use) -> str:
    return use.alternative or f"{use.evidence.file}:{use.evidence.line}"


def _split(use: Use, shared: dict[_Key, _Shared]) -> Use:
    return msgspec.structs.replace(use, uses=tuple(_children(use.uses, shared)))


def _children(uses: Iterable[Use], shared: dict[_Key, _Shared]) -> Iterator[Use]:
    for use in uses:
        known = shared.get(_key(use)) if parser_format(use.operation) is not None else None
        if known is None:
            yield _split(use, shared)
        else:
            yield from _for_each(use, known)


def _for_each(parser: Use, shared: _Shared) -> Iterator[Use]:
    """The parser with what is its own, and again with what the code of each other file reads."""
    kept: list[Use] = []
    read: dict[str, list[Use]] = {}
    for use in parser.uses:
        file = use.evidence.file
        if not _reads_keys(use) or (use in shared.common and file == parser.evidence.file):
            kept.append(use)
        else:
            read.setdefault(file, []).append(use)
    yield msgspec.structs.replace(parser, uses=tuple(kept))
    for file, uses in read.items():
        own = any(use not in shared.common for use in uses)
        if own or file not in shared.claimed:
            yield msgspec.structs.replace(
                parser,
                uses=tuple(uses),
                evidence=reading_of(uses).evidence,
                alternative=_mark(parser) if own else parser.alternative,
            )


def _reads_keys(use: Use) -> bool:
    """Tell whether a use demands more than the kind of the value."""
    operation = use.operation
    if operation.name in _KEYED and operation.arguments:
        return not isinstance(operation.arguments[0], int)
    return operation.name in _THROUGH and any(_reads_keys(below) for below in use.uses)
