"""``knitbone demo``: adapt, fuzz, diagnose and recover on the samples that the package carries."""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import click

from knitbone import adaptation, diagnose, recover
from knitbone.cli.output import console, json_option, print_json, wrote
from knitbone.config import Config, FuzzConfig, is_disabled
from knitbone.errors import KnitboneError, import_extra
from knitbone.fuzzing.engine import fuzz
from knitbone.fuzzing.records import Campaign, CampaignFinished
from knitbone.report.demo_html import demo_page
from knitbone.report.fuzz import news
from knitbone.samples import bank_agent
from knitbone.samples.tools import SAMPLE_TOOLS
from knitbone.testing import ModelServer
from knitbone.tethering.interchange.importers import import_file

__all__ = ["command"]

CALLS = 200
SEED = 1
NEXT_STEPS = (
    ("knitbone check YOUR_APP/", "what your application expects of its models"),
    ("knitbone fuzz YOUR_MODULE:YOUR_TOOL", "what breaks your tool"),
    ("knitbone diagnose YOUR_RUNS.json", "where your agent's run left the path"),
    ("knitbone recover YOUR_AGENT --task ...", "your agent, until its task is done"),
)


@click.command("demo")
@click.option(
    "--report",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    default=Path("demo-report.html"),
    show_default=True,
    help="Where to write the HTML report.",
)
@json_option
def command(report: Path, *, as_json: bool) -> None:
    """Run adapt, fuzz, diagnose and recover on the samples that come with knitbone.

    No key, no network: the model is a scripted local server, the agent is simulated.
    """
    if is_disabled():
        raise KnitboneError(
            "KNITBONE_DISABLED is set, so there is nothing to show.", next_step="Unset it."
        )
    # Said before the first part runs, not after it.
    for library in ("openai", "networkx", "numpy"):
        import_extra(library, extra="standard", purpose="The demo")
    parts: dict[str, dict[str, Any]] = {}
    for name, show, line in (
        ("fuzz", show_fuzz, fuzz_line),
        ("adapt", show_adapt, adapt_line),
        ("tether", show_tether, tether_line),
    ):
        started = time.perf_counter()
        parts[name] = show()
        seconds = time.perf_counter() - started
        if not as_json:
            console().print(f"{len(parts)}/3 {name:<7} {line(parts[name])}   ({seconds:.1f} s)")
    page = demo_page(**parts, next_steps=NEXT_STEPS)
    report.write_text(page, encoding="utf-8", errors="replace")
    if as_json:
        print_json({"report": str(report), **{name: _figures(parts[name]) for name in parts}})
        return
    screen = console()
    wrote(report)
    screen.print("Next:   " + "\n        ".join(f"{each:<40} {says}" for each, says in NEXT_STEPS))


def show_fuzz() -> dict[str, Any]:
    """Fuzz every sample tool in the sandbox."""
    campaigns: list[Campaign] = [
        event.campaign
        for target in SAMPLE_TOOLS
        for event in fuzz(target, calls=CALLS, seed=SEED, config=FuzzConfig(call_timeout_s=0.5))
        if isinstance(event, CampaignFinished)
    ]
    findings = [finding for campaign in campaigns for finding in news(campaign)]
    return {
        "tools": len(campaigns),
        "calls": CALLS,
        "unique": len(findings),
        "returned": sum(finding.kind == "returned" for finding in findings),
        "clean": sum(not news(campaign) for campaign in campaigns),
        "campaigns": campaigns,
    }


def fuzz_line(part: dict[str, Any]) -> str:
    return (
        f"{part['tools']} sample tools, {part['calls']} calls each: {part['unique']} unique "
        f"failures ({part['returned']} returned as text), {part['clean']} tools clean"
    )


def show_adapt() -> dict[str, Any]:
    """Let a scripted model answer the sample application, with and without adapt."""
    # Loaded here: openai is an extra, and the sample imports it at its top, as applications do.
    import openai  # noqa: PLC0415

    from knitbone.samples.tasklist import answers, app  # noqa: PLC0415

    cases = answers.CASES
    outcomes: Counter[str] = Counter()
    changed: list[dict[str, Any]] = []
    silent = touched = 0
    requirement = evidence = ""
    with (
        ModelServer([case.answer for case in cases]) as server,
        openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client,
    ):
        for case in cases:
            seen = len(adaptation.report().adaptations)
            tasks = tuple(task.name for task in app.plan(client, "open a cafe"))
            events = adaptation.report().adaptations[seen:]
            with _switched_off():
                plain = tuple(task.name for task in app.parse_tasks(case.answer))
            silent += plain != tasks
            touched += case.outcome == "conforming" and bool(events)
            outcomes[events[-1].action if events else "conforming"] += 1
            for event in events:
                requirement, evidence = event.requirement, event.evidence
                changed.append(
                    {
                        "name": case.name,
                        "action": event.action,
                        "why": ", ".join(event.rules) or event.reason,
                        "before": event.before,
                        "after": event.after,
                        "tasks": len(tasks),
                        "kept": len(set(plain) & set(tasks)),
                    }
                )
    return {
        "answers": len(cases),
        "silent": silent,
        "repaired": outcomes["repaired"],
        "refused": outcomes["refused"],
        "conforming": outcomes["conforming"],
        "touched": touched,
        "requirement": requirement,
        "evidence": evidence,
        "changed": changed,
    }


def adapt_line(part: dict[str, Any]) -> str:
    return (
        f"1 sample application, {part['answers']} answers: {part['silent']} would have lost tasks "
        f"silently; {part['repaired']} repaired, {part['refused']} refused, {part['touched']} of "
        f"{part['conforming']} conforming ones touched"
    )


def show_tether() -> dict[str, Any]:
    """Diagnose the recorded runs and compare with the faults that were seeded in them."""
    recorded = resources.files("knitbone.samples") / "runs" / "bank_runs.json"
    with resources.as_file(recorded) as file:
        imported = import_file(file)
    known = {str(number): step for number, step in bank_agent.faults().items()}
    shown: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()
    for run in (item.run for item in imported):
        found = diagnose(run)
        identity = run.origin.identity if run.origin else {}
        step = known.get(str(identity.get("task_id")))
        if found.outcome != "failed" or step is None:
            continue
        place = found.ranking.index(step) + 1 if step in found.ranking else None
        counts["failed"] += 1
        counts["first"] += place == 1
        counts["three"] += place is not None and place <= 3
        counts["region"] += step in found.region
        shown.append(
            {
                "name": run.name or found.run,
                "task": run.task,
                "headline": found.headline,
                "turning_point": found.turning_point,
                "step": found.ranking[0] if found.turning_point is None else found.turning_point,
                "action": found.action,
                "known": step,
                "rank": place,
                "reason": found.reason,
                "hints": found.recovery_hints,
            }
        )
    return {
        **recover_teller(),
        "runs": len(imported),
        "failed": counts["failed"],
        "first": counts["first"],
        "three": counts["three"],
        "region": counts["region"],
        "diagnoses": shown,
    }


def tether_line(part: dict[str, Any]) -> str:
    ended = "recovered" if part["recovered"] else "not recovered"
    return (
        f"{part['runs']} recorded runs, {part['failed']} failed: the broken step ranked first in "
        f"{part['first']}, in the first three in {part['three']}, in the region in "
        f"{part['region']}; a failing agent {ended}, "
        f"{part['steps_before']} -> {part['steps_after']} steps"
    )


def recover_teller() -> dict[str, Any]:
    """Recover the sample's teller, whose simulated model forgets an argument, over a real client.

    Returns:
        Whether it worked, what the attempts were told, and their steps.
    """
    import openai  # noqa: PLC0415 - see above

    from knitbone.samples import bank_teller  # noqa: PLC0415

    teller = bank_teller.Teller()
    with (
        ModelServer(bank_teller.teller_model) as server,
        openai.OpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client,
        tempfile.TemporaryDirectory() as folder,
    ):

        def agent(task: str) -> str:
            return bank_teller.serve(client, teller.bank, task)

        recovery = recover(
            agent,
            bank_teller.TASK,
            teller.succeeded,
            reset=teller.reset,
            store=Path(folder, "runs.sqlite"),
            journals=Path(folder),
            config=Config(),
        )
    told = [attempt.guidance.text for attempt in recovery.attempts if attempt.guidance is not None]
    return {
        "recovered": recovery.repaired,
        "repairs": len(recovery.attempts) - 1,
        "told": told[-1] if told else "",
        "steps_before": recovery.attempts[0].steps,
        "steps_after": recovery.attempts[-1].steps,
    }


def _figures(part: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a part, without what the report shows at length."""
    return {name: value for name, value in part.items() if isinstance(value, (int, str))}


@contextmanager
def _switched_off() -> Generator[None]:
    before = os.environ.get("KNITBONE_DISABLED")
    os.environ["KNITBONE_DISABLED"] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ["KNITBONE_DISABLED"]
        else:
            os.environ["KNITBONE_DISABLED"] = before
