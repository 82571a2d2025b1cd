"""What was asked of the agent, and whether a call was asked for by it at all.

The words of a tool's name are looked for in the request. That finds no meaning, so an answer is
given only where the words leave little room: a request that hands on to another text ("do what the
letter says"), or names no action of its own, leaves every call open.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from knitbone.record.events import Message, ModelCall, Run
from knitbone.tethering.diagnosis.units import asked, system_texts
from knitbone.tethering.diagnosis.vocabulary import (
    READING,
    WRITING,
    intent_of_tool,
    is_state_changing,
    participle,
    words_of,
)
from knitbone.tethering.guidance.wording import HEADER

__all__ = ["CallNeed", "Request", "asks_for", "need_of", "request_of"]

CallNeed = Literal["asked for", "unclear", "not asked for"]
"""What a request says of a tool's calls. ``not asked for`` is said of calls that change state only:
anything may have to be looked up."""

_VERBS = READING | WRITING
_WORD = re.compile(r"[^\W\d_]{3,40}")
_SENTENCE_END = re.compile(r"[.;:!?]\s|\n")
_LONGEST = 20_000
_SHORTEST = 3
_REACH = 12
"""Words behind a verb that may say what it is done to (ours)."""
_ROOT = 4
"""Letters by which words are compared, whatever their ending (ours)."""
_HANDS_ON = re.compile(
    r"\b(?:instructions?|to-?dos?|tasks?|actions?|steps?|follow\w*|accordingly|"
    r"as needed|whatever|everything|(?:as|what) [\w'. -]{0,30}"
    r"(?:says?|said|asks?|wants?|needs?|described))\b",
    re.IGNORECASE,
)
"""English words by which a request leaves to another text, or to the agent, what is to be done."""
_ALIKE = tuple(
    frozenset(family.split())
    for family in (
        "add append insert attach include join invite put enter",
        "send forward share post publish submit deliver mail email message reply respond tell "
        "notify write inform answer ask let",
        "pay send transfer refund charge reimburse return wire deposit",
        "update change modify adjust edit set rename correct fix replace move reschedule postpone "
        "switch swap exchange turn raise lower increase decrease",
        "delete remove cancel drop clear revoke discard close unsubscribe end stop disable",
        "create make write add set plan open start generate store save note draft register",
        "book reserve order buy purchase schedule create make plan rent get set",
        "move transfer copy rename put place file archive",
    )
)
"""English verbs that may stand for one another where people ask for a change (ours)."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What users and system prompts say in a run, without guidance that stands among it."""

    said: str
    """By users."""
    rules: str = ""
    """By system prompts."""


def request_of(run: Run) -> Request:
    """All that is asked of the agent in a run."""
    longest = max(
        (event for event in run.events if isinstance(event, ModelCall)),
        key=lambda call: len(call.input), default=None,
    )  # fmt: skip
    said = [asked(run)]
    said += [e.content for e in run.events if isinstance(e, Message) and e.role == "user"]
    said += [m.content for m in longest.input if m.role == "user"] if longest else []
    return Request(said=_without_guidance(said), rules=_without_guidance(system_texts(run)))


def _without_guidance(texts: Iterable[str]) -> str:
    return "\n".join(text for text in dict.fromkeys(texts) if HEADER not in text)


def asks_for(request: str, tool: str) -> bool:
    """Whether a request's own words name a tool's action: what it does, and behind that what it
    does it to; any verb of looking up stands for all."""
    verbs, things = _parts(tool)
    alike = READING if READING.issuperset(verbs) else verbs
    begun = _roots(alike)
    return any(clause[0] in begun and things.issubset(clause[1:]) for clause in _clauses(request))


def need_of(request: Request, tool: str) -> CallNeed:
    """What a request says of a tool's calls.

    ``asked for``: users have the word for what the tool does, or one that may stand for it beside a
    word for what is changed or looked up. ``not asked for``: they have none of these for a tool
    that changes state, nor have the rules, and say themselves what is to be done. ``unclear``: all
    else.
    """
    words = _words(request.said)
    verbs, things = _parts(tool)
    alike = _said_alike(verbs)
    named = bool(things & words)
    if not is_state_changing(intent_of_tool(tool)):
        return "asked for" if named else "unclear"
    if _roots(verbs) & words or (alike & words and named):
        return "asked for"
    near = named or bool(alike & words) or bool((alike | things) & _words(request.rules))
    says_itself = bool(_roots(_VERBS) & words) and not _HANDS_ON.search(request.said[:_LONGEST])
    return "not asked for" if says_itself and not near else "unclear"


def _parts(tool: str) -> tuple[list[str], set[str]]:
    """What a tool's name says that it does, and the roots of what it does it to."""
    words = words_of(tool)
    verbs = [word for word in words if word in _VERBS] or words[:1]
    return verbs, _roots(word for word in words if word not in verbs and len(word) >= _SHORTEST)


def _roots(words: Iterable[str]) -> set[str]:
    return {word[:_ROOT] for word in words}


def _said_alike(verbs: Iterable[str]) -> set[str]:
    """The roots of verbs and of those that may stand for them, in the past tense, too."""
    alike = set(verbs).union(*(family for family in _ALIKE if family.intersection(verbs)))
    return _roots(alike) | _roots(past for verb in alike for past in _irregular(verb))


def _irregular(verb: str) -> Iterator[str]:
    pattern = participle(verb)
    yield from (word for word in ("sent", "paid", "made", "bought", "set") if pattern.match(word))


@functools.lru_cache(maxsize=64)
def _words(text: str) -> frozenset[str]:
    return frozenset(_roots(_WORD.findall(text[:_LONGEST].lower())))


@functools.lru_cache(maxsize=64)
def _clauses(text: str) -> tuple[tuple[str, ...], ...]:
    """The roots of a text's words, each beginning of a sentence or verb with what follows it, up to
    the next one. Each word begins one of its own, too, for a verb that is not known."""
    clauses: list[tuple[str, ...]] = []
    for sentence in _SENTENCE_END.split(text[:_LONGEST].lower()):
        words = _WORD.findall(sentence)
        for place in range(len(words)):
            behind = itertools.takewhile(
                lambda word: word not in _VERBS, words[place + 1 :][:_REACH]
            )
            clauses.append(tuple(word[:_ROOT] for word in (words[place], *behind)))
    return tuple(clauses)
