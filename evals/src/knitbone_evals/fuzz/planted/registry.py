"""All planted tools: for each its fault, how a finding of it is recognised, and which are sound.

The descriptions lie apart from the tools, so that no fuzzer meets a witness by reading a tool's
module. Load this module in the process that scores, never in one that fuzzes: Hypothesis collects
the constants of every module that is loaded.
"""

from __future__ import annotations

import importlib

from knitbone_evals.fuzz.planted.specification import Planted, Sound

__all__ = [
    "PACKAGE", "SECOND", "SECOND_THEMES", "THEMES", "THIRD", "THIRD_THEMES", "TOOLS", "by_target",
    "planted", "sound",
]  # fmt: skip

THEMES = (
    "travel",
    "measures",
    "tables",
    "references",
    "days",
    "records",
    "web",
    "desk",
    "money",
    "orders",
    "house",
)
SECOND_THEMES = (
    "library",
    "garden",
    "shipping",
    "chess",
    "music",
    "family",
    "sensors",
    "kitchen",
    "releases",
    "zones",
    "office",
    "counters",
    "glossary",
    "support",
    "strict",
    "gentle",
)
"""A second set of 40 faults and 20 sound tools (``glossary`` to ``gentle``), written later by an
author who had read no fuzzer: what a developer in a hurry overlooks, a third of it behind documents
within arguments or an order of calls. Its refusals are whatever is raised on purpose."""
THIRD_THEMES = (
    "agenda", "invoices", "tickets", "stock", "logbook", "bookings", "cart", "signup", "repo",
    "prose", "uploads", "config", "grades", "network", "notes",
)  # fmt: skip
"""A third set of the same size and kind, by another author who had read no fuzzer."""
PACKAGE = "knitbone_evals.fuzz.planted"


def _tools(themes: tuple[str, ...]) -> tuple[Planted | Sound, ...]:
    modules = (importlib.import_module(f"{PACKAGE}.faults.{theme}") for theme in themes)
    return tuple(tool for module in modules for tool in module.TOOLS)


TOOLS = _tools(THEMES)
SECOND = _tools(SECOND_THEMES)
THIRD = _tools(THIRD_THEMES)


def by_target() -> dict[str, Planted | Sound]:
    """Every tool of all sets by its target."""
    return {tool.target: tool for tool in (*TOOLS, *SECOND, *THIRD)}


def planted() -> list[Planted]:
    """The tools of the first set with a fault."""
    return [tool for tool in TOOLS if isinstance(tool, Planted)]


def sound() -> list[Sound]:
    """Those without one."""
    return [tool for tool in TOOLS if isinstance(tool, Sound)]
