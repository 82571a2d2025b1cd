"""The sites that a decorated function reaches, and the reason where nothing in it is adapted."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from types import CodeType, FunctionType

from knitbone.adaptation.repair.plan import is_checked, why_unreached
from knitbone.adaptation.requirements import Unknown
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.decorated_functions import UNTOUCHED, DecoratedFunction
from knitbone.adaptation.runtime.instrument.cache import UnitPlan
from knitbone.config import AdaptConfig

__all__ = ["examine", "reached_sites", "sites_with_requirements", "untouched"]

_SHOWN = 3
"""Places that a reason names (ours)."""


def reached_sites(plan: UnitPlan, entry_key: str) -> list[Site]:
    """Return the sites inside functions that an entry function may lead to."""
    reached = plan.reachable(entry_key)
    return [site for site in plan.sites if _is_inside(site, reached)]


def _is_inside(site: Site, reached: Collection[str]) -> bool:
    return site.function != "<module>" and f"{site.file}::{site.function}" in reached


def sites_with_requirements(sites: Sequence[Site], config: AdaptConfig) -> list[Site]:
    """Return the sites of which something is required that is checked under these settings."""
    return [
        site
        for site in sites
        if site.brings_call
        # The type may stand at the agent, where the analysis does not see it.
        or site.validated
        or (
            not why_unreached(site)
            and any(is_checked(r, site, config) for r in site.acting(config))
        )
    ]


def examine(
    function: FunctionType,
    running: CodeType,
    plan: UnitPlan,
    entry_key: str,
    config: AdaptConfig,
    *,
    here: str,
    found: Collection[int],
) -> DecoratedFunction:
    """Describe what is adapted in a function whose instrumented code was installed.

    Args:
        running: its code as it was before.
        here: its file.
        found: numbers of the sites whose expression is found there.
    """
    sites = reached_sites(plan, entry_key)
    required = sites_with_requirements(sites, config)
    left = [site for site in required if site.file != here or site.number in found]
    reason, next_step = "", ""
    if not sites:
        reason, next_step = _no_output(plan, entry_key, running)
    elif not required:
        reason, next_step = _nothing_required(sites, config, running)
    elif not left:
        reason = (
            f"the expression at {_places(required)} does not stand exactly once at its place in "
            "the source (inside an f-string, up to Python 3.11)"
        )
        next_step = "give it a line of its own"
    return DecoratedFunction(
        name=f"{function.__module__}.{function.__qualname__}",
        location=f"{running.co_filename}:{running.co_firstlineno}",
        outputs=tuple(site.place for site in sites),
        required=tuple(site.place for site in left),
        reason=reason,
        next_step=next_step,
    )


def untouched(
    name: str, running: CodeType | None, reason: str, *, called: CodeType | None = None
) -> DecoratedFunction:
    """Describe a function that could not be instrumented.

    Args:
        name: with its module.
        running: its code, where it has any.
        called: of an object, the code of its ``__call__``.
    """
    code = running or called
    location = "" if code is None else f"{code.co_filename}:{code.co_firstlineno}"
    if running is not None and not _has_file(running):
        step = "write it into a file"
    elif running is None:
        step = "decorate the function that reads the output"
    else:
        step = f"see: knitbone check {_relative_file(running.co_filename)}"
    return DecoratedFunction(
        name=name, location=location, reason=f"{UNTOUCHED}: {reason}", next_step=step
    )


def _no_output(plan: UnitPlan, entry_key: str, running: CodeType) -> tuple[str, str]:
    """Return the reason and the next step where a function reaches no output of a model."""
    reached = plan.reachable(entry_key)
    if any(_is_inside(site, reached) for site in plan.silenced):
        return "a comment or the requirements file switches its outputs off", ""
    reason = "no output of a model, retriever or splitter is recognised in it"
    if plan.errors:
        file, why = next(iter(plan.errors.items()))
        reason += f" ({_relative_file(file)} is not read: {why})"
    step = "mark the function that asks the model with @knitbone.source"
    if not _has_file(running):
        return reason, f"{step}, in a cell or in a module"
    top = [site for site in plan.sites if site.function == "<module>" and not site.queries]
    if top:
        reason += f" (the one at {_places(top)} stands outside of functions)"
        step = "move it into a function, or start the program with `knitbone run`"
    return reason, f"{step}; see: knitbone check {_relative_file(running.co_filename)}"


def _nothing_required(
    sites: Sequence[Site], config: AdaptConfig, running: CodeType
) -> tuple[str, str]:
    """Return the reason and the next step where nothing is required of the outputs."""
    for site in sites:
        if site.acting(config) and (why := why_unreached(site)):
            return f"of the output at {_places([site])}: {why}", _look(running)
    reason = f"nothing is required of the output at {_places(sites)}"
    requirements = [requirement for site in sites for requirement in site.requirements]
    off = list(dict.fromkeys(name for site in sites for name in site.left_out(config)))
    unknown = next((r for r in requirements if isinstance(r, Unknown)), None)
    if unknown is not None:
        reason += f" that could be read from the code ({unknown.reason})"
    elif config.without and any(site.acting(config) for site in sites):
        reason += " but what adapt.without switches off"
    steps = [_look(running)] if _has_file(running) else []
    if off:
        named = ", ".join(off)
        steps.insert(0, f'adapt.scenario = ["all"] looks at what no code demands ({named})')
    return reason, "; ".join(steps) or "compare it, parse it, or mark another function"


def _look(running: CodeType) -> str:
    return f"see: knitbone check {_relative_file(running.co_filename)}"


def _places(sites: Sequence[Site]) -> str:
    named = list(dict.fromkeys(f"{_relative_file(site.file)}:{site.line}" for site in sites))
    more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
    return ", ".join(named[:_SHOWN]) + more


def _has_file(running: CodeType) -> bool:
    return Path(running.co_filename).is_file()


def _relative_file(file: str) -> str:
    try:
        relative = os.path.relpath(file)
    except (OSError, ValueError):  # the current folder is gone, or on another drive
        return file
    return file if relative.startswith("..") else relative
