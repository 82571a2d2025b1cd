"""Which of the readings of a text is delivered, if any.

The reader proposes readings with their costs (``search.py``), the target says which of them it
accepts and what it takes to make it do so (``schema.py``). The cheapest is delivered if it is
ahead of every reading with *another value* by a margin; otherwise both are named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, cast

from knitbone.common.structured.changes import ValueChange
from knitbone.common.structured.json_escapes import IN_DOUBT, escaped
from knitbone.parsing.costs import COSTS, Costs
from knitbone.parsing.json_values import (
    DuplicateKeyError,
    NoNumberError,
    parse_json,
    same_value,
    write_json,
)
from knitbone.parsing.search import (
    CLOSED_AT_END,
    CUT_OFF,
    DocumentEdit,
    PlaceSchema,
    Reading,
    Search,
)

__all__ = [
    "SEVERAL",
    "DocumentCandidate",
    "DocumentDecision",
    "Grammar",
    "Judge",
    "TargetVerdict",
    "applied",
    "decide",
    "told",
]

_MOST_JUDGED = 60
"""Readings that are put before the target."""
_MOST_PARSED = 3_000_000
"""Characters of all of them, beyond the first three: some seconds."""
_SHOWN = 80
SEVERAL = "another document follows the first one"


class TargetVerdict(NamedTuple):
    """What a target makes of a value."""

    value: Any
    cost: float
    changes: tuple[ValueChange, ...] = ()
    plain: Any = None
    """Where there are changes: the changed value in the terms of JSON."""


class Judge(Protocol):
    """What the value is wanted for."""

    slot: PlaceSchema | None

    def judge(self, value: Any, text: str) -> TargetVerdict | str:
        """Accept a value, with the changes that it takes, or say why not."""
        ...


class Grammar(NamedTuple):
    """How a notation is read."""

    search: Callable[..., Search]
    """Makes the search over a text."""
    parse: Callable[[str], Any]
    """The value of a well-formed document; it raises ``ValueError`` or ``SyntaxError``."""
    blanks: str | None = None
    """Characters around a document that are no part of it; ``None``: all white space."""
    is_settled: bool = True
    """Whether marks of a text that is well formed are never read as others."""
    doubt: Callable[[str, tuple[DocumentEdit, ...], frozenset[str], str], str] | None = None
    """Why it is not sure what a text of a document says, of the document, its edits, the characters
    at which they begin, and what they leave alone; empty where it is."""


class DocumentCandidate(NamedTuple):
    """A reading that the target accepts."""

    cost: float
    value: Any
    text: str
    """The document, repaired; the changes of its value are not made in it."""
    edits: tuple[DocumentEdit, ...]
    changes: tuple[ValueChange, ...]
    plain: Any
    """With changes: the value in the terms of JSON."""
    start: int
    end: int


class DocumentDecision(NamedTuple):
    """The reading that is meant, or why there is none."""

    chosen: DocumentCandidate | None
    refusal: str = ""
    rivals: tuple[DocumentCandidate, ...] = ()
    """Where two are as likely: both."""
    stopped: int = 0
    """The last place that can be read without an edit."""


def completed(edits: tuple[DocumentEdit, ...]) -> tuple[DocumentEdit, ...] | None:
    """The edits with their new texts written out; ``None`` where it is not sure how."""
    done: list[DocumentEdit] = []
    for edit in edits:
        if edit.content is None:
            done.append(edit)
            continue
        content = _plain_escapes(edit.content)
        written = escaped(content)
        if written is None:
            return None
        rules = ", ".join(filter(None, (edit.rule, *written.rules)))
        new = f'"{written.json}"{edit.new}'
        done.append(DocumentEdit(edit.start, edit.end, new, rules or "text rewritten"))
    return tuple(sorted(done, key=lambda e: (e.start, e.end)))


_BRACED = re.compile(r"\\u\{([0-9a-fA-F]{1,5}|10[0-9a-fA-F]{4})\}")
_OVER_ESCAPED = re.compile(r"(?<!\\)\\\\(?=[\"'])")


def _plain_escapes(content: str) -> str:
    """The inside of a text without escapes of other languages: a line that goes on behind a
    backslash, a character in braces, a backslash that was escaped before a quote."""
    if "\\" not in content:
        return content
    content = content.replace("\\\n", "")
    content = _BRACED.sub(lambda m: json.dumps(chr(int(m[1], 16)))[1:-1], content)
    return _OVER_ESCAPED.sub(r"\\", content)


def _written_out(
    text: str, reading: Reading, grammar: Grammar
) -> tuple[tuple[DocumentEdit, ...], str, str]:
    """The edits of a reading, the document that they make, and why it is not sure what a text of
    it says; empty where it is."""
    edits = completed(reading.edits)
    if edits is None:
        return (), "", IN_DOUBT
    document = applied(text, reading.start, reading.end, edits)
    document = document.strip(grammar.blanks).strip("\ufeff")
    if grammar.doubt is None or not edits:
        return edits, document, ""
    bare = tuple(edit._replace(new="") for edit in edits)
    untouched = applied(text, reading.start, reading.end, bare)
    marks = frozenset(text[edit.start : edit.start + 1] for edit in edits)
    return edits, document, grammar.doubt(document, edits, marks, untouched)


def applied(text: str, start: int, end: int, edits: tuple[DocumentEdit, ...]) -> str:
    """The document that edits, in their order, make of a part of a text."""
    parts: list[str] = []
    done = start
    for edit in edits:
        parts += (text[done : edit.start], edit.new)
        done = max(done, edit.end)
    parts.append(text[done:end])
    return "".join(parts)


def decide(  # noqa: PLR0913 - what the reader is told, each on its own
    text: str,
    judge: Judge,
    grammar: Grammar,
    *,
    start: int = 0,
    end: int | None = None,
    as_json: bool = False,
    several: bool = False,
    costs: Costs = COSTS,
    pause: Callable[[], None] = lambda: None,
) -> DocumentDecision:
    """Find the document in ``text[start:end]`` that is meant.

    Args:
        as_json: whether what is read is then written as JSON.
        several: whether another document may follow.
    """
    search = grammar.search(
        text, start, end, slot=judge.slot, costs=costs, several=several, pause=pause
    )
    found: list[DocumentCandidate] = []
    best: float | None = None
    first: int | None = None
    refusal = ""
    judged = parsed = 0
    well_formed = False
    seen: set[str] = set()
    for reading in search.readings():
        if best is not None and reading.cost > search.bound:
            break
        if grammar.is_settled and well_formed and reading.edits and reading.cost >= costs.slip / 2:
            break
        edits, document, doubt = _written_out(text, reading, grammar)
        if doubt:
            refusal = refusal or doubt
            continue
        if document in seen:
            continue
        seen.add(document)
        judged += 1
        parsed += len(document)
        if judged > _MOST_JUDGED or (judged > 3 and parsed > _MOST_PARSED):
            return DocumentDecision(None, "there are too many ways to read it")
        try:
            value = grammar.parse(document)
            if as_json:
                document = write_json(value)
                value = parse_json(document)
        except (DuplicateKeyError, NoNumberError) as error:
            refusal = refusal or str(error)
            well_formed |= not edits or reading.cost < costs.slip / 2
            continue
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        judgement = judge.judge(value, document)
        if isinstance(judgement, str):
            refusal = refusal or judgement
            # What is well formed says what it says: its marks are not read as others.
            well_formed |= not edits or reading.cost < costs.slip / 2
            continue
        total = reading.cost + judgement.cost
        if reading.cost >= search.cut_off - costs.margin and not (
            reading.cost < costs.slip + costs.unlikely
            and edits
            and edits[-1].rule == CLOSED_AT_END
            and _is_whole(value, judge.slot)
        ):
            refusal = CUT_OFF
            continue
        if reading.cost >= costs.unlikely:
            # What speaks against the first reading as well tells nothing.
            against = _unlikely(value)
            first = against if first is None else first
            total += max(-1, min(1, against - first)) * costs.unlikely
        found.append(
            DocumentCandidate(
                total,
                judgement.value,
                document,
                edits,
                judgement.changes,
                judgement.plain,
                reading.start,
                reading.end,
            )
        )
        if best is None or total < best:
            best = total
            search.bound = best + costs.margin + (costs.unlikely if first else 0.0)
    return _decided(found, search, refusal, costs)._replace(stopped=search.stopped)


def _decided(
    found: list[DocumentCandidate], search: Search, refusal: str, costs: Costs
) -> DocumentDecision:
    if search.exhausted and not found:
        if search.cut_off < float("inf"):
            return DocumentDecision(None, CUT_OFF)
        return DocumentDecision(
            None, "it is too far from any document: the search for one was given up"
        )
    if not found:
        if search.another < costs.slip:
            return DocumentDecision(None, SEVERAL)
        if search.cut_off <= costs.slip + costs.unlikely and not refusal:
            return DocumentDecision(None, CUT_OFF)
        if search.another < float("inf"):
            return DocumentDecision(None, refusal or "another document follows, behind a comma")
        return DocumentDecision(None, refusal or search.obstacle() or "no document was found in it")
    if search.another < min(one.cost for one in found) + costs.margin:
        return DocumentDecision(None, SEVERAL)
    found.sort(key=lambda one: one.cost)
    chosen = found[0]
    rival = next(
        (
            one
            for one in found[1:]
            if one.cost < chosen.cost + costs.margin and not same_value(one.value, chosen.value)
        ),
        None,
    )
    if rival is not None:
        return DocumentDecision(None, "it can be read in two ways", (chosen, rival))
    return DocumentDecision(chosen)


def told(decision: DocumentDecision, *, with_text: bool = True) -> str:
    """Why nothing is delivered, in plain words; where two readings are as likely, with both.

    Args:
        with_text: whether the beginning of each document is shown, too.
    """
    if not decision.rivals:
        return decision.refusal
    both = [_shortened(one, with_text=with_text) for one in decision.rivals]
    return f"{decision.refusal}: {both[0]}, or {both[1]}"


def _shortened(one: DocumentCandidate, *, with_text: bool) -> str:
    changes = [edit.rule for edit in one.edits] + [change.rule for change in one.changes]
    shown = one.text if len(one.text) <= _SHOWN else one.text[:_SHOWN] + "…"
    how = ", ".join(changes[:4]) or "as it stands"
    return f"{how} (gives {shown})" if with_text else how


def _is_whole(value: Any, slot: PlaceSchema | None) -> bool:
    """Whether an object whose end was added has every key that the target knows, and so has the
    one that it ends with."""
    if slot is None or not slot.keys or not isinstance(value, dict):
        return False
    members = cast("dict[str, Any]", value)
    if not members.keys() >= slot.keys.keys():
        return False
    last, inner = next(reversed(members.items()))
    return not isinstance(inner, dict) or _is_whole(inner, slot.keys.get(last))


_PLAUSIBLE = re.compile(r"[@#]?[^\W\d][\w .$@/\-]{0,60}|\d{1,12}|", re.UNICODE)


def _unlikely(value: Any) -> int:
    """How much speaks against a value of which nothing is known: keys like no other, records of
    one list with other keys than the rest."""
    against = 0
    pending: list[Any] = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, dict):
            members = cast("dict[Any, Any]", one)
            against += sum(
                isinstance(key, str) and not _PLAUSIBLE.fullmatch(key) for key in members
            )
            pending.extend(members.values())
        elif isinstance(one, list):
            items = cast("list[Any]", one)
            records = [
                frozenset(cast("dict[Any, Any]", item)) for item in items if isinstance(item, dict)
            ]
            if len(records) > 2:
                usual = max(set(records), key=records.count)
                if records.count(usual) * 2 > len(records):
                    against += sum(keys != usual for keys in records)
            if 0 < len(records) < len(items):
                against += 1
            pending.extend(items)
    return against
