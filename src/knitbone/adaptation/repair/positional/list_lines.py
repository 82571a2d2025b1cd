r"""Lists with one record on each line, told by a number, bullet or word: ``re.findall(r"\d+\.
(.+)")``.

Find the records (``line_records.py``), write their heads as the template has them (``rewrite.py``),
prove it. Source: Comfrey §4.3.1 (positional templates).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import lru_cache

import msgspec

from knitbone.adaptation.consumers.readers import Record
from knitbone.adaptation.repair.checks import (
    Check,
    Deadline,
    Invocation,
    RepairRefusal,
    Verdict,
    conforming,
    refused,
    repaired,
    unmatched,
    unread,
)
from knitbone.adaptation.repair.positional.drift_signs import suspicious
from knitbone.adaptation.repair.positional.line_records import Line, find_records
from knitbone.adaptation.repair.positional.rewrite import rewrite, verify
from knitbone.adaptation.repair.positional.slot_lines import prepare_slot_lines
from knitbone.adaptation.repair.positional.template_completion import line_reader, with_prefix
from knitbone.adaptation.requirements import PositionalTemplate
from knitbone.adaptation.requirements.records import plain_elements
from knitbone.adaptation.requirements.regex_templates import BULLETS
from knitbone.config import AdaptConfig

__all__ = ["MAX_TEXT", "adapt_text", "prepare_list_lines", "reads_beyond_head"]

MAX_TEXT = 500_000
"""Characters; a longer answer is passed on with a record (ours)."""
MAX_TEXT_SPANNING = 65_536
"""The bound for expressions whose slots run over lines: they may take quadratic time (ours)."""

_MAX_ROUNDS = 4
"""Passes after which a repair that still changes is discarded (ours)."""

Monotonic = Callable[[], float]


def prepare_list_lines(template: PositionalTemplate) -> Check | None:
    """Build the check of a list; ``None`` for other templates, and where no reader can prove a
    repair."""
    if not _is_list(template):
        return None
    if template.reader is None:
        reader = line_reader(template)
        if reader is None:
            return None
        template = msgspec.structs.replace(template, reader=reader)
    return _ListLines(template)


@lru_cache(maxsize=64)
def reads_beyond_head(template: PositionalTemplate) -> bool:
    """Return whether more of a line is checked than its head."""
    return prepare_slot_lines(template, listed=_is_list(template)) is not None


def _is_list(template: PositionalTemplate) -> bool:
    """Return whether the records of a template are lines that are told by a number or a bullet."""
    marks = [e for e in plain_elements(template.head) if e.kind == "delimiter"]
    if sum(e.kind == "number" for e in plain_elements(template.head)) > 1:
        return False  # a time or date, which counts nothing
    if template.marker == "bullet":
        return bool(marks) and set("".join(marks[0].options)) <= set(BULLETS)
    return template.marker == "number" and (template.repeated or template.line_start)


class _ListLines:
    """The check of a list: the heads of its lines, then what stands behind them."""

    reads_whole = True
    """It goes the steps before the consumer itself: numbers count over all lines."""

    def __init__(self, template: PositionalTemplate) -> None:
        self._template = with_prefix(template)
        self._behind = prepare_slot_lines(template, listed=True)

    def __call__(self, text: str, invocation: Invocation, /) -> Verdict:
        if not invocation.uses("positional.lines"):
            return conforming(text)
        config, deadline = invocation.config, invocation.deadline
        heads = adapt_text(text, self._template, config, deadline=deadline)
        if self._behind is None:
            return heads
        behind = self._behind(heads.text, invocation)
        if behind.disposition == "conforming":
            return heads
        if heads.disposition != "repaired":
            return behind
        return repaired(
            behind.text,
            *heads.rules,
            *behind.rules,
            edits=heads.edits + behind.edits,
            reason=behind.reason or heads.reason,
        )


class _Detection(msgspec.Struct, frozen=True, kw_only=True):
    """The records of an answer, and what the consumer finds in it."""

    records: tuple[Line, ...]
    found: tuple[Record, ...]
    """The records that the consumer finds in the answer as it is."""
    reason: str = ""
    """Why nothing can be done, where that is so."""

    def drifted(self, tau: int) -> list[Line]:
        return [
            line for line in self.records if line.inline or (not line.conforms and line.edits < tau)
        ]


def adapt_text(
    text: str,
    template: PositionalTemplate,
    config: AdaptConfig,
    *,
    clock: Monotonic = time.perf_counter,
    deadline: Deadline | None = None,
) -> Verdict:
    """Bring one answer into the form that its consumer reads.

    Args:
        deadline: of the value that the answer belongs to; by default the budget counts from now.

    Returns:
        ``conforming`` or ``refused`` with ``text`` itself, or ``repaired`` with a new text in
        which every record is read by the consumer and every slot is byte-identical.

    Raises:
        ValueError: the template has no reader; nothing can be verified against it.
    """
    if template.reader is None:
        raise ValueError("A template without a reader cannot be replayed.")
    limit = MAX_TEXT_SPANNING if template.spans_lines else MAX_TEXT
    if len(text) > limit:
        return unread(text, f"the answer has {len(text)} characters; the bound is {limit}")
    time_left = deadline or Deadline(config.budget_ms / 1000, clock)
    current = conforming(text)
    rules: tuple[str, ...] = ()
    edits = 0
    try:
        # Until nothing changes any more: adapting the result again must give the result.
        for _ in range(_MAX_ROUNDS):
            following = _round(current.text, template, config, lambda: time_left.expired)
            if following.disposition != "repaired":
                break
            current, rules = following, rules + following.rules
            edits += following.edits
        else:
            raise RepairRefusal("the repair does not come to rest")
        if current.disposition == "conforming":
            return following
    except RepairRefusal as refusal:
        return refused(text, str(refusal))
    except TimeoutError as error:
        budget = f"it would take longer than the time budget of {config.budget_ms:g} ms"
        return unread(text, str(error) or budget)
    return msgspec.structs.replace(current, rules=rules, edits=edits)


def _round(
    text: str, template: PositionalTemplate, config: AdaptConfig, expired: Callable[[], bool]
) -> Verdict:
    """Run one pass: detect, rewrite, verify."""
    if not suspicious(text, template):
        return conforming(text)
    detection = _detect(text, template, expired)
    if not detection.records and not detection.found:
        return unmatched(text, "nothing in the answer identifies a record")
    too_far = [x for x in detection.records if not x.conforms and x.edits >= config.tau_element]
    if not detection.drifted(config.tau_element):
        if too_far:
            return unmatched(text, _reason_beyond(too_far, config))
        if template.reads_number and _begins_anew(detection.records):
            return refused(text, "the numbers begin anew: of two lists, the code reads one")
        return conforming(text)
    candidate = rewrite(text, detection.records, template, tau=config.tau_element)
    if expired():
        raise TimeoutError
    if candidate.text == text:
        return conforming(text)
    if reason := verify(detection.found, candidate, template):
        return refused(text, reason)
    return Verdict(
        disposition="repaired",
        text=candidate.text,
        rules=candidate.rules,
        edits=sum(max(1, line.edits) for line in detection.drifted(config.tau_element)),
        reason=_reason_beyond(too_far, config) if too_far else "",
    )


def _begins_anew(records: Sequence[Line]) -> bool:
    """Return whether the numbers of the outermost records count up from 1 twice."""
    outermost = min((line.indent for line in records), default=0)
    numbers = [line.number for line in records if line.indent == outermost]
    return numbers.count(1) > 1 and 2 in numbers


def _detect(text: str, template: PositionalTemplate, expired: Callable[[], bool]) -> _Detection:
    found = template.reader.read(text) if template.reader else []
    if found and not template.repeated:
        return _Detection(records=(), found=tuple(found))
    return _Detection(
        records=tuple(find_records(text, template, expired=expired)), found=tuple(found)
    )


def _reason_beyond(lines: list[Line], config: AdaptConfig) -> str:
    return (
        f"{len(lines)} record{'s' if len(lines) > 1 else ''} with {config.tau_element} or more "
        f"edits, not this template: {lines[0].text[:80]!r}"
    )
