"""What all fresh programs share: scripts, loops over the real clients, and how a run is made."""

from __future__ import annotations

import asyncio
import inspect
import json
import random
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, get_type_hints

import anthropic
import openai

import knitbone
from knitbone.record.events import ModelCall, Run
from knitbone.testing import ModelServer, Reply, ToolCallRequest

_FAST = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where stores are made: in memory, if there is such a place."""


class Program(NamedTuple):
    """One run, and what is known of it."""

    kind: str
    run: Run
    good: bool
    fault: str
    """One sentence: what the agent did wrong; empty for good ones."""
    wrong_call: int | None
    """0-based, among the run's model calls: the one whose decision was the fault."""


class Wrong(NamedTuple):
    """Marks the reply whose decision is the fault."""

    reply: Any


def call(name: str, /, **arguments: Any) -> ToolCallRequest:
    """A tool call the model asks for."""
    return ToolCallRequest(name=name, arguments=arguments)


def say(text: str = "", *calls: ToolCallRequest, finish: str | None = None) -> Reply:
    """One answer of the model."""
    return Reply(text=text, tool_calls=calls, finish_reason=finish)


def busy(status: int = 429) -> Reply:
    """The provider is busy; the client tries again by itself."""
    return Reply(status=status, error="Rate limit reached, please slow down.", retry_after=0.01)


class World:
    """State, tools, agent and goal of one kind; methods ``good_*`` and ``bad_*`` are its variants.

    The docstring of a bad variant is its fault. A variant gives the model's replies in order.
    """

    kind: ClassVar[str]
    task = ""

    def __init__(self, rng: random.Random, folder: Path) -> None:
        self.rng = rng
        self.folder = folder

    def setup(self) -> None:
        """Make the state."""

    def act(self, server: ModelServer, run: Any) -> str:
        """The agent program."""
        raise NotImplementedError

    def met(self, answer: str) -> bool:
        """Whether the state and the answer are what was asked for."""
        raise NotImplementedError


class Made(NamedTuple):
    """A program and whether its goal was met."""

    program: Program
    variant: str
    met: bool
    unused: int


def variants(world: type[World]) -> list[str]:
    """Names of its good and bad variants, as written."""
    return [name for name in vars(world) if name.startswith(("good_", "bad_"))]


def make(world_class: type[World], variant: str, seed: int) -> Made:
    """Run one variant once."""
    with tempfile.TemporaryDirectory(dir=_FAST) as name:
        folder = Path(name)
        (folder / "work").mkdir()
        rng = random.Random(f"{seed}/{world_class.kind}/{variant}")
        world = world_class(rng, folder / "work")
        world.setup()
        script = list(getattr(world, variant)())
        replies = [item.reply if isinstance(item, Wrong) else item for item in script]
        rest = iter(replies)
        lock = threading.Lock()

        def give(body: dict[str, Any]) -> Reply | str:
            with lock:
                item = next(rest)
            return item(body) if callable(item) else item

        store = folder / "runs.sqlite"
        with (
            ModelServer(give) as server,
            knitbone.trace(task=world.task, store=store) as recorder,
        ):
            answer = world.act(server, recorder)
        run = recorder.recorded()
        met = world.met(answer or "")
    good = variant.startswith("good_")
    fault = "" if good else " ".join((getattr(world_class, variant).__doc__ or "").split())
    wrong = None if good else _place(run, script)
    program = Program(world_class.kind, run, good, fault, wrong)
    return Made(program, variant, met, sum(1 for _ in rest))


def _place(run: Run, script: Sequence[Any]) -> int | None:
    """The model call that gave the marked reply."""
    at = next((i for i, item in enumerate(script) if isinstance(item, Wrong)), None)
    if at is None:
        return None
    marked = script[at].reply
    marked = Reply(text=marked) if isinstance(marked, str) else marked
    plain = [item.reply if isinstance(item, Wrong) else item for item in script[:at]]
    earlier = sum(1 for item in plain if item in (marked, marked.text) and not callable(item))
    calls = [event for event in run.events if isinstance(event, ModelCall)]
    same = [i for i, event in enumerate(calls) if _is(event, marked)]
    return same[earlier] if len(same) > earlier else None


def _is(event: ModelCall, reply: Reply) -> bool:
    output = event.output
    if output is None:
        return False
    asked = [(c.name, c.arguments) for c in output.tool_calls]
    wanted = [(c.name, c.arguments) for c in reply.tool_calls]
    return output.content.strip() == reply.text.strip() and asked == wanted


# Loops, as people write them.

_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array"}


def parameters(function: Callable[..., Any]) -> dict[str, Any]:
    """The JSON schema of a function's arguments, from its annotations."""
    hints = get_type_hints(inspect.unwrap(function))
    found = inspect.signature(function).parameters
    properties: dict[str, Any] = {}
    for name in found:
        hint = hints.get(name, str)
        properties[name] = {"type": _KINDS.get(getattr(hint, "__origin__", hint), "object")}
        if properties[name]["type"] == "array":
            properties[name]["items"] = {}
    required = [name for name, p in found.items() if p.default is inspect.Parameter.empty]
    return {"type": "object", "properties": properties, "required": required}


def openai_tools(tools: Sequence[Callable[..., Any]]) -> list[Any]:
    """Definitions for chat completions."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.__name__,
                "description": inspect.getdoc(tool) or "",
                "parameters": parameters(tool),
            },
        }
        for tool in tools
    ]


def anthropic_tools(tools: Sequence[Callable[..., Any]]) -> list[Any]:
    """Definitions for messages."""
    return [
        {
            "name": tool.__name__,
            "description": inspect.getdoc(tool) or "",
            "input_schema": parameters(tool),
        }
        for tool in tools
    ]


def as_text(value: Any) -> str:
    """A tool's result as the model sees it."""
    return value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)


def openai_client(server: ModelServer, **more: Any) -> openai.OpenAI:
    """A client for the local server."""
    plain = openai.DefaultHttpxClient(verify=False)  # the server speaks no TLS
    return openai.OpenAI(base_url=server.base_url, api_key="unused", http_client=plain, **more)


def claude_client(server: ModelServer) -> anthropic.Anthropic:
    """The same for Anthropic's."""
    plain = anthropic.DefaultHttpxClient(verify=False)
    return anthropic.Anthropic(base_url=server.url, api_key="unused", http_client=plain)


def claude_client_async(server: ModelServer) -> anthropic.AsyncAnthropic:
    """Anthropic's asynchronous client."""
    plain = anthropic.DefaultAsyncHttpxClient(verify=False)
    return anthropic.AsyncAnthropic(base_url=server.url, api_key="unused", http_client=plain)


def chat_loop(
    server: ModelServer,
    system: str,
    user: str,
    tools: Sequence[Callable[..., Any]],
    *,
    model: str = "gpt-4o",
    limit: int = 30,
    history: list[Any] | None = None,
    window: int | None = None,
) -> str:
    """A plain tool loop over chat completions; ``window`` keeps only the last messages."""
    by_name = {tool.__name__: tool for tool in tools}
    messages: list[Any] = history if history is not None else []
    if not messages:
        messages.append({"role": "system", "content": system})
    messages.append({"role": "user", "content": user})
    with openai_client(server) as client:
        for _ in range(limit):
            sent = messages
            if window is not None and len(messages) > window:
                kept = messages[-window:]
                while kept and kept[0]["role"] == "tool":
                    kept = kept[1:]
                sent = [messages[0], *kept]
            answer = client.chat.completions.create(
                model=model, messages=sent, tools=openai_tools(tools), temperature=0
            )
            message = answer.choices[0].message
            if not message.tool_calls:
                messages.append({"role": "assistant", "content": message.content})
                return message.content or ""
            messages.append(message.model_dump(exclude_none=True))
            for wanted in message.tool_calls:
                try:
                    result = as_text(
                        by_name[wanted.function.name](**json.loads(wanted.function.arguments))
                    )
                except Exception as error:
                    result = f"Error: {type(error).__name__}: {error}"
                messages.append({"role": "tool", "tool_call_id": wanted.id, "content": result})
    return ""


def claude_loop(
    server: ModelServer,
    system: str,
    user: str,
    tools: Sequence[Callable[..., Any]],
    *,
    model: str = "claude-sonnet-5-5",
    limit: int = 30,
) -> str:
    """A plain tool loop over Anthropic's messages."""
    by_name = {tool.__name__: tool for tool in tools}
    messages: list[Any] = [{"role": "user", "content": user}]
    with claude_client(server) as client:
        for _ in range(limit):
            answer = client.messages.create(
                model=model,
                max_tokens=2048,
                system=system,
                messages=messages,
                tools=anthropic_tools(tools),
            )
            messages.append({"role": "assistant", "content": answer.content})
            if answer.stop_reason != "tool_use":
                return "".join(b.text for b in answer.content if b.type == "text")
            results: list[Any] = []
            for block in answer.content:
                if block.type != "tool_use":
                    continue
                failed = False
                try:
                    content = as_text(by_name[block.name](**block.input))
                except Exception as error:
                    content, failed = f"{type(error).__name__}: {error}", True
                results.append(
                    {
                        "type": "tool_result",
                        "tool_use_id": block.id,
                        "content": content,
                        "is_error": failed,
                    }
                )
            messages.append({"role": "user", "content": results})
    return ""


async def chat_loop_async(
    server: ModelServer,
    system: str,
    user: str,
    tools: Sequence[Callable[..., Any]],
    *,
    model: str = "gpt-4.1",
    limit: int = 30,
) -> str:
    """The same with the asynchronous client; the calls of one answer run side by side."""
    by_name = {tool.__name__: tool for tool in tools}
    messages: list[Any] = [
        {"role": "system", "content": system},
        {"role": "user", "content": user},
    ]

    async def one(wanted: Any) -> Any:
        try:
            result = await by_name[wanted.function.name](**json.loads(wanted.function.arguments))
        except Exception as error:
            result = {"error": str(error)}
        return {"role": "tool", "tool_call_id": wanted.id, "content": as_text(result)}

    async with openai.AsyncOpenAI(
        base_url=server.base_url,
        api_key="unused",
        http_client=openai.DefaultAsyncHttpxClient(verify=False),
    ) as client:
        for _ in range(limit):
            answer = await client.chat.completions.create(
                model=model, messages=messages, tools=openai_tools(tools)
            )
            message = answer.choices[0].message
            if not message.tool_calls:
                return message.content or ""
            messages.append(message.model_dump(exclude_none=True))
            messages.extend(await asyncio.gather(*map(one, message.tool_calls)))
    return ""


def ask(
    client: openai.OpenAI, prompt: str, *, system: str = "", model: str = "gpt-4o-mini", **more: Any
) -> str:
    """One prompt, one answer."""
    messages: list[Any] = [{"role": "system", "content": system}] if system else []
    messages.append({"role": "user", "content": prompt})
    answer = client.chat.completions.create(model=model, messages=messages, **more)
    return answer.choices[0].message.content or ""


PEOPLE = (
    "Maria Keller", "Tom Okafor", "Ana Duarte", "Priya Raman", "Lukas Berg", "Chen Wei",
    "Sofia Rossi", "David Novak", "Emma Larsen", "Omar Haddad", "Julia Weiss", "Peter Hall",
    "Nadia Petrova", "Hugo Martin", "Grace Kim", "Liam Byrne",
)  # fmt: skip


def mail_of(person: str) -> str:
    """An address for a person."""
    return person.lower().replace(" ", ".") + "@example.com"


def has(text: str, *parts: str) -> bool:
    """Whether all parts stand in the text, case aside."""
    return all(part.lower() in text.lower() for part in parts)


def every(worlds: Sequence[type[World]], seed: int) -> Iterator[Made]:
    """All variants of these kinds."""
    for world in worlds:
        for variant in variants(world):
            yield make(world, variant, seed)
