"""The option that commands which read files of runs have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from knitbone.errors import InputFormatError
from knitbone.tethering.interchange.importers.registry import AUTO, FORMATS, format_named

__all__ = ["format_option"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


class _Format(click.Choice[str]):
    """The formats that are built in, which the help lists, and those of installed packages."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value == AUTO:
            return AUTO
        try:
            return format_named(str(value)).name
        except InputFormatError as error:
            self.fail(str(error), param, ctx)


def format_option(command: _Command) -> _Command:
    """The ``--format`` option; the command receives it as ``source_format``."""
    return click.option(
        "--format",
        "source_format",
        type=_Format([AUTO, *FORMATS]),
        default=AUTO,
        show_default=True,
        help="Format of the files; auto recognises it by its structure. Installed packages may add"
        " formats.",
    )(command)
