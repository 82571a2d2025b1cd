"""Time of a hook in a library, and what many supervised runs leave: ``python -m
benchmarks.supervision_hooks``.

The library's own function is replaced by one that gives a canned answer at once, so that what is
timed is the hook: processor time of the thread with the hook, less the median of the same call
without it in the same run. A run has 40 steps; each request carries the whole history, one new
result of a page of JSON (2,000 characters) behind it; guidance of five directives is active.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import json
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import openai
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from mcp_types import CallToolResult, TextContent
from openai._models import FinalRequestOptions
from openai.types.chat import ChatCompletion

from benchmarks.supervision_latency import GUIDANCE, PAGE, TASK, call, resident
from knitbone import __version__
from knitbone.models.embedders import MiniLmEmbedder
from knitbone.tethering.supervision.active import supervised
from knitbone.tethering.supervision.engine import Supervisor
from knitbone.tethering.supervision.hooks import langchain, mcp, stainless

RESULT = Path(__file__).parent / "results" / "supervision_hooks.json"
STEPS, RUNS, LEFT_RUNS, LEFT_STEPS = 40, 15, 1_000, 10
TOOLS = [{"type": "function", "function": {"name": "get_records", "parameters": {}}}]
GUIDED = type(GUIDANCE)(task="bank-1", run="r1", text="Do so first. " * 60,
                        directives=GUIDANCE.directives)  # fmt: skip


class Step(NamedTuple):
    """One call of a hooked function."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    answer: Any


class Library(NamedTuple):
    """A hooked function, by what it is called with."""

    hook: Callable[[Any], Any]
    """From the function to the hooked one."""
    steps: list[Step]
    is_async: bool = False


def openai_steps() -> list[Step]:
    """An agent's requests to OpenAI's chat completions."""
    messages: list[Any] = [{"role": "user", "content": TASK}]
    steps: list[Step] = []
    for number in range(STEPS):
        given = {"name": "get_records", "arguments": json.dumps(call(number, PAGE).arguments)}
        asked = [{"id": f"c{number}", "type": "function", "function": given}]
        said = {"role": "assistant", "content": None, "tool_calls": asked}
        if number == STEPS - 1:
            said = {"role": "assistant", "content": "All is done."}
        answer = ChatCompletion.model_validate(
            {"id": f"a{number}", "object": "chat.completion", "created": 1, "model": "m",
             "choices": [{"index": 0, "finish_reason": "stop", "message": said}]}
        )  # fmt: skip
        options = FinalRequestOptions(
            method="post", url="/chat/completions",
            json_data={"model": "m", "messages": list(messages), "tools": TOOLS},
        )  # fmt: skip
        steps.append(Step((None, ChatCompletion, options), {}, answer))
        result = json.dumps(call(number, PAGE).result)
        messages += [said, {"role": "tool", "tool_call_id": f"c{number}", "content": result}]
    return steps


def langchain_steps() -> list[Step]:
    """The same of a LangChain model."""
    messages: list[Any] = [HumanMessage(TASK)]
    steps: list[Step] = []
    for number in range(STEPS):
        arguments = call(number, PAGE).arguments
        asked = [{"name": "get_records", "args": arguments, "id": f"c{number}"}]
        said = AIMessage("", tool_calls=asked) if number < STEPS - 1 else AIMessage("All is done.")
        answer = LLMResult(generations=[[ChatGeneration(message=said)]])
        steps.append(Step((None, [list(messages)]), {"tools": TOOLS}, answer))
        result = json.dumps(call(number, PAGE).result)
        messages += [said, ToolMessage(result, tool_call_id=f"c{number}")]
    return steps


def mcp_steps() -> list[Step]:
    """The calls of tools themselves."""
    return [
        Step((None, "get_records", call(number, PAGE).arguments), {}, CallToolResult(
            content=[TextContent(type="text", text=json.dumps(call(number, PAGE).result))]
        ))
        for number in range(STEPS)
    ]  # fmt: skip


def libraries() -> dict[str, Library]:
    """By the function that is hooked."""
    generate = next(p for p in langchain.patches(sys.modules[BaseChatModel.__module__])
                    if p.attribute == "generate").make  # fmt: skip
    session: Any = importlib.import_module("mcp.client.session")
    call_tool = next(p for p in mcp.patches(session) if p.attribute == "call_tool").make
    request = next(iter(stainless.patches(openai))).make
    return {
        "OpenAI client, request": Library(request, openai_steps()),
        "LangChain, generate": Library(generate, langchain_steps()),
        "MCP session, call_tool": Library(call_tool, mcp_steps(), is_async=True),
    }


def functions(library: Library) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The function that answers at once, and the same hooked."""
    current: list[Any] = []

    def plain(*_: Any, **__: Any) -> Any:
        return current[-1]

    async def coroutine(*_: Any, **__: Any) -> Any:
        return current[-1]

    original = coroutine if library.is_async else plain
    hooked = library.hook(original)

    def runner(function: Any) -> Callable[[Step], int]:
        def run(step: Step) -> int:
            current[:] = [step.answer]
            began = time.thread_time_ns()
            value = function(*step.args, **step.kwargs)
            if library.is_async:
                with contextlib.suppress(StopIteration):
                    value.send(None)
            return time.thread_time_ns() - began

        return run

    return runner(original), runner(hooked)


def timed(library: Library, embedder: Any) -> dict[str, float]:
    """Microseconds that the hook adds: median, 95th percentile, slowest."""
    plain, hooked = functions(library)
    bare = statistics.median([plain(step) for step in library.steps for _ in range(20)])
    taken: list[float] = []
    for _ in range(RUNS if embedder is None else 3):
        supervisor = Supervisor(TASK, GUIDED, record=None, embedder=embedder)
        with supervised(GUIDED, supervisor):
            taken += [(hooked(step) - bare) / 1_000 for step in library.steps]
        assert len(supervisor.decisions) == STEPS, len(supervisor.decisions)
    cuts = statistics.quantiles(taken, n=100)
    return {"calls": len(taken), "median_us": round(statistics.median(taken), 1),
            "p95_us": round(cuts[94], 1), "p99_us": round(cuts[98], 1),
            "slowest_us": round(max(taken), 1)}  # fmt: skip


def off_cost(library: Library) -> float:
    """Microseconds that a hook adds in a task that is not supervised, while another is. Where
    nothing is supervised there is no hook."""
    plain, hooked = functions(library)
    step = library.steps[0]
    times = 50_000

    def loop(function: Callable[[Step], int]) -> float:
        return min(statistics.fmean([function(step) for _ in range(times // 5)]) for _ in range(5))

    return round((loop(hooked) - loop(plain)) / 1_000, 3)


def left() -> dict[str, Any]:
    """What many runs leave: memory, files, hooks."""
    library = libraries()["OpenAI client, request"]
    steps, (_, hooked) = library.steps[:LEFT_STEPS], functions(library)
    before = (BaseChatModel.generate, openai.OpenAI.request, list(sys.meta_path))
    found: dict[str, Any] = {}
    for run in range(1, LEFT_RUNS + 1):
        supervisor = Supervisor(TASK, GUIDED, record=None)
        with supervised(GUIDED, supervisor):
            for step in steps:
                hooked(step)
        if run in (LEFT_RUNS // 10, LEFT_RUNS):
            gc.collect()
            found[f"after {run} runs"] = {
                "resident_kb": resident(), "open_files": len(list(Path("/proc/self/fd").iterdir())),
            }  # fmt: skip
    after = (BaseChatModel.generate, openai.OpenAI.request, list(sys.meta_path))
    return {
        **found,
        "hooks_left": sum(a is not b and a != b for a, b in zip(before, after, strict=True)),
    }


def evaluate() -> dict[str, Any]:
    """All figures."""
    embedder = MiniLmEmbedder(threads=1)
    embedder.embed(["loaded"])
    found = libraries()
    began = time.thread_time_ns()
    for _ in range(200):
        with supervised(GUIDED, Supervisor(TASK, GUIDED, record=None)):
            pass
    entered = (time.thread_time_ns() - began) / 200 / 1_000
    return {
        "title": "Hooks of supervision in the libraries", "knitbone": __version__,
        "python": platform.python_version(), "machine": platform.machine(),
        "openai": openai.__version__,
        "hooks": {name: timed(library, None) for name, library in found.items()},
        "with embedder": {
            name: timed(library, embedder) for name, library in found.items()
            if not library.is_async  # there a thread does it, so that other tasks go on
        },
        "not supervised, hooks in place, us": {
            name: off_cost(library) for name, library in found.items()
        },
        "entering and leaving a supervised run, us": round(entered, 1),
        "left": left(),
    }  # fmt: skip


def main() -> None:
    """Measure, print, and keep the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=RESULT)
    out = parser.parse_args().out
    result = evaluate()
    out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
