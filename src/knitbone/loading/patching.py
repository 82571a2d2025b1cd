"""Put hooks into libraries, also into those that are imported later, and take them out again.

Each user has a table of its own (recording, supervision). Where two have hooks at one attribute
they stand in the order of their ranks, whichever was put in place first.

Loads the standard library only: every Python process below ``knitbone run --record`` starts with
it, and most of them never import a library that has hooks. What a hook needs is loaded with the
first such library.
"""

from __future__ import annotations

import importlib
import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NamedTuple, cast

from knitbone._forks import new_rlock
from knitbone.loading.hook import ImportHook, call_after

__all__ = ["HookTable", "Patch"]

_logger = logging.getLogger(__name__)


class Patch(NamedTuple):
    """One attribute of a class or module, and what stands there while the hooks are in place."""

    owner: Any
    attribute: str
    make: Callable[[Any], Any]
    """From what stands there now."""


class _HookLayer(NamedTuple):
    table: HookTable
    make: Callable[[Any], Any]


class _Place:
    """One hooked attribute: what stood there, and the hooks around it from the inside out."""

    def __init__(self, owner: Any, attribute: str) -> None:
        held = cast("dict[str, Any]", vars(owner))
        self.owner = owner
        self.attribute = attribute
        self.own = attribute in held
        """Whether the owner itself held the attribute, and did not inherit it."""
        self.original: Any = held[attribute] if self.own else getattr(owner, attribute)
        self.layers: list[_HookLayer] = []
        self.replacement: Any = None

    @property
    def untouched(self) -> bool:
        """Whether nobody else has replaced the attribute in the meantime."""
        return cast("dict[str, Any]", vars(self.owner)).get(self.attribute) is self.replacement

    def compose(self, layers: Iterable[_HookLayer]) -> None:
        """Put these hooks there; without any, what stood there before."""
        ordered = sorted(layers, key=lambda layer: layer.table.rank)
        value = self.original
        for layer in ordered:
            value = layer.make(value)
        if ordered or self.own:
            setattr(self.owner, self.attribute, value)
        else:
            delattr(self.owner, self.attribute)
        self.layers, self.replacement = ordered, value


_lock = new_rlock()
_places: list[_Place] = []


class HookTable:
    """The hooks of one user of this module.

    Args:
        hooks: by library module: our module whose ``patches(module)`` says what is replaced in it.
        rank: at an attribute that another table hooks as well, the higher one stands outside.
        following: of ``hooks``, what nearly every process loads: hooked with the first other
            library, or with the first user of this process.
    """

    def __init__(
        self, hooks: Mapping[str, str], *, rank: int, following: frozenset[str] = frozenset()
    ) -> None:
        self.rank = rank
        self._hooks = hooks
        self._following = following
        self._users = 0
        self._hooked: set[str] = set()
        self._missing: dict[str, str] = {}
        self._prepare: list[Callable[[], None]] = []
        self._import_hook = ImportHook(self._follow, names=hooks)

    def install(self, prepare: Callable[[], None] | None = None) -> None:
        """Put the hooks in place for one more user; those of libraries that are not imported yet
        follow with their import.

        Args:
            prepare: called once before the first hook is put in place.
        """
        with _lock:
            if prepare is not None:
                self._prepare.append(prepare)
            self._users += 1
            if self._users == 1:
                self._import_hook.install()
            early = self._hooks.keys() if prepare is None else self._hooks.keys() - self._following
            self._apply_loaded(early)

    def uninstall(self) -> None:
        """One user less; with the last one, what stood there before stands there again.

        An attribute that somebody else has replaced in the meantime is left alone: our hook below
        it passes every call on.
        """
        with _lock:
            if self._users == 0:
                return
            self._users -= 1
            if self._users:
                return
            self._import_hook.remove()
            for place in reversed(list(_places)):
                self._leave(place)
            self._hooked.clear()
            self._missing.clear()
            self._prepare.clear()

    def missing(self) -> dict[str, str]:
        """Loaded libraries that could not be hooked, with the reason."""
        return dict(self._missing)

    def _apply_loaded(self, names: Iterable[str]) -> None:
        for name in names:
            module = sys.modules.get(name)
            if module is not None and name not in self._hooked:
                self._apply(name, module)

    def _apply(self, name: str, module: ModuleType) -> None:
        """Put the hooks of one library in place; a library of another shape stays as it is."""
        self._hooked.add(name)
        try:
            while self._prepare:
                self._prepare.pop()()
            hooks = importlib.import_module(self._hooks[name])
            patches: Iterable[Patch] = hooks.patches(module)
            for patch in patches:
                place = _place(patch.owner, patch.attribute)
                place.compose([*place.layers, _HookLayer(self, patch.make)])
                if place not in _places:
                    _places.append(place)
        except Exception as error:
            self._missing[name] = f"{type(error).__name__}: {error}"
            _logger.exception("library cannot be hooked: %s", name)
        if name not in self._following:
            self._apply_loaded(self._following)

    def _leave(self, place: _Place) -> None:
        others = [layer for layer in place.layers if layer.table is not self]
        if len(others) == len(place.layers):
            return
        try:
            if place.untouched:
                place.compose(others)
        except Exception:
            _logger.exception("hook not removed: %s", place.attribute)
        place.layers = others
        if not others:
            _places.remove(place)

    def _follow(self, spec: ModuleSpec) -> None:
        """Have the hooks put in place once the module's own code has run."""

        def apply(module: ModuleType) -> None:
            with _lock:
                if self._users and (self._hooked or spec.name not in self._following):
                    self._apply(spec.name, module)

        try:
            call_after(spec, apply)
        except AttributeError as error:
            loader = type(spec.loader).__name__
            self._missing[spec.name] = f"its loader {loader} cannot be followed ({error})"


def _place(owner: Any, attribute: str) -> _Place:
    """The place as we hooked it last; a new one where somebody else has hooked it since."""
    for place in reversed(_places):
        if place.owner is owner and place.attribute == attribute and place.untouched:
            return place
    return _Place(owner, attribute)
