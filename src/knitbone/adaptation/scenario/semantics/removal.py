"""The removal of atoms from an answer: exact slices, spacing and numbering in order, or not at all.

``missing_content`` is the proof that an answer with less text says no less.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection

import msgspec

from knitbone.adaptation.scenario.blocks import Block
from knitbone.adaptation.scenario.facts import NUMBER_WORDS, fold_titles
from knitbone.adaptation.scenario.semantics.atoms import AnswerAtoms
from knitbone.adaptation.scenario.semantics.sentences import says_all

__all__ = ["missing_content", "remove"]

_REFERENCE = re.compile(
    r"\b(?:steps?|items?|points?|numbers?|options?|rules?|sections?|questions?|examples?|tasks?|"
    r"ideas?|tips?|reasons?|goals?|no\.|nos\.)"
    r" {1,3}\(?(\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten)\b"
    r"|#(\d{1,4})\b|\((?:see )?(\d{1,3})\)",
    re.IGNORECASE,
)
"""Somewhere a number of the list may be meant, if the list has it."""
_COUNT = re.compile(
    rf"(?<![\w.,$])(?<!up to )(?<!at most )(\d{{1,4}}|{'|'.join(NUMBER_WORDS)})(?![\w%]|[.,:/]\d)"
    r"(?: \w{1,20}){0,2} \w{2,20}s\b",
    re.IGNORECASE,
)
"""``5 tasks``, ``three good reasons``; no more than so many is another matter."""


class Removal(msgspec.Struct, frozen=True, kw_only=True):
    """An answer without some of its atoms; the same text and a reason where that is not safe."""

    text: str
    renumbered: int = 0
    """Items with a new number."""
    reason: str = ""


def remove(answer: AnswerAtoms, atoms: Collection[int], *, asked: str = "") -> Removal:
    """Remove atoms. A block that loses all goes with the blank line before it.

    Args:
        asked: what the user asked: how many items the list must have may stand there.
    """
    gone = frozenset(atoms)
    by_block: dict[int, list[int]] = defaultdict(list)
    for index, atom in enumerate(answer.atoms):
        by_block[atom.block].append(index)
    dropped = {block for block, indices in by_block.items() if gone.issuperset(indices)}
    if len(gone) == len(answer.atoms):
        return Removal(text=answer.text, reason="nothing would be left")
    for index in dropped:
        block = answer.blocks[index]
        if block.kind == "item" and not _nested_blocks(answer, index).issubset(dropped):
            return Removal(text=answer.text, reason="an item holds more than what repeats")
    edits, reason = _renumber(answer, dropped, asked)
    if reason:
        return Removal(text=answer.text, reason=reason)
    renumbered = len(edits)
    for block, indices in by_block.items():
        if block not in dropped:
            edits.extend((start, end, "") for start, end in _cuts_inside(answer, indices, gone))
    edits.extend((start, end, "") for start, end in _cuts_of_blocks(answer, dropped))
    return Removal(text=_apply(answer.text, edits), renumbered=renumbered)


def _cuts_inside(
    answer: AnswerAtoms, indices: Collection[int], gone: Collection[int]
) -> list[tuple[int, int]]:
    """Return the cuts in a block that stays: blanks before an atom go, blanks behind it stay."""
    cuts: list[tuple[int, int]] = []
    before: int | None = None
    pending: int | None = None
    for index in indices:
        atom = answer.atoms[index]
        if index not in gone:
            if pending is not None:  # the block starts with what goes
                cuts.append((pending, atom.start))
                pending = None
            before = atom.end
        elif before is None:
            pending = atom.start if pending is None else pending
        else:
            cuts.append((before, atom.end))
            before = atom.end
    return cuts


def _cuts_of_blocks(answer: AnswerAtoms, dropped: Collection[int]) -> list[tuple[int, int]]:
    cuts: list[tuple[int, int]] = []
    first_kept = min(index for index in range(len(answer.blocks)) if index not in dropped)
    for index in sorted(dropped):
        block = answer.blocks[index]
        if index > first_kept:
            cuts.append((answer.blocks[index - 1].end, block.end))
        else:
            cuts.append((block.start, answer.blocks[index + 1].start))
    return cuts


def _nested_blocks(answer: AnswerAtoms, index: int) -> set[int]:
    block = answer.blocks[index]
    inside: set[int] = set()
    for other in range(index + 1, len(answer.blocks)):
        if answer.blocks[other].start >= block.extent:
            break
        inside.add(other)
    return inside


def _renumber(
    answer: AnswerAtoms, dropped: Collection[int], asked: str
) -> tuple[list[tuple[int, int, str]], str]:
    """Return new numbers for the items that stay, or the reason why the list cannot be touched."""
    lists: dict[int, list[int]] = defaultdict(list)
    for index, block in enumerate(answer.blocks):
        if block.kind == "item":
            lists[block.series].append(index)
    edits: list[tuple[int, int, str]] = []
    for indices in lists.values():
        if not any(index in dropped for index in indices):
            continue
        numbered, reason = _renumber_list(answer, indices, dropped, asked)
        if reason:
            return [], reason
        edits.extend(numbered)
    return edits, ""


def _renumber_list(
    answer: AnswerAtoms, indices: list[int], dropped: Collection[int], asked: str
) -> tuple[list[tuple[int, int, str]], str]:
    """Return new numbers for one list, or the reason why it cannot be touched."""
    items = [answer.blocks[index] for index in indices]
    kept = [answer.blocks[index] for index in indices if index not in dropped]
    if _is_wanted_count(asked, len(items)) and not _is_wanted_count(asked, len(kept)):
        return [], f"{len(items)} items were asked for"
    if not any(map(str.isalnum, items[0].marker.strip("*()"))):
        return [], ""
    numbers = [block.number for block in items]
    first = numbers[0]
    if first is None:
        return [], "the items are lettered"
    if numbers != list(range(first, first + len(numbers))):
        in_order = [block.number for block in kept] == list(range(first, first + len(kept)))
        mixed = len(set(numbers)) > 1 and not in_order
        return [], "the items are not numbered in order" if mixed else ""
    if reason := _reference_to_number(answer, indices):
        return [], reason
    return _markers(answer.text, kept, first), ""


def _markers(text: str, kept: list[Block], number: int) -> list[tuple[int, int, str]]:
    edits: list[tuple[int, int, str]] = []
    for value, block in enumerate(kept, start=number):
        if block.number == value:
            continue
        digits = str(block.number)
        start = text.find(digits, block.start, block.body)
        if start >= 0:
            edits.append((start, start + len(digits), str(value)))
    return edits


def _reference_to_number(answer: AnswerAtoms, indices: list[int]) -> str:
    """Return the reference in the answer to a number of the list; empty where there is none."""
    parts = [answer.text[: answer.blocks[indices[0]].start]]
    for index, following in zip(indices, [*indices[1:], len(answer.blocks)], strict=True):
        stop = answer.blocks[following].start if following < len(answer.blocks) else None
        parts.append(answer.text[answer.blocks[index].body : stop])
    first, last = answer.blocks[indices[0]], answer.blocks[indices[-1]]
    for found in _REFERENCE.finditer("\n".join(parts)):
        said = next(filter(None, found.groups())).casefold()
        number = int(NUMBER_WORDS.get(said, said))
        if (first.number or 0) <= number <= (last.number or 0):
            return f"{found.group()[:40]!r} may refer to a number of the list"
    for block in answer.blocks:
        following = last.number is not None and block.number == last.number + 1
        if following and block.start > last.start and block.indent == last.indent:
            return "the numbering goes on behind the list"
    return ""


def _is_wanted_count(asked: str, count: int) -> bool:
    """Return whether so many items were asked for.

    What the answer itself says before its list (``Three reasons:``) does not count: with one of
    them twice it was wrong already.
    """
    for found in _COUNT.finditer(asked):
        word = found.group(1).casefold()
        if NUMBER_WORDS.get(word, word) == str(count):
            return True
    return False


def _apply(text: str, edits: list[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    position = 0
    for start, end, new in sorted(edits):
        if start < position:  # a new number inside a cut
            continue
        parts.extend((text[position:start], new))
        position = end
    parts.append(text[position:])
    return "".join(parts)


def missing_content(answer: AnswerAtoms, gone: Collection[int], result: AnswerAtoms) -> str:
    """Describe what ``result`` does not say any more; empty where all is there.

    Every atom that stays must come back in order and unchanged; every one that went must be said
    by one that stayed, or be the beginning of one (an answer that was cut off inside a loop).
    """
    stayed = [atom for index, atom in enumerate(answer.atoms) if index not in gone]
    if [atom.text for atom in stayed] != [atom.text for atom in result.atoms]:
        return "what stays would be read in another way"
    words = {fold_titles(atom.words) for atom in result.atoms}
    claims = None
    for index in sorted(gone):
        atom = answer.atoms[index]
        if fold_titles(atom.words) in words:
            continue
        if claims is None:
            claims = [answer.claims[other.text] for other in result.atoms]
        claim = answer.claims[atom.text]
        said = any(says_all(other, claim) for other in claims)
        last = index == len(answer.atoms) - 1
        if not said and not (last and any(x.text.startswith(atom.text) for x in result.atoms)):
            return f"{atom.text[:40]!r} would be lost"
    return ""
