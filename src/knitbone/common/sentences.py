"""Where the sentences of a passage are, as exact spans that cover it without gaps.

With the extra ``language`` on Python 3.11 or newer nupunkt decides (it knows abbreviations);
without it a rule of our own, which rather joins two sentences than cuts one. The full stops of
Chinese, Japanese and Hindi always end a sentence.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeAlias, cast

from knitbone._forks import unforked

__all__ = ["Span", "split_by_rule", "split_sentences"]

Span: TypeAlias = tuple[int, int]

_Splitter: TypeAlias = "Callable[[str], Iterable[Span]]"

_LINE_END = re.compile(r"[.!?:;\u2026][\"'\u201d\u2019)\]*_]{0,4}[ \t\r]{0,8}\n")
"""Here a sentence ends whatever follows: models do not break a line inside one."""
_WIDE_END = re.compile(r"[\u3002\uff01\uff1f\u0964]+[\u201d\u2019\u300d\u300f\uff09\"']{0,4}")
_END = re.compile(r"(?<=[.!?\u2026])[\"'\u201d\u2019)\]*_]{0,4}\s+")
_WORD_END = re.compile(r"(?<![\w.'-])([a-z]{3,30})\.[ \t]+(?=[A-Z][a-z]*[ ,])")
_LAST_WORD = re.compile(r"[^\s(\[\"'\u201c\u2018]{1,30}\Z")
_ABBREVIATIONS = frozenset({
    "mr", "mrs", "ms", "dr", "prof", "sr", "jr", "st", "vs", "etc", "e.g", "i.e", "cf", "fig",
    "figs", "eq", "no", "nos", "vol", "pp", "approx", "dept", "inc", "ltd", "co", "corp", "al",
    "ca", "gen", "col", "sgt", "capt", "rev", "hon", "jan", "feb", "mar", "apr", "jun", "jul",
    "aug", "sep", "sept", "oct", "nov", "dec", "mon", "tue", "wed", "thu", "fri", "sat", "sun",
    "a.m", "p.m", "u.s", "u.k", "ph.d", "tsp", "tbsp", "min", "max", "sec", "hrs", "temp", "est",
    "resp", "tel", "incl", "excl", "misc", "ref", "pts", "ave", "blvd", "lbs", "univ", "assn",
    "ext", "pos", "seq", "viz", "abbr", "avg", "std", "vols", "eds", "ibid",
})  # fmt: skip


def split_sentences(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """The sentences of ``text[start:end]``, each with the blanks behind it, in order.

    Together the spans are exactly that slice. Time grows with its length.
    """
    stop = len(text) if end is None else end
    spans: list[Span] = []
    for low, high in _cut(text, start, stop, _LINE_END):
        for first, last in _cut(text, low, high, _WIDE_END):
            piece = text[first:last]
            spans.extend((first + a, first + b) for a, b in _split(piece))
    return spans


def split_by_rule(text: str) -> list[Span]:
    """The rule of our own: a full stop, blanks, and then no small letter; not behind an
    abbreviation, an initial or the number of a list."""
    spans: list[Span] = []
    begin = 0
    for match in _END.finditer(text):
        following = text[match.end() : match.end() + 1]
        if not following or following.islower() or _abbreviated(text, begin, match.start()):
            continue
        spans.append((begin, match.end()))
        begin = match.end()
    if begin < len(text):
        spans.append((begin, len(text)))
    return spans


def _abbreviated(text: str, begin: int, stop: int) -> bool:
    if text[stop - 1] != ".":
        return False
    found = _LAST_WORD.search(text[max(begin, stop - 31) : stop - 1])
    if found is None:
        return False
    word = found.group()
    return word.casefold() in _ABBREVIATIONS or (
        (len(word) == 1 and word.isupper()) or (word.isdigit() and stop - 1 - len(word) == begin)
    )


def _cut(text: str, start: int, end: int, border: re.Pattern[str]) -> Iterable[Span]:
    begin = start
    for match in border.finditer(text, start, end):
        yield begin, match.end()
        begin = match.end()
    if begin < end:
        yield begin, end


def _split(piece: str) -> list[Span]:
    spans = [
        (first + begin, first + end)
        for first, last in _splitter()(piece)
        for begin, end in _recut(piece[first:last])
    ]
    if not spans:
        return [(0, len(piece))]
    # Gaps and edges go to the sentence before: the spans have to cover the piece.
    starts = [0, *(first for first, _ in spans[1:])]
    return list(zip(starts, [*starts[1:], len(piece)], strict=True))


def _recut(sentence: str) -> list[Span]:
    """nupunkt has learnt from court opinions, where ``app.``, ``bank.`` and ``hand.`` are mostly
    abbreviations: a plain word in small letters before a capital ends a sentence all the same."""
    spans: list[Span] = []
    begin = 0
    for match in _WORD_END.finditer(sentence):
        if match.group(1) not in _ABBREVIATIONS:
            spans.append((begin, match.end()))
            begin = match.end()
    return [*spans, (begin, len(sentence))]


@lru_cache(maxsize=1)
def _splitter() -> _Splitter:
    """nupunkt where it is installed. It is no error that it is not."""
    try:
        with unforked:
            module = importlib.import_module("nupunkt")
    except ModuleNotFoundError:
        return split_by_rule
    return cast("_Splitter", module.sent_spans)
