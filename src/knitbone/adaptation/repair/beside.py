"""Words beside a value: ``12 people cancelled`` is no answer to "How many people came?".

A repair that takes one value out of a sentence leaves the other words of the sentence out. Each of
them may make another value of it, and no list of such words is ever complete. So it is asked the
other way round: a word may be left out if the prompt asks with it or the code has it, if it belongs
to the value as it was written (``March``, ``pm``), or if it changes no value (``the``, ``Result``,
``Sure``). With any other word beside it, the answer is refused.

Source: Comfrey §4.3.1 (extraneous elements).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any

from knitbone.adaptation.consumers.focus import without_reasoning
from knitbone.adaptation.text.wrappers.remarks import without_courtesy, without_tags
from knitbone.common.number_words import number_of_words
from knitbone.common.structured.moments import is_part_of_moment, read_moment
from knitbone.common.structured.units import names_of_unit

__all__ = ["odd_word", "qualifying_word"]

_MAX_VALUE = 80
"""Characters of a text that is one value (ours)."""
_MAX_PROMPT = 20_000
"""Characters of a prompt whose words are looked at (ours)."""
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*(?:['\u2019](?:s|m|d|t|ll|re|ve)\b)?")
_SHORTENED = re.compile(r"['\u2019].*")
_COMPASS = re.compile(r"(\d\.\d+|°)\s?[NESW]\b")
_NUMBERED = re.compile(r"(?<!\w)(?:[^\W_]++-)?[^\W\d]*+\d\w*+")
"""A number, or a name with one: ``db-2``."""
_DIGITS = re.compile(r"\d+")
_PART_OF_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_STOP = re.compile(r"(?<=[.!?])\s+")
_ASKS = re.compile(
    r"\?|\A\W*(?:[A-Z]|\d)[).:]\s|\A[^:\n]{1,40}:\s*[<\[{.\u2026_]"
    r"|\A\W*(?:please )?(?:answer|reply|respond|return|output|print|write|give|name|state|tell|"
    r"find|extract|read|rate|classify|decide|determine|count|estimate|choose|pick|suggest|list|"
    r"report|use|what|which|when|where|who|how)\b",
    re.IGNORECASE,
)
"""A sentence of a prompt that asks, a choice, or a line to be filled in; the others may be what is
asked about."""
_EXPLAINED = re.compile(r"\s*(?:[-\u2013\u2014]\s|\()(?P<why>[^\n]*)")
_MIN_EXPLAINED = 3
"""Words that explain a value; fewer may change it: ``12 (estimate)`` (ours)."""
_SAYS_WHY = re.compile(
    r"\bbecause\b[^.!?\n]*|\b(?:from|by|after reading) (?:the|your|this) (?:provided |given )?"
    r"(?:text|passage|document|article|context|content|information|question|request)\b",
    re.IGNORECASE,
)
"""A reason, or where somebody has read the value."""
_ENDINGS = ("ing", "ed", "es", "ly", "s", "e", "d")
_MIN_STEM = 3
"""Letters of a word that stay when its ending is taken off (ours)."""
_NEUTRAL = """
a an the this that these those it its they them here there i we you our my your me us
what which who whose and so then therefore thus hence because as of for in on at to with
is are was were be been being am has have had do does did comes equals goes

answer verdict decision choice option category class classification conclusion result value
output response reply solution final correct number list date time
question request task text passage document article context content information

say state mention give gave provide take taken extract read find found see think believe conclude
classify rate label identify determine count calculate compute choose pick select return
base according follow above below ask reply write written shown

sure certainly course ok okay yes great understood alright well thank please happy glad
absolutely let look go

address email mail link url position location coordinates colour color name id code row line

overall total clearly very definitely strongly exactly precisely simply explicitly directly

located local use

markdown json plain plaintext bold boxed html xml python lt gt amp quot nbsp e
"""
"""Words that change no value: links and pronouns, names of an answer, of saying and reading, of
courtesy, of what a value is, of certainty, of place, of a notation."""
_QUALIFYING = """
less more fewer under over below above least most max min maximum minimum between minus plus than up
before after since until by about around approximately approx roughly nearly almost circa ca
half quarter double twice times hundred hundreds thousand thousands million millions billion
billions trillion trillions dozen dozens mn mio bn mrd
negative point per each afternoon evening night tonight tomorrow yesterday
"""
"""Words that make another value of the one beside them, whatever the prompt says."""
_CHANGES = frozenset(_QUALIFYING.split())


def odd_word(
    text: str,
    repaired: str,
    prompts: Iterable[str],
    *,
    names: Iterable[str] = (),
    result: Any = None,
) -> str:
    """Return a word that is left out beside the one value of an answer, and that neither the prompt
    nor the code has; empty where there is none, or the answer holds more than one value.

    Args:
        text: the answer as it came.
        repaired: the value.
        prompts: what was asked, as far as that is known.
        names: what the code calls its functions and variables.
        result: what the code makes of the value.
    """
    value = repaired.strip()
    if not value or "\n" in value or len(value) > _MAX_VALUE:
        return ""
    said = without_courtesy(without_tags(without_reasoning(text)))
    said = _COMPASS.sub(r"\1", _SAYS_WHY.sub("", said))
    held = set(_words_in(value))
    parts = _sentences_of(value, _unexplained(value, said))
    words = [word for part in parts for word in _words_in(part)]
    words = [word for word in words if word not in held]
    if qualifying := next((word for word in words if word in _CHANGES), ""):
        return qualifying
    odd = [word for word in words if _stem(word) not in _CHANGES_NOTHING]
    asked = _asking(prompts)
    whole = re.compile(rf"(?<![\w.]){re.escape(value)}(?!\w|\.\d)")
    for part in parts if whole.search(said) else ():
        for number in _NUMBERED.findall(whole.sub(" ", part)):
            if number not in asked:
                return number
    if not odd:
        return ""
    known = {_stem(word) for word in _words_in(asked)}
    known |= {_stem(part.casefold()) for name in names for part in _PART_OF_NAME.findall(name)}
    digits = _DIGITS.findall(value)
    days = [result] if isinstance(result, date) else []
    moment = read_moment(value)
    days += [moment.day] if moment is not None and moment.day is not None else []
    for word in odd:
        meanings = set(map(_stem, (word, *names_of_unit(word))))
        if known & meanings or number_of_words(word) in digits or is_part_of_moment(word, days):
            continue
        return word
    return ""


def _asking(prompts: Iterable[str]) -> str:
    """Return the sentences of a prompt that ask, and not those that are asked about: ``Sunday`` may
    stand in a forecast of which Saturday's part is asked for.

    Where no sentence is a question, the one before an instruction says what is wanted: ``The molar
    mass of glucose, in g/mol. Give the number only.``
    """
    whole = "\n".join(prompts)[:_MAX_PROMPT]
    sentences = list(_sentences(whole))
    asking = [n for n, sentence in enumerate(sentences) if _ASKS.search(sentence)]
    if "?" not in whole:
        asking += [n - 1 for n in asking if n]
    return "\n".join(sentences[n] for n in asking) or whole


def _unexplained(value: str, text: str) -> str:
    """Return a text that begins with its value without the explanation behind a dash or in
    brackets: ``3 - mixed: a great location, and a noisy room``."""
    start = text.find(value)
    if start < 0 or any(map(str.isalnum, text[:start])):
        return text
    end = start + len(value)
    closed = len(text) - len(text[end:].lstrip("*_`\"'"))
    behind = _EXPLAINED.match(text, closed)
    if behind is None or len(behind["why"].split()) < _MIN_EXPLAINED:
        return text
    return text if qualifying_word(behind["why"]) else text[:end] + text[behind.end() :]


def qualifying_word(text: str) -> str:
    """Return a word that makes another value of the one beside it, whatever was asked; empty where
    a text has none."""
    return next((word for word in _words_in(text) if word in _CHANGES), "")


def _words_in(text: str) -> Iterator[str]:
    """Yield the words of a text in lower case; a number of two words is one."""
    for found in _WORD.findall(text.casefold()):
        word = _SHORTENED.sub("", found)
        yield from (word,) if number_of_words(word) else word.split("-")


def _sentences_of(value: str, text: str) -> list[str]:
    """Return the sentences of a text in which a value stands; all of them where it is written in
    another way there."""
    sentences = list(_sentences(text))
    holding = [part for part in sentences if value.casefold() in part.casefold()]
    return holding or sentences


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text; a line that ends in a colon belongs to the next."""
    open_line = ""
    for line in text.split("\n"):
        whole = f"{open_line}{line.strip()}"
        open_line = f"{whole} " if whole.endswith(":") else ""
        if not open_line:
            yield from filter(None, _STOP.split(whole))
    if open_line:
        yield open_line


def _stem(word: str) -> str:
    """Return a word without the ending of its number, tense or person: ``leav`` of ``leaves``,
    ``stop`` of ``stopped``."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            bare = word.removesuffix(ending)
            return bare[:-1] if bare[-1] == bare[-2] and ending in ("ing", "ed") else bare
    return word


_CHANGES_NOTHING = frozenset(map(_stem, _NEUTRAL.split()))
