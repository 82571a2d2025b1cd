"""The user's reset hook: what puts a tool's own state back before each call. Runs in the worker."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from knitbone.errors import TargetError

__all__ = ["load_reset", "set_up"]

_HOOKS = "knitbone hooks of "
_SYNTAX = "Write it as package.module:name or path/to/file.py:name."


def load_reset(name: str | None, *, directory: str) -> Callable[[], None] | None:
    """The hook called ``name``, importing its module if nothing has yet.

    Args:
        name: ``package.module:name`` or ``path/to/file.py:name``; ``None`` for no hook.
        directory: what relative file names refer to.

    Raises:
        TargetError: nothing is there, or it cannot be called without arguments.
    """
    if name is None:
        return None
    place, _, attribute = name.partition(":")
    if not place or not attribute:
        raise TargetError(f"The reset hook {name!r} has no function.", next_step=_SYNTAX)
    try:
        value: Any = _module(place, directory)
        for part in attribute.split("."):
            value = getattr(value, part)
        inspect.signature(value).bind()
    except Exception as error:  # importing runs the user's code
        raise TargetError(
            f"The reset hook {name!r} cannot be used: {type(error).__name__}: {error}.",
            next_step="Name a function without parameters. " + _SYNTAX,
        ) from error

    def reset() -> None:
        result = value()
        if inspect.isawaitable(result):
            asyncio.run(_finish(result))

    return reset


def set_up(name: str | None, *, directory: str) -> Any:
    """What the function called ``name`` makes; ``None`` for no function.

    Args:
        name: as for ``load_reset``.

    Raises:
        TargetError: nothing is there, it cannot be called without arguments, or it fails.
    """
    if name is None:
        return None
    place, _, attribute = name.partition(":")
    try:
        value: Any = _module(place, directory)
        for part in attribute.split("."):
            value = getattr(value, part)
        made = value()
        return asyncio.run(_finish(made)) if inspect.isawaitable(made) else made
    except Exception as error:  # the user's code may raise anything
        raise TargetError(
            f"The setup {name!r} cannot be used: {type(error).__name__}: {error}.",
            next_step="Name a function without parameters that makes the instance. " + _SYNTAX,
        ) from error


async def _finish(awaitable: Any) -> Any:
    return await awaitable


def _module(place: str, directory: str) -> Any:
    if not place.endswith(".py"):
        return importlib.import_module(place)
    path = Path(directory, place).resolve()
    for module in list(sys.modules.values()):
        # The tool's own module: a second copy of it would have a state of its own.
        if getattr(module, "__file__", None) == str(path):
            return module
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Known from now on: two hooks of one file share its state, as a hook and the tool do.
    sys.modules[f"{_HOOKS}{path}"] = module
    spec.loader.exec_module(module)
    return module
