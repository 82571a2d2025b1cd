"""The run store that a command opens."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import click

from knitbone.config import load_config
from knitbone.errors import StoreError
from knitbone.record.sqlite_store import SqliteStore

__all__ = ["with_store"]


def with_store(function: Callable[..., Any]) -> Callable[..., Any]:
    """Open the store that ``--store`` or the configuration names, and close it afterwards.

    A store that is not there is empty; only an import makes it.
    """

    @wraps(function)
    def opened(*args: Any, store: str | None, **kwargs: Any) -> Any:
        path = store or load_config().record.store
        if "files" not in kwargs and not Path(path).exists():
            if named := kwargs.get("run") or kwargs.get("runs"):
                raise StoreError(
                    f"There is no run store at {path}, and so no run {named!r}.",
                    next_step="Import runs with: knitbone runs import FILE",
                )
            path = ":memory:"
        made = SqliteStore(path)
        try:
            return function(made, *args, **kwargs)
        finally:
            made.close()

    return click.option("--store", metavar="FILE", help="The run store; default: the configured.")(
        opened
    )
