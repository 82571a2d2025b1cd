"""What adapt changes of prose that is as it should be: ``python -m knitbone_evals.adapt.prose``.

Each text (``corpus.py``) is what a model says; applications print it, store it, send it, show it
line by line, cut it into pages (``consumers.py``). None of them goes wrong with any text, and none
of the texts asks for a change. What an application makes of it without adapt and with it is
compared, at default settings and with all scenario requirements switched on, both with all the time
they need. A change at default settings is printed in full, to be judged by somebody who does not
know which side is which.

    python -m knitbone_evals.adapt.prose.corpus PACKAGES        # about 150 MB, once
    python -m knitbone_evals.adapt.prose --packages PACKAGES --data DIR
"""

from __future__ import annotations

import argparse
import logging
import platform
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from knitbone._version import __version__
from knitbone.config import AdaptConfig
from knitbone_evals.adapt.prose.corpus import Text, answers, generated, public
from knitbone_evals.adapt.prose.run import CONSUMERS, Change, changes
from knitbone_evals.paths import RESULTS, write_result

RESULT = RESULTS / "adapt_prose.json"
_SWITCHED = ("returned", "in_pages", "fixed_width")
"""What every site does with a text is the same, so that three consumers show all of it."""
_REAL = "real answers"
_TIME = {"budget_ms": 60_000}
"""Milliseconds: nothing passes for want of time on a busy machine."""
_VARIES = re.compile(r"\d+|\"[^\"]*\"|'[^']*'")


def main() -> int:
    """Measure, print, and write the result if it is the whole one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="folder of the public data sets")
    parser.add_argument("--packages", type=Path, help="folder of the fetched packages")
    parser.add_argument("--every", type=int, default=1, help="of so many texts one")
    parser.add_argument("--verbose", action="store_true", help="print the changes of all rows")
    options = parser.parse_args()
    logging.getLogger("knitbone").setLevel(logging.CRITICAL)
    texts = generated() + ([] if options.packages is None else public(options.packages))
    real = [] if options.data is None else answers(options.data)
    result = measure(texts[:: options.every], real[:: options.every], verbose=options.verbose)
    print(render(result))
    if options.packages is not None and options.data is not None and options.every == 1:
        write_result(RESULT, result)
        RESULT.with_suffix(".md").write_text(render(result), encoding="utf-8")
    return 0


def measure(texts: Sequence[Text], real: Sequence[Text], *, verbose: bool) -> dict[str, Any]:
    """Both rows."""
    everything = [*texts, *(text._replace(kind=_REAL) for text in real)]
    rows = {
        "default settings": (AdaptConfig(**_TIME), CONSUMERS),
        "all scenario requirements": (AdaptConfig(scenario=("all",), **_TIME), _SWITCHED),
    }
    found: dict[str, Any] = {}
    for name, (config, consumers) in rows.items():
        started = time.perf_counter()
        changed = list(changes(everything, config, consumers))
        if verbose or config.scenario == AdaptConfig().scenario:
            for change in changed:
                print(shown(change))
        found[name] = _row(everything, changed, consumers)
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    return {
        "title": "adapt: prose that is as it should be",
        "texts": dict(Counter(text.kind for text in everything)),
        "rows": found,
        "versions": {"python": platform.python_version(), "knitbone": __version__},
    }


def _row(
    texts: Sequence[Text], changed: Iterable[Change], consumers: Sequence[str]
) -> dict[str, Any]:
    by_kind: dict[str, dict[str, set[str]]] = {}
    rules: Counter[str] = Counter()
    listed: list[dict[str, Any]] = []
    for change in changed:
        sort = "text" if change.consumer not in ("in_pages", "fixed_width") else "pieces"
        by_kind.setdefault(change.text.kind, {}).setdefault(sort, set()).add(change.text.id)
        rules.update({_VARIES.sub("_", rule) for rule in change.rules})
        listed.append({"text": change.text.id, "consumer": change.consumer})
    count = {
        kind: {sort: len(ids) for sort, ids in sorts.items()} for kind, sorts in by_kind.items()
    }
    return {
        "consumers": len(consumers),
        "pairs": len(texts) * len(consumers),
        "changed": {
            sort: sum(kinds.get(sort, 0) for kinds in count.values()) for sort in ("text", "pieces")
        },
        "changed by kind": count,
        "rules": dict(rules.most_common(12)),
        "changes": listed if len(listed) < 100 else [],
    }


def shown(change: Change) -> str:
    """A change, in full."""
    return (
        f"--- {change.text.id} {change.consumer}: {'; '.join(change.rules)}\n"
        f"[1] {change.plain}\n[2] {change.adapted}"
    )


def render(result: dict[str, Any]) -> str:
    """The result as Markdown."""
    rows = result["rows"]
    names = [f"{name}: {sort}" for name in rows for sort in ("texts", "pieces")]
    lines = [
        f"### {result['title']}",
        "",
        "Texts that reach an application changed (*texts*), or cut elsewhere by a loop of its own "
        "(*pieces*), at least once.",
        "",
        f"| kind | texts | {' | '.join(names)} |",
        "| --- |" + " ---: |" * (len(names) + 1),
    ]
    for kind, number in result["texts"].items():
        cells = [
            str(row["changed by kind"].get(kind, {}).get(sort, 0))
            for row in rows.values()
            for sort in ("text", "pieces")
        ]
        lines.append(f"| {kind} | {number} | {' | '.join(cells)} |")
    cells = [str(row["changed"][sort]) for row in rows.values() for sort in ("text", "pieces")]
    lines.append(f"| all | {sum(result['texts'].values())} | {' | '.join(cells)} |")
    lines.append("")
    for name, row in rows.items():
        lines.append(f"- {name}: {row['consumers']} consumers, {row['pairs']:,} pairs.")
        if row["rules"]:
            listed = "; ".join(f"{rule} ({number})" for rule, number in row["rules"].items())
            lines.append(f"  What was done: {listed}.")
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    return "\n".join([*lines, "", f"{versions}.", ""])


if __name__ == "__main__":
    sys.exit(main())
