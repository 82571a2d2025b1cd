"""Constraints read from words: of a documentation, and of what a tool says when it refuses.

Each reader knows one way in which people state what a value must be. What none of them understands
is no constraint: nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import cast

import msgspec

from knitbone.fuzzing.classification.documentation import Documentation, read_documentation
from knitbone.fuzzing.classification.promises import is_demand, number_in_words, quotation
from knitbone.fuzzing.fixing.records import ConcernedValue, Constraint, ConstraintKind
from knitbone.fuzzing.generate.shapes import properties_of
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.record.events import Json

__all__ = ["is_of_any_case", "read_constraints", "read_sentence", "strftime_of"]

_READ = 2_000
_MOST_VALUES = 60
_CLAUSE = 20
"""Characters before a list in which it may be called an example."""
_NUMBER = r"[-+\u2212]?\d[\d,_]*(?:\.\d+)?(?:[eE]\d+)?"
_PLAIN_NUMBER = re.compile(rf"{_NUMBER}\Z")
_WORD_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
         "eleven", "twelve")
    )
}  # fmt: skip
_COUNT = rf"(?:{_NUMBER}|{'|'.join(_WORD_NUMBERS)})"
_UNITS = r"(?:characters?|letters?|chars?|digits?|items?|entries|elements?|values|symbols?|words?)"
_RANGE = re.compile(
    rf"(?:\b(?:from|between|within|range(?: is| of)?:?)\s*|[\[(:]\s*|\A\s*|\bis\s|\bbe\s|,\s)"
    rf"[\"'`]?({_NUMBER})[\"'`]?\s*(?:and|(?:up\s+)?to|through|-|\.\.\.?|\u2013)\s*"
    rf"[\"'`]?({_NUMBER})[\"'`]?(?![\w%/.:-]*\d)(?:\s+({_UNITS})\b)?",
    re.IGNORECASE,
)
_LOW = re.compile(
    r"\b(?:at least|no less than|not less than|minimum(?: (?:value|length))?(?: is| of|:)?|min[:=]?"
    rf"|>=|starting (?:at|from|with)|\u2265)\s*[\"'`]?({_COUNT})\b(?! of\b)[\"'`]?"
    rf"(?:\s+({_UNITS})\b)?",
    re.IGNORECASE,
)
_HIGH = re.compile(
    rf"\b(?:at most|no more than|not more than|maximum(?: (?:value|length))?(?: is| of|:)?|max[:=]?"
    rf"|up to|not exceed(?:ing)?|<=|\u2264)\s*[\"'`]?({_COUNT})\b[\"'`]?(?:\s+({_UNITS})\b)?",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    rf"\b(?:greater|more|larger|higher|bigger) than\s+[\"'`]?({_COUNT})\b"
    r"(?! or equal)(?:\s+(" + _UNITS + r")\b)?", re.IGNORECASE,
)  # fmt: skip
_BELOW = re.compile(
    rf"\b(?:less|smaller|lower|fewer) than\s+[\"'`]?({_COUNT})\b(?! or equal)"
    r"(?:\s+(" + _UNITS + r")\b)?", re.IGNORECASE,
)  # fmt: skip
_NEGATED = re.compile(
    r"\b(?:no|not|never|cannot|can't|when|if|where|example:?)\b[^.;,]{0,60}$", re.IGNORECASE
)
_OF_RESULTS = re.compile(r"\b(?:returns?|returned|response|result|output)\b", re.IGNORECASE)
_EXACT = re.compile(rf"\bexactly\s+({_COUNT})\s+({_UNITS})\b", re.IGNORECASE)
_POSITIVE = re.compile(r"(?<!non-)(?<!non )\bpositive\b(?! or (?:negative|zero))", re.IGNORECASE)
_NOT_NEGATIVE = re.compile(
    r"\bnon-?negative\b|\b(?:must|may|can|should) ?not be negative\b|\bcannot be negative\b",
    re.IGNORECASE,
)
_NOT_ZERO = re.compile(
    r"\bnon-?zero\b|\b(?:not|cannot|never|other than) (?:be )?(?:zero|0)\b(?!\.?\d)", re.IGNORECASE
)
_NOT_EMPTY = re.compile(
    r"\bnon-?empty\b|\b(?:not|cannot|can't|never) (?:be )?(?:an? )?(?:empty|blank)\b", re.IGNORECASE
)
_EXISTING = re.compile(r"\bone that exists\b|\bmust exist\b|\ban existing\b", re.IGNORECASE)
_DATE_LETTERS = re.compile(
    r"(?<![A-Za-z])(?:[Yy]{4}|[Yy]{2}|[MDd]{2}|HH?|hh?)"
    r"(?:(?:[-/.: ]|T|, )?(?:[Yy]{4}|[Yy]{2}|[MmDdSs]{2}|HH|hh)){1,6}(?![A-Za-z])"
)
_STRFTIME = re.compile(r"(?:%[A-Za-z][-/.:, T]{0,2}){2,8}")
_JSON_OF = (
    r"\bJSON[- ](?:(?:encoded |formatted )?(?:string|text|document)?,? ?"
    r"(?:containing|with|of|representing|holding|as) )?(?:an? |the )?"
)
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\bISO[ -]?8601\b.{0,20}\bdate\b(?!.{0,3}time)", re.IGNORECASE), "iso date"),
    (re.compile(r"\bISO[ -]?8601 time\b", re.IGNORECASE), "iso time"),
    (re.compile(r"\bISO[ -]?(?:8601|date|format)\b|\bRFC[ -]?3339\b", re.IGNORECASE),
     "iso datetime"),
    (re.compile(rf"{_JSON_OF}(?:list|array) of (?:\w+ )?(?:objects|dict\w*)\b"), "json objects"),
    (re.compile(rf"{_JSON_OF}(?:list|array)\b"), "json list"),
    (re.compile(rf"{_JSON_OF}(?:object|dict\w*)\b"), "json object"),
    (re.compile(r"\bJSON\b"), "json"),
    (re.compile(r"\b(?:UUID|GUID)\b", re.IGNORECASE), "uuid"),
    (re.compile(r"(?<!or )\bIPv?[46]? address\b", re.IGNORECASE), "ip address"),
    (re.compile(r"\bIPv?[46]? network\b|\bCIDR\b", re.IGNORECASE), "ip network"),
    (re.compile(r"\bbase64\b", re.IGNORECASE), "base64"),
    (re.compile(r"\bhexadecimal\b", re.IGNORECASE), "hexadecimal"),
)  # fmt: skip
_CODES = re.compile(r"\bISO[ -]?(639-[123]|3166-[123]|4217)\b", re.IGNORECASE)
_CODE_PATTERNS = {"639-1": "[a-z]{2}", "3166-1": "[A-Z]{2}", "4217": "[A-Z]{3}"}
_WHOLE = re.compile(r"\b(?:whole number|integer)\b", re.IGNORECASE)
_A_NUMBER = re.compile(r"(?:(?:\bmust be|,|\band) |\A)a number(?=\.|,| and\b|\Z)", re.IGNORECASE)
_PATTERN = re.compile(
    r"\b(?:match(?:es|ing)?|pattern|regex|expression)\s*(?:is|of|:)?\s*[\"'`]([^\"'`\n]{3,200})"
    r"[\"'`]",
    re.IGNORECASE,
)
_PARTS = re.compile(
    rf"\b({_COUNT}) parts,? (?:separated|divided|split) by [\"'`]([^\"'`\n]{{1,10}})[\"'`]",
    re.IGNORECASE,
)
_AFFIX = re.compile(
    r"\b(?P<how>start|begin|end)(?:s|n?ing)?(?: with| in| on)?\s+(?P<list>[\"'`].{1,200})",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?:(?P<below>(?:less|smaller|earlier|lower) than|before|below)"
    r"|at most|(?:no|not) (?:more|greater|later) than|(?:less|smaller) than or equal to|not exceed)"
    r"\s+[\"'`](?P<other>[A-Za-z_]\w*)[\"'`]",
    re.IGNORECASE,
)
_QUOTED = re.compile(quotation(80))
_ONLY_QUOTED = re.compile(
    rf"\s*(?:(?:{_QUOTED.pattern})(?:\s*,\s*(?:(?:or|and)\s+)?|\s*\|\s*|\s+(?:or|and)\s+|[.\s]*\Z)){{2,60}}",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"\b(?:one of|either|choose (?:from|between)|(?:allowed|accepted|valid|possible|supported|"
    r"available|permitted|known) (?:values?|options?|choices?|types?|languages?|formats?|units?)?"
    r"(?: for [\w ]{1,40})?(?: are| is| include)?|(?:values?|options?|choices?) (?:are|is|include)|"
    r"(?:options|choices|values)(?= ?:)|can be|must be|may be|should be|is)\b"
    r"(?: the following)?(?: values)?[^\n\"'`:\[({]{0,40}?[:=]?\s*",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\s*(?:,\s*(?:or|and)?|;|\||/|\bor\b|\band\b|\u2022|(?:^|\s)[-*](?=\s))\s*", re.IGNORECASE
)
_WORD = re.compile(r"[\w.+/#-]{1,40}\Z")
_STRONG = re.compile(r"one of|either|choose|values?|options?|choices?", re.IGNORECASE)
_ANY_CASE = re.compile(
    r"(?<=\S )in any (?:letter )?case\b|\bcase[- ]insensitive(?:ly)?\b|\bnot case[- ]sensitive\b"
    r"|\bcase (?:does not|doesn't) matter\b|\bcase is (?:ignored|not important|irrelevant)\b"
    r"|\bignor(?:es?|ed|ing) (?:the )?case\b|\b(?:regardless|irrespective) of (?:the )?case\b"
    r"|\b(?:upper|lower)(?:[- ]?case)? (?:or|and) (?:upper|lower)[- ]?case\b|\beither case\b",
    re.IGNORECASE,
)
"""Not ``In any case, ...``, which means anyhow."""
_OPTIONAL = re.compile(
    r"\b(?:for example|such as|e\.g|like|default|sample|example)\b", re.IGNORECASE
)
_BESIDE = 80
"""Characters before and behind a form in which it may be ruled out."""
_NOT_TAKEN = re.compile(
    r"\b(?:not|never|no|except|unlike|(?:instead|other|rather) (?:of|than))"
    r"(?: (?!and\b|but\b)[\w-]+){0,8}"
    r" ?(?:[\"'`][^\"'`.;]*)?\Z",
    re.IGNORECASE,
)
_REFUSED = re.compile(
    r"[^.;:,]*?\b(?:(?:is|are|will|can|must|may|do|does|was|were)(?: ?not|n't) (?:be )?"
    r"(?:accept\w*|allow\w*|support\w*|recogni[sz]\w*|understood|taken|read|parsed|valid|work\w*)"
    r"|cannot be (?:used|read|parsed)|(?:is|are|will be) (?:refused|rejected|invalid|forbidden))",
    re.IGNORECASE,
)

Found = Iterator[tuple[ConstraintKind, Json]]


def read_constraints(tool: ToolUnderTest) -> list[Constraint]:
    """The constraints that documentation and schema of a tool state, each once."""
    written = read_documentation(tool)
    found = list(_of_schema(written))
    for sentence in written.sentences:
        if sentence.section in ("returns", "raises"):
            continue
        if sentence.argument is not None:
            found.extend(read_sentence(sentence.text, sentence.argument))
        else:
            found.extend(_of_named(sentence.text, list(properties_of(tool.schema))))
    return list({msgspec.json.encode(each): each for each in found}.values())


def read_sentence(text: str, argument: str) -> Iterator[Constraint]:
    """The constraints that one sentence states of an argument."""
    of, rest = _concerned(text[:_READ], argument)
    free = is_of_any_case(rest)
    for read in _READERS:
        for kind, value in read(rest):
            yield Constraint(
                kind=kind,
                of=of,
                value=value,
                any_case=free and kind == "values",
                origin="documentation",
            )
    for match in _BEFORE.finditer(rest):
        if match["other"] != argument:
            kind = "before" if match["below"] else "not after"
            yield Constraint(kind=kind, of=of, other=match["other"], origin="documentation")


def is_of_any_case(text: str) -> bool:
    """Whether a sentence says that upper and lower case are the same to the tool."""
    return _ANY_CASE.search(_QUOTED.sub('""', text[:_READ])) is not None


_PART_OF = re.compile(
    r"\b(?:the )?part (\d{1,2})(?: of (\d{1,2}))? \(separated by \"([^\"\n]{1,10})\"\)",
    re.IGNORECASE,
)
_EACH = re.compile(r"\beach (?:item|entry|element|one)\b", re.IGNORECASE)


def _concerned(text: str, argument: str) -> tuple[ConcernedValue, str]:
    """What of the argument a sentence is about, and the words that say what it must be."""
    if (match := _PART_OF.search(text)) is not None:
        part = max(int(match[1]) - 1, 0)
        return ConcernedValue(argument=argument, separator=match[3], part=part), text[match.end() :]
    if (match := _EACH.search(text)) is not None:
        return ConcernedValue(argument=argument, path=("*",)), text[match.end() :]
    return ConcernedValue(argument=argument), text


def _of_named(text: str, names: list[str]) -> Iterator[Constraint]:
    """What a sentence about the whole tool says of the one argument that it names as such; of the
    only argument there is, any."""
    named = [n for n in names if re.search(rf"[\"'`]{re.escape(n)}[\"'`]", text)]
    if not named:
        named = [n for n in names if "_" in n and re.search(rf"\b{re.escape(n)}\b", text)]
    if len(named) > 1:
        opening = re.match(r"[\"'`](\w+)[\"'`]", text)
        named = [opening[1]] if opening is not None and opening[1] in named else []
    if not named and len(names) == 1 and is_demand(text) and not _OF_RESULTS.search(text):
        named = names
    if len(named) == 1:
        name = named[0]
        yield from read_sentence(
            re.sub(rf"[\"'`]{re.escape(name)}[\"'`]", name, text, count=1), name
        )


def _of_schema(written: Documentation) -> Iterator[Constraint]:
    for name, values in written.enumerations.items():
        of = ConcernedValue(argument=name)
        yield Constraint(kind="values", of=of, value=list(values), origin="documentation")
    for name, (low, high) in written.bounds.items():
        of = ConcernedValue(argument=name)
        for kind, bound in (("minimum", low), ("maximum", high)):
            if bound is not None:
                yield Constraint(
                    kind=cast("ConstraintKind", kind), of=of, value=bound, origin="documentation"
                )


def _unquoted(text: str) -> str:
    """The words without what they quote, unless that is a number."""

    def shown(match: re.Match[str]) -> str:
        inner = next(group for group in match.groups() if group)
        return match[0] if _PLAIN_NUMBER.match(inner) else " "

    return _QUOTED.sub(shown, text)


# -- readers --------------------------------------------------------------------------------------


def _bounds(text: str) -> Found:
    text = _unquoted(text)
    for match in _RANGE.finditer(text):
        low, high = _number(match[1]), _number(match[2])
        if low is not None and high is not None and low < high:
            is_size = match[3] is not None
            yield ("shortest" if is_size else "minimum"), low
            yield ("longest" if is_size else "maximum"), high
    table: tuple[tuple[re.Pattern[str], ConstraintKind, ConstraintKind], ...] = (
        (_LOW, "minimum", "shortest"), (_HIGH, "maximum", "longest"),
        (_ABOVE, "above", "shortest"), (_BELOW, "below", "longest"),
    )  # fmt: skip
    for pattern, kind, size_kind in table:
        for match in pattern.finditer(text):
            number = _number(match[1])
            if number is None or _NEGATED.search(text[: match.start()]):
                continue
            if match[2] is None:
                yield kind, number
            else:
                yield size_kind, number + {"above": 1, "below": -1}.get(kind, 0)
    for match in _EXACT.finditer(text):
        if (number := _number(match[1])) is not None:
            yield "shortest", number
            yield "longest", number


def _signs(text: str) -> Found:
    text = _unquoted(text)
    if _POSITIVE.search(text):
        yield "above", 0
    if _NOT_NEGATIVE.search(text):
        yield "minimum", 0
    if _NOT_ZERO.search(text):
        yield "not zero", None
    if _NOT_EMPTY.search(text):
        yield "not empty", None
    if _EXISTING.search(text):
        yield "existing", None


def _forms(text: str) -> Found:
    for match in _DATE_LETTERS.finditer(text):
        if (pattern := strftime_of(match[0])) is not None and not _ruled_out(text, match):
            yield "date", pattern
    for match in _STRFTIME.finditer(text):
        yield "date", match[0].rstrip(" ,/.-:T")
    for words, name in _FORMS:
        if (match := words.search(text)) is not None:
            if not _ruled_out(text, match):
                yield "form", name
            break
    for match in _CODES.finditer(text):
        if (pattern := _CODE_PATTERNS.get(match[1])) is not None:
            yield "pattern", pattern
    for match in _PATTERN.finditer(text):
        yield "pattern", match[1]
    if _A_NUMBER.search(text):
        yield "number", None
    if _WHOLE.search(text):
        yield "whole number", None
    for match in _PARTS.finditer(text):
        if (count := _number(match[1])) is not None:
            yield "parts", [match[2], int(count)]


def _ruled_out(text: str, form: re.Match[str]) -> bool:
    """Whether the words beside a form say that it is not taken."""
    before = text[max(form.start() - _BESIDE, 0) : form.start()]
    behind = text[form.end() : form.end() + _BESIDE]
    return _NOT_TAKEN.search(before) is not None or _REFUSED.match(behind) is not None


def _affixes(text: str) -> Found:
    for match in _AFFIX.finditer(text):
        rest = match["list"].split(". ")[0]
        affixes = [next(g for g in m.groups() if g) for m in _QUOTED.finditer(rest)]
        if affixes:
            yield ("suffix" if match["how"].lower() == "end" else "prefix"), list(affixes)


def _lists(text: str) -> Found:
    # A description that is nothing but a list: ``gate: "north", "south" or "river"``.
    if _ONLY_QUOTED.fullmatch(text) and len(values := _values(text, strong=True)) > 1:
        yield "values", list(values)
        return
    for match in _LIST.finditer(text):
        if _OPTIONAL.search(text[max(match.start() - _CLAUSE, 0) : match.end()]):
            continue
        rest = text[match.end() : match.end() + 600]
        values = _values(rest, strong=_STRONG.search(match[0]) is not None)
        if len(values) > 1:
            yield "values", list(values)
            return


def _values(rest: str, *, strong: bool) -> list[str]:
    """The values at the beginning of a text."""
    rest = rest.strip().lstrip("[({-*\u2022 ")
    if (quoted := _QUOTED.match(rest)) is not None:
        found: list[str] = []
        while quoted is not None and len(found) < _MOST_VALUES:
            found.append(next(group for group in quoted.groups() if group))
            between = _BETWEEN.match(rest, quoted.end())
            quoted = None if between is None else _QUOTED.match(rest, between.end())
        return found
    if not strong:
        return []
    first = re.split(r"[\])}]|\.(?:\s|\Z)", rest, maxsplit=1)[0]
    words = [part.strip(" :") for part in _BETWEEN.split(first)]
    words = [word for word in words if word]
    return words if all(_WORD.match(word) for word in words) else []


_READERS: tuple[Callable[[str], Found], ...] = (_bounds, _signs, _forms, _affixes, _lists)


def strftime_of(letters: str) -> str | None:
    """``%Y-%m-%d`` of ``YYYY-MM-DD``; ``None`` for letters that are no date."""
    made, timed, has_year = "", False, re.search("[Yy]{2}", letters) is not None
    for part in re.findall(r"[Yy]{4}|[Yy]{2}|HH?|hh?|MM|mm|DD|dd|SS|ss|.", letters):
        if part in ("YYYY", "yyyy"):
            made += "%Y"
        elif part in ("YY", "yy"):
            made += "%y"
        elif part.lower() in ("hh", "h"):
            made, timed = made + "%H", True
        elif part.lower() == "mm":
            made += "%M" if timed else "%m"
        elif part.lower() == "dd":
            made += "%d"
        elif part.lower() == "ss":
            made += "%S"
        elif part.isalpha() and part != "T":
            return None
        else:
            made += part
    return made if (has_year or timed) and made.count("%") > 1 else None


def _number(text: str) -> float | int | None:
    word = text.strip().casefold()
    if word in _WORD_NUMBERS:
        return _WORD_NUMBERS[word]
    number = number_in_words(text)
    return int(number) if number is not None and number == int(number) else number
