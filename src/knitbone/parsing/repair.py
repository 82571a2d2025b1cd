"""``knitbone.repair``: the value in a text, in the shape that is wanted, and what was changed.

The flow: a text that is well formed and accepted is delivered as it is. Else the parts of the text
that may be the document are found (a fence, what prose surrounds), each is read by the least-cost
reader, and one decision says which reading is meant (``decision.py``).
"""

from __future__ import annotations

import bisect
import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple, cast

import msgspec

from knitbone.common.structured.changes import written_path
from knitbone.common.structured.drafts import DocumentDraft
from knitbone.common.structured.toml_text import mend_toml, read_toml, toml_parts
from knitbone.common.structured.yaml_text import mend_yaml, read_yaml, yaml_parts
from knitbone.errors import RepairRefused
from knitbone.parsing.csv_grammar import header_of, parse_csv, tables_of, write_csv
from knitbone.parsing.decision import SEVERAL, DocumentCandidate, DocumentDecision, decide
from knitbone.parsing.formats import FENCE, DocumentFormat, columns_of, format_of, recognised
from knitbone.parsing.json_values import parse_json
from knitbone.parsing.targets import RepairTarget, target_of, written

__all__ = ["RepairEdit", "RepairResult", "repair"]

_SHOWN = 80
MAX_TEXT = 4_000_000
"""Characters of a text that is searched for a repair; a longer one is only parsed."""


class RepairEdit(msgspec.Struct, frozen=True, kw_only=True):
    """One change."""

    place: str
    """Where: ``line 3, column 7`` of the text, or the path to a value such as ``items[2].qty``."""
    before: str
    after: str
    rule: str
    """What was done, in plain words."""


class RepairResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a text."""

    ok: bool
    value: Any = None
    """In the type of the target; ``None`` where ``ok`` is false."""
    text: str = ""
    """The document in its notation, repaired; the text itself where ``ok`` is false."""
    edits: tuple[RepairEdit, ...] = ()
    """Empty: the text was well formed, and the target accepts it."""
    refusal: str = ""
    """Why there is no value."""
    complete: bool = True
    """Of a part of a text (``partial=True``): whether the document has ended."""

    def unwrap(self) -> Any:
        """Return the value.

        Raises:
            RepairRefused: there is none.
        """
        if not self.ok:
            raise RepairRefused(f"The text was not read: {self.refusal}.", self)
        return self.value


class _TextPart(NamedTuple):
    """A part of a text that may be the document."""

    start: int
    end: int
    rule: str = ""


def repair(text: str, target: Any = None, *, example: Any = None) -> RepairResult:
    """Read the value in a text, in the shape that is wanted.

    Args:
        text: what a model wrote: the document, with or without faults, prose and fences.
        target: a JSON Schema, a list of keys, a dataclass, TypedDict or Enum, any type that
            pydantic validates (where it is installed), a tool's schema, or the name of a format
            (``json``, ``jsonl``, ``python``, ``xml``, ``csv``, ``yaml``, ``toml``). ``None``: any
            object or list. Where it is no name, the format is recognised: XML by its tags, rows by
            the names of their columns, others by the tag of their fence; else it is JSON.
        example: a value of the wanted shape, from which keys and types are taken where there is no
            target.

    Returns:
        the value and every change, or the reason why there is no value. What is in the text never
        makes it raise.

    The value of XML is what its outermost element holds: a text, or a dictionary from the names of
    its elements to their values, a list where a name stands more than once. ``@name`` is an
    attribute (where the target has keys, only those that it names), ``#text`` the text of an
    element that has more than text. The value of rows (CSV, a Markdown table) is a list of records
    of texts by the names in the first row. A schema or a type turns the texts into numbers and the
    like, which is no change. JSON Lines give a list; a broken line is repaired alone.

    Raises:
        SchemaError: the target describes no value.
        MissingExtraError: YAML is to be read, and PyYAML is not installed.
        TypeError: the text is no text.
    """
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance] - callers vary
        raise TypeError(f"repair() reads a text, and was given {type(text).__name__}")
    wanted = target if isinstance(target, RepairTarget) else target_of(target, example)
    name = wanted.format or recognised(text, wanted)
    if name == "jsonl":
        return _repair_lines(text)
    if name in _LINE_FORMATS:
        return _LINE_FORMATS[name](text)
    form = format_of(name, wanted, text)
    plain = _read_plainly(text, wanted, form)
    if plain is not None:
        return plain
    if len(text) > MAX_TEXT:
        return _refused(
            text, f"it has {len(text)} characters; faults are looked for in up to {MAX_TEXT}"
        )
    if name == "csv" and (rewritten := _rewritten_table(text, wanted, form)) is not None:
        return rewritten
    decision = _decide(text, form, name, wanted)
    if decision.chosen is None:
        return _refused(text, _told(decision))
    result = _delivered(text, decision.chosen, wanted, form)
    return _with_commas(result, form) if name == "csv" else result


def _read_plainly(text: str, target: RepairTarget, form: DocumentFormat) -> RepairResult | None:
    """Read a text that is well formed and accepted; ``None`` where it is not."""
    if not form.in_json:
        try:
            value = form.grammar.parse(text.strip() if target.format == "python" else text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return None
        if target.format == "python":
            return RepairResult(ok=True, value=value, text=text)
        verdict = form.judge.judge(value, text)
        if isinstance(verdict, str) or verdict.changes:
            return None
        return RepairResult(ok=True, value=verdict.value, text=text)
    try:
        if target.loads:
            parse_json(text)  # a key that stands twice
            return RepairResult(ok=True, value=target.loaded(text), text=text)
        value = json.loads(text)
        if target.schema is not None and not target.schema.accepts(value):
            return None
        parse_json(text)
    except (ValueError, RecursionError, MemoryError):
        return None
    return RepairResult(ok=True, value=value, text=text)


def _rewritten_table(text: str, target: RepairTarget, form: DocumentFormat) -> RepairResult | None:
    """Read a Markdown table, or rows with blanks behind every delimiter; their rows must have as
    many cells as the first one."""
    keys = columns_of(target)
    start = header_of(text, keys) if keys else 0
    for rule, rows in tables_of(text[start or 0 :]):
        document = write_csv(rows)
        try:
            verdict = form.judge.judge(parse_csv(document), document)
        except ValueError:
            continue
        if not isinstance(verdict, str) and not verdict.changes:
            edit = RepairEdit(place="line 1, column 1", before=text[:_SHOWN], after="", rule=rule)
            return RepairResult(ok=True, value=verdict.value, text=document, edits=(edit,))
    return None


def _with_commas(result: RepairResult, form: DocumentFormat) -> RepairResult:
    """The result with the text as RFC 4180 has it, where another mark stands between cells."""
    delimiter = form.delimiter
    if delimiter == "," or not result.ok:
        return result
    rows = list(csv.reader(io.StringIO(result.text, newline=""), delimiter=delimiter))
    edit = RepairEdit(
        place="line 1, column 1", before=delimiter, after=",", rule="other delimiter -> comma"
    )
    return msgspec.structs.replace(result, text=write_csv(rows), edits=(*result.edits, edit))


def _repair_lines(text: str) -> RepairResult:
    """Read one document a line; a broken line is repaired alone."""
    values: list[Any] = []
    lines: list[str] = []
    edits: list[RepairEdit] = []
    rows = [(n, row) for n, row in enumerate(text.split("\n"), 1) if row.strip()]
    held = [n for n, row in rows if _OPENER.search(row)]
    for number, row in rows:
        if not held or not held[0] <= number <= held[-1]:
            edit = RepairEdit(
                place=f"line {number}, column 1", before=row[:200], after="",
                rule="text around the document removed",
            )  # fmt: skip
            edits.append(edit)
            continue
        one = repair(row, _ANY_JSON)
        if not one.ok:
            return _refused(text, f"line {number}: {one.refusal}")
        values.append(one.value)
        lines.append(one.text)
        edits += [
            msgspec.structs.replace(edit, place=edit.place.replace("line 1,", f"line {number},"))
            for edit in one.edits
        ]
    if not lines:
        return _refused(text, "no document was found in it")
    return RepairResult(
        ok=True, value=values, text="\n".join(lines) if edits else text, edits=tuple(edits)
    )


_ANY_JSON = RepairTarget(format="json")


def _read_first(
    text: str,
    drafts: Iterable[DocumentDraft],
    read: Callable[[str], tuple[Any] | None],
    mend: Callable[[str, frozenset[str]], DocumentDraft | None],
) -> RepairResult:
    """Read a text, or its parts, as they are, else mended; all that can be read must agree."""
    nothing = frozenset[str]()
    parts = [DocumentDraft(text), *drafts]
    for mended in (False, True):
        found: list[tuple[Any, DocumentDraft]] = []
        for part in parts:
            draft: DocumentDraft | None = part
            if mended and (draft := mend(part.text, nothing)) is not None:
                draft = draft._replace(rules=(*part.rules, *draft.rules))
            value = read(draft.text) if draft is not None else None
            if draft is not None and value is not None and isinstance(value[0], dict | list):
                found.append((cast("Any", value[0]), draft))
                if not draft.rules:
                    return RepairResult(ok=True, value=value[0], text=text)
        if found and all(repr(value) == repr(found[0][0]) for value, _ in found):
            value, draft = found[0]
            edits = tuple(
                RepairEdit(place="line 1, column 1", before="", after="", rule=rule)
                for rule in draft.rules
            )
            return RepairResult(ok=True, value=value, text=draft.text, edits=edits)
        if found:
            return _refused(text, "several documents fit, and say different things")
    return _refused(text, "no document was found in it")


def _repair_yaml(text: str) -> RepairResult:
    return _read_first(text, yaml_parts(text, frozenset()), read_yaml, mend_yaml)


def _repair_toml(text: str) -> RepairResult:
    return _read_first(text, toml_parts(text, frozenset()), read_toml, mend_toml)


_LINE_FORMATS: dict[str, Callable[[str], RepairResult]] = {
    "yaml": _repair_yaml,
    "toml": _repair_toml,
}


_MOST_PARTS = 16
_OPENER = re.compile(r"[\[{｛［(]")  # noqa: RUF001


def _decide(text: str, form: DocumentFormat, name: str, target: RepairTarget) -> DocumentDecision:
    """Look for the document in the parts of a text."""
    decisions: list[tuple[_TextPart, DocumentDecision]] = []
    for part in _parts(text, name, columns_of(target)):
        decision = decide(text, form.judge, form.grammar, start=part.start, end=part.end)
        if decision.refusal == SEVERAL:
            decision = _same_document(text, part, form)
        decisions.append((part, decision))
    chosen = [one for _, one in decisions if one.chosen is not None]
    if not chosen:
        return (
            decisions[0][1] if decisions else DocumentDecision(None, "there is no document in it")
        )
    first = cast("DocumentCandidate", chosen[0].chosen)
    for other in chosen[1:]:
        second = cast("DocumentCandidate", other.chosen)
        if second.value != first.value:
            return DocumentDecision(
                None, "several documents fit, and say different things", (first, second)
            )
    return chosen[0]


def _same_document(text: str, part: _TextPart, form: DocumentFormat) -> DocumentDecision:
    """Read documents that follow one another: they must say the same."""
    first: DocumentDecision | None = None
    start = part.start
    for _ in range(_MOST_PARTS):
        decision = decide(text, form.judge, form.grammar, start=start, end=part.end, several=True)
        chosen = decision.chosen
        if chosen is None:
            return DocumentDecision(None, SEVERAL)
        if first is not None and first.chosen is not None and first.chosen.value != chosen.value:
            return DocumentDecision(
                None, "several documents fit, and say different things", (first.chosen, chosen)
            )
        first = first or decision
        start = chosen.end + len(_BETWEEN.match(text, chosen.end)[0])  # type: ignore[index]
        if not text[start : part.end].strip():
            return first
    return DocumentDecision(None, SEVERAL)


_BETWEEN = re.compile(r"[\s,;]*")


def _parts(text: str, name: str, keys: tuple[str, ...]) -> Iterator[_TextPart]:
    """Yield what may be the document: each fence, or the whole text."""
    marks = list(islice(FENCE.finditer(text), 2 * _MOST_PARTS))
    if marks and text.lstrip()[:1] not in ("{", "[", *("<" if name == "xml" else "")):
        for index in range(0, len(marks), 2):
            end = marks[index + 1].start() if index + 1 < len(marks) else len(text)
            if text[marks[index].end() : end].strip():
                yield _TextPart(marks[index].end(), end, "fence removed")
        return
    start = header_of(text, keys) if name == "csv" and keys else 0
    yield _TextPart(start or 0, len(text))


def _refused(text: str, reason: str) -> RepairResult:
    return RepairResult(ok=False, text=text, refusal=reason)


def _told(decision: DocumentDecision) -> str:
    if not decision.rivals:
        return decision.refusal
    both = [_shortened(one) for one in decision.rivals]
    return f"{decision.refusal}: {both[0]}, or {both[1]}"


def _shortened(one: DocumentCandidate) -> str:
    changes = [edit.rule for edit in one.edits] + [change.rule for change in one.changes]
    shown = one.text if len(one.text) <= _SHOWN else one.text[:_SHOWN] + "…"
    return f"{', '.join(changes[:4]) or 'as it stands'} (gives {shown})"


def _delivered(
    text: str, chosen: DocumentCandidate, target: RepairTarget, form: DocumentFormat
) -> RepairResult:
    place = _places(text)
    edits = [
        RepairEdit(
            place=place(edit.start),
            before=text[edit.start : edit.end],
            after=edit.new,
            rule=edit.rule,
        )
        for edit in chosen.edits
    ]
    before, behind = text[: chosen.start].strip(), text[chosen.end :].strip()
    if before or behind:
        edits.append(
            RepairEdit(
                place=place(0),
                before=(before or behind)[:200],
                after="",
                rule="text around the document removed",
            )
        )
    edits += [
        RepairEdit(place=written_path(change.path), before="", after="", rule=change.rule)
        for change in chosen.changes
    ]
    document, value = chosen.text, chosen.value
    if form.in_json:
        document = written(document, chosen.plain, chosen.changes)
        value = value if target.loads else json.loads(document)
    return RepairResult(ok=True, value=value, text=document, edits=tuple(edits))


def _places(text: str) -> Callable[[int], str]:
    """Line and column of a place in a text."""
    starts = [0, *(mark.end() for mark in re.finditer("\n", text))]

    def place(at: int) -> str:
        line = bisect.bisect_right(starts, at)
        return f"line {line}, column {at - starts[line - 1] + 1}"

    return place
