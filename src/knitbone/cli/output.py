"""What all commands print alike: JSON for machines, text for people, errors for both."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner

from knitbone.common.printable import printable
from knitbone.errors import KnitboneError
from knitbone.record.events import encode_json

__all__ = ["console", "fail", "is_terminal", "json_option", "print_json", "progress", "wrote"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def json_option(command: _Command) -> _Command:
    """The ``--json`` switch; the command receives it as ``as_json``."""
    return click.option(
        "--json", "as_json", is_flag=True, help="Print JSON, one object a line, for machines."
    )(command)


def console(*, stderr: bool = False) -> Console:
    """A console that is coloured on a terminal, and plain and unwrapped in a pipe (where
    ``FORCE_COLOR`` asks for it, coloured and unwrapped)."""
    stream = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not is_terminal(stream):
        stream.soft_wrap = True
        stream.width = 1_000
    return stream


def is_terminal(screen: Console) -> bool:
    """Whether a person looks at it: ``FORCE_COLOR`` makes no terminal of a file."""
    return screen.file.isatty() and not screen.is_dumb_terminal


@contextmanager
def progress(text: str) -> Generator[Callable[[str], None]]:
    """A line on standard error, where that is a terminal, while something goes on; yields what
    changes its text. Standard output stays what it is: data."""
    screen = console(stderr=True)
    if not is_terminal(screen):
        yield lambda _text: None
        return
    line = Spinner("dots", text)
    with Live(line, console=screen, transient=True, redirect_stdout=False, redirect_stderr=False):
        yield lambda said: line.update(text=said)


def print_json(record: Any) -> None:
    """One JSON object on one line of standard output."""
    sys.stdout.write(encode_json(record).decode("utf-8") + "\n")
    sys.stdout.flush()


def wrote(path: Path) -> None:
    """Say on standard error that a file was written; standard output stays what it is: data."""
    console(stderr=True).print(printable(f"Wrote {path}", limit=500), style="dim", soft_wrap=True)


def fail(error: KnitboneError, *, as_json: bool) -> NoReturn:
    """Report an error of ours on standard error and end with exit code 2."""
    from knitbone.record.redaction import Redactor  # noqa: PLC0415 - half of a start's imports

    # What was wrong is quoted, and may be a key.
    message = Redactor().text(error.message)
    if as_json:
        body = {
            "error": {
                "type": type(error).__name__,
                "message": message,
                "next_step": error.next_step,
            }
        }
        sys.stderr.write(encode_json(body).decode("utf-8") + "\n")
    else:
        screen = console(stderr=True)
        screen.print("error: " + printable(message, limit=2_000), style="bold red")
        if error.next_step:
            screen.print(printable(error.next_step, limit=2_000))
    sys.exit(2)
