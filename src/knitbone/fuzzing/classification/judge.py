"""Classification of findings: by rules for every campaign, by a model where one is configured."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from knitbone.common.printable import printable
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.classification.rules import classify_by_rules
from knitbone.fuzzing.generate.shapes import properties_of
from knitbone.fuzzing.model_questions import answer_schema, ask, call_material
from knitbone.fuzzing.reasons import spoken
from knitbone.fuzzing.records import Campaign, Classification, Finding, ToolUnderTest
from knitbone.fuzzing.sanity import is_cited
from knitbone.fuzzing.trials import Trials
from knitbone.models.chat import ChatModel
from knitbone.record.events import Json

__all__ = ["classify", "classify_with_model"]

_TASK = (
    "A call of a tool fails. Say what is wrong with the tool's documentation. "
    "'ill-specified': a sentence promises what the tool does not do; its example, a value it lists "
    "or a range it states fails. 'over-specified': it demands a narrower way of use than the tool "
    "needs, and the demanded one fails. 'under-specified': it leaves the failing case out; nothing "
    "written forbids the call. 'documented': it announces this failure for these arguments. In "
    "'sentence' copy, word for word, the sentence that is contradicted or that announces the "
    "failure; leave it empty for 'under-specified'. In 'lack' say in a few words what is not "
    "written, for 'under-specified' only. In 'reason' give one sentence. 'by_rules' is the "
    "verdict of a simple program: it may be wrong."
)
_VERDICTS: list[Json] = ["under-specified", "over-specified", "ill-specified", "documented"]
_TEXT: dict[str, Json] = {"type": "string"}
_SCHEMA = answer_schema(
    verdict={"type": "string", "enum": _VERDICTS},
    sentence=_TEXT,
    lack=_TEXT,
    reason=_TEXT,
)
_SAID = 300


class _JudgeAnswer(msgspec.Struct, frozen=True):
    verdict: Literal["under-specified", "over-specified", "ill-specified", "documented"]
    sentence: str = ""
    lack: str = ""
    reason: str = ""


def classify(
    campaign: Campaign,
    *,
    trials: Callable[[Finding], Trials] | None = None,
) -> Campaign:
    """The campaign with every finding classified by rules; needs no model.

    Args:
        trials: makes what calls the tool for one finding, to try what the documentation gives as
            examples, and what the hint supposes.
    """
    findings: list[Finding] = []
    calls = campaign.minimisation_calls
    for finding in campaign.findings:
        tried = None if trials is None else trials(finding)
        said = classify_by_rules(campaign.tool, finding, trials=tried)
        findings.append(msgspec.structs.replace(finding, classification=said))
        calls += 0 if tried is None else tried.calls
    return msgspec.structs.replace(campaign, findings=tuple(findings), minimisation_calls=calls)


def classify_with_model(
    tool: ToolUnderTest, finding: Finding, model: ChatModel, *, budget: CampaignBudget
) -> Finding:
    """The finding with the model's classification, whose ``judge`` is the model's name.

    A verdict that cites what is not in the documentation is not believed: the rules' own stays,
    and its reason says so.

    Raises:
        BudgetUsedUp: a hard budget is used up.
        ModelError: the model could not be asked, or gave no verdict.
    """
    by_rules = finding.classification or classify_by_rules(tool, finding)
    failure: dict[str, Json] = {
        "kind": finding.kind,
        "exception": finding.exception,
        "message": finding.message,
        "source_line": "" if finding.frame is None else finding.frame.source,
        "by_rules": by_rules.verdict,
    }
    material = {**call_material(tool, finding), **failure}
    said = ask(model, _TASK, material, _JudgeAnswer, _SCHEMA, budget=budget)
    needs_sentence = said.verdict != "under-specified"
    if needs_sentence and not is_cited(said.sentence, tool):
        cited = printable(said.sentence, limit=_SAID)
        doubt = f"{model.name} said {said.verdict} and cited {cited!r}, which is not written"
        kept = msgspec.structs.replace(by_rules, reason=f"{by_rules.reason}; {doubt}")
        return msgspec.structs.replace(finding, classification=kept)
    # A model's words are no supposition that calls tested: where they name other arguments than
    # the tested hint, or repeat what a tool wrapped its error into, the hint stays.
    own = not needs_sentence and not (by_rules.lack and _goes_beyond(said.lack, by_rules, tool))
    lack = said.lack if own else by_rules.lack
    return msgspec.structs.replace(
        finding,
        classification=Classification(
            verdict=said.verdict,
            sentence=printable(said.sentence, limit=_SAID) if needs_sentence else "",
            lack=printable(lack, limit=_SAID) if not needs_sentence else "",
            arguments=by_rules.arguments if not needs_sentence else (),
            tested=by_rules.tested and not needs_sentence and not own,
            judge=model.name,
            reason=printable(said.reason, limit=_SAID),
        ),
    )


def _goes_beyond(lack: str, hint: Classification, tool: ToolUnderTest) -> bool:
    """Whether a sentence names an argument that a tested hint does not, or is none."""
    names = set(properties_of(tool.schema)) - set(hint.arguments)
    named = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", lack) for name in names)
    return not spoken(lack) or (named and hint.tested)
