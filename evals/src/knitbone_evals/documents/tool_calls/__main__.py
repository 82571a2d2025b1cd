"""Tool calls that small real models wrote, and who reads them rightly: ``python -m
knitbone_evals.documents.tool_calls``.

Each request fixes every value (``requests.py``), so the intended call is known beforehand. What an
answer says is the value of its document, where ``json.loads`` reads it as it is or without its
fence and the schema accepts it; else it was read by hand from the text alone, by a reader who saw
no other reader's value (``labels.jsonl``): the call it says, or null where it says none that can be
told. *Right*: that value; *wrong*: another one.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator

from knitbone_evals.documents.forms import same
from knitbone_evals.documents.peers import READERS, Read, RefusedError, readers
from knitbone_evals.documents.tool_calls.record import ANSWERS, COUNT, recorded
from knitbone_evals.documents.tool_calls.requests import CallRequest, call_requests
from knitbone_evals.paths import RESULTS, write_result

LABELS = Path(__file__).parent / "labels.jsonl"
_FENCED = re.compile(r"\s*```\w*\n(.*?)\n?```\s*", re.DOTALL)
GROUPS = (
    "intended call",
    "of them, not well-formed JSON behind at most a fence",
    "another valid call",
    "no call that can be told",
)


class Said(NamedTuple):
    """One answer, and what it says."""

    model: str
    request: CallRequest
    text: str
    value: Any
    """``None``: no call that can be told."""
    plain: bool
    """Whether ``json.loads`` reads it, as it is or without its fence."""

    @property
    def groups(self) -> Iterator[str]:
        """The rows of the table that it counts in."""
        if self.value is None:
            yield GROUPS[3]
        elif same(self.value, self.request.intended):
            yield GROUPS[0]
            if not self.plain:
                yield GROUPS[1]
        else:
            yield GROUPS[2]


def plainly(text: str) -> Any:
    """What ``json.loads`` makes of an answer, or of what stands in its only fence; ``None`` where
    it refuses both."""
    fenced = _FENCED.fullmatch(text)
    for document in (text, fenced[1] if fenced else text):
        try:
            return json.loads(document)
        except ValueError:
            continue
    return None


def answers() -> Iterator[Said]:
    """All recorded answers with what they say.

    Raises:
        SystemExit: one has no label and needs one; the key is printed.
    """
    labels = {(r["model"], r["key"]): r["call"] for r in _lines(LABELS)}
    requests = {request.key: request for request in call_requests(COUNT)}
    lacking: list[str] = []
    for path in sorted(ANSWERS.glob("*.jsonl")):
        for key, text in recorded(path).items():
            request = requests[key]
            value = plainly(text)
            plain = value is not None
            if not plain or not Draft202012Validator(request.target).is_valid(value):
                if (path.stem, key) not in labels:
                    lacking.append(f"{path.stem} {key}")
                value = labels.get((path.stem, key))
            yield Said(path.stem, request, text, value, plain)
    if lacking:
        sys.exit(f"{len(lacking)} answers have no label: {', '.join(lacking[:10])}")


def _lines(path: Path) -> list[dict[str, Any]]:
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [json.loads(line) for line in text.split("\n") if line]


def judged(read: Read, said: Said) -> str:
    """What a reader makes of an answer: ``right``, ``refused``, ``invalid`` (its value is none that
    the schema accepts) or ``wrong``."""
    try:
        value = read(said.text, said.request.target)
    except (RefusedError, ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return "refused"
    if said.value is not None and same(value, said.value):
        return "right"
    fits = Draft202012Validator(said.request.target).is_valid(value)
    return "wrong" if fits else "invalid"


def main() -> None:
    """Replay all answers, and print who read what."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", action="append", default=[], choices=[r.name for r in READERS])
    parser.add_argument("--show", default="", help="outcomes that are printed: wrong,refused")
    parser.add_argument("--write", action="store_true", help="the result goes to results/")
    chosen = parser.parse_args()
    said = list(answers())
    rows: list[dict[str, Any]] = []
    skipped: dict[str, str] = {}
    versions: dict[str, str] = {}
    for reader, version, read in readers(chosen.peer, skipped):
        versions[reader.package] = version
        counts: dict[str, Counter[str]] = {group: Counter() for group in GROUPS}
        for one in said:
            outcome = judged(read, one)
            for group in one.groups:
                counts[group][outcome] += 1
            if outcome in chosen.show.split(","):
                print(outcome, reader.name, one.model, one.request.key, repr(one.text)[:1500])
        rows.append({"reader": reader.name, **{g: dict(c) for g, c in counts.items()}})
    result = {"answers": len(said), "versions": versions, "skipped": skipped, "readers": rows}
    table = _table(rows)
    print(table)
    if chosen.write:
        write_result(RESULTS / "documents_tool_calls.json", result)


def _table(rows: list[dict[str, Any]]) -> str:
    lines = ["| reader | " + " | ".join(GROUPS) + " |", "| --- |" + " --- |" * len(GROUPS)]
    for row in rows:
        cells = [
            f"{sum(row[g].values())}: {row[g].get('right', 0)} right, {row[g].get('wrong', 0)} "
            f"wrong, {row[g].get('invalid', 0)} invalid"
            for g in GROUPS
        ]
        lines.append(f"| {row['reader']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
