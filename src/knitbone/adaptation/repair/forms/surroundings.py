"""The words beside the values of an answer: whether they leave each of them as it is."""

# ruff: noqa: RUF001 - the quotes and dashes that models write
from __future__ import annotations

import re
from collections.abc import Sequence

from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.repair.forms.shown import ShownForm
from knitbone.adaptation.repair.forms.values import WrittenValue
from knitbone.adaptation.repair.positional.number_prompt import NumberPrompt
from knitbone.adaptation.repair.positional.values import find_value
from knitbone.adaptation.text.wrappers.labels import names_answer
from knitbone.adaptation.text.wrappers.remarks import may_take_back
from knitbone.common.number_words import number_of_words

__all__ = ["leaves_values_alone"]

_MARKS = re.compile(r"[\s*_`\"'“”„()\[\]{}:;,.|#>!•–—-]+")
_OTHER_SIGN = re.compile(r"[^\w\s*_`\"'“”„’()\[\]{}:;,.|#>!•–—-]")
_SCALE = re.compile(r"\b(?:out )?of\b", re.IGNORECASE)
_ANNOUNCES = re.compile(r"(?:\b(?:is|are|was|were|be)|:)[\s*_`\"']*\Z", re.IGNORECASE)
_LABEL = re.compile(r"([^\W\d_][\w -]*)[*_`\"']*\s*[:=][\s*_`\"']*\Z")
_HOURS = re.compile(r"\s?(?:h|hrs?|hours)\b", re.IGNORECASE)
_JOINED = re.compile(r"\A(?:and |with )?(?:the |a |an )?(?=\w)")
_STATED = re.compile(r" (?:is|are|was|were)\Z")
_AND = re.compile(r"\A\s*and\b(?=\W*\w)", re.IGNORECASE)
"""What joins a value with words on the next one, and no second value."""
_SPACES = re.compile(r"\s+")


def leaves_values_alone(
    text: str,
    values: Sequence[WrittenValue],
    used: str,
    form: ShownForm,
    invocation: Invocation,
) -> bool:
    """Return whether all that an answer holds beside its values may be left out.

    Args:
        used: the word of it that is a value, too.
    """
    values = sorted(values, key=lambda each: each.start)
    between = _between(text, values, used)
    whole = " ".join(between)
    signs = set(form.text)
    if any(sign not in signs for sign in _OTHER_SIGN.findall(whole)):
        return False
    if may_take_back(whole) or (used and used in whole):
        return False
    if not all(map(_is_plain, between, between[1:], values, [invocation] * len(values))):
        return False
    prompt = _SPACES.sub(" ", " ".join(each.text for each in invocation.messages)).casefold()
    kinds = [value.kind for value in values]
    if len(set(kinds)) == len(kinds):
        return _are_asked(between[:-1], prompt)
    return _are_in_order(between, prompt, form)


def _between(text: str, values: Sequence[WrittenValue], used: str) -> list[str]:
    """Return what stands before, between and behind the values, without the word that is used."""
    starts = [0, *(value.end for value in values)]
    ends = [*(value.start for value in values), len(text)]
    parts = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    parts = [
        _HOURS.sub("", part, count=1) if n and values[n - 1].kind == "time" else part
        for n, part in enumerate(parts)
    ]
    if not used:
        return parts
    alone = re.compile(rf"(?<!\w){re.escape(used)}(?!\w)")
    return [alone.sub("", part) for part in parts]


def _is_plain(before: str, behind: str, value: WrittenValue, invocation: Invocation) -> bool:
    """Return whether the words beside a number or a time make no other value of it."""
    if value.kind not in ("number", "time"):
        return True
    number = "7" if value.kind == "time" else value.text.strip("+-−")
    number = number_of_words(number) or number
    behind = _AND.sub(" ", behind)
    beside = [_MARKS.sub(" ", part.replace("/", " ")) for part in (before, behind)]
    beside = [_SCALE.sub(" ", part) for part in beside]
    said = f"{beside[0][-120:]} {number} {beside[1][:120]}"
    return find_value(said, "number", asked=NumberPrompt(invocation)) is not None


def _are_asked(between: Sequence[str], prompt: str) -> bool:
    """Return whether the labels before values are the prompt's; one that stands alone may call the
    whole an answer."""
    found = [label[1].strip().casefold() for part in between if (label := _LABEL.search(part))]
    if len(found) == 1 and names_answer(found[0]):
        return True
    return all(name in prompt for name in found)


def _are_in_order(between: Sequence[str], prompt: str, form: ShownForm) -> bool:
    """Return whether what stands beside values of one kind names them in the prompt's order."""
    last = -1
    for number, part in enumerate(between):
        name = _MARKS.sub(" ", part.replace("/", " ")).strip().casefold()
        name = _STATED.sub("", _JOINED.sub("", name))
        if not name or ("/" in form.text and _SCALE.fullmatch(name)):
            continue
        place = prompt.find(name)
        if place < 0 and not number and _ANNOUNCES.search(part) and part.strip()[1:].islower():
            continue  # "The final score was"
        if place <= last:
            return False
        last = place
    return True
