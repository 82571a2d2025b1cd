"""``knitbone fuzz``: break agent tools on purpose, before release."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from knitbone.cli.fuzz_progress import FuzzProgress
from knitbone.cli.fuzz_reports import BaselineFile, FinishedCampaign, ReportFiles, report_options
from knitbone.cli.output import console, is_terminal, json_option
from knitbone.cli.tool_options import tool_options
from knitbone.common.printable import printable
from knitbone.config import load_config
from knitbone.fuzzing.engine import Replay, replay
from knitbone.fuzzing.generate.examples import read_examples
from knitbone.fuzzing.interrupted_campaigns import UnfinishedCampaigns
from knitbone.fuzzing.jobs import Job, fuzz_all
from knitbone.fuzzing.journal import open_journals
from knitbone.fuzzing.records import (
    Campaign,
    CampaignFinished,
    CampaignStarted,
    FuzzEvent,
    json_text,
)
from knitbone.fuzzing.replays import campaign_record, read_replay
from knitbone.fuzzing.reproducers import ReplaySetting, save_findings, save_tests
from knitbone.fuzzing.sandbox_report import report_sandbox
from knitbone.report.fuzz import (
    campaign_lines,
    figures,
    got_nowhere,
    news,
    report_lines,
    report_record,
    sandbox_line,
    totals_line,
    unmade_lines,
)
from knitbone.report.fuzz_html import fuzz_page

__all__ = ["command"]


# What ``knitbone fuzz`` says of its sandbox: before a campaign, and with ``--sandbox-report``.


def say_start(event: CampaignStarted, *, is_first: bool) -> None:
    """What is known before the first call: the sandbox, once, and what cannot be generated."""
    screen = console()
    if is_first:
        screen.print(sandbox_line(event), style="dim", soft_wrap=True, markup=False)
    for line in unmade_lines(event):
        screen.print(line, style="yellow", soft_wrap=True, markup=False)


def show_sandbox_report(*, as_json: bool) -> None:
    """Try every escape, and show what held."""
    report = report_sandbox()
    if as_json:
        sys.stdout.write(json_text(report_record(report)) + "\n")
        return
    screen = console()
    for line, style in report_lines(report):
        screen.print(line, style=style or None, soft_wrap=True, markup=False)


# ``knitbone fuzz --replay``: one call again, and whether it fails as it did.


def show_replay(
    call: Callable[..., Replay], text: str, expect: str | None, *, as_json: bool
) -> None:
    """Make a call and say whether it fails as expected; ends with exit code 0 if so, else 1."""
    calls = read_replay(text)
    result = call(arguments=calls.arguments, before=calls.before)
    wanted = expect or calls.id
    verdict = result.verdict
    if wanted is None:
        reproduced = verdict is not None and verdict.standing == "unhandled"
    else:
        reproduced = verdict is not None and verdict.id == wanted
    if as_json:
        sys.stdout.write(json_text(_record(result, reproduced=reproduced)) + "\n")
    else:
        _print(result, reproduced=reproduced, wanted=wanted)
    sys.exit(0 if reproduced else 1)


def _record(result: Replay, *, reproduced: bool) -> dict[str, Any]:
    outcome, verdict = result.outcome, result.verdict
    return {
        "tool": result.tool.name,
        "reproduced": reproduced,
        "status": outcome.status,
        "id": verdict.id if verdict else None,
        "standing": verdict.standing if verdict else None,
        "kind": verdict.kind if verdict else None,
        "exception": verdict.exception if verdict else None,
        "frame": msgspec.to_builtins(verdict.frame) if verdict else None,
        "message": verdict.message if verdict else outcome.message,
        "text": outcome.text,
    }


def _print(result: Replay, *, reproduced: bool, wanted: str | None) -> None:
    screen = console()
    verdict, outcome = result.verdict, result.outcome
    if verdict is None:
        text = outcome.text if outcome.status == "ok" else outcome.message
        status = "returned" if outcome.status == "ok" else outcome.status
        word = "no failure" if wanted is None else "not reproduced"
        screen.print(f"{word}: {status} {printable(text)}".rstrip())
        return
    frame = verdict.frame
    place = "" if frame is None else f"{frame.file}:{frame.line}  {printable(frame.source)}"
    other = f"another failure than {printable(wanted)}" if wanted else "not reproduced"
    word = "reproduced" if reproduced else other
    if verdict.standing != "unhandled":
        word += f" ({verdict.standing}: {printable(verdict.because)})"
    what = " ".join(part for part in (verdict.kind, verdict.exception) if part)
    screen.print(f"{word}: {printable(what)}  {printable(verdict.message)}")
    if place:
        screen.print(f"  at {printable(place, limit=1_000)}")


_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)
_HOME = Path(".knitbone")
_FINDINGS = _HOME / "findings"


class _FuzzOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the command was asked for, besides what the campaign itself needs."""

    accepted: BaselineFile
    update_baseline: bool
    save: Path | None
    tests: Path | None
    reports: ReportFiles
    exit_code: bool
    as_json: bool


@click.command("fuzz")
@click.argument("targets", metavar="TARGET...", nargs=-1)
@click.option("--calls", type=click.IntRange(min=1), help="Calls for each tool.  [default: 200]")
@click.option("--seed", type=int, help="The same seed gives the same calls.  [default: 0]")
@tool_options
@click.option(
    "--max-tokens", type=click.IntRange(min=1), help="Most tokens of model stages for each tool."
)
@click.option(
    "--max-usd",
    type=click.FloatRange(min=0, min_open=True),
    help="Most US dollars of model stages for each tool.",
)
@click.option("--no-model", is_flag=True, help="Use no language model, whatever is configured.")
@click.option(
    "--examples",
    "examples_file",
    type=_FILE,
    metavar="FILE",
    help="Calls to begin with: JSON Lines, or a list, of argument objects.",
)
@click.option(
    "--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Tools at a time."
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Where the jobs run: processes of this machine, or a Ray cluster.",
)
@click.option("--resume", is_flag=True, help="Continue what was interrupted.")
@click.option(
    "--journal",
    type=_FOLDER,
    metavar="FOLDER",
    help="Where calls are written down, to resume from.  [default: .knitbone/fuzz/...]",
)
@click.option("--no-journal", is_flag=True, help="Write no journal.")
@click.option(
    "--save",
    type=_FOLDER,
    metavar="FOLDER",
    help=f"Where to write each finding and its test.  [default: {_FINDINGS}]",
)
@click.option("--no-save", is_flag=True, help="Write no findings.")
@click.option(
    "--pytest", "tests", type=_FOLDER, metavar="FOLDER", help="Also write the tests here."
)
@report_options
@click.option(
    "--replay",
    "replay_text",
    metavar="JSON|@FILE",
    help="Make one call with these arguments; exit code 0 if it fails (again), 1 if not.",
)
@click.option("--expect", metavar="ID", help="With --replay: the failure must be this one.")
@click.option(
    "--sandbox-report",
    is_flag=True,
    help="Try to escape from the sandbox in some forty ways, and show what holds here.",
)
@click.option("--exit-code", is_flag=True, help="Exit with 1 when there are findings.")
@json_option
def command(  # noqa: PLR0913 - one parameter an option
    targets: tuple[str, ...],
    *,
    calls: int | None,
    seed: int | None,
    time_s: float | None,
    timeout: float | None,
    max_tokens: int | None,
    max_usd: float | None,
    no_model: bool,
    files: Path | None,
    allow_hosts: tuple[str, ...],
    reset: str | None,
    env: tuple[str, ...],
    setup: str | None,
    examples_file: Path | None,
    jobs: int,
    engine: str,
    resume: bool,
    journal: Path | None,
    no_journal: bool,
    baseline: Path | None,
    update_baseline: bool,
    save: Path | None,
    no_save: bool,
    tests: Path | None,
    sarif: Path | None,
    junit: Path | None,
    html: Path | None,
    replay_text: str | None,
    expect: str | None,
    sandbox_report: bool,
    exit_code: bool,
    as_json: bool,
) -> None:
    """Call the tools that TARGET names with generated arguments, and show their unique failures.

    TARGET is package.module:name or path/to/file.py:name, where the name is a function, a tool of
    LangChain, LlamaIndex, CrewAI, AutoGen, AG2 or smolagents, a toolkit, any object with a name, a
    schema and a callable, a schema beside its function, or a list of these; name() calls a
    factory, and #tool picks one of several.
    mcp:stdio:COMMAND and mcp:http:URL name the tools of an MCP server.

    Other tools that share state with a tool (of the same list, server, instance or module) may be
    called before it, in the same sandbox.

    The tools run in worker processes with a private temporary directory, limits on time, memory,
    processes and files, no network, and no write access elsewhere (enforced by the kernel where
    it has Landlock). This guards against accidents, not against malicious tools.

    Exit codes: 0 done; 1 new findings, with --baseline or --exit-code; 2 the target, an argument
    or a file is wrong, or the sandbox failed; 130 interrupted, to be continued with --resume.
    """
    if sandbox_report:
        show_sandbox_report(as_json=as_json)
        return
    if not targets:
        raise click.UsageError("Missing argument 'TARGET...'.")
    given = {
        "call_timeout_s": timeout,
        "time_s": time_s,
        "max_tokens": max_tokens,
        "max_usd": max_usd,
    }
    config = load_config().fuzz
    config = msgspec.structs.replace(config, **{k: v for k, v in given.items() if v is not None})
    if replay_text is not None:
        if len(targets) != 1:
            raise click.UsageError("--replay takes exactly one TARGET.")
        result = partial(
            replay,
            targets[0],
            config=config,
            files=files,
            allow_hosts=allow_hosts,
            reset=reset,
            env=env,
            setup=setup,
        )
        show_replay(result, replay_text, expect, as_json=as_json)
        return
    _refuse_contradictions(
        expect=expect, update=update_baseline, baseline=baseline, resume=resume,
        no_journal=no_journal, no_save=no_save, save=save, journal=journal,
    )  # fmt: skip
    options = _FuzzOptions(
        accepted=BaselineFile(baseline, "failures"),
        update_baseline=update_baseline,
        save=None if no_save else save or _FINDINGS,
        tests=tests,
        reports=ReportFiles(command="knitbone fuzz", sarif=sarif, junit=junit, html=html),
        exit_code=exit_code or baseline is not None,
        as_json=as_json,
    )
    if examples_file is not None and len(targets) != 1:
        raise click.UsageError("--examples takes exactly one TARGET.")
    examples = () if examples_file is None else read_examples(examples_file)
    journals = (
        None
        if no_journal
        else open_journals(
            journal,
            _HOME / "fuzz",
            targets,
            resume=resume,
            names=("campaign", "calls"),
            warn=console(stderr=True).print,
        )
    )
    jobs_asked = [
        Job(
            target=target,
            calls=calls,
            seed=seed,
            config=config,
            files=None if files is None else str(files),
            allow_hosts=allow_hosts,
            reset=reset,
            env=env,
            setup=setup,
            examples=examples,
            journal=None if journals is None else str(journals.folder),
            resume=resume,
            models=not no_model,
        )
        for target in targets
    ]
    setting = ReplaySetting(
        config=config,
        files=None if files is None else str(files),
        allow_hosts=allow_hosts,
        reset=reset,
        env=env,
        setup=setup,
    )
    try:
        has_news = _run(_events(jobs_asked, jobs, engine), options, setting, seed)
    except KeyboardInterrupt:
        hint = "" if journals is None else "; the same command with --resume continues"
        console(stderr=True).print(f"interrupted{hint}")
        sys.exit(130)
    if journals is not None:
        journals.discard()
    if has_news and options.exit_code:
        sys.exit(1)


def _refuse_contradictions(
    *,
    expect: str | None,
    update: bool,
    baseline: Path | None,
    resume: bool,
    no_journal: bool,
    no_save: bool,
    save: Path | None,
    journal: Path | None,
) -> None:
    wrong = {
        "--expect belongs to --replay.": expect is not None,
        "--update-baseline needs --baseline FILE.": update and baseline is None,
        "--resume needs the journal: leave --no-journal out.": resume and no_journal,
        "--journal and --no-journal exclude each other.": no_journal and journal is not None,
        "--save and --no-save exclude each other.": no_save and save is not None,
    }
    for message, is_wrong in wrong.items():
        if is_wrong:
            raise click.UsageError(message)


def _events(jobs: Sequence[Job], at_a_time: int, engine: str) -> Iterator[FuzzEvent]:
    if engine == "ray":
        # Loaded here: ray is an extra of 200 MB.
        from knitbone.fuzzing.ray_jobs import fuzz_on_ray  # noqa: PLC0415

        return fuzz_on_ray(jobs, at_a_time=at_a_time)
    return fuzz_all(jobs, at_a_time=at_a_time)


def _run(
    events: Iterator[FuzzEvent], options: _FuzzOptions, setting: ReplaySetting, seed: int | None
) -> bool:
    """Show and write what happens, and return whether there are findings that are not accepted.

    Raises:
        KeyboardInterrupt: there was one; what was found until then is shown and written.
    """
    done: list[FinishedCampaign] = []
    screen = console()
    started: dict[str, float] = {}
    unfinished = UnfinishedCampaigns()
    interrupt: KeyboardInterrupt | None = None

    def end(campaign: Campaign) -> None:
        seconds = time.monotonic() - started[campaign.tool.target]
        marked = options.accepted.marked(campaign)
        done.append(FinishedCampaign(campaign=marked, seconds=seconds))
        _tell(done[-1], options, setting)

    with FuzzProgress(quiet=options.as_json) as progress:
        try:
            for event in events:
                unfinished.take(event)
                if isinstance(event, CampaignStarted):
                    started[event.tool.target] = time.monotonic()
                    if not options.as_json:
                        with progress.paused():
                            say_start(event, is_first=len(started) == 1)
                progress.show(event)
                if isinstance(event, CampaignFinished):
                    with progress.paused():
                        end(event.campaign)
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        for campaign in unfinished.campaigns(setting.config, seed, "interrupted"):
            end(campaign)
    campaigns = [each.campaign for each in done]
    if not options.as_json and len(done) > 1:
        screen.print(totals_line(campaigns), style="bold")
    options.reports.write(done, page=lambda: fuzz_page(campaigns))
    if interrupt is not None:
        raise interrupt
    options.accepted.settle(campaigns, update=options.update_baseline, as_json=options.as_json)
    return not options.update_baseline and any(map(news, campaigns))


def _tell(done: FinishedCampaign, options: _FuzzOptions, setting: ReplaySetting) -> None:
    """Print and save one campaign."""
    campaign = done.campaign
    if options.save is not None:
        save_findings(campaign, options.save, setting)
    if options.tests is not None:
        save_tests(campaign, options.tests, setting)
    if options.as_json:
        sys.stdout.write(json_text(campaign_record(campaign)) + "\n")
    else:
        screen = console()
        seconds = done.seconds if is_terminal(screen) else None
        for text, style in campaign_lines(campaign, seconds=seconds):
            screen.print(text, style=style or None, soft_wrap="replay" in text or None)
        screen.print(f"{figures(campaign)}    {_next(campaign, options)}")
    sys.stdout.flush()


def _next(campaign: Campaign, options: _FuzzOptions) -> str:
    if got_nowhere(campaign):
        return "The tool itself was not tried; begin with calls that it takes: --examples FILE"
    if campaign.normal == 0 and campaign.calls > campaign.rejected:
        return "No normal result was reached; begin with calls that work: --examples FILE"
    if not any(finding.counts for finding in campaign.findings):
        return f"Search longer: --calls {campaign.calls * 10}"
    if options.save is not None:
        return f"reproducers in {printable(str(options.save))}"
    return "Keep them: --save FOLDER"
