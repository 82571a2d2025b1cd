"""A simulated reader of documentation: a chat model that plays an agent which knows of its tools
what their words say, and nothing else.

It answers as the model of a ``react`` or ``tool-calling`` agent: it takes the tool whose words are
nearest to the request, fills its arguments from the request as the documentation states, and where
that leaves the form open (*is a date 2025-03-12 or March 12?*) it writes one of the forms that a
real model wrote, as often as that did. After a failed call it reads the error like documentation
and tries once more.

It is a simulation, for runs too many for a model: no language model, and no measure of one. It
reads English requests by patterns, knows some sixty countries and two dozen currencies, understands
a documentation's form where it is stated in one of the usual ways, makes one call (or one a
sentence), and draws each value's form independently of the others.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from knitbone.models.chat import Completion, ToolSpec, chat_request
from knitbone.parsing.documents import find_documents, slot_of_keys
from knitbone.record.events import ChatMessage, Json, ToolCallRequest, Usage
from knitbone.wire.fields import elements, object_of, word
from knitbone_evals.reader.documentation import arguments_of
from knitbone_evals.reader.filling import Habits, fill, frozen_habits
from knitbone_evals.reader.forms import singular
from knitbone_evals.reader.meanings import Comprehension, fill_meanings
from knitbone_evals.reader.spans import FUNCTION_WORDS, words_of
from knitbone_evals.reader.world import vocabulary

__all__ = ["DocumentationReader"]

_OBSERVATION = "Observation:"
_FAILED = re.compile(
    r"\A\s*(?:\{?[\"']?error|error\b|invalid|failed|failure|cannot|could not|unknown|traceback|"
    r"no such|not found|unable|exception|\w*(?:Error|Exception)\b)",
    re.IGNORECASE,
)
_RETRIES = 1
"""Calls that it tries again after an error, with what the error says."""
_SHOWN = 600
"""Characters of a result that its answer repeats."""


class DocumentationReader:
    """A ``ChatModel`` that fills tools' arguments from requests as their documentation states.

    The same request, tools and seed give the same calls.

    Args:
        seed: decides what is drawn where the documentation states no form.
        habits: how often each form is drawn, by kind of value; by default the table that was
            counted from the calls of a real model (Qwen2.5-Coder 1.5B Instruct on 200 requests).
        comprehension: who understands the requests, and which form is stated; by default the
            reader's own patterns.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        habits: Habits | None = None,
        comprehension: Comprehension | None = None,
    ) -> None:
        self._seed = seed
        self._habits = frozen_habits() if habits is None else habits
        self._comprehension = comprehension

    @property
    def name(self) -> str:
        """With the word *simulated*, for every table that it stands in."""
        understood = (
            ""
            if self._comprehension is None
            else (f", requests understood by {self._comprehension.name}")
        )
        return f"simulated reader of documentation (seed {self._seed}{understood})"

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] | None = None,
        schema: Mapping[str, Json] | None = None,
    ) -> Completion:
        """The next call, or the answer; see ``ChatModel.complete``. A schema is not looked at."""
        request = chat_request(messages, tools, schema)
        await asyncio.sleep(0)
        talk = _read(request.messages, request.tools)
        calls = self._calls(talk)
        if not calls:
            message = _said(_answer(talk), native=bool(tools))
        else:
            message = _called(calls, native=bool(tools))
        return Completion(
            message=message,
            finish_reason="tool_calls" if message.tool_calls else "stop",
            usage=_usage(messages, message),
            model=self.name,
        )

    def _calls(self, talk: _Talk) -> list[ToolCallRequest]:
        """The calls to make now; none where it is time to answer."""
        if not talk.results:
            return list(self._first_calls(talk))
        failed = talk.results[-1]
        if len(talk.calls) > _RETRIES or not _FAILED.match(failed) or not talk.calls:
            return []
        before = talk.calls[-1]
        tool = next((tool for tool in talk.tools if tool.name == before.name), None)
        if tool is None:
            return []
        again = self._call(tool, talk.request, failed)
        return [] if again.arguments == before.arguments else [again]

    def _first_calls(self, talk: _Talk) -> Iterator[ToolCallRequest]:
        """One call for the request; one a sentence where each asks for a tool of its own."""
        whole = _chosen(talk.tools, talk.request)
        if whole is None:
            return
        parts = [(part, _chosen(talk.tools, part, sure=True)) for part in _sentences(talk.request)]
        asked = {tool.name for _, tool in parts if tool is not None}
        if len(asked) > 1:
            for part, tool in parts:
                if tool is not None:
                    yield self._call(tool, part)
        else:
            yield self._call(whole, talk.request)

    def _call(self, tool: ToolSpec, request: str, told: str = "") -> ToolCallRequest:
        if self._comprehension is not None:
            made = fill_meanings(
                arguments_of(tool),
                self._comprehension.meanings(tool, request),
                self._habits,
                self._rng_of(request),
                told=told,
            )
            return ToolCallRequest(name=tool.name, arguments=made)
        made = fill(
            arguments_of(tool),
            request,
            self._habits,
            self._rng_of(request),
            about=f"{tool.name} {tool.description}",
            told=told,
        )
        return ToolCallRequest(name=tool.name, arguments=made)

    def _rng_of(self, request: str) -> Callable[[str], random.Random]:
        def rng_of(argument: str) -> random.Random:
            content = json.dumps([self._seed, request, argument])
            return random.Random(hashlib.sha256(content.encode()).digest())

        return rng_of


class _Talk(NamedTuple):
    """A conversation as far as it goes."""

    request: str
    tools: tuple[ToolSpec, ...]
    calls: tuple[ToolCallRequest, ...]
    results: tuple[str, ...]


def _read(messages: Sequence[ChatMessage], tools: Sequence[ToolSpec]) -> _Talk:
    """The request, the tools, the calls made and what they returned, in either style."""
    request = ""
    calls: list[ToolCallRequest] = []
    results: list[str] = []
    for message in messages:
        if message.role == "tool":
            results.append(message.content)
        elif message.role == "user" and message.content.startswith(_OBSERVATION):
            results.append(message.content.removeprefix(_OBSERVATION).strip())
        elif message.role == "user":
            request, calls, results = message.content, [], []
        elif message.role == "assistant":
            calls += message.tool_calls or _written(message.content)
    shown = tuple(tools) or _shown_tools(messages)
    return _Talk(request, shown, tuple(calls), tuple(results))


def _shown_tools(messages: Sequence[ChatMessage]) -> tuple[ToolSpec, ...]:
    """The tools that a system message lists as JSON, each with a name and its arguments."""
    for message in messages:
        if message.role != "system":
            continue
        for document in find_documents(
            message.content, slot=slot_of_keys(("name", "arguments"))
        ).documents:
            listed: Any = json.loads(document.reading.json)
            specs = [_spec(object_of(entry)) for entry in elements(listed)]
            if specs and None not in specs:
                return tuple(spec for spec in specs if spec is not None)
    return ()


def _spec(entry: dict[str, Any]) -> ToolSpec | None:
    name = word(entry.get("name"))
    parameters = object_of(entry.get("arguments") or entry.get("parameters"))
    if name is None:
        return None
    return ToolSpec(
        name=name, description=word(entry.get("description")) or "", parameters=parameters
    )


def _written(said: str) -> tuple[ToolCallRequest, ...]:
    """The call that stands in an answer of the ``react`` style."""
    found = re.search(r"^Action: (.+)\nAction Input: (\{.*\})", said, re.MULTILINE)
    if found is None:
        return ()
    arguments: Any = json.loads(found[2])
    return (ToolCallRequest(name=found[1], arguments=arguments),)


def _called(calls: Sequence[ToolCallRequest], *, native: bool) -> ChatMessage:
    if native:
        return ChatMessage(role="assistant", tool_calls=tuple(calls))
    first = calls[0]
    written = json.dumps(first.arguments, ensure_ascii=False)
    text = f"Thought: {first.name} can do this.\nAction: {first.name}\nAction Input: {written}"
    return ChatMessage(role="assistant", content=text)


def _said(answer: str, *, native: bool) -> ChatMessage:
    text = answer if native else f"Thought: I can answer now.\nFinal Answer: {answer}"
    return ChatMessage(role="assistant", content=text)


def _answer(talk: _Talk) -> str:
    """What the user is told."""
    if not talk.results:
        return "I have no tool that can do this."
    last = talk.results[-1].strip()
    shown = last[:_SHOWN] + (" ..." if len(last) > _SHOWN else "")
    if _FAILED.match(last):
        return f"I could not do this: {shown}"
    if len(talk.results) > 1 and len(talk.calls) == len(talk.results):
        kept = [r.strip()[:_SHOWN] for r in talk.results if not _FAILED.match(r)]
        return "The result is: " + " ".join(kept or [shown])
    return f"The result is: {shown}" if shown else "It is done."


def _chosen(tools: Sequence[ToolSpec], request: str, *, sure: bool = False) -> ToolSpec | None:
    """The tool whose words are nearest to a request; of one tool, that one unless ``sure``."""
    if not tools:
        return None
    if len(tools) == 1:
        return None if sure else tools[0]
    told = [_words_of_tool(tool) for tool in tools]
    asked = {singular(w) for w in words_of(request) if w not in _LITTLE}
    scores = [
        sum(
            weights.get(asking, 0.0) * math.log(1 + len(tools) / sum(asking in t for t in told))
            for asking in asked
            if asking in weights
        )
        for weights in told
    ]
    best = max(range(len(tools)), key=lambda index: scores[index])
    rest = max(score for index, score in enumerate(scores) if index != best)
    if scores[best] <= 0 or (sure and scores[best] < 1.5 * rest):
        return None
    return tools[best]


_LITTLE = FUNCTION_WORDS - frozenset(vocabulary("verbs of tools"))


def _words_of_tool(tool: ToolSpec) -> dict[str, float]:
    """The words of a tool, those of its name first."""
    arguments = object_of(tool.parameters.get("properties"))
    weights: dict[str, float] = {}
    for weight, text in ((1.0, tool.description[:2_000]), (0.7, " ".join(map(str, arguments))),
                         (3.0, tool.name)):  # fmt: skip
        for each in words_of(text):
            if each not in _LITTLE:
                weights[singular(each)] = max(weight, weights.get(singular(each), 0.0))
    return weights


def _sentences(request: str) -> list[str]:
    parts = re.split(r"(?<=[.!?;])\s+(?=[A-Z])|,?\s+(?:and\s+)?then\s+", request)
    return [part for part in parts if part.strip()]


def _usage(messages: Sequence[ChatMessage], answer: ChatMessage) -> Usage:
    """Counted in words."""
    written = [answer.content, *(json.dumps(call.arguments) for call in answer.tool_calls)]
    return Usage(
        input_tokens=sum(len(message.content.split()) for message in messages),
        output_tokens=sum(len(text.split()) for text in written),
    )
