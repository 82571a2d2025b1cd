"""What a tool's words state about an argument: its kind, its choices, and the form of its value.

Read are the name, the description and the schema of the argument, and the sentences of the tool's
description that name it: what the prompt of an agent shows, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from knitbone.models.chat import ToolSpec
from knitbone.wire.fields import elements, object_of, word
from knitbone_evals.reader.forms import AS_SAID, FORMS, singular, write
from knitbone_evals.reader.spans import words_of
from knitbone_evals.reader.world import unit_of

__all__ = ["Argument", "StatedForm", "arguments_of", "statement_of"]

_LONGEST = 20_000
"""Characters of a tool's description that are read."""

_KINDS: tuple[tuple[str, str], ...] = (
    ("moment", "datetime timestamp moment when"),
    ("zone", "timezone zone tz"),
    ("duration", "duration length minutes hours timeout lasting"),
    ("date", "date day arrival checkin checkout since until birthday born deadline due dob"),
    ("time", "time clock hour departure"),
    ("year", "year"),
    ("percent", "percent percentage discount rate share ratio tip probability"),
    ("count", "count nights guests people passengers quantity limit adults children number num "
     "copies seats tickets times rooms persons items pieces"),
    ("ordinal", "page grade rank index position floor row chapter episode line step level"),
    ("currency", "currency currencies"),
    ("amount", "price amount cost budget income salary fee balance total money worth value sum"),
    ("unit", "unit units"),
    ("quantity", "weight height distance area volume temperature speed width depth mass dose size"),
    ("country", "country nationality"),
    ("language", "language lang locale"),
    ("phone", "phone telephone mobile fax"),
    ("path", "path file filename folder directory url link email mail src dst filepath"),
    ("address", "address street"),
    ("colour", "colour color"),
    ("place", "city place town location destination origin airport region station venue port"),
    ("company", "company ticker stock firm"),
    ("code", "code id reference plate serial sku isbn key booking identifier ref"),
    ("text", "text message note comment content contents query title body subject question phrase "
     "sentence description keyword keywords words summary"),
    ("person", "person guest patient customer author recipient sender owner employee user contact "
     "pupil student teacher doctor host who client member surname passenger artist name attendee"),
    ("plural", "genre group topic tag"),
    ("option", "mode type kind category status season class cabin priority style format diet "
     "interval sort order"),
)  # fmt: skip
_BY_WORD = {word: kind for kind, words in _KINDS for word in words.split()}

_OF_CHOICES = frozenset(["option", "size", "plural"])
_PATTERN = re.compile(r"[YyMmDdHhSs]{1,4}|\d+")
"""A part of a format, such as ``DD/MM/YYYY``, which lists no choices."""
_ONE_OF_MANY = frozenset(
    ["person", "place", "country", "language", "colour", "path", "code", "option", "plural"]
)
"""Kinds of which a plural name means a list."""
_CHOICES_LEAD = re.compile(
    r"(?:\bone of|\beither|\bany of|\ballowed(?: values)?|\bvalid(?: values| options)?|\boptions?|"
    r"\bvalues|\bmust be|\bcan be|\bchoose (?:from|between)|\bknown \w+)\b"
    r"(?:\s+(?:are|is))?:?\s*[(\[]?",
    re.IGNORECASE,
)
_EXAMPLE_LEAD = re.compile(
    r"(?:e\.\s?g\.?,?|for example,?|for instance,?|such as|examples?(?: are| is)?:?|like"
    r"|i\.e\.,?)\s*",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"'`“‘]([^\"'`“”‘’\n]{1,60})[\"'`”’]")  # noqa: RUF001
_DEFAULT = re.compile(r"\b(?:by default|defaults? (?:is|to|:)|default:?|optional)\b", re.IGNORECASE)

_RULES: tuple[tuple[str, str, str], ...] = (
    ("date", r"yyyy-mm-ddt|%y-%m-%dt", "2025-03-12T00:00:00"),
    ("date", r"yyyy-mm-dd|%y-%m-%d|iso[ -]?8601|iso[ -](?:date|format)", "2025-03-12"),
    ("date", r"dd/mm/yyyy|%d/%m/%y|day/month/year", "12/03/2025"),
    ("date", r"mm/dd/yyyy|%m/%d/%y|month/day/year", "03/12/2025"),
    ("date", r"dd\.mm\.yyyy|%d\.%m\.%y", "12.03.2025"),
    ("date", r"dd-mm-yyyy|%d-%m-%y", "12-03-2025"),
    ("date", r"yyyy/mm/dd", "2025/03/12"),
    ("date", r"yyyymmdd", "20250312"),
    ("date", r"dd-mon-yyyy|dd-mmm-yyyy|%d-%b-%y", "12-Mar-2025"),
    ("moment", r"yyyy-mm-dd[t ]hh:mm:ssz|\butc\b.*iso|iso.*\butc\b", "2025-03-17T09:00:00Z"),
    (
        "moment",
        r"yyyy-mm-ddthh:mm:ss|iso[ -]?8601|iso[ -](?:date|format)|date-time",
        "2025-03-17T09:00:00",
    ),
    ("moment", r"yyyy-mm-ddthh:mm", "2025-03-17T09:00"),
    ("moment", r"yyyy-mm-dd hh:mm:ss", "2025-03-17 09:00:00"),
    ("moment", r"yyyy-mm-dd hh:mm|%y-%m-%d %h:%m", "2025-03-17 09:00"),
    ("moment", r"dd/mm/yyyy hh:mm", "17/03/2025 09:00"),
    ("time", r"hh:mm:ss", "15:30:00"),
    ("time", r"hh:mm|24[ -]?hour|24 ?h\b|%h:%m", "15:30"),
    ("time", r"12[ -]hour|am/pm|am or pm", "3:30 PM"),
    ("duration", r"iso[ -]?8601", "PT1H30M"),
    ("duration", r"hh:mm:ss", "01:30:00"),
    ("duration", r"hh:mm", "01:30"),
    ("duration", r"\bseconds?\b", "5400"),
    ("duration", r"\bminutes?\b", "90"),
    ("duration", r"\bhours?\b", "1.5"),
    (
        "percent",
        r"between 0 and 1\b|from 0 to 1\b|\bfraction\b|0\.\d+ (?:for|means)|"
        r"0(?:\.0)?-1(?:\.0)?\b|decimal",
        "0.15",
    ),
    ("percent", r"with (?:a |the )?(?:percent sign|%)", "15%"),
    (
        "percent",
        r"0 (?:to|and|-) ?100|whole (?:number|percent)|without (?:a |the )?(?:percent sign|%)",
        "15",
    ),
    (
        "ordinal",
        r"0-based|zero-based|(?:start(?:ing|s)?|begin(?:ning|s)?|count(?:ed|ing|s)?) "
        r"(?:at|from|with) (?:0|zero)\b",
        "2, counted from 0",
    ),
    (
        "ordinal",
        r"1-based|one-based|(?:start(?:ing|s)?|count(?:ed|ing|s)?) (?:at|from|with) (?:1|one)\b",
        "3",
    ),
    ("country", r"three-letter|3-letter|alpha-?3", "GBR"),
    (
        "country",
        r"two-letter|2-letter|alpha-?2|iso[ -]?3166|iso (?:country )?code|country code",
        "GB",
    ),
    ("country", r"full (?:english )?name", "full name"),
    ("currency", r"iso[ -]?4217|three-letter|3-letter|currency code|iso code|\bcode\b", "EUR"),
    ("language", r"iso[ -]?639|two-letter|2-letter|language code|iso code|\bcode\b", "fr"),
    ("zone", r"iana|olson|tz database|area/(?:city|location)|time ?zone name", "Europe/Paris"),
    ("place", r"\biata\b|airport code|three-letter|3-letter", "airport"),
    ("company", r"ticker|\bsymbol", "ticker"),
    ("colour", r"\bhex", "#FF0000"),
    ("phone", r"digits only|only digits|e\.164|without (?:spaces|separators)", "digits"),
    (
        "person",
        r"last(?: ?name)?, ?first|surname(?: comes)? first|surname, (?:first|given)|"
        r"family name first",
        "Last, First",
    ),
    (
        "person",
        r"first(?: name)?,? (?:and )?(?:then )?last|given name first|without (?:a |any )?titles?",
        "First Last",
    ),
    ("list", r"comma[ -]separated|separated (?:by|with) (?:a )?commas?", "a,b"),
    ("list", r"semicolons?", "a;b"),
    ("list", r"\bpipes?\b|separated by \|", "a|b"),
    ("list", r"space[ -]separated|separated by (?:a )?spaces?", "a b"),
    ("", r"lower[ -]?case|small letters", "lower case"),
    ("", r"upper[ -]?case|capital letters|all caps|in capitals", "upper case"),
    ("", r"title case|capitali[sz]ed", "title case"),
    ("", r"\bsingular\b", "singular"),
    ("", r"snake_case|underscores?", "with underscores"),
)
"""Of which kind an argument is, what its words say, and the form that they ask for."""


class Argument(NamedTuple):
    """One argument as the prompt shows it."""

    name: str
    kind: str
    type: str
    words: str
    """What is said about it."""
    schema: dict[str, Any]
    required: bool


class StatedForm(NamedTuple):
    """What is stated about the value of an argument."""

    form: str | None = None
    choices: tuple[str, ...] = ()
    unit: str | None = None
    """The unit that numbers are in."""


def arguments_of(tool: ToolSpec) -> list[Argument]:
    """The arguments of a tool, in the order of its schema."""
    properties = object_of(tool.parameters.get("properties"))
    required = set(map(str, elements(tool.parameters.get("required"))))
    found: list[Argument] = []
    for name, given in properties.items():
        schema = object_of(given)
        own = word(schema.get("description")) or ""
        words = " ".join([own, *_said_of(name, tool.description)])
        kind = _kind(name, own, schema)
        found.append(
            Argument(name, kind, _type(schema), words[:_LONGEST], schema, name in required)
        )
    return found


def statement_of(argument: Argument, told: str = "") -> StatedForm:
    """What is stated about an argument; of what a failed call ``told``, too, which comes first."""
    choices = tuple(str(v) for v in elements(argument.schema.get("enum")) if v is not None)
    for words in (told, argument.words):
        stated = StatedForm(
            _form(argument, words), choices or _choices(words), _unit(argument, words)
        )
        if stated != StatedForm():
            return stated
    return StatedForm(_form_of_format(argument))


def _said_of(name: str, description: str) -> list[str]:
    """The sentences and lines of a description that name an argument."""
    own = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
    spoken = re.compile(rf"(?<!\w){re.escape(' '.join(words_of(name)))}s?(?!\w)", re.IGNORECASE)
    parts = re.split(r"\n+|(?<=[.;!?])\s+(?=[A-Z`'\"])", description[:_LONGEST])
    return [part.strip() for part in parts if own.search(part) or spoken.search(part)]


def _type(schema: dict[str, Any]) -> str:
    given: Any = schema.get("type")
    for option in elements(schema.get("anyOf")):
        given = given or object_of(option).get("type")
    return next((str(t) for t in elements(given) if t != "null"), "string") if isinstance(
        given, list
    ) else str(given or "string")  # fmt: skip


def _kind(name: str, words: str, schema: dict[str, Any]) -> str:
    kind_of_type = _type(schema)
    if kind_of_type == "boolean":
        return "truth"
    if kind_of_type == "array" or re.search(
        r"\b(?:list of|separated|several|multiple)\b", words, re.IGNORECASE
    ):
        return "list"
    formats = {"date": "date", "date-time": "moment", "time": "time", "duration": "duration",
               "email": "path", "uri": "path"}  # fmt: skip
    if (given := schema.get("format")) in formats:
        return formats[str(given)]
    parts = words_of(name)
    joined = "".join(parts)
    # The last word of a name says what it is: an `arrival_time` is a time.
    for part in (joined, *reversed(parts)):
        if kind := _BY_WORD.get(part):
            return _by_type(kind, kind_of_type, parts)
    for part in reversed(parts):
        if kind := _BY_WORD.get(singular(part)):
            several = kind in _ONE_OF_MANY and kind_of_type == "string"
            return "list" if several else _by_type(kind, kind_of_type, parts)
    if words[:4].casefold() == "true" or "whether" in words.casefold()[:60]:
        return "truth"
    for part in words_of(words)[:12]:
        if (kind := _BY_WORD.get(part)) and part not in (
            "value",
            "name",
            "number",
            "type",
            "format",
        ):
            return _by_type(kind, kind_of_type, parts)
    if kind_of_type in ("integer", "number"):
        return "count"
    # Nothing is known but that several are meant, or nothing at all.
    return "list" if parts and singular(parts[-1]) != parts[-1] else "open"


def _by_type(kind: str, kind_of_type: str, parts: Sequence[str]) -> str:
    if kind_of_type in ("integer", "number") and kind in (
        "option",
        "text",
        "code",
        "person",
        "place",
    ):
        return "count"
    if kind == "quantity" and parts[-1] == "size" and kind_of_type == "string":
        return "size"
    if kind == "ordinal" and kind_of_type == "string" and parts[-1] in ("level", "rank", "step"):
        return "option"
    if kind == "count" and kind_of_type == "string" and parts[-1] in ("rooms", "items", "pieces"):
        return "list"
    return kind


def _form(argument: Argument, words: str) -> str | None:
    said = words.casefold()
    for kind, pattern, form in _RULES:
        if (
            kind in ("", argument.kind)
            and form in FORMS.get(argument.kind, ())
            and re.search(pattern, said)
        ):
            return form
    if argument.kind == "duration":
        for part in reversed(words_of(argument.name)):
            if form := {"minutes": "90", "min": "90", "hours": "1.5", "seconds": "5400"}.get(part):
                return form
    return _form_of_example(argument.kind, words)


def _form_of_format(argument: Argument) -> str | None:
    if argument.schema.get("format") == "date":
        return "2025-03-12"
    return "2025-03-17T09:00:00" if argument.schema.get("format") == "date-time" else None


def _form_of_example(kind: str, words: str) -> str | None:
    """The form that leaves an example of the documentation as it is."""
    for lead in _EXAMPLE_LEAD.finditer(words):
        rest = words[lead.end() :].lstrip("( ")
        quoted = _QUOTED.match(rest)
        bare = re.match(r"[^\s,;)]+", rest)
        example = quoted[1] if quoted else bare[0].rstrip(".") if bare else ""
        form = _form_that_leaves(kind, example)
        if form is not None:
            return form
    return None


def _form_that_leaves(kind: str, example: str) -> str | None:
    """The form of a kind that writes an example as it is, the most special of several."""
    if not example or kind == "text" or (kind == "list" and re.fullmatch(r"\w+", example)):
        return None
    if kind in _OF_CHOICES:
        if "_" in example:
            return "with underscores"
        cases = ("lower", example.islower()), ("upper", example.isupper()), ("title", True)
        return next(f"core, {case} case" for case, holds in cases if holds)
    for form in reversed([form for form in FORMS.get(kind, ()) if form != AS_SAID]):
        if write(kind, form, example) == example:
            return form
    return None


def _choices(words: str) -> tuple[str, ...]:
    """The values that are listed as the only ones."""
    for lead in _CHOICES_LEAD.finditer(words):
        rest = re.split(r"[.;\n](?:\s|\Z)", words[lead.end() : lead.end() + 400], maxsplit=1)[0]
        quoted = _QUOTED.findall(rest)
        if len(quoted) > 1:
            return tuple(quoted)
        listed = re.fullmatch(
            r"([\w-]+(?:\s*(?:,|\||/)\s*[\w-]+)*,?(?:\s+or\s+|\s*[,|/]\s*(?:or\s+)?)[\w-]+)[)\]]?\W*",
            rest,
        )
        if listed:
            return tuple(re.split(r"\s*(?:,|\||/)\s*(?:or\s+)?|\s+or\s+", listed[1]))
    bracketed = re.search(
        r"[(\[:]\s*((?:[\"'`]?[\w-]+[\"'`]?\s*(?:,|\||/|\bor\b)\s*)+[\"'`]?[\w-]+[\"'`]?)\s*[)\]]",
        words,
    )
    if bracketed is None or _EXAMPLE_LEAD.search(words[: bracketed.start(1)][-16:]):
        return ()
    parts = re.split(r"\s*(?:,|\||/|\bor\b)\s*", bracketed[1])
    options = tuple(part.strip("\"'`") for part in parts if part)
    # An example or a format in brackets is no choice.
    if _EXAMPLE_LEAD.match(bracketed[1]) or any(_PATTERN.fullmatch(each) for each in options):
        return ()
    return options


def _unit(argument: Argument, words: str) -> str | None:
    if argument.kind not in ("quantity", "count", "open", "unit"):
        return None
    for part in reversed(words_of(argument.name)):
        if len(part) > 1 and (unit := unit_of(part)) and part not in ("in", "min"):
            return unit
    stated = re.search(
        r"\b(?:in|number of)\s+((?:square\s+)?[A-Za-z°/²]+(?:\s+per\s+\w+)?)|\(([\w°/²]+)\)",
        words,
    )
    return unit_of(stated[1] or stated[2]) if stated else None
