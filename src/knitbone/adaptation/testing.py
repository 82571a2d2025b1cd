"""For tests and evaluation: the one place from which they take what is inside of ``adaptation``.

No public API promise: what stands here changes with the modules behind it, without notice. It holds
no logic of its own, and no module of the product imports it. A test of one internal module may
import that module as well (``tests/test_architecture.py`` holds the rule).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, overload

from knitbone.adaptation.analysis import Analysis, Budget, analyse_files, analyse_module
from knitbone.adaptation.analysis.engine import uses_of
from knitbone.adaptation.consumers.readers import Reader, Step
from knitbone.adaptation.reading import ALL_SCENARIOS, read_uses
from knitbone.adaptation.repair.checks import (
    Check,
    Deadline,
    EntryCheck,
    EntryVerdict,
    FunctionCheck,
    Invocation,
    ListEntry,
    PromptMessage,
    Verdict,
    conforming,
    refused,
    repaired,
)
from knitbone.adaptation.repair.engine import adapt_value, judge
from knitbone.adaptation.repair.plan import (
    CheckPlan,
    Group,
    TextRequirement,
    TextRule,
    family_of,
)
from knitbone.adaptation.repair.scenarios import SCENARIOS, CheckFamily
from knitbone.adaptation.requirements.descriptions import describe
from knitbone.adaptation.requirements.findings import accept, review
from knitbone.adaptation.requirements.records import (
    ChunkSpec,
    Confidence,
    ContextRule,
    Element,
    Evidence,
    FencedTemplate,
    Field,
    ParserSyntax,
    PositionalTemplate,
    Requirement,
    ScenarioName,
    ScenarioRequirement,
    Shape,
    StructuredTemplate,
    Unknown,
)
from knitbone.adaptation.requirements.regex_templates import (
    UnreadablePattern,
    literal_elements,
    merge_elements,
    read_pattern,
)
from knitbone.adaptation.requirements.sites import Prompt, Site
from knitbone.adaptation.requirements.uses import Computed, Operation, Use
from knitbone.adaptation.runtime import delivery
from knitbone.adaptation.runtime.arguments import CallChecks
from knitbone.adaptation.runtime.instrument.delivery_calls import DELIVER
from knitbone.adaptation.runtime.instrument.plans import plan_of_unit
from knitbone.adaptation.runtime.instrument.program_report import (
    ProcessReport,
    ProgramReport,
    merge_reports,
    process_report,
)
from knitbone.adaptation.runtime.instrument.transform import compile_module, parse_module
from knitbone.adaptation.runtime.instrument.wraps import wraps_of
from knitbone.adaptation.runtime.messages import ToolOffer
from knitbone.adaptation.runtime.registry import (
    active_sites,
    forget_counts,
    number_site,
    process_counts,
)
from knitbone.adaptation.runtime.summary import SUMMARY, Observation, SiteCounts, Summary

__all__ = [
    "SUMMARY",
    "CallChecks",
    "Check",
    "CheckPlan",
    "ChunkSpec",
    "Computed",
    "Confidence",
    "ContextRule",
    "Deadline",
    "Element",
    "EntryVerdict",
    "Evidence",
    "FencedTemplate",
    "Field",
    "FunctionCheck",
    "Group",
    "Invocation",
    "ListEntry",
    "Observation",
    "Operation",
    "ParserSyntax",
    "PositionalTemplate",
    "ProcessReport",
    "ProgramReport",
    "Prompt",
    "PromptMessage",
    "Reader",
    "Requirement",
    "ScenarioName",
    "ScenarioRequirement",
    "Shape",
    "Site",
    "SiteCounts",
    "Step",
    "StructuredTemplate",
    "Summary",
    "TextRule",
    "ToolOffer",
    "Unknown",
    "UnreadablePattern",
    "Use",
    "Verdict",
    "accept",
    "active_sites",
    "adapt_value",
    "analyse_files",
    "analyse_text",
    "conforming",
    "describe",
    "forget_counts",
    "judge",
    "literal_elements",
    "merge_elements",
    "merge_reports",
    "number_site",
    "plan_of_unit",
    "prepare_check",
    "process_counts",
    "process_report",
    "read_pattern",
    "read_uses",
    "refused",
    "repaired",
    "review",
    "run_instrumented",
    "uses_of",
]

_LIST_FAMILIES: dict[type[Any], CheckFamily] = {
    ChunkSpec: SCENARIOS["intact_text"],
    ContextRule: SCENARIOS["relevant_content"],
}


@overload
def prepare_check(requirement: TextRequirement) -> Check | None: ...
@overload
def prepare_check(
    requirement: ChunkSpec | ContextRule, *, length: Callable[[str], int] | None = None
) -> EntryCheck | None: ...
def prepare_check(requirement: Requirement, **settings: object) -> Check | EntryCheck | None:
    """Compile a requirement into the function that looks at a text, or at the entries of a list.

    It does without what the plan of a site puts around it: the steps before the consumer, and the
    search within words.

    Args:
        length: the application's own function that measures a chunk.

    Returns:
        ``None`` where no check is made of it.

    Raises:
        MissingExtraError: a library is not installed.
    """
    family = _LIST_FAMILIES.get(type(requirement)) or family_of(requirement)
    return family.load().prepare(requirement, **settings) if family is not None else None


def analyse_text(
    source: str,
    path: Path = Path("app.py"),
    *,
    scenario: frozenset[ScenarioName] = ALL_SCENARIOS,
    budget: Budget | None = None,
) -> Analysis:
    """Analyse the source text of a program, with what it imports from beside its path.

    Raises:
        OverBudget: it is not done within the budget.
    """
    return analyse_module(path, source, scenario=scenario, budget=budget)


def run_instrumented(
    source: str, path: Path, sites: Iterable[Site], namespace: dict[str, Any]
) -> None:
    """Run a module in a namespace, with the expressions of its sites put into calls.

    Raises:
        InstrumentationError: it does not parse.
    """
    namespace[DELIVER] = delivery
    tree = parse_module(source, str(path))
    exec(compile_module(tree, str(path), wraps_of(sites, str(path))), namespace)  # noqa: S102 - the caller's own code
