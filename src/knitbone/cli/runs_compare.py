"""``knitbone runs compare``: two recorded runs side by side."""

from __future__ import annotations

import click

from knitbone.cli.output import console, json_option, print_json
from knitbone.cli.runs_source import run_named
from knitbone.config import load_config
from knitbone.report.comparison import comparison_record, show_comparison
from knitbone.tethering.comparison import compare

__all__ = ["compare_runs"]


@click.command("compare")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--store", metavar="FILE", help="The run store; default: the configured.")
@json_option
def compare_runs(a: str, b: str, store: str | None, *, as_json: bool) -> None:
    """Say where run A and run B part, and what came of it.

    A and B are beginnings of identifiers, files with one run, or FILE#N (run number N of the file,
    counted from 0) or FILE#ID. Steps are aligned by tool and arguments; identifiers and clocks
    that each run draws anew do not count, nor the words in which an agent speaks.
    """
    path = store or load_config().record.store
    found = compare(run_named(a, path), run_named(b, path))
    if as_json:
        print_json(comparison_record(found))
    else:
        show_comparison(console(), found)
