r"""Matches of regular expressions in code: the pattern, and where the text of a group is used.

For ``for m in re.finditer(r"(\w+)=(\d+)", text): int(m[2])`` it finds that ``int`` reads group 2.
"""

from __future__ import annotations

from collections.abc import Iterator

from knitbone.adaptation.reading.text_consumers import Consumer, Text, make_step
from knitbone.adaptation.requirements.operation_names import function_name, library
from knitbone.adaptation.requirements.uses import Use

__all__ = ["LISTS", "is_regex", "pattern_of", "texts_of_matches"]

_READING = frozenset({"findall", "finditer", "match", "search", "fullmatch"})
"""Functions that find matches."""
LISTS = frozenset({"list", "tuple", "set", "sorted", "reversed", "slice", "dict.fromkeys"})
"""Functions that make a list of what they are given."""


def is_regex(consumer: Consumer) -> bool:
    """Return whether a regular expression reads the text."""
    name = consumer.name
    if library(name) not in ("re", "regex") or consumer.use.operation.position == "pattern":
        return False
    return function_name(name) in _READING | {"split"}


def pattern_of(use: Use) -> tuple[str, int] | str:
    """Return pattern and flags, or the reason why they are not known."""
    operation = use.operation
    pattern = operation.keyword("pattern", 0)
    flags = operation.keyword("flags", 1)
    if isinstance(pattern, bytes):
        pattern = pattern.decode("latin-1")
    if not isinstance(pattern, str):
        return "the pattern is computed at run time"
    if flags is None:
        return pattern, 0
    if not isinstance(flags, int):
        return "the flags of the pattern are computed at run time"
    return pattern, int(flags)


def texts_of_matches(
    use: Use, method: str, groups: int, text: Text
) -> Iterator[tuple[int | None, Use, Text]]:
    """Find the nodes at which code holds the text of a group: ``(group, node, text)``."""
    pattern = use.operation.keyword("pattern", 0)
    step = make_step(f"re.{method}", (pattern, use.operation.keyword("flags", 1)))
    found = text._replace(steps=(*text.steps, step), exact=False, lines=False)
    if method == "findall":
        for item, reached in _items(use, found):
            if groups >= 2:
                yield from _items_of_groups(item, reached)
            else:
                yield groups or None, item, reached
    elif method == "finditer":
        for item, reached in _items(use, found):
            yield from _groups(item, reached)
    else:
        yield from _groups(use, found)


def _items(use: Use, text: Text) -> Iterator[tuple[Use, Text]]:
    """Find the nodes at which code holds one match of a list of matches."""
    for child in use.uses:
        name, arguments = child.operation.name, child.operation.arguments
        if name in LISTS:
            yield from _items(child, text)
        elif name == "enumerate":
            for item, reached in _items(child, text):
                for part in item.uses:
                    if part.operation.name == "unpack" and part.operation.arguments[:1] == (1,):
                        yield part, reached
        elif name in ("iterate", "next"):
            yield child, text.then(name, item=True)
        elif name in ("getitem", ".pop"):
            yield child, text.then(name.removeprefix("."), *arguments)
        elif name == "unpack":
            yield child, text.then(name, *arguments)


def _groups(use: Use, text: Text) -> Iterator[tuple[int | None, Use, Text]]:
    """Find the nodes at which code holds a group of a match."""
    for child in use.uses:
        name, arguments = child.operation.name, child.operation.arguments
        first = arguments[0] if arguments else 0
        if name in (".group", "getitem"):
            yield (first if isinstance(first, int) else None), child, text.then("group", first)
        elif name == ".groups":
            yield from _items_of_groups(child, text)
        elif name == ".groupdict":
            for part in child.uses:
                if part.operation.name in ("getitem", ".get") and part.operation.arguments:
                    yield None, part, text.then("group", part.operation.arguments[0])
        elif name in ("truth", "is_none") and child.uses:
            yield from _groups(child, text)


def _items_of_groups(use: Use, text: Text) -> Iterator[tuple[int | None, Use, Text]]:
    """Find the nodes at which code holds one item of the tuple of all groups."""
    for child in use.uses:
        name, arguments = child.operation.name, child.operation.arguments
        first = arguments[0] if arguments else None
        if name in ("unpack", "getitem") and isinstance(first, int):
            yield first + 1, child, text.then("group", first + 1)
