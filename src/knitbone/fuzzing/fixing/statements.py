"""Which constraints are stated: those that trials prove, that are not written yet, and that say
most in few words.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, cast

import msgspec

from knitbone.common.printable import printable
from knitbone.fuzzing.classification.documentation import Documentation, read_documentation
from knitbone.fuzzing.classification.failure import Failure
from knitbone.fuzzing.classification.promises import examples, has_grammar, lists_value, shape
from knitbone.fuzzing.fixing.constraint_values import values_at, with_value
from knitbone.fuzzing.fixing.decisions import normalised_arguments, suggested_by_decisions
from knitbone.fuzzing.fixing.error_counts import keeps
from knitbone.fuzzing.fixing.kinds import FORMS, KINDS, is_as_spelled
from knitbone.fuzzing.fixing.observation import ObservedCall
from knitbone.fuzzing.fixing.origin import (
    LiveValues,
    SourceConstants,
    announces_secret,
    is_of_source,
    shows_secret,
)
from knitbone.fuzzing.fixing.records import (
    ConcernedValue,
    Constraint,
    ConstraintKind,
    ProvenStatement,
)
from knitbone.fuzzing.fixing.sentence_constraints import read_constraints, read_sentence
from knitbone.fuzzing.fixing.trials import RELATIONS, ConstraintTrials, contradicts_call
from knitbone.fuzzing.generate.examples import shown_examples
from knitbone.fuzzing.generate.refusal_hints import new_suggestions
from knitbone.fuzzing.generate.shapes import properties_of
from knitbone.fuzzing.reasons import reason_in
from knitbone.fuzzing.records import Finding, ToolUnderTest
from knitbone.record.events import Json

__all__ = [
    "MOST_WORDS",
    "bound_in_words",
    "chosen_statements",
    "is_of_clock",
    "is_value",
    "is_whole",
    "live_values",
    "naming_sentence",
    "oddness",
    "plainest_call",
    "quoted",
    "sentence",
    "sentences",
    "shown_values",
    "words_in",
]


# What refusals suggest: the words of a tool's own messages, and of Python's.
#
# Messages are a tool's output, which may quote anybody. Only values and bounds are taken from them,
# never words; each is tried in the sandbox before anything is stated.

_READ = 2_000
_MOST_VALUES = 24
_VALUE = re.compile(r"[^\W_][\w.+/#: -]{0,40}\Z")
"""A value that a message told may be shown; anything else in it may be prose, or an instruction."""
_WORDS_IN_VALUE = 4
_CONVERSIONS: tuple[tuple[re.Pattern[str], ConstraintKind, Json], ...] = (
    (re.compile(r"invalid literal for int\(\)"), "whole number", None),
    (re.compile(r"could not convert string to float"), "number", None),
    (re.compile(r"Invalid isoformat string|isoformat"), "form", "iso date"),
    (re.compile(r"Invalid isoformat string|isoformat"), "form", "iso datetime"),
    (re.compile(r"Expecting (?:value|property|',')|JSONDecode|[Ii]nvalid JSON"), "form", "json"),
    (re.compile(r"badly formed hexadecimal UUID"), "form", "uuid"),
    (re.compile(r"does not appear to be an IPv4 or IPv6 address"), "form", "ip address"),
    (re.compile(r"does not appear to be an IPv4 or IPv6 network"), "form", "ip network"),
    (re.compile(r"[Ii]ncorrect padding|base64"), "form", "base64"),
    (re.compile(r"non-hexadecimal number"), "form", "hexadecimal"),
    (re.compile(r"division by zero|by zero|modulo"), "not zero", None),
)  # fmt: skip
_OF_FORMAT = re.compile(r"does not match format '([^'\n]{2,40})'")


def suggested_by_refusals(tool: ToolUnderTest, findings: Sequence[Finding]) -> list[Constraint]:
    """What the messages of a campaign's failures suggest of the arguments that they are about."""
    found: list[Constraint] = []
    for finding in findings:
        blamed = list(Failure(tool, finding).blamed)
        for message in map(reason_in, [finding.says, *(v.message for v in finding.variants)]):
            for name in _named(message, blamed):
                found.extend(_of_message(message[:_READ], name, finding.arguments))
    return list({msgspec.json.encode(each): each for each in found}.values())


def _named(message: str, blamed: list[str]) -> list[str]:
    """The arguments that a message names, of those that may be to blame; all without one."""
    lowered = message.casefold().replace("_", " ")
    return [name for name in blamed if name.casefold().replace("_", " ") in lowered] or blamed


def _of_message(message: str, name: str, arguments: dict[str, Json]) -> Iterator[Constraint]:
    of = ConcernedValue(argument=name)
    for pattern, kind, value in _CONVERSIONS:
        if pattern.search(message):
            yield Constraint(kind=kind, of=of, value=value, origin="message")
    if (match := _OF_FORMAT.search(message)) is not None:
        yield Constraint(kind="date", of=of, value=match[1], origin="message")
    for said in read_sentence(message, name):
        if _is_shown(said):
            yield msgspec.structs.replace(said, origin="message")
    values = [value for value in new_suggestions(message, arguments) if is_value(value)]
    if 1 < len(values) <= _MOST_VALUES:
        yield Constraint(kind="values", of=of, value=list(values), origin="message")


def is_value(text: str) -> bool:
    """Whether a text out of a message is a value, and not words to somebody."""
    return _VALUE.match(text) is not None and len(text.split()) <= _WORDS_IN_VALUE


def _is_shown(constraint: Constraint) -> bool:
    """Whether what a message states may stand in a documentation."""
    match constraint.kind:
        case "values" | "prefix" | "suffix":
            listed = cast("list[Any]", constraint.value)
            return all(is_value(str(item)) for item in listed)
        case "pattern" | "parts" | "before" | "not after":
            return False  # a text that a message makes up
        case _:
            return True


# Constraints in words, as short as a documentation likes them and as ``sentence_constraints.py``
# reads them.

_LETTERS = {"%Y": "YYYY", "%y": "YY", "%m": "MM", "%d": "DD", "%H": "HH", "%M": "MM", "%S": "SS"}
_SHOWN = 60
"""Characters of a value; a longer one is no value that anybody types."""


def sentence(constraints: Sequence[Constraint], *, unit: str = "characters") -> str:
    """The constraints of one value in one sentence, as in the entry of its argument: ``From 1 to
    10.``

    Args:
        constraints: all of the same ``of``, at least one.
        unit: what its length counts.
    """
    phrases = _phrases(constraints, unit)
    of = constraints[0].of
    if of.is_part or of.path:
        return f"{_subject(of)} {_said(phrases)}."
    said = _listing(sorted(phrases, key=lambda phrase: phrase.startswith("not ")))
    return f"{said[:1].upper()}{said[1:]}."


def naming_sentence(constraints: Sequence[Constraint], *, unit: str = "characters") -> str:
    """The same where nothing around it says which argument it is about."""
    said = _said(_phrases(constraints, unit))
    of = constraints[0].of
    if of.is_part or of.path:
        subject = _subject(of)
        return f"`{of.argument}`: {subject[:1].lower()}{subject[1:]} {said}."
    return f"`{of.argument}` {said}."


def quoted(value: Any) -> str:
    """A value as it is typed: a text in quotation marks that nothing in it can close."""
    if not isinstance(value, str):
        return str(value)
    shown = printable(value, limit=_SHOWN)
    return f'"{shown}"' if '"' not in shown else f"`{shown}`"


def is_showable(constraint: Constraint) -> bool:
    """Whether its words would hold all of it: a value that is cut, escaped or not to be quoted
    would be another one."""
    value: Any = constraint.value
    items: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [value]
    texts = [item for item in items if isinstance(item, str)]
    texts += [text for text in (constraint.of.separator,) if text is not None]
    return all(map(is_whole, texts))


def is_whole(text: str) -> bool:
    """Whether ``quoted`` shows a text as it is."""
    return len(text) <= _SHOWN and printable(text) == text and not {'"', "`"} <= set(text)


def format_of_date(pattern: str) -> str:
    """``YYYY-MM-DD`` of ``%Y-%m-%d``; the pattern itself where letters cannot say it."""
    made = re.sub("%[A-Za-z]", lambda m: _LETTERS.get(m[0], m[0]), pattern)
    return pattern if "%" in made else made


def _subject(of: ConcernedValue) -> str:
    names = [f"`{step}`" for step in of.path if step != "*"]
    if of.separator is not None:
        return f'Part {of.part + 1} (separated by "{printable(of.separator)}")'
    if of.pattern is not None:
        return f"Part {of.part}"
    return ".".join(names) if names else "Each item"


def _listing(phrases: Sequence[str]) -> str:
    return ", ".join([*phrases[:-2], " and ".join(phrases[-2:])])


def _phrases(constraints: Sequence[Constraint], unit: str) -> list[str]:
    """A phrase each, lower and upper bounds together."""
    kinds = {constraint.kind: constraint for constraint in constraints}
    said: list[str] = []
    for low, high, counted in (("minimum", "maximum", ""), ("shortest", "longest", f" {unit}")):
        if low in kinds and high in kinds:
            first, last = bound_in_words(kinds.pop(low)), bound_in_words(kinds.pop(high))
            said.append(
                f"exactly {first}{counted}" if first == last else f"from {first} to {last}{counted}"
            )
    return [*said, *(_phrase(constraint, unit) for constraint in kinds.values())]


def _said(phrases: Sequence[str]) -> str:
    """What something must be: what it must not be comes last."""
    ordered = sorted(phrases, key=lambda phrase: phrase.startswith("not "))
    if all(phrase.startswith("not ") for phrase in ordered):
        return f"must not be {_listing([phrase.removeprefix('not ') for phrase in ordered])}"
    return f"must be {_listing(ordered)}"


def _phrase(constraint: Constraint, unit: str) -> str:
    return _PHRASES[constraint.kind](constraint, unit)


def bound_in_words(constraint: Constraint) -> str:
    """A bound as people write it: without a fraction that is none."""
    value: Any = constraint.value
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _of_values(constraint: Constraint, _unit: str) -> str:
    listed = [quoted(item) for item in cast("list[Any]", constraint.value)]
    case = ", in any case" if constraint.any_case else ""
    if len(listed) == 1:
        return f"always {listed[0]}{case}"
    return f"one of {', '.join(listed[:-1])} or {listed[-1]}{case}"


def _of_affixes(constraint: Constraint, _unit: str) -> str:
    how = "beginning" if constraint.kind == "prefix" else "ending"
    return f"a text {how} with {' or '.join(map(quoted, cast('list[Any]', constraint.value)))}"


def _of_parts(constraint: Constraint, _unit: str) -> str:
    separator, count = cast("list[Any]", constraint.value)
    return f"{count} parts separated by {quoted(separator)}"


_PHRASES: dict[ConstraintKind, Callable[[Constraint, str], str]] = {
    "values": _of_values,
    "minimum": lambda c, _: f"at least {bound_in_words(c)}",
    "above": lambda c, _: f"greater than {bound_in_words(c)}",
    "maximum": lambda c, _: f"at most {bound_in_words(c)}",
    "below": lambda c, _: f"less than {bound_in_words(c)}",
    "shortest": lambda c, unit: f"at least {c.value} {unit}",
    "longest": lambda c, unit: f"at most {c.value} {unit}",
    "not empty": lambda _, __: "not empty",
    "not zero": lambda _, __: "not zero",
    "whole number": lambda _, __: "a whole number",
    "number": lambda _, __: "a number",
    "date": lambda c, _: f"in the format {format_of_date(str(c.value))}",
    "form": lambda c, _: FORMS[str(c.value)].words,
    "pattern": lambda c, _: f"a text that matches {quoted(c.value)}",
    "prefix": _of_affixes,
    "suffix": _of_affixes,
    "parts": _of_parts,
    "existing": lambda c, _: "one that exists" + (f", in the form {c.value}" if c.value else ""),
    "before": lambda c, _: f"less than `{c.other}`",
    "not after": lambda c, _: f"at most `{c.other}`",
}
"""What a value must be, behind ``must be``."""


# The call that a documentation shows: the plainest that the tool takes.
#
# A campaign keeps calls that turn a decision, so those that a tool took are seldom ones that a
# person would write (``-1`` where 2 does as well). Of these the plainest is chosen, and made
# plainer one value at a time, as long as the tool takes what came out. *Plain* are words that the
# documentation or the statements name, then other words, small positive whole numbers, one value
# once; odd are signs, leading zeros, single letters, empty parts, long texts.

_TRIES = 24
"""Calls that may be made to find a plainer one."""
_BEGUN = 3
"""Calls that the tool took which are tried again before there is no example."""
_PLAIN_VALUE = 40
"""Characters from which a text is no example."""
_NUMBERS = (2, 3, 10, 1, 5, 100)
"""What numbers are replaced by, as a person would choose."""
_SMALL, _LARGE = 100, 10_000

# What each trait of a value weighs. Ours, by what reads oddly; from 1 on a value is not shown.
_NOT_SHOWN = 1.0
_SIGN, _NO_LETTER, _NO_PART, _UNDERSCORE, _STRUCTURE = 0.5, 0.5, 0.3, 0.3, 0.2
_ZEROS, _SINGLE_LETTER, _FRACTION, _MARK_AT_END, _ZERO = 0.2, 0.15, 0.1, 0.1, 0.1
_UNKNOWN_WORD, _DECIMAL, _REPEATED, _NUMBER, _CHARACTER = 0.05, 0.05, 0.02, 0.01, 0.001

_WORD = re.compile(r"[^\W\d_]+(?:_[^\W_]+)*")
_NUMBER_AT = re.compile(r"(?<![\w.])[+-]?\d[\d_]*(?:\.\d+)?|(?<=[-:/.])\d+|\d[\d_]*(?:\.\d+)?")
_DATE = re.compile(r"[\d:/.-]*(?:\d[-:/]\d|\d\.\d+\.\d)[\d:/.-]*")
_EMPTY_PART = re.compile(r"([;,|/:])(?=\1|\Z)|\A[;,|/:]")


def plainest_call(
    calls: Sequence[dict[str, Json]],
    *,
    named: Collection[str],
    keeps: Callable[[dict[str, Json]], bool],
    accepts: Callable[[dict[str, Json]], bool | None],
) -> dict[str, Json] | None:
    """The plainest call that keeps to what is stated and that the tool takes.

    Args:
        calls: what to begin with.
        named: words that the documentation or the statements name (``words_in``).
        keeps: whether a call keeps to what is stated.
        accepts: calls the tool.
    """
    shown = [given for given in calls if given and keeps(given)]
    shown = [given for given in shown if oddness(given, named) < _NOT_SHOWN]
    begun = sorted(shown, key=lambda given: oddness(given, named))[:_BEGUN]
    found = next((given for given in begun if accepts(given)), None)
    tries = _TRIES
    while found is not None:
        for plainer in _plainer(found, shown, named):
            if not keeps(plainer):
                continue
            if not tries:
                return found
            tries -= 1
            if accepts(plainer):
                found = plainer
                break
        else:
            return found
    return None


def words_in(*texts: str) -> set[str]:
    """The words that texts name, as ``oddness`` looks for them; single letters say nothing."""
    return {word.casefold() for text in texts for word in _WORD.findall(text) if len(word) > 1}


def oddness(arguments: dict[str, Json], named: Collection[str] = ()) -> float:
    """How little a call looks like one that somebody makes."""
    values = [json.dumps(value, sort_keys=True) for value in arguments.values()]
    repeated = len(values) - len(set(values))
    return _REPEATED * repeated + sum(_of_value(value, named) for value in arguments.values())


def _plainer(
    call: dict[str, Json], calls: Sequence[dict[str, Json]], named: Collection[str]
) -> Iterator[dict[str, Json]]:
    """Calls with one value replaced that are plainer, the plainest of an argument first."""
    now = oddness(call, named)
    for name, value in call.items():
        seen = [
            other[name] for other in calls if name in other and type(other[name]) is type(value)
        ]
        made = [{**call, name: each} for each in (*seen, *_replacements(value))]
        made = [each for each in made if oddness(each, named) < now]
        yield from sorted(made, key=lambda each: oddness(each, named))


def _replacements(value: Json) -> Iterator[Json]:
    """The value with another number; of a text, one of its numbers."""
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield from _NUMBERS
    elif isinstance(value, str):
        for found in _NUMBER_AT.finditer(value):
            if not _is_of_date(value, found.start(), found.end()):
                for number in _NUMBERS:
                    yield f"{value[: found.start()]}{number}{value[found.end() :]}"


def _of_value(value: Json, named: Collection[str]) -> float:
    if isinstance(value, str):
        return _of_text(value, named)
    if isinstance(value, bool) or value is None:
        return 0.0
    if isinstance(value, int | float):
        return _of_number(repr(value))
    if not value:
        return _NOT_SHOWN
    fields = cast("dict[str, Json]", value) if isinstance(value, dict) else {}
    parts = fields.values() if isinstance(value, dict) else cast("list[Json]", value)
    words = _of_words(" ".join(fields), named)
    return _STRUCTURE + words + sum(_of_value(part, named) for part in parts)


def _of_text(text: str, named: Collection[str]) -> float:
    plain = text.isascii() and text.isprintable() and text == text.strip()
    if not plain or not 0 < len(text) <= _PLAIN_VALUE:
        return _NOT_SHOWN
    odd = _CHARACTER * len(text)
    if text.casefold() in named:
        return odd
    if not any(character.isalnum() for character in text):
        return odd + _NO_LETTER + _MARK_AT_END
    if text[0] in "[{" and (parts := _document(text)) is not None:
        return odd + _of_value(parts, named)
    for found in _NUMBER_AT.finditer(text):
        odd += _of_number(found[0], is_of_date=_is_of_date(text, found.start(), found.end()))
    odd += _of_words(text, named) + _NO_PART * len(_EMPTY_PART.findall(text))
    return odd + _MARK_AT_END * (not text[-1].isalnum())


def _of_words(text: str, named: Collection[str]) -> float:
    odd = 0.0
    for word in _WORD.findall(text):
        if word.casefold() not in named:
            odd += _SINGLE_LETTER if len(word) == 1 else _UNKNOWN_WORD
            odd += _UNDERSCORE * ("_" in word)
    return odd


def _document(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _of_number(written: str, *, is_of_date: bool = False) -> float:
    """Of a number as it is written; its parts of a date are neither signed nor large."""
    digits = written.lstrip("+-")
    whole, _, decimals = digits.partition(".")
    if is_of_date:
        return _NUMBER
    try:
        size = abs(float(digits))
    except ValueError:  # such as 1_000 with two marks
        return _NOT_SHOWN
    if not size < _LARGE:  # not a number, too
        return _NOT_SHOWN
    odd = _NUMBER + _SIGN * (digits != written) + _UNDERSCORE * ("_" in digits)
    odd += _ZEROS * (len(whole) > 1 and whole.startswith("0"))
    odd += _ZERO * (size == 0)
    if decimals.strip("0"):
        odd += _FRACTION + _DECIMAL * (len(decimals) - 1)
    return odd + _FRACTION * (size > _SMALL)


def _is_of_date(text: str, start: int, end: int) -> bool:
    """Whether a number stands in a date, a time or a version."""
    return any(date.start() <= start and end <= date.end() for date in _DATE.finditer(text))


MOST_WORDS = 100
"""ToolFuzz App. D: a fix has at most so many words."""
_FIRST: tuple[ConstraintKind, ...] = (
    "values", "existing", "date", "form", "parts", "prefix", "suffix", "minimum", "maximum",
    "above", "below", "shortest", "longest", "before", "not after", "not zero", "whole number",
    "number", "pattern", "not empty",
)  # fmt: skip
"""The kinds that say most first: what they imply is not said again."""
_FORMATS = frozenset({"date", "form", "pattern", "prefix", "suffix", "parts"})
"""Kinds that are shown by a value: of a list, a bound or a sign the words say all."""
_OF_NO_FORM = frozenset({"not empty", "before", "not after", "existing"})
"""Kinds that hold of what a tool makes of a text before it reads it, too."""
_FORM = re.compile(r"[a0](?:[-_/.:#@ ][a0])+")
"""Of a shape, one that tells more than that there are letters."""
_OF_ANY_TEXT = frozenset({"not empty", "shortest", "longest", "pattern", "prefix", "suffix"})
"""What is said of what exists goes without saying."""
_YEAR = re.compile(
    r"(?<!\d)(\d{4})(?=[-/.]?(?:\d{2}|W\d|\d[-/.]))|(?<=\d[-/. ])(\d{4})(?!\d)"
    r"|(?<=[A-Za-z.,] )([12]\d{3})(?!\d)"
)
"""A year in a date, at its beginning or at its end."""
_SHOWN_TRIED = 3
"""Calls that the documentation shows, which are tried before another one is given."""


class Statements(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be stated of a tool."""

    chosen: tuple[ProvenStatement, ...]
    dropped: tuple[Constraint, ...]
    known: int
    documented: tuple[Constraint, ...]
    """What the documentation states already."""
    example: dict[str, Json] | None


def chosen_statements(
    tool: ToolUnderTest,
    calls: Sequence[ObservedCall],
    findings: Sequence[Finding],
    trials: ConstraintTrials,
    *,
    paths: Sequence[str] = (),
    today: dt.date,
) -> Statements:
    """The statements that the tool was seen to hold and that its documentation lacks.

    Args:
        calls: of a campaign.
        findings: of the same campaign, refusals included.
        paths: files and folders of the sandbox, which are nowhere else.
        today: the day on which it ran: what is a date from then on will not be one for ever.
    """
    documented = read_constraints(tool)
    trials.begin(_beginnings(calls, documented))
    failing = [f.arguments for f in findings] + [c.arguments for c in calls if c.accepted is False]
    suggested = [
        *suggested_by_decisions(calls),
        *suggested_by_refusals(tool, findings),
        *trials.bounds(failing),
        *trials.emptiness(),
    ]
    written = read_documentation(tool)
    constants = SourceConstants(tool)
    live = live_values(tool, constants, calls, findings)
    taken = [call.arguments for call in calls if call.accepted]
    normalised = normalised_arguments(calls)
    chosen: list[ProvenStatement] = []
    dropped: list[Constraint] = []
    known = 0
    for constraint, ways in _in_order(suggested):
        is_hidden = shows_secret(constraint, properties_of(tool.schema))
        is_own = not is_hidden and any(is_of_source(way, constants) for way in ways)
        stated = constraint if is_own else existing(constraint)
        is_changed = constraint.of.argument in normalised and constraint.kind not in _OF_NO_FORM
        if stated is None or is_changed or not is_showable(stated):
            dropped.append(constraint)
            continue
        if stated.kind == "existing" and _is_said(stated, documented, ()):
            known += 1
            continue
        if _is_said(constraint, [s.constraint for s in chosen], trials.bases):
            continue
        if (
            _is_said(constraint, documented, trials.bases)
            or _is_listed(constraint, written)
            or _is_described(constraint, written)
        ):
            known += 1
            continue
        proof = trials.proof(constraint)
        # What any call of the campaign speaks against is no constraint either.
        shown = trials.as_taken(constraint) if proof.holds else None
        if shown is None or any(contradicts_call(shown, given) for given in taken):
            dropped.append(constraint)
            continue
        shown = stated if stated.kind == "existing" else shown
        chosen.append(
            ProvenStatement(
                constraint=shown,
                text=naming_sentence([shown], unit=unit_of(tool, shown.of)),
                accepted=proof.accepted,
                refused=proof.refused,
            )
        )
    kept = _within_words(tool, _most_telling(chosen, findings))
    return Statements(
        chosen=tuple(kept),
        dropped=tuple(dropped),
        known=known,
        documented=tuple(documented),
        example=_example(
            tool,
            trials,
            kept,
            documented,
            [
                call
                for call in calls
                if not (_names_any(call.arguments, paths) or live.stand_in(call.arguments))
            ],
            today,
        ),
    )


def live_values(
    tool: ToolUnderTest,
    constants: SourceConstants,
    calls: Sequence[ObservedCall],
    findings: Sequence[Finding],
) -> LiveValues:
    """What the tool compared with, looked up or told of that may not stand in its documentation."""
    told = [value for f in findings for value in new_suggestions(f.says, f.arguments)]
    written = "\n".join([tool.documentation, *_texts_of(properties_of(tool.schema))])
    return LiveValues(constants, calls, told, written=written)


def existing(constraint: Constraint) -> Constraint | None:
    """A list of values that exist where the tool ran as the form that they share; ``None`` of
    another constraint, whose words would show such a value."""
    listed: Any = constraint.value
    if constraint.kind != "values" or not isinstance(listed, list):
        return None
    texts = [str(item) for item in cast("list[Any]", listed)]
    forms = {shape(text) for text in texts}
    form = next(iter(forms))
    is_telling = len(forms) == 1 and _FORM.fullmatch(form) is not None
    written = form.replace("a", "letters").replace("0", "digits") if is_telling else None
    return msgspec.structs.replace(constraint, kind="existing", value=written)


def sentences(
    tool: ToolUnderTest, statements: Sequence[ProvenStatement]
) -> tuple[dict[str, str], dict[str, str]]:
    """The statements in words by argument: as they read in its own entry, and where nothing else
    names it."""
    groups: dict[str, dict[bytes, list[Constraint]]] = {}
    for statement in statements:
        of = statement.constraint.of
        key = msgspec.json.encode(of)
        groups.setdefault(of.argument, {}).setdefault(key, []).append(statement.constraint)
    own: dict[str, str] = {}
    naming: dict[str, str] = {}
    for name, parts in groups.items():
        own[name] = " ".join(sentence(g, unit=unit_of(tool, g[0].of)) for g in parts.values())
        naming[name] = " ".join(
            naming_sentence(g, unit=unit_of(tool, g[0].of)) for g in parts.values()
        )
    return own, naming


def unit_of(tool: ToolUnderTest, of: ConcernedValue) -> str:
    """What the length of a value counts."""
    field: Any = properties_of(tool.schema).get(of.argument)
    is_list = isinstance(field, dict) and cast("dict[str, Any]", field).get("type") == "array"
    return "items" if is_list and not of.path else "characters"


def shown_values(statements: Sequence[ProvenStatement], example: dict[str, Json]) -> dict[str, str]:
    """The texts of a call whose format is stated, by argument, in quotation marks; none under the
    name of a secret."""
    concerned = (s.constraint.of for s in statements if _has_format(s))
    names = dict.fromkeys(of.argument for of in concerned if not of.path)
    values = {name: example.get(name) for name in names}
    return {
        name: quoted(value)
        for name, value in values.items()
        if isinstance(value, str) and is_whole(value) and not announces_secret(name)
    }


def _beginnings(
    calls: Sequence[ObservedCall], documented: Sequence[Constraint]
) -> list[dict[str, Json]]:
    """Calls that the tool took, those with the most arguments first: more can be tried of them."""
    taken = [call.arguments for call in calls if call.accepted]
    return sorted(
        taken, key=lambda given: (not keeps(documented, given), -len(given), oddness(given))
    )


def _in_order(suggested: Sequence[Constraint]) -> list[tuple[Constraint, list[Constraint]]]:
    """What is suggested, each once, with all the decisions and messages that suggest it."""
    known: dict[bytes, tuple[Constraint, list[Constraint]]] = {}
    for way in suggested:
        bare = msgspec.structs.replace(way, places=())
        alike = msgspec.json.encode(msgspec.structs.replace(bare, origin="decision"))
        known.setdefault(alike, (bare, []))[1].append(way)
    return sorted(
        known.values(),
        key=lambda each: (
            _FIRST.index(each[0].kind),
            each[0].value == "json",
            each[0].of.is_part,
        ),
    )


def _is_said(
    constraint: Constraint, said: Sequence[Constraint], bases: Sequence[dict[str, Json]]
) -> bool:
    """Whether every call that breaks a constraint breaks one of those that are said, too."""
    if constraint.kind == "existing":
        return any((c.kind, c.of) == (constraint.kind, constraint.of) for c in said)
    if constraint.kind in RELATIONS:
        pair = (constraint.of, constraint.other)
        return any(c.kind in RELATIONS and (c.of, c.other) == pair for c in said)
    if constraint.kind in _OF_ANY_TEXT and any(
        (c.kind, c.of) == ("existing", constraint.of) for c in said
    ):
        return True
    kind = KINDS[constraint.kind]
    broken: list[dict[str, Json]] = []
    for base in bases:
        for current in values_at(constraint.of, base)[:1]:
            made = (with_value(constraint.of, base, v) for v in kind.broken(constraint, current))
            broken += [arguments for arguments in made if arguments is not None]
    return bool(broken) and all(not keeps(said, arguments) for arguments in broken)


def _is_listed(constraint: Constraint, written: Documentation) -> bool:
    """Whether the documentation names all values of a list, in whatever words."""
    listed: Any = constraint.value
    if constraint.kind != "values" or not isinstance(listed, list):
        return False
    told = [*written.about(constraint.of.argument), *written.general()]
    return all(
        any(lists_value(sentence.text, str(value)) for sentence in told)
        for value in cast("list[Any]", listed)
    )


def _is_described(constraint: Constraint, written: Documentation) -> bool:
    """Whether the form of a text is shown or spelled out, so that little is said by demanding it
    once more."""
    if constraint.kind not in ("pattern", "not empty"):
        return False
    own = written.about(constraint.of.argument)
    return any(has_grammar(s.text) or any(examples(s.text)) for s in own)


def _most_telling(
    statements: Sequence[ProvenStatement], findings: Sequence[Finding]
) -> list[ProvenStatement]:
    """Those that rule out the most failures first."""

    def telling(statement: ProvenStatement) -> int:
        return sum(not keeps([statement.constraint], f.arguments) for f in findings)

    return sorted(statements, key=telling, reverse=True)


def _within_words(
    tool: ToolUnderTest, statements: Sequence[ProvenStatement]
) -> list[ProvenStatement]:
    kept: list[ProvenStatement] = []
    for statement in statements:
        own, _ = sentences(tool, [*kept, statement])
        if sum(len(text.split()) for text in own.values()) <= MOST_WORDS:
            kept.append(statement)
    return kept


def _example(
    tool: ToolUnderTest,
    trials: ConstraintTrials,
    statements: Sequence[ProvenStatement],
    documented: Sequence[Constraint],
    calls: Sequence[ObservedCall],
    today: dt.date,
) -> dict[str, Json] | None:
    """The plainest call that keeps to all of it and that the tool has just taken; ``None`` where
    no format needs one."""
    if not any(_has_format(s) for s in statements):
        return None
    if any(trials.accepts(shown) for shown in shown_examples(tool)[:_SHOWN_TRIED]):
        return None  # the documentation has one that works
    told = [*documented, *(statement.constraint for statement in statements)]
    taken = [call.arguments for call in calls if call.accepted]
    typical = [_typical(arguments, statements) for arguments in taken[:1]]
    texts = [
        tool.documentation,
        *_texts_of(properties_of(tool.schema)),
        *(s.text for s in statements),
    ]
    return plainest_call(
        [*typical, *taken],
        named=words_in(*texts),
        keeps=lambda given: (
            keeps(told, given)
            and _is_as_spelled(told, given)
            and not any(is_of_clock(value, today) for value in given.values())
        ),
        accepts=trials.accepts,
    )


def is_of_clock(value: Json, today: dt.date) -> bool:
    """Whether a text names a date of this year or of a later one, which a tool may take today and
    refuse tomorrow."""
    if not isinstance(value, str):
        return False
    years = (int(year) for match in _YEAR.finditer(value) for year in match.groups() if year)
    return any(year >= today.year for year in years)


def _is_as_spelled(told: Sequence[Constraint], given: dict[str, Json]) -> bool:
    return all(is_as_spelled(c, value) for c in told for value in values_at(c.of, given))


def _has_format(statement: ProvenStatement) -> bool:
    """Whether it is about how a text is written, which a value shows better than words."""
    return statement.constraint.kind in _FORMATS


def _texts_of(schema: Any) -> Iterator[str]:
    """What a schema says in words: descriptions, and the values that it lists."""
    if isinstance(schema, dict):
        for value in cast("dict[str, Any]", schema).values():
            yield from _texts_of(value)
    elif isinstance(schema, list):
        for value in cast("list[Any]", schema):
            yield from _texts_of(value)
    elif isinstance(schema, str):
        yield schema


def _names_any(arguments: dict[str, Json], paths: Sequence[str]) -> bool:
    """Whether a call is about a file of the sandbox."""
    texts = {value.strip("/") for value in arguments.values() if isinstance(value, str)}
    return not texts.isdisjoint(paths)


def _typical(arguments: dict[str, Json], statements: Sequence[ProvenStatement]) -> dict[str, Json]:
    """A call whose arguments are written as the statements say, the first way there is."""
    made = dict(arguments)
    for constraint in (statement.constraint for statement in statements):
        if constraint.kind in ("values", "date", "form") and not constraint.of.is_part:
            current = values_at(constraint.of, made)
            kept = (
                next(KINDS[constraint.kind].kept(constraint, current[0]), None) if current else None
            )
            made = (kept is not None and with_value(constraint.of, made, kept)) or made
    return made
