"""The oracle: what is to be expected of the tool, and whether an answer fits it (ToolFuzz §4.2).

``Oracle`` is what the search needs; ``ModelOracle`` asks a model: each prompt is answered by the
model in the tool's place, the answers are merged into one expectation, and an answer is rated from
1 to 10 against it. Where both hold one number with a unit, code compares them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from knitbone.common.printable import printable
from knitbone.common.structured.units import same_unit
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.documentation.prompt_files import PromptFiles
from knitbone.fuzzing.documentation.records import Expectation, Rating
from knitbone.fuzzing.model_questions import answer_schema, ask, tool_material
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.models.chat import ChatModel
from knitbone.record.events import Json

__all__ = ["THRESHOLD", "ModelOracle", "Oracle", "Rated", "agree_within", "rate_answer"]


# Two answers that each hold one number with a unit: compared by code (ToolFuzz §4.2: 10 %).

MARGIN = 0.10
"""ToolFuzz, App. J.3: an answer within 10 % of the expectation is right."""
_NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?"
_QUANTITY = re.compile(
    rf"(?P<sign>[$€£])\s?(?P<first>{_NUMBER})|(?P<second>{_NUMBER})\s?(?P<unit>[^\W\d_]+|%|°\s?[CF]?|[$€£])"
)
_DIGITS = re.compile(r"\d")
_TIMES = frozenset({"hundred", "thousand", "million", "billion", "k", "m", "bn", "mio"})
"""What multiplies a number: it is read by a model."""
_NO_UNIT = frozenset(
    "a an and as at by for from in is of on or per than that the to with am pm st nd rd th".split()  # noqa: SIM905
)
_READ = 2_000


def one_quantity(text: str, *, known: str = "") -> tuple[float, str] | None:
    """The one number with a unit in a text; ``None`` where there is none, or more.

    Args:
        known: the question: what stands in it is not what was asked for.
    """
    asked = {_value(match) for match in _QUANTITY.finditer(known[:_READ])}
    found: list[tuple[float, str]] = []
    rest = text[:_READ]
    for match in _QUANTITY.finditer(text[:_READ]):
        rest = rest.replace(match[0], "", 1)
        quantity = _value(match)
        if quantity not in asked:
            found.append(quantity)
    if len(found) != 1 or _DIGITS.search(rest):
        return None
    unit = found[0][1]
    return None if not unit or unit in _TIMES or unit in _NO_UNIT else found[0]


def agree_within(expected: str, said: str, *, question: str = "") -> bool | None:
    """Whether two texts give the same quantity but for 10 %; ``None`` where it cannot be told by
    code: there is no such quantity, several, or the units differ."""
    first, second = one_quantity(expected, known=question), one_quantity(said, known=question)
    if first is None or second is None or not same_unit(first[1], second[1]):
        return None
    return abs(second[0] - first[0]) <= MARGIN * abs(first[0]) + 1e-9


def _value(match: re.Match[str]) -> tuple[float, str]:
    number = match["first"] or match["second"]
    unit = (match["sign"] or match["unit"]).replace(" ", "").casefold()
    return float(number.replace(",", "")), unit


THRESHOLD = 5
"""ToolFuzz §4.2: an answer that is rated so or lower does not fit."""

Rated = Literal["answer", "output"]
"""What is rated: the agent's answer (ToolFuzz §4.2), or the tool's output (its App. J.3 rates the
answer against both)."""

_BEST, _WORST = 10, 1
_WHAT: dict[Rated, str] = {
    "answer": "the answer of an assistant",
    "output": "the output of the tool itself",
}
_SAID = 500
_SHOWN = 4_000
"""Characters of an answer that the model is shown."""
_TEXT: dict[str, Json] = {"type": "string"}


class _EmulatedAnswer(msgspec.Struct, frozen=True):
    answer: str | int | float


class _MergedAnswer(msgspec.Struct, frozen=True):
    expectation: str | int | float


class _Score(msgspec.Struct, frozen=True):
    score: int | float
    """Finite: JSON has no other numbers, and msgspec refuses one beyond a float."""
    reason: str = ""


class Oracle(Protocol):
    """Says what is to be expected of a tool, and how well an answer fits."""

    @property
    def name(self) -> str:
        """As reports show it."""
        ...

    def expect(
        self, tool: ToolUnderTest, questions: Sequence[str], *, budget: CampaignBudget
    ) -> Expectation:
        """What synonymous questions have in common as an answer.

        Raises:
            BudgetUsedUp: a hard budget is used up.
            ModelError: a model could not be asked.
        """
        ...

    def rate(
        self,
        tool: ToolUnderTest,
        question: str,
        expectation: Expectation,
        answer: str,
        *,
        rated: Rated,
        budget: CampaignBudget,
    ) -> Rating:
        """How well an answer fits the expectation.

        Raises:
            BudgetUsedUp, ModelError: as ``expect``.
        """
        ...


class ModelOracle:
    """The oracle that is a model."""

    def __init__(self, model: ChatModel, prompts: PromptFiles | None = None) -> None:
        self._model = model
        self._prompts = prompts or PromptFiles()

    @property
    def name(self) -> str:
        return self._model.name

    def expect(
        self, tool: ToolUnderTest, questions: Sequence[str], *, budget: CampaignBudget
    ) -> Expectation:
        """Answer each question in the tool's place, and merge the answers.

        Raises:
            BudgetUsedUp, ModelError: as ``Oracle.expect``.
        """
        answers = [self._answer(tool, question, budget) for question in questions]
        distinct = list(dict.fromkeys(answers))
        if len(distinct) == 1:
            return Expectation(text=distinct[0], answers=tuple(answers))
        material: dict[str, Json] = {
            "task": "expectation",
            "questions": list(questions),
            "answers": list(answers),
        }
        merged = ask(
            self._model,
            self._prompts.text("expectation"),
            material,
            _MergedAnswer,
            answer_schema(expectation=_TEXT),
            budget=budget,
        )
        text = str(merged.expectation).strip() or answers[0]
        return Expectation(text=text[:_SHOWN], answers=tuple(answers))

    def _answer(self, tool: ToolUnderTest, question: str, budget: CampaignBudget) -> str:
        material: dict[str, Json] = {"task": "answer", **tool_material(tool), "question": question}
        said = ask(
            self._model,
            self._prompts.text("answer"),
            material,
            _EmulatedAnswer,
            answer_schema(answer=_TEXT),
            budget=budget,
        )
        return str(said.answer).strip()[:_SHOWN]

    def rate(
        self,
        tool: ToolUnderTest,
        question: str,
        expectation: Expectation,
        answer: str,
        *,
        rated: Rated,
        budget: CampaignBudget,
    ) -> Rating:
        """Have the model rate an answer; a score out of range is cut to it.

        Raises:
            BudgetUsedUp, ModelError: as ``Oracle.expect``.
        """
        material: dict[str, Json] = {
            "task": "rating",
            "tool": tool.name[:200],
            "question": question,
            "expectation": expectation.text,
            "answer": answer[:_SHOWN],
        }
        said = ask(
            self._model,
            self._prompts.text("rating", what=_WHAT[rated]),
            material,
            _Score,
            answer_schema(reason=_TEXT, score={"type": "integer"}),
            budget=budget,
        )
        score = round(min(max(said.score, _WORST), _BEST))
        reason = printable(said.reason, limit=_SAID)
        return Rating(score=score, reason=reason, judge=self.name)


def rate_answer(
    oracle: Oracle,
    tool: ToolUnderTest,
    question: str,
    expectation: Expectation,
    answer: str | None,
    *,
    rated: Rated = "answer",
    budget: CampaignBudget,
) -> Rating:
    """How well an answer fits: by code where that can be, else by the oracle.

    Raises:
        BudgetUsedUp, ModelError: as ``Oracle.rate``.
    """
    if answer is None or not answer.strip():
        return Rating(score=_WORST, reason=f"there is no {rated}", judge="no answer")
    agree = agree_within(expectation.text, answer, question=question)
    if agree is None:
        return oracle.rate(tool, question, expectation, answer, rated=rated, budget=budget)
    percent = f"{MARGIN:.0%}"
    return Rating(
        score=_BEST if agree else _WORST,
        reason=f"the numbers differ by {'at most' if agree else 'more than'} {percent}",
        judge=f"{MARGIN * 100:g} % margin",
    )
