"""The import hook: a finder in front of the others that takes what they find.

Instrumenting a run, learning from one, tracing a tool and recording a session all need the same of
Python's import: see a module before it is loaded, compile its source another way, or be called
once its own code has run. A hook finds nothing itself. It asks the finders behind it, so that
hooks stand in a row: the one that was installed last sees what the others have made of a module,
and a module has one compiler, that of the hook which was installed first.

Loads the standard library only: every Python process below ``knitbone run`` starts with it.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Container, Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType
from typing import Any

__all__ = ["ImportHook", "call_after", "compile_with"]

Compile = Callable[[str], CodeType | None]
"""The code of the module in a file; ``None``: what Python would have loaded."""


class ImportHook:
    """Shows the spec of each module that is imported to a function, which may change it.

    Args:
        found: gets the spec that the finders behind this one agreed on; what it raises is raised
            by the import.
        names: the only modules it is asked about; ``None``: all. Others cost one look-up.
    """

    def __init__(
        self, found: Callable[[ModuleSpec], object], *, names: Container[str] | None = None
    ) -> None:
        self._found = found
        self._names = names
        self._searching = threading.local()

    def install(self) -> None:
        """Stand in front of the finders that there are; once, however often it is called."""
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Take it out again. Modules that were imported meanwhile stay as they are."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module as the finders behind this one do (PEP 451)."""
        if self._names is not None and name not in self._names:
            return None
        # A finder may ask for the module again, through all finders; another thread has its own
        # search, and so has another module that a finder imports in order to search.
        searched: set[str] = self._searching.__dict__.setdefault("names", set())
        if name in searched:
            return None
        searched.add(name)
        try:
            spec = self._ask_behind(name, path, target)
            if spec is not None:
                self._found(spec)
            return spec
        finally:
            searched.discard(name)

    def _ask_behind(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        finders = list(sys.meta_path)
        # Not in the list where somebody else calls it from a finder of their own.
        first = finders.index(self) + 1 if self in finders else 0
        for finder in finders[first:]:
            find: Any = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = None if find is None else find(name, path, target)
            if spec is not None:
                return spec
        return None


def compile_with(spec: ModuleSpec, compiler: Compile) -> bool:
    """Let a function compile a module's source; whether that is possible.

    Only what Python's own loader of source files would load: a loader of another kind, that of a
    hook behind this one included, knows why it is another. Compiled files are not written, and
    read only where the function gives ``None``. What the function raises is raised by the import.
    """
    loader = spec.loader
    if type(loader) is not SourceFileLoader:
        return False
    spec.loader = _CompilingLoader(loader.name, loader.path, compiler)
    return True


class _CompilingLoader(SourceFileLoader):
    def __init__(self, name: str, path: str, compiler: Compile) -> None:
        super().__init__(name, path)
        self._compiler = compiler

    def get_code(self, fullname: str) -> CodeType | None:
        code = self._compiler(self.path)
        return super().get_code(fullname) if code is None else code


def call_after(spec: ModuleSpec, callback: Callable[[ModuleType], object]) -> None:
    """Call a function with a module once the module's own code has run, and run well.

    The loader stays the object it is. One without ``exec_module`` (before PEP 451) is left alone.

    Raises:
        AttributeError: the loader takes no attributes, or serves many modules.
    """
    loader: Any = spec.loader
    original = getattr(loader, "exec_module", None)
    if original is None:
        return
    if isinstance(loader, type):
        message = "a class that loads many modules"
        raise AttributeError(message)

    def exec_module(module: ModuleType) -> None:
        loader.__dict__.pop("exec_module", None)
        original(module)
        callback(module)

    loader.exec_module = exec_module
