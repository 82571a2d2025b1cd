"""Put hooks into libraries, also into those that are imported later, and take them out again.

Loads the standard library only: every Python process below ``knitbone run --record`` starts with
it, and most of them never import a library that has hooks. What a hook needs is loaded with the
first such library.
"""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Callable, Iterable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NamedTuple, cast

from knitbone._forks import new_rlock
from knitbone.loading.hook import ImportHook, call_after

__all__ = ["Patch", "install", "missing_hooks", "uninstall"]

_HOME = "knitbone.tethering.capture"
_HOOKS = {
    "anthropic": f"{_HOME}.stainless",
    "concurrent.futures.thread": f"{_HOME}.carrying",
    "knitbone.common.watching": f"{_HOME}.marked",
    "langchain_core.language_models.chat_models": f"{_HOME}.langchain",
    "langchain_core.retrievers": f"{_HOME}.langchain",
    "langchain_core.tools.base": f"{_HOME}.langchain",
    "litellm": f"{_HOME}.litellm",
    "mcp.client.session": f"{_HOME}.mcp",
    "openai": f"{_HOME}.stainless",
    "threading": f"{_HOME}.carrying",
}
"""By library module: our module whose ``patches(module)`` says what is replaced in it."""

_FOLLOWING = frozenset({"concurrent.futures.thread", "threading"})
"""What nearly every process loads: hooked with the first library that records something, or with
the first session of this process."""
_logger = logging.getLogger(__name__)


class Patch(NamedTuple):
    """One attribute of a class or module, and what stands there while runs are recorded."""

    owner: Any
    attribute: str
    make: Callable[[Any], Any]
    """From what stands there now."""


class _Applied(NamedTuple):
    owner: Any
    attribute: str
    original: Any
    replacement: Any
    own: bool
    """Whether the owner itself held the attribute, and did not inherit it."""


_ABSENT: Any = object()
_lock = new_rlock()
_users = 0
_applied: list[_Applied] = []
_hooked: set[str] = set()
_missing: dict[str, str] = {}
_prepare: list[Callable[[], None]] = []


def install(prepare: Callable[[], None] | None = None) -> None:
    """Put the hooks in place for one more session; those of libraries that are not imported yet
    follow with their import.

    Args:
        prepare: called once before the first hook is put in place.
    """
    global _users  # noqa: PLW0603 - how many sessions the hooks serve
    with _lock:
        if prepare is not None:
            _prepare.append(prepare)
        _users += 1
        if _users == 1:
            _import_hook.install()
        _apply_loaded(_HOOKS if prepare is None else _HOOKS.keys() - _FOLLOWING)


def uninstall() -> None:
    """The end of one session; with the last one, what stood there before stands there again.

    An attribute that somebody else has replaced in the meantime is left alone: our hook below it
    passes every call on.
    """
    global _users  # noqa: PLW0603 - see ``install``
    with _lock:
        if _users == 0:
            return
        _users -= 1
        if _users:
            return
        _import_hook.remove()
        while _applied:
            _restore(_applied.pop())
        _hooked.clear()
        _missing.clear()
        _prepare.clear()


def missing_hooks() -> dict[str, str]:
    """Loaded libraries that could not be hooked, with the reason."""
    return dict(_missing)


def _apply_loaded(names: Iterable[str]) -> None:
    for name in names:
        module = sys.modules.get(name)
        if module is not None and name not in _hooked:
            _apply(name, module)


def _apply(name: str, module: ModuleType) -> None:
    """Put the hooks of one library in place; a library of another shape stays as it is."""
    _hooked.add(name)
    try:
        while _prepare:
            _prepare.pop()()
        hooks = importlib.import_module(_HOOKS[name])
        patches: Iterable[Patch] = hooks.patches(module)
        for patch in patches:
            held = cast("dict[str, Any]", vars(patch.owner))
            original: Any = held.get(patch.attribute, _ABSENT)
            own = original is not _ABSENT
            if not own:
                original = getattr(patch.owner, patch.attribute)
            replacement = patch.make(original)
            setattr(patch.owner, patch.attribute, replacement)
            _applied.append(_Applied(patch.owner, patch.attribute, original, replacement, own))
    except Exception as error:
        _missing[name] = f"{type(error).__name__}: {error}"
        _logger.exception("library cannot be hooked: %s", name)
    if name not in _FOLLOWING:
        _apply_loaded(_FOLLOWING)


def _restore(applied: _Applied) -> None:
    try:
        held = cast("dict[str, Any]", vars(applied.owner))
        if held.get(applied.attribute) is not applied.replacement:
            return
        if applied.own:
            setattr(applied.owner, applied.attribute, applied.original)
        else:
            delattr(applied.owner, applied.attribute)
    except Exception:
        _logger.exception("hook not removed: %s", applied.attribute)


def _follow(spec: ModuleSpec) -> None:
    """Have the hooks put in place once the module's own code has run."""

    def apply(module: ModuleType) -> None:
        with _lock:
            if _users and (_hooked or spec.name not in _FOLLOWING):
                _apply(spec.name, module)

    try:
        call_after(spec, apply)
    except AttributeError as error:
        loader = type(spec.loader).__name__
        _missing[spec.name] = f"its loader {loader} cannot be followed ({error})"


_import_hook = ImportHook(_follow, names=_HOOKS)
