"""Say it once: loops, repeated sentences and items, the prompt said again.

Detect the atoms that say nothing new, take them out as slices, prove that all that they say is
still there. Round by round until nothing changes: what a check delivers it finds conforming.

Source: Comfrey §4.5.2.
"""

from __future__ import annotations

from collections.abc import Iterable

from knitbone.adaptation.checks import Check, Invocation, Verdict, conforming, refused, repaired
from knitbone.adaptation.defects.semantics.atoms import Answer, read_answer
from knitbone.adaptation.defects.semantics.duplicates import (
    Duplicate,
    find_repeated_items,
    find_repeated_sentences,
)
from knitbone.adaptation.defects.semantics.echo import (
    Echo,
    find_continuation,
    find_echo,
    wants_echo,
)
from knitbone.adaptation.defects.semantics.guards import (
    asks_for_repetition,
    asks_for_verse,
)
from knitbone.adaptation.defects.semantics.history import AnswerHistory
from knitbone.adaptation.defects.semantics.loops import Loop, find_loops
from knitbone.adaptation.defects.semantics.remove import Removal, remove
from knitbone.adaptation.defects.semantics.reworded import find_reworded
from knitbone.adaptation.defects.semantics.verify import lost
from knitbone.adaptation.requirements import ScenarioRequirement

__all__ = ["HEURISTICS", "MAX_TEXT", "prepare"]

HEURISTICS = (
    "semantics.loops",
    "semantics.sentences",
    "semantics.items",
    "semantics.reworded",
    "semantics.history",
    "semantics.echo",
    "semantics.continuation",
)

MAX_TEXT = 262_144
"""Characters: what a model writes in 64,000 tokens. A longer answer is passed on."""
_MAX_ROUNDS = 4
_SHORTEST = 24
"""Characters; nothing in a shorter answer is long enough to be redundant."""


def prepare(requirement: ScenarioRequirement) -> Check | None:
    """The requirement as a check; ``None`` where it is another scenario's."""
    if requirement.name == "succinct_content":
        return _check_succinct
    if requirement.name == "no_contextual_redundancy":
        return _check_context
    return None


def _check_succinct(text: str, invocation: Invocation) -> Verdict:
    if len(text) < _SHORTEST:
        return conforming(text)
    if len(text) > MAX_TEXT:
        return refused(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
    current = text
    rules: list[str] = []
    edits = 0
    for _ in range(_MAX_ROUNDS):
        following = _round(current, invocation)
        if following.disposition != "repaired":
            break
        current, edits = following.text, edits + following.edits
        rules.extend(following.rules)
    else:
        return refused(text, "the repair does not come to rest")
    if not rules:
        return following if following.reason else _against_history(text, invocation)
    return repaired(current, *rules, edits=edits, reason=following.reason)


def _round(text: str, invocation: Invocation) -> Verdict:
    """One pass; loops first, because everything in one is a duplicate of everything."""
    answer = read_answer(text)
    query = invocation.query
    if invocation.uses("semantics.loops"):
        loops = find_loops(answer, invocation.deadline)
        if loops and not asks_for_repetition(query):
            return _without_loops(answer, loops, query)
    duplicates = [] if asks_for_verse(query) else list(_duplicates(answer, invocation))
    safe = [duplicate for duplicate in duplicates if not duplicate.reason]
    if not safe:
        undecided = next((x.reason for x in duplicates), "")
        return Verdict(disposition="conforming", text=text, reason=_said(duplicates, undecided))
    gone = _without_circles(safe)
    removal = remove(answer, gone, asked=query)
    return _proven(
        answer, gone, removal, f"{_count(len(safe), safe[0].kind)} removed that repeat others"
    )


def _duplicates(answer: Answer, invocation: Invocation) -> Iterable[Duplicate]:
    found: list[Duplicate] = []
    if invocation.uses("semantics.items"):
        found += find_repeated_items(answer, invocation)
    if invocation.uses("semantics.sentences"):
        taken = {place for duplicate in found for place in duplicate.gone}
        found += [
            duplicate
            for duplicate in find_repeated_sentences(answer, invocation)
            if taken.isdisjoint(duplicate.gone)
        ]
    # The same words first: what they leave is compared in the next round.
    if not any(not x.reason for x in found) and invocation.uses("semantics.reworded"):
        found += find_reworded(answer, invocation)
    return found


def _without_circles(duplicates: Iterable[Duplicate]) -> set[int]:
    """The atoms to remove; none that another one's removal relies on."""
    gone: set[int] = set()
    needed: set[int] = set()
    for duplicate in duplicates:
        size = len(duplicate.gone)
        kept = range(duplicate.kept, duplicate.kept + size)
        if gone.isdisjoint(kept) and needed.isdisjoint(duplicate.gone):
            gone.update(duplicate.gone)
            needed.update(kept)
    return gone


def _without_loops(answer: Answer, loops: list[Loop], query: str) -> Verdict:
    gone = {place for loop in loops for place in loop.surplus}
    removal = remove(answer, gone, asked=query)
    rounds = sum(loop.rounds for loop in loops)
    return _proven(answer, gone, removal, f"a loop of {rounds} rounds reduced to one")


def _proven(answer: Answer, gone: set[int], removal: Removal, rule: str) -> Verdict:
    """A removal as a verdict, once it is sure that nothing is lost."""
    reason = removal.reason or lost(answer, gone, removal.text)
    if reason:
        return refused(answer.text, f"{_count(len(gone), 'repetition')} left alone: {reason}")
    rules = [rule]
    if removal.renumbered:
        rules.append(f"{_count(removal.renumbered, 'list item')} renumbered")
    return repaired(removal.text, *rules, edits=len(gone))


def _said(duplicates: list[Duplicate], reason: str) -> str:
    return f"{_count(len(duplicates), 'repetition')} kept: {reason}" if duplicates else ""


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"


def _against_history(text: str, invocation: Invocation) -> Verdict:
    """Report an answer that another question already had; a check never delivers that one."""
    if not invocation.uses("semantics.history"):
        return conforming(text)
    history = invocation.session.state(AnswerHistory)
    other = history.note(invocation.site, invocation.query, text, keep=invocation.config.history)
    if other:
        return refused(text, f"the same answer was given to {other[:40]!r}")
    return conforming(text)


def _check_context(text: str, invocation: Invocation) -> Verdict:
    if len(text) > MAX_TEXT:
        return refused(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
    if len(text) < _SHORTEST or not (invocation.said or invocation.query):
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
    said, query = invocation.said, invocation.query
    if invocation.uses("semantics.echo"):
        echo = find_echo(text, said, query)
        if echo is not None and not wants_echo(said, query):
            return echo
    if invocation.uses("semantics.continuation"):
        return find_continuation(text, said)
    return None
