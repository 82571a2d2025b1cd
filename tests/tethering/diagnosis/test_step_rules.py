from __future__ import annotations

import io
import json

import pytest
from hangs import no_hang
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded_logs import answer, call
from rich.console import Console

from knitbone.record.events import ChatMessage, Message, ModelCall, Run, ToolCallRequest
from knitbone.report.diagnosis import show_diagnosis
from knitbone.report.diagnosis_html import diagnosis_page
from knitbone.tethering.diagnosis.engine import examine
from knitbone.tethering.diagnosis.packet import build_packet
from knitbone.tethering.diagnosis.rules import score_run
from knitbone.tethering.diagnosis.rules.engine import MAX_RULES, mine_policy
from knitbone.tethering.diagnosis.rules.schemas import broken_by
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_bytes

POLICY = """# Library desk

- At the start you have to verify the identity of the member by finding the member card via email.
- Before taking actions that change a loan (renew, cancel), obtain explicit confirmation (yes).
- A loan can only be renewed if its state is 'open' or 'due'.
- The renew tool can only be called once for a loan.
- Make one tool call at a time, and if you make a tool call you should not respond to the member.
- The reason must be one of 'moved away' or 'lost card'.
- Our opening hours are displayed at the entrance.
"""
TOOLS = ("find_member_card_by_email", "get_loan", "cancel_loan", "update_loan")


def report_of(*steps, policy=POLICY):
    messages = [{"role": "system", "content": policy}, *steps]
    value = {"messages": messages, "success": False}
    run = import_bytes(json.dumps(value).encode(), path="x.json")[0].run
    return score_run(run, build_units(run))


def broken(report):
    return [(violation.ordinal, violation.rule.kind) for violation in report.violations]


def says(role, content):
    return {"role": role, "content": content}


KNOWN = (
    says("user", "I am a@b.org, please cancel loan L4471."),
    call("find_member_card_by_email", {"email": "a@b.org"}),
    answer("find_member_card_by_email", {"member": "M-77"}),
)
ASKED = (says("assistant", "Shall I cancel loan L4471?"), says("user", "Yes, go ahead."))
CANCEL = (
    call("cancel_loan", {"loan": "L4471", "reason": "lost card"}),
    answer("cancel_loan", {"loan": "L4471", "state": "cancelled"}),
)


def test_each_rule_carries_the_sentence_it_rests_on():
    rules = {rule.kind: rule for rule in mine_policy([POLICY], TOOLS)}
    assert rules["write before confirmation"].tools == ("cancel_loan",)
    assert "explicit confirmation" in rules["write before confirmation"].evidence
    assert rules["write before identification"].tools == ("find_member_card_by_email",)
    assert rules["value not allowed"].allowed == ("moved away", "lost card")
    assert {"several calls at once", "call beside an answer"} <= set(rules)


def test_a_sentence_that_demands_nothing_gives_no_rule():
    text = "After confirmation the loan is cancelled and the member gets a mail."
    assert mine_policy([text], TOOLS) == ()


def test_what_follows_the_demand_is_not_its_subject():
    text = "This action can only be called once, and you cannot cancel the loan afterwards."
    assert mine_policy([text], TOOLS) == ()


def test_a_run_that_keeps_the_policy_breaks_no_rule():
    report = report_of(*KNOWN, *ASKED, *CANCEL)
    assert broken(report) == []
    assert all(item.score == 0 for item in report.evidence)


def test_a_write_that_nobody_confirmed():
    report = report_of(*KNOWN, *CANCEL)
    assert broken(report) == [(1, "write before confirmation")]
    assert "was not asked" in report.violations[0].text
    assert [item.score for item in report.evidence] == [0.0, 0.5]
    assert report.evidence[1].signals == ("write before confirmation",)
    assert report.evidence[1].rank == 1


def test_an_answer_that_confirms_nothing():
    asked = (ASKED[0], says("user", "What does it cost?"))
    report = report_of(*KNOWN, *asked, *CANCEL)
    assert broken(report) == [(2, "write before confirmation")]
    assert "confirm nothing" in report.violations[0].text


def test_reading_a_record_before_anybody_was_identified():
    steps = (
        says("user", "What about loan L4471? I am a@b.org."),
        call("get_loan", {"loan": "L4471"}),
        answer("get_loan", {"loan": "L4471", "state": "open"}),
        *KNOWN[1:],
    )
    assert broken(report_of(*steps)) == [(0, "write before identification")]


def test_a_state_that_forbids_the_write():
    policy = "A loan can only be cancelled if its state is 'open'."
    read = (
        call("get_loan", {"loan": "L4471"}),
        answer("get_loan", {"loan": "L4471", "state": "x"}),
    )
    ask = says("user", "Cancel L4471, lost card.")
    assert broken(report_of(ask, *read, *CANCEL, policy=policy)) == [(1, "wrong state")]
    ok = (read[0], answer("get_loan", {"loan": "L4471", "state": "open (due)"}))
    assert broken(report_of(ask, *ok, *CANCEL, policy=policy)) == []


def test_a_second_call_counts_for_the_same_record_only():
    policy = "Cancel tools can only be called once."
    ask = says("user", "Cancel L4471 and L9000.")
    other = (call("cancel_loan", {"loan": "L9000"}), answer("cancel_loan", {"done": True}))
    first = (call("cancel_loan", {"loan": "L4471"}), answer("cancel_loan", {"done": True}))
    assert broken(report_of(ask, *first, *other, policy=policy)) == []
    assert broken(report_of(ask, *first, *first, policy=policy)) == [(1, "called again")]


def test_the_same_means_of_payment_is_not_the_same_record():
    ask = says("user", "Cancel L4471 and L9000, card C77.")
    steps = [ask]
    for loan in ("L4471", "L9000"):
        steps += [
            call("cancel_loan", {"loan": loan, "card": "C77"}),
            answer("cancel_loan", {"done": True}),
        ]
    assert broken(report_of(*steps, policy="Cancel tools can only be called once.")) == []


def test_a_rule_about_one_thing_binds_no_tool_of_another():
    (rule,) = mine_policy(
        ["A loan can only be changed if its state is 'open'."], ["change_loan", "change_address"]
    )
    assert rule.tools == ("change_loan",)


def test_a_value_that_the_policy_does_not_allow():
    steps = (
        *KNOWN, *ASKED,
        call("cancel_loan", {"loan": "L4471", "reason": "too dear"}),
        answer("cancel_loan", {"ok": 1}),
    )  # fmt: skip
    (violation,) = report_of(*steps).violations
    assert violation.rule.kind == "value not allowed"
    assert "too dear" not in violation.text


def test_an_identifier_out_of_nowhere_needs_no_policy():
    steps = (says("user", "Cancel my loan L4471."), call("get_loan", {"loan": "L9999"}))
    report = report_of(*steps, policy="You are helpful.")
    assert broken(report) == [(0, "argument never observed")]
    known = (says("user", "Cancel my loan L4471."), call("get_loan", {"loan": "L4471"}))
    assert broken(report_of(*known, policy="You are helpful.")) == []


SCHEMA = {
    "type": "object",
    "properties": {
        "loan": {"type": "string"},
        "days": {"type": "integer"},
        "mode": {"enum": ["mail", "desk"]},
        "to": {"type": "object", "properties": {"zip": {"type": "string"}}, "required": ["zip"]},
    },
    "required": ["loan", "days"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"loan": "L1", "days": 3}, []),
        ({"loan": "L1"}, [("missing argument", "days")]),
        (None, [("missing argument", "loan"), ("missing argument", "days")]),
        ({"loan": "L1", "days": "3"}, [("wrong type", "days")]),
        ({"loan": "L1", "days": 3, "mode": "fax"}, [("value not allowed", "mode")]),
        ({"loan": "L1", "days": 3, "colour": 1}, [("unknown argument", "colour")]),
        ({"loan": "L1", "days": 3, "to": {}}, [("missing argument", "to.zip")]),
        ("not an object", [("wrong type", "")]),
    ],
)
def test_arguments_against_the_schema(arguments, expected):
    assert [(r.kind, r.field) for r in broken_by("renew", SCHEMA, arguments)] == expected


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "https://example.org/elsewhere.json"},
        {"$ref": "#"},
        {"type": "nonsense"},
        {"required": 3},
        {"properties": []},
        {"properties": {"loan": {"pattern": "(a+)+$"}}},
        {"patternProperties": {"(": {}}, "additionalProperties": False},
        {"patternProperties": {"^(l+)+$": {}}, "additionalProperties": False},
        {"$id": 5},
    ],
)
def test_a_schema_that_cannot_be_judged_blames_nobody(schema):
    with no_hang():
        assert list(broken_by("renew", schema, {"loan": "a" * 40 + "!"})) == []


def test_a_list_of_values_of_another_shape_is_judged_without_an_error():
    (rule,) = broken_by("renew", {"properties": {"loan": {"enum": {"x": 1}}}}, {"loan": "y"})
    assert (rule.kind, rule.allowed) == ("value not allowed", ())


def test_references_that_fan_out_are_not_followed_for_ever():
    steps = {f"s{n}": {"allOf": [{"$ref": f"#/$defs/s{n + 1}"}] * 2} for n in range(40)}
    schema = {"$defs": {**steps, "s40": {"type": "object"}}, "$ref": "#/$defs/s0"}
    with no_hang():
        assert list(broken_by("renew", schema, {"loan": "a"})) == []


def test_a_policy_of_thousands_of_rules_is_read_in_part():
    demands = (f"To renew a loan the reason must be one of 'a{n}' or 'b'." for n in range(400))
    assert len(mine_policy([" ".join(demands)], ["renew_loan"])) == MAX_RULES


def test_names_with_patterns_are_not_run():
    schema = {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False}
    with no_hang():
        assert list(broken_by("renew", schema, {"a" * 40 + "!": 1})) == []


@pytest.mark.parametrize("wrap", ["list", "text", "openai"])
def test_schemas_are_read_from_the_run(wrap):
    definition = {"name": "renew", "parameters": SCHEMA}
    definitions = [definition]
    if wrap == "openai":
        definitions = [{"type": "function", "function": definition}]
    value = json.dumps(definitions) if wrap == "text" else definitions
    asked = ToolCallRequest(name="renew", arguments={"loan": "L1"})
    run = Run(
        id="r", task="renew L1",
        events=(
            Message(id="1", role="user", content="renew L1"),
            ModelCall(
                id="2", output=ChatMessage(role="assistant", tool_calls=(asked,)),
                attributes={"gen_ai.tool.definitions": value},
            ),
        ),
    )  # fmt: skip
    (violation,) = score_run(run, build_units(run)).violations
    assert violation.rule.kind == "missing argument"
    assert violation.rule.evidence == "schema of renew: days is required"


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400), st.lists(st.text(max_size=20), max_size=4))
def test_any_text_is_read_without_an_error(text, tools):
    for rule in mine_policy([text, f"You must {text} before"], tools):
        assert len(rule.evidence) <= 300


def test_long_texts_are_read_in_time():
    text = "must before confirm its status is ' " * 20_000 + "either 'a' or " * 20_000
    with no_hang():
        mine_policy([text], TOOLS)


def at_once(*calls):
    """One step that makes several calls, ``(tool, arguments, result)``, and their answers."""
    asked = [call(tool, arguments, f"c{k}") for k, (tool, arguments, _) in enumerate(calls)]
    requests = [request for one in asked for request in one["tool_calls"]]
    answers = [answer(tool, result, f"c{k}") for k, (tool, _, result) in enumerate(calls)]
    return ({**asked[0], "tool_calls": requests}, *answers)


ASK = says("user", "I am a@b.org. Cancel my loans L4471 and L9000, lost card.")
READ = at_once(
    ("get_loan", {"loan": "L4471"}, {"loan": "L4471", "state": "open"}),
    ("get_loan", {"loan": "L9000"}, {"loan": "L9000", "state": "closed"}),
)
DONE = {"ok": True}


@pytest.mark.parametrize(
    ("policy", "steps", "expected"),
    [
        (
            "A loan can only be cancelled if its state is 'open'.",
            (*READ, *at_once(
                ("get_loan", {"loan": "L4471"}, DONE),
                ("cancel_loan", {"loan": "L4471"}, DONE),
                ("cancel_loan", {"loan": "L9000"}, DONE),
            )),
            [(1, "wrong state", "cancel_loan", "loan")],
        ),
        (
            "The reason must be one of 'moved away' or 'lost card'.",
            at_once(
                ("get_loan", {"loan": "L4471"}, DONE),
                ("cancel_loan", {"loan": "L4471", "reason": "lost card"}, DONE),
                ("cancel_loan", {"loan": "L9000", "reason": "no idea"}, DONE),
            ),
            [(0, "value not allowed", "cancel_loan", "reason")],
        ),
        (
            "Before you cancel a loan, obtain explicit confirmation.",
            at_once(
                ("get_loan", {"loan": "L4471"}, DONE),
                ("cancel_loan", {"loan": "L4471"}, DONE),
            ),
            [(0, "write before confirmation", "cancel_loan", "")],
        ),
        (
            "At the start you must verify the identity of the member by finding the member card.",
            (
                *at_once(("think", {"thought": "hm"}, DONE), ("get_loan", {"loan": "L4471"}, DONE)),
                *at_once(("find_member_card", {"email": "a@b.org"}, DONE)),
            ),
            [(0, "write before identification", "get_loan", "")],
        ),
        (
            "Cancel tools can only be called once.",
            at_once(
                ("get_loan", {"loan": "L4471"}, DONE),
                ("cancel_loan", {"loan": "L4471"}, DONE),
                ("cancel_loan", {"loan": "L4471"}, DONE),
            ),
            [(0, "called again", "cancel_loan", "")],
        ),
        (
            "Be kind to the member.",
            at_once(("think", {"thought": "L7777"}, DONE), ("get_loan", {"loan": "L1234"}, DONE)),
            [(0, "argument never observed", "get_loan", "loan")],
        ),
    ],
)  # fmt: skip
def test_of_calls_made_at_once_the_one_that_breaks_the_rule_is_named(policy, steps, expected):
    found = report_of(ASK, *steps, policy=policy).violations
    assert [(v.ordinal, v.rule.kind, v.tool, v.field) for v in found] == expected
    assert all(tool in v.text for v, (_, _, tool, _) in zip(found, expected, strict=True))


def test_a_call_that_fails_beside_one_that_does_not_is_not_done():
    policy = "Cancel tools can only be called once."
    first = at_once(
        ("cancel_loan", {"loan": "L4471"}, "Error: try again"),
        ("cancel_loan", {"loan": "L9000"}, DONE),
    )
    again = at_once(("cancel_loan", {"loan": "L4471"}, DONE))
    assert broken(report_of(ASK, *first, *again, policy=policy)) == []
    again = at_once(("cancel_loan", {"loan": "L9000"}, DONE))
    assert broken(report_of(ASK, *first, *again, policy=policy)) == [(1, "called again")]


def test_of_calls_made_at_once_the_one_against_its_schema_is_named():
    tool = {"name": "cancel_loan", "parameters": {"type": "object", "required": ["loan", "reason"]}}
    requests = tuple(
        ToolCallRequest(name=name, arguments=arguments, call_id=name)
        for name, arguments in (("get_loan", {"loan": "L1"}), ("cancel_loan", {"loan": "L1"}))
    )
    model = ModelCall(
        id="m", output=ChatMessage(role="assistant", content="", tool_calls=requests),
        attributes={"gen_ai.tool.definitions": [tool]},
    )  # fmt: skip
    run = Run(id="r", started_ns=1, events=(model,))
    (violation,) = score_run(run, build_units(run)).violations
    assert (violation.tool, violation.field) == ("cancel_loan", "reason")


def test_the_diagnosis_names_the_call_that_broke_the_rule_and_its_argument():
    steps = at_once(
        ("get_loan", {"loan": "L4471"}, {"loan": "L4471"}),
        ("cancel_loan", {"loan": "L9000", "reason": "no idea"}, DONE),
    )
    policy = "The reason must be one of 'moved away' or 'lost card'."
    messages = [says("system", policy), ASK, *steps, says("assistant", "It is done.")]
    value = {"messages": messages, "success": False}
    examined = examine(import_bytes(json.dumps(value).encode(), path="x.json")[0].run)
    found = examined.diagnosis
    assert found.ranking[0] == 2
    (finding,) = [each for each in found.findings if each.kind == "broken rule"]
    assert finding.names == ("cancel_loan", "value not allowed", "reason")
    hint = "Before the cancel loan step, see that its rules are kept: value not allowed reason."
    assert hint in found.recovery_hints
    said = "step 2 gives cancel_loan a reason that is not allowed"
    page = diagnosis_page([examined])
    screen = Console(file=io.StringIO(), width=120)
    show_diagnosis(screen, examined, many=False)
    packet = build_packet(examined.case)
    assert said in page
    assert said in screen.file.getvalue().lower()
    assert said in packet.candidates[0].facts[0]


def test_a_recorded_user_is_heard_in_the_input_of_the_model_call():
    def spoke(identifier, told, said="", calls=()):
        return ModelCall(
            id=identifier, model="m",
            input=tuple(ChatMessage(role=role, content=text) for role, text in told),
            output=ChatMessage(role="assistant", content=said, tool_calls=calls),
        )  # fmt: skip

    begin = (("system", POLICY), ("user", "Cancel loan L4471, please. I am a@b.org."))
    request = ToolCallRequest(name="cancel_loan", arguments={"loan": "L4471"}, call_id="c")
    offer = "I will cancel loan L4471. Is that right?"
    for reply, kinds in (("Go ahead.", []), ("What does it cost?", ["write before confirmation"])):
        told = (*begin, ("assistant", offer), ("user", reply))
        run = Run(id="r", events=(spoke("a", begin, offer), spoke("b", told, calls=(request,))))
        found = score_run(run, build_units(run)).violations
        assert [v.rule.kind for v in found if v.rule.kind.endswith("confirmation")] == kinds
