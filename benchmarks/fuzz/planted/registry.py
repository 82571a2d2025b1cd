"""All planted tools: for each its fault, how a finding of it is recognised, and which are sound.

The descriptions lie apart from the tools, so that no fuzzer meets a witness by reading a tool's
module. Load this module in the process that scores, never in one that fuzzes: Hypothesis collects
the constants of every module that is loaded.
"""

from __future__ import annotations

import importlib

from benchmarks.fuzz.planted.specification import Planted, Sound

__all__ = ["PACKAGE", "THEMES", "TOOLS", "by_target", "planted", "sound"]

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
PACKAGE = "benchmarks.fuzz.planted"


def _tools() -> tuple[Planted | Sound, ...]:
    modules = (importlib.import_module(f"{PACKAGE}.faults.{theme}") for theme in THEMES)
    return tuple(tool for module in modules for tool in module.TOOLS)


TOOLS = _tools()


def by_target() -> dict[str, Planted | Sound]:
    """Every tool by its target."""
    return {tool.target: tool for tool in TOOLS}


def planted() -> list[Planted]:
    """The tools with a fault."""
    return [tool for tool in TOOLS if isinstance(tool, Planted)]


def sound() -> list[Sound]:
    """The tools without one."""
    return [tool for tool in TOOLS if isinstance(tool, Sound)]
