"""The sites of this process, the hook that adapts their values, and the report on both."""

from __future__ import annotations

import threading
from typing import Any

import msgspec

from knitbone.adaptation.engine import adapt_value
from knitbone.adaptation.sites import Site
from knitbone.adaptation.summary import SiteCounts, Summary
from knitbone.config import AdaptConfig
from knitbone.core.events import Adaptation
from knitbone.core.hooks import Stage, deliver, register

__all__ = ["SUMMARY", "LiveSite", "Report", "deliver_numbered", "number_site"]

SUMMARY = Summary()
"""What adapt did in this process."""

_lock = threading.Lock()
_sites: list[LiveSite] = []
_numbers: dict[tuple[str, int, int, int, int], int] = {}


class LiveSite:
    """A site that is instrumented, under the configuration of its entry function."""

    __slots__ = ("config", "site")

    def __init__(self, site: Site, config: AdaptConfig) -> None:
        self.site = site
        self.config = config

    def __str__(self) -> str:
        return self.site.location


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What adapt did in this process so far."""

    sites: tuple[SiteCounts, ...]
    adaptations: tuple[Adaptation, ...]
    """The last ones, oldest first."""
    untouched: dict[str, str]
    """Functions that could not be instrumented and run as they were, with the reason."""


def number_site(site: Site, config: AdaptConfig) -> int:
    """The number of a site in this process; the entry function decorated last configures it."""
    key = (site.file, site.line, site.column, site.end_line, site.end_column)
    with _lock:
        if not _sites:
            register(Stage.ADAPT, _hook)
        if key not in _numbers:
            _numbers[key] = len(_sites)
            _sites.append(LiveSite(site, config))
        else:
            _sites[_numbers[key]] = LiveSite(site, config)
        return _numbers[key]


def deliver_numbered(value: Any, number: int) -> Any:
    """What an instrumented expression calls with its value."""
    return deliver(value, _sites[number])


def _hook(value: Any, site: Any) -> Any:
    if isinstance(site, LiveSite):
        return adapt_value(value, site.site, site.config, SUMMARY)
    return value
