"""``knitbone fuzz``: break agent tools on purpose, before release."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any, cast

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from knitbone.cli.output import console, json_option
from knitbone.config import FuzzConfig, load_config
from knitbone.fuzzing.engine import Replay, fuzz, replay
from knitbone.fuzzing.records import (
    CallFinished,
    Campaign,
    CampaignFinished,
    CampaignStarted,
    Finding,
    ToolSpec,
)
from knitbone.fuzzing.replays import campaign_record, read_replay, save_findings
from knitbone.fuzzing.sandbox.wire import to_text
from knitbone.report.terminal import printable

__all__ = ["command"]


@click.command("fuzz")
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True)
@click.option("--calls", type=click.IntRange(min=1), help="Calls for each tool.  [default: 200]")
@click.option("--seed", type=int, help="The same seed gives the same calls.  [default: 0]")
@click.option(
    "--no-model",
    is_flag=True,
    help="Use no language model. No stage uses one yet: nothing leaves this machine.",
)
@click.option(
    "--files",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder whose copy the tools work in; small sample files otherwise.",
)
@click.option(
    "--timeout", type=click.FloatRange(min=0.01), help="Seconds allowed to one call.  [default: 5]"
)
@click.option(
    "--allow-host", "allow_hosts", multiple=True, help="Host that the tools may connect to."
)
@click.option(
    "--save",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write each finding to, as a file for --replay @FILE.",
)
@click.option(
    "--replay",
    "replay_text",
    metavar="JSON|@FILE",
    help="Make one call with these arguments; exit code 0 if it fails (again), 1 if not.",
)
@click.option("--expect", metavar="ID", help="With --replay: the failure must be this one.")
@click.option("--exit-code", is_flag=True, help="Exit with 1 when there are findings.")
@json_option
def command(  # noqa: PLR0913 - one parameter an option
    targets: tuple[str, ...],
    *,
    calls: int | None,
    seed: int | None,
    no_model: bool,  # noqa: ARG001 - accepted: no stage uses a model yet
    files: Path | None,
    timeout: float | None,
    allow_hosts: tuple[str, ...],
    save: Path | None,
    replay_text: str | None,
    expect: str | None,
    exit_code: bool,
    as_json: bool,
) -> None:
    """Call the tools that TARGET names with generated arguments, and show their unique failures.

    TARGET is package.module:name or path/to/file.py:name, where the name is a function, a
    LangChain tool (class or instance), a toolkit or a list of tools; name() calls a factory, and
    #tool picks one of several.

    The tools run in worker processes with a private temporary directory, limits on time, memory,
    processes and files, no network, and no write access elsewhere (enforced by the kernel where
    it has Landlock). This guards against accidents, not against malicious tools.

    Exit codes: 0 done, 1 findings (with --exit-code), 2 the target or the arguments are wrong.
    """
    config = load_config().fuzz
    if timeout is not None:
        config = msgspec.structs.replace(config, call_timeout_s=timeout)
    if replay_text is not None:
        if len(targets) != 1:
            raise click.UsageError("--replay takes exactly one TARGET.")
        _replay(targets[0], replay_text, expect, config, files, allow_hosts, as_json=as_json)
        return
    if expect is not None:
        raise click.UsageError("--expect belongs to --replay.")
    found = 0
    for target in targets:
        campaigns = _run(target, calls, seed, config, files, allow_hosts, quiet=as_json)
        for campaign, seconds in campaigns:
            found += len(campaign.findings)
            if save is not None:
                save_findings(campaign, save)
            if as_json:
                sys.stdout.write(to_text(campaign_record(campaign)) + "\n")
            else:
                _show(console(), campaign, seconds, save)
            sys.stdout.flush()
    if exit_code and found:
        sys.exit(1)


def _run(
    target: str,
    calls: int | None,
    seed: int | None,
    config: FuzzConfig,
    files: Path | None,
    allow_hosts: tuple[str, ...],
    *,
    quiet: bool,
) -> list[tuple[Campaign, float]]:
    screen = console(stderr=True)
    finished: list[tuple[Campaign, float]] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    found = TextColumn("{task.fields[unique]} unique failures")
    started = time.monotonic()
    with Progress(
        *columns, found, console=screen, transient=True, disable=quiet or not screen.is_terminal
    ) as bar:
        task = bar.add_task(printable(target, limit=40), total=None, unique=0)
        for event in fuzz(
            target, calls=calls, seed=seed, config=config, files=files, allow_hosts=allow_hosts
        ):
            if isinstance(event, CampaignStarted):
                started = time.monotonic()
                name = printable(event.tool.name, limit=40)
                bar.reset(task, total=event.calls, description=name, unique=0)
            elif isinstance(event, CallFinished):
                bar.update(task, completed=event.call, unique=event.unique)
            elif isinstance(event, CampaignFinished):
                finished.append((event.campaign, time.monotonic() - started))
    return finished


def _show(screen: Console, campaign: Campaign, seconds: float, save: Path | None) -> None:
    tool = campaign.tool
    head = [f"{campaign.calls} calls"]
    if screen.is_terminal:
        head.append(f"{seconds:.1f} s")  # in a pipe the same campaign prints the same text
    if campaign.rejected:
        head.append(f"{campaign.rejected} rejected by argument validation, as they should be")
    if campaign.denied:
        head.append(f"{campaign.denied} stopped by the sandbox (see --allow-host), not counted")
    if campaign.stopped:
        head.append(f"stopped early: {campaign.stopped}")
    screen.print(f"{signature(tool)}    {', '.join(head)}", style="bold")
    groups = {
        "raised or worse": [f for f in campaign.findings if f.kind != "returned"],
        "returned as text": [f for f in campaign.findings if f.kind == "returned"],
    }
    number = 0
    for title, findings in groups.items():
        if not findings:
            continue
        screen.print(f"  {title}")
        rows = [_row(finding) for finding in findings]
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        for finding, row in zip(findings, rows, strict=True):
            number += 1
            cells = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False))
            screen.print(f"  {number:>3} {cells}  {row[3]}".rstrip())
            screen.print(f"      with    {_arguments(finding)}")
            screen.print(f"      replay  {finding.reproducer}", style="dim", soft_wrap=True)
    raised, returned = (len(findings) for findings in groups.values())
    estimate = campaign.chao1
    screen.print(
        f"Unique {raised + returned} ({raised} raised or worse, {returned} returned as text)    "
        f"Chao1 {estimate.value:g} [{estimate.low:g}, {estimate.high:g}]    {_next(campaign, save)}"
    )


def _next(campaign: Campaign, save: Path | None) -> str:
    if save is not None:
        return f"Saved in {printable(str(save))}"
    if campaign.findings:
        return "Keep them: --save DIR"
    return f"Search longer: --calls {campaign.calls * 10}"


def _row(finding: Finding) -> tuple[str, str, str, str]:
    frame = finding.frame
    place = "" if frame is None else f"{Path(frame.file).name}:{frame.line}"
    what = printable(finding.exception or "", limit=60)
    note = "" if finding.replays else "  (did not replay in a fresh process)"
    source = "" if frame is None else printable(frame.source, limit=60) + "    "
    message = printable(finding.message, limit=100)
    return (finding.kind, what, printable(place, limit=60), f"{source}{message}{note}")


def _arguments(finding: Finding) -> str:
    parts: list[str] = []
    for name, value in finding.arguments.items():
        text = to_text(value)
        size = f" ({len(value)} characters)" if isinstance(value, str) and len(text) > 60 else ""
        parts.append(f"{printable(name, limit=40)}={printable(text, limit=60)}{size}")
    return ", ".join(parts) or "no arguments"


def signature(tool: ToolSpec) -> str:
    """The tool as people write it: name, fields and their types."""
    parts: list[str] = []
    required: list[str] = tool.schema.get("required") or []
    fields: dict[str, Any] = tool.schema.get("properties") or {}
    for name, field in fields.items():
        kind: Any = cast("dict[str, Any]", field).get("type") if isinstance(field, dict) else None
        text = f"{name}: {kind}" if isinstance(kind, str) else name
        parts.append(text if name in required else text + "?")
    return printable(f"{tool.name}({', '.join(parts)})", limit=100)


def _replay(
    target: str,
    text: str,
    expect: str | None,
    config: FuzzConfig,
    files: Path | None,
    allow_hosts: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    arguments, known = read_replay(text)
    result = replay(target, arguments, config=config, files=files, allow_hosts=allow_hosts)
    wanted = expect or known
    verdict = result.verdict
    reproduced = verdict is not None and wanted in (None, verdict.id)
    if as_json:
        sys.stdout.write(to_text(_replay_record(result, reproduced=reproduced)) + "\n")
    else:
        _show_replay(result, reproduced=reproduced, wanted=wanted)
    sys.exit(0 if reproduced else 1)


def _replay_record(result: Replay, *, reproduced: bool) -> dict[str, object]:
    outcome, verdict = result.outcome, result.verdict
    return {
        "tool": result.tool.name,
        "reproduced": reproduced,
        "status": outcome.status,
        "id": verdict.id if verdict else None,
        "kind": verdict.kind if verdict else None,
        "exception": verdict.exception if verdict else None,
        "frame": msgspec.to_builtins(verdict.frame) if verdict else None,
        "message": verdict.message if verdict else outcome.message,
        "text": outcome.text,
    }


def _show_replay(result: Replay, *, reproduced: bool, wanted: str | None) -> None:
    screen = console()
    verdict, outcome = result.verdict, result.outcome
    if verdict is None:
        text = outcome.text if outcome.status == "ok" else outcome.message
        status = "returned" if outcome.status == "ok" else outcome.status
        screen.print(f"not reproduced: {status} {printable(text)}".rstrip())
        return
    frame = verdict.frame
    place = "" if frame is None else f"{frame.file}:{frame.line}  {printable(frame.source)}"
    word = "reproduced" if reproduced else f"another failure than {printable(wanted or '')}"
    what = " ".join(part for part in (verdict.kind, verdict.exception) if part)
    screen.print(f"{word}: {printable(what)}  {printable(verdict.message)}")
    if place:
        screen.print(f"  at {printable(place, limit=1_000)}")
