"""``knitbone memory``: what earlier attempts at tasks left behind for the next ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click

from knitbone.cli.output import console, json_option, print_json
from knitbone.cli.runs import with_store
from knitbone.common.printable import printable
from knitbone.config import load_config
from knitbone.errors import StoreError
from knitbone.models.embedders import create_embedder
from knitbone.record.sqlite_store import SqliteStore
from knitbone.report.run_lines import time_text
from knitbone.tethering.guidance.hashing import task_key
from knitbone.tethering.guidance.memory import RepairMemory
from knitbone.tethering.guidance.records import RepairEntry
from knitbone.tethering.guidance.wording import sentences_of

__all__ = ["command"]

_STATES = ("unresolved", "regressed", "fixed")


@click.group("memory")
def command() -> None:
    """List, show and forget what repairs of failed runs have learned of each task."""


@command.command("list")
@json_option
@with_store
def list_tasks(store: SqliteStore, *, as_json: bool) -> None:
    """List the tasks of which something is remembered, the one that changed last first."""
    memory = RepairMemory(store)
    tasks: dict[str, list[RepairEntry]] = {}
    for entry in sorted(memory.entries(), key=lambda entry: -entry.updated_ns):
        tasks.setdefault(entry.task, []).append(entry)
    words = memory.task_words(entry for entries in tasks.values() for entry in entries)
    for key, entries in tasks.items():
        states = Counter(entry.state for entry in entries)
        if as_json:
            print_json({"task": key, "asked": words.get(key, ""), "directives": len(entries),
                        **{state: states[state] for state in _STATES},
                        "updated_ns": entries[0].updated_ns})  # fmt: skip
            continue
        counted = ", ".join(f"{states[state]} {state}" for state in _STATES if states[state])
        when = time_text(entries[0].updated_ns)
        asked = printable(words.get(key, ""), limit=100)
        console().print(f"{printable(key)}   {when}   {counted}   {asked}".rstrip())
    if not tasks and not as_json:
        click.echo("Nothing is remembered of any task.")
    _say_problems(memory)


@command.command("show")
@click.argument("task")
@click.option(
    "--similar",
    is_flag=True,
    help="Show what is remembered of other tasks, too, whose words say nearly the same.",
)
@json_option
@with_store
def show_task(store: SqliteStore, task: str, *, similar: bool, as_json: bool) -> None:
    """Show the directives of TASK: its key, the beginning of one, or its words."""
    memory = RepairMemory(store)
    key = _key(memory, task)
    entries = memory.entries(key)
    words = memory.task_words(entries).get(key, "")
    if similar:
        asked = words or task
        entries += memory.similar(asked, create_embedder(load_config().embedder), key=key)
    if as_json:
        for entry in entries:
            print_json(entry)
    else:
        _print(key, words, entries)
    _say_problems(memory)


@command.command("forget")
@click.argument("task")
@click.argument("directive", required=False)
@json_option
@with_store
def forget_task(store: SqliteStore, task: str, directive: str | None, *, as_json: bool) -> None:
    """Forget DIRECTIVE of TASK, or all that is remembered of TASK, for good."""
    memory = RepairMemory(store)
    key = _key(memory, task)
    gone = memory.forget(key, directive)
    if not gone:
        raise StoreError(
            f"Nothing is remembered of {key!r} under {directive!r}.",
            next_step=f"List its directives with: knitbone memory show {key}",
        )
    if as_json:
        print_json({"task": key, "forgotten": gone})
    else:
        click.echo(f"{gone} {'directive' if gone == 1 else 'directives'} forgotten")


def _key(memory: RepairMemory, task: str) -> str:
    """The key of a task that is remembered.

    Raises:
        StoreError: none has this key or these words, or several keys begin so.
    """
    keys = memory.tasks()
    if task_key(task) in keys:
        return task_key(task)
    found = [key for key in keys if key.startswith(task)]
    if len(found) == 1:
        return found[0]
    _say_problems(memory)
    raise StoreError(
        f"{'Several tasks begin' if found else 'Nothing is remembered of a task that begins'}"
        f" with {task!r}.",
        next_step="List the tasks with: knitbone memory list",
    )


def _print(key: str, words: str, entries: Sequence[RepairEntry]) -> None:
    screen = console()
    screen.print(f"task {printable(key)}" + (f"   {printable(words, limit=200)}" if words else ""))
    for entry in entries:
        directive = entry.directive
        of = "" if entry.task == key else f"   of the similar task {printable(entry.task)}"
        told = f"told {entry.shown} {'time' if entry.shown == 1 else 'times'}"
        screen.print(f"\n{entry.state:<11} {printable(directive.id, limit=160)}{of}")
        screen.print(f"  {printable(sentences_of(directive), limit=600)}")
        screen.print(f"  {told}, followed {entry.followed};"
                     f" from run {printable(entry.first_run[:12])},"
                     f" last in {printable(entry.last_run[:12])}"
                     f" ({time_text(entry.updated_ns)})")  # fmt: skip


def _say_problems(memory: RepairMemory) -> None:
    for problem in memory.problems:
        click.echo(f"note: {printable(problem, limit=500)}", err=True)
