"""A run that does everything right is left alone, whatever an attempt before it did wrong.

Tasks, tools and failed attempts are generated: calls without an argument, with another value, too
often, or of tools that the task does not need, refused in the words of several libraries. The
attempt is recorded, diagnosed, and its guidance supervises a run of just the calls that the task
needs.
"""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.record.events import ChatMessage, ErrorInfo, ModelCall, Outcome, Run, ToolCall
from knitbone.record.events import ToolCallRequest as Asked
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.guidance.builder import build_guidance
from knitbone.tethering.guidance.records import Directive, ExpectedCall, Guidance
from knitbone.tethering.supervision.engine import Supervisor
from knitbone.tethering.supervision.records import ReturnedCall

VERBS = ("send", "create", "update", "invite", "close", "get", "search", "delete")
THINGS = ("invoice", "calendar event", "member", "report", "parcel", "hotel room", "playlist")
ARGUMENTS = ("target", "start_time", "recipient")


def refusal(style, tool, missing, given_):
    """An argument is missing: as pydantic, Python, a service and a validator of JSON say it."""
    return {
        "pydantic": f"ValidationError: 1 validation error for {tool}\n{missing}\n  Field required "
        f"[type=missing, input_value={given_}, input_type=dict]",
        "python": f"TypeError: {tool}() missing 1 required positional argument: '{missing}'",
        "service": f"Error: missing required field `{missing}`; got {json.dumps(given_)}",
        "json": json.dumps({"error": f"'{missing}' is a required property", "input": given_}),
    }[style]


STYLES = st.sampled_from(["pydantic", "python", "service", "json"])
TOOLS = st.builds("{} {}".format, st.sampled_from(VERBS), st.sampled_from(THINGS))
CALLS = st.builds(
    lambda words, number: (
        words.replace(" ", "_"),
        {name: f"{name[0].upper()}-{number}{place}" for place, name in enumerate(ARGUMENTS)},
    ),
    TOOLS,
    st.integers(10, 99),
)


@st.composite
def tasks(draw):
    """A request, the calls that it takes, and those of an attempt that fails, with results."""
    gold = draw(st.lists(CALLS, min_size=1, max_size=5, unique_by=str))
    asked = [
        f"{tool.replace('_', ' ')} {', '.join(arguments.values())}" for tool, arguments in gold
    ]
    made = []
    for tool, arguments in gold:
        fault = draw(st.sampled_from(["none", "omitted", "foreign", "done twice", "left out"]))
        if fault == "omitted":
            missing = draw(st.sampled_from(ARGUMENTS))
            short = {name: value for name, value in arguments.items() if name != missing}
            said = refusal(draw(STYLES), tool, missing, short)
            made += [(tool, short, said)] * draw(st.integers(1, 3))
            if draw(st.booleans()):
                continue
        if fault == "foreign":
            other, values = draw(CALLS)
            made += [(other, values, f"Error: {values['target']} not found")] * draw(
                st.integers(1, 3)
            )
        if fault != "left out":
            made.append((tool, arguments, '{"ok": true}'))
        if fault == "done twice":
            made.append((tool, arguments, f"ValueError: {arguments['target']} already exists"))
    return "Please " + ", then ".join(asked) + ".", gold, made


def failed_run(request, made):
    """The record of the attempt."""
    messages, events = [ChatMessage(role="user", content=request)], []
    for place, (tool, arguments, result) in enumerate(made):
        asked = ChatMessage(
            role="assistant",
            tool_calls=(Asked(name=tool, arguments=arguments, call_id=f"c{place}"),),
        )
        failed = ErrorInfo(type="ToolError", message=result) if "ok" not in result else None
        events += [
            ModelCall(id=f"m{place}", started_ns=2 * place, model="m", input=tuple(messages),
                      output=asked),
            ToolCall(id=f"t{place}", started_ns=2 * place + 1, name=tool, call_id=f"c{place}",
                     arguments=arguments, result=result, error=failed),
        ]  # fmt: skip
        messages += [asked, ChatMessage(role="tool", content=result, tool_call_id=f"c{place}")]
    last = 2 * len(made)
    done = ChatMessage(role="assistant", content="All of it is done.")
    events += [
        ModelCall(id="end", started_ns=last, model="m", input=tuple(messages), output=done),
        Outcome(id="outcome", started_ns=last + 1, success=False),
    ]
    return Run(id="run", task=request, started_ns=0, events=tuple(events))


@settings(max_examples=30, deadline=None)
@given(tasks())
def test_a_run_of_the_needed_calls_alone_is_left_alone(task):
    request, gold, made = task
    run = failed_run(request, made)
    guidance = build_guidance(diagnose(run), run, task="task")
    supervisor = Supervisor(request, guidance, record=None)
    for tool, arguments in gold:
        supervisor.tool_returned(ReturnedCall(tool=tool, arguments=arguments, result='{"ok": 1}'))
    supervisor.text_answered("All of it is done.")
    spoken = [d for d in supervisor.decisions if d.action != "silence"]
    assert not spoken, (guidance.text, spoken)


def test_an_attempt_that_ends_without_a_needed_action_is_reminded_of_it():
    run = failed_run(
        "Please send invoice T-1.",
        [("send_invoice", {"target": "T-1"}, refusal("python", "send_invoice", "start_time", {}))],
    )
    guidance = build_guidance(diagnose(run), run, task="task")
    supervisor = Supervisor("Please send invoice T-1.", guidance, record=None)
    said = supervisor.text_answered("All of it is done.")
    assert said is not None
    assert "`send_invoice`" in said


def reminded(request, tool):
    expectation = ExpectedCall(tool=tool)
    directive = Directive(
        id=tool, family="action", constraint="required argument", do=f"Give `{tool}` everything.",
        expectation=expectation,
    )  # fmt: skip
    guidance = Guidance(task="t", run="r", directives=(directive,), text="...")
    supervisor = Supervisor(request, guidance, record=None)
    return supervisor.text_answered("All of it is done.") is not None


def test_only_what_the_request_names_is_reminded_of():
    request = "Find the emails on the budget, then close my old account."
    assert reminded(request, "close_account")
    assert reminded(request, "search_emails"), "one verb of looking up is as good as another"
    assert not reminded(request, "delete_email"), "nobody asked to delete any"
    assert not reminded(request, "close_ticket")
    assert not reminded(request, "close_email"), "the verb is another thing's"
    assert not reminded(request, "get_account"), "it is to be closed, not looked up"
    assert not reminded(request, "transfer_funds")
    assert not reminded("", "close_account"), "of a task that is no text nothing is known"


def test_a_run_is_not_late_before_it_is_longer_than_the_attempt_before():
    directive = Directive(
        id="close", family="close", constraint="required argument", do="Give it everything.",
        expectation=ExpectedCall(tool="close_account"),
    )  # fmt: skip
    guidance = Guidance(task="t", run="r", directives=(directive,), text="...", calls=9)
    supervisor = Supervisor("Close my account.", guidance, record=None)
    said = [
        supervisor.tool_returned(ReturnedCall(tool="get_page", arguments={"n": n}, result=str(n)))
        for n in range(12)
    ]
    assert [n for n, text in enumerate(said) if text] == [9]
