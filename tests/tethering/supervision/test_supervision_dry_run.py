"""Decisions that would have been made on a recorded run."""

from __future__ import annotations

from knitbone.record.events import ChatMessage, ErrorInfo, ModelCall, Run, ToolCall, ToolCallRequest
from knitbone.tethering.supervision.dry_run import dry_run, moments_of
from knitbone.tethering.supervision.settings import SupervisionSettings


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
