"""What the events show about a step."""

from __future__ import annotations

import pytest

from knitbone.record.events import ChatMessage, ErrorInfo, ModelCall, Run, ToolCall, ToolCallRequest
from knitbone.tethering.diagnosis.findings import findings_at
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.shown import Shown
from knitbone.tethering.diagnosis.units import build_units


def graph_of(*steps):
    """Calls as ``(tool, result)``, then the words that end the run."""
    events = []
    for number, (tool, result) in enumerate(steps):
        asked = ToolCallRequest(name=tool, arguments={}, call_id=f"c{number}")
        said = ChatMessage(role="assistant", tool_calls=(asked,))
        events.append(ModelCall(id=f"m{number}", output=said))
        events.append(
            ToolCall(id=f"t{number}", parent=f"m{number}", name=tool, arguments={}, result=result)
        )
    events.append(ModelCall(id="end", output=ChatMessage(role="assistant", content="All done.")))
    return build_graph(build_units(Run(id="r", events=tuple(events))))


@pytest.mark.parametrize(
    ("steps", "left_open"),
    [
        ([("book", "Error: full"), ("book", "booked")], None),
        ([("book", "booked"), ("book", "Error: full")], 1),
        ([("book", "Error: full"), ("pay", "Error: no card"), ("book", "booked")], 1),
        ([("book", "Error: full"), ("pay", "Error: no card"), ("pay", "paid")], 0),
        ([("book", "booked")], None),
    ],
)
def test_an_error_is_open_until_its_tool_succeeds_later(steps, left_open):
    graph = graph_of(*steps)
    last = graph.units[-1]
    found = [
        finding for finding in findings_at(graph, last, Shown(Run(id="r")))
        if finding.kind in ("ended with open error", "ended here")
    ]  # fmt: skip
    (finding,) = found
    assert finding.kind == ("ended here" if left_open is None else "ended with open error")
    if left_open is not None:
        assert finding.steps == (graph.units[left_open].index, last.index)


def parallel(*calls):
    """One step that calls several tools at once, as ``(tool, arguments, result)``, then the end."""
    requests = tuple(
        ToolCallRequest(name=tool, arguments=arguments, call_id=f"c{number}")
        for number, (tool, arguments, _) in enumerate(calls)
    )
    events = [ModelCall(id="m", output=ChatMessage(role="assistant", tool_calls=requests))]
    events += [
        ToolCall(id=f"t{n}", parent="m", call_id=f"c{n}", name=t, arguments=a, result=result)
        for n, (t, a, result) in enumerate(calls)
    ]
    events.append(ModelCall(id="end", output=ChatMessage(role="assistant", content="All done.")))
    return build_graph(build_units(Run(id="r", events=tuple(events))))


def findings_of_first(graph):
    found = findings_at(graph, graph.units[0], Shown(Run(id="r")))
    return {finding.kind: finding for finding in found}


def test_of_calls_made_at_once_the_one_that_failed_is_named():
    graph = parallel(
        ("find_booking", {"guest": "Ada"}, "booking 7"),
        ("find_table", {"seats": 0}, "Error: seats must be positive"),
    )
    failed = findings_of_first(graph)["failed call"]
    assert failed.text.startswith("find_table fails at step 0")
    assert failed.names == ("find_table",)


def test_an_error_in_json_is_quoted_in_its_own_words():
    graph = parallel(("refund", {"order": 7}, '{"error": "the order is \\"open\\"", "code": 3}'))
    text = findings_of_first(graph)["failed call"].text
    assert text == 'refund fails at step 0: "the order is "open""'


def test_of_calls_made_at_once_the_one_that_changed_state_is_named_even_beside_a_failure():
    found = findings_of_first(
        parallel(
            ("find_table", {}, "Error: no such room"),
            ("cancel_booking", {"booking": 7}, "cancelled"),
        )
    )
    assert found["state change"].names == ("cancel_booking",)
    assert found["failed call"].names == ("find_table",)


def test_a_failed_change_among_calls_made_at_once_changed_nothing():
    graph = parallel(
        ("find_table", {}, "table 3"), ("cancel_booking", {"booking": 7}, "Error: no such booking")
    )
    assert "state change" not in findings_of_first(graph)


def test_an_error_that_no_call_brought_is_laid_to_no_tool():
    asked = ToolCallRequest(name="find_table", arguments={}, call_id="c")
    said = ChatMessage(role="assistant", tool_calls=(asked,))
    run = Run(id="r", events=(ModelCall(id="m", output=said, finish_reason="length"),))
    failed = findings_of_first(build_graph(build_units(run)))["failed call"]
    assert failed.names == ()
    assert "find_table" not in failed.text


@pytest.mark.parametrize(
    ("error", "missing"),
    [
        (
            "ValidationError: 1 validation error for send\nstart_time\n  Field required "
            "[type=missing, input_value={'to': 'A-1'}, input_type=dict]",
            "start_time",
        ),
        ("Error invoking send: body: Field required [input_value={}]", "body"),
        ("TypeError: send() missing 1 required positional argument: 'start_time'", "start_time"),
    ],
)
def test_what_is_missing_is_what_the_error_says_and_not_how_it_says_it(error, missing):
    graph = build_graph(
        build_units(
            Run(
                id="r",
                events=(
                    ToolCall(
                        id="t", name="send", arguments={"to": "A-1"},
                        error=ErrorInfo(type="ToolError", message=error),
                    ),
                ),
            )
        )
    )  # fmt: skip
    found = findings_at(graph, graph.units[0], Shown(Run(id="r")))
    assert [f.names for f in found if f.kind == "missing argument"] == [("send", missing)]


def test_a_value_may_be_what_was_taken_out_of_the_record_where_it_was_shown():
    def kinds(shown):
        asked = ToolCallRequest(name="pay", arguments={"account": "CA-7731"}, call_id="c")
        events = (
            ModelCall(id="read", output=ChatMessage(role="assistant", tool_calls=(
                ToolCallRequest(name="look_up", arguments={}, call_id="r"),))),
            ToolCall(
                id="s", parent="read", call_id="r", name="look_up", arguments={}, result=shown
            ),
            ModelCall(id="m", output=ChatMessage(role="assistant", tool_calls=(asked,))),
            ToolCall(id="t", parent="m", call_id="c", name="pay",
                     arguments={"account": "CA-7731"}, result="paid"),
        )  # fmt: skip
        run = Run(id="r", events=events)
        graph = build_graph(build_units(run))
        return {finding.kind for finding in findings_at(graph, graph.units[-1], Shown(run))}

    assert "value never observed" in kinds("the account is open")
    assert "value never observed" not in kinds("the account is [redacted]")
