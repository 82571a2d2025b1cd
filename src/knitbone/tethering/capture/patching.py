"""The hooks that recording puts into libraries, by :mod:`knitbone.loading.patching`."""

from __future__ import annotations

from knitbone.loading.patching import HookTable, Patch

__all__ = ["Patch", "install", "missing_hooks", "uninstall"]

_HOME = "knitbone.tethering.capture"
_HOOKS = {
    "anthropic": f"{_HOME}.stainless",
    "concurrent.futures.thread": f"{_HOME}.threads",
    "knitbone.common.function_watch": f"{_HOME}.decorated_tools",
    "langchain_core.language_models.chat_models": f"{_HOME}.langchain",
    "langchain_core.retrievers": f"{_HOME}.langchain",
    "langchain_core.tools.base": f"{_HOME}.langchain",
    "litellm": f"{_HOME}.litellm",
    "mcp.client.session": f"{_HOME}.mcp",
    "openai": f"{_HOME}.stainless",
    "threading": f"{_HOME}.threads",
}
"""By library module: our module whose ``patches(module)`` says what is replaced in it."""

_table = HookTable(
    _HOOKS, rank=0, following=frozenset({"concurrent.futures.thread", "threading"})
)  # innermost: what is recorded is what the model and the tools really got and gave

install = _table.install
uninstall = _table.uninstall
missing_hooks = _table.missing
