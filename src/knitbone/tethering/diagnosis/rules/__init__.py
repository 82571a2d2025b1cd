"""Step rules: what the application's own policy text and tool schemas demand of a step, mined
from the run itself, and the steps that break them. A third plane of evidence: direct, sparse, and
each record with the sentence or the schema it rests on."""

from knitbone.tethering.diagnosis.rules.engine import PLANE, RuleReport, score_run
from knitbone.tethering.diagnosis.rules.records import RuleKind, StepRule, Violation

__all__ = ["PLANE", "RuleKind", "RuleReport", "StepRule", "Violation", "score_run"]
