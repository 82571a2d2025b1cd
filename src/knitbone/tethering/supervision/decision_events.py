"""Decisions of a supervisor as events of the run that is being recorded."""

from __future__ import annotations

from knitbone.record.events import Intervention, Json
from knitbone.record.identifiers import new_identifier, now_ns
from knitbone.record.recorder import current_recorder
from knitbone.tethering.supervision.records import SupervisionDecision

__all__ = ["record_decision"]


def record_decision(decision: SupervisionDecision) -> None:
    """Record a decision, silence too, in the run of this task or thread; without one, nothing.

    The event's ``content`` is what the agent was told (or would have been, in mode ``observe``);
    of silence it is empty.
    """
    recorder = current_recorder()
    if recorder is None:
        return
    now = now_ns()
    attributes: dict[str, Json] = {
        "knitbone.supervision.action": decision.action,
        "knitbone.supervision.step": decision.step,
    }
    directives = [signal.directive for signal in decision.signals if signal.directive is not None]
    if directives:
        attributes["knitbone.supervision.directive"] = directives[0]
    recorder.record(
        Intervention(
            id=new_identifier(),
            started_ns=now,
            ended_ns=now,
            attributes=attributes,
            trigger=decision.trigger,
            signal=", ".join(f"{signal.check}: {signal.kind}" for signal in decision.signals),
            content=decision.text,
            reason=decision.reason,
        )
    )
