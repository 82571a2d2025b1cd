"""The options of ``fuzz``, ``fuzz-docs`` and ``fix`` that say how tools are called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

__all__ = ["tool_options"]

_OPTIONS = (
    click.option(
        "--time",
        "time_s",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="Wall clock for each tool, hard.  [default: 300]",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0.01),
        help="Seconds allowed to one call.  [default: 5]",
    ),
    click.option(
        "--files",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="Folder whose copy the tools work in; small sample files otherwise.",
    ),
    click.option(
        "--allow-host", "allow_hosts", multiple=True, help="Host that the tools may connect to."
    ),
    click.option(
        "--reset",
        metavar="HOOK",
        help="Function (module:name or file.py:name) called before each call.",
    ),
    click.option(
        "--env",
        multiple=True,
        metavar="NAME",
        help="Environment variable that the tools see; its value is in no record.",
    ),
    click.option(
        "--setup",
        metavar="HOOK",
        help="Function (module:name or file.py:name) that makes what TARGET names the class of.",
    ),
)


def tool_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how tools are called: ``time_s``, ``timeout``, ``files``,
    ``allow_hosts``, ``reset``, ``env``, ``setup``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command
