"""Two runs side by side: alignment, what does not count, where they part."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from knitbone.record.events import (
    ChatMessage,
    ModelCall,
    Outcome,
    Retrieval,
    Run,
    ToolCall,
    ToolCallRequest,
    Usage,
    encode_json,
)
from knitbone.report.comparison import comparison_headline, comparison_record
from knitbone.tethering.comparison import compare
from knitbone.tethering.comparison import engine as alignment
from knitbone.tethering.comparison.canonical import argument_key, differences, result_key

KEYS = st.lists(st.sampled_from("abc"), max_size=12)


def run_of(*steps, success=None, **fields):
    """A run; a step is a text that is said, or a tool, its arguments and its result."""
    events = []
    for number, step in enumerate(steps):
        if isinstance(step, str):
            said = ChatMessage(role="assistant", content=step)
            events.append(ModelCall(id=f"{number}", output=said))
        else:
            tool, arguments, result = step
            events.append(ToolCall(id=f"{number}", name=tool, arguments=arguments, result=result))
    if success is not None:
        events.append(Outcome(id="end", success=success))
    return Run(**{"id": "r", "events": tuple(events)} | fields)


def longest(a, b):
    @cache
    def length(i, j):
        if i == len(a) or j == len(b):
            return 0
        if a[i] == b[j]:
            return 1 + length(i + 1, j + 1)
        return max(length(i + 1, j), length(i, j + 1))

    return length(0, 0)


@given(KEYS, KEYS)
def test_an_alignment_is_a_longest_one(a, b):
    found = alignment.matches(a, b)
    assert len(found) == longest(tuple(a), tuple(b))
    assert all(a[i] == b[j] for i, j in found)
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(found))


@given(KEYS, KEYS)
def test_what_both_lists_begin_and_end_with_is_aligned(a, b):
    found = dict(alignment.matches([*a, "x", *b], [*a, "y", *b]))
    assert all(found[n] == n for n in range(len(a)))
    assert all(found[len(a) + 1 + n] == len(a) + 1 + n for n in range(len(b)))


@given(KEYS, KEYS)
def test_every_step_of_both_runs_stands_in_one_row(a, b):
    one = run_of(*((key, {"n": 1}, "") for key in a))
    other = run_of(*((key, {"n": 1}, "") for key in b))
    found = compare(one, other)
    assert [row.a.tool for row in found.rows if row.a] == a
    assert [row.b.tool for row in found.rows if row.b] == b
    assert (found.departure is None) == (a == b)
    if found.departure is not None:
        assert a[: found.departure.shared] == b[: found.departure.shared]
        assert all(row.kind == "same" for row in found.rows[: found.departure.shared])


def test_what_is_too_long_to_be_aligned_is_cut_and_counted(monkeypatch):
    monkeypatch.setattr(alignment, "MAX_KEYS", 3)
    monkeypatch.setattr("knitbone.tethering.comparison.engine.MAX_KEYS", 3)
    one = run_of(*((f"a{n % 2}", {}, "") for n in range(9)), ("end", {}, ""))
    other = run_of(*((f"b{n % 2}", {}, "") for n in range(8)))
    found = compare(one, other)
    assert found.not_compared == (10 - 3) + (8 - 3)
    assert sum(row.a is not None for row in found.rows) == 10
    assert compare(one, one).not_compared == 0


def test_runs_part_at_the_first_other_argument():
    same = ("find", {"city": "Oslo"}, "[]")
    one = run_of(same, ("book", {"guests": 5, "at": {"hour": 8}}, "full"), success=False)
    other = run_of(same, ("book", {"at": {"hour": 9}, "guests": 4}, "done"), success=True)
    found = compare(one, other)
    assert found.departure.shared == 1
    assert (found.departure.a.index, found.departure.b.index) == (1, 1)
    assert {(d.place, d.a, d.b) for d in found.departure.arguments} == {
        ("guests", 5, 4), ("at.hour", 8, 9),
    }  # fmt: skip
    headline = comparison_headline(found)
    assert headline.startswith("The runs part at step 1: both call book, with other arguments")
    assert headline.endswith("A failed, B succeeded.")
    assert [row.kind for row in found.rows] == ["same", "arguments"]


def test_another_tool_an_end_and_a_word_are_departures_in_words():
    first = ("find", {}, "")
    for steps, said in (
        ([first, ("book", {}, "")], "B ends where A goes on at step 1: A calls book."),
        ([("book", {}, "")], "The runs part at step 0: A calls book, B calls find."),
        (["Hello"], "The runs part at step 0: A speaks, B calls find."),
    ):
        assert comparison_headline(compare(run_of(*steps), run_of(first))).startswith(said)
    assert "A ends" in comparison_headline(compare(run_of(first), run_of(first, "Bye")))


def test_order_of_keys_drawn_identifiers_and_clocks_do_not_part_runs():
    drawn = "6f1c1f70-0f5a-4d7e-9a0b-3b7c5a1d2e3f", "0e2b9d11-7c4a-4f5e-8b1a-9d8c7b6a5f4e"
    one, other = (
        run_of(("save", arguments, result))
        for arguments, result in (
            ({"key": drawn[0], "n": 1}, f'{{"id": "{drawn[0]}", "created_at": "2026-01-01"}}'),
            ({"n": 1, "key": drawn[1]}, f'{{"created_at": "2026-02-03", "id": "{drawn[1]}"}}'),
        )
    )
    found = compare(one, other)
    assert found.departure is None
    assert found.first_other_result is None
    assert comparison_headline(found) == ("The runs take the same 1 step. Both: outcome unknown.")


def test_chosen_times_numbers_and_names_do_part_runs():
    for one, other in (
        ({"at": "2026-01-01T08:00:00"}, {"at": "2026-01-01T09:00:00"}),
        ({"order": 4711}, {"order": 4712}),
        ({"id": "BK4471"}, {"id": "BK4472"}),
        ({"text": "deadbeef"}, {"text": "cafebabe"}),
    ):
        assert argument_key(one) != argument_key(other)
        assert differences(one, other)


def test_a_result_that_differs_before_the_runs_part_is_told():
    one = run_of(("find", {}, '{"seats": 4, "took": "3 ms"}'), ("book", {}, ""))
    other = run_of(("find", {}, '{"took": "9 ms", "seats": 2}'), ("wait", {}, ""))
    found = compare(one, other)
    assert found.first_other_result.a.index == 0
    assert [(d.place, d.a, d.b) for d in found.results] == [("seats", 4, 2)]
    assert result_key('{"took": "3 ms"}') == result_key('{"took": "9 ms"}')


def test_calls_that_were_asked_for_at_once_have_no_order():
    def at_once(*names):
        calls = tuple(ToolCallRequest(name=n, arguments={}, call_id=n) for n in names)
        said = ChatMessage(role="assistant", tool_calls=calls)
        made = [ToolCall(id=f"t{n}", parent="m", call_id=n, name=n, arguments={}) for n in names]
        return Run(id="r", events=(ModelCall(id="m", output=said), *made))

    assert compare(at_once("a", "b", "c"), at_once("c", "a", "b")).departure is None


def test_searches_utterances_and_failures_are_steps():
    query = Retrieval(id="q", query="opening hours", source="docs")
    one = Run(id="a", events=(query, ToolCall(id="t", name="t", arguments={}, result="ok")))
    other = Run(id="b", events=(
        msgspec.structs.replace(query, query="prices"),
        ToolCall(id="t", name="t", arguments={}, result="Error: no such thing"),
    ))  # fmt: skip
    found = compare(one, other)
    assert "both search, with other arguments: query opening hours" in comparison_headline(found)
    assert found.rows[-1].other_result
    assert found.b.errors == 1
    words = compare(run_of("Yes.", "Bye"), run_of("Yes.", "Good bye"))
    assert "their words differ from step 1 on" in comparison_headline(words)


def test_figures_are_those_of_each_run_and_unknown_where_unsaid():
    usage = Usage(input_tokens=10, output_tokens=2, cost_usd=0.5)
    call = ModelCall(id="m", usage=usage)
    timed = Run(id="a", started_ns=10**18, ended_ns=10**18 + 2 * 10**9, events=(call, call))
    found = compare(timed, run_of(("t", {}, "")))
    assert (found.a.input_tokens, found.a.output_tokens, found.a.cost_usd) == (20, 4, 1.0)
    assert found.a.seconds == 2.0
    assert (found.b.input_tokens, found.b.seconds, found.b.tool_calls) == (None, None, 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)


@given(st.lists(st.tuples(st.sampled_from("ab"), JSON, JSON), max_size=5), st.integers(0, 4))
def test_any_arguments_and_results_compare_and_are_json(steps, changed):
    one = run_of(*steps)
    other = run_of(*steps[:changed], ("c", {}, None), *steps[changed:])
    assert compare(one, one).departure is None
    found = compare(one, other)
    assert found.departure is not None
    assert encode_json(comparison_record(found))
