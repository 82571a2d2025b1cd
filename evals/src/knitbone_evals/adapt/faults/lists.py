"""Drifted templates: numbered lists, lines with a prefix, ReAct steps."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from knitbone_evals.adapt.faults.base import CONTENT, WRAPPER, Fault, on_text

__all__ = ["NUMBERED", "REACT", "TASKS"]

_ITEM = re.compile(r"^(\d+)\. ", re.MULTILINE)
_TASK = re.compile(r"^Task (\d+)\. ", re.MULTILINE)
_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")  # noqa: RUF001 - meant


def _every(pattern: re.Pattern[str], form: str) -> Callable[[str, random.Random], str | None]:
    """Every marker written in another way; ``{0}`` is its number."""

    def change(text: str, _rng: random.Random) -> str | None:
        return pattern.sub(lambda match: form.format(match.group(1)), text)

    return change


def _one(pattern: re.Pattern[str], *forms: str) -> Callable[[str, random.Random], str | None]:
    """One marker out of several written in another way."""

    def change(text: str, rng: random.Random) -> str | None:
        found = list(pattern.finditer(text))
        if len(found) < 2:
            return None
        match = rng.choice(found)
        marker = rng.choice(forms).format(match.group(1))
        return text[: match.start()] + marker + text[match.end() :]

    return change


def _one_line(text: str, _rng: random.Random) -> str | None:
    if re.search(r"\d+\. .*\d\. ", text):
        return None
    return text.replace("\n", " ")


def _full_width(text: str, _rng: random.Random) -> str | None:
    return _ITEM.sub(lambda match: match.group(1).translate(_FULL_WIDTH) + ". ", text)


def _indented(text: str, _rng: random.Random) -> str | None:
    return re.sub(r"^", "   ", text, flags=re.MULTILINE)


NUMBERED: tuple[Fault, ...] = (
    on_text("number then parenthesis", "template", _every(_ITEM, "{0}) ")),
    on_text("number then colon", "template", _every(_ITEM, "{0}: ")),
    on_text("number then dash", "template", _every(_ITEM, "{0} - ")),
    on_text("bold number", "template", _every(_ITEM, "**{0}.** ")),
    on_text("number in parentheses", "template", _every(_ITEM, "({0}) ")),
    on_text("bullets for numbers", "template", _every(_ITEM, "- ")),
    on_text("full-width number", "template", _full_width),
    on_text(
        "one marker drifts",
        "template",
        _one(_ITEM, "{0}) ", "{0}: ", "{0}.", "**{0}.** "),
        layer=CONTENT,
    ),
    on_text("one number missing", "template", _one(_ITEM, ""), layer=CONTENT),
    on_text("list on one line", "template", _one_line),
    on_text("list indented", "template", _indented, layer=WRAPPER),
)

TASKS: tuple[Fault, ...] = (
    on_text("task then colon", "template", _every(_TASK, "Task {0}: ")),
    on_text("task then dash", "template", _every(_TASK, "Task {0} - ")),
    on_text("task then parenthesis", "template", _every(_TASK, "Task {0}) ")),
    on_text("bold task", "template", _every(_TASK, "**Task {0}.** ")),
    on_text("task as heading", "template", _every(_TASK, "### Task {0}. ")),
    on_text("task in small letters", "template", _every(_TASK, "task {0}. ")),
    on_text(
        "task misspelt",
        "template",
        _one(_TASK, "Taks {0}. ", "Tsk {0}. ", "Tast {0}. "),
        layer=CONTENT,
    ),
    on_text("task without its word", "template", _every(_TASK, "{0}. ")),
    on_text("task with a hash", "template", _every(_TASK, "Task #{0}. ")),
    on_text(
        "one task drifts",
        "template",
        _one(_TASK, "Task {0}: ", "Task {0}, ", "TASK {0}. "),
        layer=CONTENT,
    ),
    on_text("tasks as bullets", "template", _every(_TASK, "- Task {0}. "), layer=WRAPPER),
)

_STEP = re.compile(r"^Thought: (.+)\nAction: (\w+)\nAction Input: (.+)$", re.MULTILINE)


def _step(form: str) -> Callable[[str, random.Random], str | None]:
    """The step written in another way: ``{0}`` thought, ``{1}`` action, ``{2}`` input."""

    def change(text: str, _rng: random.Random) -> str | None:
        if _STEP.search(text) is None:
            return None
        return _STEP.sub(lambda match: form.format(*match.groups()), text)

    return change


REACT: tuple[Fault, ...] = (
    on_text(
        "step order swapped", "template", _step("Thought: {0}\nAction Input: {2}\nAction: {1}")
    ),
    on_text(
        "step in small letters", "template", _step("thought: {0}\naction: {1}\naction input: {2}")
    ),
    on_text(
        "step in bold",
        "template",
        _step("**Thought:** {0}\n**Action:** {1}\n**Action Input:** {2}"),
    ),
    on_text("step misspelt", "template", _step("Thought: {0}\nActon: {1}\nAction Input: {2}")),
    on_text(
        "step input without space", "template", _step("Thought: {0}\nAction: {1}\nActionInput: {2}")
    ),
    on_text(
        "step with dashes", "template", _step("Thought - {0}\nAction - {1}\nAction Input - {2}")
    ),
    on_text("step on one line", "template", _step("Thought: {0} Action: {1} Action Input: {2}")),
    on_text(
        "step with blank lines",
        "template",
        _step("Thought: {0}\n\nAction: {1}\n\nAction Input: {2}"),
    ),
    on_text("step without input", "template", _step("Thought: {0}\nAction: {1}"), determined=False),
    on_text(
        "step with a second input",
        "template",
        _step("Thought: {0}\nAction: {1} or stock\nAction Input: {2} and others"),
        determined=False,
    ),
)
