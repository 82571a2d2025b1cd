"""The values of an answer, put into the form that the prompt shows, where the code then reads them.

A value is written as the example writes its like (digits, decimals, the order of a date), never
changed; nothing of the example itself is delivered but its marks and names. Where the code reads
two fillings differently, or a word beside a value may say what it is, nothing is found.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from knitbone.adaptation.consumers.rehearsal import Ending, is_same
from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.repair.conversions import ReadAnswer, Rehearse, convert_stumbled
from knitbone.adaptation.repair.forms.named import find_named_values
from knitbone.adaptation.repair.forms.shown import NamedField, ShownForm, shown_fields, shown_forms
from knitbone.adaptation.repair.forms.spelling import spelled_like
from knitbone.adaptation.repair.forms.surroundings import leaves_values_alone
from knitbone.adaptation.repair.forms.values import WrittenValue, find_values
from knitbone.adaptation.repair.value_search import PROSE
from knitbone.adaptation.text.wrappers.remarks import may_take_back

__all__ = ["find_formed_answer"]

_MAX_TEXT = 1_024
"""Characters of an answer whose values are put into another form (ours)."""
_MAX_WORDS = 12
"""Words of an answer that are tried in the place of one of a form (ours)."""
_MAX_OPEN = 6
"""Words of a value that the code takes whatever it is (ours)."""
_MARKED = re.compile(r"[*_`\"“”(){}\[\]<>|:;]|[.!?]\s|[.!?]\Z")
_RULE = "written in the form that the prompt shows"


class _Filled(NamedTuple):
    """A form with values of the answer in it."""

    text: str
    open_to: tuple[str, ...] = ()
    """The same with a word of prose in the place of each value that has to be told from words."""
    values: tuple[str, ...] = ()
    """Those values."""


def find_formed_answer(text: str, rehearse: Rehearse, invocation: Invocation) -> ReadAnswer | None:
    """Return the answer in a form that its prompt shows and the code reads; ``None`` where no form
    takes all of its values, or it is not sure which.

    Raises:
        TimeoutError: the time is spent.
    """
    if len(text) > _MAX_TEXT or not invocation.uses("positional.forms"):
        return None
    found: list[tuple[str, tuple[str, ...], Ending]] = []
    for filled in (*_named(text, invocation), *_shown(text, rehearse, invocation)):
        read = convert_stumbled(filled.text, rehearse, invocation)
        if (
            read is None
            or read.text == text
            or not _is_read(read.ending)
            or not _is_told(filled, read.text, rehearse)
        ):
            continue
        found.append((read.text, read.rules, read.ending))
    if not found:
        return None
    first, rules, ending = found[0]
    alike = all(
        is_same((each.value, each.effects), (ending.value, ending.effects)) for *_, each in found
    )
    return ReadAnswer(first, (_RULE, *rules)) if alike else None


def _is_read(ending: Ending | None) -> bool:
    return ending is not None and not (ending.is_empty or ending.handled or ending.unknown)


def _is_told(filled: _Filled, read: str, rehearse: Rehearse) -> bool:
    """Return whether the code tells each value from words of prose, or the value is no prose."""
    if not filled.values:
        return not any(_is_taken(t, rehearse) for t in (f"{PROSE} {read}", f"{read} {PROSE}"))
    for value, variant in zip(filled.values, filled.open_to, strict=True):
        plain = len(value.split()) <= _MAX_OPEN and _MARKED.search(value) is None
        if not (plain and not may_take_back(value)) and _is_taken(variant, rehearse):
            return False
    return True


def _is_taken(text: str, rehearse: Rehearse) -> bool:
    ending = rehearse(text)
    return ending is None or ending.kind != "raised"


def _named(text: str, invocation: Invocation) -> Iterator[_Filled]:
    """Yield the answer in the named lines that the prompt shows."""
    for fields in shown_fields(invocation.messages):
        values = find_named_values(text, [field.name for field in fields])
        written = values and [
            _as_told(_without_unit(value, values), field)
            for value, field in zip(values, fields, strict=True)
        ]
        if not written or not all(written):
            continue
        lines = [_line(field, value) for field, value in zip(fields, written, strict=True)]
        variants = [
            "\n".join([*lines[:n], _line(field, PROSE), *lines[n + 1 :]])
            for n, field in enumerate(fields)
        ]
        yield _Filled("\n".join(lines), tuple(variants), tuple(written))


def _without_unit(value: str, values: Sequence[str]) -> str:
    """Return a value without the unit behind it that stands in a field of its own, too."""
    number, _, unit = value.rpartition(" ")
    return number if unit in values and number[-1:].isdigit() else value


def _line(field: NamedField, value: str) -> str:
    return f"{field.name}{field.mark}{value}{field.tail}"


def _as_told(value: str, field: NamedField) -> str:
    """Return a value in the case that the form asks for, and without what the form has behind it;
    empty where that is missing."""
    if field.tail:
        tail = r"\s*".join(map(re.escape, field.tail))
        if field.tail.startswith("/"):
            tail = rf"(?:{tail}|\s+(?:out\s+)?of\s+{re.escape(field.tail[1:])})"
        without = re.fullmatch(rf"(.+?)\s*{tail}\.?", value)
        if without is None:
            return ""
        value = without[1]
    about = field.about.casefold()
    if re.search(r"\blower[- ]?case\b", about):
        return value.lower()
    return value.upper() if re.search(r"\b(?:upper[- ]?case|capitals)\b", about) else value


def _shown(text: str, rehearse: Rehearse, invocation: Invocation) -> Iterator[_Filled]:
    """Yield the answer in each example of the prompt that holds values of the same kinds."""
    values = find_values(text)
    typed = [value for value in values or () if value.kind != "word"]
    if not typed:
        return
    kinds = Counter(value.kind for value in typed)
    words = [value.text for value in values or () if value.kind == "word"]
    for form in shown_forms(invocation.messages, kinds):
        placed = _placed(typed, form)
        if placed is None:
            continue
        chosen = list(_with_words(form, placed, words, rehearse))
        if len(chosen) == 1:
            filled, used = chosen[0]
            if leaves_values_alone(text, [*placed.values()], used, form, invocation):
                yield _Filled(filled)


def _placed(
    typed: Sequence[WrittenValue], form: ShownForm
) -> dict[WrittenValue, WrittenValue] | None:
    """Return which value of an answer stands for which of a form: by its kind, or of several of one
    kind by its place among all."""
    slots = [value for value in form.values if value.kind != "word"]
    order = [slot.kind for slot in slots]
    if len(set(order)) < len(order):
        same = order == [value.kind for value in typed]
        return dict(zip(slots, typed, strict=True)) if same else None
    by_kind = {value.kind: value for value in typed}
    return {slot: by_kind[slot.kind] for slot in slots}


def _with_words(
    form: ShownForm,
    placed: dict[WrittenValue, WrittenValue],
    words: Sequence[str],
    rehearse: Rehearse,
) -> Iterator[tuple[str, str]]:
    """Yield the filled form with each word of the answer that the code takes in the place of the
    one word of an example, and that word."""
    written = {slot: spelled_like(value, slot) for slot, value in placed.items()}
    if not all(written.values()):
        return
    named = [value for value in form.values if value.kind == "word"]
    if not named:
        yield _filled(form, written), ""
        return
    if len(named) > 1 or _is_taken(_filled(form, {**written, named[0]: PROSE}), rehearse):
        return
    for word in list(dict.fromkeys(words))[:_MAX_WORDS]:
        text = _filled(form, {**written, named[0]: word})
        if _is_taken(text, rehearse):
            yield text, word


def _filled(form: ShownForm, written: dict[WrittenValue, str]) -> str:
    """Return an example with other values in the places of its own."""
    text = form.text
    for value in reversed(form.values):
        text = text[: value.start] + written[value] + text[value.end :]
    return text
