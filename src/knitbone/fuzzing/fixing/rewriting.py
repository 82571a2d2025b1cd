"""Documentation written by a model, from an argument that it makes of failing calls.

ToolFuzz §5.3 and App. D: first the model claims what is wrong, then it writes the description anew,
in at most 100 words; of k candidates the one that validates best is taken, and what is reported of
it comes from calls that chose nothing. Candidates that a call of the tool contradicts, that repeat
the tool's output outside of quotation marks, or that are too long are dropped and counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from knitbone.common.printable import printable
from knitbone.errors import ModelAuthenticationError, ModelError
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.documentation.prompt_files import FIX_PROMPT_NAMES, PromptFiles
from knitbone.fuzzing.fixing.error_counts import keeps
from knitbone.fuzzing.fixing.observation import ObservedCall
from knitbone.fuzzing.fixing.sentence_constraints import read_constraints
from knitbone.fuzzing.fixing.statements import MOST_WORDS
from knitbone.fuzzing.generate.shapes import properties_of
from knitbone.fuzzing.model_questions import answer_schema, ask, shortened
from knitbone.fuzzing.records import Finding, ToolUnderTest
from knitbone.models.chat import ChatModel
from knitbone.record.events import Json

__all__ = ["CANDIDATES", "Candidate", "Rewriter", "Score", "choose", "separation"]

CANDIDATES = 10
"""ToolFuzz §5.3: fixes of which one is chosen."""
_SHOWN = 5
"""Failing calls, and calls that went well, that one question holds."""
_REPEATED = 6
"""Words in a row of the tool's output that a description may not repeat unquoted."""
_QUOTED = re.compile(r"\"[^\"]*\"|`[^`]*`|'[^']*'")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069]")
_TEXT: dict[str, Json] = {"type": "string"}
_Answer = TypeVar("_Answer")

Score = Callable[[str], float]
"""How good a description is, from 0 to 1; made by whoever has tasks, agents or calls to try."""


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """One description that a model wrote."""

    text: str
    claims: tuple[str, ...] = ()


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
    """The candidate that validates best."""

    candidate: Candidate
    validation: float
    test: float
    original: float
    """The test's score of the documentation as it was."""
    tried: int


class _Claims(msgspec.Struct, frozen=True):
    claims: list[str]


class _Description(msgspec.Struct, frozen=True):
    description: str


class Rewriter:
    """Writes descriptions of one tool.

    Args:
        calls: of a campaign; what they accepted, no description may rule out.
        findings: the failures that are shown, refusals included.
        prompts: what the model is told, of ``FIX_PROMPT_NAMES``; the packaged ones if not given.
    """

    def __init__(
        self,
        tool: ToolUnderTest,
        model: ChatModel,
        *,
        calls: Sequence[ObservedCall],
        findings: Sequence[Finding],
        budget: CampaignBudget,
        prompts: PromptFiles | None = None,
    ) -> None:
        self._prompts = prompts or PromptFiles(names=FIX_PROMPT_NAMES)
        self._tool, self._model, self._budget = tool, model, budget
        self._findings = findings
        self._accepted = [call.arguments for call in calls if call.accepted]
        self.dropped: Counter[str] = Counter()
        """Candidates that were not kept, by reason."""

    def candidates(self, *, count: int = CANDIDATES) -> list[Candidate]:
        """Up to ``count`` descriptions; a model that fails gives fewer, and ``dropped`` says so.

        Raises:
            BudgetUsedUp: a hard budget is used up.
        """
        found: dict[str, Candidate] = {}
        for number in range(count):
            try:
                made = self.candidate(number)
            except ModelAuthenticationError:
                raise
            except ModelError:
                self.dropped["the model gave no answer of the form"] += 1
                continue
            if (problem := self._problem(made.text)) is not None:
                self.dropped[problem] += 1
            else:
                found.setdefault(made.text, made)
        return list(found.values())

    def candidate(self, number: int) -> Candidate:
        """One description, in two steps; each begins with other calls, so that they differ.

        Raises:
            ModelError: the model fails, or gives no answer of the form.
            BudgetUsedUp: a hard budget is used up.
        """
        failed = _turned(
            [
                {"arguments": shortened(f.arguments), "tool_said": printable(f.says, limit=300)}
                for f in self._findings
            ],
            number,
        )
        material: dict[str, Json] = {"calls_that_failed": list(failed), **self._well(number)}
        said = self._ask(
            self._prompts.text("claims"),
            material,
            _Claims,
            "claims",
            {"type": "array", "items": _TEXT},
        )
        claims = tuple(printable(claim, limit=300) for claim in said.claims[:_SHOWN])
        text = self.described(
            self._prompts.text("rewrite"), {"claims": list(claims), **self._well(number)}
        )
        return Candidate(text=text, claims=claims)

    def described(self, prompt: str, material: dict[str, Json]) -> str:
        """The description that the model writes, on one line.

        Args:
            material: what it is shown beside the tool.
        """
        said = self._ask(prompt, material, _Description, "description", _TEXT)
        return " ".join(_CONTROL.sub(" ", said.description).split())

    def _well(self, number: int) -> dict[str, Json]:
        return {"calls_that_went_well": list(_turned(list(map(shortened, self._accepted)), number))}

    def _ask(
        self,
        prompt: str,
        material: dict[str, Json],
        answer: type[_Answer],
        field: str,
        schema: Json,
    ) -> _Answer:
        whole: dict[str, Json] = {
            "tool": self._tool.name[:200],
            "documentation": shortened(self._tool.documentation),
            "argument_schema": shortened(self._tool.schema),
            **material,
        }
        form = answer_schema(**{field: schema})
        return ask(self._model, prompt, whole, answer, form, budget=self._budget)

    def _problem(self, text: str) -> str | None:
        """Why a description cannot be used."""
        words = text.split()
        if not words:
            return "empty"
        if len(words) > MOST_WORDS:
            return f"longer than {MOST_WORDS} words"
        if self._shows_call(text) and not self._shows_call(self._tool.documentation):
            return "shows a whole call"
        said = " ".join(f.says for f in self._findings).casefold().split()
        bare = _QUOTED.sub(" ", text).casefold().split()
        if _in_common(bare, said) - _in_common(bare, self._tool.documentation.casefold().split()):
            return "repeats what the tool said"
        # The names of arguments alone: only the description is held against the calls.
        names: dict[str, Json] = {name: {} for name in properties_of(self._tool.schema)}
        schema: dict[str, Json] = {**self._tool.schema, "properties": names}
        bare_tool = msgspec.structs.replace(self._tool, documentation=text, schema=schema)
        stated = read_constraints(bare_tool)
        if not all(keeps(stated, arguments) for arguments in self._accepted):
            return "contradicted by a call that went well"
        return None

    def _shows_call(self, text: str) -> bool:
        """Whether it holds a call with its values, as JSON or as an expression: small models make
        it in place of their own (docs/how-to/fix.md)."""
        names = "|".join(map(re.escape, properties_of(self._tool.schema)))
        if not names:
            return False
        written = (
            rf"\{{\s*[\"'](?:{names})[\"']\s*:|\b{re.escape(self._tool.name)}\(\s*(?:{names})\s*="
        )
        return re.search(written, text) is not None


def _in_common(text: Sequence[str], other: Sequence[str]) -> set[tuple[str, ...]]:
    def rows(words: Sequence[str]) -> set[tuple[str, ...]]:
        return {tuple(words[n : n + _REPEATED]) for n in range(len(words) - _REPEATED + 1)}

    return rows(text) & rows(other)


def _turned(items: Sequence[Json], number: int) -> Sequence[Json]:
    """The first few of the items, beginning with another one each time."""
    if not items:
        return items
    start = number % len(items)
    return [*items[start:], *items[:start]][:_SHOWN]


def separation(tool: ToolUnderTest, calls: Sequence[ObservedCall]) -> Score:
    """A score without an agent: of the calls that a description lets through or rules out, the
    share that is right, the tool's acceptances and refusals weighing alike.

    Args:
        calls: that were not used to write the description.
    """
    taken = [call.arguments for call in calls if call.accepted]
    refused = [call.arguments for call in calls if call.accepted is False]

    def score(description: str) -> float:
        stated = read_constraints(msgspec.structs.replace(tool, documentation=description))
        parts = [
            sum(keeps(stated, given) == wanted for given in group) / len(group)
            for group, wanted in ((taken, True), (refused, False))
            if group
        ]
        return sum(parts) / len(parts) if parts else 0.0

    return score


def choose(
    candidates: Sequence[Candidate], *, original: str, validation: Score, test: Score
) -> Chosen | None:
    """The candidate that validates best, if it validates better than the documentation as it was;
    of equal ones the first.

    Args:
        validation: chooses; never sees what ``test`` is made of.
        test: what is reported.
    """
    if not candidates:
        return None
    scores = [validation(candidate.text) for candidate in candidates]
    best = max(range(len(candidates)), key=scores.__getitem__)
    if scores[best] <= validation(original):
        return None
    return Chosen(
        candidate=candidates[best],
        validation=scores[best],
        test=test(candidates[best].text),
        original=test(original),
        tried=len(candidates),
    )
