"""Values within words, plain and adapted: ``python -m knitbone_evals.adapt.values``.

Each consumer gets each of its values in everything that models write around one, and answers of
which no value must be taken. *Right*: the consumer makes the same of it as of the bare value.
*Wrong*: adapt changed what it makes, into something else. A trap may only stay as it is.
"""

from __future__ import annotations

import argparse
import itertools
import logging
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from knitbone_evals.adapt.accepted.programs import Outcome, Program
from knitbone_evals.adapt.values.consumers import BLOCKS, INLINE, ValueConsumer
from knitbone_evals.adapt.values.surroundings import (
    AROUND_BLOCKS,
    AROUND_VALUES,
    TRAPS,
    TRAPS_OF_BLOCKS,
)
from knitbone_evals.paths import RESULTS, write_result

RESULT = RESULTS / "adapt_values.json"
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_TAGS = {"table": "markdown", "csv": "csv", "code": "python", "json_block": "json"}


class Trial(NamedTuple):
    """One answer, and what plain and adapted code make of it."""

    consumer: ValueConsumer
    family: str
    answer: str
    wanted: Outcome | None
    """What the consumer makes of the bare value; ``None``: nothing may be taken."""
    plain: Outcome
    adapted: Outcome

    @property
    def verdict(self) -> str:
        """``plain``: right as it is; ``read``: the plain code makes something else of it, which
        adapt leaves; ``right``, ``missed`` and ``wrong``; of traps ``kept`` and ``wrong``."""
        if self.adapted != self.plain:
            return "right" if self.adapted == self.wanted else "wrong"
        if self.wanted is None:
            return "kept"
        if self.plain == self.wanted:
            return "plain"
        return "read" if self.plain.accepted else "missed"


def trials(folder: Path, only: str = "", *, each: int = 1, first: int = 0) -> Iterator[Trial]:
    """Every consumer with every value in every surrounding, and in every trap.

    Args:
        folder: for the modules; on ``sys.path``.
        only: a part of the consumers' names or kinds.
        each: of the answers only every so many.
        first: number of the first program.
    """
    numbers = itertools.count(first)
    count = 0
    for inline, consumers in ((True, INLINE), (False, BLOCKS)):
        for consumer in consumers:
            if only and only not in f"{consumer.name} {consumer.kind}":
                continue
            try:
                program = Program(consumer, folder, next(numbers))
            except ModuleNotFoundError:  # a library that is not installed
                continue
            for value, family, answer in dict.fromkeys(_answers(consumer, inline=inline)):
                count += 1
                if count % each == 0:
                    yield _trial(consumer, program, value, family, answer)


def _answers(consumer: ValueConsumer, *, inline: bool) -> Iterator[tuple[str | None, str, str]]:
    """The value that was asked for (``None`` for a trap), the family, and the answer."""
    around = AROUND_VALUES if inline else AROUND_BLOCKS
    traps = TRAPS if inline and consumer.kind not in ("data", "row") else TRAPS_OF_BLOCKS
    for index, value in enumerate(consumer.values):
        other = consumer.values[(index + 1) % len(consumer.values)].plain
        for family, templates in around.items():
            for template in templates:
                for written in (value.plain, *value.written):
                    yield value.plain, family, _filled(template, consumer, written, other)
        for family, templates in traps.items():
            for template in templates:
                yield None, f"trap: {family}", _filled(template, consumer, value.plain, other)


def _filled(template: str, consumer: ValueConsumer, value: str, other: str) -> str:
    tag = _TAGS.get(consumer.name) or _TAGS.get(consumer.kind) or consumer.name
    noun = consumer.noun
    names = {"v": value, "w": other, "noun": noun, "Noun": noun[:1].upper() + noun[1:], "tag": tag}
    for name, text in names.items():
        template = template.replace(f"{{{name}}}", text)
    return template


def _trial(
    consumer: ValueConsumer, program: Program, value: str | None, family: str, answer: str
) -> Trial:
    wanted = None if value is None else program.plain(value)
    if wanted is not None and not wanted.accepted:
        raise ValueError(f"{consumer.name} does not read {value!r}: {wanted}")
    plain, adapted = (
        outcome._replace(raised=_ADDRESS.sub("", outcome.raised))
        for outcome in (program.plain(answer), program.adapted(answer))
    )
    return Trial(consumer, family, answer, wanted, plain, adapted)


def main() -> int:
    """Search, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="consumers whose name or kind holds this")
    parser.add_argument("--verbose", default="", help="verdicts printed, such as wrong,missed")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    logging.getLogger("knitbone").setLevel(logging.CRITICAL)
    os.environ["KNITBONE_ADAPT_QUIET"] = "1"
    by_consumer: dict[str, Counter[str]] = {}
    by_family: dict[str, Counter[str]] = {}
    shown = set(options.verbose.split(","))
    with tempfile.TemporaryDirectory() as name:
        sys.path.insert(0, name)
        for trial in trials(Path(name), options.only):
            trap = "trap " if trial.wanted is None else ""
            verdict = trap + trial.verdict
            by_consumer.setdefault(trial.consumer.name, Counter())[verdict] += 1
            by_family.setdefault(trial.family, Counter())[verdict] += 1
            if trial.verdict in shown:
                print(f"{trial.verdict} {trial.consumer.name} [{trial.family}] {trial.answer!r}")
                if trial.verdict == "wrong":
                    print(f"    plain {trial.plain}\n    adapted {trial.adapted}")
    result: dict[str, Any] = {
        "versions": {"knitbone": version("knitbone"), "python": sys.version.split()[0]},
        "consumers": {name: dict(count) for name, count in by_consumer.items()},
        "families": {name: dict(count) for name, count in by_family.items()},
    }
    print(page(result))
    if options.write:
        write_result(RESULT, result)
        RESULT.with_suffix(".md").write_text(page(result), encoding="utf-8")
    return 0


_COLUMNS = ("plain", "read", "right", "missed", "wrong", "trap kept", "trap wrong")


def page(result: dict[str, Any]) -> str:
    """The tables."""
    lines = ["# Values within words", ""]
    for name in ("consumers", "families"):
        lines += [
            f"| {name} | " + " | ".join(_COLUMNS) + " |",
            "| --- |" + " --- |" * len(_COLUMNS),
        ]
        rows = dict(result[name])
        rows["all"] = dict(sum((Counter(count) for count in rows.values()), Counter()))
        for row, count in rows.items():
            lines.append(f"| {row} | " + " | ".join(str(count.get(c, 0)) for c in _COLUMNS) + " |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
