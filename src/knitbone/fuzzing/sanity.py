"""The sanity check: do the failing arguments contradict the documentation (ToolFuzz §4.1)?

The paper has the agent's model call the tool with the arguments and takes its refusal as the
verdict. Here a model is asked for the verdict itself, and has to cite the words that the arguments
contradict: a model also declines for reasons of its own, which say nothing of the documentation.
A contradiction that cites nothing of the documentation is not believed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal, cast

import msgspec

from knitbone.common.printable import printable
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.model_questions import answer_schema, ask, call_material
from knitbone.fuzzing.records import Finding, SanityCheck, ToolUnderTest, json_text
from knitbone.models.chat import ChatModel

__all__ = ["check_sanity", "is_cited"]

_TASK = (
    "You review calls of tools. Decide whether the failing arguments keep to what the tool's "
    "documentation and argument schema say. Answer 'contradicts' only where words in them rule "
    "these arguments out: another type, value, format, range or purpose than is written there. "
    "Answer 'allowed' where nothing written rules them out, however odd they are; that the call "
    "fails proves nothing. In 'sentence' copy, word for word, what is contradicted; leave it "
    "empty for 'allowed'. In 'reason' give one sentence."
)
_SCHEMA = answer_schema(
    verdict={"type": "string", "enum": ["allowed", "contradicts"]},
    sentence={"type": "string"},
    reason={"type": "string"},
)
_SHORTEST = 3
"""Letters and digits that a citation needs at least."""
_SAID = 500
_PLAIN = re.compile(r"[\W_]+")


class _Verdict(msgspec.Struct, frozen=True):
    verdict: Literal["allowed", "contradicts"]
    sentence: str = ""
    reason: str = ""


def check_sanity(
    tool: ToolUnderTest, finding: Finding, model: ChatModel, *, budget: CampaignBudget
) -> SanityCheck:
    """Ask the checker about one finding's arguments.

    Raises:
        BudgetUsedUp: a hard budget is used up.
        ModelError: the model could not be asked, or gave no verdict.
    """
    said = ask(model, _TASK, call_material(tool, finding), _Verdict, _SCHEMA, budget=budget)
    cited = printable(said.sentence, limit=_SAID)
    reason = printable(said.reason, limit=_SAID)
    if said.verdict == "contradicts" and not is_cited(said.sentence, tool):
        return SanityCheck(
            refused=False,
            reason=f"not believed: {cited!r} is not in the documentation ({reason})",
            judge=model.name,
        )
    refused = said.verdict == "contradicts"
    return SanityCheck(
        refused=refused, sentence=cited if refused else "", reason=reason, judge=model.name
    )


def is_cited(sentence: str, tool: ToolUnderTest) -> bool:
    """Whether the words of ``sentence`` stand, in this order, in what is written of the tool;
    case, punctuation and line breaks do not matter."""
    words = _plain(sentence)
    if len(words.replace(" ", "")) < _SHORTEST:
        return False
    return any(f" {words} " in f" {_plain(text)} " for text in _written(tool))


def _written(tool: ToolUnderTest) -> Iterator[str]:
    yield tool.documentation
    yield tool.name
    queue: list[Any] = [tool.schema]
    while queue:
        item = queue.pop()
        if isinstance(item, dict):
            table = cast("dict[str, Any]", item)
            yield json_text(table)
            queue.extend(table.values())
        elif isinstance(item, list):
            queue.extend(cast("list[Any]", item))
        elif isinstance(item, str):
            yield item


def _plain(text: str) -> str:
    return _PLAIN.sub(" ", text.casefold()).strip()
