"""Counts what readers make of broken texts, and writes it down.

*Exact*: the value of the document. *Refused*: no value; of a tied text, and where a refusal is
wanted, that is right and stands apart. *Invalid*: a value that the target rejects, which a check by
the user finds. *Nearer*: of a text with several faults, the document that fewer changed characters
give than the original: one of the faults stands in a text or a number, where nothing shows it.
*Wrong*: any other value that the target accepts, also of a tied text.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator

from knitbone_evals.documents.catalogue import REFUSALS, REFUSE
from knitbone_evals.documents.forms import Target, same
from knitbone_evals.documents.peers import READERS, Read, RefusedError, readers
from knitbone_evals.documents.shapes import HALVES
from knitbone_evals.paths import RESULTS

__all__ = ["Trial", "options", "outcome", "report"]

OUTCOMES = ("exact", "refused rightly", "refused", "invalid", "nearer", "wrong")
_SHOWN_CRASHES = 5


class Trial(NamedTuple):
    """A broken text, and what is right."""

    form: str
    kind: str
    text: str
    target: Target
    value: Any
    tied: str
    """A letter of ``ties``."""
    nearer: tuple[Any, ...] = ()
    """The documents that a part of the edits to the original gives."""


def options(description: str | None) -> argparse.ArgumentParser:
    """What all benchmarks of documents may be told."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--half", choices=HALVES, default=HALVES[0])
    parser.add_argument("--limit", type=int, help="at most so many cases, spread over all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--peer", action="append", default=[], choices=[each.name for each in READERS]
    )
    parser.add_argument("--quick", action="store_true", help="some seconds; writes nothing")
    parser.add_argument("--write", action="store_true", help="the result goes to results/")
    parser.add_argument("--verbose", default="", help="outcomes printed, such as wrong,invalid")
    return parser


def outcome(read: Read, trial: Trial, crashes: list[str]) -> str:
    """What a reader makes of a trial: one of ``OUTCOMES``."""
    try:
        value = read(trial.text, trial.target)
    except RefusedError:
        return "refused rightly" if trial.tied != "-" or trial.value is REFUSE else "refused"
    except Exception as error:  # noqa: BLE001 - what is looked for
        crashes.append(f"{type(error).__name__}: {error}"[:200])
        return "refused rightly" if trial.tied != "-" or trial.value is REFUSE else "refused"
    # What is written NaN for null may be read as either.
    wanted = trial.value
    if wanted is not REFUSE and same(_without_nan(value), wanted):
        return "exact"
    if any(same(_without_nan(value), other) for other in trial.nearer):
        return "nearer"
    return "wrong" if _fits(value, trial) else "invalid"


def report(
    trials: Sequence[Trial], chosen: argparse.Namespace, name: str, notes: dict[str, Any]
) -> int:
    """Run the readers over the trials, print the result, and write it if that is asked for."""
    skipped: dict[str, str] = {}
    tables: dict[str, dict[str, Counter[str]]] = {}
    versions = {"python": platform.python_version()}
    crashed: dict[str, list[str]] = {}
    seconds: dict[str, dict[str, float]] = {}
    shown = set(chosen.verbose.split(","))
    for reader, number, read in readers(chosen.peer, skipped):
        versions[reader.package] = number
        rows: dict[str, Counter[str]] = defaultdict(Counter)
        crashed[reader.name], times = [], []
        for trial in trials:
            if trial.form not in reader.forms:
                continue
            began = time.perf_counter()
            found = outcome(read, trial, crashed[reader.name])
            times.append(time.perf_counter() - began)
            rows[f"{trial.form}: {trial.kind}"][found] += 1
            if found in shown:
                print(f"{found} {reader.name} [{trial.form}: {trial.kind}] {trial.text!r}")
        tables[reader.name] = dict(rows)
        seconds[reader.name] = {"total": round(sum(times), 2), "slowest": round(max(times), 3)}
    result = {
        **notes, "half": chosen.half, "seed": chosen.seed, "limit": chosen.limit,
        "cases": len(trials), "versions": versions, "not measured": skipped,
        "seconds": seconds, "tied": _tied(trials), "characters": _sizes(trials),
        "crashes": {each: len(found) for each, found in crashed.items() if found},
        "readers": tables,
    }  # fmt: skip
    text = markdown(result, name)
    print(text)
    for each, found in crashed.items():
        for kind, count in Counter(found).most_common(_SHOWN_CRASHES):
            print(f"{each} crashed {count} times: {kind}")
    if chosen.write and not chosen.quick:
        _write(result, text, name, chosen.half)
    return 0


def _write(result: dict[str, Any], text: str, name: str, half: str) -> None:
    path = RESULTS / f"documents_{name}{'' if half == HALVES[0] else '_' + half}.json"
    path.write_text(json.dumps(result) + "\n", encoding="utf-8")
    Path(str(path).removesuffix("json") + "md").write_text(text, encoding="utf-8")


def markdown(result: dict[str, Any], name: str) -> str:
    """The tables of a result: all together, and by class of fault."""
    sizes = result["characters"]
    lines = [
        f"# Broken documents: {name}, half {result['half']}",
        "",
        f"`python -m knitbone_evals.documents.{name} --half {result['half']} --seed"
        f" {result['seed']}`: {result['cases']:,} texts of {sizes['least']:,} to {sizes['most']:,}"
        f" characters (median {sizes['median']:,}); {', '.join(_versions(result))}. Exact and wrong"
        " with 95 % intervals (Wilson); a refusal is right of a tied text and where no value can"
        " be known.",
        "",
        *(f"Not measured: {each} ({why})." for each, why in result["not measured"].items()),
        "",
    ]
    lines += [
        f"| reader | texts | n | {' | '.join(OUTCOMES)} | seconds, slowest |",
        "| --- | --- | --- |" + " --- |" * (len(OUTCOMES) + 1),
    ]
    classes: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for reader, rows in result["readers"].items():
        groups: dict[str, Counter[str]] = defaultdict(Counter)
        for kind, counts in rows.items():
            form, _, fault = kind.partition(": ")
            wanted = "a refusal is right" if fault in REFUSALS else "the value is known"
            groups[form if name == "blind" else wanted].update(counts)
            group = f"{form}: {_operation(fault)}" if name == "blind" else fault
            classes[group][reader].update(counts)
        took = result["seconds"][reader]
        lines += [
            f"| {reader} | {group} | {_cells(counts)} | {took['total']}, {took['slowest']} |"
            for group, counts in groups.items()
        ]
    lines += [
        "",
        "Right (exact, or refused rightly) and wrong (a value that the target accepts), by class:",
        "",
        f"| class | n | {' | '.join(result['readers'])} |",
        "| --- | --- |" + " --- |" * len(result["readers"]),
    ]
    for group, by_reader in classes.items():
        size = max(sum(counts.values()) for counts in by_reader.values())
        cells = [
            f"{by_reader[each]['exact'] + by_reader[each]['refused rightly']}"
            f" / {by_reader[each]['wrong']}"
            if each in by_reader
            else ""
            for each in result["readers"]
        ]
        lines.append(f"| {group} | {size} | {' | '.join(cells)} |")
    return "\n".join(lines).rstrip() + "\n"


def _operation(fault: str) -> str:
    return fault if fault[0].isdigit() else fault.partition(" ")[0]


def _versions(result: dict[str, Any]) -> list[str]:
    return [f"{package} {number}" for package, number in result["versions"].items()]


def _cells(counts: Counter[str]) -> str:
    size = sum(counts.values())
    cells = [
        _share(counts[each], size) if each in ("exact", "wrong") else str(counts[each])
        for each in OUTCOMES
    ]
    return f"{size} | {' | '.join(cells)}"


def _share(count: int, size: int) -> str:
    low, high = wilson(count, size)
    return f"{count} ({count / size:.3f} [{low:.3f}, {high:.3f}])"


def wilson(right: int, size: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927)."""
    z = 1.959964
    share = right / size
    middle = share + z * z / (2 * size)
    half = z * math.sqrt(share * (1 - share) / size + z * z / (4 * size * size))
    return max(0.0, (middle - half) / (1 + z * z / size)), (middle + half) / (1 + z * z / size)


def _fits(value: Any, trial: Trial) -> bool:
    if isinstance(trial.target, dict):
        return Draft202012Validator(trial.target).is_valid(value)
    if isinstance(trial.target, list):
        rows = value if trial.form == "csv" else [value]
        keys = set(trial.target)
        return (
            isinstance(rows, list)
            and bool(rows)
            and all(isinstance(row, dict) and row.keys() == keys for row in rows)
        )
    return True


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_nan(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _tied(trials: Iterable[Trial]) -> dict[str, Any]:
    """How many texts are tied, by form and by kind of tie."""
    by_form: dict[str, Counter[str]] = defaultdict(Counter)
    names = {"-": "untied", "a": "tied by another edit", "s": "tied by the same edit elsewhere"}
    for trial in trials:
        by_form[trial.form][names[trial.tied]] += 1
    return {form: dict(counts) for form, counts in by_form.items()}


def _sizes(trials: Sequence[Trial]) -> dict[str, Any]:
    sizes = sorted(len(trial.text) for trial in trials)
    deciles = [round(each) for each in statistics.quantiles(sizes, n=10)]
    middle = round(statistics.median(sizes))
    return {"least": sizes[0], "median": middle, "most": sizes[-1], "deciles": deciles}
