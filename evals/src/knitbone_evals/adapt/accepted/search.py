"""Plain and adapted code side by side, on answers that the plain code reads.

The rule: what the application reads without an exception, an empty result or a lost record, adapt
does not change. Where the code catches an exception of its own reader and goes on with something
else, it has not read the answer, and a repair is what adapt is for: such pairs are counted apart.
Of a program with a default branch only a wrapper may come off, and only where the
rest is a literal that the code names: such answers are left out of the count.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from knitbone_evals.adapt.accepted.programs import Consumer, Mode, Outcome, Program

__all__ = ["Grammar", "Pair", "search", "wraps_literal"]

Grammar = Callable[[random.Random], Iterator[Consumer]]
"""One consumer of each template, varied by the generator that is given."""


class Pair(NamedTuple):
    """One consumer and one answer that it reads."""

    consumer: Consumer
    answer: str
    plain: Outcome
    adapted: Outcome
    handled: bool = False
    """Whether the code caught an exception of its own reader."""

    @property
    def changed(self) -> bool:
        """Whether adapt changed what the program made of it."""
        return self.plain != self.adapted


def search(
    grammar: Grammar,
    folder: Path,
    *,
    rounds: int,
    answers: int,
    seed: int,
    first: int = 0,
    mode: Mode = "repair",
) -> Iterator[Pair]:
    """Pairs of consumers and answers.

    Args:
        grammar: yields the consumers of one round.
        folder: for the modules; on ``sys.path``.
        rounds: how often each template is varied.
        answers: drawn for each consumer; those that the plain code does not read do not count.
        first: number of the first program.
        mode: of adapt; *strict* raises where a requirement of high confidence is broken.
    """
    number = first
    for each in range(rounds):
        for consumer in grammar(random.Random(f"{seed}-{each}")):
            program = Program(consumer, folder, number, mode=mode)
            number += 1
            draws = random.Random(f"{seed}-{each}-{consumer.name}")
            yield from _pairs(program, (consumer.draw(draws) for _ in range(answers)))


def _pairs(program: Program, answers: Iterable[str]) -> Iterator[Pair]:
    literals = getattr(program.consumer, "literals", ())
    for answer in answers:
        plain = program.plain(answer)
        if plain.accepted and not wraps_literal(answer, literals):
            adapted, handled = program.adapted(answer), program.is_handled(answer)
            yield Pair(program.consumer, answer, plain, adapted, handled)


_FENCE = re.compile(r"\A```[\w+-]*\n(.*?)\n?```\Z", re.DOTALL)
_QUOTES = "\"'`“”‘’«»„*_"  # noqa: RUF001 - the quotes that models write
_END_MARKS = ".!。"


def wraps_literal(answer: str, literals: Sequence[str]) -> bool:
    """Whether an answer is a literal but for case, blanks, fence, quotes and an end mark."""
    return _core(answer) in {_core(literal) for literal in literals}


def _core(text: str) -> str:
    while True:
        bare = text.strip()
        if fence := _FENCE.match(bare):
            bare = fence[1]
        bare = bare.strip().rstrip(_END_MARKS).strip(_QUOTES)
        if bare == text:
            return text.casefold()
        text = bare
