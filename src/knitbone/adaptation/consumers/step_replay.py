r"""Replay of the steps that the code takes before a consumer: ``text.strip().split("\n")[-1]``.

The steps of a requirement become one function from a text to the pieces that the consumer sees.
Steps that *locate* (strip, a regular expression's group, lines) choose pieces of the text; steps
that *rewrite* (case, ``replace``) change what the consumer sees but not where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from knitbone.adaptation.consumers.readers import FUNCTIONS, Step, after_step
from knitbone.common.expressions import Method
from knitbone.common.matching import compiled, find_all, find_one

__all__ = ["Replay", "cuts_lines", "number_of", "replay", "rewrites"]

Replay: TypeAlias = Callable[[list[str]], "list[str]"]
"""A function from texts to the pieces of them that are left."""

_SUBSTITUTION = "re.sub"
_REWRITING = frozenset({"lower", "upper", "casefold", "replace", "expandtabs", *FUNCTIONS})
_TRIMMING = frozenset({"strip", "lstrip", "rstrip", "removeprefix", "removesuffix"})
_MATCHING = frozenset({"re.search", "re.match", "re.fullmatch"})
_FINDING = frozenset({"re.finditer", "re.findall"})


def rewrites(step: Step) -> bool:
    """Return whether a step changes what the consumer sees but not where it stands."""
    return step.name in _REWRITING or step.name == _SUBSTITUTION


def replay(steps: Sequence[Step], *, rewrite: bool) -> Replay | None:
    """Return the steps as one function; ``None`` where one of them cannot be replayed.

    Args:
        rewrite: whether to take the steps that rewrite, too.
    """
    functions: list[Replay] = []
    pending = list(steps)
    fenced = False
    while pending:
        step = pending.pop(0)
        mark = step.arguments[0] if step.arguments else None
        if rewrites(step) and not rewrite:
            continue
        if step.name in ("split", "partition") and isinstance(mark, str) and "```" in mark:
            if pending and pending[0].name == "getitem":
                functions.append(_indexed_part(step.name, mark, number_of([pending.pop(0)])))
            else:
                functions.append(_before_mark(mark) if fenced else _behind_mark(mark))
            fenced = True
        elif step.name == "otherwise" and fenced:
            functions[:] = [_or_unfenced(functions)]
        elif (function := _one_step(step, pending)) is not None:
            functions.append(function)
        else:
            return None

    def apply(texts: list[str]) -> list[str]:
        for function in functions:
            texts = function(texts)
        return texts

    return apply


def _one_step(step: Step, pending: list[Step]) -> Replay | None:
    """Return the function of one step, together with the next ones that belong to it.

    Those are removed from ``pending``: ``re.search`` with ``.group(1)``, ``splitlines()`` with
    ``[-1]``.
    """
    if step.name in _REWRITING | _TRIMMING:
        return lambda texts: [after_step(step, text) for text in texts]
    if cuts_lines(step):
        if pending and pending[0].name == "getitem":
            return _indexed_line(number_of([pending.pop(0)]))
        _take_next(pending, "iterate")
        return _lines
    if step.name == _SUBSTITUTION:
        return _removal_step(step)
    if step.name == "slice" and not step.arguments:
        return _between_brackets
    function = _match_step(step, _take_next(pending, "group", "groups", "getitem", "iterate"))
    return (
        _or_whole(function)
        if function is not None and _take_next(pending, "otherwise")
        else function
    )


def cuts_lines(step: Step) -> bool:
    """Return whether a step splits the text into lines."""
    return step.name == "splitlines" or (step.name == "split" and step.arguments[:1] == ("\n",))


def _take_next(pending: list[Step], *names: str) -> list[Step]:
    """Remove the next steps with one of these names from the pending ones, and return them."""
    taken: list[Step] = []
    while pending and pending[0].name in names:
        taken.append(pending.pop(0))
    return taken


def number_of(steps: Sequence[Step]) -> int:
    """Return the last number among the steps' arguments: the group, or the index, that is read."""
    numbers = [step.arguments[0] for step in steps if step.arguments]
    return next((each for each in reversed(numbers) if isinstance(each, int)), 0)


def _lines(texts: list[str]) -> list[str]:
    """Return the lines that are not empty: consumers pass over empty ones or cannot read them
    anyway."""
    return [line for text in texts for line in text.split("\n") if line.strip()]


def _indexed_line(index: int) -> Replay:
    """Replay ``text.splitlines()[-1]``: one line of each text."""

    def apply(texts: list[str]) -> list[str]:
        of_each = [text.split("\n") for text in texts]
        return [lines[index] for lines in of_each if -len(lines) <= index < len(lines)]

    return apply


def _indexed_part(name: str, mark: str, index: int) -> Replay:
    """Replay ``text.split("```")[1]``: one part of each text that has it."""
    most = 1 if name == "partition" else -1
    return lambda texts: [
        parts[index] for text in texts if len(parts := text.split(mark, most)) > index
    ]


def _behind_mark(mark: str) -> Replay:
    """Replay ``text.split("```python")`` without a known index: what stands behind an opening
    fence."""
    return lambda texts: [text.partition(mark)[2] for text in texts if mark in text]


def _before_mark(mark: str) -> Replay:
    """Replay ``.split("```")`` behind that: what stands before the closing fence."""
    return lambda texts: [text.partition(mark)[0] for text in texts]


def _between_brackets(texts: list[str]) -> list[str]:
    """Replay ``text[text.find("{") : text.rfind("}") + 1]``, a slice whose bounds the code
    computes."""
    kept: list[str] = []
    for text in texts:
        starts = [position for position in (text.find("{"), text.find("[")) if position >= 0]
        start = min(starts, default=0)
        end = text.rfind("}" if text[start : start + 1] == "{" else "]")
        kept.append(text[start : end + 1] if end > start else text)
    return kept


def _or_whole(apply: Replay) -> Replay:
    """Replay ``match[1] if match else text``."""
    return lambda texts: [piece for text in texts for piece in apply([text]) or [text]]


def _or_unfenced(inside: Sequence[Replay]) -> Replay:
    """Replay steps that the code takes only where a fence stands in the text.

    A fence of another kind may be cut elsewhere: that is not looked at.
    """
    functions = tuple(inside)

    def apply(texts: list[str]) -> list[str]:
        seen: list[str] = []
        for text in texts:
            pieces = [text]
            if "```" in text:
                for function in functions:
                    pieces = function(pieces)
            seen += pieces
        return seen

    return apply


def _match_step(step: Step, taken: Sequence[Step]) -> Replay | None:
    """Replay ``re.search``, ``re.match`` or ``re.findall`` with the group that is read; ``None``
    for others."""
    source, *rest = (*step.arguments, "", 0)[:2]
    if step.name not in _MATCHING | _FINDING or not isinstance(source, str) or not step.arguments:
        return None
    flags = rest[0]
    try:
        pattern = compiled(source, flags if isinstance(flags, int) else 0)
    except (re.error, OverflowError, RecursionError):
        return None
    if step.name in _FINDING:
        return _findall_step(pattern, step.name, taken)
    group = number_of(taken)
    if not 0 <= group <= pattern.groups:
        return None
    method = cast("Method", step.name.removeprefix("re."))
    return lambda texts: [match.group(group) or "" for match in find_one(pattern, method, texts)]


def _removal_step(step: Step) -> Replay | None:
    """Replay ``re.sub(pattern, "", text)``: what is left when every match is removed."""
    if len(step.arguments) != 3:
        return None
    source, flags, put = step.arguments
    if put != "" or not isinstance(source, str) or not isinstance(flags, int):
        return None
    try:
        pattern = compiled(source, flags)
    except (re.error, OverflowError, RecursionError):
        return None

    def left(text: str) -> str:
        position, kept = 0, list[str]()
        for match in find_all(pattern, (text,)):
            kept.append(text[position : match.start()])
            position = match.end()
        return "".join((*kept, text[position:]))

    return lambda texts: [left(text) for text in texts]


def _findall_step(pattern: re.Pattern[str], name: str, taken: Sequence[Step]) -> Replay | None:
    """Replay ``re.findall`` or ``re.finditer``: all matches, or the one with the index that the
    code names."""
    first = taken[0] if taken else None
    which: int | None = None
    if first is not None and first.name in ("iterate", "getitem"):
        taken = taken[1:]
        if first.name == "getitem":
            which = number_of((first,))
    if name == "re.findall" and pattern.groups <= 1:
        if taken:
            return None  # a character of the text that was found
        group = pattern.groups
    else:
        # Of several groups ``findall`` gives a tuple, which counts from 0.
        group = number_of(taken) + (1 if name == "re.findall" and taken else 0)
    if not 0 <= group <= pattern.groups:
        return None

    def apply(texts: list[str]) -> list[str]:
        matches = [[match.group(group) or "" for match in find_all(pattern, (t,))] for t in texts]
        if which is None:
            return [piece for pieces in matches for piece in pieces]
        return [pieces[which] for pieces in matches if -len(pieces) <= which < len(pieces)]

    return apply
