"""What is taken out of real runs: ``python -m knitbone_evals.redact.real_runs --data DIR``.

DIR holds ``who_and_when`` and ``tau_airline``: logs of agents with web pages, tracebacks and users
in them, which hold next to no secret. Prints how many of their different texts are touched, by the
rules alone and with the weights, and what the weights took, the most frequent first: each of these
is to be looked at, for none is announced by its own name.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from knitbone.record.secrets import nearness
from knitbone.record.secrets.finding import SecretFinder

SETS = ("who_and_when", "tau_airline")
SHORTEST = 20
"""Characters of a text that is read."""
NOTHING = 1e9
"""A threshold that no value reaches."""


def texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts_of(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts_of(part)


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--most", type=int, default=40, help="values to print")
    options = parser.parse_args()
    files = sorted(file for name in SETS for file in (options.data / name).rglob("*.json"))
    texts = dict.fromkeys(
        text
        for file in files
        for text in texts_of(json.loads(file.read_text(encoding="utf-8")))
        if len(text) > SHORTEST
    )
    places = SecretFinder().places
    by_rules, by_any, taken = 0, 0, Counter[str]()
    for text in texts:
        with mock.patch.object(nearness, "THRESHOLD", NOTHING):
            firm = places(text)
        found = places(text)
        by_rules += bool(firm)
        by_any += bool(found)
        taken.update({text[start:end] for start, end in found} - {text[a:b] for a, b in firm})
    print(
        f"{len(texts):,} texts, {sum(map(len, texts)):,} characters: {by_rules} touched by the"
        f" rules alone, {by_any} with the weights ({(by_any - by_rules) / len(texts):.1%} more),"
        f" which take {taken.total()} values, {len(taken)} different ones"
    )
    for value, times in taken.most_common(options.most):
        print(f"  {times} {value[:100]!r}")


if __name__ == "__main__":
    main()
