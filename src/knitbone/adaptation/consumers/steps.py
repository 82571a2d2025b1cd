"""The steps that the code takes before a consumer, replayed: what that sees of a text.

Steps that *locate* (strip, a regular expression's group, lines) give pieces of the text; steps that
*rewrite* (case, ``replace``) change what the consumer sees but not where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from knitbone.adaptation.consumers.expressions import Method
from knitbone.adaptation.consumers.matching import compiled, find_all, find_one
from knitbone.adaptation.consumers.readers import FUNCTIONS, Step

__all__ = ["Replay", "cuts_lines", "number_of", "replay", "rewrites"]

Replay: TypeAlias = Callable[[list[str]], "list[str]"]
"""From texts to the pieces of them that are left."""

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
                functions.append(_part(step.name, mark, number_of([pending.pop(0)])))
            else:
                functions.append(_before(mark) if fenced else _after(mark))
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
    """Return one step with those behind it that belong to it, which are taken out of the pending
    ones."""
    if step.name in _REWRITING | _TRIMMING:
        return _each(step.name, step.arguments)
    if cuts_lines(step):
        if pending and pending[0].name == "getitem":
            return _line_at(number_of([pending.pop(0)]))
        _taken(pending, "iterate")
        return _lines
    if step.name == _SUBSTITUTION:
        return _substituting(step)
    if step.name == "slice" and not step.arguments:
        return _braces
    made = _matching(step, _taken(pending, "group", "groups", "getitem", "iterate"))
    return _or_whole(made) if made is not None and _taken(pending, "otherwise") else made


def cuts_lines(step: Step) -> bool:
    """Return whether the text falls into its lines."""
    return step.name == "splitlines" or (step.name == "split" and step.arguments[:1] == ("\n",))


def _taken(pending: list[Step], *names: str) -> list[Step]:
    """Return the next steps that belong to the one before, taken out of the pending ones."""
    taken: list[Step] = []
    while pending and pending[0].name in names:
        taken.append(pending.pop(0))
    return taken


def number_of(steps: Sequence[Step]) -> int:
    """Return the last number among the steps' arguments: the group that is read."""
    numbers = [step.arguments[0] for step in steps if step.arguments]
    return next((each for each in reversed(numbers) if isinstance(each, int)), 0)


def _each(name: str, arguments: Sequence[object]) -> Replay:
    function = FUNCTIONS.get(name)
    if function is not None:
        return lambda texts: [function(text) for text in texts]
    return lambda texts: [getattr(text, name)(*arguments) for text in texts]


def _lines(texts: list[str]) -> list[str]:
    """Return lines that hold something: consumers pass over empty ones or cannot read them
    anyway."""
    return [line for text in texts for line in text.split("\n") if line.strip()]


def _line_at(place: int) -> Replay:
    """``text.splitlines()[-1]``: one line."""

    def apply(texts: list[str]) -> list[str]:
        of_each = [text.split("\n") for text in texts]
        return [lines[place] for lines in of_each if -len(lines) <= place < len(lines)]

    return apply


def _part(name: str, mark: str, place: int) -> Replay:
    """``text.split("```")[1]``: the part at that place, of those texts that have it."""
    most = 1 if name == "partition" else -1
    return lambda texts: [
        parts[place] for text in texts if len(parts := text.split(mark, most)) > place
    ]


def _after(mark: str) -> Replay:
    """``text.split("```python")[1]`` where the place is not known: what
    stands behind the opening of a fence."""
    return lambda texts: [text.partition(mark)[2] for text in texts if mark in text]


def _before(mark: str) -> Replay:
    """``.split("```")[0]`` of that."""
    return lambda texts: [text.partition(mark)[0] for text in texts]


def _braces(texts: list[str]) -> list[str]:
    """``text[text.find("{") : text.rfind("}") + 1]``, the cut whose bounds the code computes."""
    kept: list[str] = []
    for text in texts:
        starts = [place for place in (text.find("{"), text.find("[")) if place >= 0]
        start = min(starts, default=0)
        end = text.rfind("}" if text[start : start + 1] == "{" else "]")
        kept.append(text[start : end + 1] if end > start else text)
    return kept


def _or_whole(apply: Replay) -> Replay:
    """``match[1] if match else text``."""
    return lambda texts: [piece for text in texts for piece in apply([text]) or [text]]


def _or_unfenced(inside: Sequence[Replay]) -> Replay:
    """Return the same where the code asks for a fence first. A fence of another kind it may cut
    elsewhere: that is not looked at."""
    functions = tuple(inside)

    def apply(texts: list[str]) -> list[str]:
        found: list[str] = []
        for text in texts:
            pieces = [text]
            if "```" in text:
                for function in functions:
                    pieces = function(pieces)
            found += pieces
        return found

    return apply


def _matching(step: Step, taken: Sequence[Step]) -> Replay | None:
    source, *rest = (*step.arguments, "", 0)[:2]
    if step.name not in _MATCHING | _FINDING or not isinstance(source, str) or not step.arguments:
        return None
    flags = rest[0]
    try:
        pattern = compiled(source, flags if isinstance(flags, int) else 0)
    except (re.error, OverflowError, RecursionError):
        return None
    if step.name in _FINDING:
        return _finding(pattern, step.name, taken)
    group = number_of(taken)
    if not 0 <= group <= pattern.groups:
        return None
    method = cast("Method", step.name.removeprefix("re."))
    return lambda texts: [match.group(group) or "" for match in find_one(pattern, method, texts)]


def _substituting(step: Step) -> Replay | None:
    """``re.sub(pattern, "", text)``: what is left when every match is taken out."""
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
        place, kept = 0, list[str]()
        for match in find_all(pattern, (text,)):
            kept.append(text[place : match.start()])
            place = match.end()
        return "".join((*kept, text[place:]))

    return lambda texts: [left(text) for text in texts]


def _finding(pattern: re.Pattern[str], name: str, taken: Sequence[Step]) -> Replay | None:
    """Return all matches, or the one whose place in the list the code names:
    ``findall(...)[-1]``."""
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
        found = [[match.group(group) or "" for match in find_all(pattern, (t,))] for t in texts]
        if which is None:
            return [piece for pieces in found for piece in pieces]
        return [pieces[which] for pieces in found if -len(pieces) <= which < len(pieces)]

    return apply
