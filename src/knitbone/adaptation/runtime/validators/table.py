"""The libraries whose validators are hooked, by :mod:`knitbone.loading.patching`.

Hooked with the first site of such a library that is switched on: a process without one has no
hooks.
"""

from __future__ import annotations

from knitbone._forks import new_lock
from knitbone.loading.patching import HookTable

__all__ = ["watch_validators"]

_HOME = "knitbone.adaptation.runtime.validators"
_table = HookTable(
    {
        "agents.agent_output": f"{_HOME}.openai_agents",
        "pydantic_ai._agent_graph": f"{_HOME}.pydantic_ai",
        "pydantic_ai._output": f"{_HOME}.pydantic_ai",
    },
    rank=0,
)
_lock = new_lock()
_installed: list[bool] = []


def watch_validators() -> None:
    """Put the hooks in place, once a process."""
    with _lock:
        if not _installed:
            _installed.append(True)
            _table.install()
