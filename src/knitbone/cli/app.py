"""The command group: what ``knitbone`` itself does before and after a command.

Commands load on use, so that ``knitbone --help`` and shell completion stay fast.
"""

from __future__ import annotations

import difflib
import importlib
import logging
import sys

import click

from knitbone._logging import clean_lines, enable_logging, get_logger, level_asked_for, log
from knitbone._version import __version__
from knitbone.cli.output import fail
from knitbone.cli.streams import guarded_streams
from knitbone.errors import KnitboneError

__all__ = ["group", "main"]

_COMMANDS = {
    "check": "Show what an application expects of its models' outputs.",
    "completion": "Print the completion script for a shell.",
    "demo": "Run adapt, fuzz, diagnose and recover on the samples that come with knitbone.",
    "diagnose": "Find the step where a recorded agent run left the path.",
    "fix": "Mend the documentation of agent tools by what fuzzing learned of them.",
    "fuzz": "Break agent tools on purpose, before release.",
    "fuzz-docs": "Find where a tool's documentation misleads an agent.",
    "recover": "Run an agent until its task is done, told what went wrong before.",
    "learn": "Run a program and learn what its code does with its models' outputs.",
    "memory": "List, show and forget what repairs have learned of each task.",
    "repair": "Read the value in a text that a model wrote, with its faults repaired.",
    "run": "Run a program, adapt its models' outputs and, with --record, record what it does.",
    "trust": "Trust a project's configuration to name keys and hosts.",
    "runs": "List, show, compare, check, import, export, send and purge recorded runs.",
}

_logger = get_logger(__name__)


class _LazyGroup(click.Group):
    """A group whose commands are modules of ``knitbone.cli``, each with a ``command``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = importlib.import_module(
            f"knitbone.cli.{cmd_name.replace('-', '_')}"
        ).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in _COMMANDS and not name.startswith("-"):
            close = difflib.get_close_matches(name, _COMMANDS, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"Commands: {', '.join(_COMMANDS)}."
            raise click.UsageError(f"There is no command {name!r}. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _COMMANDS[name]) for name in self.list_commands(ctx)])


@click.command(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(prog)s %(version)s")
@click.pass_context
def group(context: click.Context) -> None:
    """Keep LLM-enabled Python software working.

    Every command takes --json. KNITBONE_LOG=debug writes a log to standard error, also of the
    Python programs that a command starts.
    """
    if level := level_asked_for():
        from knitbone.record.redaction import Redactor  # noqa: PLC0415 - half of a start's imports

        clean_lines(Redactor().text)
        enable_logging(level)
        name = context.invoked_subcommand
        log(_logger, logging.DEBUG, "command started", command=name, version=__version__)


def main() -> None:
    """Entry point. Exit codes: 0 done, 1 findings (where asked for) or a refused text, 2 usage or
    input error, 130 interrupted, 141 done but not all of its output was read."""
    try:
        with guarded_streams():
            _call()
    except KnitboneError as error:
        fail(error, as_json="--json" in sys.argv)


def _call() -> None:
    """The command that is asked for, every way to end as an exit code."""
    try:
        group.main(prog_name="knitbone", standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except KnitboneError as error:
        fail(error, as_json="--json" in sys.argv)
