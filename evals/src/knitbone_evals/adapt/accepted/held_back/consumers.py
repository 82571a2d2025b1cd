"""Small programs that read a language model's answer, with answers that they read."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import random as random_module
import sys
import zlib
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

# Each of these modules registers its templates when it is imported.
from knitbone_evals.adapt.accepted.held_back import (
    crosscut_bots,  # noqa: F401
    crosscut_formats,  # noqa: F401
    crosscut_lines,  # noqa: F401
    crosscut_numbers,  # noqa: F401
    crosscut_shapes,  # noqa: F401
    crosscut_words,  # noqa: F401
)
from knitbone_evals.adapt.accepted.held_back.crosscut_vocabulary import TEMPLATES

ROUNDS = 20
ANSWERS = 30
TOLERANCE = 0.02


@dataclasses.dataclass(frozen=True)
class Consumer:
    """A small program that reads a model's answer, and answers that it reads."""

    name: str
    kind: str
    source: str
    draw: Callable[[Random], str]
    literals: tuple[str, ...] = ()


def consumers(random: Random) -> Iterator[Consumer]:
    """One consumer of each template, varied by `random`."""
    for name, kind, make in TEMPLATES:
        source, draw, literals = make(random)
        variation = zlib.crc32(source.encode()) & 0xFFFFFFFF
        yield Consumer(f"{name}-{variation:08x}", kind, source, draw, literals)


def run(consumer: Consumer, answer: str) -> object:
    """What the program makes of the answer, if it asks exactly once."""
    calls: list[str] = []

    def ask(prompt: str) -> str:
        calls.append(prompt)
        return answer

    namespace: dict[str, Any] = {"__name__": "program", "ask": ask}
    code = compile(consumer.source, consumer.name, "exec", dont_inherit=True)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, namespace)
        result = namespace["handle"]()
    if len(calls) != 1:
        raise RuntimeError(f"{consumer.name} asked {len(calls)} times")
    repr(result)
    if result != result:
        raise RuntimeError(f"{consumer.name} gives a value that is not equal to itself")
    return result


def is_empty(result: object) -> bool:
    """Whether the result is nothing that an author would be content with."""
    return result is None or (hasattr(result, "__len__") and len(result) == 0)


def check() -> int:
    """Run every template and print a table; the number of templates that fail."""
    accepted: dict[str, list[bool]] = {}
    samples: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    failures: dict[str, list[str]] = {}
    for turn in range(ROUNDS):
        random = random_module.Random(turn)
        for consumer in consumers(random):
            name = consumer.name.rpartition("-")[0]
            kinds[name] = consumer.kind
            for _ in range(ANSWERS):
                answer = consumer.draw(random)
                try:
                    good = not is_empty(run(consumer, answer))
                except Exception as error:
                    good = False
                    report = f"{type(error).__name__}: {error}\n{answer!r}\n{consumer.source}"
                    failures.setdefault(name, []).append(report)
                accepted.setdefault(name, []).append(good)
                samples.setdefault(name, []).append(answer)
    bad = 0
    for name, results in accepted.items():
        share = sum(results) / len(results)
        failed = bool(failures.get(name)) or share < 1 - TOLERANCE
        bad += failed
        shown = " ¦ ".join(repr(text)[:60] for text in samples[name][:: ROUNDS * ANSWERS // 3][:3])
        print(f"{'FAIL' if failed else 'ok':4} {name:22} {kinds[name]:32} {share:7.1%}  {shown}")
        for report in failures.get(name, [])[:1]:
            print(report)
    print(f"{len(accepted)} templates, {bad} failed")
    return bad


if __name__ == "__main__":
    sys.exit(1 if check() else 0)
