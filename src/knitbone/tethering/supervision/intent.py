"""The active intent: the task, and what guidance and memory want done (AgentTether §III.D)."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable
from typing import Protocol

import msgspec

from knitbone.tethering.diagnosis.vocabulary import READING, WRITING, words_of
from knitbone.tethering.guidance.records import Directive, Guidance

__all__ = ["ActiveIntent", "RememberedDirective", "active_intent"]

_VERBS = READING | WRITING
_WORD = re.compile(r"[^\W\d_]{3,40}")
_SENTENCE_END = re.compile(r"[.;:!?]\s|\n")
_LONGEST_TASK = 20_000
_SHORTEST = 3
_REACH = 12
"""Words behind a verb that may say what it is done to (ours)."""
_ROOT = 4
"""Letters by which words are compared, whatever their ending (ours)."""


class RememberedDirective(Protocol):
    """What is read of an entry of the repair memory."""

    @property
    def directive(self) -> Directive:
        """The directive."""
        ...

    @property
    def state(self) -> str:
        """``unresolved``, ``fixed`` or ``regressed``."""
        ...


class ActiveIntent(msgspec.Struct, frozen=True, kw_only=True):
    """What the run is held to."""

    task: str
    """In words."""
    key: str
    """Of the task, as hashes of values are made with it."""
    directives: tuple[Directive, ...] = ()
    """Those that are not known to be fixed, the nearest to the turning point first."""
    told: frozenset[str] = frozenset()
    """Identifiers of those whose words the agent was given; of the others only the family is
    named."""

    calls: int = 0
    """Tool calls of the attempt that the guidance was made from; 0 where nobody counted them."""

    def asks_for(self, tool: str) -> bool:
        """Whether the task's own words name a tool's action: what it does, and behind that what it
        does it to; any verb of looking up stands for all. An earlier attempt that tried a tool
        shows no need of it."""
        words = words_of(tool)
        verbs = [word for word in words if word in _VERBS] or words[:1]
        things = {_root(word) for word in words if word not in verbs and len(word) >= _SHORTEST}
        alike = READING if READING.issuperset(verbs) else verbs
        asked = {_root(verb) for verb in alike}
        return any(
            clause[0] in asked and things.issubset(clause[1:]) for clause in _clauses(self.task)
        )

    @property
    def grounded(self) -> bool:
        """Whether there is guidance or memory to act on."""
        return bool(self.directives)


def active_intent(
    task: str, guidance: Guidance | None, memory: Iterable[RememberedDirective]
) -> ActiveIntent:
    """Task, directives of the guidance, and unresolved or regressed ones of the memory."""
    told = guidance.directives if guidance is not None else ()
    known = {directive.id for directive in told}
    kept = [
        entry.directive
        for entry in memory
        if entry.state != "fixed" and entry.directive.id not in known
    ]
    return ActiveIntent(
        task=task,
        key=guidance.task if guidance is not None else task,
        calls=guidance.calls if guidance is not None else 0,
        directives=tuple(sorted((*told, *kept), key=lambda directive: directive.distance)),
        told=frozenset(known),
    )


def _root(word: str) -> str:
    return word[:_ROOT]


@functools.lru_cache(maxsize=64)
def _clauses(text: str) -> tuple[tuple[str, ...], ...]:
    """The roots of a text's words, each beginning of a sentence or verb with what follows it, up to
    the next one. Each word begins one of its own, too, for a verb that is not known."""
    clauses: list[tuple[str, ...]] = []
    for sentence in _SENTENCE_END.split(text[:_LONGEST_TASK].lower()):
        words = _WORD.findall(sentence)
        for place in range(len(words)):
            behind = itertools.takewhile(
                lambda word: word not in _VERBS, words[place + 1 :][:_REACH]
            )
            clauses.append((_root(words[place]), *map(_root, behind)))
    return tuple(clauses)
