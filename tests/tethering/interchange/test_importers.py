from __future__ import annotations

import json
import os
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_logs import SEATS, answer, call, chat_record
from recorded_spans import ANTHROPIC, GENAI_SPANS, OPENINFERENCE_SPANS, RESPONSES, traces

from knitbone.errors import InputFormatError
from knitbone.record.events import Outcome, Run, ToolCall, encode_json
from knitbone.record.sqlite_store import SqliteStore
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import FORMATS, import_bytes, import_file
from knitbone.tethering.interchange.importers.registry import files_of


def load(value, source_format="auto"):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return import_bytes(data, path="runs.json", source_format=source_format)


def formats(value):
    return [item.run.origin.format for item in load(value)]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([chat_record(), chat_record(4)], ["messages", "messages"]),
        (chat_record(), ["messages"]),
        (SEATS, ["messages"]),
        ({"messages": SEATS, "success": False}, ["messages"]),
        ([{"messages": SEATS}, {"messages": SEATS}], ["messages", "messages"]),
    ],
)
def test_a_format_is_recognised_by_its_structure(value, expected):
    assert formats(value) == expected


def test_an_exported_run_comes_back_as_it_was():
    run = load(SEATS)[0].run
    assert load(encode_json(run) + b"\n" + encode_json(run))[1].run == run


def test_json_lines_are_many_runs():
    lines = "\n".join(json.dumps({"id": n, "messages": SEATS}) for n in range(3))
    runs = [item.run for item in load(lines.encode())]
    assert [run.origin.record for run in runs] == [0, 1, 2]
    assert len({run.id for run in runs}) == 3


def test_the_same_content_gives_the_same_run_identifier():
    assert load([chat_record()])[0].run.id == load([chat_record()])[0].run.id
    assert load([chat_record()])[0].run.id != load([chat_record(4)])[0].run.id


def test_positions_are_those_of_the_source_list():
    events = load([chat_record()])[0].run.events
    assert [e.position.index for e in events if not isinstance(e, Outcome)] == list(range(12))


def test_a_tool_answer_is_tied_to_the_call_that_asked_for_it():
    run = load(SEATS)[0].run
    first, second = [e for e in run.events if isinstance(e, ToolCall) and e.name == "assign_table"]
    assert first.parent == run.events[6].id
    assert second.parent == run.events[8].id
    assert first.arguments == {"booking_id": "BK4471"}


def test_parallel_calls_are_matched_by_identifier_and_not_by_order():
    asked = {"role": "assistant", "content": None, "tool_calls": [
        call("look", {"n": 1}, "a")["tool_calls"][0], call("look", {"n": 2}, "b")["tool_calls"][0],
    ]}  # fmt: skip
    run = load([asked, answer("look", "two", "b"), answer("look", "one", "a")])[0].run
    assert [(e.arguments, e.result) for e in run.events[1:]] == [
        ({"n": 2}, "two"),
        ({"n": 1}, "one"),
    ]


def test_answers_without_identifiers_are_matched_in_order():
    asked = call("look", {"n": 1})
    del asked["tool_calls"][0]["id"]
    run = load([asked, {"role": "tool", "content": "one"}, {"role": "tool", "content": "more"}])[
        0
    ].run
    assert [(e.name, e.arguments) for e in run.events[1:]] == [
        ("look", {"n": 1}),
        ("unknown", None),
    ]


def test_legacy_functions_parts_and_unparsable_arguments_are_read():
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "hello"}, {"type": "image_url"}]},
        {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "f", "arguments": "{oops"},
        },
        {"role": "function", "name": "f", "content": "done"},
    ]
    user, asked, ran = load(messages)[0].run.events
    assert user.content.startswith("hello\n")
    assert asked.output.tool_calls[0].arguments == "{oops"
    assert (ran.arguments, ran.result) == ("{oops", "done")


@pytest.mark.parametrize(
    ("reward", "success"), [(1.0, True), (1, True), (0.0, False), (0.5, False)]
)
def test_the_reward_is_the_verdict(reward, success):
    assert load([chat_record(reward=reward)])[0].run.outcome.success is success


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (json.dumps([chat_record()]).encode()[:300], "ends in the middle of a value: line 1"),
        (b'{"messages": [', "ends in the middle"),
        (b"id,step,reward\n1,2,0.5\n", "is not JSON: line 1"),
        (b"\x89PNG\r\n\x1a\n\x00", "byte 0: 0x89 is not UTF-8"),
        (b'["ok",\n"\xff"]', "line 2, byte 8: 0xff"),
        (b'{"a": 1}', "no run format that is known here"),
        (b"[1, 2]", "a list of 2"),
        (b"[]", "an empty list"),
        (b"17", "it is 17"),
        (b'"text"', "it is 'text'"),
        (b"[" * 100_000, "deeper than"),
        (b"[" * 500 + b"]" * 500, "deeper than"),
        (b'{"messages":' + b"[" * 200 + b"]" * 200 + b"}", "deeper than"),
        (b"9" * 5_000, "cannot be read"),
        (b'{"messages": []}\n{"messages": [}', "line 2 is not a JSON value"),
    ],
)
def test_what_is_no_run_file_is_refused_with_its_place(data, said):
    with pytest.raises(InputFormatError) as caught:
        load(data)
    assert said in caught.value.message
    assert "runs.json" in caught.value.message
    assert caught.value.next_step


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([chat_record(), 3], "record 1: expected an object, found 3"),
        (
            [chat_record(), {"messages": [], "task": 3}, {"messages": "x"}],
            "record 2, messages: expected a list, found 'x'",
        ),
        ([chat_record(messages=[{"content": "x"}])], "messages[0].role: expected text, found null"),
        (
            [chat_record(messages=[{"role": "user", "content": 3}])],
            "messages[0].content: expected a list",
        ),
        ([chat_record(messages=[{"role": "bot", "content": ""}])], "'bot' is not a role"),
        ([chat_record(reward="high")], "reward: expected a number, found 'high'"),
        ([chat_record(messages=[{"role": "assistant", "tool_calls": [{"id": "a"}]}])],
         "messages[0].tool_calls[0].name: expected text, found null"),
    ],
)  # fmt: skip
def test_a_broken_record_is_named_with_place_and_value(value, said):
    with pytest.raises(InputFormatError) as caught:
        load(value)
    assert said in caught.value.message


def test_a_named_format_is_not_second_guessed():
    with pytest.raises(InputFormatError, match="is OTLP, but holds no spans"):
        load({"messages": SEATS}, "otlp")


def test_another_format_is_suggested_where_the_named_one_does_not_fit():
    with pytest.raises(InputFormatError) as caught:
        load([chat_record()], "otlp")
    assert caught.value.next_step == "The file looks like messages: leave out --format."


def test_lone_surrogates_are_replaced():
    run = load(
        b'[{"role": "user", "content": "a\\ud800b"}, {"role": "assistant", "content": "ok"}]'
    )
    assert run[0].run.task == "a\ufffdb"
    encode_json(run[0].run)


def test_a_missing_file_is_an_input_error(tmp_path):
    with pytest.raises(InputFormatError, match=r"gone\.json cannot be read"):
        import_file(tmp_path / "gone.json")


def test_a_run_store_is_not_imported_as_a_file_and_the_way_is_named(tmp_path):
    SqliteStore(tmp_path / "runs.sqlite").close()
    with pytest.raises(InputFormatError, match="is an SQLite database") as refused:
        import_file(tmp_path / "runs.sqlite")
    assert "knitbone runs export --store" in str(refused.value.next_step)


def test_a_folder_that_vanishes_while_it_is_listed_does_not_lose_the_others(tmp_path, monkeypatch):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text("[]")
    listed = os.scandir

    def vanishing(path):
        if str(path).endswith("a"):
            raise FileNotFoundError(path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", vanishing)
    assert [path for path, _ in files_of(tmp_path)] == [tmp_path / "b" / "run.json"]


def test_a_folder_lists_runs_and_passes_over_texts_about_the_data(tmp_path):
    for name in ("b.json", "a/c.json", "LICENSE", "README.md", ".hidden.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    found = {path.relative_to(tmp_path).as_posix(): why for path, why in files_of(tmp_path)}
    assert {name for name, why in found.items() if why is None} == {"a/c.json", "b.json"}
    assert set(found) == {"a/c.json", "b.json", "LICENSE", "README.md", ".hidden.json"}


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "name", "id", "function"]) | st.text(max_size=3),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
WHOLE = {
    "messages": {"id": 1, "messages": SEATS, "success": False, "reward": 0.0, "task": "seat"},
    "knitbone": json.loads(encode_json(load(SEATS)[0].run)),
    "otlp": traces(*GENAI_SPANS, *OPENINFERENCE_SPANS[2:5]),
    "openai-responses": RESPONSES,
    "anthropic": ANTHROPIC,
}


def paths_in(value, path=()):
    yield path
    items = (
        value.items() if isinstance(value, dict)
        else enumerate(value) if isinstance(value, list) else ()
    )  # fmt: skip
    for key, item in items:
        yield from paths_in(item, (*path, key))


def with_replaced(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = with_replaced(value[path[0]], path[1:], new)
    return copy


@st.composite
def damaged(draw):
    """A good file with one or two of its nodes replaced by anything."""
    name = draw(st.sampled_from(sorted(WHOLE)))
    value = WHOLE[name]
    for _ in range(draw(st.integers(1, 2))):
        path = draw(st.sampled_from(sorted(paths_in(value), key=str)))
        value = with_replaced(value, path, draw(JSON))
    return name, value


@settings(max_examples=400, deadline=None)
@given(damaged(), st.booleans())
def test_a_damaged_file_gives_runs_or_an_input_error(file, named):
    name, value = file
    with suppress(InputFormatError):
        for item in load(value, name if named else "auto"):
            assert isinstance(item.run, Run)
            assert encode_json(item.run)
            build_units(item.run)


@settings(max_examples=150, deadline=None)
@given(JSON, st.sampled_from(["auto", *FORMATS]))
def test_arbitrary_json_gives_runs_or_an_input_error(value, source_format):
    with suppress(InputFormatError):
        assert load(value, source_format)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_arbitrary_bytes_give_runs_or_an_input_error(data):
    with suppress(InputFormatError):
        assert import_bytes(data, path="x")
