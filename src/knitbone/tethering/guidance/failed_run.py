"""A failed run as directives are made from it: what may be named, where it left the path."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from knitbone.record.events import Run
from knitbone.tethering.diagnosis.findings import RunFinding
from knitbone.tethering.diagnosis.records import Claim, Diagnosis
from knitbone.tethering.diagnosis.units import TransitionUnit, asked, system_texts
from knitbone.tethering.diagnosis.vocabulary import intent_of_tool, is_state_changing, words_of
from knitbone.tethering.guidance.disclosure import RunNames, leaves
from knitbone.tethering.guidance.hashing import value_hash
from knitbone.tethering.guidance.records import (
    ConstraintClass,
    Directive,
    DirectiveEvidence,
    ExpectedCall,
)
from knitbone.tethering.guidance.request import CallNeed, Request, need_of

__all__ = ["FailedRun", "expected", "quoted_words", "shown"]

_KINDS_OF_STEPS: Mapping[str, str] = {
    "compute": "code", "plan": "planning", "delegate": "delegation", "finish": "final",
    "read": "look-up", "write": "write", "communicate": "answering",
}  # fmt: skip
_SHOWN = 3
"""Names of arguments in one sentence (ours)."""
_LONGEST_ID = 160


class FailedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run and all that is known of it."""

    task: str
    """The task's key."""
    run: Run
    diagnosis: Diagnosis
    units: tuple[TransitionUnit, ...]
    by_step: dict[int, TransitionUnit]
    names: RunNames
    request: Request

    def unit(self, step: int) -> TransitionUnit | None:
        """The unit of a step."""
        return self.by_step.get(step)

    @property
    def reference(self) -> TransitionUnit | None:
        """The turning point, else the step that ranks first."""
        step = self.diagnosis.turning_point
        if step is None:
            step = next(iter(self.diagnosis.ranking), None)
        return None if step is None else self.unit(step)

    def worked(self, tool: str, after: int = -1) -> bool:
        """Whether a tool answered well in a unit behind an ordinal."""
        return any(
            call.tool == tool and call.result and not call.error
            for unit in self.units[after + 1 :]
            for call in unit.calls
        )

    def was_shown(self, unit: TransitionUnit, value: Any) -> bool:
        """Whether all of a value stands in what was said or returned before a unit, whatever the
        case and the white space."""
        before = [asked(self.run), *system_texts(self.run), unit.observation]
        for each in self.units[: unit.ordinal]:
            before += [each.observation, each.feedback]
        text = _loose(" ".join(before))
        return all(_stands_in(_loose(leaf), text) for leaf in leaves(value))

    def need(self, tool: str) -> CallNeed:
        """What the request says of a tool's calls."""
        return need_of(self.request, tool)

    def family(self, unit: TransitionUnit, tool: str | None) -> str:
        """The kind of action in words: those of the tool's name, where it may be told."""
        told = self.names.tool(tool)
        words = [word for word in words_of(told) if not word.isdigit()] if told else []
        kind = intent_of_tool(tool) if tool else unit.intent
        return " ".join(words) or _KINDS_OF_STEPS[kind]

    def step(self, unit: TransitionUnit, tool: str | None) -> str:
        """A step as a sentence names it: by its tool, else by the kind of action."""
        told = self.names.tool(tool)
        return f"`{told}`" if told else f"the {self.family(unit, tool)} step"

    def arguments(self, names: Sequence[str]) -> tuple[str, ...]:
        """Those of some names of arguments that may be told."""
        told = (self.names.argument(name) for name in dict.fromkeys(names))
        return tuple(name for name in told if name)

    def hashes(self, given: Mapping[str, Any], names: Sequence[str]) -> dict[str, str]:
        """The hashes of what these arguments of a call were given."""
        return {name: value_hash(self.task, given[name]) for name in names if name in given}

    def directive(
        self,
        unit: TransitionUnit,
        fact: RunFinding | Claim,
        constraint: ConstraintClass,
        *,
        tool: str | None = None,
        subject: str = "",
        about: Sequence[str] = (),
        expectation: ExpectedCall | None = None,
        **sentences: str,
    ) -> Directive:
        """Put a directive together.

        Args:
            tool: what it is about; ``None`` where that is no tool.
            subject: what it is about instead, so that it is one with no other.
            about: names that tell two directives of one constraint and tool apart.
            sentences: by their field: ``do``, ``do_not``, ``do_first``.
        """
        if tool and self.need(tool) == "not asked for" and constraint != "call not asked for":
            # How to make a call is no help where nobody asked for it.
            return self.directive(
                unit, fact, "call not asked for", tool=tool,
                do_not=f"Do not call {self.step(unit, tool)} of your own accord: the request names"
                " no such step.",
            )  # fmt: skip
        reference = self.reference
        told = self.names.tool(tool)
        subject = subject or ("code" if unit.intent == "compute" else "answer")
        if tool:
            # What a model made up is no name, and nothing to expect.
            subject = told or f"{self.family(unit, tool)} step"
            expectation = expectation if told else None
        subject = subject.replace(":", ".")
        return Directive(
            id=":".join([constraint.replace(" ", "-"), subject, *about])[:_LONGEST_ID],
            family=self.family(unit, tool),
            constraint=constraint,
            do=sentences.get("do", ""),
            do_not=sentences.get("do_not", ""),
            do_first=sentences.get("do_first", ""),
            expectation=expectation,
            evidence=(
                DirectiveEvidence(
                    run=self.run.id, step=unit.index, kind=fact.kind, text=fact.text
                ),
            ),
            distance=abs(unit.ordinal - reference.ordinal) if reference else 0,
        )  # fmt: skip


def _loose(text: str) -> str:
    return " ".join(text.casefold().split())


def _stands_in(value: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None


def shown(names: Sequence[str]) -> str:
    """Names of arguments as they stand behind a tool in a sentence."""
    return f" ({', '.join(f'`{name}`' for name in names[:_SHOWN])})" if names else ""


def quoted_words(said: str) -> str:
    """The plain words of an error as they stand behind a sentence's last word."""
    return f': "{said}"'


def expected(
    tool: str | None,
    *,
    arguments: Sequence[str] = (),
    changed: Mapping[str, str] | None = None,
    after: Sequence[str] = (),
) -> ExpectedCall | None:
    """What a run shows that follows a directive on a tool; ``None`` without a tool."""
    if not tool:
        return None
    return ExpectedCall(
        tool=tool,
        arguments=tuple(dict.fromkeys(name.partition(".")[0] for name in arguments)),
        changed=dict(changed or {}),
        after=tuple(after),
        changes_state=is_state_changing(intent_of_tool(tool)),
    )
