"""The writer: template requests, synonymous infills, a person's words (ToolFuzz §4.2, App. J.2).

What does not pass the checks by code, or is no record of the form, is asked for again once, with
the reasons; what fails again is dropped and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from knitbone.common.printable import printable
from knitbone.errors import ModelError
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.documentation.prompt_files import PromptFiles
from knitbone.fuzzing.documentation.records import FilledPrompt, PromptSet, PromptTemplate
from knitbone.fuzzing.documentation.templates import (
    Refused,
    check_infills,
    is_degenerate,
    is_filled,
    plain,
    prompt_set,
    read_template,
    set_id,
)
from knitbone.fuzzing.model_questions import answer_schema, ask, tool_material
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.models.chat import ChatModel, Completion
from knitbone.record.events import Json

__all__ = ["PromptWriter", "WrittenSet", "WrittenTemplates"]

_AT_A_TIME = 5
"""Templates that one request asks for: more of them repeat each other."""
_CONTEXT = 8_000
"""Characters of the context that the writer is shown."""
_READ = 50
"""Entries of one list in an answer that are read."""
_TOLD = 10
"""Faults of the last answer that the writer is told."""
_SHOWN = 200
"""Characters of an answer that is no record by which the writer is told of it."""

_TEXT: dict[str, Json] = {"type": "string"}
_TEXTS: dict[str, Json] = {"type": "array", "items": _TEXT}


_TEMPLATES = answer_schema(templates=_TEXTS)
# The thing is asked for so that the model chooses it before it writes it in several ways; it is not
# read.
_INFILLS = answer_schema(
    infills={"type": "array", "items": answer_schema(mask=_TEXT, thing=_TEXT, ways=_TEXTS)}
)
_REQUESTS = answer_schema(requests=_TEXTS)


class _Templates(msgspec.Struct, frozen=True):
    templates: list[str]


class _Infill(msgspec.Struct, frozen=True):
    mask: str
    ways: list[str | int | float]
    """Models write amounts as numbers."""


class _Infills(msgspec.Struct, frozen=True):
    infills: list[_Infill]

    def by_mask(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for infill in self.infills[:_READ]:
            ways = found.setdefault(infill.mask.strip("[] "), [])
            ways.extend(str(way) for way in infill.ways[:_READ])
        return found


class _Requests(msgspec.Struct, frozen=True):
    requests: list[str]


class WrittenTemplates(msgspec.Struct, frozen=True, kw_only=True):
    """The templates of one tool."""

    templates: tuple[PromptTemplate, ...]
    dropped: dict[str, int]
    """What was wrong twice, by reason."""


class WrittenSet(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt set; ``None`` where the writer could make none of the template."""

    set: PromptSet | None = None
    dropped: dict[str, int]


class PromptWriter:
    """Writes prompt sets with a model.

    Args:
        context: what else the writer is to know of the tool, such as what its data hold.
    """

    def __init__(self, model: ChatModel, prompts: PromptFiles, *, context: str = "") -> None:
        self._model = model
        self._prompts = prompts
        self._context = context[:_CONTEXT]

    def templates(
        self, tool: ToolUnderTest, *, count: int, budget: CampaignBudget
    ) -> WrittenTemplates:
        """Up to ``count`` different templates, and not more than five.

        Raises:
            BudgetUsedUp: a hard budget is used up.
            ModelError: the model could not be asked, or gave no such record.
        """
        count = min(count, _AT_A_TIME)
        kept, refused = self._templates(tool, count, [], [], budget)
        if len(kept) >= count:
            return WrittenTemplates(templates=tuple(kept), dropped={})
        more, again = self._templates(tool, count - len(kept), kept, refused, budget)
        return WrittenTemplates(
            templates=tuple([*kept, *more][:count]),
            dropped=_counted(again, missing=bool(refused) and not again and not more),
        )

    def _templates(
        self,
        tool: ToolUnderTest,
        count: int,
        kept: Sequence[PromptTemplate],
        problems: Sequence[Refused],
        budget: CampaignBudget,
    ) -> tuple[list[PromptTemplate], list[Refused]]:
        used = [template.text for template in kept]
        try:
            answer = ask(
                self._model,
                self._prompts.text("templates", count=count),
                self._material(tool, "templates", {"used": used}, problems),
                _Templates,
                _TEMPLATES,
                budget=budget,
            )
        except ModelError as error:
            return [], [_unreadable(error, again=bool(problems))]
        good: list[PromptTemplate] = []
        bad: list[Refused] = []
        for text in answer.templates[: 4 * _AT_A_TIME]:
            read = read_template(text, used=[*used, *(each.text for each in good)])
            (good if isinstance(read, PromptTemplate) else bad).append(read)  # pyright: ignore[reportArgumentType]
        return good[:count], bad

    def fill(
        self,
        tool: ToolUnderTest,
        template: PromptTemplate,
        *,
        count: int,
        used: Mapping[str, Sequence[str]],
        budget: CampaignBudget,
    ) -> WrittenSet:
        """A set of up to ``count`` synonymous prompts of a template.

        Args:
            used: infills of earlier sets, by plain name of the mask: shown, and refused again.

        Raises:
            BudgetUsedUp, ModelError: as ``templates``.
        """
        infills, refused = self._infills(tool, template, count, used, (), budget)
        made = prompt_set(template, infills, count=count)
        if made is not None and len(made.prompts) == count:
            return WrittenSet(set=made, dropped={})
        more, again = self._infills(tool, template, count, used, refused, budget)
        # What was right the first time is another thing than what came the second time.
        second = prompt_set(template, more, count=count)
        best = max((made, second), key=lambda each: 0 if each is None else len(each.prompts))
        dropped = _counted(again if best is not made or best is None else refused)
        if best is None:
            dropped["a set without two prompts"] = 1
        return WrittenSet(set=best, dropped=dropped)

    def _infills(
        self,
        tool: ToolUnderTest,
        template: PromptTemplate,
        count: int,
        used: Mapping[str, Sequence[str]],
        problems: Sequence[Refused],
        budget: CampaignBudget,
    ) -> tuple[dict[str, tuple[str, ...]], list[Refused]]:
        shown = {mask: list(used.get(plain(mask), ())) for mask in template.masks}
        more: dict[str, Json] = {
            "request": template.text,
            "masks": list(template.masks),
            "used": {mask: values for mask, values in shown.items() if values},
        }
        try:
            answer = ask(
                self._model,
                self._prompts.text("infills", count=count),
                self._material(tool, "infills", more, problems),
                _Infills,
                _INFILLS,
                budget=budget,
            )
        except ModelError as error:
            return {}, [_unreadable(error, again=bool(problems))]
        return check_infills(template, answer.by_mask(), used=used)

    def humanise(
        self, tool: ToolUnderTest, written: PromptSet, *, budget: CampaignBudget
    ) -> WrittenSet:
        """The set in a person's words; a prompt that lost an infill on the way stays as it was.

        Raises:
            BudgetUsedUp, ModelError: as ``templates``.
        """
        more: dict[str, Json] = {
            "requests": [
                {"request": prompt.text, "values": list(prompt.infills.values())}
                for prompt in written.prompts
            ]
        }
        answer = ask(
            self._model,
            self._prompts.text("humanise", count=len(written.prompts)),
            self._material(tool, "humanise", more, ()),
            _Requests,
            _REQUESTS,
            budget=budget,
        )
        said = [*answer.requests, *("" for _ in written.prompts)]
        prompts: list[FilledPrompt] = []
        lost = 0
        for before, text in zip(written.prompts, said, strict=False):
            human = FilledPrompt(text=text.strip(), infills=before.infills, plain=before.text)
            fits = not is_degenerate(human.text) and is_filled(human)
            prompts.append(human if fits else before)
            lost += not fits
        if len({prompt.text for prompt in prompts}) < len(prompts):
            return WrittenSet(set=written, dropped={"a rewording that repeats another": 1})
        changed = PromptSet(
            id=set_id(written.template, [prompt.text for prompt in prompts]),
            template=written.template,
            prompts=tuple(prompts),
        )
        return WrittenSet(
            set=changed, dropped={"a rewording that lost an infill": lost} if lost else {}
        )

    def _material(
        self,
        tool: ToolUnderTest,
        task: str,
        more: Mapping[str, Json],
        problems: Sequence[Refused],
    ) -> dict[str, Json]:
        material: dict[str, Json] = {"task": task, **tool_material(tool)}
        if self._context:
            material["context"] = self._context
        material |= more
        if problems:
            material["problems"] = [f"{each.reason}: {each.text}" for each in problems[:_TOLD]]
        return material


def _unreadable(error: ModelError, *, again: bool) -> Refused:
    """What the writer is told of an answer that is no record.

    Raises:
        ModelError: there was no answer, or it was the second one.
    """
    if again or not isinstance(error.completion, Completion):
        raise error
    text = printable(error.completion.text[:_SHOWN])
    return Refused(reason="an answer that is no JSON of the form", text=text)


def _counted(refused: Sequence[Refused], *, missing: bool = False) -> dict[str, int]:
    counts = dict(Counter(each.reason for each in refused))
    return counts | ({"a template that did not come": 1} if missing else {})
