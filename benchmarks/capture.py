"""What recording costs the agent: ``python -m benchmarks.capture [--runs N]``.

Microseconds that ``knitbone.trace`` adds to one call, event committed to the store on disk
included: the time of the hooked call less the median of the same call without a trace. The SDK's
own work and the network are left out (its ``request`` is replaced by one that answers at once);
the requests and answers are the real SDK's objects. Each figure is of N calls in each of several
runs, every run a new file; percentiles are of all calls of all runs.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openai
from openai._models import FinalRequestOptions
from openai.types.chat import ChatCompletion, ChatCompletionChunk

import knitbone
from knitbone.record.sqlite_store import SqliteStore

CALLS, RUNS = 1_000, 5
HISTORY = 20
TEXT = "The user wants a table for four people in Lyon and asks what the menu costs. " * 7
RESULTS = Path(__file__).parent / "results"


def answer(number: int) -> ChatCompletion:
    """A turn of the model: some words and a tool call."""
    function = {"name": "find_table", "arguments": json.dumps({"guests": 4, "page": number})}
    call = {"id": f"call_{number}", "type": "function", "function": function}
    message = {"role": "assistant", "content": f"Step {number}.", "tool_calls": [call]}
    return ChatCompletion.model_validate(
        {
            "id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 900, "completion_tokens": 20, "total_tokens": 920},
        }
    )  # fmt: skip


def turn(number: int) -> list[dict[str, Any]]:
    """Two messages: what the model said, and what the tool answered."""
    said = answer(number).choices[0].message.model_dump(exclude_none=True)
    return [said, {"role": "tool", "tool_call_id": f"call_{number}", "content": f"{number} {TEXT}"}]


START = [{"role": "system", "content": TEXT}, {"role": "user", "content": f"Please. {TEXT}"}]


def going_on(calls: int) -> Iterator[list[dict[str, Any]]]:
    """An agent's conversation of 20 messages that goes on: each call brings two new ones."""
    turns = [turn(number) for number in range(HISTORY // 2 - 1)]
    for number in range(calls):
        yield START + [message for pair in turns for message in pair]
        turns = [*turns[1:], turn(1_000 + number)]


def all_new(calls: int) -> Iterator[list[dict[str, Any]]]:
    """The worst case: 20 messages, none of which was sent before."""
    for number in range(calls):
        first = number * HISTORY
        yield [{"role": "user", "content": f"{first + n} {TEXT}"} for n in range(HISTORY)]


class Chunks:
    """What the hook needs of the SDK's stream."""

    def __init__(self, chunks: list[ChatCompletionChunk]) -> None:
        self._iterator = iter(chunks)

    def __iter__(self) -> Iterator[ChatCompletionChunk]:
        yield from self._iterator

    def close(self) -> None: ...


def chunks(count: int) -> list[ChatCompletionChunk]:
    return [
        ChatCompletionChunk.model_validate(
            {
                "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
                "choices": [{"index": 0, "delta": {"content": "word "}, "finish_reason": None}],
            }
        )
        for _ in range(count)
    ]  # fmt: skip


@knitbone.tool
def find_table(guests: int, page: int) -> dict[str, Any]:
    return {"tables": [{"number": 7, "seats": guests, "near": "window"}] * 3, "page": page}


def options(messages: list[dict[str, Any]]) -> FinalRequestOptions:
    body = {"model": "m", "temperature": 0.2, "messages": messages}
    return FinalRequestOptions(method="post", url="/chat/completions", json_data=body)


@contextlib.contextmanager
def answering(value: Callable[[], Any]) -> Iterator[openai.OpenAI]:
    """A client whose ``request`` answers at once; hooks see it as the SDK's own."""
    base = next(kind for kind in openai.OpenAI.__mro__ if "request" in vars(kind))
    original = base.request
    base.request = lambda *_: value()
    try:
        with openai.OpenAI(api_key="unused") as client:
            yield client
    finally:
        base.request = original


def timed(actions: list[Callable[[], Any]]) -> list[float]:
    """Microseconds of each action."""
    taken: list[float] = []
    for action in actions:
        started = time.perf_counter_ns()
        action()
        taken.append((time.perf_counter_ns() - started) / 1e3)
    return taken


def models(histories: Callable[[int], Iterator[list[dict[str, Any]]]]) -> Any:
    @contextlib.contextmanager
    def case(calls: int) -> Iterator[list[Callable[[], Any]]]:
        response = answer(1)
        with answering(lambda: response) as client:
            asked = [options(messages) for messages in histories(calls)]
            yield [lambda each=each: client.request(ChatCompletion, each) for each in asked]

    return case


@contextlib.contextmanager
def tools(calls: int) -> Iterator[list[Callable[[], Any]]]:
    yield [lambda page=page: find_table(4, page) for page in range(calls)]


@knitbone.tool
def read_all(value: Any) -> Any:
    return value


def large(made: Callable[[], Any]) -> Any:
    """A tool whose result is far beyond what is kept of one event."""

    @contextlib.contextmanager
    def case(calls: int) -> Iterator[list[Callable[[], Any]]]:
        value = made()
        yield [lambda: read_all(value)] * max(calls // 200, 2)

    return case


@contextlib.contextmanager
def streams(calls: int) -> Iterator[list[Callable[[], Any]]]:
    """100 chunks consumed to their end."""
    said = chunks(100)
    with answering(lambda: Chunks(said)) as client:
        asked = options(START)
        yield [lambda: list(client.request(ChatCompletion, asked))] * max(calls // 10, 1)


CASES = {
    "tool call": tools,
    "model call, 20 messages, 2 of them new": models(going_on),
    "model call, 20 messages, all new": models(all_new),
    "stream of 100 chunks": streams,
    "tool call, result of 100 MB of text": large(lambda: TEXT * (100_000_000 // len(TEXT))),
    "tool call, result of 1,000,000 rows": large(lambda: [{"row": 7, "of": "x"}] * 1_000_000),
}


def overhead(case: Any, calls: int, folder: Path) -> tuple[list[float], int]:
    """What a trace adds to each call, in microseconds; bytes of the store for each call."""
    with case(calls) as actions:
        timed(actions[:50])
        plain = statistics.median(timed(actions))
        path = folder / "runs.sqlite"
        with knitbone.trace(name="benchmark", store=path) as run:
            timed(actions[:50])
            traced = timed(actions)
        events = len(actions) + min(50, len(actions))
        store = SqliteStore(path)
        try:
            recorded = len(store.get(run.id or "").events)
        finally:
            store.close()
        if recorded != events:
            raise SystemExit(f"{recorded} events recorded of {events} calls: figures are void.")
        return [each - plain for each in traced], path.stat().st_size // events


def measure(calls: int, runs: int) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for name, case in CASES.items():
        added: list[float] = []
        medians: list[float] = []
        size = 0
        for _ in range(runs):
            with tempfile.TemporaryDirectory(prefix="knitbone-bench-") as folder:
                of_run, size = overhead(case, calls, Path(folder))
            added += of_run
            medians.append(statistics.median(of_run))
        cuts = statistics.quantiles(added, n=100)
        table[name] = {
            "calls": len(added),
            "p50_us": round(cuts[49], 1),
            "p50_us_of_runs": [round(min(medians), 1), round(max(medians), 1)],
            "p95_us": round(cuts[94], 1),
            "p99_us": round(cuts[98], 1),
            "bytes_in_store": size,
        }
    return table


def markdown(result: dict[str, Any]) -> str:
    lines = [
        "# What recording costs the agent",
        "",
        "`python -m benchmarks.capture`: microseconds that a trace adds to one call, the commit to "
        "the store on disk included. The range is that of the runs' medians.",
        "",
        "| call | n | p50 µs (range of runs) | p95 µs | p99 µs | bytes in the store |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, row in result["table"].items():
        low, high = row["p50_us_of_runs"]
        lines.append(
            f"| {name} | {row['calls']} | {row['p50_us']} ({low} to {high}) | {row['p95_us']} "
            f"| {row['p99_us']} | {row['bytes_in_store']} |"
        )
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    lines += [
        "",
        f"{versions}; {result['machine']}, load average {result['load_average']} (what waits for a "
        "core shows in the upper percentiles).",
    ]
    return "\n".join(lines) + "\n"


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=CALLS, help="calls of a run")
    parser.add_argument("--runs", type=int, default=RUNS)
    chosen = parser.parse_args(argv)
    result = {
        "calls_per_run": chosen.calls,
        "runs": chosen.runs,
        "versions": {
            "python": platform.python_version(),
            "sqlite": sqlite3.sqlite_version,
            "openai": openai.__version__,
        },
        "machine": f"{platform.machine()}, {platform.system()}, {os.cpu_count()} cores",
        "load_average": round(os.getloadavg()[0], 1),
        "table": measure(chosen.calls, chosen.runs),
    }
    (RESULTS / "capture.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    (RESULTS / "capture.md").write_text(markdown(result), encoding="utf-8")
    print(markdown(result))


if __name__ == "__main__":
    main()
