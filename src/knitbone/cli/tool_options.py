"""What ``fuzz``, ``fuzz-docs`` and ``fix`` share: how tools are called, and journals to resume."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from knitbone.cli.output import console
from knitbone.errors import InputFormatError
from knitbone.fuzzing.journal import Journals

__all__ = ["open_journals", "tool_options"]

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


def open_journals(
    folder: Path | None,
    home: Path,
    targets: Sequence[str],
    *,
    resume: bool,
    names: tuple[str, str],
) -> Journals:
    """Open the journals of a command; one that is about to be lost is told.

    Args:
        folder: where they are; a folder of ``home`` named after the targets if not given.
        names: what is interrupted, and what was made of it: ``campaign``, ``calls``.

    Raises:
        InputFormatError: there is nothing to resume.
    """
    whole, parts = names
    if folder is None:
        slug = re.sub(r"\W+", "_", targets[0], flags=re.ASCII)[-40:]
        digest = hashlib.sha256(json.dumps(sorted(targets)).encode("ascii")).hexdigest()[:8]
        folder = home / f"{slug}-{digest}"
    journals = Journals(folder, resume=resume)
    left = journals.unfinished()
    if resume and not left:
        raise InputFormatError(
            f"There is no interrupted {whole} in {folder}.",
            next_step="Start it without --resume, or name its folder with --journal.",
        )
    if left and not resume:
        journals.discard()
        console(stderr=True).print(
            f"note: {left} {parts} of an interrupted {whole} are made anew; --resume continues it"
        )
    return journals
