"""What adapt did in this process: counts per site and the last adaptations."""

from __future__ import annotations

import threading
from collections import deque
from typing import Literal

import msgspec

from knitbone.adaptation.sites import Site
from knitbone.core.events import Adaptation

__all__ = ["Disposition", "SiteCounts", "Summary"]

Disposition = Literal[
    "conforming", "repaired", "refused", "observed", "raised", "failed", "unknown"
]

_KEPT = 200
"""Adaptations kept in memory; older ones are in the recorded run, if there is one."""
_TIMES = 1_000


class SiteCounts(msgspec.Struct, frozen=True, kw_only=True):
    """The answers of one site, counted by what became of them."""

    site: str
    answers: int
    conforming: int = 0
    repaired: int = 0
    refused: int = 0
    observed: int = 0
    raised: int = 0
    failed: int = 0
    unknown: int = 0
    """Values of a type that is not adapted; passed on untouched."""
    median_us: float | None = None
    """Microseconds spent on one answer, over the last ones."""


class Summary:
    """Thread-safe counts; ``snapshot`` and ``adaptations`` read them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[str, dict[str, int]] = {}
        self._times: dict[str, deque[int]] = {}
        self._kept: deque[Adaptation] = deque(maxlen=_KEPT)

    def count(self, site: Site, disposition: Disposition) -> None:
        with self._lock:
            counts = self._counts.setdefault(site.location, {})
            counts[disposition] = counts.get(disposition, 0) + 1

    def time(self, site: Site, nanoseconds: int) -> None:
        with self._lock:
            self._times.setdefault(site.location, deque(maxlen=_TIMES)).append(nanoseconds)

    def keep(self, event: Adaptation) -> None:
        with self._lock:
            self._kept.append(event)

    @property
    def adaptations(self) -> tuple[Adaptation, ...]:
        """The last adaptations, oldest first."""
        with self._lock:
            return tuple(self._kept)

    def snapshot(self) -> tuple[SiteCounts, ...]:
        """One record for each site that has delivered a value."""
        with self._lock:
            counted = {site: dict(counts) for site, counts in self._counts.items()}
            times = {site: sorted(values) for site, values in self._times.items()}
        return tuple(
            SiteCounts(
                site=site,
                answers=sum(counts.values()),
                median_us=times[site][len(times[site]) // 2] / 1000 if times.get(site) else None,
                **counts,
            )
            for site, counts in sorted(counted.items())
        )

    def clear(self) -> None:
        """Forget everything; for tests and long-lived servers."""
        with self._lock:
            self._counts.clear()
            self._times.clear()
            self._kept.clear()
