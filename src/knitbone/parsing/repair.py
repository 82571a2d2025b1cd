"""``knitbone.repair``: the value in a text, in the shape that is wanted, and what was changed.

The flow: a text that is well formed and accepted is delivered as it is. Else the parts of the text
that may be the document are found (a fence, what prose surrounds), each is read by the least-cost
reader, and one decision says which reading is meant (``decision.py``).
"""

from __future__ import annotations

import bisect
import csv
import html
import io
import json
import re
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeVar, cast, overload

import msgspec

from knitbone.common.structured.changes import Path, written_path
from knitbone.common.structured.drafts import DocumentDraft
from knitbone.common.structured.python_literal import is_large
from knitbone.common.structured.toml_text import mend_toml, read_toml, toml_parts
from knitbone.common.structured.yaml_text import mend_yaml, read_yaml, yaml_parts
from knitbone.parsing.csv_grammar import header_of, parse_csv, tables_of, write_csv
from knitbone.parsing.decision import SEVERAL, DocumentCandidate, DocumentDecision, decide, told
from knitbone.parsing.formats import FENCE, DocumentFormat, columns_of, format_of, recognised
from knitbone.parsing.json_values import (
    DuplicateKeyError,
    NoNumberError,
    parse_json,
    parse_python,
    same_value,
    write_json,
)
from knitbone.parsing.partial import read_part, read_stream, read_stream_async
from knitbone.parsing.records import RepairEdit, RepairResult
from knitbone.parsing.targets import RepairTarget, target_of, written

__all__ = ["RepairEdit", "RepairResult", "repair"]

_T = TypeVar("_T")
_BEGINNING = "line 1, column 1"
_SHOWN = 80
_LONGEST_SHOWN = 200
MAX_TEXT = 4_000_000
"""Characters of a text that is searched for a repair; a longer one is only parsed."""


class _TextPart(NamedTuple):
    """A part of a text that may be the document."""

    start: int
    end: int
    beside: bool = False
    """Whether it stands outside of the fences: it is looked at for a document that contradicts."""


@overload
def repair(
    text: str, target: type[_T], *, example: Any = None, partial: Literal[False] = False
) -> RepairResult[_T]: ...
@overload
def repair(
    text: str, target: Any = None, *, example: Any = None, partial: bool = False
) -> RepairResult[Any]: ...


@overload
def repair(
    text: Iterator[str], target: Any = None, *, example: Any = None, partial: Literal[True]
) -> Iterator[RepairResult[Any]]: ...


@overload
def repair(
    text: AsyncIterator[str], target: Any = None, *, example: Any = None, partial: Literal[True]
) -> AsyncIterator[RepairResult[Any]]: ...


def repair(
    text: str | Iterator[str] | AsyncIterator[str],
    target: Any = None,
    *,
    example: Any = None,
    partial: bool = False,
) -> RepairResult[Any] | Iterator[RepairResult[Any]] | AsyncIterator[RepairResult[Any]]:
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
        TypeError: the text is no text, or a chunk is none.
    """
    wanted = target if isinstance(target, RepairTarget) else target_of(target, example)
    if partial:
        return _partly(text, wanted)
    if not isinstance(text, str):
        raise TypeError(
            f"repair() reads a text, and was given {type(text).__name__}; "
            "pass partial=True to read an iterator of texts"
        )
    return _repaired(text, wanted)


_MOST_LAYERS = 4
"""Times that a document may be encoded, quoted or listed over again."""


def _repaired(text: str, wanted: RepairTarget, layer: int = 0) -> RepairResult[Any]:
    """Read a text of whatever notation.

    Args:
        layer: how often something was taken off it that covered all of it.
    """
    if layer > _MOST_LAYERS:
        return _refused(text, f"it is encoded or quoted more than {_MOST_LAYERS} times")
    name = wanted.format or recognised(text, wanted)
    if name == "jsonl":
        return _repair_lines(text)
    if name in _LINE_FORMATS:
        return _LINE_FORMATS[name](text)
    if name in ("xml", "csv"):
        return _repair_markup(text, wanted, format_of(name, wanted, text))
    plain = _read_plainly(text, wanted, layer)
    if plain is not None:
        return plain
    if len(text) > MAX_TEXT:
        return _refused(
            text, f"it has {len(text)} characters; faults are looked for in up to {MAX_TEXT}"
        )
    python = wanted.format == "python" or _is_python(text)
    if python and is_large(text):
        return _refused(text, "it is a Python literal that is too large to be parsed")
    form = format_of("python" if python else "json", wanted, text)
    decision = _decide(text, form, wanted)
    if decision.chosen is None:
        return _read_covered(text, wanted, layer) or _refused(text, told(decision))
    return _delivered(text, decision.chosen, wanted, form)


def _partly(
    text: str | Iterable[str] | AsyncIterable[str], target: RepairTarget
) -> RepairResult[Any] | Iterator[RepairResult[Any]] | AsyncIterator[RepairResult[Any]]:
    def whole(document: str) -> RepairResult[Any]:
        return _repaired(document, target)

    if isinstance(text, str):
        return read_part(text, target, whole)
    if isinstance(text, AsyncIterable):
        return read_stream_async(text, target, whole)
    if isinstance(text, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] - callers vary
        return read_stream(text, target, whole)
    raise TypeError(
        f"repair(partial=True) reads a text or an iterator of texts, and was given "
        f"{type(text).__name__}"
    )


def _read_plainly(text: str, target: RepairTarget, layer: int) -> RepairResult[Any] | None:
    """Read a text that is well formed; ``None`` where it is not.

    What is well formed says what it says: where the target refuses it, only its values are
    changed, and no mark is read as another.
    """
    python = target.format == "python"
    try:
        value = parse_python(text) if python else parse_json(text, strict=True)
    except (DuplicateKeyError, NoNumberError) as error:
        return _refused(text, str(error))
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    if target.schema is None:
        if isinstance(value, str) and not python:
            return _read_encoded(text, value, target, layer)
        return RepairResult(ok=True, value=value if python else json.loads(text), text=text)
    verdict = target.judge(value, text)
    if isinstance(verdict, str):
        return _refused(text, verdict)
    if not verdict.changes:
        value = verdict.value if python or target.loads else json.loads(text)
        return RepairResult(ok=True, value=value, text=text)
    whole = DocumentCandidate(
        verdict.cost, verdict.value, text, (), verdict.changes, verdict.plain, 0, len(text)
    )
    return _delivered(text, whole, target, format_of("json", target, text))


def _read_encoded(text: str, value: str, target: RepairTarget, layer: int) -> RepairResult[Any]:
    """Read a document that is the content of a text of JSON."""
    if value.lstrip()[:1] not in ("{", "[", '"'):
        return RepairResult(ok=True, value=value, text=text)
    inner = _repaired(value, target, layer + 1)
    edit = RepairEdit(place=_BEGINNING, before=_cut(text), after="", rule="encoded twice -> once")
    if not inner.ok:
        return inner
    return RepairResult(ok=True, value=inner.value, text=inner.text, edits=(edit, *inner.edits))


_THOUGHTS = re.compile(r"\s*<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_LINE_MARKS = (
    re.compile(r"[ \t]*>[ ]?"),
    re.compile(r"\+"),
    re.compile(r"[ \t]*\d+[ \t]?[|:.)][ ]?"),
)
"""What stands before each line of a quotation, of a diff, of a listing."""


def _read_covered(text: str, target: RepairTarget, layer: int) -> RepairResult[Any] | None:
    """Read a document whose every line or every quote bears a mark of something else; ``None``
    where it has none."""
    for rule, uncovered in _uncovered(text):
        inner = _repaired(uncovered, target, layer + 1)
        if inner.ok:
            edit = RepairEdit(place=_BEGINNING, before=_cut(text), after="", rule=rule)
            return RepairResult(
                ok=True, value=inner.value, text=inner.text, edits=(edit, *inner.edits)
            )
    return None


def _uncovered(text: str) -> Iterator[tuple[str, str]]:
    if thought := _THOUGHTS.match(text):
        yield "reasoning before the document removed", text[thought.end() :]
    if '"' not in text and ("&quot;" in text or "&#34;" in text):
        yield "HTML entities decoded", html.unescape(text)
    if '\\"' in text and '"' not in text.replace("\\\\", "").replace('\\"', ""):
        with suppress(ValueError):
            yield "encoded twice -> once", json.loads(f'"{text}"', strict=False)
    lines = text.strip("\n").split("\n")
    for mark in _LINE_MARKS:
        marks = [mark.match(line) for line in lines]
        if len(lines) > 1 and all(marks):
            ends = (found.end() for found in marks if found)
            rest = (line[end:] for line, end in zip(lines, ends, strict=True))
            yield "marks before the lines removed", "\n".join(rest)


_BEGINS_TEXT = re.compile(r"""[{\[(,:]\s*(?:(')|")""")
_SAMPLE = 2_000


def _is_python(text: str) -> bool:
    """Whether texts stand between apostrophes, as Python writes them."""
    apostrophes = [match[1] is not None for match in _BEGINS_TEXT.finditer(text, 0, _SAMPLE)]
    return sum(apostrophes) * 2 > len(apostrophes)


def _repair_markup(text: str, target: RepairTarget, form: DocumentFormat) -> RepairResult[Any]:
    """Read XML or delimited text."""
    try:
        verdict = form.judge.judge(form.grammar.parse(text), text)
        if not isinstance(verdict, str) and not verdict.changes:
            return RepairResult(ok=True, value=verdict.value, text=text)
    except (ValueError, RecursionError):
        pass
    if len(text) > MAX_TEXT:
        return _refused(
            text, f"it has {len(text)} characters; faults are looked for in up to {MAX_TEXT}"
        )
    if form.name == "csv" and (table := _rewritten_table(text, target, form)) is not None:
        return table
    decision = _decide(text, form, target)
    if decision.chosen is None:
        return _refused(text, told(decision))
    return _with_commas(_delivered(text, decision.chosen, target, form), form)


def _rewritten_table(
    text: str, target: RepairTarget, form: DocumentFormat
) -> RepairResult[Any] | None:
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
            edit = RepairEdit(place=_BEGINNING, before=text[:_SHOWN], after="", rule=rule)
            return RepairResult(ok=True, value=verdict.value, text=document, edits=(edit,))
    return None


def _with_commas(result: RepairResult[Any], form: DocumentFormat) -> RepairResult[Any]:
    """The result with the text as RFC 4180 has it, where another mark stands between cells."""
    delimiter = form.delimiter
    if delimiter == "," or not result.ok:
        return result
    rows = list(csv.reader(io.StringIO(result.text, newline=""), delimiter=delimiter))
    edit = RepairEdit(
        place=_BEGINNING, before=delimiter, after=",", rule="other delimiter -> comma"
    )
    return msgspec.structs.replace(result, text=write_csv(rows), edits=(*result.edits, edit))


def _repair_lines(text: str) -> RepairResult[Any]:
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
        one = _repaired(row, _ANY_JSON)
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
) -> RepairResult[Any]:
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
                    return RepairResult(ok=True, value=cast("Any", value[0]), text=text)
        if found and all(repr(value) == repr(found[0][0]) for value, _ in found):
            value, draft = found[0]
            edits = tuple(
                RepairEdit(place=_BEGINNING, before="", after="", rule=rule) for rule in draft.rules
            )
            return RepairResult(ok=True, value=value, text=draft.text, edits=edits)
        if found:
            return _refused(text, "several documents fit, and say different things")
    return _refused(text, "no document was found in it")


def _repair_yaml(text: str) -> RepairResult[Any]:
    return _read_first(text, yaml_parts(text, frozenset()), read_yaml, mend_yaml)


def _repair_toml(text: str) -> RepairResult[Any]:
    return _read_first(text, toml_parts(text, frozenset()), read_toml, mend_toml)


_LINE_FORMATS: dict[str, Callable[[str], RepairResult[Any]]] = {
    "yaml": _repair_yaml,
    "toml": _repair_toml,
}


_MOST_PARTS = 16
_OPENER = re.compile(r"[\[{\uff5b\uff3b(]")
_TAG_OPENER = re.compile(r"<\w")
_NO_OPENER = re.compile(r"(?!)")


def _decide(text: str, form: DocumentFormat, target: RepairTarget) -> DocumentDecision:
    """Look for the document in the parts of a text."""
    decisions: list[tuple[_TextPart, DocumentDecision]] = []
    as_json = form.name == "python" and target.format != "python"
    for part in _parts(text, form.name, columns_of(target)):
        decision = decide(
            text, form.judge, form.grammar, start=part.start, end=part.end, as_json=as_json
        )
        if decision.refusal == SEVERAL:
            decision = _same_document(text, part, form, as_json=as_json)
        decisions.append((part, decision))
        if part.beside and decision.chosen is None:
            decisions.pop()
    chosen = [one for _, one in decisions if one.chosen is not None]
    if not chosen:
        return (
            decisions[0][1] if decisions else DocumentDecision(None, "there is no document in it")
        )
    first = cast("DocumentCandidate", chosen[0].chosen)
    for other in chosen[1:]:
        second = cast("DocumentCandidate", other.chosen)
        if not same_value(first.value, second.value):
            return DocumentDecision(
                None, "several documents fit, and say different things", (first, second)
            )
    return chosen[0]


def _same_document(
    text: str, part: _TextPart, form: DocumentFormat, *, as_json: bool
) -> DocumentDecision:
    """Read documents that follow one another: they must say the same."""
    first: DocumentCandidate | None = None
    start = part.start
    for _ in range(_MOST_PARTS):
        decision = decide(
            text,
            form.judge,
            form.grammar,
            start=start,
            end=part.end,
            as_json=as_json,
            several=True,
        )
        chosen = decision.chosen
        if chosen is None:
            return DocumentDecision(None, SEVERAL)
        if first is not None and not same_value(first.value, chosen.value):
            return DocumentDecision(
                None, "several documents fit, and say different things", (first, chosen)
            )
        first = first or chosen
        rest = text[chosen.end : part.end].lstrip(_BETWEEN)
        if not rest:
            return DocumentDecision(first)
        start = part.end - len(rest)
    return DocumentDecision(None, SEVERAL)


_BETWEEN = " \t\r\n\f\v,;"
"""What may stand between documents."""


def _parts(text: str, name: str, keys: tuple[str, ...]) -> Iterator[_TextPart]:
    """Yield what may be the document: each fence and what stands beside them, or the whole
    text."""
    marks = list(islice(FENCE.finditer(text), 2 * _MOST_PARTS))
    if not marks or text.lstrip()[:1] in ("{", "[", *("<" if name == "xml" else "")):
        start = header_of(text, keys) if name == "csv" and keys else 0
        yield _TextPart(start or 0, len(text))
        return
    opener = _TAG_OPENER if name == "xml" else _NO_OPENER if name == "csv" else _OPENER
    before = 0
    for index in range(0, len(marks), 2):
        if opener.search(text, before, marks[index].start()):
            yield _TextPart(before, marks[index].start(), beside=True)
        end = marks[index + 1].start() if index + 1 < len(marks) else len(text)
        if text[marks[index].end() : end].strip():
            yield _TextPart(marks[index].end(), end)
        before = marks[index + 1].end() if index + 1 < len(marks) else len(text)
    if opener.search(text, before):
        yield _TextPart(before, len(text), beside=True)


def _refused(text: str, reason: str) -> RepairResult[Any]:
    return RepairResult(ok=False, text=text, refusal=reason)


def _delivered(
    text: str, chosen: DocumentCandidate, target: RepairTarget, form: DocumentFormat
) -> RepairResult[Any]:
    place = _places(text)
    edits: list[RepairEdit] = []
    before, behind = text[: chosen.start].strip(), text[chosen.end :].strip()
    if before or behind:
        around = _cut(before or behind)
        rule = "text around the document removed"
        edits.append(RepairEdit(place=_BEGINNING, before=around, after="", rule=rule))
    if form.name == "python" and target.format != "python":
        rule = "Python literal -> JSON"
        edits.append(RepairEdit(place=place(chosen.start), before="", after="", rule=rule))
    edits += [
        RepairEdit(
            place=place(edit.start),
            before=text[edit.start : edit.end],
            after=edit.new,
            rule=edit.rule,
        )
        for edit in chosen.edits
    ]
    document, value = chosen.text, chosen.value
    if form.name in ("xml", "csv"):
        edits += [
            RepairEdit(place=written_path(change.path), before="", after="", rule=change.rule)
            for change in chosen.changes
        ]
    elif target.format != "python":
        parsed = json.loads(document)
        edits += [
            RepairEdit(
                place=written_path(change.path),
                before=_cut(_value_at(parsed, change.path)),
                after="" if change.value is None else _cut(json.dumps(change.value)),
                rule=change.rule,
            )
            for change in chosen.changes
        ]
        document = written(document, chosen.plain, chosen.changes)
        value = value if target.loads else json.loads(document)
    return RepairResult(ok=True, value=value, text=document, edits=tuple(edits))


def _value_at(value: Any, path: Path) -> str:
    """What stood where a value was changed."""
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return ""
    return write_json(value)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"


def _places(text: str) -> Callable[[int], str]:
    """Line and column of a place in a text."""
    starts = [0, *(mark.end() for mark in re.finditer("\n", text))]

    def place(at: int) -> str:
        line = bisect.bisect_right(starts, at)
        return f"line {line}, column {at - starts[line - 1] + 1}"

    return place
