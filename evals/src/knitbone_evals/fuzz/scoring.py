"""What was found in a planted tool against what is there. Only this side knows the faults."""

from __future__ import annotations

import builtins
import importlib
import inspect
import re

import msgspec

from knitbone_evals.fuzz.calling import Failure, load
from knitbone_evals.fuzz.planted.specification import Planted, Sound
from knitbone_evals.fuzz.reports import Found, Report

__all__ = ["Scored", "bases", "score"]

_LONGEST_TEXT = 80
_QUOTED = re.compile('"([^"]+)"')


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in one planted or sound tool."""

    target: str
    category: str
    """``sound`` for a tool without a fault."""
    deep: bool
    found_at: int | None
    """Call at which the planted fault was first seen, from 1."""
    seconds: float | None
    """From the first call to that one."""
    replays: bool | None
    """Whether a reproducer of the fault replays; None if it was not found or nobody tried."""
    announced: int
    """Unique failures that the documentation announces: an exception that it names."""
    quoted: int
    """Unique returned texts that the documentation quotes word for word: no errors at all."""
    false: tuple[str, ...]
    """Unique failures that are none of these: none should be left."""
    unique: int
    """All unique failures, the announced ones included."""
    replayed: int | None
    """How many of these come again in a fresh process; None where nobody tried."""
    problem: str
    """Why the worker could not go on, if it could not."""
    unhandled_at: int | None = None
    """Call at which the planted fault was first seen as ``unhandled``; None where it was not."""
    as_refused: bool = False
    """Whether the fault was seen, and each time as something that the tool refuses on purpose."""
    unhandled: int = 0
    """Unique failures that stand as ``unhandled``, the announced ones included."""
    false_unhandled: tuple[str, ...] = ()
    """Those of ``false`` that do; the announced and the quoted ones that do, too."""

    @property
    def planted(self) -> bool:
        """Whether the tool has a fault."""
        return self.category != "sound"


def bases(name: str) -> tuple[str, ...]:
    """Names of an exception's type and of the types it derives from, without their modules.

    Args:
        name: ``module.Name``, or ``Name`` for a builtin one.

    A type that cannot be imported here is known by its own name only.
    """
    module, _, short = name.rpartition(".")
    try:
        found = getattr(importlib.import_module(module) if module else builtins, short)
    except (ImportError, AttributeError):
        return (short,)
    if not isinstance(found, type):
        return (short,)
    return tuple(kind.__name__ for kind in found.__mro__[:-2])


def _sight(failure: Failure) -> tuple[str, tuple[str, ...], str, str]:
    names = failure.exceptions
    if len(names) == 1:
        names = bases(names[0])
    return failure.kind, names, failure.function, failure.text


def score(tool: Planted | Sound, report: Report) -> Scored:
    """Tell the planted fault from announced refusals and from everything else."""
    hits = list[Found]()
    announced, quoted, false, worse = 0, 0, list[str](), list[str]()
    answers = _quoted_answers(tool.target)
    for found in report.findings:
        sight = _sight(found.failure)
        faces = (tool.fault, *tool.also) if isinstance(tool, Planted) else ()
        if any(face.matches(*sight) for face in faces):
            hits.append(found)
            continue
        if found.standing == "unhandled":
            worse.append(_told(found))
        if any(refusal.matches(*sight) for refusal in tool.refusals):
            announced += 1
        elif found.failure.kind == "returned text" and found.failure.text in answers:
            quoted += 1
        else:
            false.append(_told(found))
    first = min(hits, key=lambda hit: hit.call, default=None)
    as_unhandled = [hit.call for hit in hits if hit.standing == "unhandled"]
    tried = [hit.replays for hit in hits if hit.replays is not None]
    replays = [found.replays for found in report.findings if found.replays is not None]
    return Scored(
        target=tool.target,
        category=tool.category if isinstance(tool, Planted) else "sound",
        deep=isinstance(tool, Planted) and tool.deep,
        found_at=None if first is None else first.call,
        seconds=None if first is None else first.seconds,
        replays=any(tried) if tried else None,
        announced=announced,
        quoted=quoted,
        false=tuple(false),
        unique=len(report.findings),
        replayed=sum(replays) if replays else None,
        problem=report.problem,
        unhandled_at=min(as_unhandled, default=None),
        as_refused=bool(hits) and all(hit.standing == "refused" for hit in hits),
        unhandled=sum(found.standing == "unhandled" for found in report.findings),
        false_unhandled=tuple(worse),
    )


def _quoted_answers(target: str) -> frozenset[str]:
    tool = load(target)
    text = tool.description if hasattr(tool, "invoke") else inspect.getdoc(tool) or ""
    return frozenset(_QUOTED.findall(" ".join(text.split())))


def _told(found: Found) -> str:
    failure = found.failure
    name = failure.exceptions[0] if failure.exceptions else ""
    place = f"{failure.function}:{failure.line}" if failure.line else ""
    text = " ".join(part for part in (failure.kind, name, place) if part)
    return f"{text}: {failure.text[:_LONGEST_TEXT]!a} for {found.arguments[:_LONGEST_TEXT]}"
