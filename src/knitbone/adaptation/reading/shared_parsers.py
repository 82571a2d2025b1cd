"""Parsers that several callers share: which demands are the parser's own, and which one caller's.

``def parse(answer): return json.loads(answer)`` has two callers; one reads ``["title"]``, the
other ``["steps"]``. That the answer is JSON holds for both, each key for one caller only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from knitbone.adaptation.reading.data_parsers import parser_format
from knitbone.adaptation.reading.structured import first_reading
from knitbone.adaptation.requirements.uses import Operation, Use

__all__ = ["separate_callers"]

_KEYED = frozenset({"getitem", ".get", ".pop", ".setdefault", "getattr", "construct", "annotate"})
"""Operations that read a key or an attribute, or declare them."""
_THROUGH = frozenset({"iterate", "list", "tuple", "sorted", "reversed", "enumerate", "next"}) | {
    "unpack",
    "slice",
    "await",
}
"""Operations that lead to the items of a value."""

_Key = tuple[Operation, str, int, str]
"""An operation, and its file, line and expression."""


def separate_callers(trees: Sequence[Use]) -> tuple[Use, ...]:
    """Return the trees of one site, one for each caller of a function that parses its output.

    What all of them do with the parsed value in the parser's file is taken for the work of the
    parser's own function: it stays below the parser. What a caller reads hangs below a second
    parser, whose evidence is the caller's first reading. An output that suits one of the callers
    is enough, because the analysis does not know which of them it is for. The entries of a store
    are for none of them in particular: each entry has to suit all.
    """
    if len(trees) > 1 and all(_is_stored(tree) for tree in trees):
        return tuple(_merge_uses(trees))
    if len(trees) < 2:
        return tuple(trees)
    if all(tree.operation.arguments[:1] == ("object",) for tree in trees):
        return tuple(
            msgspec.structs.replace(tree, alternative=_alternative_name(tree)) for tree in trees
        )
    parsed = [_uses_of_parsers(tree) for tree in trees]
    shared = {
        key: _Shared([uses[key] for uses in parsed if key in uses])
        for key in dict.fromkeys(key for uses in parsed for key in uses)
        if sum(key in uses for uses in parsed) > 1
    }
    return tuple(_divide(tree, shared) for tree in trees)


def _is_stored(tree: Use) -> bool:
    """Return whether the output is a list of entries, as of a retriever."""
    return tree.operation.arguments[:1] in (("documents",), ("texts",))


def _merge_uses(uses: Iterable[Use]) -> Iterator[Use]:
    """Merge uses: what several of them share stands once, with what each does below it."""
    alike: dict[object, list[Use]] = {}
    for use in uses:
        key = (_key(use), use.branch, use.alternative, use.when, use.on_violation)
        alike.setdefault(key, []).append(use)
    for first, *others in alike.values():
        below = [use for one in (first, *others) for use in one.uses]
        yield msgspec.structs.replace(first, uses=tuple(_merge_uses(below))) if others else first


class _Shared:
    """A parser that several trees contain."""

    def __init__(self, trees: Sequence[Sequence[Use]]) -> None:
        first, *others = trees
        self.common = [use for use in first if all(use in uses for uses in others)]
        self.claimed = {
            use.evidence.file for uses in trees for use in uses if use not in self.common
        }
        """Files of which some caller has a reading of its own."""


def _uses_of_parsers(tree: Use) -> dict[_Key, list[Use]]:
    """Return the uses of the parsed value, for each parser in a tree."""
    found: dict[_Key, list[Use]] = {}
    for use in tree.walk():
        if parser_format(use.operation) is not None:
            found.setdefault(_key(use), []).extend(use.uses)
    return found


def _key(use: Use) -> _Key:
    """Return what identifies an operation: its name and arguments, and its place in the code."""
    evidence = use.evidence
    return use.operation, evidence.file, evidence.line, evidence.expression


def _alternative_name(use: Use) -> str:
    """Return the name that alternatives of one parser share."""
    return use.alternative or f"{use.evidence.file}:{use.evidence.line}"


def _divide(use: Use, shared: dict[_Key, _Shared]) -> Use:
    """Return the use with every shared parser below it divided among its callers."""
    return msgspec.structs.replace(use, uses=tuple(_divide_each(use.uses, shared)))


def _divide_each(uses: Iterable[Use], shared: dict[_Key, _Shared]) -> Iterator[Use]:
    """Divide the shared parsers among some uses; the other uses stay as they are."""
    for use in uses:
        known = shared.get(_key(use)) if parser_format(use.operation) is not None else None
        if known is None:
            yield _divide(use, shared)
        else:
            yield from _by_caller(use, known)


def _by_caller(parser: Use, shared: _Shared) -> Iterator[Use]:
    """Yield the parser with its own demands, then once for each file whose code reads more."""
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
                evidence=first_reading(uses).evidence,
                alternative=_alternative_name(parser) if own else parser.alternative,
            )


def _reads_keys(use: Use) -> bool:
    """Return whether a use demands a key or an attribute, not only a kind of value."""
    operation = use.operation
    if operation.name in _KEYED and operation.arguments:
        return not isinstance(operation.arguments[0], int)
    return operation.name in _THROUGH and any(_reads_keys(below) for below in use.uses)
