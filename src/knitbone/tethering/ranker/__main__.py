"""Fit a ranker on labelled runs: ``python -m knitbone.tethering.ranker RUNS... --out FILE``."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from knitbone.errors import KnitboneError
from knitbone.tethering.ranker.fit import fit_ranker
from knitbone.tethering.ranker.learn import examples_of, read_labels

_FILE = click.Path(path_type=Path, exists=True)


@click.command(name="python -m knitbone.tethering.ranker")
@click.argument("runs", nargs=-1, required=True, type=_FILE)
@click.option(
    "--labels",
    type=_FILE,
    help="JSON, {run: 0-based index of the blamed message}, or AgentRx's ground truth. Without it,"
    " the labels that stand in the files of the runs.",
)
@click.option(
    "--related",
    multiple=True,
    type=_FILE,
    help="Labelled runs of another application, with the labels in their files; may be repeated.",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The ranker, JSON.")
def main(runs: tuple[Path, ...], labels: Path | None, related: tuple[Path, ...], out: Path) -> None:
    """Fit a ranker on the labelled RUNS (files or folders), and write its weights."""
    try:
        examples = examples_of(runs, read_labels(labels) if labels else {})
        ranker = fit_ranker(examples, related=examples_of(related, {}))
        out.write_bytes(msgspec.json.format(msgspec.json.encode(ranker), indent=1) + b"\n")
    except (KnitboneError, OSError) as error:
        raise click.ClickException(str(error)) from error
    click.echo(
        f"{out}: fitted on {ranker.runs} labelled runs, temperature {ranker.temperature:.2f}."
        f" To use it: ranker = {str(out)!r} under [tool.knitbone.tether]"
    )


if __name__ == "__main__":
    main()
