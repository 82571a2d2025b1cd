"""A grammar of programs that make one value of a model's answer.

Run as a script, it checks that each program reads the answers that are drawn for it.
"""

from __future__ import annotations

import random
import sys
import types
from collections.abc import Callable, Iterator

from knitbone_evals.adapt.accepted.scalars import (
    single_dates,  # noqa: F401
    single_enums,  # noqa: F401
    single_patterns,  # noqa: F401
    single_texts,  # noqa: F401
    single_values,  # noqa: F401
    single_verdicts,  # noqa: F401
    single_words,  # noqa: F401
)
from knitbone_evals.adapt.accepted.scalars.single_base import TEMPLATES, Consumer, build_all

__all__ = ["Consumer", "consumers"]

VARIATIONS = 20
ANSWERS = 30
TOLERATED = 0.02


def consumers(random: random.Random) -> Iterator[Consumer]:
    """One consumer of each template, varied by `random`: names, literals, defaults, style."""
    yield from build_all(random)


def load(consumer: Consumer, ask: Callable[[str], str]) -> types.ModuleType:
    """The consumer's program as a module whose model is `ask`."""
    module = types.ModuleType("consumer_program")
    module.__dict__["ask"] = ask
    exec(compile(consumer.source, consumer.name, "exec", dont_inherit=True), module.__dict__)
    return module


def accepted(result: object) -> bool:
    """Whether this is a useful result: not nothing, and not empty."""
    if result is None:
        return False
    return not (isinstance(result, (str, tuple, list, dict, set, frozenset)) and len(result) == 0)


def check_template(number: int) -> tuple[float, list[str], list[str]]:
    """The share of answers accepted, three samples, and what went wrong."""
    good = 0
    samples: list[str] = []
    troubles: list[str] = []
    for variation in range(VARIATIONS):
        source = random.Random(variation)
        consumer = list(consumers(source))[number]
        current = [""]
        calls = [0]

        def ask(prompt: str, current: list[str] = current, calls: list[int] = calls) -> str:
            assert isinstance(prompt, str) and prompt
            calls[0] += 1
            return current[0]

        module = load(consumer, ask)
        for _ in range(ANSWERS):
            current[0] = consumer.draw(source)
            calls[0] = 0
            try:
                result = module.handle()
            except Exception as error:
                troubles.append(f"{consumer.name}: {current[0]!r} -> {error!r}")
                continue
            if not accepted(result) or result != result or calls[0] != 1:
                troubles.append(f"{consumer.name}: {current[0]!r} -> {result!r}, asked {calls[0]}")
                continue
            good += 1
            if len(samples) < 3 and _ % 9 == variation % 9:
                samples.append(f"{current[0][:24]!r} -> {repr(result)[:30]}")
    return good / (VARIATIONS * ANSWERS), samples, troubles


def main() -> int:
    """Check all templates and print a table."""
    failed = 0
    for number, (name, kind, _) in enumerate(TEMPLATES):
        share, samples, troubles = check_template(number)
        print(f"{name:28} | {kind:38} | {share:6.1%} | {' | '.join(samples)}")
        if share < 1 - TOLERATED:
            failed += 1
            for trouble in troubles[:5]:
                print("    " + trouble)
    print(f"{len(TEMPLATES)} templates, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
