"""The plane of the rules, top to bottom: run -> rules -> violations -> evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from knitbone.record.events import Run
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence, ranks
from knitbone.tethering.diagnosis.rules.breaches import MADE_UP, violations
from knitbone.tethering.diagnosis.rules.policy import mine_policy
from knitbone.tethering.diagnosis.rules.records import FORM, RuleKind, StepRule, Violation
from knitbone.tethering.diagnosis.rules.schemas import tool_schemas
from knitbone.tethering.diagnosis.shown import Shown
from knitbone.tethering.diagnosis.units import TransitionUnit, system_texts

__all__ = ["PLANE", "RuleReport", "score_run"]

PLANE = "rules"


class RuleReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the application demands, which steps do not meet it, and the plane that follows."""

    rules: tuple[StepRule, ...]
    violations: tuple[Violation, ...]
    evidence: tuple[PlaneEvidence, ...]
    """One record a unit, in order; ``score`` is ``1 - 0.5 ** kinds of broken rules``, 0 for none;
    demands on the form (``FORM``) stand in the signals only."""


def score_run(
    run: Run, units: Sequence[TransitionUnit], *, shown: Shown | None = None
) -> RuleReport:
    """The rules plane of one run.

    A rule is mined from what stands in this run and nowhere else: its system texts, and the tool
    definitions under ``gen_ai.tool.definitions``. No label, reward or other run is read.

    Args:
        shown: what the recording had shown up to each step, where ``run`` is a part of it.

    Raises:
        MissingExtraError: the run carries tool schemas, and jsonschema is not installed.
    """
    tools = tuple(dict.fromkeys(call.tool for unit in units for call in unit.calls))
    rules = (*mine_policy(system_texts(run), tools), MADE_UP) if tools else ()
    broken: tuple[Violation, ...] = ()
    if tools:
        broken = violations(run, units, rules, tool_schemas(run), shown or Shown(run))
    of: dict[int, list[RuleKind]] = defaultdict(list)
    for violation in broken:
        of[violation.ordinal].append(violation.rule.kind)
    scores = [1.0 - 0.5 ** len(set(of[unit.ordinal]) - FORM) for unit in units]
    evidence = tuple(
        PlaneEvidence(
            plane=PLANE, ordinal=ordinal, score=scores[ordinal], rank=rank,
            signals=tuple(dict.fromkeys(of[ordinal])),
        )
        for ordinal, rank in enumerate(ranks(scores))
    )  # fmt: skip
    return RuleReport(rules=rules, violations=broken, evidence=evidence)
