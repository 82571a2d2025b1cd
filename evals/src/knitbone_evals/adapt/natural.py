"""Natural answers of a small model, each through an application that a user of its format writes.

The answers are public data, read from ``--data``; the labels are ours, by hand
(``labels/natural.jsonl``): does the answer conform for the application as it is, and if not, does
the right result follow from the answer alone. Each application's ``oracle.py`` has
``passes(result, answer)``, whether the result serves the consumer: nothing lost, nothing twice,
nothing mixed up; and ``slots(result)``, the texts that must occur in the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from knitbone_evals.adapt.cases import UNCHANGED, AppSpec, Case, Domain

__all__ = ["SPECS", "Label", "natural_cases", "read_answers", "read_labels"]

LABELS = Path(__file__).parent / "labels" / "natural.jsonl"

_APPS: dict[str, tuple[str, str, Domain]] = {
    "csv": ("price_list", "shop", "context QA"),
    "json_flat": ("read_order", "message", "conversation"),
    "json_nested": ("plan", "goal", "task management"),
    "labels": ("classify", "review", "context QA"),
    "markdown": ("card", "topic", "context QA"),
    "numbered_list": ("plan", "goal", "task management"),
    "python_fence": ("write", "description", "program synthesis"),
    "react": ("next_step", "question", "conversation"),
    "sql": ("ask", "question", "program synthesis"),
    "task_prefix": ("plan", "goal", "task management"),
    "xml": ("judge", "question", "context QA"),
}
"""Function, its argument, domain."""

SPECS = {
    name: AppSpec(name=name, half="natural", domain=domain, function=function)
    for name, (function, _, domain) in _APPS.items()
}


class Label(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person's judgement of one answer."""

    line: int
    """Of the data's file, from 0."""
    conforms: bool
    """The application's own result is right as it is."""
    repairable: bool = False
    """The right result follows from the answer alone."""
    results: list[Any] = []
    """Right results where repairable; the first is the one to expect."""
    debatable: bool = False
    """Another person could judge otherwise; ``reason`` says how."""
    reason: str = ""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the data."""

    format: str
    instruction: str
    topic: str
    temperature: float
    seed: int
    cut_off: bool
    output: str


def read_answers(data: Path) -> list[Answer]:
    """The answers, in the file's order; ``data`` is the folder of all public sets."""
    lines = (data / "natural_outputs" / "answers.jsonl").read_bytes().splitlines()
    return [msgspec.json.decode(line, type=Answer) for line in lines]


def read_labels() -> dict[int, Label]:
    """The labels by line."""
    found = [msgspec.json.decode(line, type=Label) for line in LABELS.read_bytes().splitlines()]
    return {label.line: label for label in found}


def natural_cases(data: Path) -> Iterator[Case]:
    """A case for each answer. What the answer does not tell is expected unchanged; the kind of
    defect of a natural answer is not labelled: it says ``natural``."""
    labels = read_labels()
    for line, answer in enumerate(read_answers(data)):
        label = labels.get(line)
        failing = label is not None and not label.conforms
        repairable = label is not None and label.repairable
        spec = SPECS[answer.format]
        yield Case(
            id=f"natural/{answer.format}/{line:03d}",
            app=answer.format,
            half="natural",
            domain=spec.domain,
            defects=("natural",) if failing else (),
            source="natural",
            inputs={_APPS[answer.format][1]: answer.topic},
            outputs=(answer.output,),
            expected=label.results[0] if label and repairable else UNCHANGED,
            accepted=tuple(label.results[1:]) if label else (),
            repairable=repairable,
            note="" if label is None else label.reason,
        )
