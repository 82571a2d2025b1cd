"""``knitbone completion``: the script that makes a shell complete our commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from knitbone.cli.output import json_option, print_json

__all__ = ["command"]


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@json_option
def command(shell: str, *, as_json: bool) -> None:
    """Print the completion script for SHELL.

    For bash: knitbone completion bash >> ~/.bashrc
    """
    from knitbone.cli.app import group  # noqa: PLC0415 - the group loads this module

    script_class = get_completion_class(shell)
    if script_class is None:
        raise click.UsageError(f"This version of click has no completion for {shell}.")
    script = script_class(group, {}, "knitbone", "_KNITBONE_COMPLETE").source()
    if as_json:
        print_json({"shell": shell, "script": script})
    else:
        click.echo(script)
