"""Small programs that read a model's answer, and answers that each of them reads."""

from __future__ import annotations

import contextlib
import io
import random as random_module
import sys
from collections.abc import Iterator

from knitbone_evals.adapt.accepted.shapes import (
    shape_classes,  # noqa: F401
    shape_flow,  # noqa: F401
    shape_prose,  # noqa: F401
    shape_reading,  # noqa: F401
    shape_sharing,  # noqa: F401
)
from knitbone_evals.adapt.accepted.shapes.shape_base import TEMPLATES, Consumer

__all__ = ["Consumer", "consumers"]


def consumers(random: random_module.Random) -> Iterator[Consumer]:
    """One consumer of each template, varied by `random`."""
    for make in TEMPLATES:
        yield make(random)


def run(consumer: Consumer, answer: str) -> tuple[object, str]:
    """What `handle()` returns for the answer, and what is wrong with it, if anything."""
    calls: list[str] = []

    def ask(prompt: str) -> str:
        calls.append(prompt)
        return answer

    namespace: dict[str, object] = {"__name__": "program", "ask": ask}
    module = type(sys)("program")
    module.__dict__.update(namespace)
    sys.modules["program"] = module
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(consumer.source, consumer.name, "exec"), module.__dict__)
            result = module.handle()
    except Exception as error:
        return None, f"raises {error!r}"
    finally:
        del sys.modules["program"]
    if len(calls) != 1:
        return result, f"asks {len(calls)} times"
    if result is None or (hasattr(result, "__len__") and len(result) == 0):
        return result, "returns nothing"
    if " object at 0x" in repr(result):
        return result, "has no useful repr"
    return result, ""


def check(rounds: int = 20, answers: int = 30) -> int:
    """Run every template with its answers, print a table, and return the number of failures."""
    random = random_module.Random(20)
    table: dict[str, tuple[str, list[str], list[str]]] = {}
    failures = 0
    for _ in range(rounds):
        seen: set[str] = set()
        for consumer in consumers(random):
            assert consumer.name not in seen, consumer.name
            seen.add(consumer.name)
            kind, samples, wrong = table.setdefault(
                consumer.name.rpartition("-")[0], (consumer.kind, [], [])
            )
            for _ in range(answers):
                answer = consumer.draw(random)
                samples.append(answer)
                result, problem = run(consumer, answer)
                if not problem and repr(run(consumer, answer)[0]) != repr(result):
                    problem = "not repeatable"
                if problem:
                    wrong.append(f"{problem}: {answer!r}")
    for name, (kind, samples, wrong) in table.items():
        share = 1 - len(wrong) / len(samples)
        bad = share < 0.98 or any(text.startswith(("raises", "asks", "not")) for text in wrong)
        failures += bad
        print(f"{'FAIL' if bad else 'ok  '} {name:24} {kind:46} {share:7.2%}")
        for text in samples[:: len(samples) // 3][:3]:
            print(f"       {text[:90]!r}")
        for text in wrong[:3] if bad else ():
            print(f"     ! {text[:300]}")
    print(f"{len(table)} templates, {failures} with failures")
    return failures


if __name__ == "__main__":
    sys.exit(1 if check() else 0)
