"""An answer written in the form that its prompt shows.

A model that gives the right values in another layout (``The weight is 24,800 kg, pickup at
11:20``, where the prompt says ``Answer like this: 1250|16:45``) has said all that the code needs.
The form is read from the prompt, the values from the answer, and whether the two belong together
is asked of the application's own code, which is rehearsed.

A value is written as the example writes its like (digits, decimals, the order of a date), never
changed; nothing of the example itself is delivered but its marks and names. Where the code reads
two fillings differently, or a word beside a value may say what it is, nothing is found.

Source: Comfrey §4.3.1 (template discrepancies).
"""
# ruff: noqa: RUF001 - the quotes, dashes and signs that models write

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from knitbone.adaptation.consumers.rehearsal import Ending, is_same
from knitbone.adaptation.repair.checks import Invocation, PromptMessage
from knitbone.adaptation.repair.conversions import ReadAnswer, Rehearse, convert_stumbled
from knitbone.adaptation.repair.positional.number_prompt import NumberPrompt
from knitbone.adaptation.repair.positional.values import find_value
from knitbone.adaptation.repair.value_search import PROSE
from knitbone.adaptation.text.wrappers.labels import names_answer
from knitbone.adaptation.text.wrappers.remarks import is_surrounding, may_take_back
from knitbone.common.number_words import number_of_words
from knitbone.common.structured.dates import respelled

__all__ = ["Kind", "find_formed_answer"]


# The values of an answer that stand under the names of a form: in lines, in a table, in JSON.

_RULE = re.compile(r"[|:\s-]*-[|:\s-]*")
_MARKS = " \t*_`|"
_GAP = re.compile(r"[\s_-]+")


def find_named_values(text: str, names: Sequence[str]) -> tuple[str, ...] | None:
    """Return the one value under each name; ``None`` where one is missing, stands there twice, or
    anything else is in the answer."""
    for read in (_of_document, _of_table, _of_labels):
        values = read(text, names)
        if values is not None:
            return values if all(values) else None
    return None


def _key(name: str) -> str:
    return _GAP.sub(" ", name.strip(_MARKS)).casefold()


def _chosen(found: Mapping[str, str], names: Sequence[str]) -> tuple[str, ...] | None:
    """Return the values in the order of the names, where there are no others."""
    keys = [_key(name) for name in names]
    return tuple(found[key] for key in keys) if sorted(found) == sorted(keys) else None


def _of_document(text: str, names: Sequence[str]) -> tuple[str, ...] | None:
    start, end = text.find("{"), text.rfind("}") + 1
    if not 0 <= start < end or not all(
        map(is_surrounding, (text[:start] + text[end:]).split("\n"))
    ):
        return None
    try:
        read = json.loads(text[start:end], parse_float=str, parse_int=str)
    except ValueError:
        return None
    held = cast("dict[str, Any]", read) if isinstance(read, dict) else {}
    if not all(isinstance(value, str) and "\n" not in value for value in held.values()):
        return None
    found = {_key(name): value.strip() for name, value in held.items()}
    return _chosen(found, names) if len(found) == len(held) else None


def _of_table(text: str, names: Sequence[str]) -> tuple[str, ...] | None:
    lines = text.strip().split("\n")
    rows = [line.strip() for line in lines if line.strip().startswith("|")]
    others = [line for line in lines if not line.strip().startswith("|")]
    if len(rows) < 2 or not all(map(is_surrounding, others)):
        return None
    cells = [
        [cell.strip(_MARKS) for cell in row.strip("|").split("|")]
        for row in rows
        if not _RULE.fullmatch(row)
    ]
    if len(cells) == 2 and len(cells[0]) == len(cells[1]):
        found = dict(zip(map(_key, cells[0]), cells[1], strict=True))
        if len(found) == len(cells[0]) and (values := _chosen(found, names)) is not None:
            return values
    if any(len(row) != 2 for row in cells):
        return None
    keys = [_key(row[0]) for row in cells]
    found = {key: row[1] for key, row in zip(keys, cells, strict=True)}
    # The first row may be a header.
    headed = len(cells) == len(names) + 1 and keys[0] not in map(_key, names)
    return _chosen({k: v for k, v in found.items() if not headed or k != keys[0]}, names)


def _of_labels(text: str, names: Sequence[str]) -> tuple[str, ...] | None:
    one_of = "|".join(
        re.escape(_key(name)).replace(r"\ ", r"[\s_-]+")
        for name in sorted(names, key=len, reverse=True)
    )
    label = re.compile(
        rf"(?:^|(?<=[;,|]))[^\w\n]*({one_of})[*_`\"']*[ \t]*(?:[:=→]|->|[ \t][–—-][ \t])"
        r"[*_`]*[ \t]*",
        re.IGNORECASE | re.MULTILINE,
    )
    places = list(label.finditer(text))
    if len(places) != len(names):
        return None
    found: dict[str, str] = {}
    others = text[: places[0].start()].split("\n")
    for place, behind in zip(places, (*places[1:], None), strict=True):
        held = text[place.end() : behind.start() if behind is not None else None]
        value, _, rest = held.partition("\n")
        found[_key(place[1])] = value.strip().rstrip(";,|").strip(_MARKS)
        others += rest.split("\n")
    return _chosen(found, names) if all(map(is_surrounding, others)) else None


# The values in a text, told by how they are written: dates, times, codes, numbers, words.

Kind: TypeAlias = Literal["date", "time", "code", "number", "word"]

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|"
    r"Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_VALUE = re.compile(
    r"(?P<date>(?<![\w.])(?:\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{4}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MONTH},? \d{{4}}"
    rf"|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})(?![\w/]|[-.]\d))"
    r"|(?P<time>(?<![\w.:])(?:\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\b\.?)?|\d{1,2}\s?[ap]\.?m\b\.?)"
    r"(?![\w:]))"
    r"|(?P<code>(?<![\w-])(?:[A-Za-z]+(?=[\w-]*\d)(?:[-_]?[A-Za-z0-9]+)*"
    r"|(?-i:[A-Z]+(?:[-_][A-Z0-9]+)+))(?![\w-]))"
    r"|(?P<number>(?<![\w.,])(?:(?<![\w)])[-+−](?=\d))?"
    r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?![.,]?\d))"
    r"|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")


class WrittenValue(NamedTuple):
    """A value, how it is written, and where it stands."""

    kind: Kind
    text: str
    start: int
    end: int


def find_values(text: str) -> list[WrittenValue] | None:
    """Return the values of a text in their order; ``None`` where a digit belongs to none."""
    found: list[WrittenValue] = []
    end = 0
    for match in _VALUE.finditer(text):
        if _DIGIT.search(text, end, match.start()):
            return None
        end = match.end()
        kind = cast("Kind", match.lastgroup)
        if kind == "word" and number_of_words(match.group()) is not None:
            kind = "number"
        found.append(WrittenValue(kind, match.group(), match.start(), end))
    return None if _DIGIT.search(text, end) else found


# The forms of an answer that a prompt shows: an example (``1250|16:45``), or lines with names
# (``sample: <sample id>``).

_MAX_PROMPT = 8_000
"""Characters of a message that are looked through (ours)."""
_MAX_LINE = 600
_MAX_FORMS = 16
"""Forms with the kinds of an answer's values that are tried (ours)."""
_OPENS = re.compile(
    r"(?:\A|[:\"'`“‘(]|\b(?:like|this|example|as|e\.g\.|with|is)\b[,:]?)[\s\"'`“‘(]*", re.IGNORECASE
)
"""The place before which an example cannot begin."""
_CLOSES = re.compile(r"[\"'`”’]|\s{2,}| \(|[.,;!](?=\s|\Z)|\Z")
_FIELD = re.compile(
    r"[ \t>*•-]*(?P<name>[^\W\d][\w -]{0,38}?)(?P<mark>[ \t]*[:=][ \t]*)"
    r"(?P<slot><[^<>\n]+>|\{[^{}\n]+\}|\[[^\[\]\n]+\])(?P<tail>[^\s<>{}\[\]]{0,8})[ \t]*"
)


class ShownForm(NamedTuple):
    """An example in a prompt, and its values."""

    text: str
    values: tuple[WrittenValue, ...]


class NamedField(NamedTuple):
    """One line of a form: its name, what stands behind it, and what the slot is said to hold."""

    name: str
    mark: str
    about: str
    tail: str


def shown_forms(messages: Sequence[PromptMessage], kinds: Counter[str]) -> list[ShownForm]:
    """Return the examples of a prompt that hold just the kinds of values that an answer holds."""
    found: dict[str, ShownForm] = {}
    for message in messages:
        for line in message.text[:_MAX_PROMPT].splitlines():
            for text in _examples(line[:_MAX_LINE], kinds):
                values = find_values(text)
                if values is not None and len(values) > 1 and len(found) < _MAX_FORMS:
                    found.setdefault(text, ShownForm(text, tuple(values)))
    return list(found.values())


def _examples(line: str, kinds: Counter[str]) -> Iterator[str]:
    """Yield the parts of a line that hold such values, shortest first."""
    values = [value for value in find_values(line) or () if value.kind != "word"]
    size = kinds.total()
    for first in range(len(values) - size + 1):
        held = values[first : first + size]
        if Counter(value.kind for value in held) != kinds:
            continue
        start, end = held[0].start, held[-1].end
        opened = [place.end() for place in _OPENS.finditer(line, 0, start)]
        before = max((each for each in opened if each <= start), default=start)
        closing = _CLOSES.search(line, end)
        behind = closing.start() if closing is not None else end
        for begin, over in ((start, end), (before, end), (start, behind), (before, behind)):
            yield line[begin:over].strip()


def shown_fields(messages: Sequence[PromptMessage]) -> list[tuple[NamedField, ...]]:
    """Return the runs of two lines or more in which a prompt names the fields of an answer."""
    found: list[tuple[NamedField, ...]] = []
    for message in messages:
        run: list[NamedField] = []
        for line in (*message.text[:_MAX_PROMPT].splitlines(), ""):
            match = _FIELD.fullmatch(line)
            if match is not None:
                slot = match["slot"][1:-1]
                run.append(NamedField(match["name"], match["mark"], slot, match["tail"]))
                continue
            if len(run) > 1 and len({each.name.casefold() for each in run}) == len(run):
                found.append(tuple(run))
            run = []
    return found


# A value, written as an example writes its like.

_PARTS = re.compile(r"(\d+)([-/.])(\d+)\2(\d+)")
_CLOCK = re.compile(r"\d{1,2}:\d{2}")
_DAYS = 31
_MONTHS = 12
_YEAR = 4


def spelled_like(value: WrittenValue, sample: WrittenValue) -> str:
    """Return the value as the sample is written; empty where that is not known, or would change
    it."""
    if value.kind == "code":
        return value.text
    if value.kind == "number":
        return _number(value.text, sample.text)
    if re.sub(r"\d", "0", value.text) == re.sub(r"\d", "0", sample.text):
        return value.text
    if value.kind == "time":
        if _CLOCK.fullmatch(value.text) and _CLOCK.fullmatch(sample.text):
            return value.text
        return respelled(value.text, "%H:%M") or "" if _CLOCK.fullmatch(sample.text) else ""
    reading = _reading(sample.text)
    return respelled(value.text, reading) or "" if reading else ""


def _number(text: str, sample: str) -> str:
    """Return a number in digits, without thousands, with the sample's decimals at least."""
    digits = number_of_words(text) or text.replace(",", "").replace("−", "-")
    whole, _, decimals = digits.partition(".")
    wanted = len(sample.partition(".")[2])
    if not wanted:
        return digits
    return f"{whole}.{decimals.ljust(wanted, '0')}"


def _reading(sample: str) -> str:
    """Return the format of an example's date; empty where its day may be its month."""
    parts = _PARTS.fullmatch(sample)
    if parts is None:
        return ""
    mark, first, second = parts[2], parts[1], parts[3]
    if len(first) == _YEAR:
        return f"%Y{mark}%m{mark}%d"
    if _MONTHS < int(first) <= _DAYS:
        return f"%d{mark}%m{mark}%Y"
    return f"%m{mark}%d{mark}%Y" if _MONTHS < int(second) <= _DAYS else ""


# The words beside the values of an answer: whether they leave each of them as it is.

_PLAIN_MARKS = re.compile(r"[\s*_`\"'“”„()\[\]{}:;,.|#>!•–—-]+")
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
    beside = [_PLAIN_MARKS.sub(" ", part.replace("/", " ")) for part in (before, behind)]
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
        name = _PLAIN_MARKS.sub(" ", part.replace("/", " ")).strip().casefold()
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


_MAX_TEXT = 1_024
"""Characters of an answer whose values are put into another form (ours)."""
_MAX_WORDS = 12
"""Words of an answer that are tried in the place of one of a form (ours)."""
_MAX_OPEN = 6
"""Words of a value that the code takes whatever it is (ours)."""
_MARKED = re.compile(r"[*_`\"“”(){}\[\]<>|:;]|[.!?]\s|[.!?]\Z")
_FILLED = "written in the form that the prompt shows"


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
    return ReadAnswer(first, (_FILLED, *rules)) if alike else None


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
