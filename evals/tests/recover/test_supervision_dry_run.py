"""Decisions that would have been made on a recorded run."""

from __future__ import annotations

from knitbone.config import SupervisionSettings
from knitbone.record.events import ChatMessage, ErrorInfo, ModelCall, Run, ToolCall, ToolCallRequest
from knitbone_evals.recover.supervision.dry_run import dry_run, moments_of


def recorded():
    asked = ChatMessage(role="assistant", tool_calls=(ToolCallRequest(name="get"),))
    answer = ChatMessage(role="assistant", content="The task is complete.")
    failed = ErrorInfo(type="ValueError", message="no such item")
    return Run(
        id="r", task="Get it.",
        events=(
            ModelCall(id="m1", output=asked),
            *(ToolCall(id=f"t{n}", name="get", arguments='{"id": 4}', error=failed)
              for n in range(3)),
            ModelCall(id="m2", output=answer),
            ModelCall(id="m3"),
        ),
    )  # fmt: skip


def test_a_recorded_run_has_a_moment_for_each_return_and_each_answer():
    assert [moment.event.id for moment in moments_of(recorded())] == ["t0", "t1", "t2", "m2"]
    assert next(moments_of(recorded())).call.arguments == {"id": 4}


def test_a_dry_run_makes_the_decisions_that_supervision_would_have_made():
    decisions = dry_run(recorded(), settings=SupervisionSettings(loops_without_guidance=True))
    assert [d.action for d in decisions] == ["silence", "silence", "append", "silence"]
    assert decisions[2].signals[0].kind == "same call and error"
    assert [d.action for d in dry_run(recorded())] == ["silence"] * 4


def test_what_one_agent_has_another_do_is_a_call_and_a_thought_is_nothing():
    def says(number, agent, content, mode=""):
        output = ChatMessage(role="assistant", content=content)
        attributes = {"knitbone.message.mode": mode} if mode else {}
        return ModelCall(id=f"m{number}", agent=agent, output=output, attributes=attributes)

    run = Run(
        id="r",
        events=(
            says(0, "Orchestrator", "A plan.", "thought"),
            says(1, "Orchestrator", "Open the page.", "Surfer"),
            says(2, "Orchestrator", "Next: Surfer.", "thought"),
            says(3, "Surfer", "I opened it."),
            says(4, "Orchestrator", "The answer is here."),
            says(5, "Orchestrator", "The answer is here."),
        ),
    )
    called, *texts = moments_of(run)
    assert (called.call.tool, called.call.arguments) == ("Surfer", {"request": "Open the page."})
    assert called.call.result == "I opened it."
    assert [(moment.event.id, moment.alone) for moment in texts] == [("m4", False), ("m5", True)]
