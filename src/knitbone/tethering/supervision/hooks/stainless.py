"""The clients of ``openai`` and ``anthropic``, hooked where recording hooks them: at ``request``.

An application that reads the body of a response itself (``with_streaming_response``, and raw
responses of streams) gets guidance and corrections; its answers are not judged, for they would have
to be read before it.
"""

from __future__ import annotations

import weakref
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from functools import partial, wraps
from inspect import iscoroutinefunction
from types import ModuleType
from typing import Any, NamedTuple, cast

from knitbone.loading.patching import Patch
from knitbone.tethering.capture.anthropic_messages import MESSAGES
from knitbone.tethering.capture.openai_chat import CHAT
from knitbone.tethering.capture.openai_responses import RESPONSES
from knitbone.tethering.capture.protocol import Dialect, ModelAnswer
from knitbone.tethering.capture.stainless import content_of, inference
from knitbone.tethering.capture.streams import MARK
from knitbone.tethering.supervision.active import Supervised, current
from knitbone.tethering.supervision.hooks.error_guard import guarded
from knitbone.tethering.supervision.hooks.forms import (
    ANTHROPIC_MESSAGES,
    CHAT_MESSAGES,
    RESPONSES_ITEMS,
    MessageForm,
)
from knitbone.tethering.supervision.hooks.held_streams import HeldAsyncChunks, HeldChunks
from knitbone.tethering.supervision.hooks.second_requests import (
    accepted,
    accepted_async,
    judged_aside,
)
from knitbone.tethering.supervision.hooks.turn import ModelTurn
from knitbone.wire.content import RESPONSES_CALLS
from knitbone.wire.fields import element, elements, field, word

__all__ = ["RequestBody", "body_of", "patches"]


# The bodies of requests to OpenAI's and Anthropic's interfaces: guidance and corrections in, and
# what is sent back behind.


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


def patches(module: ModuleType) -> Iterable[Patch]:
    """The ``request`` of the plain and of the asynchronous client."""
    library = module.__name__
    names = ("OpenAI", "AsyncOpenAI") if library == "openai" else ("Anthropic", "AsyncAnthropic")
    for name in names:
        client: Any = getattr(module, name)
        base = next(each for each in client.__mro__ if "request" in vars(each))
        yield Patch(base, "request", partial(_hooked, library))


def _hooked(library: str, original: Any) -> Any:
    return (_coroutine if iscoroutinefunction(original) else _plain)(library, original)


def _plain(library: str, original: Any) -> Any:
    @wraps(original)
    def request(*args: Any, **kwargs: Any) -> Any:
        run = current()
        exchange = None if run is None else _begin(library, run, args, kwargs)
        if exchange is None:
            return original(*args, **kwargs)

        def again() -> Any:
            return original(*exchange.args, **exchange.sent(again=True))

        value = original(*exchange.args, **exchange.sent())
        if exchange.streams(value):
            return _held(value, exchange.body, again)
        return accepted(exchange, value, again)

    return request


def _coroutine(library: str, original: Any) -> Any:
    @wraps(original)
    async def request(*args: Any, **kwargs: Any) -> Any:
        run = current()
        if run is None:
            return await original(*args, **kwargs)
        exchange = await judged_aside(run, lambda: _begin(library, run, args, kwargs))
        if exchange is None:
            return await original(*args, **kwargs)

        async def again() -> Any:
            return await original(*exchange.args, **exchange.sent(again=True))

        value = await original(*exchange.args, **exchange.sent())
        if exchange.streams(value):
            return _held_async(value, exchange.body, again)
        return await accepted_async(exchange, value, again)

    return request


def _held(stream: Any, body: RequestBody, again: Callable[[], Any]) -> Any:
    """The stream, the same object, whose answer is judged before the application has it."""
    outer = weakref.ref(stream)

    def follow() -> Iterator[Any]:
        return _take_place(outer(), again())

    stream._iterator = HeldChunks(stream._iterator, body, follow)
    return stream


def _held_async(stream: Any, body: RequestBody, again: Callable[[], Awaitable[Any]]) -> Any:
    outer = weakref.ref(stream)

    async def follow() -> AsyncIterator[Any]:
        return _take_place(outer(), await again())

    stream._iterator = HeldAsyncChunks(stream._iterator, body, follow)
    return stream


def _take_place(outer: Any, stream: Any) -> Any:
    """The chunks of a further stream: whoever closes the first one closes what is read now."""
    if outer is not None:
        outer.response = stream.response
        if hasattr(stream, MARK):
            setattr(outer, MARK, getattr(stream, MARK))
    return stream._iterator


@guarded
def _begin(
    library: str, run: Supervised, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> _Exchange | None:
    found = inference(library, args, kwargs)
    if found is None:
        return None
    body = body_of(run, *found)
    return None if body is None else _Exchange(run, body, args, kwargs)


class _Exchange:
    """One call of ``request``, with the further ones that it becomes."""

    def __init__(
        self, run: Supervised, body: RequestBody, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.body = body
        self.turn = body.turn
        self.args = args[:2]
        """The client, and the type of the answer, where it stands there."""
        self._run = run
        self._options: Any = kwargs["options"] if "options" in kwargs else args[2]
        self._kwargs = kwargs

    def sent(self, *, again: bool = False) -> dict[str, Any]:
        """The named arguments of the call."""
        return {**self._kwargs, "options": self._changed(again=again) or self._options}

    @guarded
    def _changed(self, *, again: bool) -> Any:
        """A copy of the request's options with what is changed; nothing where nothing is."""
        changes: dict[str, Any] = self.body.changes()
        if not changes:
            return None
        update: dict[str, Any] = {"json_data": {**self._options.json_data, **changes}}
        if again:  # it is another request, which a server must not take for the one before
            update["idempotency_key"] = None
        copy = getattr(self._options, "model_copy", None) or self._options.copy
        return copy(update=update)

    def streams(self, value: Any) -> bool:
        """Whether the answer is a stream that somebody judges."""
        return self._run.supervisor is not None and getattr(value, "_iterator", None) is not None

    @guarded
    def is_sent_back(self, value: Any) -> bool:
        """Whether to ask again in place of this answer."""
        if self._run.supervisor is None:
            return False
        if hasattr(value, "http_response") and callable(getattr(value, "parse", None)):
            content = content_of(value.http_response)
            if content is None:
                self._run.ledger.unread_answers = True
                return False
            return self.body.answered(content)
        return self.body.answered(value)
