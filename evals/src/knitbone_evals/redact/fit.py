"""Fits what each feature of a value counts for (``record/secrets/weights.py``):
``python -m knitbone_evals.redact.fit --packages SITE_PACKAGES --data FOLDER [--write]``.

A logistic regression on values near an announcement: in the sets' shapes those that are the secret
against those of harmless texts, which are the sets' own, files of installed packages and recorded
answers. One author is left out in turn, with all shapes and harmless texts of that author, and the
whole cleaner is measured on what was left out; only that says what to expect of a new author.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from knitbone.record.secrets import candidates as candidates_module
from knitbone.record.secrets import nearness
from knitbone.record.secrets import weights as weights_module
from knitbone.record.secrets.assignments import secrets_by_name
from knitbone.record.secrets.candidates import candidates
from knitbone.record.secrets.cues import Announcement
from knitbone.record.secrets.finding import has_escapes, views_of
from knitbone.record.secrets.marks import announcements, read_marks
from knitbone.record.secrets.nearness import SuspectedValue, values_near
from knitbone_evals.redact.__main__ import CARRIERS, SETS, leaks, touched
from knitbone_evals.redact.peers import CLEANERS
from knitbone_evals.redact.practice import LINES, made

AUTHORS = {"first": ("first",), "second": ("second",), "third": ("third", "spare")}
PRACTICE_SEEDS = 6
WRAPS = ("plain text", "paragraph", "json text", "diff", "log line", "spreadsheet", "markup")
SEEDS = 4
SUFFIXES = set(".py .md .txt .rst .json .yaml .yml .toml .js .cfg .ini .sh .html .pem".split())  # noqa: SIM905
CHUNK = 40
"""Lines of a file that are one text."""
MOST_CHUNKS = 3_000
WEIGHTS = Path(weights_module.__file__)
HEAD = '''"""What each feature of a value counts for: natural logarithms of odds.

Written by ``python -m knitbone_evals.redact.fit``, which says on what; ``shape.py``, ``context.py``
and ``nearness.py`` say what the features mean.
"""

from __future__ import annotations

__all__ = ["THRESHOLD", "WEIGHTS"]

THRESHOLD = {threshold}
"""The sum from which a value is taken for a secret."""
# fmt: off
WEIGHTS: dict[str, float] = {{
'''

Row = tuple[dict[str, float], int, float, str, str]


def values_in(text: str) -> list[tuple[str, SuspectedValue]]:
    """What may be a secret in a text, as the finder reads it, each with the text it stands in."""
    readings = [text, *(view.text for view in views_of(text))]
    found: list[tuple[str, SuspectedValue]] = []
    for reading in readings[:1] if not has_escapes(text) else readings[1:2]:
        marks = read_marks(reading, reading.encode("latin-1", "replace").lower())
        if marks is None:
            continue
        named: list[Announcement] = []
        list(secrets_by_name(reading, marks.names, named, is_foreign=marks.is_foreign))
        words = announcements(reading, marks, named)
        some = candidates(reading, named, {one.cue for one in words})
        found += [(reading, value) for value in values_near(reading, some, words)]
    return found


def rows_of_shapes(author: str) -> Iterator[Row]:
    """Values of one author's shapes: the secrets, and at a low weight what stands beside them."""
    wraps = [carrier for carrier in CARRIERS if carrier.name in WRAPS]
    for chosen in AUTHORS[author]:
        for shape in SETS[chosen][0]:
            for seed in range(SEEDS):
                text, secret = shape.make(random.Random(f"{shape.name}fit{seed}"))
                for carrier in wraps:
                    for reading, value in values_in(carrier.wrap(text)):
                        said = reading[value.start : value.end]
                        features = dict.fromkeys(value.features, 1.0)
                        weight = 1 / (SEEDS * len(wraps))
                        if said in secret or secret in said:
                            yield features, 1, 4 * weight, author, shape.name
                        elif not any(said[k : k + 5] in secret for k in range(len(said) - 4)):
                            yield features, 0, 0.3 * weight, author, shape.name


def rows_of_practice() -> Iterator[Row]:
    """Values of lines that are there for the fit alone, each by itself and among other lines."""
    for line in LINES:
        for seed in range(PRACTICE_SEEDS):
            text, secrets = made(random.Random(f"{line}fit{seed}"), line)
            for whole in (
                text,
                f"$ ls -la\n{text}\ntotal 12",
                f"Then I tried this: {text} and left.",
            ):
                for reading, value in values_in(whole):
                    said = reading[value.start : value.end]
                    features = dict.fromkeys(value.features, 1.0)
                    if any(said in secret or secret in said for secret in secrets):
                        yield features, 1, 4 / (3 * PRACTICE_SEEDS), "practice", line
                    elif not any(
                        said[k : k + 5] in secret
                        for secret in secrets
                        for k in range(len(said) - 4)
                    ):
                        yield features, 0, 0.3 / (3 * PRACTICE_SEEDS), "practice", line


def rows_of_harmless(texts: list[str], author: str) -> Iterator[Row]:
    for text in texts:
        for reading, value in values_in(text):
            around = reading[max(0, value.start - 50) : value.end + 20]
            yield dict.fromkeys(value.features, 1.0), 0, 1.0, author, around


def chunks_of_packages(folder: Path) -> list[str]:
    """Pieces of files of installed packages, chosen by a fixed seed."""
    files = [path for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES]
    chosen = random.Random(1).sample(files, min(len(files), MOST_CHUNKS))
    chunks: list[str] = []
    for path in chosen:
        lines = path.read_text(encoding="utf-8", errors="ignore")[:300_000].splitlines()
        start = random.Random(path.name).randrange(max(1, len(lines) - CHUNK))
        chunks.append("\n".join(lines[start : start + CHUNK])[:6_000])
    return chunks


def answers_of(folder: Path) -> list[str]:
    """Recorded answers and runs of agents, in pieces."""
    texts: list[str] = []
    for path in sorted(folder.rglob("*.json*")):
        text = path.read_text(encoding="utf-8", errors="ignore")
        rng = random.Random(path.name)
        texts += [
            text[start : start + 3_000] for start in [rng.randrange(len(text)) for _ in range(12)]
        ]
    return texts


def fit(rows: list[Row], left_out: str | None, strength: float) -> dict[str, float]:
    used = [row for row in rows if row[3] != left_out]
    table = DictVectorizer()
    known = table.fit_transform([row[0] for row in used])
    model = LogisticRegression(C=strength, max_iter=2_000)
    model.fit(known, [row[1] for row in used], sample_weight=[row[2] for row in used])
    weights = dict(zip(table.get_feature_names_out(), model.coef_[0], strict=True))
    said = {
        name: round(float(weight), 2) for name, weight in weights.items() if abs(weight) >= 0.02
    }
    return {"": round(float(model.intercept_[0]), 2), **said}


def use(weights: dict[str, float], threshold: float) -> None:
    candidates_module.WEIGHTS = weights  # pyright: ignore[reportPrivateImportUsage]
    candidates_module.shape_score.cache_clear()
    nearness.THRESHOLD = threshold - weights[""]  # pyright: ignore[reportPrivateImportUsage]


def write(weights: dict[str, float], threshold: float) -> None:
    rows = [f"    {name!r}: {weight}," for name, weight in sorted(weights.items()) if name]
    rows = [row.replace("'", '"') if '"' not in row else row for row in rows]
    head = HEAD.format(threshold=round(threshold - weights[""], 2))
    WEIGHTS.write_text("\n".join([head.rstrip(), *rows, "}", ""]), encoding="utf-8")


def measure(author: str, seeds: int) -> tuple[dict[str, Any], list[str]]:
    clean = CLEANERS["knitbone"]()
    said: dict[str, Any] = {}
    shown: list[str] = []
    for chosen in AUTHORS[author]:
        kinds, texts = SETS[chosen]
        shapes, _, pairs = leaks(clean, seeds, kinds)
        tried = len(kinds) * len(CARRIERS) * seeds
        said[chosen] = (
            f"{len(shapes)} of {len(kinds)} shapes, {sum(shapes.values())} of {tried} values"
        )
        shown += pairs
    count, by_kind, touched_texts = touched(clean, texts())
    said["harmless"] = f"{sum(by_kind.values())} of {count}"
    return said, shown + touched_texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", type=Path, required=True)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--strength", type=float, default=0.3)
    parser.add_argument("--thresholds", type=float, nargs="*", default=[0.0])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--verbose", type=Path)
    parser.add_argument("--write", type=float, help="threshold with which to write the weights")
    options = parser.parse_args()
    rows: list[Row] = []
    for author in AUTHORS:
        rows += rows_of_shapes(author)
        rows += rows_of_harmless([text.text for text in SETS[AUTHORS[author][0]][1]()], author)
    chunks = chunks_of_packages(options.packages)
    answers = answers_of(options.data) if options.data else []
    held = [*chunks[::2], *answers[::2]]
    rows += rows_of_practice()
    rows += rows_of_harmless([*chunks[1::2], *answers[1::2]], "public")
    print(len(rows), Counter((row[1], row[3]) for row in rows))
    for author in (*AUTHORS, None) if options.write is not None else AUTHORS:
        weights = fit(rows, author, options.strength)
        for threshold in options.thresholds:
            use(weights, threshold)
            clean = CLEANERS["knitbone"]()
            public = sum(clean(text) != text for text in held)
            if author:
                said, shown = measure(author, options.seeds)
                if options.verbose and threshold == options.thresholds[0]:
                    Path(f"{options.verbose}_{author}").write_text("\n".join(shown))
            else:
                said = {name: measure(name, options.seeds)[0] for name in AUTHORS}
            print(
                author or "none",
                threshold,
                json.dumps(said),
                f"public {public} of {len(held)}",
                flush=True,
            )
    if options.write is not None:
        write(weights, options.write)
    if options.verbose:
        Path(f"{options.verbose}_public").write_text(
            "\n".join(f"{text!r}\n   {clean(text)!r}" for text in held if clean(text) != text)
        )
        Path(f"{options.verbose}_weights").write_text(
            "\n".join(f"{w:6.2f} {n}" for n, w in sorted(weights.items(), key=lambda r: -r[1]))
        )


if __name__ == "__main__":
    main()
