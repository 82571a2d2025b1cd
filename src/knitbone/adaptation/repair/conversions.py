"""Texts within an answer of which the application's own code cannot make a value.

Where the rehearsed code comes to grief, it says at which text: ``int("15 pieces")``,
``LAYERS["Blocked Path"]``, ``date.fromisoformat("2 July 2026")``. The text is written as that call
takes it, where it holds one value, and the code is rehearsed again, until it reads the answer. Only
an answer that the code does not read comes here, so none that conforms is changed.

Names that stood before values are left out only where the prompt gives them in the same order:
``lon: 7.1, lat: 46.2`` would be read the wrong way round.

Source: Comfrey §4.3.1 (type conversion of elements that violate the schema).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from knitbone.adaptation.consumers.rehearsal import Ending, RefusedText, is_same
from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.repair.positional.constants import Constants, find_constant
from knitbone.adaptation.repair.positional.left_out_names import are_in_order, name_beside
from knitbone.adaptation.repair.positional.number_prompt import NumberPrompt
from knitbone.adaptation.repair.positional.values import find_value
from knitbone.adaptation.repair.value_search import PROSE
from knitbone.adaptation.text.wrappers.layers import peel
from knitbone.adaptation.text.wrappers.remarks import may_take_back

__all__ = [
    "Converted",
    "ReadAnswer",
    "Rehearse",
    "convert_stumbled",
    "find_read_answer",
    "reads_values_alone",
]

_MAX_TEXT = 4_096
"""Characters of an answer whose texts are converted (ours)."""
_MAX_ROUNDS = 16
"""Texts that are converted in one answer (ours)."""
_MAX_PASSED = 4
"""Lines at an end of an answer that the code may pass over (ours)."""
_DIGIT = re.compile(r"\d")
_REMAINS = re.compile(r"\*\*|`|__|[\"“][^\"“”\n]+[\"”]|[^\W\d_]:\s")
"""Marks of a way to write that the values no longer have: others of them may be part of a text
that the code takes as it is."""

_DOCUMENTS = ("{", "[", "<")
"""The beginnings of documents, which have marks of their own."""

Rehearse: TypeAlias = Callable[[str], Ending | None]
"""What the code makes of an answer; ``None`` where it cannot be followed."""


class ReadAnswer(NamedTuple):
    """An answer that the code reads, and what was done."""

    text: str
    rules: tuple[str, ...]


class Converted(NamedTuple):
    """An answer that the code reads once its texts are written as it takes them."""

    text: str
    rules: tuple[str, ...]
    names: tuple[str, ...]
    """The words that stood before values and were left out."""
    ending: Ending


class _Written(NamedTuple):
    """A text as the code takes it."""

    text: str
    rule: str
    name: str = ""
    """The words that stood before the value, or behind it in brackets."""


def find_read_answer(text: str, rehearse: Rehearse, invocation: Invocation) -> ReadAnswer | None:
    """Return the answer with each text that the code stumbles over written as it takes it; ``None``
    where one of them is not surely a value.

    Args:
        rehearse: what the code makes of an answer.

    Raises:
        TimeoutError: the time is spent.
    """
    if len(text) > _MAX_TEXT or not invocation.uses("positional.values"):
        return None
    core, layers = peel(text)
    start = core if layers and not {"label", "brackets", "list mark"} & set(layers) else text
    read = convert_stumbled(start, rehearse, invocation)
    if read is None or read.text == text:
        return None
    if not reads_values_alone(text, read, rehearse, invocation):
        return None
    left_out = [f"{layer} left out" for layer in dict.fromkeys(layers)] if start != text else []
    return ReadAnswer(read.text, (*left_out, *read.rules))


def convert_stumbled(text: str, rehearse: Rehearse, invocation: Invocation) -> Converted | None:
    """Write each text that the code stumbles over as it takes it, until it reads the answer;
    ``None`` where one of them is not surely a value.

    Raises:
        TimeoutError: the time is spent.
    """
    current = text
    rules: list[str] = []
    names: list[str] = []
    for _ in range(_MAX_ROUNDS):
        invocation.deadline.check()
        ending = rehearse(current)
        if ending is None or ending.kind == "asked again":
            return None
        if ending.kind == "returned":
            return Converted(current, tuple(rules), tuple(names), ending)
        written = None if ending.stumbled is None else _written(ending.stumbled, invocation)
        if ending.stumbled is None or written is None:
            return None
        changed = _replaced(current, ending.stumbled.text, written.text)
        if changed is None:
            return None
        names += [written.name] if written.name else []
        rules.append(written.rule)
        current = changed
    return None


def reads_values_alone(
    text: str, read: Converted, rehearse: Rehearse, invocation: Invocation
) -> bool:
    """Return whether nothing but values is in an answer that the code reads, in the order of their
    names: words of prose beside them, which it would take for a part of a text, would be a part of
    its result.

    Args:
        text: the answer as it was.
    """
    if not are_in_order(text, read.names, invocation):
        return False
    ending = read.ending
    if ending.is_empty or ending.handled or ending.unknown:
        return False
    if read.text.lstrip()[:1] not in _DOCUMENTS and _REMAINS.search(read.text):
        return False
    lines = read.text.split("\n")
    return all(
        _is_told_from_prose(lines, order, template, ending, rehearse)
        for order, template in (
            (range(len(lines)), f"{PROSE} {{}}"),
            (range(len(lines) - 1, -1, -1), f"{{}} {PROSE}"),
        )
    )


def _is_told_from_prose(
    lines: list[str], order: range, template: str, ending: Ending, rehearse: Rehearse
) -> bool:
    """Return whether the code raises an error where prose stands beside the first line that it
    reads. A line that it passes over, such as the header of a table, holds no number."""
    for number in order[:_MAX_PASSED]:
        changed = [*lines[:number], template.format(lines[number]), *lines[number + 1 :]]
        other = rehearse("\n".join(changed))
        if other is None:
            return False
        if other.kind == "raised":
            return True
        same = is_same((other.value, other.effects), (ending.value, ending.effects))
        passed_over = same and other.kind == ending.kind
        if passed_over and lines[number].strip().startswith("|") and lines[number].endswith("|"):
            return True  # what stands outside of a row's bars is no part of it
        if not passed_over or _DIGIT.search(lines[number]) or may_take_back(lines[number]):
            return False
    return False


def _written(refused: RefusedText, invocation: Invocation) -> _Written | None:
    """Return a text as the code takes it; ``None`` where it does not surely hold one value."""
    if refused.kind == "option":
        named = find_constant(refused.text, Constants(refused.options, "whole", False))
        if named is None:
            return None
        return _Written(named.option, f'written as "{named.option[:40]}"')
    asked = NumberPrompt(invocation)
    found = find_value(refused.text, refused.kind, asked=asked, reading=refused.reading)
    if found is None:
        return None
    name = "" if refused.kind == "date" else name_beside(refused.text)
    return _Written(found.text, found.rules[0], name)


def _replaced(answer: str, text: str, value: str) -> str | None:
    """Return an answer with a text replaced wherever it stands; ``None`` where it is a part of
    other words."""
    bare = text.strip()
    if not bare:
        return None
    alone = re.compile(rf"(?<!\w){re.escape(bare)}(?!\w)", re.IGNORECASE)
    places = list(alone.finditer(answer))
    places = [each for each in places if each.group() == bare] or places
    if not places or (len(places) > 1 and not all(_stands_alone(answer, each) for each in places)):
        return None
    for place in reversed(places):
        answer = answer[: place.start()] + value + answer[place.end() :]
    return answer


def _stands_alone(answer: str, place: re.Match[str]) -> bool:
    """Return whether no word stands beside a text."""
    before, behind = answer[: place.start()].rstrip(" "), answer[place.end() :].lstrip(" ")
    return not before[-1:].isalnum() and not behind[:1].isalnum()
