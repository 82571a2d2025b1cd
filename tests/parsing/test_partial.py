"""``knitbone.repair(partial=True)``: values only grow, and the last record is that of the whole."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import json
import random
import string
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any, assert_type

import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

import knitbone
from knitbone.errors import SchemaError

_TEXTS = st.text(string.ascii_letters + " ,:.'\"\\\n{}[]é😀", max_size=12)
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(string.ascii_letters + " -é", max_size=6), inner, max_size=5)
    ),
    max_leaves=25,
)
_DOCUMENTS = st.lists(_VALUES, max_size=6) | st.dictionaries(_TEXTS, _VALUES, max_size=6)
_RECORD: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 8}},
        "at": {"$ref": "#/$defs/at"},
    },
    "required": ["name", "age"],
    "$defs": {"at": {"type": "object", "additionalProperties": {"type": "integer"}}},
}
_RECORDS = st.fixed_dictionaries(
    {
        "name": _TEXTS,
        "age": st.integers(0, 99) | st.integers(0, 99).map(str) | st.none(),
        "tags": st.lists(_TEXTS, max_size=3),
    },
    optional={"at": st.dictionaries(_TEXTS, st.integers() | st.just("7"), max_size=3), "x": _TEXTS},
)


@dataclasses.dataclass
class Person:
    name: str
    age: int


def _as_json(value: Any, rng: random.Random) -> str:
    indent = rng.choice([None, None, 2])
    return json.dumps(value, indent=indent, ensure_ascii=rng.random() < 0.5)


def _as_python(value: Any, rng: random.Random) -> str:
    del rng
    return repr(value)


def _with_dialect(value: Any, rng: random.Random) -> str:
    """Marks of other notations: bare keys, a comma before a bracket, comments, line breaks."""
    text = _as_json(value, rng)
    pieces: list[str] = []
    for token in _tokens(text):
        if token in "]}" and pieces and pieces[-1] not in "[{" and rng.random() < 0.3:
            pieces.append(",")
        bare = token[1:-1]
        if rng.random() < 0.3 and token[:1] == '"' and bare.isalpha():
            pieces.append(f"'{bare}'")
        elif token == "," and rng.random() < 0.1:
            pieces.append(", // so it is\n")
        else:
            pieces.append(token)
    return "".join(pieces)


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        if text[at] == '"':
            end = at + 1
            while text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            yield text[at : end + 1]
            at = end + 1
        else:
            yield text[at]
            at += 1


def _with_fault(text: str, rng: random.Random) -> str:
    """One character lost, doubled, exchanged or inserted."""
    marks = [index for index, sign in enumerate(text) if sign in "{}[],:\"'"]
    at = rng.choice(marks if marks and rng.random() < 0.7 else range(len(text)))
    new = rng.choice(["", text[at] * 2, rng.choice("{}[],:\"'\\ a1"), text[at] + rng.choice('",a')])
    return text[:at] + new + text[at + 1 :]


def _with_words(text: str, rng: random.Random) -> str:
    before = rng.choice(
        ["", "Sure, here it is:\n", "See [1] and {this}: ", 'The "best" one: ', "# Answer\n\n"]
    )
    tag = rng.choice(["json", "", "python"])
    body = rng.choice([text, f"```{tag}\n{text}\n```"])
    return before + body + rng.choice(["", "\nAnything else?", "\n\n```\nfoo {bar}\n```"])


def _chunks(text: str, rng: random.Random, longest: int = 20) -> list[str]:
    chunks: list[str] = []
    at = 0
    while at < len(text):
        length = rng.randint(0, longest)
        chunks.append(text[at : at + length])
        at += length
    return chunks


async def _awaited(chunks: Iterable[str]) -> AsyncIterator[str]:
    for chunk in chunks:
        await asyncio.sleep(0)
        yield chunk


async def _collected(records: AsyncIterator[knitbone.RepairResult]) -> list[knitbone.RepairResult]:
    return [record async for record in records]


def _is_part(part: Any, whole: Any) -> bool:
    """The promise, stated once more by its own words."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(
            k in whole and _is_part(part[k], whole[k]) for k in part
        )
    if isinstance(part, list):
        return isinstance(whole, list) and all(
            index < len(whole) and _is_part(item, whole[index]) for index, item in enumerate(part)
        )
    return type(part) is type(whole) and part == whole


def _check(text: str, chunks: list[str], target: Any) -> str:
    """All that is promised of one text; what became of it."""
    whole = knitbone.repair(text, target)
    records = list(knitbone.repair(iter(chunks), target, partial=True))
    *parts, last = records
    assert last.complete
    assert all(part.ok and not part.complete for part in parts)
    values = [part.value for part in parts]
    for earlier, later in itertools.pairwise(values):
        assert _is_part(earlier, later), (earlier, later)
        assert earlier != later
    plain = (
        whole.value
        if isinstance(whole.value, dict | list | tuple) or not whole.ok
        else json.loads(whole.text)
    )
    if whole.ok and not all(_is_part(value, plain) for value in values):
        assert not last.ok
        assert "what was shown" in last.refusal
        outcome = "refused: what was shown is no part"
    else:
        assert last == whole
        outcome = ("value" if whole.ok else "refused") + (", shown before" if parts else "")
    assert (
        asyncio.run(_collected(knitbone.repair(_awaited(chunks), target, partial=True))) == records
    )
    shown: list[Any] = []
    for end in range(len(chunks)):
        part = knitbone.repair("".join(chunks[: end + 1]), target, partial=True)
        if not part.complete and part.ok and part.value not in shown[-1:]:
            shown.append(part.value)
    assert [value for value in values if value not in shown] in ([], values[-1:])
    return outcome


@given(
    value=_DOCUMENTS,
    seed=st.integers(0, 10**6),
    notation=st.sampled_from([_as_json, _as_python, _with_dialect]),
)
@example(
    value=[{"A": None}, [[[], {"": None, "AA": None, "AAA": False}], None, [None]], [[], []], None],
    seed=1626,
    notation=_with_dialect,
)
@settings(max_examples=200, deadline=None)
def test_a_document_without_faults(
    value: Any, seed: int, notation: Callable[[Any, random.Random], str]
) -> None:
    rng = random.Random(seed)
    text = notation(value, rng)
    target = "python" if notation is _as_python else None
    assert knitbone.repair(text, target).value == value
    outcome = _check(text, _chunks(text, rng), target)
    assert not outcome.startswith("refused: what")
    event(outcome)


@given(
    value=_DOCUMENTS,
    seed=st.integers(0, 10**6),
    notation=st.sampled_from([_as_json, _as_python, _with_dialect]),
)
@settings(max_examples=250, deadline=None)
def test_a_document_with_a_fault_and_words(
    value: Any, seed: int, notation: Callable[[Any, random.Random], str]
) -> None:
    rng = random.Random(seed)
    text = _with_words(_with_fault(notation(value, rng), rng), rng)
    target = rng.choice([None, "json", "python"])
    event(_check(text, _chunks(text, rng), target))


@given(record=_RECORDS, seed=st.integers(0, 10**6), broken=st.booleans())
@settings(max_examples=250, deadline=None)
def test_a_target(record: dict[str, Any], seed: int, broken: bool) -> None:
    rng = random.Random(seed)
    names = {key: key.upper() if rng.random() < 0.1 else key for key in record}
    value: Any = {names[key]: inner for key, inner in record.items()}
    value = rng.choice([value, value, value, [value], {"person": value}])
    text = rng.choice([_as_json, _with_dialect])(value, rng)
    if broken:
        text = _with_fault(text, rng)
    target = rng.choice([_RECORD, _RECORD, ["name", "age", "tags"], Person])
    outcome = _check(text, _chunks(text, rng), target)
    assert broken or not outcome.startswith("refused: what")
    event(outcome)


def _values(chunks: Iterable[str], target: Any = None) -> list[Any]:
    return [record.value for record in knitbone.repair(iter(chunks), target, partial=True)]


def test_what_is_certain_is_shown_at_once() -> None:
    text = '{"a": [1, "x\\u00e9"], "b": {"c": null}}'
    assert _values(text) == [
        {"a": [1]},
        {"a": [1, "xé"]},
        {"a": [1, "xé"], "b": {"c": None}},
        {"a": [1, "xé"], "b": {"c": None}},
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"name": "Ada, "age": 36}', None),
        ('{"tags": "x", "y"], "age": 36}', None),
        ('{"age": 36, "tags": ["x", y", "z"]}', {"age": 36, "tags": ["x"]}),
        ('{"a": {"b": 1}, "a": {"c": 2}}', {"a": {"b": 1}}),
        ("{'a': 'it's', 'b': 2}", None),
        ('Take {name} or [1] first: {"a": 1}', None),
        ('"name": "Ada", "at": {"x": 1, "y": 2}}', None),
        ("```json\n{\"a\": 1}\n```\n", {"a": 1}),
        ("~~~\n[1, 2]\n~~~\n", [1, 2]),
        (', "a": 1, "b": {"c": 1, "d": 2}}', None),
        ("Use ```x``` so:\n[{\"a\": 1", None),
        ("[" * 300 + '"x", 1', None),
        ("[1, NaN, 2]", [1]),
        ("[1" + "0" * 5000 + ", 2, 3]", None),
        ('{"a": tru', None),
        ("3, 4", None),
        ("", None),
    ],
)  # fmt: skip
def test_what_is_not_sure_is_held_back(text: str, shown: Any) -> None:
    *_, part = [None, *_values([*text, "@"])[:-1]]
    assert part == shown


def test_what_the_target_does_not_take_as_it_is_is_held_back() -> None:
    values = _values('{"name": "Ada", "age": "36", "tags": ["x"]}', _RECORD)
    assert values == [{"name": "Ada"}, {"name": "Ada", "age": 36, "tags": ["x"]}]
    values = _values('{"name": "Ada", "Age": 36, "tags": ["x"]}', _RECORD)
    assert values == [{"name": "Ada"}, {"name": "Ada", "age": 36, "tags": ["x"]}]
    assert _values('[{"name": "Ada", "age": 36}]', _RECORD) == [{"name": "Ada", "age": 36}]
    assert _values('{"name": "Ada", "age": 36}', Person)[-1] == Person("Ada", 36)


def test_which_of_several_objects_it_is_may_not_be_known_before_the_end() -> None:
    numbers = {"properties": {"a": {"type": "integer"}}, "required": ["a", "b"]}
    texts = {"properties": {"a": {"type": "string"}}, "required": ["a", "c"]}
    target = {"anyOf": [{"type": "object", **numbers}, {"type": "object", **texts}]}
    assert _values('{"a": "3", "b": 1}', target) == [{"a": 3, "b": 1}]
    nullable = {"anyOf": [{"type": "object", **numbers}, {"type": "null"}]}
    assert _values('{"a": 3, "b": 1}', nullable)[0] == {"a": 3}


def test_a_refusal_may_come_after_values() -> None:
    *parts, last = knitbone.repair(iter('{"name": "Ada", "tags": []}'), _RECORD, partial=True)
    assert parts[-1].value == {"name": "Ada", "tags": []}
    assert (last.ok, last.complete) == (False, True)
    assert '"age" is missing' in last.refusal


def test_a_fault_behind_what_was_shown_is_a_refusal() -> None:
    text = '{"a": {"b": 1}, {"b": 2}], "c": 3}'
    assert knitbone.repair(text).value == {"a": [{"b": 1}, {"b": 2}], "c": 3}
    *parts, last = knitbone.repair(iter(text), partial=True)
    assert parts[-1].value == {"a": {"b": 1}}
    assert (last.ok, last.complete, last.value) == (False, True, None)
    assert "without partial=True" in last.refusal


def test_a_text_is_complete_when_its_document_has_ended() -> None:
    assert knitbone.repair('{"a": 1', partial=True).complete is False
    assert knitbone.repair('{"a": 1}', partial=True) == knitbone.repair('{"a": 1}')
    assert knitbone.repair('{"age": "36"', _RECORD, partial=True).complete is False
    ended = knitbone.repair('{"name": "A", "age": "36"} Bye', _RECORD, partial=True)
    assert (ended.complete, ended.value) == (True, {"name": "A", "age": 36})
    nothing = knitbone.repair("Sure, ", partial=True)
    assert (nothing.ok, nothing.complete) == (False, False)


def test_a_record_stays_as_it_was() -> None:
    text = json.dumps({"a": [[1, 2], [3]], "b": {"c": [4]}})
    seen = [(part, json.dumps(part.value)) for part in knitbone.repair(iter(text), partial=True)]
    assert all(json.dumps(part.value) == value for part, value in seen)


def test_overloads() -> None:
    assert_type(knitbone.repair("{}"), knitbone.RepairResult)
    assert_type(knitbone.repair("{}", partial=True), knitbone.RepairResult)
    assert_type(knitbone.repair(iter(["{}"]), partial=True), Iterator[knitbone.RepairResult])
    assert_type(
        knitbone.repair(_awaited(["{}"]), partial=True), AsyncIterator[knitbone.RepairResult]
    )


def test_the_error_of_a_stream_passes_through() -> None:
    def breaks() -> Iterator[str]:
        yield '{"a": 1, "b": '
        raise ConnectionError("gone")

    async def breaks_later() -> AsyncIterator[str]:
        for chunk in breaks():
            yield chunk

    records = knitbone.repair(breaks(), partial=True)
    assert next(records).value == {"a": 1}
    with pytest.raises(ConnectionError, match="gone"):
        next(records)
    with pytest.raises(ConnectionError, match="gone"):
        asyncio.run(_collected(knitbone.repair(breaks_later(), partial=True)))


def test_a_stream_that_is_closed_early_closes_its_source() -> None:
    closed: list[str] = []

    def source() -> Iterator[str]:
        try:
            yield from ['{"a": 1, "b": 2', ', "c": 3}']
        finally:
            closed.append("sync")

    async def source_async() -> AsyncIterator[str]:
        try:
            for chunk in source():
                yield chunk
        finally:
            closed.append("async")

    records: Any = knitbone.repair(source(), partial=True)
    next(records)
    records.close()
    assert closed == ["sync"]

    async def first() -> None:
        records: Any = knitbone.repair(source_async(), partial=True)
        await anext(records)
        await records.aclose()
        assert "async" in closed

    asyncio.run(first())


@pytest.mark.parametrize("chunks", [[b"{}"], [None], [1]])
def test_a_chunk_that_is_no_text(chunks: list[Any]) -> None:
    with pytest.raises(TypeError, match="take the text out of each chunk"):
        list(knitbone.repair(iter(chunks), partial=True))


def test_bad_arguments_raise_at_the_call() -> None:
    with pytest.raises(SchemaError, match="no format"):
        knitbone.repair(iter(["{}"]), "jason", partial=True)
    bad: Any = 3
    unmarked: Any = iter(["{}"])
    with pytest.raises(TypeError, match="was given int"):
        knitbone.repair(bad, partial=True)
    with pytest.raises(TypeError, match="partial=True"):
        knitbone.repair(unmarked)


def test_pairs_and_escapes_that_are_cut() -> None:
    text = '["\\ud83d\\ude00", "\ud83d\ude00", "\\\\", "\\"", {"k\\u00e9": "\\n"}]'
    assert _values(text)[-1] == json.loads(text)
    assert _values(text)[:-1][-1] == json.loads(text)


HOSTILE = [
    "1,",
    '{"a":',
    '\\"',
    "\\",
    '"x",',
    " ",
    "`",
    "~~~x",
    "{ ",
    "x {  ",
    "```\n",
    "\n",
    "1",
    '\\"' * 8 + '", ',
]


@pytest.mark.parametrize("piece", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("before", ["", "x {", "~~~", '["'])
def test_many_chunks_end_soon(piece: str, before: str) -> None:
    """A bound that guards against a hang, and measures no speed."""
    text = before + piece * (200_000 // len(piece))
    started = time.process_time()
    for record in knitbone.repair(iter(text), partial=True):
        assert record is not None
    assert time.process_time() - started < 20


def test_a_million_chunks_end_soon() -> None:
    """So does the copying of a list that gets longer and longer."""
    started = time.process_time()
    last: Any = None
    for record in knitbone.repair(iter("[" + "1," * 500_000 + "1]"), partial=True):
        last = record.value
        assert time.process_time() - started < 60
    assert len(last) == 500_001
