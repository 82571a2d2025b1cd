"""The sets: each runs its answers through adapt by the runner that its benchmark has."""

from __future__ import annotations

import importlib
import importlib.util
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import msgspec

from knitbone.adaptation.testing import forget_counts
from knitbone.config import AdaptConfig
from knitbone_evals.adapt.accepted.__main__ import GRAMMARS
from knitbone_evals.adapt.accepted.programs import outcome_of
from knitbone_evals.adapt.accepted.search import Grammar, search
from knitbone_evals.adapt.applications.__main__ import played
from knitbone_evals.adapt.applications.cases import applications
from knitbone_evals.adapt.bare import right
from knitbone_evals.adapt.cases import APPS, UNCHANGED, AppSpec, Case, conforming, generate, specs
from knitbone_evals.adapt.golden.decisions import (
    Decision,
    Observed,
    Verdict,
    decisions,
    digest,
    observed,
)
from knitbone_evals.adapt.measure import run, score
from knitbone_evals.adapt.natural import SPECS, natural_cases
from knitbone_evals.adapt.treatments import adapted
from knitbone_evals.adapt.values.__main__ import trials
from knitbone_evals.lines import lines_of

__all__ = ["BUDGET_MS", "NATURAL", "SETS", "decide"]

NATURAL = "adapt/natural"

BUDGET_MS = 1_000.0
"""For one answer, in place of the default 50: at that, two of four runs on a busy machine left one
of 31,346 answers unread. All other settings are the default ones."""
_SEED = 0
_HARMLESS_EVERY = 5
"""Of the conforming cases for harm alone one of so many is run: all of them take six minutes."""
_ANSWERS = 4
"""Drawn for each program of ``accepted``, in one round."""
_NOT_SHOWN = frozenset({"accepted/held_back", NATURAL})
"""Sets whose texts stay out of the record: nobody looks at the one, the other's are not ours."""
_IMPORT = re.compile(r"^(?:import|from)\s+(\w+)", re.MULTILINE)


def decide(names: Iterable[str], data: Path | None, only: str = "") -> Iterator[Decision]:
    """Every decision of some sets.

    Args:
        data: the public data sets; without it the natural answers are left out.
        only: of ``adapt``, ``values``, ``harm`` and ``applications``, those whose name holds this.
    """
    for name in names:
        yield from SETS[name](data, only)


def _adapt(data: Path | None, only: str) -> Iterator[Decision]:
    halves = sorted({path.parent.parent.name for path in APPS.glob("*/*/app.py")} - {"natural"})
    for half in halves:
        for spec in specs(half):
            if only in spec.name:
                # Without data: the same cases on every machine.
                cases = list(generate(None, _SEED, half, app=spec.name))
                harmless = list(conforming(_SEED, half, app=spec.name))
                yield from _app(spec, [*cases, *harmless[::_HARMLESS_EVERY]])
    if data is not None:
        answers = list(natural_cases(data))
        for name, spec in sorted(SPECS.items()):
            if only in name:
                yield from _app(spec, [case for case in answers if case.app == name])


def _app(spec: AppSpec, cases: list[Case]) -> Iterator[Decision]:
    """One application at default settings; it runs bare only where the verdict depends on it."""
    seen: list[list[Observed]] = []

    def watched() -> Iterator[Case]:
        for case in cases:
            yield case
            # The runner asks for the next case when this one is done, and forgets the counts then.
            seen.append(observed())

    known = {(spec.half, spec.name): spec}
    treated = run(known, watched(), adapted(AdaptConfig(budget_ms=BUDGET_MS)).load)
    left = [
        index
        for index, (case, now) in enumerate(zip(cases, treated, strict=True))
        if UNCHANGED in (case.expected, *case.accepted)
        or not right(spec, case, now.result, now.result)
    ]
    chosen = [cases[index] for index in left]
    scored = score(known, chosen, run(known, chosen), [treated[index] for index in left])
    verdicts: dict[int, Verdict] = {
        index: "right" if one.right else "wrong" if one.changed else "missed"
        for index, one in zip(left, scored, strict=True)
    }
    group = f"adapt/{spec.half}"
    for index, (case, now) in enumerate(zip(cases, treated, strict=True)):
        yield from decisions(
            group,
            case.id.partition("/")[2],
            map(_text, case.outputs),
            seen[index],
            result=_text(msgspec.to_builtins(now.result)),
            verdict=verdicts.get(index, "right"),
            shown=group not in _NOT_SHOWN,
        )


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _values(_data: Path | None, only: str) -> Iterator[Decision]:
    with _modules() as folder:
        for trial in trials(folder, only):
            seen = observed()
            verdict = "right" if trial.verdict in ("plain", "kept", "read") else trial.verdict
            yield from decisions(
                "values",
                f"{trial.consumer.name} [{trial.family}] {digest(trial.answer)}",
                [trial.answer],
                seen,
                result=str(trial.adapted),
                verdict=cast("Verdict", verdict),
            )
            forget_counts()


def _accepted(_data: Path | None, only: str) -> Iterator[Decision]:
    """Answers that the plain code reads; a repair behind a handler is neither right nor wrong."""
    with _modules() as folder:
        for index, name in enumerate(GRAMMARS):
            path = f"knitbone_evals.adapt.accepted.{name}.consumers"
            chosen = _chosen(importlib.import_module(path).consumers, only)
            first = 100_000 * index
            for number, pair in enumerate(
                search(chosen, folder, rounds=1, answers=_ANSWERS, seed=_SEED, first=first)
            ):
                yield from decisions(
                    f"accepted/{name}",
                    f"{pair.consumer.name} {number:05}",
                    [pair.answer],
                    observed(),
                    result=str(pair.adapted),
                    verdict="" if pair.handled else "wrong" if pair.changed else "right",
                    shown=f"accepted/{name}" not in _NOT_SHOWN,
                )
                forget_counts()


def _chosen(grammar: Grammar, only: str) -> Grammar:
    return lambda random: (each for each in grammar(random) if only in each.name)


@contextmanager
def _modules() -> Iterator[Path]:
    """A folder for the programs that are written, on ``sys.path``; they are forgotten after it."""
    forget_counts()
    before = set(sys.modules)
    with tempfile.TemporaryDirectory() as name:
        sys.path.insert(0, name)
        try:
            yield Path(name)
        finally:
            sys.path.remove(name)
            for each in set(sys.modules) - before:
                if str(getattr(sys.modules[each], "__file__", "")).startswith(name):
                    del sys.modules[each]


def _harm(_data: Path | None, only: str) -> Iterator[Decision]:
    path = Path(__file__).parents[1] / "harm" / "cases.jsonl"
    for number, line in enumerate(lines_of(path)):
        case = json.loads(line)
        module_name, function_name = case["app"].split(":")
        if only not in case["app"]:
            continue
        module = importlib.import_module(f"knitbone_evals.adapt.harm.{module_name}")
        forget_counts()
        module.ANSWER[0] = case["answer"]
        outcome = outcome_of(getattr(module, function_name))
        made = outcome.raised.partition(":")[0] or outcome.value
        is_right = not outcome.raised and made in case["accept"]
        yield from decisions(
            "harm",
            f"{case['app']} {number:04}",
            [case["answer"]],
            observed(),
            result=made,
            verdict="right" if is_right else "missed" if made == case["plain"] else "wrong",
        )


def _applications(_data: Path | None, only: str) -> Iterator[Decision]:
    """The written cases of the half that may be looked at, in processes of their own, whose inner
    decisions are not seen: a decision is what became of the result."""
    for each in applications(halves=("first",)):
        source = (each.folder / "app.py").read_text(encoding="utf-8")
        if only in each.name and all(map(importlib.util.find_spec, _IMPORT.findall(source))):
            for row in played(each, written=True):
                if not row.answers:
                    raise RuntimeError(
                        f"{each.name} {row.case} asked its model nothing: its process ended early. "
                        "Run it with python -m knitbone_evals.adapt.applications --application "
                        f"{each.name} --verbose."
                    )
                yield from decisions(
                    "applications/first",
                    f"{each.name}/{row.case}",
                    map(_text, row.answers),
                    [Observed(disposition=row.verdict)],
                    result=_text(row.adapted),
                    verdict=_OF_APPLICATION[row.verdict],
                )


_OF_APPLICATION: dict[str, Verdict] = {
    "right": "right",
    "kept": "right",
    "left": "missed",
    "wrong": "wrong",
    "lost": "wrong",
}

SETS: dict[str, Callable[[Path | None, str], Iterator[Decision]]] = {
    "adapt": _adapt,
    "values": _values,
    "accepted": _accepted,
    "harm": _harm,
    "applications": _applications,
}
"""By name; each takes the folder of the public data and a part of the names that are wanted."""
