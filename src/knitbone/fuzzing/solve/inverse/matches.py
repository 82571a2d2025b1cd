"""Back through regular expressions: the text of a match, with a part exchanged."""

from __future__ import annotations

import re
from typing import Any, cast

from knitbone.fuzzing.solve.inverse.view import Changes, Step, TermView

__all__ = ["STEPS"]


def _of_match(view: TermView, value: Any) -> Changes:
    """``match.group(n)``; the match itself is put as (group, text)."""
    yield 0, (view[1] if len(view) > 1 else 0, value)


def _of_groups(view: TermView, value: Any) -> Changes:
    """``match.groups()`` and ``groupdict()``: the parts that are to change."""
    now: Any = view.now
    keys = cast("Any", now) if isinstance(now, dict) else range(len(now))
    for key in keys:
        if now[key] != value[key]:
            yield 0, (key if isinstance(key, str) else key + 1, value[key])
            return


def _match(view: TermView, value: Any) -> Changes:
    """The text of a match, with a group exchanged."""
    group, text = value
    found = view.now
    if isinstance(found, list):  # finditer
        raise TypeError
    start, end = found.span(group)
    whole = view[1]
    if start >= 0:
        yield 1, whole[:start] + text + whole[end:]


def _matches(view: TermView, value: Any) -> Changes:
    """``findall`` and ``finditer``: put back where they were found."""
    flags = view[2] if len(view) > 2 else 0
    text: str = view[1]
    found: list[re.Match[str]] = list(re.finditer(view[0], text, flags))
    made, end = "", 0
    for match, wanted in zip(found, value, strict=False):
        shown = wanted if isinstance(wanted, str) else match.group()
        group = 1 if match.re.groups == 1 else 0
        start, stop = match.span(group)
        made += text[end:start] + shown
        end = stop
    yield 1, made + text[end:]
    if len(value) != len(found):
        texts = [item if isinstance(item, str) else str(item) for item in value]
        yield 1, " ".join(texts)
        if found:
            yield 1, " ".join([found[0].group()] * len(value))


def _substituted(_: TermView, value: Any) -> Changes:
    yield 2, value


def _split_by_expression(view: TermView, value: Any) -> Changes:
    text: str = view[1]
    found = re.search(view[0], text)
    between = found.group() if found else ","
    yield 1, between.join(text or "" for text in value)


STEPS: dict[str, Step] = {
    "re.match": _match, "re.search": _match, "re.fullmatch": _match, "re.findall": _matches,
    "re.finditer": _matches, "re.sub": _substituted, "re.split": _split_by_expression,
    ".Match.group": _of_match, ".Match.groups": _of_groups, ".Match.groupdict": _of_groups,
}  # fmt: skip
