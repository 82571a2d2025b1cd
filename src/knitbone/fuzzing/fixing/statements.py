"""Which constraints are stated: those that trials prove, that are not written yet, and that say
most in few words."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

import msgspec

from knitbone.fuzzing.classification.documentation import Documentation, read_documentation
from knitbone.fuzzing.classification.promises import examples, has_grammar, lists_value, shape
from knitbone.fuzzing.fixing.concerned import properties_of, values_at, with_value
from knitbone.fuzzing.fixing.counting import keeps
from knitbone.fuzzing.fixing.decisions import normalised_arguments, suggested_by_decisions
from knitbone.fuzzing.fixing.kinds import KINDS, is_as_spelled
from knitbone.fuzzing.fixing.observation import ObservedCall
from knitbone.fuzzing.fixing.origin import (
    LiveValues,
    SourceConstants,
    announces_secret,
    is_of_source,
    shows_secret,
)
from knitbone.fuzzing.fixing.plain_calls import oddness, plainest_call, words_in
from knitbone.fuzzing.fixing.reading import read_constraints
from knitbone.fuzzing.fixing.records import (
    ConcernedValue,
    Constraint,
    ConstraintKind,
    ProvenStatement,
)
from knitbone.fuzzing.fixing.refusals import suggested_by_refusals
from knitbone.fuzzing.fixing.trials import RELATIONS, ConstraintTrials, contradicts_call
from knitbone.fuzzing.fixing.wording import (
    is_showable,
    is_whole,
    naming_sentence,
    quoted,
    sentence,
)
from knitbone.fuzzing.generate.examples import shown_examples
from knitbone.fuzzing.generate.told import told_of
from knitbone.fuzzing.records import Finding, ToolUnderTest
from knitbone.record.events import Json

__all__ = [
    "MOST_WORDS",
    "Statements",
    "chosen_statements",
    "is_of_clock",
    "live_values",
    "sentences",
    "shown_values",
]

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
    for constraint in _in_order(suggested):
        is_hidden = shows_secret(constraint, constants, properties_of(tool))
        is_own = not is_hidden and is_of_source(constraint, constants)
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
    told = [value for f in findings for value in told_of(f.says, f.arguments)]
    written = "\n".join([tool.documentation, *_texts_of(properties_of(tool))])
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
    field: Any = properties_of(tool).get(of.argument)
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


def _in_order(suggested: Sequence[Constraint]) -> list[Constraint]:
    known: dict[bytes, Constraint] = {}
    for constraint in suggested:
        alike = msgspec.structs.replace(constraint, origin="decision")
        known.setdefault(msgspec.json.encode(alike), constraint)
    return sorted(
        known.values(), key=lambda c: (_FIRST.index(c.kind), c.value == "json", c.of.is_part)
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
    texts = [tool.documentation, *_texts_of(properties_of(tool)), *(s.text for s in statements)]
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
