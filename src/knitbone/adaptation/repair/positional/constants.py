"""Answers that the code compares with constants: ``answer == "yes"``, ``startswith("APPROVED")``.

An answer is reduced to a constant only where it names exactly one of them and says nothing else
except why: two constants, a negation or a question are refused.

Source: Comfrey §4.3.1 (fixed identifiers), with the bounds of this module.
"""

# ruff: noqa: RUF001 - the quotes and dashes that models write
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
)
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.text.wrappers.labels import ANSWER_LABELS, names_answer, without_label
from knitbone.adaptation.text.wrappers.layers import elements_in, peel
from knitbone.adaptation.text.wrappers.remarks import NEGATIONS, may_take_back, without_tags
from knitbone.adaptation.text.wrappers.spans import MAX_WORDS

__all__ = ["Constants", "find_constant", "prepare_constants"]

_KEY = re.compile(r"(?:[\s_]|(?<=[^\W_])-(?=[^\W_]))+")
"""The marks between words that two spellings of a constant may differ in. The sign of a number or
of a grade is none of them."""
_LEAD_IN = re.compile(
    rf"(?:(?:^|[^\w])(?:is|are|as|be|answer|(?:{'|'.join(ANSWER_LABELS)}) of)|[:=→]|[-=]>)"
    r"[\s*_`\"'“‘(\[]*$",
    re.IGNORECASE,
)
"""The words before a constant that ends a sentence: ``The category is **``."""
_FOLLOWS = re.compile(r"[*_`\"'”’)\]]{0,3}\s*(?:[,.;:(–—-]|\n|$)")
"""The marks right behind a constant in a sentence that ends with it."""

_BREAK = re.compile(r"[,.;:–—](?=\s)|\s[-–—(](?=\s|\w)|\n")
"""The end of a value before its explanation: ``yes, because``."""
_OPENING = re.compile(r"[\s*_`\"'“‘„«(\[#>]{1,8}")
"""Marks before a constant at the start of an answer."""
_EMPHASIS = re.compile(r"(?:\*\*|__|`)\Z")
_NAME_BEHIND = re.compile(
    rf"[*_`\"'”’]{{0,3}} (?:{'|'.join(ANSWER_LABELS)})(?=[,.;:\s]*(?:\Z|\n|[,.;]\s))", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?\n]\s")
_DENIALS = frozenset({"no", "false", "n", "none", "never"})
_REASON = re.compile(r"\s*(?:because|since|as|due to|given)\b", re.IGNORECASE)
_CLOSING = re.compile(r"[*_`\"'”’“»)\]]{1,4}")
"""Marks behind a constant."""
_CLOSERS = " \t\r\n.!。！*_`\"'”’“»)]"
_OPENED = re.compile(r"[*_`\"'“‘„«(\[]{1,4}$")
"""Marks right before a constant at the end of an answer."""
_MAX_EXPLAINED = 4_000
"""Characters of an answer that is a constant, or begins with it and then says why (ours)."""

_MAX_WORDS = 12
"""Words of a sentence that says no more than which constant it is (ours)."""

_MAX_LETTER = 2
"""Characters of a constant that stands for a line of the prompt (ours)."""
_MIN_VERB = 4
"""Letters of a word whose ending does not make another word (ours)."""

Place = Literal["whole", "start", "end", "inside"]
_PLACES: dict[tuple[str, ...], Place] = {
    ("words",): "whole",
    ("words", "slot"): "start",
    ("slot", "words"): "end",
    ("slot", "words", "slot"): "inside",
}


class Constants(NamedTuple):
    """The constants of a template, and where the code looks for them."""

    options: tuple[str, ...]
    place: Place
    ignore_case: bool

    def accepts(self, text: str) -> bool:
        """Return whether the code finds one of them."""
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
    text: str
    """The text to deliver."""
    layers: tuple[str, ...]
    """The layers that stood around it."""


def prepare_constants(template: PositionalTemplate) -> Check | None:
    """Build the check of a template that is nothing but constants."""
    options = template.compared_texts
    if not options:
        return None
    place = _PLACES[tuple(element.kind for element in template.elements)]
    constants = Constants(options, place, template.ignore_case)
    demanded = template.on_violation == "raises"
    # A text that only has to begin with a mark, such as an address, is no word with a reason.
    marked = demanded and place == "start" and not any(o[-1:].isalnum() for o in options)

    @FunctionCheck
    def check(text: str, invocation: Invocation) -> Verdict:
        if constants.accepts(text):
            return conforming(text)
        named = None
        if invocation.uses("positional.constants") and not marked:
            named = find_constant(_without_descriptions(text, constants, invocation), constants)
        if named is None:
            if len(constants.options) == 1 and not (place == "start" and demanded):
                # The code asks whether it is the constant: any other answer is one too.
                return conforming(text)
            return refused(text, "the answer names none of the constants, or more than one")
        edits = elements_in(named.layers)
        if edits >= invocation.config.tau_element:
            return refused(text, f"{edits} elements stand around the constant")
        if not constants.accepts(named.text):
            return refused(text, "the constant cannot be brought to where the code looks for it")
        rules = tuple(f"{layer} left out" for layer in dict.fromkeys(named.layers))
        return repaired(
            named.text,
            *(rules or (f'written as "{named.option[:40]}"',)),
            edits=max(1, edits),
        )

    return check


def _without_descriptions(text: str, constants: Constants, invocation: Invocation) -> str:
    """Return a text in which a letter or number stands for what the prompt says behind it:
    ``C`` for ``C) Jupiter``."""
    letters = [option for option in constants.options if len(option) <= _MAX_LETTER]
    if constants.place != "whole" or not letters or len(text) > _MAX_EXPLAINED:
        return text
    for option in letters:
        marked = rf"(?<![\w]){re.escape(option)}[).:](?!\w)"
        said = [
            found[1].strip()
            for message in invocation.messages
            for found in re.finditer(
                rf"{marked}\s*([^\n]{{1,80}}?)(?=\s+\(?\w[).:]\s|\n|\Z)", message.text
            )
        ]
        for described in sorted(set(said), key=len, reverse=True):
            text = re.sub(rf"{marked}\s*{re.escape(described)}(?!\w)", option, text)
        if said:
            text = re.sub(rf"{marked}(?=\W*(?:\Z|\n))", option, text)
    return text


def find_constant(text: str, constants: Constants) -> Named | None:
    """Find the constant that the text names, where it is one and no doubt is left."""
    if constants.place == "start":
        return _at_start(text, constants)
    if constants.place == "end":
        return _at_end(text, constants)
    core, layers = peel(text)
    if (option := _matching_option(core, constants)) is not None:
        return Named(option, option, layers)
    if len(constants.options) < 2 or constants.place != "whole":
        return None
    head, tail = _split_at_break(text.strip()[:_MAX_EXPLAINED])
    core, layers = peel(head)
    if head and (option := _matching_option(core, constants)) is not None:
        doubtful = len(text) > _MAX_EXPLAINED or _is_taken_back(tail, option, constants)
        return None if doubtful else Named(option, option, (*layers, "explanation"))
    return _in_prose(text, constants)


def _at_start(text: str, constants: Constants) -> Named | None:
    """Return the constant at the start, behind a label or in marks; what follows it stays."""
    rest = without_label(text.lstrip())
    layers = ["label"] * (rest != text.lstrip())
    opened = _OPENING.match(rest)
    bare = rest[opened.end() :] if opened else rest
    layers += ["emphasis"] * (bare != rest)
    for option in sorted(constants.options, key=len, reverse=True):
        places = _mentions(option, bare[: len(option) * 2 + 8])
        if places and places[0].start() == 0:
            behind = bare[places[0].end() :]
            if opened and (closed := _CLOSING.match(behind)):
                behind = behind[closed.end() :]
            return Named(option, option + behind, tuple(layers))
    return None


def _at_end(text: str, constants: Constants) -> Named | None:
    """Return the constant at the end, in marks; what stands before it stays."""
    bare = text.rstrip(_CLOSERS)
    layers = ("final stop",) if bare != text.rstrip() else ()
    for option in sorted(constants.options, key=len, reverse=True):
        start = max(0, len(bare) - len(option) * 2 - 8)
        places = [m for m in _mentions(option, bare[start:]) if m.end() == len(bare) - start]
        if places:
            before = bare[: start + places[0].start()]
            opened = _OPENED.search(before[-4:])
            if opened and layers:
                before = before[: len(before) - len(opened.group())]
            return Named(option, before + option, layers)
    return None


def _matching_option(core: str, constants: Constants) -> str | None:
    """Return the option that equals the text, apart from case and the marks between its words."""
    if core in constants.options:
        return core
    if len(core) > _MAX_EXPLAINED:
        return None
    key = _key(core)
    found = {option for option in constants.options if _key(option) == key}
    found = found or {
        o for o in constants.options if key in _past_forms(o) or _key(o) in _past_forms(core)
    }
    return found.pop() if len(found) == 1 else None


def _past_forms(verb: str) -> tuple[str, ...]:
    """Return the past of a verb, as verdicts are written: ``APPROVED`` of ``APPROVE``."""
    key = _key(verb)
    regular = len(key) >= _MIN_VERB and key.isalpha()
    return (f"{key}d" if key.endswith("e") else f"{key}ed",) if regular else ()


def _key(text: str) -> str:
    return _KEY.sub(" ", text).strip().casefold()


def _split_at_break(text: str) -> tuple[str, str]:
    """Split a text at the first mark that ends a value."""
    for match in _BREAK.finditer(text):
        head = text[: match.start()]
        labelled = match.group() == ":" and without_label(f"{head}: x") != f"{head}: x"
        if not labelled:
            return head, text[match.end() :]
    return "", ""


def _is_taken_back(tail: str, option: str, constants: Constants) -> bool:
    """Return whether the explanation names another constant, or takes the answer back.

    A denial is no reservation behind a constant that denies itself (``No, it is not``), or behind
    a word that gives a reason.
    """
    if any(other != option and _mentions(other, tail) for other in constants.options):
        return True
    if option.casefold() in _DENIALS or _REASON.match(tail):
        tail = NEGATIONS.sub(" ", tail)
    return may_take_back(tail)


def _mentions(option: str, text: str) -> list[re.Match[str]]:
    words = r"[\s_-]+".join(map(re.escape, _KEY.split(option)))
    before = r"(?<![\w.,+~≈<>≤≥±−–-])" if option[:1].isdigit() else r"(?<![\w-])"
    behind = r"(?![\w%‰°–-]|[.,/:]\d)" if option[-1:].isdigit() else r"(?![\w-])"
    return list(re.finditer(f"{before}{words}{behind}", text, re.IGNORECASE))


def _in_prose(text: str, constants: Constants) -> Named | None:
    """Return the only constant that a text names, where it says it: ``The category is billing.``

    It stands in emphasis or on a line of its own, or ends a clause behind a word such as ``is``. A
    text of more than a few words must name what it answers there, too.
    """
    if len(text) > _MAX_EXPLAINED or len(text.split()) > MAX_WORDS:
        return None
    found = [(option, match) for option in constants.options for match in _mentions(option, text)]
    if len({option for option, _ in found}) != 1:
        return None
    places = [match.span() for _, match in found]
    if may_take_back(_without(text, places)):
        return None
    if any(_is_stated(text, start, end) for start, end in places):
        return Named(found[0][0], found[0][0], ("words around it",))
    return None


def _without(text: str, places: Sequence[tuple[int, int]]) -> str:
    """Return a text without some of its parts, which come in order."""
    borders = [0, *(border for place in sorted(places) for border in place), len(text)]
    return " ".join(text[a:b] for a, b in zip(borders[::2], borders[1::2], strict=True))


def _is_stated(text: str, start: int, end: int) -> bool:
    """Return whether a text says the constant that stands at a place of it, rather than uses the
    word."""
    before, after = text[:start], text[end:]
    before, after = without_tags(before, ""), without_tags(after, "")
    line = before.rpartition("\n")[2] + text[start:end] + after.partition("\n")[0]
    if peel(line).core == text[start:end]:
        return True
    if (mark := _EMPHASIS.search(before)) and after.startswith(mark.group()):
        return True
    named = _NAME_BEHIND.match(after)
    if not named and not (_LEAD_IN.search(before) and _FOLLOWS.match(after)):
        return False
    sentence = f"{_SENTENCE_END.split(before)[-1]} {named.group() if named else ''}"
    return len(text.split()) <= _MAX_WORDS or names_answer(sentence)
