"""The words of a request that may be the value of an argument, and of which kind they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from knitbone_evals.reader.numbers import NUMBER
from knitbone_evals.reader.times import CLOCK, DAY, DURATION
from knitbone_evals.reader.world import (
    country_of,
    currency_of,
    language_of,
    unit_of,
    vocabulary,
    world,
)

__all__ = ["FUNCTION_WORDS", "Mention", "spans_of", "words_of"]

_LONGEST = 4_000
"""Characters of a request that are read."""
_NEAR = 60
"""Characters around words that are looked at."""
_WORD = re.compile(r"[\w'’°$€£%#@./:+-]*\w|[^\w\s]")  # noqa: RUF001
_QUOTED = re.compile(r"\"([^\"\n]+)\"|(?<!\w)'([^'\n]+(?:'\w[^'\n]*)*)'(?!\w)|[“‘]([^”’\n]+)[”’]")  # noqa: RUF001
_ADDRESS = re.compile(
    r"\b[\w.+-]+@[\w-]+\.[\w.-]+\w|\bhttps?://[^\s,;]+\w/?|\B#[0-9A-Fa-f]{6}\b"
    r"|(?:\.{0,2}/)[\w./-]*\w|\b[\w-]+(?:/[\w.-]+)+/?|\b[\w-]+\.(?!\d)(?:[a-z]{2,4}|[a-z]\w{1,3})\b(?!\.)"
)
_PHONE = re.compile(
    r"(?<!\w)(?:\+\d[\d\s-]{6,}\d|\(0\d+\)\s?[\d-]{4,}|0\d{2,4}[\s-][\d\s-]{4,}\d|\d{3}[-\s]\d{4}\b|\d{3}[-\s]\d{3}[-\s]\d{4})"
)
_CODE = re.compile(
    r"\b(?=[A-Z \d-]*\d)[A-Z]{1,3}(?:[- ](?:[A-Z]{1,3}|\d{1,4}))*[- ]\d{1,4}(?![\w-])"
    r"|(?<![\w-])(?!\d+k\b)(?=[\w/#-]*\d)(?=[\w/#-]*[A-Za-z#])#?[A-Za-z0-9]+(?:[-_/][A-Za-z0-9]+)*"
    r"(?![\w-])|(?<!\w)#\d+"
)
_MONEY_SIGN = "[$€£¥₹₩₽₺]|R\\$|CHF|kr"
_STREET = re.compile(
    r"\b\d{1,4}[a-z]?\s+(?:[A-Z][\w'.-]+\s+){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Way|Square)\b\.?"
)
_TITLE = r"(?:Mrs?|Ms|Dr|Prof|St|Sir)\."
_NAME_WORD = r"[A-Z][\w'’-]*\w\.?(?<!\.)|[A-Z]\.(?=\s[A-Z])"  # noqa: RUF001
_NAME = re.compile(
    rf"(?:{_TITLE}\s+)?(?:{_NAME_WORD})"
    rf"(?:\s+(?:(?:de|van|von|der|la|le|of|the|du)\s+)*(?:{_TITLE}\s+)?(?:{_NAME_WORD}))*"
    r"(?:,\s+[A-Z]{2}\b|,?\s+(?:Jr|Sr|Inc|Ltd)\.)?"
)
_INTERVAL = re.compile(
    r"\b(?:hourly|daily|weekly|monthly|quarterly|yearly|annually)\b"
    r"|\b(?:every|each|per)\s+(?:hour|day|week|month|year)\b",
    re.IGNORECASE,
)
_SHADE = re.compile(r"\b(?:light|dark|pale|bright|deep|off)[\s-]+([a-z]+)\b", re.IGNORECASE)
_ORDINAL = re.compile(
    r"\b\d+(?:st|nd|rd|th)\b|\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b",
    re.IGNORECASE,
)


FUNCTION_WORDS = frozenset(vocabulary("function words"))
_OPENING = FUNCTION_WORDS | frozenset(vocabulary("openers"))
_SIGNED = re.compile(rf"(?:{_MONEY_SIGN})\s?\d+(?:[.,]\d+)*(?:\s?(?:k|m|thousand|million)\b)?")
_WEIGHED = re.compile(r"\b(?:weighs?|weight|heavy|parcel|kg|lbs?)\b", re.IGNORECASE)
_BEHIND_NUMBER = re.compile(
    r"\s*((?:[A-Za-z]+\s)?[A-Za-z°µ€£$][\w/²°]*(?:\s(?:ft|m|per\s\w+)(?!\w))?)"
)
_BREAK = re.compile(r"[.,;!?]\s|[;!?]")
"""Behind it nothing belongs to what was before."""
_NO_VERB = re.compile(r"[,:']|\s+(?:since|from|by|of|in|has|is|was|and|&)\b")
_ZONE = re.compile(r"\b(?:GMT|UTC)(?:[+-]\d{1,2}(?::\d\d)?)?\b|\b(?:[A-Z][a-z]+ )Time\b")
_HALF_MORE = r"(?:\s+and\s+a\s+(?:half|quarter))?"
_DURATION = re.compile(
    rf"(?:{NUMBER}){_HALF_MORE}[\s-]*(?:an?\s+)?{DURATION}{_HALF_MORE}|\d+h\d\d\b", re.IGNORECASE
)
_PERCENT = re.compile(
    rf"(?:{NUMBER})\s?(?:%|per\s?cent\b)|(?:half|an? (?:quarter|third))(?=\s+off\b)",
    re.IGNORECASE,
)


class Mention(NamedTuple):
    """Words of a request that may be a value."""

    text: str
    kind: str
    """As in ``forms.KINDS``; ``quoted``, ``name``, ``phrase``, ``path`` and ``number`` are open."""
    start: int
    end: int
    before: tuple[str, ...] = ()
    """The words before it, the nearest last."""
    behind: tuple[str, ...] = ()
    """The words behind it, the nearest first."""


def words_of(text: str) -> list[str]:
    """The words of a text or of a name (``checkInDate``, ``check_in_date``), in lower case."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)
    return [word.casefold() for word in re.findall(r"[^\W_]+", spaced)]


def spans_of(request: str) -> list[Mention]:
    """The candidates in a request, in its order; later kinds take what earlier ones left."""
    text = request[:_LONGEST]
    taken: list[Mention] = []
    for kind, start, end in _typed(text):
        if start < end and all(end <= span.start or start >= span.end for span in taken):
            taken.append(Mention(text[start:end], kind, start, end))
    taken += _phrases(text, taken)
    for moment in [span for span in taken if span.kind == "moment"]:
        # Also each for itself: another tool takes the day and the time apart.
        for kind, pattern in (("date", DAY), ("time", CLOCK)):
            part = re.search(pattern, moment.text, re.IGNORECASE)
            if part:
                start = moment.start + part.start()
                taken.append(Mention(part[0], kind, start, start + len(part[0])))
    taken.sort(key=lambda span: span.start)
    return [
        span._replace(
            before=tuple(
                words_of(_BREAK.split(text[max(0, span.start - 60) : span.start])[-1])[-5:]
            ),
            behind=tuple(words_of(_BREAK.split(text[span.end : span.end + 40])[0])[:3]),
        )
        for span in [*taken, *_lists(text, taken)]
    ]


def _typed(text: str) -> Iterator[tuple[str, int, int]]:
    for found in _QUOTED.finditer(text):
        yield "quoted", *found.span(found.lastindex or 0)
    day, clock = re.compile(DAY, re.IGNORECASE), re.compile(CLOCK, re.IGNORECASE)
    moment = rf"(?:{DAY})(?:,?\s+at\s+|,?\s+)(?:{CLOCK})|(?:{CLOCK})\s+on\s+(?:{DAY})"
    yield from _each("moment", re.compile(moment, re.IGNORECASE), text)
    yield from _each("date", day, text)
    for found in _ADDRESS.finditer(text):
        if not unit_of(found[0]):
            yield "path", *found.span()
    yield from _each("zone", _ZONE, text)
    yield from _each("phone", _PHONE, text)
    yield from _each("address", _STREET, text)
    yield from _each("duration", _DURATION, text)
    yield from _each("time", clock, text)
    yield from _each("percent", _PERCENT, text)
    yield from _money(text)
    yield from _numbered("quantity", text, _is_unit)
    yield from _each("ordinal", _ORDINAL, text)
    yield from _each("code", _CODE, text)
    yield from _each(
        "number", re.compile(NUMBER, re.IGNORECASE), text, refused=("a", "an", "no", "half")
    )
    yield from _each("phrase", _INTERVAL, text)
    for found in _SHADE.finditer(text):
        if found[1].casefold() in world()["colours"]:
            yield "colour", *found.span()
    yield from _names(text)
    yield from _known(text)


def _each(
    kind: str, pattern: re.Pattern[str], text: str, refused: Sequence[str] = ()
) -> Iterator[tuple[str, int, int]]:
    for found in pattern.finditer(text):
        if found[0].casefold() not in refused:
            yield kind, *found.span()


def _money(text: str) -> Iterator[tuple[str, int, int]]:
    yield from _each("amount", _SIGNED, text)
    yield from _numbered("amount", text, lambda said: _is_currency(said, text))


def _is_currency(said: str, text: str) -> bool:
    """Whether words name a currency; pounds may as well be weighed."""
    weighed = said.casefold().startswith("pound") and _WEIGHED.search(text)
    return currency_of(said) is not None and not weighed


def _is_unit(said: str) -> bool:
    return unit_of(said) is not None and said.casefold() not in ("in", "a", "am")


def _numbered(
    kind: str, text: str, is_one: Callable[[str], bool]
) -> Iterator[tuple[str, int, int]]:
    """Numbers with one or two words behind them that are of a kind."""
    for found in re.finditer(NUMBER, text, re.IGNORECASE):
        behind = _BEHIND_NUMBER.match(text, found.end())
        for said in (behind[1], behind[1].split()[0]) if behind else ():
            if is_one(said):
                yield kind, found.start(), (behind or found).start(1) + len(said)
                break


def _names(text: str) -> Iterator[tuple[str, int, int]]:
    for found in _NAME.finditer(text):
        start, end = found.span()
        parts = found[0].split()
        opens = re.search(r"(?:\A|[.!?:]\s+)\Z", text[:start]) is not None
        while opens and parts and parts[0].casefold().removesuffix("'s") in _OPENING:
            start += len(parts[0]) + 1
            parts = parts[1:]
        if not parts or (len(parts) == 1 and parts[0].casefold() in FUNCTION_WORDS):
            continue
        # The first word of a sentence is a name only where it cannot be a verb.
        if opens and len(parts) == 1 and start == found.start() and not _NO_VERB.match(text, end):
            continue
        if text[:end].endswith(("'s", "’s")):  # noqa: RUF001
            end -= 2
        yield _kind_of_name(text[start:end]), start, end


def _kind_of_name(words: str) -> str:
    if country_of(words):
        return "country"
    if words.casefold() in (name.casefold() for name in world()["languages"]):
        return "language"
    if re.fullmatch(r"[A-Z]{3}", words) and currency_of(words):
        return "currency"
    return "unit" if len(words) > 3 and unit_of(words) else "name"


def _known(text: str) -> Iterator[tuple[str, int, int]]:
    for found in re.finditer(r"[^\W\d_]+(?:\s[^\W\d_]+)?|°[CF]?", text):
        first = found[0].split()[0]
        for words in (found[0], first):
            kind = _kind_of_word(words)
            if kind:
                yield kind, found.start(), found.start() + len(words)
                break
        last = found[0].split()[-1]
        if last != first and (kind := _kind_of_word(last)):
            yield kind, found.end() - len(last), found.end()


def _kind_of_word(words: str) -> str | None:
    folded = words.casefold()
    if len(words) < 2 or folded.split()[0] in FUNCTION_WORDS:
        return "unit" if words.startswith("°") else None
    if folded in world()["colours"]:
        return "colour"
    if language_of(words) and len(words) > 2:
        return "language"
    if len(words) > 3 and currency_of(words) and not unit_of(words):
        return "currency"
    if country_of(words) and len(words) > 3:
        return "country"
    return "unit" if unit_of(words) and len(words) > 1 and folded not in ("in", "am") else None


def _phrases(text: str, taken: Sequence[Mention]) -> Iterator[Mention]:
    """What is left, in runs of words that say something."""
    covered = sorted((span.start, span.end) for span in taken)
    place = 0
    for start, end in [*covered, (len(text), len(text))]:
        if place < start:
            yield from _runs(text, place, start)
        place = max(place, end)


def _runs(text: str, start: int, end: int) -> Iterator[Mention]:
    first: re.Match[str] | None = None
    last: re.Match[str] | None = None
    for word in re.finditer(r"[\w'’-]+|[^\w\s]", text[start:end]):  # noqa: RUF001
        says = word[0].casefold() not in FUNCTION_WORDS and bool(re.match(r"\w", word[0]))
        if says:
            first, last = first or word, word
        elif first is not None and last is not None:
            yield _phrase(text, start + first.start(), start + last.end())
            first = last = None
    if first is not None and last is not None:
        yield _phrase(text, start + first.start(), start + last.end())


def _phrase(text: str, start: int, end: int) -> Mention:
    return Mention(text[start:end], "phrase", start, end)


def _lists(text: str, spans: Sequence[Mention]) -> Iterator[Mention]:
    """Neighbours that commas and *and* make a list of."""
    items = [
        s for s in spans if s.kind in ("phrase", "name", "colour", "country", "language", "path")
    ]
    run: list[Mention] = []
    closed = False
    for span in [*items, None]:
        between = text[run[-1].end : span.start] if run and span else ""
        last = re.fullmatch(r",?\s+and\s+(?:the\s+)?|\s*&\s*", between) is not None
        # Without an *and* only what is alike makes a list.
        alike = between.strip() == "," and span is not None and span.kind == run[-1].kind
        if span and not closed and (last or alike):
            run.append(span)
            closed = last
            continue
        if len(run) > 1:
            yield Mention(text[run[0].start : run[-1].end], "list", run[0].start, run[-1].end)
        run, closed = [span] if span else [], False
