"""``knitbone.repair``: the value in a text, in the shape that is wanted, and what was changed.

The flow: a text that is well formed and accepted is delivered as it is. Else the parts of the text
that may be the document are found (a fence, what prose surrounds), each is read by the least-cost
reader, and one decision says which reading is meant (``decision.py``).
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any, Literal, NamedTuple, TypeVar, cast, overload

from knitbone.common.structured.changes import Path, written_path
from knitbone.errors import SchemaError
from knitbone.parsing.decision import SEVERAL, DocumentCandidate, DocumentDecision, decide
from knitbone.parsing.json_values import DuplicateKeyError, parse_json, parse_python
from knitbone.parsing.partial import read_part, read_stream, read_stream_async
from knitbone.parsing.records import RepairEdit, RepairResult
from knitbone.parsing.targets import RepairTarget, target_of, written

__all__ = ["RepairEdit", "RepairResult", "repair"]

_T = TypeVar("_T")
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
            object or list.
        example: a value of the wanted shape, from which keys and types are taken where there is no
            target.

    Returns:
        the value and every change, or the reason why there is no value. What is in the text never
        makes it raise.

    Raises:
        SchemaError: the target describes no value.
        TypeError: the text is no text, or a chunk is none.
    """
    wanted = target if isinstance(target, RepairTarget) else target_of(target, example)
    if wanted.format in ("jsonl", "xml", "csv", "yaml", "toml"):
        raise SchemaError(f"the format {wanted.format!r} cannot be repaired yet")
    if partial:
        return _partly(text, wanted)
    if not isinstance(text, str):
        raise TypeError(
            f"repair() reads a text, and was given {type(text).__name__}; "
            "pass partial=True to read an iterator of texts"
        )
    plain = _read_plainly(text, wanted)
    if plain is not None:
        return plain
    if len(text) > MAX_TEXT:
        return _refused(
            text, f"it has {len(text)} characters; faults are looked for in up to {MAX_TEXT}"
        )
    python = wanted.format == "python" or _is_python(text)
    decision = _decide(text, wanted, python=python)
    if decision.chosen is None:
        return _read_covered(text, wanted) or _refused(text, _told(decision))
    return _delivered(text, decision.chosen, wanted, python=python)


def _partly(
    text: str | Iterable[str] | AsyncIterable[str], target: RepairTarget
) -> RepairResult[Any] | Iterator[RepairResult[Any]] | AsyncIterator[RepairResult[Any]]:
    def whole(document: str) -> RepairResult[Any]:
        return repair(document, target)

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


def _read_plainly(text: str, target: RepairTarget) -> RepairResult[Any] | None:
    """Read a text that is well formed; ``None`` where it is not.

    What is well formed says what it says: where the target refuses it, only its values are
    changed, and no mark is read as another.
    """
    python = target.format == "python"
    try:
        value = parse_python(text) if python else parse_json(text, strict=True)
    except DuplicateKeyError as error:
        return _refused(text, str(error))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    if target.schema is None:
        if isinstance(value, str) and not python:
            return _read_encoded(text, value, target)
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
    return _delivered(text, whole, target, python=False)


def _read_encoded(text: str, value: str, target: RepairTarget) -> RepairResult[Any]:
    """Read a document that is the content of a text of JSON."""
    if value.lstrip()[:1] not in ("{", "["):
        return RepairResult(ok=True, value=value, text=text)
    inner = repair(value, target)
    edit = RepairEdit(
        place=_place(text, 0), before=_cut(text), after="", rule="encoded twice -> once"
    )
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


def _read_covered(text: str, target: RepairTarget) -> RepairResult[Any] | None:
    """Read a document whose every line or every quote bears a mark of something else; ``None``
    where it has none."""
    for rule, uncovered in _uncovered(text):
        inner = repair(uncovered, target)
        if inner.ok:
            edit = RepairEdit(place=_place(text, 0), before=_cut(text), after="", rule=rule)
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
        try:
            yield "encoded twice -> once", json.loads(f'"{text}"', strict=False)
        except ValueError:
            pass
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


_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+#.\-]*)[^\n`]*$", re.MULTILINE)
_MOST_PARTS = 16
_OPENER = re.compile(r"[\[{｛［(]")  # noqa: RUF001


def _decide(text: str, target: RepairTarget, *, python: bool) -> DocumentDecision:
    """Look for the document in the parts of a text."""
    decisions: list[tuple[_TextPart, DocumentDecision]] = []
    as_json = python and target.format != "python"
    for part in _parts(text):
        decision = decide(
            text, target, start=part.start, end=part.end, python=python, as_json=as_json
        )
        if decision.refusal == SEVERAL:
            decision = _same_document(text, part, target, python=python)
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
        if second.value != first.value:
            return DocumentDecision(
                None, "several documents fit, and say different things", (first, second)
            )
    return chosen[0]


def _same_document(
    text: str, part: _TextPart, target: RepairTarget, *, python: bool
) -> DocumentDecision:
    """Read documents that follow one another: they must say the same."""
    first: DocumentDecision | None = None
    start = part.start
    for _ in range(_MOST_PARTS):
        decision = decide(
            text,
            target,
            start=start,
            end=part.end,
            python=python,
            as_json=python and target.format != "python",
            several=True,
        )
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


def _parts(text: str) -> Iterator[_TextPart]:
    """Yield what may be the document: each fence and what stands beside them, or the whole
    text."""
    marks = list(_FENCE.finditer(text))[: 2 * _MOST_PARTS]
    if not marks or text.lstrip()[:1] in ("{", "["):
        yield _TextPart(0, len(text))
        return
    before = 0
    for index in range(0, len(marks), 2):
        if _OPENER.search(text, before, marks[index].start()):
            yield _TextPart(before, marks[index].start(), beside=True)
        end = marks[index + 1].start() if index + 1 < len(marks) else len(text)
        if text[marks[index].end() : end].strip():
            yield _TextPart(marks[index].end(), end)
        before = marks[index + 1].end() if index + 1 < len(marks) else len(text)
    if _OPENER.search(text, before):
        yield _TextPart(before, len(text), beside=True)


def _refused(text: str, reason: str) -> RepairResult[Any]:
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
    text: str, chosen: DocumentCandidate, target: RepairTarget, *, python: bool
) -> RepairResult[Any]:
    edits: list[RepairEdit] = []
    before, behind = text[: chosen.start].strip(), text[chosen.end :].strip()
    if before or behind:
        around = _cut(before or behind)
        rule = "text around the document removed"
        edits.append(RepairEdit(place=_place(text, 0), before=around, after="", rule=rule))
    if python and target.format != "python":
        rule = "Python literal -> JSON"
        edits.append(RepairEdit(place=_place(text, chosen.start), before="", after="", rule=rule))
    edits += [
        RepairEdit(
            place=_place(text, edit.start),
            before=text[edit.start : edit.end],
            after=edit.new,
            rule=edit.rule,
        )
        for edit in chosen.edits
    ]
    document, value = chosen.text, chosen.value
    if target.format != "python":
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
    return json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"


def _place(text: str, at: int) -> str:
    line = text.count("\n", 0, at) + 1
    return f"line {line}, column {at - (text.rfind(chr(10), 0, at) + 1) + 1}"
