"""The result as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knitbone_evals.diagnose.localization.metrics import COMPARED, METRICS

__all__ = ["render"]

SHORTLY = ("exact", "top-3")
SHOWN = tuple(metric for metric in METRICS if metric != "reciprocal rank")


def render(result: Mapping[str, Any]) -> str:
    """Every table of the result, one page."""
    lines = [f"### {result['title']}", "", result["note"], ""]
    for name, found in result["sets"].items():
        lines += _set(name, found)
    lines += _regions(result)
    for key, title in (("label-free less", "Paired differences: knitbone, label-free, less"),):
        for pool, rows in result[key].items():
            lines += [f"**{title} ..., pooled over {pool}** (p: sign-flip permutation)", ""]
            lines += ["| less | " + " | ".join(COMPARED) + " |", "| --- |" + " --- |" * 3]
            for other, row in rows.items():
                cells = [
                    f"{d:+.2f} [{low:+.2f}, {high:+.2f}] p = {p:.3f}"
                    for d, low, high, p in (row[metric] for metric in COMPARED)
                ]
                lines.append(f"| {other} | " + " | ".join(cells) + " |")
            lines.append("")
    lines += _beyond(result["beyond position"])
    lines += _facts(result["facts"])
    lines += _airline(result["airline"])
    lines += _rules(result["rules"])
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    lines += [
        f"95 % bootstrap intervals over runs ({result['resamples']} resamples), seed"
        f" {result['seed']}; {versions}.",
        "",
    ]
    return "\n".join(lines)


def _set(name: str, found: Mapping[str, Any]) -> list[str]:
    lines = [
        f"**{name}** (n = {found['n']}; {found['labels on a message no agent wrote']} labels lie"
        " on a message that no agent wrote)",
        "",
        "| method | " + " | ".join(SHOWN) + " |",
        "| --- |" + " --- |" * len(SHOWN),
    ]
    for method, row in found["methods"].items():
        cells = [_cell(row[metric]) for metric in SHOWN]
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def _regions(result: Mapping[str, Any]) -> list[str]:
    names = list(result["regions"])
    lines = [
        "**Region: coverage of the blamed step** (by one of the region's messages; in brackets by"
        " the action message of one of its steps alone) **and share of the run's steps**",
        "",
        "| planes | " + " | ".join(names) + " |",
        "| --- |" + " --- |" * len(names),
    ]
    for method in next(iter(result["regions"].values())):
        cells: list[str] = []
        for name in names:
            row = result["regions"][name][method]
            cells.append(
                f"{_cell(row['coverage'])} ({row['coverage by action'][0]:.2f}),"
                f" {row['share'][0]:.2f}"
            )
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def _beyond(found: Mapping[str, Any]) -> list[str]:
    lines = [
        "**What the ranking says beyond position and length** (nats a run that the logarithm of the"
        " suspicion adds to a fit on both, leave-one-out; labels on no step left out)", "",
        "| runs | n | " + " | ".join(next(iter(found.values()))) + " |",
        "| --- | --- |" + " --- |" * len(next(iter(found.values()))),
    ]  # fmt: skip
    for group, row in found.items():
        cells = [
            "{:+.3f} [{:+.3f}, {:+.3f}]".format(*cell["nats a run"]) + f" p = {cell['p']:.3f}"
            for cell in row.values()
        ]
        n = next(iter(row.values()))["n"]
        lines.append(f"| {group} | {n} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def _facts(found: Mapping[str, Any]) -> list[str]:
    groups = list(next(iter(found.values())))
    lines = [
        "**What each fact of the conduct plane adds** (with it less without it: beside all other"
        " facts, then as the only one; exact, top-3)", "",
        "| ranking | " + " | ".join(groups) + " |",
        "| --- |" + " --- |" * len(groups),
    ]  # fmt: skip
    for name, row in found.items():
        cells = [
            ", ".join(f"{row[g][m][0]:+.2f} (p = {row[g][m][3]:.2f})" for m in ("exact", "top-3"))
            for g in groups
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def _airline(found: Mapping[str, Any]) -> list[str]:
    lines = [
        f"**τ-bench airline, a regression check** (n = {found['n']} failed runs; the label is the"
        " first write that the reference solution lacks, so naming a write is half of the answer)",
        "", "| method | exact | top-3 |", "| --- | --- | --- |",
    ]  # fmt: skip
    for name, row in found["methods"].items():
        lines.append(f"| {name} | {_cell(row['exact'])} | {_cell(row['top-3'])} |")
    for name, row in found["label-free less"].items():
        cells = ["{:+.2f} [{:+.2f}, {:+.2f}] p = {:.3f}".format(*row[m]) for m in SHORTLY]
        lines.append(f"| *label-free less {name}* | " + " | ".join(cells) + " |")
    return [*lines, ""]


def _rules(found: Mapping[str, Any]) -> list[str]:
    lines = [
        "**Step rules: runs that break one** (recorded runs with rewards; p: Fisher's exact test)",
        "",
        "| set | failed | successful | p | kinds in failed runs | kinds in successful runs |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, row in found.items():
        kinds = [
            ", ".join(f"{kind} {count}" for kind, count in row[f"kinds, {group}"].items())
            for group in ("failed", "successful")
        ]
        lines.append(
            f"| {name} | {row['failed that break a rule']} of {row['failed']}"
            f" | {row['successful that break a rule']} of {row['successful']} | {row['p']}"
            f" | {kinds[0]} | {kinds[1]} |"
        )
    return [*lines, ""]


def _cell(values: list[float]) -> str:
    return "{:.2f} [{:.2f}, {:.2f}]".format(*values)
