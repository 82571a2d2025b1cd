"""Answers from the history for tools that are called again with the same arguments.

Only tools that are known to be stateless and deterministic are answered so: pure by their source,
declared (``knitbone.tool``, ``adapt.stateless``), or on the short list ``KNOWN_STABLE``. Polling
goes on: a tool of which nothing is known runs every time, and what it may have changed is
forgotten.

Source: Comfrey §4.5.1.
"""

from __future__ import annotations

import copy
import functools
import inspect
import logging
import types
from collections.abc import Callable
from typing import Any, NamedTuple, cast

from knitbone._logging import get_logger, log
from knitbone.adaptation.requirements.records import ScenarioRequirement
from knitbone.adaptation.scenario.behaviour.purity import Purity, purity_of
from knitbone.adaptation.scenario.behaviour.tool_history import PastCall, ToolHistory, key_of
from knitbone.config import is_disabled

__all__ = ["HEURISTICS", "Repeated", "Tools", "load", "prepare"]

HEURISTICS: tuple[str, ...] = ("behaviour.bypass",)

KNOWN_STABLE = frozenset(
    {
        "langchain_community.tools.wikipedia.tool.WikipediaQueryRun",
        "langchain_community.tools.arxiv.tool.ArxivQueryRun",
        "langchain_community.tools.wolfram_alpha.tool.WolframAlphaQueryRun",
        "langchain_community.tools.merriam_webster.tool.MerriamWebsterQueryRun",
        "langchain_community.tools.pubmed.tool.PubmedQueryRun",
    }
)
"""Tools of public packages that look something up in what does not change within a session."""

_FRAMEWORK_ARGUMENTS = frozenset({"run_manager", "callbacks", "config"})
_PLAIN = (str, int, float, bool, bytes, type(None))
_MAX_OUTPUT = 1_000_000
"""Characters of an output that is kept; the memory of a session is bounded by that (ours)."""
_logger = get_logger(__name__)


def prepare(_: ScenarioRequirement) -> None:
    """Make no check of a value: tools are watched where they are called."""


def load(_: ScenarioRequirement) -> None:
    """Load nothing more."""


class Repeated(NamedTuple):
    """A call that was, or in ``observe`` mode would have been, answered from the history."""

    tool: str
    arguments: str
    output: Any


class Tools:
    """The tools that are called at one place in the code, and what they returned last.

    Args:
        history: the calls remembered.
        declared: tools that the application says are stateless, as ``module:name`` or ``name``.
        reads: whether others are told from their source, or stand on the short list.
        report: told each repeated call.
        bypasses: whether repeated calls are answered from the history, or only reported.
    """

    def __init__(
        self,
        history: Callable[[], ToolHistory],
        *,
        declared: frozenset[str] = frozenset(),
        reads: bool = True,
        report: Callable[[Repeated], None],
        bypasses: bool = True,
    ) -> None:
        self._history = history
        self._declared = declared
        self._reads = reads
        self._report = report
        self._bypasses = bypasses

    def watch(self, tool: Any) -> Any:
        """Return what to call in place of a tool: a function of the same signature that looks into
        the history first, or the tool itself where nothing is known of it."""
        if isinstance(tool, types.FunctionType | types.BuiltinFunctionType | types.MethodType):
            kind = self._kind(tool, _name(tool))
            if kind != "unknown":
                return self.wrap(tool, kind)
        elif _is_langchain(tool):
            return self._watch_langchain(tool)
        if callable(tool):
            self._history().state_changed()
        return tool

    def wrap(self, tool: Callable[..., Any], kind: Purity) -> Callable[..., Any]:
        """Return a function that asks the history before it calls the tool."""
        name = _name(tool)
        if inspect.iscoroutinefunction(tool):

            @functools.wraps(tool)
            async def later(*args: Any, **kwargs: Any) -> Any:
                key = _key(args, kwargs)
                if (past := self._past_call(name, key)) is not None:
                    return _copy_of(past.output)
                output = await tool(*args, **kwargs)
                return self._remember(name, key, output, kind)

            return later

        @functools.wraps(tool)
        def at_once(*args: Any, **kwargs: Any) -> Any:
            key = _key(args, kwargs)
            if (past := self._past_call(name, key)) is not None:
                return _copy_of(past.output)
            return self._remember(name, key, tool(*args, **kwargs), kind)

        return at_once

    def wrap_changing(self, tool: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that calls a tool and forgets what the others returned: it may have
        changed that."""
        if inspect.iscoroutinefunction(tool):

            @functools.wraps(tool)
            async def later(*args: Any, **kwargs: Any) -> Any:
                try:
                    return await tool(*args, **kwargs)
                finally:
                    self._history().state_changed()

            return later

        @functools.wraps(tool)
        def at_once(*args: Any, **kwargs: Any) -> Any:
            try:
                return tool(*args, **kwargs)
            finally:
                self._history().state_changed()

        return at_once

    def _kind(self, tool: Any, name: str) -> Purity:
        """Return whether a tool is pure, stable or unknown."""
        declared = getattr(tool, "__knitbone_tool__", None)
        if declared is not None:
            # A declared tool looks into its own history.
            return "unknown"
        if name in self._declared or name.rpartition(":")[2] in self._declared:
            return "stable"
        return purity_of(tool) if self._reads else "unknown"

    def _watch_langchain(self, tool: Any) -> Any:
        """Return a copy of a LangChain tool whose function looks into the history first."""
        kind = cast("type[Any]", type(tool))
        fields = cast("dict[str, Any]", vars(tool))
        named = self._reads and f"{kind.__module__}.{kind.__qualname__}" in KNOWN_STABLE
        changed: dict[str, Any] = {}
        for field in ("func", "coroutine"):
            function = fields.get(field)
            if isinstance(function, types.FunctionType):
                known = self._kind(function, _name(function))
                if tool.name in self._declared:
                    known = "stable"
                if known != "unknown":
                    changed[field] = self.wrap(function, known)
        if not changed and not named:
            self._history().state_changed()
            return tool
        copied = copy.copy(tool)
        if named:
            object.__setattr__(copied, "_run", self.wrap(tool._run, "stable"))
        for field, function in changed.items():
            vars(copied)[field] = function
        return copied

    def _past_call(self, name: str, key: str | None) -> PastCall | None:
        try:
            past = None
            if key is not None and not is_disabled():
                past = self._history().find(name, key)
            if past is not None:
                self._report(Repeated(name, key or "", past.output))
        except Exception:  # noqa: BLE001 - fail open: the tool runs
            log(_logger, logging.ERROR, "tool history not read", exc_info=True, tool=name)
            return None
        return past if self._bypasses else None

    def _remember(self, name: str, key: str | None, output: Any, kind: Purity) -> Any:
        if key is not None:
            try:
                if not isinstance(output, str | bytes) or len(output) <= _MAX_OUTPUT:
                    call = PastCall(name, key, _copy_of(output), kind == "pure")
                    self._history().remember(call)
            except Exception:  # noqa: BLE001 - what cannot be copied is not remembered
                log(_logger, logging.DEBUG, "output not remembered", tool=name)
        return output


def _key(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> str | None:
    """Return the arguments to compare, without what a framework passes for its own use."""
    return key_of(arguments, {k: v for k, v in keywords.items() if k not in _FRAMEWORK_ARGUMENTS})


def _copy_of(output: Any) -> Any:
    """Return a copy, as a second call would have made another object."""
    return output if type(output) in _PLAIN else copy.deepcopy(output)


def _name(tool: Any) -> str:
    module = getattr(tool, "__module__", "") or ""
    return f"{module}:{getattr(tool, '__qualname__', type(tool).__qualname__)}"


def _is_langchain(tool: Any) -> bool:
    return any(
        base.__module__ == "langchain_core.tools.base" and base.__name__ == "BaseTool"
        for base in cast("type[Any]", type(tool)).__mro__
    )
