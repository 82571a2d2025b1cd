"""The hooks that supervision puts into libraries, by :mod:`knitbone.loading.patching`."""

from __future__ import annotations

from knitbone.loading.patching import HookTable

__all__ = ["install", "missing_hooks", "uninstall"]

_HOME = "knitbone.tethering.supervision.hooks"
_HOOKS = {
    "anthropic": f"{_HOME}.stainless",
    "concurrent.futures.thread": f"{_HOME}.threads",
    "langchain_core.language_models.chat_models": f"{_HOME}.langchain",
    "mcp.client.session": f"{_HOME}.mcp",
    "openai": f"{_HOME}.stainless",
    "threading": f"{_HOME}.threads",
}
"""By library module: our module whose ``patches(module)`` says what is replaced in it."""

_table = HookTable(
    _HOOKS, rank=1, following=frozenset({"concurrent.futures.thread", "threading"})
)  # outside of recording: what is recorded is what the model really got

install = _table.install
uninstall = _table.uninstall
missing_hooks = _table.missing
