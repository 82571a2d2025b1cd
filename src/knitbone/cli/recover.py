"""``knitbone recover``: run an agent until its task is done, told what went wrong before."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from knitbone.cli.output import console, json_option, print_json
from knitbone.config import load_config
from knitbone.errors import KnitboneError, TargetError
from knitbone.loading.object_names import NAME_SYNTAX, named_object
from knitbone.report.recovery import event_line, recovery_lines, recovery_record
from knitbone.tethering.recovery.api import recover
from knitbone.tethering.recovery.budget import RecoveryBudget
from knitbone.tethering.recovery.records import RecoveryEvent
from knitbone.tethering.recovery.strategies import STRATEGIES

__all__ = ["command"]

_NOT_RECOVERED, _UNJUDGED = 1, 3


@click.command("recover")
@click.argument("agent", metavar="AGENT")
@click.option("--task", metavar="TEXT", help="What the agent is asked; - reads standard input.")
@click.option("--succeeded", metavar="CHECK", help="Function that judges what the agent returned.")
@click.option(
    "--reset", metavar="FUNCTION", help="Function that brings the environment back before a repair."
)
@click.option(
    "--repeatable", is_flag=True,
    help="Repeat without a reset, also where state may have been changed.",
)  # fmt: skip
@click.option(
    "--max-repairs", type=click.IntRange(min=0), default=3, show_default=True,
    help="Attempts after the first.",
)  # fmt: skip
@click.option(
    "--strategy", default="full", show_default=True,
    help=f"{', '.join(STRATEGIES)}, or one of an installed package.",
)  # fmt: skip
@click.option(
    "--supervise", type=click.Choice(["off", "observe", "on"]), default="on", show_default=True,
    help="Whether repairs are corrected while they run; observe decides and says nothing.",
)  # fmt: skip
@click.option(
    "--disclosure", type=click.Choice(["family", "constraint", "values"]), default="constraint",
    show_default=True, help="How much of the failed run the guidance tells.",
)  # fmt: skip
@click.option("--key", metavar="TEXT", help="Name of the task in the repair memory.")
@click.option("--no-memory", is_flag=True, help="Neither read nor write the repair memory.")
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), help="For all attempts.")
@click.option(
    "--attempt-seconds", type=click.FloatRange(min=0, min_open=True), help="For one attempt."
)
@click.option("--max-tokens", type=click.IntRange(min=1), help="For all attempts.")
@click.option("--max-usd", type=click.FloatRange(min=0, min_open=True), help="For all attempts.")
@click.option("--store", metavar="FILE", help="Run store to record into.")
@click.option("--resume", is_flag=True, help="Continue what was interrupted.")
@json_option
def command(  # noqa: PLR0913 - one parameter an option
    agent: str,
    *,
    task: str | None,
    succeeded: str | None,
    reset: str | None,
    max_repairs: int,
    strategy: str,
    supervise: str,
    disclosure: str,
    key: str | None,
    seconds: float | None,
    attempt_seconds: float | None,
    max_tokens: int | None,
    max_usd: float | None,
    store: str | None,
    repeatable: bool,
    no_memory: bool,
    resume: bool,
    as_json: bool,
) -> None:
    """Run AGENT on a task; where it fails, diagnose the run, and try again, told what to change.

    AGENT, CHECK and FUNCTION are package.module:name or path/to/file.py:name. The agent is called
    with the task; a function of two arguments gets what supervises it as the second. CHECK is
    called with what the agent returned (and with the recorded run, where it takes two arguments)
    and gives True, False, None or a Judgement.

    The program runs here, not in a sandbox. Nothing is repeated after calls that may have changed
    state, unless --reset is given or --repeatable says so.

    Exit codes: 0 the task is done; 1 it is not; 2 an argument or the configuration cannot be used;
    3 nobody could judge the attempt; 130 interrupted, to be continued with --resume.
    """
    words = _task(task)
    functions = {
        name: _function(value, name)
        for name, value in (("agent", agent), ("succeeded", succeeded), ("reset", reset))
        if value is not None
    }

    def tell(event: RecoveryEvent) -> None:
        if not as_json:
            console().print(event_line(event), markup=False, highlight=False, soft_wrap=True)

    recovery = recover(
        functions["agent"],
        words,
        functions.get("succeeded"),
        max_repairs=max_repairs,
        strategy=strategy,
        reset=functions.get("reset"),
        repeatable=repeatable,
        supervise=supervise,
        disclosure=disclosure,
        key=key,
        remember=not no_memory,
        budget=RecoveryBudget(
            seconds=seconds, attempt_seconds=attempt_seconds, tokens=max_tokens, usd=max_usd
        ),
        store=store,
        resume=resume,
        config=load_config(),
        listener=tell,
    )
    if as_json:
        print_json(recovery_record(recovery))
    else:
        for line in recovery_lines(recovery):
            console().print(line, markup=False, highlight=False, soft_wrap=True)
    if not recovery.success:
        sys.exit(_UNJUDGED if recovery.ending == "no verdict" else _NOT_RECOVERED)


def _task(task: str | None) -> str:
    text = sys.stdin.read() if task == "-" else task
    if not text or not text.strip():
        raise KnitboneError("There is no task.", next_step='Give one: --task "..."')
    return text


def _function(name: str, role: str) -> Callable[..., Any]:
    """The function of a name.

    Raises:
        TargetError: there is none.
    """
    try:
        found = named_object(name, directory=Path.cwd())
    except KnitboneError:
        raise
    except Exception as error:  # the user's module may raise anything
        raise TargetError(
            f"The {role} {name!r} cannot be loaded: {type(error).__name__}: {error}.",
            next_step=NAME_SYNTAX,
        ) from error
    if not callable(found):
        raise TargetError(
            f"The {role} {name!r} is no function, it is a {type(found).__name__}.",
            next_step="Name a function.",
        )
    return found
