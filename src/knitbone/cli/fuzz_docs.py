"""``knitbone fuzz-docs``: find where a tool's documentation misleads an agent."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from knitbone.cli.fuzz_reports import (
    BaselineFile,
    FinishedCampaign,
    ReportFiles,
    report_options,
)
from knitbone.cli.output import console, is_terminal, json_option, progress
from knitbone.cli.tool_options import tool_options
from knitbone.common.printable import printable
from knitbone.config import load_config
from knitbone.errors import InputFormatError
from knitbone.fuzzing.documentation.engine import (
    DocumentationSearch,
    Players,
    fuzz_documentation,
    players_of,
)
from knitbone.fuzzing.documentation.faults import as_campaign, marked_known
from knitbone.fuzzing.documentation.records import (
    CHECKS,
    EVERY_CHECK,
    Check,
    DocumentationCampaign,
    DocumentationEvent,
    DocumentationFinished,
    DocumentationStarted,
    PromptRunFinished,
    SetJudged,
    SetWritten,
)
from knitbone.fuzzing.documentation.search_files import save_campaign
from knitbone.fuzzing.journal import open_journals
from knitbone.fuzzing.records import Campaign, json_text
from knitbone.models.factory import SelfJudgingWarning
from knitbone.record.redaction import Redactor
from knitbone.report.documentation import (
    cross_call_lines,
    documentation_lines,
    documentation_record,
)
from knitbone.report.documentation_html import documentation_page
from knitbone.report.fuzz import news

__all__ = ["command"]

_FOLDER = click.Path(file_okay=False, path_type=Path)
_HOME = Path(".knitbone")
_NORMALISERS = ("times", "ids", "order")


class _Searched(msgspec.Struct, frozen=True, kw_only=True):
    """One finished search, with what a baseline knows of it marked."""

    search: DocumentationCampaign
    shared: Campaign
    """The same in the form that all findings share."""
    seconds: float


def _words(known: Sequence[str]) -> Any:
    """A callback that reads a list of known words, such as ``input,output``."""

    def read(_context: click.Context, _parameter: click.Parameter, value: str | None) -> Any:
        if value is None:
            return None
        words = tuple(word.strip() for word in value.split(",") if word.strip())
        for word in words:
            if word not in known:
                raise click.BadParameter(f"{word!r} is none of {', '.join(known)}")
        if not words:
            raise click.BadParameter(f"name at least one of {', '.join(known)}")
        return words

    return read


@click.command("fuzz-docs")
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True)
@click.option("--sets", type=click.IntRange(min=1), help="Prompt sets for each tool.  [default: 5]")
@click.option(
    "--prompts", type=click.IntRange(min=2), help="Synonymous prompts of a set.  [default: 3]"
)
@click.option(
    "--temperature",
    type=click.FloatRange(min=0, max=2),
    default=0.0,
    help="Temperature of the model that writes the prompts.  [default: 0]",
)
@click.option(
    "--agent",
    metavar="KIND",
    help="react, tool-calling, or module:name of an agent of your own.  [default: react]",
)
@click.option(
    "--check",
    "checks",
    callback=_words(EVERY_CHECK),
    metavar="CHECKS",
    help="A set is faulty where all of these fail. input: the calls differ; output: the results "
    "differ; oracle: an answer is wrong; refused: no call worked.  [default: input,output,oracle]",
)
@click.option(
    "--normalise",
    callback=_words(_NORMALISERS),
    metavar="WHAT",
    help="Differences of results that do not count: times, ids, order.",
)
@click.option(
    "--all-checks", is_flag=True, help="Make every check of every set, also after one that passed."
)
@click.option(
    "--rate",
    "rated",
    type=click.Choice(["answer", "output"]),
    default="answer",
    show_default=True,
    help="What the oracle judges: the agent's answer, or the tool's output.",
)
@click.option("--humanise", is_flag=True, help="Have the prompts put into a person's words.")
@click.option(
    "--context",
    "context_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="What else the writer is to know, such as what the tool's data hold.",
)
@click.option(
    "--together",
    is_flag=True,
    help="Give the agent all tools of TARGET, not one at a time, and tell which it confuses.",
)
@tool_options
@click.option("--max-tokens", type=click.IntRange(min=1), help="Stop a tool at so many tokens.")
@click.option(
    "--max-usd",
    type=click.FloatRange(min=0, min_open=True),
    help="Stop a tool at so many US dollars.",
)
@click.option("--resume", is_flag=True, help="Continue what was interrupted.")
@click.option(
    "--journal",
    type=_FOLDER,
    metavar="FOLDER",
    help="Where steps are written down, to resume from.  [default: .knitbone/fuzz-docs/...]",
)
@click.option("--no-journal", is_flag=True, help="Write no journal.")
@click.option(
    "--save",
    type=_FOLDER,
    metavar="FOLDER",
    help="Write each search there, with all calls, answers and verdicts.",
)
@report_options
@click.option(
    "--exit-code", is_flag=True, help="Exit with 1 when there are faults that no baseline names."
)
@json_option
def command(  # noqa: PLR0913 - one parameter an option
    targets: tuple[str, ...],
    *,
    sets: int | None,
    prompts: int | None,
    temperature: float,
    agent: str | None,
    checks: tuple[Check, ...] | None,
    normalise: tuple[str, ...] | None,
    all_checks: bool,
    rated: Any,
    humanise: bool,
    context_file: Path | None,
    together: bool,
    time_s: float | None,
    timeout: float | None,
    max_tokens: int | None,
    max_usd: float | None,
    files: Path | None,
    allow_hosts: tuple[str, ...],
    reset: str | None,
    env: tuple[str, ...],
    setup: str | None,
    resume: bool,
    journal: Path | None,
    no_journal: bool,
    save: Path | None,
    baseline: Path | None,
    update_baseline: bool,
    sarif: Path | None,
    junit: Path | None,
    html: Path | None,
    exit_code: bool,
    as_json: bool,
) -> None:
    """Ask an agent the same thing in several ways, and see whether it calls the tool alike.

    A model writes sets of prompts that mean the same (role writer), an agent with the tool works on
    each (role agent), and a set is faulty if it led to different calls, with different results, and
    to an answer that is not what a third model expects (role oracle). Each fault names the argument
    that varies and the sentence that is missing in the documentation.

    The models are named in [tool.knitbone.writer], .agent and .oracle of pyproject.toml, or by
    KNITBONE_WRITER_NAME and so on; without an oracle, calls and results decide.

    TARGET is package.module:name or path/to/file.py:name, as for knitbone fuzz; the tools run in
    its sandbox.

    Exit codes: 0 done; 1 new faults, with --baseline or --exit-code; 2 the target, a model or a
    file is wrong; 130 interrupted, to be continued with --resume.
    """
    if resume and no_journal:
        raise click.UsageError("--resume needs the journal: leave --no-journal out.")
    if update_baseline and baseline is None:
        raise click.UsageError("--update-baseline needs --baseline FILE.")
    given = {
        "sets": sets, "prompts": prompts, "normalise": normalise, "time_s": time_s,
        "call_timeout_s": timeout, "max_tokens": max_tokens, "max_usd": max_usd,
    }  # fmt: skip
    config = load_config()
    fuzz = msgspec.structs.replace(
        config.fuzz, **{name: value for name, value in given.items() if value is not None}
    )
    config = msgspec.structs.replace(config, fuzz=fuzz)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", SelfJudgingWarning)
        players = players_of(config, agent=agent, temperature=temperature)
    for warning in warned:
        console(stderr=True).print(f"note: {printable(str(warning.message), limit=400)}")
    search = DocumentationSearch(
        config=fuzz,
        temperature=temperature,
        humanise=humanise,
        checks=_checks(checks, players),
        exhaustive=all_checks,
        rated=rated,
        context="" if context_file is None else _read(context_file),
        together=together,
    )
    journals = (
        None
        if no_journal
        else open_journals(
            journal,
            _HOME / "fuzz-docs",
            targets,
            resume=resume,
            names=("search", "steps"),
            warn=console(stderr=True).print,
        )
    )
    setting: dict[str, Any] = {
        "files": files, "allow_hosts": allow_hosts, "reset": reset, "env": env, "setup": setup,
        "journals": journals, "redactor": Redactor(config.record.redact),
    }  # fmt: skip
    accepted = BaselineFile(baseline, "documentation")
    reports = ReportFiles(command="knitbone fuzz-docs", sarif=sarif, junit=junit, html=html)
    done: list[_Searched] = []
    is_interrupted = False
    try:
        for each in _told(
            _events(targets, players, search, setting),
            accepted,
            as_json=as_json,
            folder=save,
        ):
            done.append(each)
    except KeyboardInterrupt:
        is_interrupted = True
    found = [each.search for each in done]
    if not as_json:
        for text, style in cross_call_lines(found):
            console().print(text, style=style or None)
    shared = [FinishedCampaign(campaign=each.shared, seconds=each.seconds) for each in done]
    reports.write(shared, page=lambda: documentation_page(found))
    if is_interrupted:
        hint = "" if journals is None else "; the same command with --resume continues"
        console(stderr=True).print(f"interrupted{hint}")
        sys.exit(130)
    if journals is not None:
        journals.discard()
    campaigns = [each.shared for each in done]
    accepted.settle(campaigns, update=update_baseline, as_json=as_json)
    fails = exit_code or baseline is not None
    if fails and not update_baseline and any(map(news, campaigns)):
        sys.exit(1)


def _checks(asked: tuple[Check, ...] | None, players: Players) -> tuple[Check, ...]:
    """The checks that were asked for; all that can be made otherwise."""
    if asked is not None:
        if "oracle" in asked and players.oracle is None:
            raise click.UsageError(
                "The oracle check needs a model: set KNITBONE_ORACLE_NAME, or name in "
                "[tool.knitbone.oracle]."
            )
        return asked
    if players.oracle is not None:
        return CHECKS
    console(stderr=True).print(
        "note: no model is configured for the role oracle, so a set is held for faulty where calls "
        "and results differ; that accuses sound tools more often"
    )
    return ("input", "output")


def _events(
    targets: Sequence[str], players: Players, search: DocumentationSearch, setting: dict[str, Any]
) -> Iterator[DocumentationEvent]:
    for target in targets:
        yield from fuzz_documentation(
            target,
            agent=players.agent,
            writer=players.writer,
            oracle=players.oracle,
            search=search,
            memory=players.memory,
            **setting,
        )


def _told(
    events: Iterator[DocumentationEvent],
    accepted: BaselineFile,
    *,
    as_json: bool,
    folder: Path | None,
) -> Iterator[_Searched]:
    """Show what happens, and give the finished searches."""
    screen = console()
    began = time.monotonic()
    with progress("reading the tools") as say:
        for event in events:
            if isinstance(event, DocumentationStarted):
                began = time.monotonic()
            say(_doing(event))
            if not isinstance(event, DocumentationFinished):
                continue
            if folder is not None:
                save_campaign(event.campaign, folder)
            marked = accepted.marked(as_campaign(event.campaign))
            campaign = marked_known(event.campaign, marked)
            seconds = time.monotonic() - began
            if as_json:
                sys.stdout.write(json_text(documentation_record(campaign)) + "\n")
            else:
                shown = seconds if is_terminal(screen) else None
                for text, style in documentation_lines(campaign, seconds=shown):
                    screen.print(text, style=style or None, soft_wrap="again" in text or None)
            sys.stdout.flush()
            yield _Searched(search=campaign, shared=marked, seconds=seconds)


def _doing(event: DocumentationEvent) -> str:
    if isinstance(event, DocumentationStarted):
        return f"writing prompts for {printable(event.tool.name, limit=40)}"
    if isinstance(event, SetWritten):
        return f"asking: {printable(event.set.prompts[0].text, limit=80)}"
    if isinstance(event, PromptRunFinished):
        return f"answered: {printable(event.run.query, limit=80)}"
    if isinstance(event, SetJudged):
        return f"judged: {printable(event.result.set.template.text, limit=80)}"
    return "next tool"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputFormatError(
            f"{path} cannot be read: {error}.", next_step="Name a text file."
        ) from error
