"""Family of readers: cuts that the code makes only where the mark is there, so they demand nothing.

``if "Answer:" in text: text = text.split("Answer:")[1]``: with the mark and without it the same
code continues. What it reads then is read from the part as from the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from knitbone.adaptation.consumers.readers import Step
from knitbone.adaptation.reading.cut_records import MARK_TESTS, SEARCHES, mark_of
from knitbone.adaptation.reading.index_searches import search_places
from knitbone.adaptation.reading.prefixes import constant_marks
from knitbone.adaptation.reading.regex_matches import is_regex, pattern_of
from knitbone.adaptation.reading.regex_outlines import FENCE
from knitbone.adaptation.reading.split_accesses import parts_of
from knitbone.adaptation.reading.splits import splits_of
from knitbone.adaptation.reading.text_consumers import (
    Consumer,
    FamilyResult,
    ReadOn,
    are_near,
    consumers_of,
)
from knitbone.adaptation.requirements.records import Evidence, Requirement
from knitbone.adaptation.requirements.uses import Operation

__all__ = ["combine_steps", "read_optional_cuts"]


# Steps that an output takes on one path of the code and not on another.
#
# ``text = match[1] if match else text`` before a parser gives two sequences of steps to one parser.
# They are combined to the longer one, with a step of its own where the other path leaves something
# out: ``otherwise`` behind a match or a cut, ``perhaps`` before strips. The code that replays the
# steps (``adaptation.consumers``) continues with the text as it is where they cannot be taken.

_MATCHES = frozenset({"re.search", "re.match", "re.fullmatch"})
_GROUP_ACCESSES = frozenset({"group", "groups", "getitem"})
"""Accesses to the groups of a match."""
_STRIPS = frozenset({"strip", "lstrip", "rstrip"})
_TRIMS = _STRIPS | {"removeprefix", "removesuffix"}


def combine_steps(first: tuple[Step, ...], second: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the longer of two sequences of steps, marked where the other one differs."""
    if len(second) > len(first):
        longer, shorter = second, first
    else:
        longer, shorter = first, second
    return _with_perhaps(first, second) or _with_otherwise(longer, shorter)


def _with_otherwise(longer: tuple[Step, ...], shorter: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the longer of two sequences of steps, with the step ``otherwise`` where the shorter
    one leaves out a match, or a cut at a fence: ``match[1] if match else text``."""
    for start, step in enumerate(longer):
        if step.name not in _MATCHES and not _cuts_fence(step):
            continue
        end = start + 1
        while end < len(longer) and (
            longer[end].name in _GROUP_ACCESSES or _cuts_fence(longer[end])
        ):
            end += 1
        trimmed = end  # what stands inside a fence may be trimmed before both ways meet again
        while _cuts_fence(step) and trimmed < len(longer) and longer[trimmed].name in _TRIMS:
            trimmed += 1
        for behind in range(end, trimmed + 1):
            if (*longer[:start], *longer[behind:]) == shorter:
                return (*longer[:behind], Step("otherwise"), *longer[behind:])
    return longer


def _with_perhaps(first: tuple[Step, ...], second: tuple[Step, ...]) -> tuple[Step, ...] | None:
    """Return the longer of two sequences of steps, with the step ``perhaps`` before the strips that
    the shorter one leaves out: ``if text.startswith("`"): text = text.strip("`")``. ``None``
    where they differ otherwise."""
    plain = [_without_perhaps(way) for way in (first, second)]
    longer = max((way for way, _ in plain), key=len)
    shorter = min((less for _, less in plain), key=len)
    start = next((n for n, each in enumerate(shorter) if longer[n] != each), len(shorter))
    left_out = longer[start : start + len(longer) - len(shorter)]
    if longer[:start] + longer[start + len(left_out) :] != shorter:
        return None
    if not any(step.name in _STRIPS and step.arguments for step in left_out):
        return None
    if not all(step.name in _TRIMS for step in left_out):
        return None
    return (*longer[:start], Step("perhaps", (len(left_out),)), *longer[start:])


def _without_perhaps(steps: tuple[Step, ...]) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """Return the steps without the mark ``perhaps``, and those without what it says may be left
    out."""
    for index, step in enumerate(steps):
        if step.name == "perhaps" and isinstance(count := step.arguments[0], int):
            behind = steps[index + 1 :]
            return steps[:index] + behind, steps[:index] + behind[count:]
    return steps, steps


def _cuts_fence(step: Step) -> bool:
    """Return whether a step splits a text at a fence."""
    mark = step.arguments[0] if step.arguments else None
    return step.name == "split" and isinstance(mark, str) and FENCE in mark


_ASKED = frozenset({"truth", "is_none"})
"""Questions about a match that read nothing from it."""
_SUBSTITUTIONS = frozenset({"re.sub", "re.subn", "regex.sub"})
_GUARD = 5
"""Lines between a test and the cut that it guards (ours)."""


def read_optional_cuts(consumers: Sequence[Consumer], read_on: ReadOn) -> FamilyResult:
    """Return what is read from parts of a text whose readers read the whole text as well."""
    pieces = [*_split_contents(consumers), *_sliced_contents(consumers)]
    cutting = {index for used, _ in pieces for index in used}
    whole = {(c.use.evidence, c.use.operation) for i, c in enumerate(consumers) if i not in cutting}
    requirements: list[Requirement] = []
    claimed: set[int] = set()
    for used, contents in pieces:
        if any((c.use.evidence, c.use.operation) in whole for c in contents):
            requirements.extend(read_on(contents))
            claimed.update(used, _guards(used, consumers))
    for place in _tagged_heads(consumers):
        claimed.update(place, _guards(place, consumers, beside=True))
        requirements.extend(_behind(place, consumers, read_on, whole))
    claimed.update(_removed_prefixes(consumers))
    claimed.update(
        i for i, consumer in enumerate(consumers) if _guards_substitution(consumer, consumers)
    )
    return FamilyResult(tuple(requirements), frozenset(claimed))


def _tagged_heads(consumers: Sequence[Consumer]) -> Iterator[list[int]]:
    """Yield the searches for a closing tag, and the slices, by which the code only drops a part in
    tags before the answer, where there is one: ``if "</think>" in text: text =
    text[text.find("</think>") + 8 :]``. Of a text that went through it before no slice is known."""
    for index, consumer in enumerate(consumers):
        if consumer.name not in SEARCHES or not mark_of(consumer).startswith("</"):
            continue
        near = [
            i
            for i, other in enumerate(consumers)
            if other.name in ("slice", *SEARCHES)
            and other.text.steps == consumer.text.steps
            and are_near(consumer, other)
        ]
        cuts = [consumers[i].use.operation.arguments for i in near if consumers[i].name == "slice"]
        if (
            all(
                mark_of(consumers[i]).startswith("</") for i in near if consumers[i].name != "slice"
            )
            and all(len(cut) < 2 or cut[1] is None for cut in cuts)
            and _guards([index], consumers)
        ):
            yield near


def _behind(
    place: Sequence[int],
    consumers: Sequence[Consumer],
    read_on: ReadOn,
    whole: set[tuple[Evidence, Operation]],
) -> list[Requirement]:
    """Return what is read behind a cut, unless it is read from the whole text as well."""
    slices = [consumers[i] for i in place if consumers[i].name == "slice"]
    found = [b for c in slices for b in consumers_of(c.use, c.text.then("slice", exact=False))]
    known = whole | {(consumers[i].use.evidence, consumers[i].use.operation) for i in place}
    return read_on([c for c in found if (c.use.evidence, c.use.operation) not in known])


def _removed_prefixes(consumers: Sequence[Consumer]) -> Iterator[int]:
    """Find the tests for a prefix that the code takes off where it stands, and whose text is read
    by one consumer with it and without: ``if text.startswith("json"): text = text[4:]``."""
    for index, test in enumerate(consumers):
        marks = constant_marks(test) if test.name == ".startswith" else ()
        if not marks or test.text.lines or test.text.item:
            continue
        before = len(test.text.steps)
        readers: dict[tuple[Evidence, Operation], set[bool]] = {}
        for other in consumers:
            if other.text.steps[:before] != test.text.steps or other is test:
                continue
            removed = any(_removes(step, marks) for step in other.text.steps[before:])
            readers.setdefault((other.use.evidence, other.use.operation), set()).add(removed)
        if {True, False} in readers.values():
            yield index


def _removes(step: Step, marks: Sequence[str]) -> bool:
    """Return whether a step takes one of some marks off the beginning of a text."""
    first = step.arguments[0] if step.arguments else None
    if step.name == "slice":
        return first in {len(mark) for mark in marks}
    return step.name in ("removeprefix", "lstrip", "strip") and first in marks


def _guards_substitution(consumer: Consumer, consumers: Sequence[Consumer]) -> bool:
    """Return whether an expression only asks for what the code then substitutes: ``if re.match(p,
    text): text = re.sub(p, "", text)``."""
    if not is_regex(consumer) or any(u.operation.name not in _ASKED for u in consumer.use.uses):
        return False
    known = pattern_of(consumer.use)
    if isinstance(known, str):
        return False
    before = len(consumer.text.steps)
    return any(
        step.name in _SUBSTITUTIONS
        and step.arguments
        and _ungrouped(str(step.arguments[0])) == _ungrouped(known[0])
        for other in consumers
        for step in other.text.steps[before:]
    )


def _ungrouped(pattern: str) -> str:
    """Return a pattern without the brackets of its groups."""
    return re.sub(r"(\\.)|\((?:\?:)?|\)", lambda found: found[1] or "", pattern)


def _split_contents(consumers: Sequence[Consumer]) -> Iterator[tuple[list[int], list[Consumer]]]:
    """Yield the splits of a text at each mark, with the consumers of the parts."""
    for mark, indices in splits_of(consumers):
        splits = [consumers[i] for i in indices]
        text = splits[0].text.then(splits[0].name, mark, exact=False)
        parts = parts_of(splits)
        if not parts.listed:
            behind = [n for place, found in parts.nodes.items() if place for n in found]
            # What stands before the first mark is the whole text where there is none.
            nodes = behind or parts.nodes.get(0, [])
            yield indices, [c for node in nodes for c in consumers_of(node, text)]


def _sliced_contents(consumers: Sequence[Consumer]) -> Iterator[tuple[list[int], list[Consumer]]]:
    """Yield the searches for marks with the consumers of the slices between them."""
    for place in search_places(consumers):
        slices = [consumers[i] for i in place if consumers[i].name == "slice"]
        yield (
            place,
            [b for c in slices for b in consumers_of(c.use, c.text.then("slice", exact=False))],
        )


def _guards(
    used: Sequence[int], consumers: Sequence[Consumer], *, beside: bool = False
) -> set[int]:
    """Find the tests for the marks of a cut that stand right before it; with ``beside`` those of
    other marks on the same lines, too."""
    marks = {mark_of(consumers[i]).strip() for i in used}
    place = consumers[used[0]].use.evidence
    tests = {
        i
        for i, c in enumerate(consumers)
        if c.name in MARK_TESTS
        and c.use.evidence.file == place.file
        and abs(c.use.evidence.line - place.line) <= _GUARD
    }
    found = {i for i in tests if marks.intersection(map(str.strip, constant_marks(consumers[i])))}
    lines = {consumers[i].use.evidence.line for i in found} if beside else set[int]()
    return found | {i for i in tests if consumers[i].use.evidence.line in lines}
