"""Answers that the code compares with constants: ``answer == "yes"``, ``startswith("APPROVED")``.

An answer is brought to a constant only where it names exactly one of them and says nothing else
but why: two constants, a negation or a question are refused.

Source: Comfrey §4.3.1 (fixed identifiers), with the bounds of this module.
"""

# ruff: noqa: RUF001 - the quotes and dashes that models write
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from knitbone.adaptation.checks import Check, Invocation, Verdict, conforming, refused, repaired
from knitbone.adaptation.defects.positional.peel import MAX_SHORT, peel
from knitbone.adaptation.requirements import PositionalTemplate

__all__ = ["NEGATIONS", "Constants", "constants_of", "name_one", "prepare_constants"]

NEGATIONS = re.compile(
    r"\b(?:not|no|never|neither|nor|without|cannot|hardly|barely|unless|instead|rather|except|"
    r"however|but|or|if|maybe|perhaps|possibly|probably|unsure|unclear|uncertain|unknown|"
    r"isn|aren|wasn|weren|don|doesn|didn|can|couldn|wouldn|shouldn|won)\b|n[’']t\b|\?",
    re.IGNORECASE,
)
"""Words behind which a named constant may be the one that is *not* meant."""

_KEY = re.compile(r"[\s_-]+")
_LEAD_IN = re.compile(
    r"(?:^|[^\w])(?:is|are|as|be|answer|:|=|->|=>|→)[\s*_`\"'“‘(\[]*$", re.IGNORECASE
)
_FOLLOWS = re.compile(r"[*_`\"'”’)\]]{0,3}\s*(?:[,.;:(–—-]|\n|$)")

Place = Literal["whole", "start", "end", "inside"]


class Constants(NamedTuple):
    """The constants, and where the code looks for them."""

    options: tuple[str, ...]
    place: Place
    ignore_case: bool

    def accepts(self, text: str) -> bool:
        """Whether the code finds one of them."""
        if self.ignore_case:
            text = text.casefold()
            options: Sequence[str] = [option.casefold() for option in self.options]
        else:
            options = self.options
        if self.place == "whole":
            return text in options
        if self.place == "start":
            return text.startswith(tuple(options))
        if self.place == "end":
            return text.endswith(tuple(options))
        return any(option in text for option in options)


class Named(NamedTuple):
    """The one constant that a text names."""

    option: str
    layers: tuple[str, ...]
    """What stood around it."""


def constants_of(template: PositionalTemplate) -> Constants | None:
    """The constants of a template that consists of nothing else."""
    kinds = tuple(element.kind for element in template.elements)
    places: dict[tuple[str, ...], Place] = {
        ("words",): "whole",
        ("words", "slot"): "start",
        ("slot", "words"): "end",
        ("slot", "words", "slot"): "inside",
    }
    if template.repeated or template.separator or kinds not in places:
        return None
    words = next(element for element in template.elements if element.kind == "words")
    typed = any(e.kind == "slot" and (e.captured or e.type != "any") for e in template.elements)
    if typed or template.reader is not None:
        return None
    return Constants(words.options or (words.text,), places[kinds], template.ignore_case)


def prepare_constants(template: PositionalTemplate) -> Check | None:
    """The check of a template that is nothing but constants."""
    constants = constants_of(template)
    if constants is None:
        return None

    def check(text: str, invocation: Invocation) -> Verdict:
        if constants.accepts(text):
            return conforming(text)
        named = None
        if invocation.uses("positional.constants"):
            named = name_one(text, constants)
        if named is None:
            if len(constants.options) == 1:
                # The code asks whether it is the constant: any other answer is one too.
                return conforming(text)
            return refused(text, "the answer names none of the constants, or more than one")
        if len(named.layers) >= invocation.config.tau_element:
            return refused(text, f"{len(named.layers)} elements stand around the constant")
        candidate = _write(text, named, constants)
        if candidate is None or candidate == text or not constants.accepts(candidate):
            return refused(text, "the constant cannot be brought to where the code looks for it")
        rules = tuple(f"{layer} left out" for layer in dict.fromkeys(named.layers))
        return repaired(
            candidate,
            *(rules or (f'written as "{named.option[:40]}"',)),
            edits=max(1, len(named.layers)),
        )

    return check


def name_one(text: str, constants: Constants) -> Named | None:
    """The constant that the text names, where it is one and no doubt is left."""
    if len(text) > MAX_SHORT * 10:
        return None
    core, layers = peel(text)
    if (option := _spelled(core, constants)) is not None:
        return Named(option, layers)
    head, behind, tail = _cut(text, constants.place)
    core, layers = peel(head)
    if behind and (option := _spelled(core, constants)) is not None:
        if constants.place in ("start", "end"):
            return Named(option, layers)
        if len(constants.options) > 1 and not _others(tail, option, constants):
            return Named(option, (*layers, "explanation"))
    if len(constants.options) > 1 and constants.place == "whole":
        return _in_prose(text, constants)
    return None


def _spelled(core: str, constants: Constants) -> str | None:
    """The option that the text is, but for case and the marks between its words."""
    if core in constants.options:
        return core
    found = {option for option in constants.options if _key(option) == _key(core)}
    return found.pop() if len(found) == 1 else None


def _key(text: str) -> str:
    return _KEY.sub(" ", text).strip().casefold()


def _cut(text: str, place: Place) -> tuple[str, str, str]:
    """The text up to the first mark behind its first words, or from the last one on."""
    if place == "end":
        lines = text.rstrip().rpartition("\n")
        return lines[2], lines[1], lines[0]
    stripped = text.strip()
    for match in re.finditer(r"[,.;–—](?=\s)|\s[-–—](?=\s)|\n|[:(](?=\s|\w)", stripped[:MAX_SHORT]):
        head = stripped[: match.start()]
        if match.group() == ":" and not any(c.isalpha() for c in head):
            continue
        core, _ = peel(head)
        if match.group() == ":" and core == head.strip() and len(head.split()) <= 4:
            # A label: what counts stands behind it.
            continue
        return head, match.group(), stripped[match.end() :]
    return "", "", ""


def _others(tail: str, option: str, constants: Constants) -> bool:
    """Whether the explanation names another constant, or takes the answer back."""
    return any(other != option and _named(other, tail) for other in constants.options) or bool(
        NEGATIONS.search(tail)
    )


def _named(option: str, text: str) -> list[re.Match[str]]:
    words = r"[\s_-]+".join(map(re.escape, _KEY.split(option)))
    return list(re.finditer(rf"(?<![\w-]){words}(?![\w-])", text, re.IGNORECASE))


def _in_prose(text: str, constants: Constants) -> Named | None:
    """``The category is **billing**.``: the only constant, at the end of what says so."""
    if len(text) > MAX_SHORT or NEGATIONS.search(text):
        return None
    found = [(option, match) for option in constants.options for match in _named(option, text)]
    if len(found) != 1:
        return None
    ((option, match),) = found
    before, after = text[: match.start()], text[match.end() :]
    if _LEAD_IN.search(before) and _FOLLOWS.match(after) and not _more(after):
        return Named(option, ("words around it",))
    return None


def _more(after: str) -> bool:
    """Whether more than marks follow."""
    return any(character.isalnum() for character in after)


def _write(text: str, named: Named, constants: Constants) -> str | None:
    if constants.place in ("whole", "inside"):
        return named.option
    places = _named(named.option, text)
    if constants.place == "start":
        if not places or _more_than_layers(text[: places[0].start()]):
            return None
        rest = text[places[0].end() :]
        return named.option + rest.lstrip("*_`\"'”’" if places[0].start() else "")
    if not places or _more(text[places[-1].end() :]):
        return None
    before = text[: places[-1].start()]
    return before + named.option


def _more_than_layers(before: str) -> bool:
    core, _ = peel(before + "x")
    return core != "x"
