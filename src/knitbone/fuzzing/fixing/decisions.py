"""What a tool's own decisions suggest of its arguments.

A decision that came out the same in every call that the tool took, and otherwise in a call that it
refused, suggests that the outcome is needed. What is suggested is only a supposition: ``trials.py``
asks the tool.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, cast

import msgspec

from knitbone.fuzzing.fixing.constraint_values import concerned, pattern_text
from knitbone.fuzzing.fixing.observation import ObservedCall
from knitbone.fuzzing.fixing.origin import SHOWING
from knitbone.fuzzing.fixing.records import (
    CodePlace,
    ConcernedValue,
    Constraint,
    ConstraintKind,
)
from knitbone.fuzzing.trace.terms import UNKNOWN, CallTrace, Event, Term

__all__ = ["normalised_arguments", "suggested_by_decisions"]

_MOST_VALUES = 24
"""Values that a list in a documentation may have."""
_READ = 8_000
"""Characters of a text that is read as JSON."""
_FORMS = {
    "json.loads": "json",
    "uuid.UUID": "uuid",
    "datetime.date.fromisoformat": "iso date",
    "datetime.datetime.fromisoformat": "iso datetime",
    "datetime.time.fromisoformat": "iso time",
    "ipaddress.ip_address": "ip address",
    "ipaddress.ip_network": "ip network",
    "base64.b64decode": "base64",
    "base64.standard_b64decode": "base64",
    "bytes.fromhex": "hexadecimal",
    "binascii.unhexlify": "hexadecimal",
}
_CONVERSIONS: dict[str, ConstraintKind] = {
    "int": "whole number", "float": "number", "decimal.Decimal": "number",
}  # fmt: skip
_DIVISIONS = frozenset({"operator.truediv", "operator.floordiv", "operator.mod"})
_COMPARED: dict[str, tuple[ConstraintKind, ConstraintKind]] = {
    "operator.lt": ("below", "minimum"),
    "operator.le": ("maximum", "above"),
    "operator.gt": ("above", "maximum"),
    "operator.ge": ("minimum", "below"),
}
"""What a comparison with a number demands where it must be true, and where it must be false."""
_MIRRORED = {"operator.lt": "operator.gt", "operator.le": "operator.ge",
             "operator.gt": "operator.lt", "operator.ge": "operator.le"}  # fmt: skip
_OTHER_END: dict[ConstraintKind, ConstraintKind] = {"maximum": "minimum", "below": "above"}
_TESTS = {
    "isdigit": "[0-9]+", "isdecimal": "[0-9]+", "isnumeric": "[0-9]+", "isalpha": "[A-Za-z]+",
    "isalnum": "[A-Za-z0-9]+",
}  # fmt: skip


_TRIMMED = frozenset(
    f".str.{name}"
    for name in ("strip", "lstrip", "rstrip", "replace", "removeprefix", "removesuffix",
                 "translate")
)  # fmt: skip
_VARIANTS = frozenset({".str.startswith", ".str.endswith"})


class _CodeSite:
    """What was seen at one place of the code."""

    def __init__(self) -> None:
        self.accepted: set[bool] = set()
        self.refused: set[bool] = set()
        self.events: list[tuple[Event, CallTrace]] = []


def suggested_by_decisions(calls: Sequence[ObservedCall]) -> list[Constraint]:
    """The constraints that the decisions of a campaign's calls suggest, each once."""
    found = [
        _placed(constraint, _places(event, trace, constraint.kind))
        for site in _sites(calls)
        if (needed := _needed(site)) is not None
        for event, trace in site.events
        for constraint in _constraints(event, needed)
    ]
    found += _chains(calls)
    found += _documents(calls)
    return list({msgspec.json.encode(constraint): constraint for constraint in found}.values())


def normalised_arguments(calls: Sequence[ObservedCall]) -> frozenset[str]:
    """The arguments of which the tool takes off or replaces more than blanks, or whose beginning
    or end it looks at, or for a part of which, without need: what it reads of them is not what is
    written."""
    found = set[str]()
    told: dict[int, set[bool]] = defaultdict(set)
    for call in calls:
        for event in call.trace.events:
            term, outcome = _condition(event.term, event.outcome)
            if event.kind == "branch" and _is_variant(term) and call.accepted:
                told[event.site].add(outcome)
    for call in calls:
        for event in call.trace.events:
            if event.kind == "branch" and False in told.get(event.site, ()):
                found.update(_arguments_in(event.term))
            queue: list[Any] = [event.term]
            for item in queue:
                if type(item) is not Term:
                    continue
                queue.extend(item.args if item.op != "input" else ())
                if _changes_more_than_blanks(item):
                    found.update(_arguments_in(item))
    return frozenset(found)


def _condition(term: Term, outcome: bool) -> tuple[Term, bool]:
    """What a condition asks in the end, and how that came out."""
    while term.op in ("operator.not_", "operator.truth", "bool") and type(term.args[0]) is Term:
        outcome = outcome != (term.op == "operator.not_")
        term = term.args[0]
    return term, outcome


def _is_variant(term: Term) -> bool:
    """Whether it asks how a text begins or ends, or for a part of it."""
    within = term.op == "in" and isinstance(term.args[0], str) and type(term.args[1]) is Term
    return within or term.op in _VARIANTS


def _changes_more_than_blanks(term: Term) -> bool:
    if term.op in _TRIMMED:
        return any(not isinstance(a, str) or bool(a.strip()) for a in term.args[1:])
    return term.op == "re.sub"


def _arguments_in(term: Term) -> Iterator[str]:
    queue: list[Any] = [term]
    for item in queue:
        if type(item) is Term:
            if item.op == "input":
                yield str(item.args[0][0])
            else:
                queue.extend(item.args)


def _sites(calls: Sequence[ObservedCall]) -> list[_CodeSite]:
    sites: dict[tuple[int, str], _CodeSite] = defaultdict(_CodeSite)
    for call in calls:
        for event in call.trace.events:
            site = sites[event.site, event.kind]
            if call.accepted is not None:
                (site.accepted if call.accepted else site.refused).add(event.outcome)
            if len(site.events) < _MOST_VALUES:
                site.events.append((event, call.trace))
    return list(sites.values())


def _places(event: Event, trace: CallTrace, kind: ConstraintKind) -> set[CodePlace]:
    """Where what a constraint's words show comes from: where it was decided, if its kind shows a
    value, and where the texts were taken apart that it is about."""
    queue: list[Any] = [event.term]
    for item in queue:
        if type(item) is Term and item.op != "input":
            queue.extend(item.args)
    splits = {id(t) for t in queue if type(t) is Term and t.op == ".str.split"}
    known = {id(e.term): e.site for e in trace.events} if splits else {}
    sites = {known.get(split, -1) for split in splits}
    sites |= {event.site} if kind in SHOWING else set()
    return {CodePlace(*trace.places.get(site, ("", 0, ""))) for site in sites}


def _placed(constraint: Constraint, places: set[CodePlace]) -> Constraint:
    return msgspec.structs.replace(constraint, places=tuple(sorted(places)))


def _needed(site: _CodeSite) -> bool | None:
    """The outcome that calls need at a place to be taken, where there seems to be one."""
    if len(site.accepted) != 1:
        return None
    needed = next(iter(site.accepted))
    return needed if (not needed) in site.refused else None


def _constraints(event: Event, needed: bool) -> Iterator[Constraint]:
    term = event.term
    if event.kind == "call":
        if needed:
            yield from _of_call(term)
        return
    yield from _of_condition(*_condition(term, needed))


def _of_call(term: Term) -> Iterator[Constraint]:
    first = term.args[0] if term.args else None
    if term.op in _FORMS:
        yield from _made("form", concerned(first), _FORMS[term.op])
    elif term.op in _CONVERSIONS:
        yield from _made(_CONVERSIONS[term.op], concerned(first))
    elif term.op == "datetime.datetime.strptime" and isinstance(term.args[1], str):
        yield from _made("date", concerned(first), term.args[1])
    elif term.op in _DIVISIONS:
        yield from _made("not zero", concerned(term.args[1]))
    elif term.op == "unpack" and type(first) is Term:
        yield from _of_parts(first, term.args[1])
    elif term.op in ("operator.getitem", "member", ".tuple.index", ".list.index"):
        yield from _of_look_up(term)


def _of_look_up(term: Term) -> Iterator[Constraint]:
    held, key = term.args[0], term.args[1]
    if type(key) is not Term:
        return
    positions = term.op == "operator.getitem" and isinstance(held, list | tuple)
    if positions:
        yield from _made("maximum", concerned(key), len(cast("Any", held)) - 1)
    else:
        yield from _listed(concerned(key), held)


def _of_condition(term: Term, needed: bool) -> Iterator[Constraint]:
    if term.op == "in" and needed:
        if _is_length(term.args[0]):
            yield from _lengths(term.args[0], term.args[1])
        else:
            yield from _listed(concerned(term.args[0]), term.args[1])
    elif term.op == "operator.le" and _is_set(term.args[0]) and needed:
        whole = concerned(term.args[0].args[0])
        if whole is not None and not whole.is_part:
            items = msgspec.structs.replace(whole, path=(*whole.path, "*"))
            yield from _listed(items, term.args[1])
    elif term.op in _COMPARED:
        yield from _of_comparison(term, needed)
    elif term.op in ("operator.eq", "operator.ne"):
        yield from _of_equality(term, needed == (term.op == "operator.eq"))
    elif term.op in ("re.fullmatch", "re.match", "re.search") and needed:
        yield from _of_pattern(term)
    elif term.op in (".str.startswith", ".str.endswith") and needed:
        kind: ConstraintKind = "prefix" if term.op.endswith("startswith") else "suffix"
        one = term.args[1]
        affixes = list(cast("Any", one)) if isinstance(one, list | tuple) else [one]
        if all(isinstance(affix, str) for affix in affixes):
            yield from _made(kind, concerned(term.args[0]), affixes)
    elif term.op.startswith(".str.is") and needed:
        if (pattern := _TESTS.get(term.op.removeprefix(".str."))) is not None:
            yield from _made("pattern", concerned(term.args[0]), pattern)
    elif needed:
        yield from _made("not empty", concerned(term))


def _of_comparison(term: Term, needed: bool) -> Iterator[Constraint]:
    op, (left, right) = term.op, term.args
    if type(left) is Term and type(right) is Term:
        first, second = concerned(left), concerned(right)
        if first is None or second is None or not (_is_plain(first) and _is_plain(second)):
            return
        lesser = (op in ("operator.lt", "operator.le")) == needed
        before, after = (first, second) if lesser else (second, first)
        if before.argument != after.argument:
            yield Constraint(kind="before", of=before, other=after.argument)
        return
    if type(left) is not Term:
        op, left, right = _MIRRORED[op], right, left
    if isinstance(right, bool) or not isinstance(right, int | float):
        return
    kind = _COMPARED[op][0 if needed else 1]
    if _is_length(left):
        size = int(right) + {"above": 1, "below": -1}.get(kind, 0)
        kind = "shortest" if kind in ("minimum", "above") else "longest"
        if size > 0:
            yield from _made("not empty" if (kind, size) == ("shortest", 1) else kind,
                             concerned(left.args[0]), None if size == 1 and kind == "shortest"
                             else size)  # fmt: skip
        return
    yield from _made(kind, concerned(left), right)
    if left.op == "abs" and kind in _OTHER_END:
        yield from _made(_OTHER_END[kind], concerned(left), -right)


def _of_equality(term: Term, equal: bool) -> Iterator[Constraint]:
    left, right = term.args
    if type(left) is not Term:
        left, right = right, left
    if type(left) is not Term or type(right) is Term:
        return
    if not equal:
        if right == 0 and not isinstance(right, bool | str):
            of = concerned(left.args[0]) if _is_length(left) else concerned(left)
            yield from _made("not empty" if _is_length(left) else "not zero", of)
        elif right == "":
            yield from _made("not empty", concerned(left))
    elif _is_length(left):
        held = left.args[0]
        if isinstance(right, int) and type(held) is Term:
            if held.op == ".str.split":
                yield from _of_parts(held, right)
            else:
                yield from _made("shortest", concerned(held), right)
                yield from _made("longest", concerned(held), right)


def _of_parts(split: Term, count: Any) -> Iterator[Constraint]:
    if split.op == "each" and type(split.args[0]) is Term:
        split = split.args[0]
    if split.op != ".str.split" or len(split.args) < 2 or not isinstance(count, int):
        return
    if isinstance(split.args[1], str) and count > 1:
        yield from _made("parts", concerned(split.args[0]), [split.args[1], count])


def _of_pattern(term: Term) -> Iterator[Constraint]:
    pattern: Any = term.args[0]
    text = pattern_text(pattern)
    if text is None or len(term.args) < 2:
        return
    if isinstance(pattern, re.Pattern) and cast("Any", pattern).flags & ~re.UNICODE.value:
        return  # other rules of reading: an expression alone would say something else
    if term.op == "re.match" and not text.endswith(("$", r"\Z")):
        text = f"(?:{text}).*"
    elif term.op == "re.search":
        return
    yield from _made("pattern", concerned(term.args[1]), text)


def _lengths(length: Term, sizes: Any) -> Iterator[Constraint]:
    numbers = sorted(n for n in sizes if isinstance(n, int)) if _is_collection(sizes) else []
    if numbers and numbers == list(range(numbers[0], numbers[-1] + 1)):
        yield from _made("shortest", concerned(length.args[0]), numbers[0])
        yield from _made("longest", concerned(length.args[0]), numbers[-1])


def _chains(calls: Sequence[ObservedCall]) -> Iterator[Constraint]:
    """A value that is compared with one constant after the other, and refused where none is it."""
    compared: dict[bytes, dict[Any, None]] = defaultdict(dict)
    values: dict[bytes, ConcernedValue] = {}
    places: dict[bytes, set[CodePlace]] = defaultdict(set)
    taken: dict[bytes, list[bool]] = defaultdict(list)
    for call in calls:
        outcomes: dict[bytes, bool] = {}
        for event in call.trace.events:
            term = event.term
            if event.kind != "branch" or term.op != "operator.eq" or type(term.args[0]) is not Term:
                continue
            of, constant = concerned(term.args[0]), term.args[1]
            if of is None or not isinstance(constant, str) or not constant:
                continue
            key = msgspec.json.encode(of)
            values[key] = of
            places[key] |= _places(event, call.trace, "values")
            compared[key].setdefault(constant)
            outcomes[key] = outcomes.get(key, False) or event.outcome
        for key, outcome in outcomes.items():
            if call.accepted:
                taken[key].append(outcome)
    for key, constants in compared.items():
        if len(constants) > 1 and taken[key] and all(taken[key]):
            for listed in _listed(values[key], list(constants)):
                yield _placed(listed, places[key])


def _documents(calls: Sequence[ObservedCall]) -> Iterator[Constraint]:
    """The outermost shape of texts that are JSON, where the tool took one shape only."""
    taken: dict[str, set[str]] = defaultdict(set)
    refused: dict[str, set[str]] = defaultdict(set)
    for call in calls:
        for name, text in call.arguments.items():
            if isinstance(text, str) and call.accepted is not None:
                (taken if call.accepted else refused)[name].add(_shape_of(text))
    for name, found in taken.items():
        shapes = found - {"empty"}
        form = _SHAPES.get(next(iter(shapes))) if len(shapes) == 1 else None
        if form is not None and refused[name] - shapes - {"empty", "other"}:
            yield Constraint(kind="form", of=ConcernedValue(argument=name), value=form)


_SHAPES = {"objects": "json objects", "list": "json list", "object": "json object"}


def _shape_of(text: str) -> str:
    try:
        value: Any = json.loads(text[:_READ])
    except (ValueError, RecursionError):
        return "other"
    if isinstance(value, dict):
        return "object"
    if not isinstance(value, list):
        return "value"
    items = cast("list[Any]", value)
    if not items:
        return "empty"
    return "objects" if all(isinstance(item, dict) for item in items) else "list"


def _listed(of: ConcernedValue | None, held: Any) -> Iterator[Constraint]:
    if of is None or not _is_collection(held):
        return
    members: list[Any] = [m for m in held if isinstance(m, str | int) and m is not UNKNOWN]
    if len(members) == len(held) and 0 < len(members) <= _MOST_VALUES:
        if isinstance(held, set | frozenset):
            members = sorted(members, key=str)
        yield from _made("values", of, members)


def _made(
    kind: ConstraintKind, of: ConcernedValue | None, value: Any = None
) -> Iterator[Constraint]:
    if of is not None:
        yield Constraint(kind=kind, of=of, value=value)


def _is_collection(value: Any) -> bool:
    return isinstance(value, list | tuple | set | frozenset | dict)


def _is_length(term: Any) -> bool:
    return type(term) is Term and term.op == "len" and type(term.args[0]) is Term


def _is_set(term: Any) -> bool:
    return type(term) is Term and term.op in ("set_of", "set", "frozenset")


def _is_plain(of: ConcernedValue) -> bool:
    return not of.path and not of.is_part
