"""What stands between the model and the application: nothing, knitbone, or another tool.

Every treatment sees the values at the same places, the sites that the analysis finds, so that a
peer is measured on what it does with an answer and not on where it was called. A peer gets the
whole text of the answer; everything around it (streams, chains, tool calls) is knitbone's own
plumbing for all of them.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import NamedTuple, TypeAlias

from knitbone.adaptation.testing import (
    CheckPlan,
    Group,
    Invocation,
    Requirement,
    ScenarioRequirement,
    Site,
    TextRule,
    Unknown,
    Verdict,
    active_sites,
    conforming,
    number_site,
    plan_of_unit,
    refused,
    repaired,
    run_instrumented,
)
from knitbone.config import AdaptConfig
from knitbone_evals.adapt.cases import AppSpec

__all__ = [
    "Load",
    "Peer",
    "Repair",
    "Treatment",
    "adapted",
    "instrumented",
    "sites_of",
    "with_peer",
]

Load: TypeAlias = Callable[[AppSpec], ModuleType]
Repair: TypeAlias = Callable[[str], "str | None"]
"""The text that a peer makes of an answer; the same text where it finds nothing wrong, ``None``
where it says that it cannot read it."""
Peer: TypeAlias = Callable[[Site, AppSpec], "Repair | None"]
"""What a peer does at a site; ``None`` where it has nothing for what the site requires."""


class Treatment(NamedTuple):
    """One row of a table."""

    load: Load
    applies: Callable[[AppSpec], bool] = lambda _spec: True
    """Whether it does anything to an application; where not, the bare results are its own."""


def adapted(config: AdaptConfig) -> Treatment:
    """The application as ``knitbone run`` loads it."""

    def load(spec: AppSpec) -> ModuleType:
        for site in sites_of(spec):
            number_site(site, config)
        return instrumented(spec)

    return Treatment(load)


_NOTHING = AdaptConfig(scenario=(), without=("behaviour", "semantics", "segmentation"))
"""What knitbone does without a site's plan, switched off."""


def with_peer(peer: Peer) -> Treatment:
    """The application with a peer in knitbone's place."""

    def load(spec: AppSpec) -> ModuleType:
        numbers = {number_site(site, _NOTHING) for site in sites_of(spec)}
        for live in active_sites():
            if live.number in numbers:
                live.plan = _PeerPlan(live.site, peer(live.site, spec))
        return instrumented(spec)

    def applies(spec: AppSpec) -> bool:
        return any(peer(site, spec) is not None for site in sites_of(spec))

    return Treatment(load, applies)


class _PeerPlan(CheckPlan):
    """One check, the peer's, for whatever code demands at a site."""

    def __init__(self, site: Site, repair: Repair | None) -> None:
        super().__init__(site, _NOTHING)
        demanded = [each for each in site.requirements if _is_demanded(each)]
        # The plan computes both at first use; a peer's are known.
        self.__dict__["entries"] = ()
        self.__dict__["groups"] = ()
        if repair is not None and demanded:
            rule = TextRule(demanded[0], "template discrepancy", _OncePeer(repair))
            self.__dict__["groups"] = (Group(0, (rule,)),)


def _is_demanded(requirement: Requirement) -> bool:
    return not isinstance(requirement, (ScenarioRequirement, Unknown))


class _OncePeer:
    """The engine asks again until nothing changes; a peer is asked once, as its users do."""

    reads_whole = False

    def __init__(self, repair: Repair) -> None:
        self._repair = repair
        self._made: set[str] = set()

    def __call__(self, text: str, _invocation: Invocation, /) -> Verdict:
        if text in self._made:
            return conforming(text)
        made = self._repair(text)
        if made is None:
            return refused(text, "the peer cannot read it")
        if made == text:
            return conforming(text)
        self._made = {made}
        return repaired(made, "the peer's")


def instrumented(spec: AppSpec) -> ModuleType:
    """The application, with every value of its sites passing through the hooks."""
    path = (spec.folder / "app.py").resolve()
    found = importlib.util.spec_from_file_location(spec.module, path)
    if found is None:
        raise FileNotFoundError(f"{path} is not there.")
    module = importlib.util.module_from_spec(found)
    sys.modules[spec.module] = module
    run_instrumented(path.read_text(encoding="utf-8"), path, sites_of(spec), module.__dict__)
    return module


@lru_cache(maxsize=4)
def sites_of(spec: AppSpec) -> tuple[Site, ...]:
    """Where values come from in an application."""
    return tuple(plan_of_unit([spec.folder / "app.py"]).sites)
