"""``knitbone trust``: whose configuration may name keys and hosts."""

from __future__ import annotations

from pathlib import Path

import click

from knitbone.cli.output import json_option, print_json
from knitbone.common.printable import printable
from knitbone.models.trust import set_trust, trusted_folders

__all__ = ["command"]


@click.command("trust")
@click.argument(
    "folder", type=click.Path(path_type=Path, exists=True, file_okay=False), default="."
)
@click.option("--revoke", is_flag=True, help="Trust the folder no more.")
@click.option("--list", "listed", is_flag=True, help="Show the trusted folders.")
@json_option
def command(folder: Path, *, revoke: bool, listed: bool, as_json: bool) -> None:
    """Trust a project's configuration to name keys of the environment and hosts.

    Without it the file of a project cannot choose which environment variable is sent as a key, nor
    a host beyond this machine.
    """
    if not listed:
        set_trust(folder, trusted=not revoke)
    folders = [str(each) for each in trusted_folders()]
    if as_json:
        print_json({"trusted": folders})
        return
    for each in folders if listed else ():
        click.echo(printable(each))
    if not listed:
        shown = printable(str(folder.resolve()))
        click.echo(f"{shown} is {'no longer trusted' if revoke else 'trusted'}.")
