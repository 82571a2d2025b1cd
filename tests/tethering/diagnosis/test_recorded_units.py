"""Units of runs as a recorder makes them: model calls that carry their history."""

from __future__ import annotations

import pytest

from knitbone.record.events import (
    Adaptation,
    ChatMessage,
    Document,
    ErrorInfo,
    Message,
    ModelCall,
    Outcome,
    Retrieval,
    Run,
    ToolCall,
    ToolCallRequest,
    Usage,
)
from knitbone.tethering.diagnosis.context import MAX_NODES
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.units import asked, build_units, system_texts

SYSTEM = ChatMessage(role="system", content="You seat guests.")
USER = ChatMessage(role="user", content="A table for Brandt, please.")


def said(content="", *calls):
    requests = tuple(
        ToolCallRequest(name=name, arguments=arguments, call_id=call_id)
        for name, arguments, call_id in calls
    )
    return ChatMessage(role="assistant", content=content, tool_calls=requests)


def answered(call_id, content):
    return ChatMessage(role="tool", content=content, tool_call_id=call_id)


LOOK = said("I look.", ("find_booking", {"name": "Brandt"}, "c1"))
TAKE = said("", ("assign_table", {"booking": "BK4471"}, "c2"))


def conversation(*events, **more):
    return Run(id="r", events=tuple(events), **more)


def call(number, history, output, **more):
    return ModelCall(id=f"m{number}", input=tuple(history), output=output, **more)


def recorded():
    first = [SYSTEM, USER]
    second = [*first, LOOK, answered("c1", '{"booking": "BK4471"}')]
    third = [*second, TAKE, answered("c2", "Error: no table"), USER]
    return conversation(call(0, first, LOOK), call(1, second, TAKE), call(2, third, said("Sorry.")))


def test_answers_are_read_from_the_input_of_the_next_model_call():
    look, take, last = build_units(recorded())
    assert (look.tool, look.status, look.calls[0].result) == (
        "find_booking", "ok", '{"booking": "BK4471"}',
    )  # fmt: skip
    assert look.observation == "A table for Brandt, please."
    assert "bk4471" in look.produced
    assert (take.status, take.error) == ("error", "Error: no table")
    assert last.observation == "A table for Brandt, please."
    assert "A table for Brandt" in take.feedback


def test_a_value_from_a_recorded_answer_is_a_dependency():
    graph = build_graph(build_units(recorded()))
    (edge,) = graph.dependencies_into[1]
    assert (edge.source, edge.sharing, edge.artifacts) == (0, "produced-consumed", ("bk4471",))


def test_prompt_and_task_are_found_in_a_recorded_run():
    assert system_texts(recorded()) == ("You seat guests.",)
    assert asked(recorded()) == "A table for Brandt, please."
    assert asked(conversation(task="seat them")) == "seat them"


def test_a_tool_call_that_was_recorded_itself_is_not_taken_twice():
    history = [SYSTEM, USER]
    later = [*history, LOOK, answered("c1", "BK4471")]
    for identified in ("c1", None):
        run = conversation(
            call(0, history, LOOK),
            ToolCall(
                id="t", name="find_booking", call_id=identified, arguments={"name": "Brandt"},
                result="BK4471",
            ),
            call(1, later, said("Done.")),
        )  # fmt: skip
        look, _ = build_units(run)
        assert [c.result for c in look.calls] == ["BK4471"]


def test_what_was_asked_and_never_answered_stays_visible():
    both = said("", ("find", {"x": "R100"}, "a"), ("pay", {"x": "R200"}, "b"))
    run = conversation(
        call(0, [USER], both), ToolCall(id="t", name="find", call_id="a", result="k")
    )
    (unit,) = build_units(run)
    assert [(c.tool, c.result) for c in unit.calls] == [("find", "k"), ("pay", "")]


def test_what_runs_inside_a_tool_belongs_to_its_unit():
    run = conversation(
        call(0, [USER], LOOK),
        ToolCall(id="t", name="find_booking", call_id="c1", parent="m0", result="k"),
        ToolCall(id="inner", name="read_file", parent="t", arguments={"p": 1}, result="deep"),
    )
    (unit,) = build_units(run)
    assert [c.tool for c in unit.calls] == ["find_booking", "read_file"]


def test_a_retrieval_inside_a_tool_is_its_result_and_outside_a_unit():
    found = (Document(text="The booking BK4471 is for four people. " * 4),)
    inside = conversation(
        ToolCall(id="t", name="search", arguments={}, result=None),
        Retrieval(id="q", query="tables", parent="t", documents=found),
    )
    (unit,) = build_units(inside)
    assert "bk4471" in unit.produced
    assert unit.role == "tool"
    (alone,) = build_units(conversation(Retrieval(id="q", query="tables", documents=found)))
    assert (alone.role, alone.intent) == ("retriever", "read")


def test_a_message_that_was_recorded_and_is_in_the_input_is_heard_once():
    run = conversation(
        Message(id="u", role="user", content=USER.content), call(0, [USER], said("Yes?"))
    )
    assert build_units(run)[0].observation == USER.content


def test_several_agents_have_roles_and_do_not_answer_each_other():
    run = conversation(
        ModelCall(id="a", agent="chief", input=(USER,), output=said("Plan: 1. look it up")),
        ModelCall(id="b", agent="clerk", input=(ChatMessage(role="user", content="Look it up."),),
                  output=said("It is T17.")),
    )  # fmt: skip
    chief, clerk = build_units(run)
    assert (chief.role, clerk.role) == ("orchestrator", "worker")
    assert clerk.observation == "Look it up."
    assert chief.feedback == ""


def test_a_cut_off_answer_and_a_failed_call_are_errors():
    run = conversation(
        call(0, [USER], said("Dear gue"), finish_reason="length"),
        call(1, [USER], None, error=ErrorInfo(type="Timeout", message="60 s")),
    )
    cut, failed = build_units(run)
    assert "cut off" in cut.error
    assert failed.error == "Timeout: 60 s"


def test_spans_metrics_logs_and_verifications_are_context():
    run = conversation(
        call(0, [USER], said("Yes"), started_ns=1_000_000, ended_ns=3_500_000,
             usage=Usage(input_tokens=12, output_tokens=3),
             attributes={"gen_ai.server.time_to_first_token": 0.2, "server.port": 443}),
        ToolCall(id="t", parent="m0", name="find", result="x", attributes={"otel.events": [
            {"name": "exception", "attributes": {"exception.message": "disk full"}},
            {"name": "gen_ai.evaluation.result", "attributes": {
                "gen_ai.evaluation.name": "tone", "gen_ai.evaluation.score.label": "fail",
                "gen_ai.evaluation.score.value": 0.1}},
            "no record",
        ]}),
        Adaptation(id="x", parent="m0", site="a.py:3", requirement="JSON object", action="refused"),
        Outcome(id="o1", success=True, reason="midway"),
        Outcome(id="o2", success=False),
    )  # fmt: skip
    (unit,) = build_units(run)
    shown = {(n.kind, n.name, n.status, n.value) for n in unit.context}
    assert shown == {
        ("span", "chat", "ok", 2.5),
        ("metric", "gen_ai.usage.input_tokens", "unknown", 12.0),
        ("metric", "gen_ai.usage.output_tokens", "unknown", 3.0),
        ("metric", "gen_ai.server.time_to_first_token", "unknown", 0.2),
        ("log", "exception", "error", None),
        ("verification", "tone", "error", 0.1),
        ("verification", "JSON object", "error", None),
        ("verification", "outcome", "ok", None),
    }


def test_a_number_that_no_float_holds_is_no_metric_and_no_crash():
    huge = {"gen_ai.usage.input_tokens": 10**400, "gen_ai.evaluation.score.value": 10**400}
    call = ModelCall(id="1", attributes=huge, output=ChatMessage(role="assistant", content="done"))
    (unit,) = build_units(Run(id="r", events=(call,)))
    assert [(node.kind, node.value) for node in unit.context] == [("verification", None)]


def test_a_flood_of_logs_is_clipped_and_an_imported_chat_has_no_context():
    flood = [{"name": "log", "body": "x" * 10_000}] * 1_000
    run = conversation(ToolCall(id="t", name="find", result="x", attributes={"logs": flood}))
    (unit,) = build_units(run)
    assert len(unit.context) == MAX_NODES
    assert max(len(node.text) for node in unit.context) == 300
    assert build_units(conversation(call(0, [USER], said("Yes"))))[0].context == ()


class Counted(str):
    """A text that counts how often it is compared."""

    __slots__ = ()
    comparisons = 0

    def __eq__(self, other):
        Counted.comparisons += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def fresh_text(text):
    return Counted(str(text))


def answers_of_one_turn(count, *, by_identifier):
    """A turn that asks for many calls at once, answered from the last to the first."""

    def identifier(k):
        return fresh_text(f"c{k}") if by_identifier else None

    def tool(k):
        return fresh_text("find_booking" if by_identifier else f"find_booking_{k}")

    numbers = range(count)
    asked_for = [(tool(k), {"number": k}, identifier(k)) for k in numbers]
    answers = [
        ToolCall(
            id=f"t{k}", name=tool(k), call_id=identifier(k), arguments={"number": k},
            result=str(k),
        )
        for k in reversed(numbers)
    ]  # fmt: skip
    return conversation(call(0, [USER], said("", *asked_for)), *answers)


@pytest.mark.parametrize("by_identifier", [True, False])
def test_parallel_calls_are_answered_without_a_search(by_identifier):
    spent = []
    for count in (200, 400):
        run = answers_of_one_turn(count, by_identifier=by_identifier)
        Counted.comparisons = 0
        (unit,) = build_units(run)
        spent.append(Counted.comparisons)
        assert len(unit.calls) == count
        assert all(made.result for made in unit.calls)
    assert spent[1] < 3 * spent[0]
