"""What ``repair(partial=True)`` shows of documents that come in chunks, and whether it keeps its
promises: ``python -m knitbone_evals.documents.streams``.

Whole documents in random chunks (``faults.streams``), and with ``--faults`` the broken ones of the
development half. A *violation*: a value that was shown is no part of a later one or of the final
one, or the last record is not that of the whole text. *Taken back*: the last record refuses because
of what had been shown, where the whole text is read.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import knitbone
from knitbone_evals.documents.faults import cases, streams
from knitbone_evals.documents.forms import FORMS, same

_ENTRIES = 100_000
"""Of the list that is copied to see what an entry costs."""


class Seen(NamedTuple):
    """What became of one stream."""

    kept: str
    """``kept``, ``taken back``, or the violation."""
    ok: bool
    first: float | None
    """The share of the characters that had come when the first value was shown."""
    visible: float
    """The share of the final scalars that is shown, on average over the characters; one half is
    what showing each at once would give."""
    seconds: float


def main(arguments: list[str] | None = None) -> int:
    """Draw, read, print; 1 where a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", action="store_true", help="broken documents; minutes")
    chosen = parser.parse_args(arguments)
    seen: dict[str, list[Seen]] = defaultdict(list)
    parsing: dict[str, float] = defaultdict(float)
    for form, target, text, chunks in (_broken if chosen.faults else _whole)(
        chosen.seed, chosen.count
    ):
        seen[form].append(watch(chunks, target))
        if form.startswith("json") and not chosen.faults:
            began = time.perf_counter()
            json.loads(text)
            parsing[form] += time.perf_counter() - began
    print("| form | streams | value | shown before the end | first shown at | visible | taken back"
          " | violations | time / json.loads |")  # fmt: skip
    print("| --- |" + " --- |" * 8)
    broken = 0
    for form in FORMS:
        each = seen.get(form, [])
        kept = Counter(one.kept for one in each)
        wrong = len(each) - kept["kept"] - kept["taken back"]
        broken += wrong
        firsts = [one.first for one in each if one.first is not None]
        median = f"{statistics.median(firsts):.0%}" if firsts else "-"
        visible = statistics.fmean([one.visible for one in each if one.ok] or [0.0])
        took = sum(one.seconds for one in each) / parsing[form] if parsing[form] else None
        print(f"| {form} | {len(each)} | {sum(one.ok for one in each)} | {len(firsts)} | {median}"
              f" | {visible:.0%} | {kept['taken back']} | {wrong}"
              f" | {'-' if took is None else f'{took:.0f}'} |")  # fmt: skip
        for kind, count in kept.items():
            if kind not in ("kept", "taken back"):
                print(f"violation, {form}: {kind} ({count})")
    _print_costs()
    return 1 if broken else 0


def _whole(seed: int, count: int) -> Iterator[tuple[str, Any, str, list[str]]]:
    for made, chunks in streams(seed, count):
        yield made.form, made.target, made.text, chunks


def _broken(seed: int, count: int) -> Iterator[tuple[str, Any, str, list[str]]]:
    drawn = list(cases(seed, "development", forms=FORMS[:4]))
    rng = random.Random(seed)
    for case in rng.sample(drawn, min(count, len(drawn))):
        places = sorted(rng.choices(range(len(case.text)), k=len(case.text) // 8))
        chunks = [case.text[a:b] for a, b in zip([0, *places], [*places, None], strict=True)]
        yield case.document.form, case.document.target, case.text, chunks


def watch(chunks: list[str], target: Any) -> Seen:
    """Read a stream, and hold all that it shows against the whole text's value."""
    whole = knitbone.repair("".join(chunks), target)
    read = 0

    def counted() -> Iterator[str]:
        nonlocal read
        for chunk in chunks:
            read += len(chunk)
            yield chunk

    began = time.perf_counter()
    records = [(read, one) for one in knitbone.repair(counted(), target, partial=True)]
    seconds = time.perf_counter() - began
    *parts, (_, last) = records
    values = [one.value for _, one in parts]
    kept = "kept"
    if not all(map(is_part, values, values[1:])):
        kept = "a value is no part of the next one"
    elif not last.complete or any(one.complete or not one.ok for _, one in parts):
        kept = "a record is marked wrongly"
    elif last != whole:
        kept = "taken back" if whole.ok and not last.ok else "the last record is another"
    elif last.ok and not all(is_part(value, last.value) for value in values):
        kept = "a value is no part of the final one"
    return Seen(kept, last.ok, parts[0][0] / max(read, 1) if parts else None,
                _visible(parts, last.value, read), seconds)  # fmt: skip


def _visible(parts: list[tuple[int, knitbone.RepairResult]], final: Any, length: int) -> float:
    total = 0.0
    for index, (place, part) in enumerate(parts):
        behind = parts[index + 1][0] if index + 1 < len(parts) else length
        total += (behind - place) * _scalars(part.value)
    return total / max(length * _scalars(final), 1)


def _scalars(value: Any) -> int:
    if isinstance(value, dict):
        return sum(map(_scalars, value.values()))
    return sum(map(_scalars, value)) if isinstance(value, list | tuple) else 1


def is_part(part: Any, whole: Any) -> bool:
    """Whether a value has grown to another one, by the words of the promise."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and is_part(part[key], whole[key]) for key in part)
    if isinstance(part, list) and isinstance(whole, list):
        return (
            len(part) <= len(whole)
            and all(map(same, part[:-1], whole))
            and all(map(is_part, part[-1:], whole[len(part) - 1 :]))
        )
    return same(part, whole)


def _print_costs() -> None:
    """What a character costs that is read, and an entry that is copied."""
    text = json.dumps(
        [{"id": number, "name": f"name {number}"} for number in range(_ENTRIES // 20)]
    )
    began = time.perf_counter()
    knitbone.repair(text[:-1], partial=True)
    reading = (time.perf_counter() - began) / len(text)
    entries = [{} for _ in range(_ENTRIES)]
    began = time.perf_counter()
    for _ in range(20):
        entries.copy()
    copying = (time.perf_counter() - began) / (20 * _ENTRIES)
    print(
        f"A character is read in {reading * 1e9:.0f} ns, an entry copied in {copying * 1e9:.1f} ns."
    )


if __name__ == "__main__":
    raise SystemExit(main())
