"""Programs that read structured answers and lists of records, and answers that they read."""

from __future__ import annotations

import random as random_module
import sys
from collections.abc import Iterator
from pathlib import Path

if str(Path(__file__).parent) not in sys.path:
    sys.path.insert(0, str(Path(__file__).parent))

from knitbone_evals.adapt.accepted.structures import (
    structured_json,  # noqa: F401
    structured_json_more,  # noqa: F401
    structured_lines,  # noqa: F401
    structured_lines_more,  # noqa: F401
    structured_markup,  # noqa: F401
    structured_models,  # noqa: F401
    structured_settings,  # noqa: F401
    structured_tables,  # noqa: F401
)
from knitbone_evals.adapt.accepted.structures.structured_base import TEMPLATES, Consumer

__all__ = ["Consumer", "consumers"]


def consumers(random: random_module.Random) -> Iterator[Consumer]:
    """One consumer of each template, varied by `random`: names, literals, separators, style."""
    for make in TEMPLATES.values():
        yield make(random)


def outcome(consumer: Consumer, code: object, answer: str) -> object:
    """What the program makes of the answer; an exception is not caught."""
    calls: list[str] = []

    def ask(prompt: str) -> str:
        calls.append(prompt)
        return answer

    namespace = {"__name__": "program", "ask": ask}
    exec(code, namespace)
    result = namespace["handle"]()
    if len(calls) != 1 or not isinstance(calls[0], str):
        raise RuntimeError(f"ask was called {len(calls)} times")
    if result != result or "object at 0x" in repr(result):
        raise RuntimeError("the result does not compare, or has no useful repr")
    return result


def empty(result: object) -> bool:
    """Whether a result is nothing: None, an empty text or an empty container."""
    return result is None or result == "" or (hasattr(result, "__len__") and len(result) == 0)


def check(draws: int = 20, answers: int = 30) -> bool:
    """Draw every template many times, print a table, and say whether all is well."""
    good = True
    for name, make in TEMPLATES.items():
        random = random_module.Random(name)
        accepted, samples, failures, kind = 0, [], [], ""
        for _ in range(draws):
            consumer = make(random)
            kind = consumer.kind
            code = compile(consumer.source, consumer.name, "exec", dont_inherit=True)
            for _ in range(answers):
                answer = consumer.draw(random)
                samples.append(answer)
                try:
                    result = outcome(consumer, code, answer)
                except Exception as error:
                    failures.append((repr(error), answer))
                else:
                    if empty(result):
                        failures.append(("nothing", answer))
                    else:
                        accepted += 1
        share = accepted / (draws * answers)
        fine = share >= 0.98
        good = good and fine
        shown = "  ".join(repr(one)[:70] for one in random.sample(samples, 3))
        print(f"{name:28} {kind:34} {share:6.1%} {'' if fine else 'FAILS'} {shown}")
        for problem, answer in failures[: 3 if fine else 6]:
            print(f"    {problem[:200]} <- {answer[:300]!r}")
    print(f"{len(TEMPLATES)} templates, {'green' if good else 'RED'}")
    return good


if __name__ == "__main__":
    sys.exit(0 if check() else 1)
