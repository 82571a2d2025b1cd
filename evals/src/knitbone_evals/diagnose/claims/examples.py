"""Eight diagnoses of four kinds of run, as ``knitbone diagnose`` prints them: ``python -m
knitbone_evals.diagnose.claims.examples`` writes ``docs/explanation/diagnoses.md``."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
from rich.console import Console

from knitbone.record.events import Run
from knitbone.report.diagnosis import show_diagnosis
from knitbone.samples import bank_agent
from knitbone.tethering.diagnosis.engine import examine
from knitbone.tethering.interchange.importers import import_file
from knitbone_evals.diagnose.claims.__main__ import without_verdict
from knitbone_evals.diagnose.claims.programs import programs
from knitbone_evals.paths import REPOSITORY

PAGE = REPOSITORY / "docs" / "explanation" / "diagnoses.md"
_HEAD = """# Eight diagnoses, printed whole

What `knitbone diagnose` prints of runs of four kinds; written by `python -m
knitbone_evals.diagnose.claims.examples`. The first line says what is wrong, or that nothing on
record says so; [claims](claims.md) tells when which. The bank's runs come with knitbone
(`knitbone.samples`), the others are the [recorded
programs](../../evals/src/knitbone_evals/diagnose/claims/programs.py) of the benchmark.
"""


def main() -> None:
    """Write the page."""
    folder = Path(bank_agent.__file__).parent / "runs"
    bank = [item.run for item in import_file(folder / "bank_runs.json")]
    recorded = {one.kind: one for one in programs(12, seed=1, half=0)}
    told = [
        ("Succeeded", recorded["other slot after asking"].run, False),
        ("Succeeded", bank[1], False),
        ("Failed, and a fact says where", bank[0], False),
        ("Failed, and nothing on record says where", bank[2], False),
        ("Crashed", recorded["crash on the answer"].run, False),
        ("Crashed", recorded["tool raises"].run, False),
        ("Outcome unknown", without_verdict(recorded["said to be done"].run), False),
        (
            "Outcome unknown, a claim asked for (`--claim`)",
            without_verdict(recorded["same wrong call"].run),
            True,
        ),
    ]
    parts = [_HEAD]
    for title, run, claim in told:
        parts.append(f"## {title}\n\n```text\n{_printed(run, claim=claim)}\n```\n")
    PAGE.write_text("\n".join(parts), encoding="utf-8")


def _printed(run: Run, *, claim: bool) -> str:
    if run.origin is None:
        run = msgspec.structs.replace(run, id="0" * 32, name="desk.py")
    shown = io.StringIO()
    screen = Console(file=shown, width=10_000, no_color=True)
    show_diagnosis(screen, examine(run, claim=claim), many=run.origin is not None)
    return shown.getvalue().rstrip()


if __name__ == "__main__":
    main()
