"""The names of all heuristics, each of which ``adapt.without`` can switch off."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable

from knitbone.adaptation.repair.scenarios import SCENARIOS
from knitbone.errors import ConfigError

__all__ = ["PACKAGES", "STAGES", "all_heuristics", "check_names"]

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
