"""Whether the analysis finds what an application expects of its models: ``python -m
knitbone_evals.adapt.requirements``.

The corpus is hand-labelled: sample applications (``tests/samples/requirements``) and packages of
the index, of which the exact version is installed into a cache and only read. A part of the
packages is held out: nobody looks at its single results while the analysis is being written.
Another part, called fresh, was labelled later by an author who had not read the analysis; it is
hidden, too.

Analysed are the files in scope, in which everything is labelled, and those that bring an output
which is consumed in scope; what is found in the latter alone is not counted.

Rules of matching, written before any result was known but for the two marked ones, which were added
after the first results:

- A *site* matches if its producing call's lines hold the label's line, and the kind is the same
  (chat, retriever, splitter; a function marked as a source counts as chat).
- A *requirement* matches if its evidence lies on the label's lines, its kind is the same and its
  facts agree. Facts that the label leaves out are not compared. Settings of splitters and
  retrievers may have the call of the labelled site as their evidence instead.
- One label matches one report at most, and the other way round.
- Fixed texts are compared one after the other without blanks, ``#`` standing for a number; how
  they are cut into identifiers does not count, nor do texts that the code allows to be missing,
  and of several accepted spellings the label may name any. A single fixed text and a choice of
  one are the same. Accepted literals are compared as sets; case counts unless the code ignores it.
- Keys are compared as sets of innermost paths. One that the code does not demand, or one that is
  missing, is a mismatch, and so is another type than the label's, or another optionality of the
  key itself; that something around a key is optional counts where the label says so. An array
  around the rows of CSV and JSON lines does not count, nor does a path without any name.
- (Added) Labels whose note calls them debatable count on neither side, nor do reports at them.
- Precision counts every reported site in scope, and every reported requirement whose evidence
  lies in scope, as false unless a label matches (added: before, a requirement counted if its site
  lay in scope, too); requirements that the analysis calls
  unknown, and the six scenario requirements, are not counted. Reports of one kind on one line
  that say the same or complete each other are one.

Processor seconds are those of the analysis alone, not of imports or of installing.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from knitbone_evals.adapt.requirements.corpus import (
    DEFAULT_CORPUS,
    CorpusError,
    install,
    scope_files,
)
from knitbone_evals.adapt.requirements.evaluate import evaluate, measure
from knitbone_evals.adapt.requirements.labels import (
    LABELS,
    AppLabels,
    LabelError,
    Split,
    problems,
    read_labels,
)
from knitbone_evals.adapt.requirements.table import render, render_differences
from knitbone_evals.paths import RESULTS, write_result

RESULT = RESULTS / "requirements.json"
SPLITS: tuple[Split, ...] = ("sample", "development", "held-out", "fresh")
HIDDEN: tuple[Split, ...] = ("held-out", "fresh")


def main(argv: list[str] | None = None) -> int:
    """Measure, write the result if it is the whole one, print it."""
    parser = argparse.ArgumentParser(
        prog="python -m knitbone_evals.adapt.requirements",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--split", choices=SPLITS, help="only this part of the corpus")
    parser.add_argument("--app", metavar="NAME", help="only this application")
    parser.add_argument("--verbose", action="store_true", help="list misses and false reports")
    parser.add_argument("--reveal", action="store_true", help="list those of the hidden parts too")
    parser.add_argument("--check", action="store_true", help="only check the label files")
    parser.add_argument("--corpus", type=Path, default=DEFAULT_CORPUS, help="cache of packages")
    parser.add_argument("--out", type=Path, help=f"where the result goes; of a whole run {RESULT}")
    arguments = parser.parse_args(argv)
    try:
        chosen = choose(arguments.split, arguments.app)
        if arguments.check:
            return check(chosen, arguments.corpus)
        measured = [measure(labels, arguments.corpus) for labels in chosen]
    except (LabelError, CorpusError) as error:
        print(error, file=sys.stderr)
        return 2
    result = evaluate(measured)
    if arguments.verbose:
        shown = [each for each in measured if each.score.split not in HIDDEN or arguments.reveal]
        print(render_differences([each.score for each in shown]))
    text = render(result)
    out = arguments.out or (None if arguments.split or arguments.app else RESULT)
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_result(out, result)
        out.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)
    return 0


def choose(split: str | None, app: str | None) -> list[AppLabels]:
    """The labels of the applications that were asked for.

    Raises:
        LabelError: a label file cannot be read, or no application is left.
    """
    found = [read_labels(path) for path in sorted(LABELS.glob("*.toml"))]
    chosen = [
        labels for labels in found if split in (None, labels.split) and app in (None, labels.name)
    ]
    if not chosen:
        names = ", ".join(labels.name for labels in found)
        raise LabelError(f"no such application; there are: {names}")
    return chosen


def check(chosen: list[AppLabels], corpus: Path) -> int:
    """Say what is wrong with the labels."""
    count = 0
    for labels in chosen:
        root = install(labels, corpus)
        for problem in problems(labels, root, scope_files(labels, root)):
            count += 1
            print(problem)
    consumers = sum(len(labels.consumer) for labels in chosen)
    sites = sum(len(labels.site) for labels in chosen)
    print(f"{len(chosen)} applications, {sites} sites, {consumers} consumers: {count} problems")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
