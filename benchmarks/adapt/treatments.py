"""What stands between the model and the application: nothing, knitbone, or another tool.

Every treatment sees the values at the same places, the sites that the analysis finds, so that a
peer is measured on what it does with an answer and not on where it was called.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from benchmarks.adapt.cases import AppSpec
from knitbone.adaptation.instrument.plans import plan_of_unit
from knitbone.adaptation.instrument.transform import (
    DELIVER,
    compile_module,
    parse_module,
    wraps_of,
)
from knitbone.adaptation.runtime import deliver_numbered, number_site
from knitbone.adaptation.sites import Site
from knitbone.config import AdaptConfig

__all__ = ["Deliver", "adapted", "instrumented"]

Deliver = Callable[[Any, Any], Any]
"""Called with each value and the number of its site; gives the value that the application gets."""


def adapted(config: AdaptConfig) -> Callable[[AppSpec], ModuleType]:
    """Loads an application as ``knitbone run`` does."""

    def load(spec: AppSpec) -> ModuleType:
        sites = _sites(spec)
        for site in sites:
            number_site(site, config)
        return instrumented(spec, sites, deliver_numbered)

    return load


def instrumented(spec: AppSpec, sites: list[Site], deliver: Deliver) -> ModuleType:
    """The application with every value of its sites passing through ``deliver``."""
    path = str((spec.folder / "app.py").resolve())
    found = importlib.util.spec_from_file_location(spec.module, path)
    assert found is not None
    module = importlib.util.module_from_spec(found)
    module.__dict__[DELIVER] = deliver
    sys.modules[spec.module] = module
    source = (spec.folder / "app.py").read_text(encoding="utf-8")
    wraps = wraps_of(site for site in sites if site.file == path)
    exec(compile_module(parse_module(source, path), path, wraps), module.__dict__)
    return module


def _sites(spec: AppSpec) -> list[Site]:
    return list(plan_of_unit([spec.folder / "app.py"]).sites)
