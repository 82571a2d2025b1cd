"""Classification of findings: by rules for every campaign, by a model where one is configured."""

from __future__ import annotations

from typing import Literal

import msgspec

from knitbone.common.printable import printable
from knitbone.fuzzing.asking import ask, call_material
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.classification.case import Probe
from knitbone.fuzzing.classification.rules import classify_by_rules
from knitbone.fuzzing.records import Campaign, Classification, Finding, ToolUnderTest
from knitbone.fuzzing.sanity import is_cited
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
_VERDICTS = ["under-specified", "over-specified", "ill-specified", "documented"]
_TEXT: dict[str, Json] = {"type": "string"}
_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": _VERDICTS},
        "sentence": _TEXT,
        "lack": _TEXT,
        "reason": _TEXT,
    },
    "required": ["verdict", "sentence", "lack", "reason"],
    "additionalProperties": False,
}
_SAID = 300


class _JudgeAnswer(msgspec.Struct, frozen=True):
    verdict: Literal["under-specified", "over-specified", "ill-specified", "documented"]
    sentence: str = ""
    lack: str = ""
    reason: str = ""


def classify(campaign: Campaign, *, probe: Probe | None = None) -> Campaign:
    """The campaign with every finding classified by rules; needs no model.

    Args:
        probe: calls the tool, to try what the documentation gives as examples.
    """
    return msgspec.structs.replace(
        campaign,
        findings=tuple(
            msgspec.structs.replace(
                finding, classification=classify_by_rules(campaign.tool, finding, probe=probe)
            )
            for finding in campaign.findings
        ),
    )


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
    return msgspec.structs.replace(
        finding,
        classification=Classification(
            verdict=said.verdict,
            sentence=printable(said.sentence, limit=_SAID) if needs_sentence else "",
            lack=printable(said.lack, limit=_SAID) if not needs_sentence else "",
            judge=model.name,
            reason=printable(said.reason, limit=_SAID),
        ),
    )
