"""The registry of sites that are switched on in this process, and how many values each brought."""

from __future__ import annotations

import os
from typing import Any, Literal

from knitbone._forks import new_lock
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.active_site import ActiveSite
from knitbone.adaptation.runtime.hook import adapt_site_value
from knitbone.adaptation.runtime.preload import load_ahead
from knitbone.adaptation.runtime.summary import SUMMARY, SiteCounts
from knitbone.adaptation.runtime.validators.table import watch_validators
from knitbone.common.hooks import Stage, register
from knitbone.config import AdaptConfig, is_disabled

__all__ = [
    "active_site",
    "active_sites",
    "executed_sites",
    "file_settings",
    "forget_counts",
    "known_sites",
    "number_site",
    "process_counts",
]

_lock = new_lock()
_sites: dict[int, ActiveSite] = {}
_configs: dict[str, AdaptConfig] = {}

# ``os.environ`` encodes every name that it is asked for, which takes longer than all the rest.
_environment: Any = getattr(os.environ, "_data", os.environ)
_encode: Any = getattr(os.environ, "encodekey", str)
_SWITCH: Any = _encode("KNITBONE_DISABLED") if _environment is not os.environ else ""


def number_site(site: Site, config: AdaptConfig) -> int:
    """Switch a site on, and return its number.

    The entry function decorated last configures the site, and its file.
    """
    number = site.number
    active = ActiveSite(site, config)
    with _lock:
        if not _sites:
            register(Stage.ADAPT, adapt_site_value)
        if number in _sites:
            active.executed = _sites[number].executed
        _sites[number] = active
        _configs[site.file] = config
    if site.validated:
        watch_validators()
    load_ahead(active.load)
    return number


def active_site(number: int) -> ActiveSite | None:
    """Return the site with a number; ``None`` while it is switched off, or where this process does
    not know it: code may come from another process (cloudpickle)."""
    active = _sites.get(number)
    if active is None or (_SWITCH in _environment and is_disabled()):
        return None
    return active


def file_settings(file: str) -> AdaptConfig | None:
    """Return the settings that hold in a file: those of its site that was switched on last."""
    return None if is_disabled() else _configs.get(file)


def active_sites() -> tuple[ActiveSite, ...]:
    """Return all sites that are switched on in this process."""
    with _lock:
        return tuple(_sites.values())


def known_sites() -> tuple[str, ...]:
    """Return all sites that are switched on, as ``file:line:column``."""
    return tuple(active.site.place for active in active_sites())


def executed_sites() -> dict[str, int]:
    """Return the sites through which values passed (``file:line:column``), and how many."""
    with _lock:
        return {active.site.place: active.executed for active in _sites.values() if active.executed}


def process_counts() -> tuple[SiteCounts, ...]:
    """Return the counts of every site through which a value passed in this process."""
    idle: dict[str, tuple[Literal["unchecked", "plain"], int]] = {}
    with _lock:
        for active in _sites.values():
            if active.idle and active.executed:
                known = bool(active.site.acting(active.config))
                _, before = idle.get(active.site.location, ("plain", 0))
                number = before + active.executed
                idle[active.site.location] = ("unchecked" if known else "plain", number)
    return SUMMARY.snapshot(idle)


def forget_counts() -> None:
    """Set all counts to zero: a forked process does not count what its parent did."""
    SUMMARY.clear()
    for active in _sites.values():
        active.executed = 0
