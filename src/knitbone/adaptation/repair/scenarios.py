"""The scenario requirements: plug-ins, each imported where a site asks for it (``adapt.scenario``).

At default settings none is asked for, and nothing of ``adaptation/scenario/`` is imported.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, Protocol, cast

from knitbone.adaptation.repair.checks import Check, Defect, EntryCheck
from knitbone.adaptation.requirements.records import ScenarioName
from knitbone.errors import ConfigError

__all__ = ["SCENARIOS", "CheckFamily", "Scenario", "all_heuristics", "check_names"]


class Scenario(Protocol):
    """What a plug-in offers as module attributes; the packages of ``repair/`` offer the same."""

    HEURISTICS: tuple[str, ...]
    """The names by which ``adapt.without`` switches its parts off."""

    def prepare(self, requirement: Any, /, **settings: object) -> Check | EntryCheck | None:
        """Compile a requirement into a check; ``None`` where it makes none of a value.

        Raises:
            MissingExtraError: a library is not installed.
        """
        ...

    def load(self, requirement: Any, /) -> None:
        """Load, ahead of the first value, what its check would load with it.

        Raises:
            MissingExtraError: a library is not installed.
        """
        ...


class CheckFamily(NamedTuple):
    """A kind of requirement: the package that checks it, its defect, and its stage."""

    package: str
    defect: Defect
    stage: int
    subject: Literal["text", "entries", "calls"] = "text"
    """What it is about; calls of tools are looked at where they are made, not as a value."""
    home: Literal["repair", "scenario"] = "repair"

    def load(self) -> Scenario:
        """Import the package."""
        return cast(
            "Scenario", importlib.import_module(f"knitbone.adaptation.{self.home}.{self.package}")
        )


def _scenario(
    package: str,
    defect: Defect,
    stage: int,
    subject: Literal["text", "entries", "calls"] = "text",
) -> CheckFamily:
    return CheckFamily(package, defect, stage, subject, "scenario")


SCENARIOS: dict[ScenarioName, CheckFamily] = {
    "intact_text": _scenario("segmentation", "improper segmentation", 0, "entries"),
    "relevant_content": _scenario("context", "incorrect context construction", 0, "entries"),
    "consistent_lexical_features": _scenario("lexical", "inconsistent lexical features", 2),
    "succinct_content": _scenario("semantics", "redundant semantics", 3),
    "no_contextual_redundancy": _scenario("semantics", "redundant semantics", 3),
    "no_repeated_behaviour": _scenario("behaviour", "redundant behaviour", 3, "calls"),
}
"""The plug-ins by the name of the requirement (Comfrey §4.2, Table 2)."""


# The names of all heuristics, each of which ``adapt.without`` can switch off.

STAGES: dict[str, tuple[str, ...]] = {
    "format": ("positional", "structured", "fenced", "segmentation", "context"),
    "syntax": ("syntax", "lexical"),
    "repetition": ("behaviour", "semantics"),
}
"""The stages of Comfrey §4.1 with the packages of their defects."""
PACKAGES = tuple(package for packages in STAGES.values() for package in packages)


def all_heuristics() -> tuple[str, ...]:
    """Return the name of every heuristic, as ``package.name``."""
    found: list[str] = []
    plugins = {family.package for family in SCENARIOS.values()}
    for package in PACKAGES:
        home = "scenario" if package in plugins else "repair"
        module = importlib.import_module(f"knitbone.adaptation.{home}.{package}")
        found.extend(module.HEURISTICS)
    return tuple(sorted(set(found)))


def check_names(without: Iterable[str]) -> None:
    """Check that each name is a heuristic or a package of them.

    Raises:
        ConfigError: one is not; the message names the nearest.
    """
    names = tuple(without)
    if not names:
        return
    known = (*PACKAGES, *all_heuristics())
    for name in names:
        if name in known:
            continue
        close = difflib.get_close_matches(name, known, n=1)
        raise ConfigError(
            f"{name!r} in adapt.without is no heuristic.",
            next_step=f"Did you mean {close[0]!r}?" if close else f"Known: {', '.join(known)}.",
        )
