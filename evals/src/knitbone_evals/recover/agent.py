"""The simulated agent: a loop of its own around an environment, for ``knitbone.recover``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from knitbone_evals.recover.candidates import Candidate, Pool, candidates, same, sentence_of
from knitbone_evals.recover.environments import Call, Environment, RecoveryTask, Reply, canonical
from knitbone_evals.recover.preference import (
    STUBBORN,
    YIELDING,
    Fit,
    Weighing,
    inclination,
    uniform,
)
from knitbone_evals.recover.reading import ReadText
from knitbone_evals.recover.recording import record_answer, record_request, record_tool

__all__ = ["MadeCall", "SimulatedAgent", "Trajectory"]

_SYSTEM = "You are an assistant that works with tools. Do what the user asks."
_SPARE = 8
"""Steps beyond twice the gold calls after which an attempt is over (ours)."""
_REROUTES = 5
"""Times that an answer may be sent back in one attempt (ours)."""


class Supervision(Protocol):
    """What ``knitbone.recover`` gives to an agent with a loop of its own."""

    def guided(self, messages: Any) -> Any: ...

    def tool_returned(
        self, tool: str, arguments: Any, result: Any, error: Any = None, call_id: Any = None
    ) -> Any: ...

    def text_answered(self, text: str) -> str | None: ...


class MadeCall(msgspec.Struct, frozen=True):
    """A step that was taken, and what it gave."""

    call: Call
    reply: Reply
    kind: str
    read: int
    """Texts of others that stood in the messages when it was chosen."""


class Trajectory(msgspec.Struct, kw_only=True):
    """One attempt, as the benchmark looks at it afterwards; the agent's environment with it."""

    environment: Environment
    calls: list[MadeCall] = []
    texts: list[ReadText] = []
    steps: int = 0
    answered: bool = False


class SimulatedAgent:
    """One agent and one task, over several attempts.

    Args:
        seed: of its inclinations, which stay the same over attempts.
    """

    def __init__(
        self, task: RecoveryTask, pool: Pool, fit: Fit, weighing: Weighing, seed: int
    ) -> None:
        self._task = task
        self._pool = pool
        self._fit = fit
        self._weighing = weighing
        self._seed = seed

    def attempt(self, number: int, supervision: Supervision | None) -> Trajectory:
        """Work on the task once; the number gives what chance does in it."""
        return _Attempt(self, number, supervision).run()

    def gold(self, supervision: Supervision | None, polls: int = 0) -> Trajectory:
        """Make the gold calls, the first reading of them so many times more, and answer."""
        attempt = _Attempt(self, 0, supervision)
        attempt.read()
        for place, call in enumerate(self._task.gold):
            for again in range(1 + (polls if place == 0 else 0)):
                attempt.act(Candidate(call, "needed"), f"\nrevision {again}" if polls else "")
                attempt.read()
        attempt.answer()
        return attempt.trajectory


class _Attempt:
    """What an agent knows during one attempt."""

    def __init__(self, agent: SimulatedAgent, number: int, supervision: Supervision | None) -> None:
        self.agent = agent
        self.number = number
        self.supervision = supervision
        self.task = agent._task
        self.trajectory = Trajectory(environment=self.task.start())
        self.pending = list(self.task.gold)
        self.settled: list[Call] = []
        self.failed: list[Call] = []
        self.messages: list[dict[str, Any]] = [
            {"role": "system", "content": _SYSTEM},
            {"role": "user", "content": self.task.words},
        ]

    def run(self) -> Trajectory:
        reroutes = 0
        for _ in range(2 * len(self.task.gold) + _SPARE):
            self.read()
            chosen = self.choose()
            if chosen.call is not None:
                self.act(chosen)
                continue
            if not self.answer() or reroutes == _REROUTES:
                self.trajectory.answered = True
                break
            reroutes += 1
        return self.trajectory

    def read(self) -> None:
        """Look at the messages: what stands there and is not the agent's own is read now."""
        guided = self.messages
        if self.supervision is not None:
            guided = self.supervision.guided(list(self.messages))
        self._sent = guided
        own = [str(message.get("content") or "") for message in self.messages]
        for message in guided:
            content = message.get("content")
            text = content if isinstance(content, str) else _parts(content)
            if text not in own:
                self._note(_without(text, own))

    def choose(self) -> Candidate:
        """The next step."""
        made = [done.call for done in self.trajectory.calls]
        found = candidates(
            self.task, self.agent._pool, pending=self.pending, settled=self.settled,
            last=made[-1] if made else None, seen=self._seen(), seed=str(self.agent._seed),
        )  # fmt: skip
        options = [self._option(candidate, made) for candidate in found]
        place = self.agent._weighing.choose(
            options, self.trajectory.texts, self.trajectory.steps,
            self.agent._seed, self.task.id, self.number, self.trajectory.steps,
        )  # fmt: skip
        return found[place]

    def act(self, chosen: Candidate, news: str = "") -> None:
        """Make a call, and take it for done or not by what it gives; ``news`` stands behind it."""
        call = chosen.call
        assert call is not None
        step = self.trajectory.steps
        number = f"call_{step}"
        record_request(self._sent, call, number)
        reply = self.trajectory.environment.call(call)
        reply = Reply(reply.text + news, reply.error) if news else reply
        result: Any = reply.text
        if self.supervision is not None:
            # The agent is given what supervision makes of the result; recording sees that, too.
            result = self.supervision.tool_returned(
                call.tool, dict(call.arguments), reply.text, reply.error, number
            )
        record_tool(call, number, str(result), reply.error)
        self.messages += [
            {
                "role": "assistant", "content": None,
                "tool_calls": [{"id": number, "type": "function", "function": {
                    "name": call.tool, "arguments": canonical(call.arguments)}}],
            },
            {"role": "tool", "tool_call_id": number, "content": str(result)},
        ]  # fmt: skip
        texts = len(self.trajectory.texts)
        self.trajectory.calls.append(MadeCall(call, reply, chosen.kind, texts))
        self.trajectory.steps = step + 1
        if str(result) != reply.text:
            self._note(_without(str(result), [reply.text]))
        self._settle(chosen, reply)

    def answer(self) -> bool:
        """Answer the user; whether the answer was sent back."""
        text = "Done. This is what I found and did for you."
        record_answer(self._sent, text)
        self.trajectory.steps += 1
        sent_back = self.supervision.text_answered(text) if self.supervision else None
        if sent_back is None:
            return False
        self.messages += [
            {"role": "assistant", "content": text},
            {"role": "user", "content": str(sent_back)},
        ]
        self._note(str(sent_back))
        return True

    def _settle(self, chosen: Candidate, reply: Reply) -> None:
        call = chosen.call
        assert call is not None
        if chosen.kind in ("omission", "value"):
            if reply.error is not None:
                self.failed.append(call)
            elif self.pending:
                self.settled.append(self.pending.pop(0))
        elif chosen.kind == "skip":
            self.settled.append(self.pending.pop(0))
            self.pending.pop(0)
        elif chosen.kind in ("needed", "order", "settled"):
            for known in (self.pending, self.settled):
                place = next((i for i, each in enumerate(known) if same(each, call)), None)
                if place is not None:
                    known.pop(place)
                    break
        elif reply.error is not None:
            self.failed.append(call)

    def _option(self, candidate: Candidate, made: Sequence[Call]) -> tuple[str, float]:
        sentence = sentence_of(candidate.call, made)
        seed = (self.agent._seed, self.task.id, len(self.task.gold) - len(self.pending))
        leaning = inclination(
            self.agent._fit, self.task.ground, candidate, sentence_of(candidate.call), *seed
        )
        failures = sum(same(candidate.call, call) for call in self.failed)
        if failures:
            stubborn = uniform("stubborn", *seed, canonical(candidate.call.arguments)) < 0.5
            leaning -= failures * (STUBBORN if stubborn else YIELDING)
        return sentence, leaning

    def _note(self, text: str) -> None:
        if text.strip() and all(text != known.text for known in self.trajectory.texts):
            self.trajectory.texts.append(ReadText(text, self.trajectory.steps))

    def _seen(self) -> str:
        return "\n".join(done.reply.text[:2_000] for done in self.trajectory.calls[-4:])


def _parts(content: Any) -> str:
    return "\n".join(str(part.get("text", "")) for part in content or () if isinstance(part, dict))


def _without(text: str, own: Sequence[str]) -> str:
    """What others put around the agent's own words."""
    for known in sorted((known for known in own if known), key=len, reverse=True):
        if known in text:
            return text.replace(known, "", 1).strip()
    return text
