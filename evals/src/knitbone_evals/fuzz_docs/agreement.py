"""How far verdicts on tools agree: with their author's labels, and between two agents."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from knitbone.fuzzing.documentation.canonical import canonical_arguments
from knitbone.fuzzing.documentation.records import PromptRun
from knitbone_evals.fuzz_docs.__main__ import RULES, Searched, found
from knitbone_evals.fuzz_docs.set_labels import kappa

__all__ = ["agreement_between", "agreement_with_labels", "kappa_with_interval", "set_ends"]

_DRAWS = 5_000
"""Of the bootstrap: the ends of a 95 % interval then rest on 125 draws each."""

Pairs = Sequence[tuple[bool, bool]]


def kappa_with_interval(pairs: Pairs) -> list[float] | None:
    """Cohen's kappa with a 95 % percentile interval (bootstrap over the tools, seeded).

    ``None`` where chance alone explains all agreement; draws of which that is so are left out.
    """
    estimate = kappa(pairs)
    if estimate is None:
        return None
    chance = random.Random(0)
    drawn = (kappa(chance.choices(pairs, k=len(pairs))) for _ in range(_DRAWS))
    ordered = sorted(each for each in drawn if each is not None)
    low, high = (ordered[round(share * (len(ordered) - 1))] for share in (0.025, 0.975))
    return [round(each, 3) for each in (estimate, low, high)]


def agreement_with_labels(rows: Sequence[Searched]) -> dict[str, Any]:
    """By rule: the kappa of its verdicts on tools with their labels."""
    return {
        rule: kappa_with_interval([(found(r, rule), r.label.kind == "misleading") for r in rows])
        for rule in RULES
    }


def agreement_between(one: Sequence[Searched], other: Sequence[Searched]) -> dict[str, Any]:
    """How far two agents lead to the same verdicts on the same tools, and make the same calls."""
    by_name = {row.label.name: row for row in other}
    both = [(row, by_name[row.label.name]) for row in one]
    rules: dict[str, Any] = {}
    for rule in RULES:
        pairs = [(found(a, rule), found(b, rule)) for a, b in both]
        same = sum(first == second for first, second in pairs)
        rules[rule] = {"same": same, "of": len(pairs), "kappa": kappa_with_interval(pairs)}
    calls = [
        (_first_call(a, first), _first_call(b, second))
        for a, b in both
        for first, second in _same_prompts(a, b)
    ]
    alike = sum(first == second for first, second in calls)
    return {"rules": rules, "same first call": alike, "prompts": len(calls)}


def _same_prompts(one: Searched, other: Searched) -> list[tuple[PromptRun, PromptRun]]:
    """The runs of both agents on the prompts that both had: a search ends where a tool's time is
    up, or where a model gave no answer."""
    theirs = {run.query: run for each in other.campaign.sets for run in each.runs}
    mine = (run for each in one.campaign.sets for run in each.runs)
    return [(run, theirs[run.query]) for run in mine if run.query in theirs]


def _first_call(row: Searched, run: PromptRun) -> str:
    """The arguments of the first call that the tool got; empty where there is none."""
    for call in run.calls:
        return canonical_arguments(call.arguments, row.campaign.tool.schema)
    return ""


def set_ends(row: Searched) -> str:
    """How the cascade ended for a tool's sets, each with its number: the check that passed them, or
    ``unstable`` (the tool is), ``said`` (its documentation says what the agent disregarded) or
    ``faulty``."""
    ends: dict[str, int] = {}
    for result in row.campaign.sets:
        failing = (c for c in RULES["cascade"][0] if not (v := result.verdict(c)) or not v.failed)
        end = next(failing, "")
        if result.unstable and end != "input":
            end = "unstable"
        elif not end:
            end = "said" if result.documented else "faulty"
        ends[end] = ends.get(end, 0) + 1
    return ", ".join(f"{number} {end}" for end, number in sorted(ends.items()))
