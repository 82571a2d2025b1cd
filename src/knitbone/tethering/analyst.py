"""The analyst: a model that reasons backward from the failure (AgentTether §III.C.3).

Nothing that it says is taken on trust. Its turning point must be a step that it was shown, its
quotes must stand in the run where it says, its hints may hold no value of the run. Otherwise the
graph algorithm's diagnosis stands, and says that and why the analyst's was refused. So the worst
that text inside a run can do to the analyst is to make it choose another real step and quote real
words: it cannot add a step, invent evidence, or cause an action.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

from knitbone.core.events import ChatMessage, ModelCall, Run, Usage, encode_json
from knitbone.core.printable import printable
from knitbone.errors import KnitboneError
from knitbone.models.chat import ChatModel, Completion, complete_sync
from knitbone.tethering.analyst_prompt import (
    ANSWER_SCHEMA,
    CATEGORIES,
    MAX_HINTS,
    messages,
    retry_message,
)
from knitbone.tethering.artifacts import artifacts_of_text
from knitbone.tethering.case import Case
from knitbone.tethering.diagnosis import Analysis, Quote
from knitbone.tethering.packet import EvidencePacket, render
from knitbone.tethering.units import TransitionUnit

__all__ = ["Verdict", "ask_analyst", "judged_models"]

_MAX_CAUSE, _MAX_HINT, _MAX_QUOTE, _MIN_QUOTE = 1_000, 300, 400, 4
_HAS_DIGIT = re.compile(r"\d")
_LOOSE = re.compile("[\\s\\\\\"'`\u201c\u201d\u2018\u2019]+")


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """A validated answer."""

    turning_point: int
    category: str
    root_cause: str
    path: tuple[int, ...]
    quotes: tuple[Quote, ...]
    recovery_hints: tuple[str, ...]
    """Empty where every hint held a value of the run."""


class _Answer(msgspec.Struct, kw_only=True):
    """The answer's form; its content is still to be checked against the run."""

    path: list[int]
    turning_point: int
    category: str
    root_cause: str
    quotes: list[Quote]
    recovery_hints: list[str]


class _RefusedError(Exception):
    """The answer does not fit the run; the message is said to the model and to the user."""


def judged_models(run: Run) -> tuple[str, ...]:
    """The models that a recorded run was made with."""
    names = {event.model: None for event in run.events if isinstance(event, ModelCall)}
    return tuple(name for name in names if name)


def ask_analyst(
    model: ChatModel,
    packet: EvidencePacket,
    case: Case,
    *,
    attempts: int = 2,
) -> tuple[Verdict | None, Analysis]:
    """The analyst's verdict, or none, and what became of asking.

    Args:
        case: what the packet was made from, and what the answer is checked against.
        attempts: how often it is asked; a refused answer is told why it was.
    """
    by_step = {unit.index: unit for unit in case.graph.units}
    said = messages(render(packet))
    state = Analysis(model=model.name, state="failed")
    for attempt in range(1, attempts + 1):
        try:
            answer = _complete(model, said)
        except KnitboneError as error:
            if state.state == "refused":
                return None, state  # the first answer is what there is to say
            reason = printable(error.message, limit=600)
            return None, _changed(state, state="failed", reason=reason, attempts=attempt)
        state = _changed(state, attempts=attempt, usage=_sum(state.usage, answer.usage))
        try:
            verdict = _validated(answer.parsed, packet, by_step)
            _check_independence(verdict, case)
        except _RefusedError as problem:
            state = _changed(state, state="refused", reason=printable(str(problem), limit=600))
            before = encode_json(answer.parsed).decode("utf-8")
            said = [*said, ChatMessage(role="assistant", content=before)]
            said.append(retry_message(str(problem)))
            continue
        accepted = _changed(
            state, by="analyst", state="accepted", reason="", path=verdict.path,
            quotes=verdict.quotes,
        )  # fmt: skip
        return verdict, accepted
    return None, state


def _changed(analysis: Analysis, **changes: Any) -> Analysis:
    return msgspec.structs.replace(analysis, **changes)


def _complete(model: ChatModel, said: Sequence[ChatMessage]) -> Completion:
    """One answer. In a thread of its own, for a diagnosis may be asked for where an event loop
    runs, as in a notebook."""
    with ThreadPoolExecutor(1, thread_name_prefix="knitbone-analyst") as pool:
        return pool.submit(complete_sync, model, said, schema=ANSWER_SCHEMA).result()


def _sum(before: Usage | None, more: Usage) -> Usage:
    if before is None:
        return more
    return Usage(
        input_tokens=_plus(before.input_tokens, more.input_tokens),
        output_tokens=_plus(before.output_tokens, more.output_tokens),
        cost_usd=_plus(before.cost_usd, more.cost_usd),
    )


def _plus(one: Any, other: Any) -> Any:
    return None if one is None or other is None else one + other


def _validated(
    answer: Any, packet: EvidencePacket, by_step: Mapping[int, TransitionUnit]
) -> Verdict:
    try:
        given = msgspec.convert(answer, _Answer, strict=True)
    except msgspec.ValidationError as error:
        raise _RefusedError(f"it has not the required form ({error}).") from None
    shown = {step.step for step in packet.steps}
    for step in dict.fromkeys([given.turning_point, *given.path]):
        if step not in by_step:
            raise _RefusedError(f"the run has no step {step}.")
        if step not in shown:
            raise _RefusedError(f"step {step} is not among the steps of the record.")
    if given.category not in CATEGORIES:
        raise _RefusedError(f"{given.category[:60]!r} is not one of the categories.")
    cause = " ".join(given.root_cause.split())
    if not cause:
        raise _RefusedError("root_cause is empty.")
    quotes = tuple(_quote(quote, by_step) for quote in given.quotes[:8])
    turn = given.turning_point
    if turn not in {quote.step for quote in quotes}:
        raise _RefusedError(f"there is no quote from the turning point, step {turn}.")
    values = {
        value
        for step in packet.steps
        for value in by_step[step.step].used | by_step[step.step].produced
        if _HAS_DIGIT.search(value) and len(value) > 1
    }
    hints = [" ".join(hint.split())[:_MAX_HINT] for hint in given.recovery_hints if hint.strip()]
    return Verdict(
        turning_point=turn,
        category=given.category,
        root_cause=cause[:_MAX_CAUSE],
        path=(*(step for step in given.path if step != turn), turn),
        quotes=quotes,
        # Disclosure control (AgentTether §III.C.3): no value of this run in a hint for the next.
        recovery_hints=tuple(h for h in hints if not artifacts_of_text(h) & values)[:MAX_HINTS],
    )


def _quote(quote: Quote, by_step: Mapping[int, TransitionUnit]) -> Quote:
    """The quote, if its words stand in its step; white space, escapes and quotation marks may
    differ, for they do where JSON is quoted in JSON."""
    unit = by_step.get(quote.step)
    wanted = _loose(quote.text[:_MAX_QUOTE])
    if unit is None:
        raise _RefusedError(f"a quote names step {quote.step}, which the run does not have.")
    if len(wanted) < _MIN_QUOTE:
        raise _RefusedError(f"the quote from step {quote.step} is too short to be found.")
    for text in (unit.action, unit.feedback, unit.belief, unit.observation):
        if wanted in _loose(text):
            return Quote(step=quote.step, text=" ".join(quote.text[:_MAX_QUOTE].split()))
    shown = " ".join(quote.text[:80].split())
    raise _RefusedError(f"the words {shown!r} do not stand in step {quote.step}.")


def _loose(text: str) -> str:
    return _LOOSE.sub("", text).casefold()


def _check_independence(verdict: Verdict, case: Case) -> None:
    """Refuse a step that a text of the run dictates, unless the graph alone names it, too."""
    if case.peak is not None and verdict.turning_point == case.peak.index:
        return
    for item in case.addressed:
        if verdict.turning_point in item.names:
            raise _RefusedError(
                f"a text recorded in step {item.step} tells its reader to blame step"
                f" {verdict.turning_point}; that is no evidence, and nothing else led there."
            )
