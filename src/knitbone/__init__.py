"""knitbone keeps LLM-enabled Python software working.

Public names load on first use, so that ``import knitbone`` stays light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from knitbone._version import __version__

if TYPE_CHECKING:
    from knitbone.adaptation.decorators import adapt, source, summary
    from knitbone.adaptation.runtime.listeners import Repair
    from knitbone.adaptation.runtime.session import Session, session
    from knitbone.adaptation.runtime.tools import tool
    from knitbone.config import Config, load_config
    from knitbone.errors import KnitboneError, RepairRefused, RequirementViolation, SchemaError
    from knitbone.fuzzing.api import fuzz
    from knitbone.parsing.records import RepairEdit, RepairResult
    from knitbone.parsing.repair import repair
    from knitbone.record.events import Run
    from knitbone.record.sqlite_store import SqliteStore
    from knitbone.tethering.capture.trace import TracedRun, set_outcome, trace
    from knitbone.tethering.diagnosis.analyse import Diagnosis
    from knitbone.tethering.diagnosis.engine import diagnose
    from knitbone.tethering.recovery.api import recover, recover_async
    from knitbone.tethering.recovery.budget import RecoveryBudget
    from knitbone.tethering.recovery.judgements import Judgement

_HOMES = {
    "Config": "knitbone.config",
    "Diagnosis": "knitbone.tethering.diagnosis.analyse",
    "KnitboneError": "knitbone.errors",
    "RecoveryBudget": "knitbone.tethering.recovery.budget",
    "Repair": "knitbone.adaptation.runtime.listeners",
    "RepairEdit": "knitbone.parsing.records",
    "RepairRefused": "knitbone.errors",
    "RepairResult": "knitbone.parsing.records",
    "RequirementViolation": "knitbone.errors",
    "Run": "knitbone.record.events",
    "Session": "knitbone.adaptation.runtime.session",
    "SchemaError": "knitbone.errors",
    "SqliteStore": "knitbone.record.sqlite_store",
    "TracedRun": "knitbone.tethering.capture.trace",
    "Judgement": "knitbone.tethering.recovery.judgements",
    "adapt": "knitbone.adaptation.decorators",
    "diagnose": "knitbone.tethering.diagnosis.engine",
    "fuzz": "knitbone.fuzzing.api",
    "load_config": "knitbone.config",
    "recover": "knitbone.tethering.recovery.api",
    "recover_async": "knitbone.tethering.recovery.api",
    "repair": "knitbone.parsing.repair",
    "session": "knitbone.adaptation.runtime.session",
    "set_outcome": "knitbone.tethering.capture.trace",
    "source": "knitbone.adaptation.decorators",
    "summary": "knitbone.adaptation.decorators",
    "tool": "knitbone.adaptation.runtime.tools",
    "trace": "knitbone.tethering.capture.trace",
}

__all__ = [
    "Config",
    "Diagnosis",
    "Judgement",
    "KnitboneError",
    "RecoveryBudget",
    "Repair",
    "RepairEdit",
    "RepairRefused",
    "RepairResult",
    "RequirementViolation",
    "Run",
    "SchemaError",
    "Session",
    "SqliteStore",
    "TracedRun",
    "__version__",
    "adapt",
    "diagnose",
    "fuzz",
    "load_config",
    "recover",
    "recover_async",
    "repair",
    "session",
    "set_outcome",
    "source",
    "summary",
    "tool",
    "trace",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'knitbone' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
