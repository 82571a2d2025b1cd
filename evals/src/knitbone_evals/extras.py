"""Libraries that only a part of the tasks needs."""

from __future__ import annotations

import importlib
from typing import Any

from knitbone.errors import MissingExtraError

__all__ = ["import_extra"]


def import_extra(module: str, *, purpose: str) -> Any:
    """Import a library of the extra ``train``, or say how to install it.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        root = module.partition(".")[0]
        if (error.name or "").partition(".")[0] != root:
            raise
        raise MissingExtraError(
            f"{purpose} needs the package {root!r}, which is not installed.",
            next_step="Install it with: pip install -e 'evals[train]'",
        ) from error
