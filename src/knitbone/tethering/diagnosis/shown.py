"""Whether anything before a step had shown a value that the step uses.

The answer is given for *codes*: what nobody can know or compute, such as an order number or an
address. Amounts, dates, counts and plain words are none, and of a sentence only the codes in it
count. A code is shown where its letters and digits stand anywhere before the step: in the task, a
prompt, a tool's definition, a message, a result with its field names, or what the agent passed
before. The spelling does not matter (case, spaces, signs, leading zeros, escapes, numbers in
words), nor does a prefix, and a code may be put together from parts that were shown.

All of it errs to one side: whatever may have been shown counts as shown. Where a part of the record
cannot be read, such as an image or what redaction took out, nothing after it is called unshown.

Every text is read once; all codes of a run are looked for in one pass (Aho and Corasick), so that
time and memory are linear in the record.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast
from urllib.parse import unquote

from ahocorasick_rs import AhoCorasick

from knitbone.common.number_words import NUMBER_WORDS, number_of_words
from knitbone.record.events import (
    DAMAGE,
    LOST_EVENTS,
    MISSING_EVENTS,
    Adaptation,
    ChatMessage,
    Event,
    Intervention,
    Message,
    ModelCall,
    Retrieval,
    Run,
    ToolCall,
)
from knitbone.record.secrets.finding import REDACTED
from knitbone.tethering.diagnosis.units import TransitionUnit

__all__ = ["Passed", "Shown"]

_MAX_LEAVES = 400
"""Values of one call that are looked at; a bulk upload says no more (as in ``provenance``)."""
_LONGEST = 2_000
"""Characters of the longest argument that is looked at: a longer one is a document that the agent
writes, and no value that it passes (ours)."""
_IDENTIFYING = 9
"""Digits from which on a plain number identifies something, and characters from which on a code
stands nowhere by chance. Amounts, years and post codes are shorter (ours)."""
_SHORTEST = 4
"""Characters of a code; less, such as a seat or a room, may mean many things (ours)."""
_MAX_PARTS = 24
"""Parts of the longest code, a UUID's with room to spare: each pair is looked for (ours)."""
_COUNTER = 2
"""Digits up to which a number beside other parts counts or dates something (ours)."""
_TRUNK, _SUBSCRIBER = 3, 7
"""Digits of the longest country code (ITU-T E.164, section 6.1), which a phone number may lack, and
of the shortest number that is compared without it (ours)."""
_END = "..."
"""Before digits: a number ends in them."""

_NEVER = 2**62
"""A moment after every run's end."""
_PIECE = re.compile(r"\d+|[A-Z]*[^\W\d_A-Z]+|[A-Z]+")
_GAP = re.compile(r"[\W_]+")
_DIGIT = re.compile(r"\d")
_SPOKEN = re.compile(
    rf"\b(?:{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})\b".replace("-", "[ -]"),
    re.IGNORECASE,
)
_SPOKEN_SUM = re.compile(
    r"\b\d+[ -](?:hundred|thousand|million)(?:[ -](?:and )?(?:hundred|thousand|million|\d+))*\b",
    re.IGNORECASE,
)
_LEADING_ZERO = re.compile(r"(?<!\d)0+(?=\d)")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrtbf\"'/\\])")
_YEAR = r"(?:19|20)\d\d"
_DAY = rf"{_YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_CLOCK = r"(?:[01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?"
_DATED = re.compile(rf"{_YEAR}|{_DAY}(?:{_CLOCK}\d{{0,6}})?|1\d{{9}}(?:\d{{3}})?")
"""A year, a day, a point in time, seconds or milliseconds since 1970."""
_TIME = re.compile(_CLOCK)
_DATE_T = re.compile(r"(?<=\d)[Tt](?=\d)")
_DECIMAL = re.compile(r"\W*\d[\d,' _]*(?:[.,]\d*)?\W*")
_POINT = re.compile(r"\d[.,]\d")
_NUMBER = re.compile(
    r"(?<![\w.,/:-])\d{1,3}(?:[ ,.']\d{3})*(?:[.,]\d{1,4})?[km]?(?![\w/:-]|[.,]\d)"
    r"|(?<![\w.,/:-])\d{1,12}(?:[.,]\d{1,4})?[km]?(?![\w/:-]|[.,]\d)",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"[-+]?\d{1,8}(?:\.\d{1,4})?")
_POINTED = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_COMMA = re.compile(r"\d+,\d{1,2}")
_DIGITS = re.compile(r"\d+")
_OPERANDS = 24
"""Numbers from which on nearly any amount may have been computed from some of them (ours)."""
_CENT = 2
"""Decimals that amounts are rounded to."""
_MONEY = frozenset({"usd", "eur", "gbp", "chf", "jpy", "cny", "inr", "cad", "aud", "us", "rs"})
_LEFT_OUT = r"(?:truncated|omitted|redacted|elided|abridged|censored|withheld|anonymi[sz]ed)"
_TAKEN_OUT = (
    rf"(?:{_LEFT_OUT}|too (?:long|large|big)|clipped|cleared|removed|snip(?:ped)?|cut|hidden|masked"
    r"|stripped|not (?:shown|displayed|included|recorded)|skipped|collapsed|suppressed"
    r"|summari[sz]ed|shortened|compacted|continue[sd]|\d+ more)"
)
_NO_TEXT = (
    r"(?:image|screenshot|picture|photo|audio|video|pdf|attachment|attached|binary|base64|blob"
    r"|file|document)"
)
_SORTS = r"(?:rows?|lines?|char(?:acter)?s?|bytes?|tokens?|items?|entries|results?|records?|pages?)"
_EDGE = r"(?:\n|\\n|\"|$)"
"""Where a line or a text in JSON ends."""
_INSIDE = r"[^\[\]<>(){}\n\"]"
"""Of a remark in brackets: no data, which nests or is quoted."""
_UNREADABLE = re.compile(
    rf"{re.escape(REDACTED)}|\bimage_url\b|\binput_(?:image|audio|file)\b"
    r"|\"type\": ?\"(?:image|audio|video|file|document)\"|\bdata:\w{2,12}/"
    rf"|\b{_LEFT_OUT}\b|characters not recorded"
    r"|\b(?:output|result|response|content|text)s? (?:is |was )?too (?:long|large|big)\b"
    rf"|[\[<({{]{_INSIDE}{{0,80}}\b{_TAKEN_OUT}\b"
    rf"|[\[<(]\s*(?:\w+ ){{0,2}}{_NO_TEXT}\b{_INSIDE}{{0,80}}[\]>)]"
    rf"|\d (?:more|further|other|additional|remaining) {_SORTS}\b"
    r"|\b(?:continued from|summary of) (?:a|an|the|our) (?:previous|earlier|prior)\b"
    r"|(?:conversation|context|history|messages) (?:was |were |has been |have been )?"
    r"(?:summari[sz]ed|compacted|compressed|cleared)\b"
    # A template's slot, or a label that is no tag and no place in Python, where a value would be.
    rf"|(?:\{{\{{ ?[\w.]+ ?\}}\}}|(?<!in )<([a-z_]\w*)>)(?=[^\w\\\"]{{0,9}}{_EDGE})"
    r"(?:(?<=\}\})|(?![\s\S]{0,2000}?</\1>))"
    r"|(?-i:[\[<{][A-Z][A-Z_ -]{2,30}\d{0,4}[\]>}])"  # [PHONE], <NAME_1>
    r"|\*{3,}|(?-i:X{4,})|(?:[•●█▒░■]|\\u(?:2022|25[89a-f]\w)){3,}|\d(?:\.{3}|…)(?!\d)"
    rf"|(?:^|\n|\\n|\"|:)[^\w\\\"]{{0,9}}(?:\.{{3}}|…|\\u2026)[^\w\\\"]{{0,9}}{_EDGE}",
    re.IGNORECASE,
)
"""What stands where a text was taken out, or where there was no text: a remark in brackets, or
words that say so, the label of what was there, stars, a line of dots. Its repeats are bounded, for
long texts (ours)."""


class Passed(NamedTuple):
    """A value that a call was given."""

    tool: str
    name: str
    """The argument, at the top of the call."""
    value: str
    amount: bool = False
    """Whether it is a number, which may have been computed, and no code."""


class _Part(NamedTuple):
    text: str
    glued: bool
    """Nothing stands between it and the part before."""


class Shown:
    """What a run had shown up to each of its steps."""

    def __init__(self, run: Run) -> None:
        self._numbers = {event.id: number for number, event in enumerate(run.events)}
        self._first: dict[str, int] = {}
        """Where each text that was looked for stands first; see ``_moment``."""
        lost = (LOST_EVENTS, MISSING_EVENTS, DAMAGE)
        self._unreadable = -1 if any(run.attributes.get(name) for name in lost) else _NEVER
        self._codes = {code for event in run.events for code in _codes_of_event(event)}
        self._amounts = {text for event in run.events for text in _amounts_of_event(event)}
        self._operands: dict[float, int] = {}
        """The numbers that stand by themselves, and where each stands first."""
        self._look_for(run)

    def unshown_arguments(self, unit: TransitionUnit) -> list[Passed]:
        """The codes in the arguments of a unit's calls that nothing before it had shown."""
        return [
            Passed(call.tool, name, code)
            for call in unit.calls
            for name, code in _codes_in(call.arguments)
            if self._is_unshown(code, unit)
        ]

    def unshown_amounts(self, unit: TransitionUnit) -> list[Passed]:
        """The numbers in the arguments of a unit's calls that nothing before it had shown, and that
        do not follow from numbers that were shown."""
        now = self._moment_of(unit)
        found = [
            Passed(call.tool, name, text, amount=True)
            for call in unit.calls
            for name, text in _amounts_in(call.arguments)
            if text in self._amounts and self._first.get(_digits_of(text), _NEVER) > now
        ]
        if not found or self._unreadable <= now:
            return []
        shown = {number for number, moment in self._operands.items() if moment <= now}
        return [each for each in found if not follows_from(float(each.value), shown)]

    def unshown_words(self, unit: TransitionUnit) -> list[str]:
        """The codes in the words of a unit that nothing before it had shown."""
        codes = dict.fromkeys(_codes_in_text(unit.action[:_LONGEST]))
        return [code for code in codes if self._is_unshown(code, unit)]

    def _is_unshown(self, code: str, unit: TransitionUnit) -> bool:
        now = self._moment_of(unit)
        looked_for = code in self._codes  # one that a clipped text ends in was not
        return looked_for and self._unreadable > now and not self._is_shown(code, now)

    def _moment_of(self, unit: TransitionUnit) -> int:
        return _moment(self._numbers.get(unit.event, -1))

    def _is_shown(self, code: str, now: int) -> bool:
        """Whether a code can be cut into parts that each were shown or say nothing."""
        parts = _parts(code)
        if any(self._first.get(_END + end, _NEVER) <= now for end in _national(parts)):
            return True
        free = _free(parts)
        reached = [True] + [False] * len(parts)
        for end in range(1, len(parts) + 1):
            reached[end] = (reached[end - 1] and free[end - 1]) or any(
                reached[start]
                and any(
                    self._first.get(text, _NEVER) <= now for text in _spellings(parts[start:end])
                )
                for start in range(end)
            )
        return reached[-1]

    def _look_for(self, run: Run) -> None:
        wanted: dict[str, list[str]] = {}
        """By a text without gaps, what it shows beside itself where a number ends in it."""
        for code in self._codes:
            parts = _parts(code)
            for start in range(len(parts)):
                for end in range(start + 1, len(parts) + 1):
                    for text in _spellings(parts[start:end]):
                        wanted.setdefault(text, [])
            for end in _national(parts):
                wanted.setdefault(end, []).append(_END + end)
        if wanted or self._amounts:
            self._read(run, _Search(wanted))

    def _read(self, run: Run, search: _Search) -> None:
        whole = {_digits_of(text) for text in self._amounts}
        read: set[int] = set()
        for number, text in _texts_of(run):
            known = hash(text)
            if known in read:
                continue  # a recorded call repeats all that was said before it
            read.add(known)
            if _UNREADABLE.search(text):
                self._unreadable = min(self._unreadable, number)
            for view in _views(text):
                for key in search.found_in(view):
                    self._first.setdefault(key, number)
                if whole:
                    for value in _numbers_in(view):
                        self._operands.setdefault(value, number)
                    for digits in whole.intersection(_DIGITS.findall(view)):
                        self._first.setdefault(digits, number)


class _Search:
    """Finds texts whatever stands between their letters and digits."""

    def __init__(self, wanted: dict[str, list[str]]) -> None:
        self._wanted = wanted
        self._texts = list(wanted)
        self._automaton = AhoCorasick(self._texts)

    def found_in(self, text: str) -> Iterator[str]:
        """What of it stands in a text."""
        plain = _GAP.sub("", text).casefold()
        matches = self._automaton.find_matches_as_indexes(plain, overlapping=True)
        if not matches:
            return
        pieces = [piece.casefold() for piece in _PIECE.findall(text)]
        edges = [0]
        for piece in pieces:
            edges.append(edges[-1] + len(piece))
        bounds = set(edges)
        for place, start, end in matches:
            found = self._texts[place]
            if len(found) >= _IDENTIFYING or (start in bounds and end in bounds):
                yield found
            if end in bounds:
                yield from self._wanted[found]


def _views(text: str) -> Iterator[str]:
    """A text as it is, without escapes, and with its numbers written plainly."""
    text = _folded(text)
    views = {text}
    if "%" in text or "\\" in text or "&" in text:
        views.add(_folded(html.unescape(unquote(_ESCAPE.sub(_unescaped, text)))))
    for view in tuple(views):
        spoken = _SPOKEN.sub(lambda found: number_of_words(found[0]) or found[0], view)
        spoken = _SPOKEN_SUM.sub(_added_up, spoken)
        views |= {spoken, _LEADING_ZERO.sub("", view), _LEADING_ZERO.sub("", spoken)}
    yield from views


def _added_up(found: re.Match[str]) -> str:
    """The digits of ``2 thousand 5 hundred``."""
    total = current = 0
    for word in re.findall(r"\d+|[a-z]+", found[0].lower()):
        if word.isdigit():
            current += int(word[:_IDENTIFYING])
        elif word == "hundred":
            current *= 100
        elif word != "and":
            total, current = total + current * (10**3 if word == "thousand" else 10**6), 0
    return str(total + current)


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else " "


def _folded(text: str) -> str:
    """A text without accents, and with plain forms of letters and digits."""
    if text.isascii():
        return text
    plain = unicodedata.normalize("NFKD", text)
    return "".join(
        str(unicodedata.digit(char)) if char.isdigit() and not char.isascii() else char
        for char in plain
        if not unicodedata.combining(char)
    )


@lru_cache(maxsize=4_096)
def _parts(code: str) -> tuple[_Part, ...]:
    """The runs of letters and of digits in a code."""
    text = _DATE_T.sub("-", _folded(code))
    found: list[_Part] = []
    last = -1
    for match in _PIECE.finditer(text):
        piece, glued = match[0].casefold(), match.start() == last
        last = match.end()
        if glued and piece.isalpha() and found[-1].text.isalpha():
            found[-1] = _Part(found[-1].text + piece, found[-1].glued)
        else:
            found.append(_Part(piece, glued))
    return tuple(found)


def _chunks(parts: tuple[_Part, ...]) -> list[tuple[int, int]]:
    """Where what stands between two gaps begins and ends."""
    starts = [k for k, part in enumerate(parts) if not part.glued]
    return list(zip(starts, [*starts[1:], len(parts)], strict=True))


@lru_cache(maxsize=4_096)
def _free(parts: tuple[_Part, ...]) -> tuple[bool, ...]:
    """Which parts say nothing that would have to be shown: words, counters, dates, quantities."""
    free = [False] * len(parts)
    chunks = _chunks(parts)
    several = len(chunks) > 1
    dated = False
    for start, end in chunks:
        texts = [part.text for part in parts[start:end]]
        head = texts[0]
        if len(texts) == 1:
            free[start] = not head.isdigit() or (several and len(head) <= _COUNTER)
            if _DATED.fullmatch(head) or (dated and _TIME.fullmatch(head)):
                free[start] = dated = True
        elif len(texts) == 2 and head.isdigit():
            free[start:end] = True, True  # a quantity and its unit
        elif len(texts) == 2:
            digits = texts[1]
            counts = len(digits) == 1 or (several and len(digits) <= _COUNTER)
            free[start] = True  # a prefix
            free[start + 1] = counts or head in _MONEY or _DATED.fullmatch(digits) is not None
    return tuple(free)


def _spellings(parts: tuple[_Part, ...]) -> set[str]:
    """What to look for: the parts in a row, also without leading zeros; nothing that is too short
    to mean anything."""
    plain = "".join(part.text for part in parts)
    short = "".join(part.text.lstrip("0") for part in parts)
    return {text for text in (plain, short) if len(text) > 1}


def _national(parts: tuple[_Part, ...]) -> list[str]:
    """What a phone number may end in, where its country code or trunk prefix is another."""
    digits = "".join(part.text for part in parts)
    if not digits.isdigit():
        return []
    ends = (digits[drop:] for drop in range(1, _TRUNK + 1))
    return [end for end in ends if len(end) >= _SUBSCRIBER]


@lru_cache(maxsize=16_384)
def _is_code(word: str) -> bool:
    """Whether a word, or several that are all groups of one code, is what nobody can know or
    compute."""
    if _DIGIT.search(word) is None or len(word) > 120:
        return False
    parts = _parts(word)
    digits = "".join(part.text for part in parts)
    if len(digits) < _SHORTEST or len(parts) > _MAX_PARTS:
        return False
    amount = len(digits) < _IDENTIFYING or (_DECIMAL.fullmatch(word) and _POINT.search(word))
    if digits.isdigit() and amount:
        return False
    return not all(_free(parts))


def _codes_of_event(event: Event) -> Iterator[str]:
    match event:
        case ModelCall(output=ChatMessage() as said):
            for call in said.tool_calls:
                yield from (code for _, code in _codes_in(call.arguments))
            yield from _codes_in_text(said.content)
        case ToolCall():
            yield from (code for _, code in _codes_in(event.arguments))
        case Retrieval():
            yield from _codes_in_text(event.query)
        case _:
            return


def _codes_in(arguments: Any) -> Iterator[tuple[str, str]]:
    """The codes in a call's arguments, each with the name of the argument."""
    named = cast("dict[str, Any]", arguments) if isinstance(arguments, dict) else {"": arguments}
    count = 0
    for name, value in named.items():
        for leaf in _leaves(value, keys=False):
            count += 1
            if count > _MAX_LEAVES:
                return
            text = (unquote(leaf) if "%" in leaf else leaf).strip().strip("\"'")
            words = [word for word in text.split() if _GAP.fullmatch(word) is None]
            if len(text) > _LONGEST:
                continue
            if all(_DIGIT.search(word) for word in words):
                if _is_code(text):
                    yield str(name), text
            else:
                yield from ((str(name), code) for code in _codes_in_text(text))


def _amounts_of_event(event: Event) -> Iterator[str]:
    match event:
        case ModelCall(output=ChatMessage() as said):
            for call in said.tool_calls:
                yield from (text for _, text in _amounts_in(call.arguments))
        case ToolCall():
            yield from (text for _, text in _amounts_in(event.arguments))
        case _:
            return


def _amounts_in(arguments: Any) -> Iterator[tuple[str, str]]:
    """The numbers in a call's arguments that are no counters and no dates, each with the name of
    the argument."""
    if not isinstance(arguments, dict):
        return
    for name, value in cast("dict[str, Any]", arguments).items():
        for _, leaf in zip(range(_MAX_LEAVES), _leaves(value, keys=False), strict=False):
            text = leaf.strip()
            whole = text.lstrip("+-").partition(".")[0]
            if _AMOUNT.fullmatch(text) and len(whole) > _COUNTER and not _DATED.fullmatch(whole):
                yield str(name), text


def _digits_of(amount: str) -> str:
    """A whole amount as it stands in an identifier; another one does not."""
    return amount.lstrip("+-").removesuffix(".0")


def _numbers_in(text: str) -> Iterator[float]:
    """The numbers that stand by themselves in a text, in whichever way thousands are marked."""
    for match in _NUMBER.finditer(text):
        plain, factor = match[0].lower(), 1
        if plain[-1] in "km":
            plain, factor = plain[:-1], 10**3 if plain[-1] == "k" else 10**6
        if _POINTED.fullmatch(plain):
            yield float(plain.replace(".", "").replace(",", ".")) * factor
        if _COMMA.fullmatch(plain):
            yield float(plain.replace(",", ".")) * factor
        number = re.sub("[ ,']", "", plain)
        if number.count(".") <= 1:
            yield float(number) * factor


def follows_from(value: float, shown: set[float]) -> bool:
    """Whether a number may have been computed: whether it is a multiple or a part of a number that
    was shown, a sum of several, or comes of products, ratios and percentages of two with others
    added or taken away. Of many numbers nearly everything follows."""
    numbers = sorted(number for number in shown if number)
    if len(numbers) > _OPERANDS:
        return True
    wanted = round(abs(value), _CENT)
    found = {*numbers, 0.0}
    for one in numbers:
        found |= {one * count for count in range(1, 10)} & {wanted}
        if any(round(one / count, _CENT) == wanted for count in range(1, 10)):
            return True
        for other in numbers:
            found |= {one * other, one / other, one * other / 100}
    terms = {round(term, _CENT) for term in found}
    for term in terms:
        for number in (0.0, *numbers):
            for rest in (wanted - term - number, wanted - term + number, term - wanted - number):
                if round(rest, _CENT) in terms:
                    return True
    return _is_sum(wanted, numbers)


def _is_sum(value: float, numbers: Sequence[float]) -> bool:
    """Whether some of the numbers add up to a value."""
    reached, cents = 1, round(value * 100)
    for number in numbers:
        step = round(number * 100)
        if step <= cents:
            reached |= reached << step
    return bool(reached >> cents & 1)


def _codes_in_text(text: str) -> Iterator[str]:
    """The codes in words that are no value: those in capitals, as codes are written among words,
    and long numbers."""
    for word in text.split():
        code = word.strip(".,;:!?()[]\"'")
        if code == code.upper() and _is_code(code):
            yield code


def _leaves(value: Any, *, keys: bool) -> Iterator[str]:
    """The plain values in a JSON value, as texts; with the names that they have."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            for key, inner in reversed(list(cast("dict[Any, Any]", item).items())):
                stack.append(inner)
                if keys:
                    stack.append(str(key))
        elif isinstance(item, (list, tuple)):
            stack.extend(reversed(cast("list[Any]", item)))
        elif item is not None and not isinstance(item, bool):
            yield str(item)


def _moment(number: int) -> int:
    """The point of time of an event's beginning; what it brings comes one later."""
    return 2 * number


def _texts_of(run: Run) -> Iterator[tuple[int, str]]:
    """Everything that a run shows, and when."""
    yield -1, run.task
    yield -1, " ".join(_leaves(run.attributes, keys=True))
    for number, event in enumerate(run.events):
        begin = _moment(number)
        yield begin, " ".join(_leaves((event.agent, event.attributes), keys=True))
        match event:
            case ModelCall():
                for message in event.input:
                    for text in _texts_of_message(message):
                        yield begin, text
                if event.output is not None:
                    for text in _texts_of_message(event.output):
                        yield begin + 1, text
                if event.error is not None:
                    yield begin + 1, event.error.message
            case ToolCall():
                yield begin + 1, event.name
                yield begin + 1, " ".join(_leaves(event.arguments, keys=True))
                yield begin + 1, " ".join(_leaves(event.result, keys=True))
                if event.error is not None:
                    yield begin + 1, event.error.message
            case Retrieval():
                yield begin + 1, event.query
                for document in event.documents:
                    shown = (document.text, document.id, document.metadata)
                    yield begin + 1, " ".join(_leaves(shown, keys=True))
            case Message() | Intervention():
                yield begin, event.content
            case Adaptation():
                yield begin, f"{event.before} {event.after or ''}"
            case _:
                pass  # a verdict is no part of what the agent saw


def _texts_of_message(message: ChatMessage) -> Iterator[str]:
    yield message.content
    for call in message.tool_calls:
        yield f"{call.name} {' '.join(_leaves(call.arguments, keys=True))}"
