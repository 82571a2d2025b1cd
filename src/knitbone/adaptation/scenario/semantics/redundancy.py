"""The check of redundancy: loops, repeated sentences and items, the prompt said again.

Detect the atoms that say nothing new, remove them as slices, prove that all that they say is still
there. This goes on round by round until nothing changes, so that a delivered answer conforms.

Source: Comfrey §4.5.2.

The history of a session's answers is kept for each place (external redundancy). In a chat a
repeated answer is only reported: another answer's text is never delivered for it. For loops that
refine an answer see ``iterations.py``.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable
from itertools import combinations
from typing import NamedTuple

import msgspec

from knitbone._forks import new_lock
from knitbone.adaptation.repair.checks import (
    Check,
    Deadline,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
    unread,
)
from knitbone.adaptation.requirements import ScenarioRequirement
from knitbone.adaptation.scenario.facts import read_words
from knitbone.adaptation.scenario.paraphrase import rephrases
from knitbone.adaptation.scenario.semantics.atoms import AnswerAtoms, Repetition, read_answer
from knitbone.adaptation.scenario.semantics.degenerate_loops import Loop, find_loops, find_restart
from knitbone.adaptation.scenario.semantics.echo import (
    Echo,
    find_continuation,
    find_echo,
    wants_echo,
)
from knitbone.adaptation.scenario.semantics.guards import (
    asks_for_repetition,
    asks_for_verse,
    is_on_record,
    request_text,
)
from knitbone.adaptation.scenario.semantics.items import (
    find_repeated_items,
    find_reworded_items,
    may_come_again,
)
from knitbone.adaptation.scenario.semantics.removal import missing_content, remove
from knitbone.adaptation.scenario.semantics.sentences import (
    Pair,
    find_repeated_sentences,
    find_reworded_sentences,
    judge_pairs,
    says_all,
)
from knitbone.common.sentences import split_sentences

__all__ = ["HEURISTICS", "MAX_TEXT", "load", "prepare"]

_REMEMBERED = 10
"""Comfrey §4.5.1: outputs remembered for each place."""


# Repeated entries of question and answer: ``Q: ... A: ...`` that an earlier entry already has.
#
# An entry is a paragraph of lines that opens with a question's label. Speakers of a dialogue may
# say the same twice; nobody asks a list of questions the same one twice.
#
# Source: Comfrey §4.5.2 (internal redundancy).

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


MIN_WORDS_REPORTED = 20
"""Shorter answers (``yes``, a label, a refusal) are the right answer to many questions."""
_MAX_SITES = 256


class AnswerHistory:
    """The last answers of each place in one session, and the questions. Thread-safe, bounded."""

    def __init__(self) -> None:
        self._lock = new_lock()
        self._sites: dict[str, deque[tuple[str, int]]] = {}

    def note(self, site: str, query: str, text: str, *, keep: int) -> str:
        """Remember an answer; return the other question that got the same one before, or ``""``.

        An answer to the same question may be the same; without a question nothing is said.
        """
        words = read_words(text)
        key = hash(words)
        with self._lock:
            if site not in self._sites and len(self._sites) >= _MAX_SITES:
                self._sites.pop(next(iter(self._sites)))
            queue = self._sites.setdefault(site, deque())
            others = [asked for asked, said in queue if said == key and asked and asked != query]
            if (query, key) not in queue:
                queue.append((query, key))
            while len(queue) > keep:
                queue.popleft()
        long = len(words) >= MIN_WORDS_REPORTED
        return others[-1] if others and query and long else ""


HEURISTICS = (
    "semantics.loops",
    "semantics.sentences",
    "semantics.items",
    "semantics.reworded",
    "semantics.history",
    "semantics.echo",
    "semantics.continuation",
    "semantics.external",
)

MAX_TEXT = 131_072
"""Characters, some 32,000 tokens; taking apart the worst of them takes 0.2 s. A longer answer is
passed on."""
_MAX_ROUNDS = 8
"""A round a kind of repetition, and for those that a removal brings together."""
_SHORTEST = 24
"""Characters; nothing in a shorter answer is long enough to be redundant."""


def load(_: ScenarioRequirement) -> None:
    """Load, ahead of the first answer, what a check would load with it."""
    split_sentences("One sentence. Another one.")


def prepare(requirement: ScenarioRequirement) -> Check | None:
    """Compile the requirement into a check; ``None`` where it is another scenario's."""
    if requirement.name == "succinct_content":
        _load()
        return FunctionCheck(_check_succinct)
    if requirement.name == "no_contextual_redundancy":
        return FunctionCheck(_check_context)
    return None


def _load() -> None:
    """Load the splitter of sentences and the tables: the first answer has no time for it."""
    answer = read_answer("It is so. So it is.", Deadline(60))
    says_all(*(answer.claims[atom.text] for atom in answer.atoms))


def _check_succinct(text: str, invocation: Invocation) -> Verdict:
    """Remove repetitions inside an answer, round by round; report an answer that another question
    had."""
    if len(text) < _SHORTEST:
        return conforming(text)
    if len(text) > MAX_TEXT:
        return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
    step = _RoundResult(verdict=conforming(text), answer=read_answer(text, invocation.deadline))
    rules: list[str] = []
    edits = 0
    for _ in range(_MAX_ROUNDS):
        step = _round(step.answer, invocation)
        if step.verdict.disposition != "repaired":
            break
        edits += step.verdict.edits
        rules.extend(step.verdict.rules)
    else:
        return refused(text, "the repair does not come to rest")
    reported = _reason_from_history(step.answer.text, invocation)
    if rules:
        return repaired(step.answer.text, *rules, edits=edits, reason=step.verdict.reason)
    if step.verdict.disposition == "conforming" and reported:
        return refused(text, reported)
    return step.verdict


class _RoundResult(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict of one round, and the answer that the next one looks at."""

    verdict: Verdict
    answer: AnswerAtoms


def _round(answer: AnswerAtoms, invocation: Invocation) -> _RoundResult:
    """Remove one kind of repetition, or nothing. Loops come first: everything in one repeats
    everything."""
    query = invocation.query
    if invocation.uses("semantics.loops") and not asks_for_repetition(query):
        loops = find_loops(answer, invocation.deadline)
        if loops:
            return _remove_loops(answer, loops, invocation)
    if asks_for_verse(query):
        return _RoundResult(verdict=conforming(answer.text), answer=answer)
    if invocation.uses("semantics.loops"):
        restart = find_restart(answer)
        if restart is not None and not may_come_again(answer, restart.period, invocation):
            return _remove_loops(answer, [restart], invocation)
    return _remove_repetitions(answer, invocation)


def _remove_repetitions(answer: AnswerAtoms, invocation: Invocation) -> _RoundResult:
    """Remove the repetitions of the first finder whose removal is proven; else say what was
    kept."""
    refusal: Verdict | None = None
    kept: list[Repetition] = []
    # The same words before other words: they need no embedder.
    for heuristic, find in _FINDERS:
        found = find(answer, invocation) if invocation.uses(heuristic) else []
        found = [each for each in found if not is_on_record(answer, each.gone)]
        safe = [duplicate for duplicate in found if not duplicate.reason]
        kept += [duplicate for duplicate in found if duplicate.reason]
        if not safe:
            continue
        again = "repeat others" if len(safe) > 1 else "repeats another"
        rule = f"{_describe(safe)} removed that {again}"
        step = _remove_proven(answer, _removable_atoms(safe), rule, invocation)
        if step.verdict.disposition == "repaired":
            return step
        refusal = refusal or step.verdict
    reason = f"{_count(len(kept), 'repetition')} kept: {kept[0].reason}" if kept else ""
    silent = Verdict(disposition="conforming", text=answer.text, reason=reason)
    return _RoundResult(verdict=refusal or silent, answer=answer)


_FINDERS: tuple[tuple[str, Callable[[AnswerAtoms, Invocation], list[Repetition]]], ...] = (
    ("semantics.items", find_repeated_items),
    ("semantics.items", find_repeated_entries),
    ("semantics.sentences", find_repeated_sentences),
    ("semantics.reworded", find_reworded_items),
    ("semantics.reworded", find_reworded_entries),
    ("semantics.reworded", find_reworded_sentences),
)


def _removable_atoms(duplicates: Iterable[Repetition]) -> set[int]:
    """Return the atoms to remove, without any on which the removal of another one relies."""
    gone: set[int] = set()
    needed: set[int] = set()
    for duplicate in duplicates:
        size = len(duplicate.gone)
        kept = range(duplicate.kept, duplicate.kept + size)
        if gone.isdisjoint(kept) and needed.isdisjoint(duplicate.gone):
            gone.update(duplicate.gone)
            needed.update(kept)
    return gone


def _remove_loops(answer: AnswerAtoms, loops: list[Loop], invocation: Invocation) -> _RoundResult:
    gone = {index for loop in loops for index in loop.surplus}
    rounds = sum(loop.rounds for loop in loops)
    return _remove_proven(answer, gone, f"a loop of {rounds} rounds reduced to one", invocation)


def _remove_proven(
    answer: AnswerAtoms, gone: set[int], rule: str, invocation: Invocation
) -> _RoundResult:
    """Remove atoms, read the result anew, and make sure that nothing is lost."""
    removal = remove(answer, gone, asked=request_text(invocation))
    reason, shorter = removal.reason, answer
    if not reason:
        shorter = read_answer(removal.text, invocation.deadline, claims=answer.claims)
        reason = missing_content(answer, gone, shorter)
    if reason:
        left = f"{_count(len(gone), 'repetition')} left alone: {reason}"
        return _RoundResult(verdict=refused(answer.text, left), answer=answer)
    rules = [rule]
    if removal.renumbered:
        rules.append(f"{_count(removal.renumbered, 'list item')} renumbered")
    verdict = repaired(removal.text, *rules, edits=len(gone))
    return _RoundResult(verdict=verdict, answer=shorter)


def _describe(duplicates: list[Repetition]) -> str:
    if duplicates[0].kind == "entry":
        return "1 entry" if len(duplicates) == 1 else f"{len(duplicates)} entries"
    return _count(len(duplicates), duplicates[0].kind)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"


def _reason_from_history(text: str, invocation: Invocation) -> str:
    """Return the reason why an answer is to be reported: another question already had it.

    The earlier text is never delivered: the two are the same.
    """
    if not invocation.uses("semantics.history"):
        return ""
    if text.strip() in request_text(invocation):
        return ""  # a draft that was sent to be worked on, and needs no more work
    history = invocation.session.state(AnswerHistory)
    other = history.note(invocation.site, invocation.query, text, keep=_REMEMBERED)
    return f"the same answer was given to {other[:40]!r}" if other else ""


def _check_context(text: str, invocation: Invocation) -> Verdict:
    """Remove what an answer repeats of its prompt."""
    if len(text) > MAX_TEXT:
        return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
    if len(text) < _SHORTEST or not (invocation.messages or invocation.query):
        return conforming(text)
    current = text
    rules: list[str] = []
    for _ in range(_MAX_ROUNDS):
        echo = _find_context(current, invocation)
        if echo is None:
            break
        current = current[: echo.start] + current[echo.end :]
        rules.append(f"{echo.what} removed, which the prompt already says")
    else:
        return refused(text, "the prompt comes again and again")
    return repaired(current, *rules, edits=len(rules)) if rules else conforming(text)


def _find_context(text: str, invocation: Invocation) -> Echo | None:
    invocation.deadline.check()
    said, query = invocation.messages, invocation.query
    if invocation.uses("semantics.echo"):
        echo = find_echo(text, said, query)
        if echo is not None and not wants_echo(said, query):
            return echo
    if invocation.uses("semantics.continuation"):
        return find_continuation(text, said)
    return None
