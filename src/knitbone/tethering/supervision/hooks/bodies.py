"""The bodies of requests to OpenAI's and Anthropic's interfaces: guidance and corrections in, and
what is sent back behind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, cast

from knitbone.tethering.capture.anthropic_messages import MESSAGES
from knitbone.tethering.capture.openai_chat import CHAT
from knitbone.tethering.capture.openai_responses import RESPONSES
from knitbone.tethering.capture.protocol import Dialect, ModelAnswer
from knitbone.tethering.supervision.active import Supervised
from knitbone.tethering.supervision.hooks.forms import (
    ANTHROPIC_MESSAGES,
    CHAT_MESSAGES,
    RESPONSES_ITEMS,
    MessageForm,
)
from knitbone.tethering.supervision.hooks.turn import ModelTurn
from knitbone.wire.content import RESPONSES_CALLS
from knitbone.wire.fields import element, elements, field, word

__all__ = ["RequestBody", "body_of"]


class _Protocol(NamedTuple):
    reading: Dialect
    form: MessageForm
    messages: str
    """Field of the body that holds them."""
    starts_call: Callable[[Any], bool]
    """Whether a chunk of a stream begins a tool call."""


def _starts_chat_call(chunk: Any) -> bool:
    return bool(field(field(element(chunk, "choices"), "delta"), "tool_calls"))


def _starts_response_call(chunk: Any) -> bool:
    return field(field(chunk, "item"), "type") in RESPONSES_CALLS


def _starts_anthropic_call(chunk: Any) -> bool:
    return field(field(chunk, "content_block"), "type") == "tool_use"


_PROTOCOLS = {
    CHAT: _Protocol(CHAT, CHAT_MESSAGES, "messages", _starts_chat_call),
    RESPONSES: _Protocol(RESPONSES, RESPONSES_ITEMS, "input", _starts_response_call),
    MESSAGES: _Protocol(MESSAGES, ANTHROPIC_MESSAGES, "messages", _starts_anthropic_call),
}


def body_of(run: Supervised, dialect: Dialect, body: Mapping[str, Any]) -> RequestBody | None:
    """A request of the run; ``None`` where its messages have another shape than the protocol's.

    Args:
        body: without what was left out.
    """
    protocol = _PROTOCOLS[dialect]
    given = body.get(protocol.messages)
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    if not isinstance(given, (list, tuple)):
        return None
    _teach_risks(run, body.get("tools"))
    return RequestBody(run, protocol, body, cast("Sequence[Any]", given))


class RequestBody:
    """One request, with the further ones that it becomes."""

    def __init__(
        self,
        run: Supervised,
        protocol: _Protocol,
        body: Mapping[str, Any],
        given: Sequence[Any],
    ) -> None:
        self.turn = ModelTurn(run, protocol.form, given, offered=_offers_tools(body))
        self.accumulator = protocol.reading.accumulator
        self.starts_call = protocol.starts_call
        self._run = run
        self._protocol = protocol
        self._body = body
        self._given = given
        self._conversation = _conversation(body)

    def changes(self) -> dict[str, Any]:
        """The fields that differ from what the application gave."""
        messages, changed = [*self.turn.messages, *self.turn.added], dict[str, Any]()
        if self.turn.added and self._body.get("conversation") is not None:
            messages = [self.turn.added[-1]]  # the server has the others by now
        if self._conversation is None or self._conversation not in self._run.ledger.told:
            messages = self._guided(messages, changed)
        if not _same(messages, self._given):
            changed[self._protocol.messages] = messages
        return changed

    def _guided(self, messages: list[Any], changed: dict[str, Any]) -> list[Any]:
        guidance = self._run.guidance
        by_field = self._protocol.form is ANTHROPIC_MESSAGES
        if guidance is not None and guidance.plan.place == "system text" and by_field:
            system = self._body.get("system")
            guided = self._run.guided_system(system)
            if guided is not system:
                changed["system"] = guided
            return messages
        return self._run.guided(messages)

    def answered(self, value: Any) -> bool:
        """The answer as the SDK's object or as JSON; whether to ask again."""
        return self.concluded(self._protocol.reading.answer(value))

    def concluded(self, answer: ModelAnswer) -> bool:
        """The same of an answer that was put together from a stream."""
        identity = answer.attributes.get("gen_ai.response.id")
        if self._protocol.form is RESPONSES_ITEMS and isinstance(identity, str):
            self._run.ledger.told |= {identity, self._conversation or identity}
        other = answer.attributes.get("knitbone.response.other_choices")
        return self.turn.answered(None if other else answer.output)


def _conversation(body: Mapping[str, Any]) -> str | None:
    """What the server knows the earlier messages by."""
    held = body.get("conversation")
    named = held if isinstance(held, str) else field(held, "id")
    return word(named) or word(body.get("previous_response_id"))


def _same(messages: Sequence[Any], given: Sequence[Any]) -> bool:
    return len(messages) == len(given) and all(
        one is other for one, other in zip(messages, given, strict=True)
    )


def _offers_tools(body: Mapping[str, Any]) -> bool:
    choice = body.get("tool_choice")
    forbidden = choice == "none" or field(choice, "type") == "none"
    return bool(body.get("tools")) and not forbidden


def _teach_risks(run: Supervised, tools: Any) -> None:
    """Tell the supervisor of tools, once; what an MCP server says of them counts more."""
    risks, taught = getattr(run.supervisor, "risks", None), run.ledger.taught
    if risks is None:
        return
    for tool in elements(tools):
        function = field(tool, "function") or tool
        name = word(field(function, "name"))
        if name and name not in taught:
            taught.add(name)
            schema = field(function, "parameters") or field(function, "input_schema")
            risks.learn(name, schema=schema)
