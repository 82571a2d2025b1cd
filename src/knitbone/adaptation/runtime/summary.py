"""The counts of each site in this process, its distinct repairs and refusals, and the last
adaptations; for reports."""

from __future__ import annotations

import hashlib
import re
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol

import msgspec

from knitbone._forks import new_lock
from knitbone.adaptation.runtime.decorated_functions import DecoratedFunction
from knitbone.record.events import Adaptation

__all__ = [
    "MAX_KINDS",
    "MAX_TEXT",
    "SUMMARY",
    "Kinds",
    "Observation",
    "Report",
    "SiteCounts",
    "Summary",
    "UnlistedKinds",
    "changed_places",
    "excerpts",
    "merge_counts",
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
MAX_TEXT = 20_000
"""Characters of a text that a record keeps."""
MAX_KINDS = 100
"""Distinct repairs and refusals of one site that are kept with their texts (ours); further ones are
counted, which every report says."""
_MAX_UNLISTED = 1_000
"""Further kinds of one site that are told apart (ours)."""
_EXAMPLE = 2_000
"""Characters of a text that an observation keeps (ours)."""
_MAX_CHANGES = 8
"""Changed places that an observation keeps (ours); all of them tell kinds apart."""
_CHANGE = 200
"""Characters of a changed place (ours)."""
_OTHER = "others"
"""What stands for the rules and reasons of a site beyond ``MAX_KINDS``."""
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
    reasons: dict[str, dict[str, int]] = {}
    """By what became of answers (``refused``): why, and how often."""
    median_us: float | None = None
    """Microseconds spent on one answer, over the last ones."""


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of repair or refusal of a site, with its first answer as an example.

    Repairs are of one kind where requirement, rules and changed places are the same; refusals where
    requirement and reason are.
    """

    site: str
    requirement: str
    evidence: str
    """``file:line  expression`` of the consumer."""
    action: str
    """The action, as in ``Adaptation``."""
    count: int
    rules: tuple[str, ...] = ()
    """The changes that the repair consists of, without the number of records."""
    changes: tuple[tuple[str, str], ...] = ()
    """The changed places, each before and after; at most 8."""
    before: str = ""
    after: str | None = None
    """The example, repaired; ``None`` where no repair is proven."""
    reason: str = ""
    identity: int = 0
    """Equal in observations of the same kind, in any process."""


class UnlistedKinds(msgspec.Struct, frozen=True, kw_only=True):
    """The kinds of repairs and refusals of one site beyond those that are kept."""

    site: str
    kinds: int
    """How many; the least number where there are more than are told apart."""
    times: int
    complete: bool = True
    """Whether ``kinds`` is exact."""
    identities: tuple[int, ...] = ()


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The work of adapt in this process so far."""

    sites: tuple[SiteCounts, ...]
    adaptations: tuple[Adaptation, ...]
    """The last ones, oldest first."""
    observations: tuple[Observation, ...]
    """Every kind of repair and refusal, the most frequent first; at most 100 of a site."""
    unlisted: tuple[UnlistedKinds, ...]
    """By site, the kinds beyond those."""
    untouched: dict[str, str]
    """Functions that could not be instrumented and run as they were, with the reason."""
    missing: tuple[str, ...] = ()
    """The checks that are not made because a library is not installed, each with what to
    install."""
    functions: tuple[DecoratedFunction, ...] = ()
    """The functions with ``@knitbone.adapt``, and why nothing is adapted in one where that is
    so."""


class Kinds:
    """The kinds of repairs and refusals, by site: a bounded number with their texts, a bounded
    number told apart, and the rest counted. Not thread-safe."""

    def __init__(self) -> None:
        self._listed: dict[int, Observation] = {}
        self._sizes: dict[str, int] = {}
        self._others: dict[str, set[int]] = {}
        self._times: dict[str, int] = {}
        self._open: set[str] = set()
        """Sites of which more kinds came than are told apart."""

    def add(self, one: Observation) -> None:
        """Add an observation to those of its kind."""
        first = self._listed.get(one.identity)
        if first is not None:
            count = first.count + one.count
            self._listed[one.identity] = msgspec.structs.replace(first, count=count)
        elif self._sizes.get(one.site, 0) < MAX_KINDS:
            self._sizes[one.site] = self._sizes.get(one.site, 0) + 1
            self._listed[one.identity] = one
        else:
            self._add_other(one.site, one.identity, one.count)

    def add_unlisted(self, more: UnlistedKinds) -> None:
        """Add the kinds that another process only counted."""
        for identity in more.identities:
            self._add_other(more.site, identity, 0)
        if not more.complete:
            self._open.add(more.site)
        self._times[more.site] = self._times.get(more.site, 0) + more.times

    def _add_other(self, site: str, identity: int, times: int) -> None:
        others = self._others.setdefault(site, set())
        if len(others) < _MAX_UNLISTED:
            others.add(identity)
        elif identity not in others:
            self._open.add(site)
        self._times[site] = self._times.get(site, 0) + times

    def listed(self) -> tuple[Observation, ...]:
        """Return the kinds that are kept, the most frequent first."""
        return tuple(sorted(self._listed.values(), key=lambda one: -one.count))

    def unlisted(self) -> tuple[UnlistedKinds, ...]:
        """Return the others, by site. A kind that one process listed and another only counted is
        among those that are listed, and its times there are among these."""
        found: list[UnlistedKinds] = []
        for site, others in sorted(self._others.items()):
            left = sorted(others - self._listed.keys())
            found.append(
                UnlistedKinds(
                    site=site,
                    kinds=len(left),
                    times=self._times.get(site, 0),
                    complete=site not in self._open,
                    identities=tuple(left),
                )
            )
        return tuple(found)


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
        self._reasons: dict[str, dict[str, dict[str, int]]] = {}
        self._times: dict[str, deque[int]] = {}
        self._kept: deque[Adaptation] = deque(maxlen=_KEPT)
        self._kinds = Kinds()

    def count(
        self,
        site: Located,
        disposition: Disposition,
        *,
        rules: Iterable[str] = (),
        reason: str = "",
        reasons: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Count one answer.

        Args:
            rules: the changes that its repair made.
            reason: why it was not repaired.
            reasons: the same for the requirements that it violated, each with what was done.
        """
        with self._lock:
            counts = self._counts.setdefault(site.location, {})
            counts[disposition] = counts.get(disposition, 0) + 1
            done = self._rules.setdefault(site.location, {})
            for rule in rules:
                _add(done, *_split_rule(rule))
            said = self._reasons.setdefault(site.location, {})
            for what, why in (*reasons, (disposition, reason)):
                if why:
                    _add(said.setdefault(what, {}), why, 1)

    def time(self, site: Located, nanoseconds: int) -> None:
        with self._lock:
            self._times.setdefault(site.location, deque(maxlen=_TIMES)).append(nanoseconds)

    def keep(self, event: Adaptation) -> None:
        """Keep an adaptation, whose texts hold no secrets any more."""
        one = _observation(event)
        with self._lock:
            self._kept.append(
                msgspec.structs.replace(
                    event,
                    before=event.before[:MAX_TEXT],
                    after=None if event.after is None else event.after[:MAX_TEXT],
                )
            )
            self._kinds.add(one)

    @property
    def adaptations(self) -> tuple[Adaptation, ...]:
        """The last adaptations, oldest first."""
        with self._lock:
            return tuple(self._kept)

    @property
    def observations(self) -> tuple[Observation, ...]:
        """Return the kinds of repairs and refusals, the most frequent first."""
        with self._lock:
            return self._kinds.listed()

    @property
    def unlisted(self) -> tuple[UnlistedKinds, ...]:
        """Return, by site, the kinds that are only counted."""
        with self._lock:
            return self._kinds.unlisted()

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
                said = self._reasons.get(site, {})
                fields["reasons"] = {what: dict(why) for what, why in said.items()}
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
    for one in (one for counts in processes for one in counts):
        fields = merged.setdefault(one.site, {"site": one.site, "rules": {}, "reasons": {}})
        for rule, number in one.rules.items():
            _add(fields["rules"], rule, number)
        for what, reasons in one.reasons.items():
            said = fields["reasons"].setdefault(what, {})
            for reason, number in reasons.items():
                _add(said, reason, number)
        for name, value in msgspec.structs.asdict(one).items():
            if isinstance(value, int):
                fields[name] = fields.get(name, 0) + value
    for site, fields in merged.items():
        fields["median_us"] = _median_us(times.get(site, ()))
    return tuple(SiteCounts(**fields) for _, fields in sorted(merged.items()))


def _observation(event: Adaptation) -> Observation:
    mended = event.after is not None
    changes = changed_places(event.before, event.after) if event.after is not None else ()
    rules = tuple(dict.fromkeys(_split_rule(rule)[0] for rule in event.rules))
    said = (rules, tuple(sorted(changes))) if mended else event.reason
    key = (event.site, event.requirement, event.evidence, event.action, mended, said)
    digest = hashlib.blake2b(repr(key).encode("utf-8", "surrogatepass"), digest_size=7)
    before, after = excerpts(event.before, event.after, _EXAMPLE)
    return Observation(
        site=event.site,
        requirement=event.requirement,
        evidence=event.evidence,
        action=event.action,
        count=1,
        rules=rules,
        changes=tuple((old[:_CHANGE], new[:_CHANGE]) for old, new in changes[:_MAX_CHANGES]),
        before=before,
        after=after,
        reason=event.reason,
        identity=int.from_bytes(digest.digest(), "big"),
    )


def changed_places(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """Return the distinct places that differ between two texts, each as it was and as it is.

    Texts of as many lines are compared line by line; of a text that was cut out of the other, the
    places are what was left out.
    """
    start = before.find(after)
    if after and start >= 0:
        cut = (before[:start], before[start + len(after) :])
        return tuple((part, "") for part in cut if part)
    old, new = before.splitlines(), after.splitlines()
    pairs = list(zip(old, new, strict=True)) if len(old) == len(new) else []
    if all(one == other for one, other in pairs):
        pairs = [(before, after)]
    return tuple(dict.fromkeys(_trimmed(*pair) for pair in pairs if pair[0] != pair[1]))


def _trimmed(old: str, new: str) -> tuple[str, str]:
    """Return what differs between two lines, whole words of it."""
    start = _common_prefix(old, new)
    end = _common_prefix(old[start:][::-1], new[start:][::-1])
    while start and old[start - 1].isalnum() and (old[start:] + new[start:])[:1].isalnum():
        start -= 1
    tail = len(old) - end
    while end and old[tail].isalnum() and (old[:tail][-1:] + new[: len(new) - end][-1:]).isalnum():
        end -= 1
        tail += 1
    return old[start:tail], new[start : len(new) - end]


def _common_prefix(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike, without a step for each of them."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def excerpts(before: str, after: str | None, limit: int) -> tuple[str, str | None]:
    """Return two texts as far as ``limit`` characters show what differs between them."""
    other = before if after is None else after
    if max(len(before), len(other)) <= limit:
        return before, after
    same = _common_prefix(before, other)
    start = max(0, min(same, len(before) - 1) - limit // 4) if before != other else 0
    shown = [
        f"{'…' * bool(start)}{text[start : start + limit]}{'…' * (start + limit < len(text))}"
        for text in (before, other)
    ]
    return shown[0], None if after is None else shown[1]


def _add(counts: dict[str, int], name: str, number: int) -> None:
    """Count under a name; from ``MAX_KINDS`` names on, under one for all further ones."""
    known = name if name in counts or len(counts) < MAX_KINDS else _OTHER
    counts[known] = counts.get(known, 0) + number


def _split_rule(rule: str) -> tuple[str, int]:
    match = _RULE_COUNT.match(rule)
    return (match.group(1), int(match.group(2))) if match else (rule, 1)


def _median_us(values: Iterable[int]) -> float | None:
    ordered = sorted(values)
    return ordered[len(ordered) // 2] / 1000 if ordered else None
