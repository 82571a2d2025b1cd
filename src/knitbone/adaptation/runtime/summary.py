"""The counts of each site in this process, and the last adaptations; for reports."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol

import msgspec

from knitbone._forks import new_lock
from knitbone.adaptation.runtime.decorated_functions import DecoratedFunction
from knitbone.record.events import Adaptation

__all__ = [
    "SUMMARY",
    "Disposition",
    "Observation",
    "Report",
    "SiteCounts",
    "Summary",
    "merge_counts",
    "merge_observations",
]

Disposition = Literal[
    "conforming",
    "repaired",
    "refused",
    "unread",
    "observed",
    "raised",
    "failed",
    "unknown",
    "unchecked",
    "unfinished",
]

_KEPT = 200
"""Adaptations kept in memory; older ones are in the recorded run, if there is one."""
_EXAMPLE = 2_000
"""Characters of a text that an observation keeps (ours)."""
_TIMES = 1_000
_RULE_COUNT = re.compile(r"^(.*) in (\d+) records?$")


class SiteCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The answers of one site, counted by what became of them."""

    site: str
    answers: int
    conforming: int = 0
    repaired: int = 0
    refused: int = 0
    unread: int = 0
    """Too long, or not read within the time budget; passed on untouched."""
    observed: int = 0
    raised: int = 0
    failed: int = 0
    unknown: int = 0
    """Values in which no text was found; passed on untouched."""
    unchecked: int = 0
    """Answers of a site with requirements, none of a kind that is checked at run time."""
    unfinished: int = 0
    """Streams that the consumer left, or that broke off, before their end."""
    plain: int = 0
    """Answers of a site without any requirement."""
    rules: dict[str, int] = {}
    """The changes that repairs made, each with the number of records."""
    reason: str = ""
    """Why the last answer was refused or not read, or what failed."""
    median_us: float | None = None
    """Microseconds spent on one answer, over the last ones."""


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """A violation met at one site again and again: one requirement, violated in one way, with the
    first answer as an example."""

    site: str
    requirement: str
    evidence: str
    """``file:line  expression`` of the consumer."""
    action: str
    """The action, as in ``Adaptation``."""
    count: int
    rules: tuple[str, ...] = ()
    """The changes that a repair of the example consists of."""
    before: str = ""
    after: str | None = None
    """The example, repaired; ``None`` where no repair is proven."""
    reason: str = ""

    @property
    def key(self) -> tuple[str, ...]:
        """The fields that are equal in observations of the same violation."""
        found = "repair" if self.after is not None else "none"
        return (self.site, self.requirement, self.evidence, self.action, found)


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The work of adapt in this process so far."""

    sites: tuple[SiteCounts, ...]
    adaptations: tuple[Adaptation, ...]
    """The last ones, oldest first."""
    untouched: dict[str, str]
    """Functions that could not be instrumented and run as they were, with the reason."""
    missing: tuple[str, ...] = ()
    """The checks that are not made because a library is not installed, each with what to
    install."""
    functions: tuple[DecoratedFunction, ...] = ()
    """The functions with ``@knitbone.adapt``, and why nothing is adapted in one where that is
    so."""


class Located(Protocol):
    """A site, or another place that is counted."""

    @property
    def location(self) -> str:
        """``file:line``."""
        ...


class Summary:
    """Thread-safe counts; ``snapshot`` and ``adaptations`` read them."""

    def __init__(self) -> None:
        self._lock = new_lock()
        self.clear()

    def clear(self) -> None:
        """Forget everything; for tests, forked processes and long-lived servers."""
        self._counts: dict[str, dict[str, int]] = {}
        self._rules: dict[str, dict[str, int]] = {}
        self._reasons: dict[str, str] = {}
        self._times: dict[str, deque[int]] = {}
        self._kept: deque[Adaptation] = deque(maxlen=_KEPT)
        self._observed: dict[tuple[str, ...], Observation] = {}

    def count(
        self,
        site: Located,
        disposition: Disposition,
        *,
        rules: Iterable[str] = (),
        reason: str = "",
    ) -> None:
        with self._lock:
            counts = self._counts.setdefault(site.location, {})
            counts[disposition] = counts.get(disposition, 0) + 1
            for rule in rules:
                stem, number = _split_rule(rule)
                done = self._rules.setdefault(site.location, {})
                done[stem] = done.get(stem, 0) + number
            if reason:
                self._reasons[site.location] = reason

    def time(self, site: Located, nanoseconds: int) -> None:
        with self._lock:
            self._times.setdefault(site.location, deque(maxlen=_TIMES)).append(nanoseconds)

    def keep(self, event: Adaptation) -> None:
        with self._lock:
            self._kept.append(event)
            _add_observation(self._observed, _observation(event))

    @property
    def adaptations(self) -> tuple[Adaptation, ...]:
        """The last adaptations, oldest first."""
        with self._lock:
            return tuple(self._kept)

    @property
    def observations(self) -> tuple[Observation, ...]:
        """Return the observations in the order of their first time; at most 200 kinds."""
        with self._lock:
            return tuple(self._observed.values())

    def times(self) -> dict[str, list[int]]:
        """Return the nanoseconds spent on the last answers of each site."""
        with self._lock:
            return {site: list(values) for site, values in self._times.items()}

    def snapshot(
        self, executed: Mapping[str, tuple[Literal["unchecked", "plain"], int]] | None = None
    ) -> tuple[SiteCounts, ...]:
        """Return one record for each site that has delivered a value.

        Args:
            executed: for sites whose values are not checked, what they are and how many values
                they delivered; these are counted outside, on the fast path.
        """
        with self._lock:
            counted: dict[str, dict[str, Any]] = {
                site: {**counts, "answers": sum(counts.values())}
                for site, counts in self._counts.items()
            }
            for site, fields in counted.items():
                fields["rules"] = dict(self._rules.get(site, {}))
                fields["reason"] = self._reasons.get(site, "")
                fields["median_us"] = _median_us(self._times.get(site, ()))
        for site, (kind, number) in (executed or {}).items():
            fields = counted.setdefault(site, {"answers": 0})
            fields[kind] = fields.get(kind, 0) + number
            fields["answers"] += number
        return tuple(SiteCounts(site=site, **fields) for site, fields in sorted(counted.items()))


SUMMARY = Summary()
"""The counts of this process."""


def merge_counts(
    processes: Iterable[tuple[SiteCounts, ...]], times: Mapping[str, list[int]]
) -> tuple[SiteCounts, ...]:
    """Add up the counts of several processes."""
    merged: dict[str, dict[str, Any]] = {}
    for counts in processes:
        for one in counts:
            fields = merged.setdefault(one.site, {})
            for name, value in msgspec.structs.asdict(one).items():
                if name == "rules":
                    rules = fields.setdefault("rules", {})
                    for rule, number in value.items():
                        rules[rule] = rules.get(rule, 0) + number
                elif isinstance(value, int):
                    fields[name] = fields.get(name, 0) + value
                else:
                    fields[name] = value or fields.get(name, value)
    for site, fields in merged.items():
        fields["median_us"] = _median_us(times.get(site, ()))
    return tuple(SiteCounts(**fields) for _, fields in sorted(merged.items()))


def merge_observations(
    processes: Iterable[tuple[Observation, ...]],
) -> tuple[Observation, ...]:
    """Add up the observations of several processes, and return them with the most frequent
    first."""
    merged: dict[tuple[str, ...], Observation] = {}
    for observations in processes:
        for one in observations:
            _add_observation(merged, one)
    return tuple(sorted(merged.values(), key=lambda one: -one.count))


def _add_observation(known: dict[tuple[str, ...], Observation], one: Observation) -> None:
    """Add an observation to those that are known."""
    first = known.get(one.key)
    if first is not None:
        known[one.key] = msgspec.structs.replace(first, count=first.count + one.count)
    elif len(known) < _KEPT:
        known[one.key] = one


def _observation(event: Adaptation) -> Observation:
    return Observation(
        site=event.site,
        requirement=event.requirement,
        evidence=event.evidence,
        action=event.action,
        count=1,
        rules=event.rules,
        before=event.before[:_EXAMPLE],
        after=None if event.after is None else event.after[:_EXAMPLE],
        reason=event.reason,
    )


def _split_rule(rule: str) -> tuple[str, int]:
    match = _RULE_COUNT.match(rule)
    return (match.group(1), int(match.group(2))) if match else (rule, 1)


def _median_us(values: Iterable[int]) -> float | None:
    ordered = sorted(values)
    return ordered[len(ordered) // 2] / 1000 if ordered else None
