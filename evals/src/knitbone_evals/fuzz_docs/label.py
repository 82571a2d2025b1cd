"""Say of prompt sets whether the documentation misled, verdicts hidden: ``python -m
knitbone_evals.fuzz_docs.label``, of what ``knitbone fuzz-docs --save FOLDER`` wrote."""

from __future__ import annotations

import getpass
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import click
import msgspec

from knitbone.cli.output import console, json_option, print_json
from knitbone.common.printable import printable
from knitbone.config import load_config
from knitbone.errors import InputFormatError
from knitbone.fuzzing.documentation.records import DocumentationCampaign, SetResult
from knitbone.fuzzing.documentation.search_files import campaign_path, load_campaign
from knitbone.fuzzing.records import json_text
from knitbone.record.events import encode_json
from knitbone.record.sqlite_store import SqliteStore
from knitbone.report.fuzz import Line, signature
from knitbone_evals.fuzz_docs.set_labels import (
    SAMPLE,
    Agreement,
    agreements,
    labels_of,
    run_of_set,
    sampled_sets,
    save_label,
)

__all__ = ["agreement_lines", "command", "hidden_lines"]

_SAVED = Path(".knitbone") / "documentation"


@click.command("label")
@click.argument("reports", metavar="[TARGET|REPORT]...", nargs=-1)
@click.option(
    "--number", type=click.IntRange(min=1), default=SAMPLE, show_default=True,
    help="Sets of each tool that are shown.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Which sets are drawn.")
@click.option("--labeller", help="Your name.  [default: the name of your account]")
@click.option(
    "--saved",
    type=click.Path(file_okay=False, path_type=Path),
    default=_SAVED,
    show_default=True,
    help="Folder of what knitbone fuzz-docs saved.",
)
@click.option(
    "--answers",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help='Labels from a file in place of questions: lines such as {"set": "ID", "faulty": true}.',
)
@click.option("--show", is_flag=True, help="Show the sets, without verdicts, and ask nothing.")
@click.option("--figures", is_flag=True, help="Ask nothing, only show how far they agree.")
@json_option
def command(
    reports: tuple[str, ...],
    *,
    number: int,
    seed: int,
    labeller: str | None,
    saved: Path,
    answers: Path | None,
    show: bool,
    figures: bool,
    as_json: bool,
) -> None:
    """Read prompt sets and say of each whether the tool's documentation misled the agent.

    You see what was asked, called, returned and answered, and nothing of the verdicts. Your labels
    are annotations in the run store. At the end stands how far they agree with the verdicts: the
    share of accused sets that you hold for sound (FDR) and Cohen's kappa.

    TARGET is a tool that knitbone fuzz-docs searched, REPORT a file that it saved; without either,
    all that it saved are taken.
    """
    campaigns = [load_campaign(path) for path in _paths(reports, saved)]
    labeller = labeller or getpass.getuser()
    if show:
        _show(campaigns, number, seed, as_json=as_json)
        return
    store = SqliteStore(load_config().record.store)
    try:
        if not figures:
            given = None if answers is None else _answers(answers)
            for campaign in campaigns:
                sets = sampled_sets(campaign, number=number, seed=seed)
                if given is not None:
                    _take(store, campaign, sets, given, labeller)
                elif not _ask(store, campaign, sets, labeller, as_json=as_json):
                    break
        rows = agreements([(c, labels_of(store, c, labeller=labeller)) for c in campaigns])
    finally:
        store.close()
    if as_json:
        print_json({"labeller": labeller, "agreement": [msgspec.to_builtins(row) for row in rows]})
        return
    screen = console()
    for line, style in agreement_lines(rows):
        screen.print(line, style=style or None)


def _paths(reports: Sequence[str], saved: Path) -> list[Path]:
    """The files of what is named; of all searches where nothing is."""
    if not reports:
        found = sorted(saved.glob("*.json"))
        if not found:
            raise InputFormatError(
                f"There is no search in {saved}.", next_step="Run knitbone fuzz-docs TARGET first."
            )
        return found
    paths: list[Path] = []
    for report in reports:
        path = Path(report)
        if path.suffix != ".json":
            path = campaign_path(report, saved)
        if not path.is_file():
            raise InputFormatError(
                f"There is no search of {report!r}: {path} does not exist.",
                next_step=f"Run knitbone fuzz-docs {report} first, or name a file in {saved}.",
            )
        paths.append(path)
    return paths


def _show(
    campaigns: Sequence[DocumentationCampaign], number: int, seed: int, *, as_json: bool
) -> None:
    screen = console()
    for campaign in campaigns:
        for result in sampled_sets(campaign, number=number, seed=seed):
            if as_json:
                run = json.loads(encode_json(run_of_set(campaign, result)))
                print_json({"set": result.set.id, "target": campaign.tool.target, "run": run})
                continue
            for line, style in hidden_lines(campaign, result):
                screen.print(line, style=style or None)


def _ask(
    store: SqliteStore,
    campaign: DocumentationCampaign,
    sets: Sequence[SetResult],
    labeller: str,
    *,
    as_json: bool,
) -> bool:
    """Ask a person about each set that has no label of theirs; false where they had enough.

    Args:
        as_json: standard output is data, so that sets and questions go to standard error.
    """
    done = labels_of(store, campaign, labeller=labeller)
    left = [result for result in sets if result.set.id not in done]
    screen = console(stderr=as_json)
    for place, result in enumerate(left, start=1):
        screen.print(f"set {place} of {len(left)}", style="dim")
        for line, style in hidden_lines(campaign, result):
            screen.print(line, style=style or None)
        said = _said(as_json=as_json)
        if said == "q":
            return False
        if said != "s":
            save_label(store, campaign, result, faulty=said == "y", labeller=labeller)
    return True


def _said(*, as_json: bool) -> str:
    """What the person answers; that they had enough where the input ends."""
    try:
        return click.prompt(
            "Did the documentation mislead the agent? (y)es, (n)o, (s)kip, (q)uit",
            type=click.Choice(["y", "n", "s", "q"]),
            show_choices=False,
            err=as_json,
        )
    except click.Abort as stop:
        if not isinstance(stop.__context__, EOFError):
            raise
        click.echo(err=as_json)  # the question's line
        return "q"


def _take(
    store: SqliteStore,
    campaign: DocumentationCampaign,
    sets: Sequence[SetResult],
    given: dict[str, bool],
    labeller: str,
) -> None:
    for result in sets:
        if (faulty := given.get(result.set.id)) is not None:
            save_label(store, campaign, result, faulty=faulty, labeller=labeller)


def _answers(path: Path) -> dict[str, bool]:
    found: dict[str, bool] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            record: Any = json.loads(line)
            table = cast("dict[str, Any]", record) if isinstance(record, dict) else {}
            if not isinstance(table.get("set"), str) or not isinstance(table.get("faulty"), bool):
                raise ValueError(f'line {number} is not {{"set": "ID", "faulty": true}}')
            found[table["set"]] = table["faulty"]
    except (OSError, ValueError, RecursionError) as error:
        raise InputFormatError(
            f"{path} holds no labels: {error}.",
            next_step="Write one JSON object a line; knitbone label --show --json names the sets.",
        ) from error
    if not found:
        sys.stderr.write("note: the file holds no label\n")
    return found


def hidden_lines(campaign: DocumentationCampaign, result: SetResult) -> Iterator[Line]:
    """What a labeller is shown of a set: nothing of the verdicts (ToolFuzz, App. G)."""
    yield f"{signature(campaign.tool)}    set {result.set.id}", "bold"
    yield f"  says    {printable(campaign.tool.documentation.strip(), limit=600)}", "dim"
    for run in result.runs:
        yield f'  asked   "{printable(run.query, limit=300)}"', ""
        for call in run.calls:
            arguments = printable(json_text(call.arguments), limit=300)
            yield f"    calls {printable(call.tool, limit=60)} {arguments}", ""
            yield f"    gets  {printable(call.output, limit=300)}", ""
        said = "no answer" if run.answer is None else printable(run.answer, limit=600)
        yield f"    says  {said}", ""


def agreement_lines(rows: Sequence[Agreement]) -> Iterator[Line]:
    """How far labels and verdicts agree, a line a rule."""
    if not rows:
        yield "No set has a label and a verdict yet.", ""
        return
    for row in rows:
        rate = "FDR not known: nothing is accused"
        if row.fdr is not None:
            interval = f"[{row.fdr_low or 0:.2f}, {row.fdr_high or 0:.2f}]"
            rate = f"FDR {row.fdr:.2f} {interval} ({row.wrongly} of {row.accused} accused sets)"
        agree = "kappa not known" if row.kappa is None else f"kappa {row.kappa:.2f}"
        yield f"{row.rule:<24}{row.labelled:>4} sets  {rate}, {agree}", ""


if __name__ == "__main__":
    command()
