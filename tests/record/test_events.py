"""The trace model: what is written comes back, and nothing can change it."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.record.events import (
    Adaptation,
    ChatMessage,
    Document,
    ErrorInfo,
    Intervention,
    Message,
    ModelCall,
    Outcome,
    Position,
    Retrieval,
    Run,
    ToolCall,
    ToolCallRequest,
    Usage,
    decode_event,
    encode_json,
)
from knitbone.record.identifiers import new_identifier

EVENTS = (
    ModelCall(
        id="1",
        model="m",
        input=(ChatMessage(role="user", content="hello"),),
        output=ChatMessage(
            role="assistant",
            tool_calls=(ToolCallRequest(name="t", arguments={"a": [1, None]}, call_id="c"),),
        ),
        usage=Usage(input_tokens=3, output_tokens=4, cost_usd=0.5),
        position=Position(index=7),
    ),
    ToolCall(id="2", name="t", arguments={"a": 1}, result="x", parent="1"),
    ToolCall(id="3", name="t", error=ErrorInfo(type="ValueError", message="no")),
    Retrieval(id="4", query="q", documents=(Document(text="d", score=0.25),)),
    Message(id="5", role="user", content="hi"),
    Adaptation(id="6", site="a.py:1", requirement="r", action="repaired", rules=("delimiter",)),
    Intervention(id="7", trigger="tool_return", signal="loop", content="stop"),
    Outcome(id="8", success=False, reward=0.0),
)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_written_as_json_comes_back_equal_and_of_its_type(event):
    assert decode_event(encode_json(event)) == event


def test_a_run_comes_back_equal_with_all_event_types():
    run = Run(id="r", task="t", started_ns=1, events=EVENTS)
    assert msgspec.json.decode(encode_json(run), type=Run) == run


def test_events_and_runs_cannot_be_changed():
    with pytest.raises(AttributeError):
        EVENTS[0].model = "other"
    with pytest.raises(AttributeError):
        Run(id="r").events = ()


def test_the_outcome_of_a_run_is_its_last_verdict():
    first, last = Outcome(id="a", success=False), Outcome(id="b", success=True)
    assert Run(id="r", events=(first, EVENTS[1], last)).outcome is last
    assert Run(id="r", events=EVENTS[:2]).outcome is None


FLOATS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | FLOATS | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.text(), JSON)
def test_any_json_survives_in_arguments_and_results(content, value):
    event = ToolCall(id="1", name="t", arguments={"value": value}, result=content)
    assert decode_event(encode_json(event)) == event


def test_identifiers_are_unique_sortable_uuid7():
    made = [new_identifier() for _ in range(10_000)]
    assert len(set(made)) == len(made)
    assert made == sorted(made)
    assert all(len(one) == 32 and one[12] == "7" and one[16] in "89ab" for one in made)
