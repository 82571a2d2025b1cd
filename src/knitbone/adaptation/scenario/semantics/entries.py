"""Repeated entries of question and answer: ``Q: ... A: ...`` that an earlier entry already has.

An entry is a paragraph of lines that opens with a question's label. Speakers of a dialogue may say
the same twice; nobody asks a list of questions the same one twice.

Source: Comfrey §4.5.2 (internal redundancy).
"""

from __future__ import annotations

import re
from itertools import combinations
from typing import NamedTuple

from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.scenario.paraphrase import rephrases
from knitbone.adaptation.scenario.semantics.atoms import AnswerAtoms, Repetition
from knitbone.adaptation.scenario.semantics.sentences import Pair, judge_pairs, says_all

__all__ = ["find_repeated_entries", "find_reworded_entries"]

MAX_ENTRIES = 60
"""Entries that are compared in other words: all pairs of as many take 50 ms (ours)."""
_MIN_WORDS = 8
_QUESTION = re.compile(
    r"(?:[*_]{1,2})?(?:Q|Question)(?: ?\d{1,3})?(?:[*_]{1,2})?[:.]", re.IGNORECASE
)


class _Question(NamedTuple):
    """One entry: its atoms and their words."""

    atoms: tuple[int, ...]
    words: tuple[tuple[str, ...], ...]


def find_repeated_entries(answer: AnswerAtoms, _invocation: Invocation) -> list[Repetition]:
    """Find entries in the words of an earlier one."""
    earlier: dict[tuple[tuple[str, ...], ...], _Question] = {}
    found: list[Repetition] = []
    for entry in _entries(answer):
        origin = earlier.setdefault(entry.words, entry)
        if origin is not entry:
            found.append(Repetition(kept=origin.atoms[0], gone=entry.atoms, kind="entry"))
    return found


def find_reworded_entries(answer: AnswerAtoms, invocation: Invocation) -> list[Repetition]:
    """Find entries whose question and answer an earlier entry has in other words; its answer may
    say more."""
    entries = [entry for entry in _entries(answer) if len(entry.atoms) == 2]
    if not 1 < len(entries) <= MAX_ENTRIES:
        return []
    found: list[Repetition] = []
    for first, again in combinations(entries, 2):
        invocation.deadline.check()
        if first.words == again.words or not _same_entry(answer, first, again):
            continue
        pairs = [
            Pair(kept=one, gone=other, both=False)
            for one, other in zip(first.atoms, again.atoms, strict=True)
            if answer.atoms[one].words != answer.atoms[other].words
        ]
        judged = [alike for _, alike in judge_pairs(answer, pairs, invocation)]
        if len(judged) == len(pairs):
            reason = "" if all(judged) else "no embedder to compare the meaning"
            found.append(
                Repetition(kept=first.atoms[0], gone=again.atoms, kind="entry", reason=reason)
            )
    return found


def _same_entry(answer: AnswerAtoms, first: _Question, again: _Question) -> bool:
    question, said = (answer.claims[answer.atoms[index].text] for index in first.atoms)
    asked, told = (answer.claims[answer.atoms[index].text] for index in again.atoms)
    same = first.words[0] == again.words[0] or rephrases(question, asked)
    return same and says_all(said, told)


def _entries(answer: AnswerAtoms) -> list[_Question]:
    indices: dict[int, list[int]] = {}
    for index, atom in enumerate(answer.atoms):
        if answer.blocks[atom.block].kind == "dialogue":
            indices.setdefault(atom.block, []).append(index)
    found: list[_Question] = []
    for atoms in indices.values():
        words = tuple(answer.atoms[index].words for index in atoms)
        asks = _QUESTION.match(answer.atoms[atoms[0]].text)
        if len(atoms) > 1 and asks and sum(map(len, words)) >= _MIN_WORDS:
            found.append(_Question(tuple(atoms), words))
    return found
