"""The user's reset hook: what puts a tool's own state back before each call. Runs in the worker."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from knitbone.errors import TargetError
from knitbone.loading.object_names import NAME_SYNTAX, named_object

__all__ = ["load_reset", "set_up"]


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
    try:
        value = named_object(name, directory=directory)
        inspect.signature(value).bind()
    except Exception as error:  # importing runs the user's code
        raise TargetError(
            f"The reset hook {name!r} cannot be used: {type(error).__name__}: {error}.",
            next_step="Name a function without parameters. " + NAME_SYNTAX,
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
    try:
        value = named_object(name, directory=directory)
        made = value()
        return asyncio.run(_finish(made)) if inspect.isawaitable(made) else made
    except Exception as error:  # the user's code may raise anything
        raise TargetError(
            f"The setup {name!r} cannot be used: {type(error).__name__}: {error}.",
            next_step="Name a function without parameters that makes the instance. " + NAME_SYNTAX,
        ) from error


async def _finish(awaitable: Any) -> Any:
    return await awaitable
