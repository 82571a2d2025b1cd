"""Unique errors in the library tools, counted by one rule for the fuzzer and for the baseline."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable, Sequence

import msgspec

from knitbone.fuzzing.estimate import chao1
from knitbone.fuzzing.records import Estimate
from knitbone_evals.fuzz.reports import Found, Report

__all__ = ["COUNTED", "Errors", "Side", "Unique", "errors_of", "per_tool", "side", "union_of"]

COUNTED = ("raised", "returned text", "hang")
"""Kinds that both sides can see. What only a sandbox sees is told apart."""

Error = tuple[str, str, str]
"""Target, kind and key of an error. A raised one is known by the exception's type and the
innermost frame in the library, a returned one by the words of its text."""


class Unique(msgspec.Struct, frozen=True):
    """When an error was first seen, and how often."""

    call: int
    count: int
    seconds: float
    conforming: bool
    """Whether it was seen with arguments that meet the schema."""


Errors = dict[Error, Unique]


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """What one treatment found in all tools, with one seed."""

    errors: int
    raised: int
    returned: int
    calls: int
    calls_per_error: float | None
    seconds: float
    """Of all calls, those for smaller arguments left out."""
    seconds_per_error: float | None
    chao1: Estimate
    conforming: int
    """Errors first seen with arguments that meet the tool's schema; all of the baseline's."""
    beyond: int
    """Unique findings of kinds that only a sandbox sees."""
    unread: int
    """Findings that the common rule does not count: texts that only the fuzzer takes for errors,
    and arguments that are refused before the tool is entered."""
    denied: int
    failed: int
    """Tools whose worker could not go on."""


def errors_of(reports: Iterable[Report]) -> Errors:
    """All unique errors in the reports, by the rule that holds for both sides."""
    unique: Errors = {}
    for report in reports:
        for found in report.findings:
            failure = found.failure
            if failure.kind not in COUNTED or not failure.key:
                continue
            key = (report.target, failure.kind, failure.key)
            unique[key] = _joined(unique.get(key), found)
    return unique


def _joined(known: Unique | None, found: Found) -> Unique:
    """One error, which a finer rule may have told of twice."""
    if known is None:
        return Unique(found.call, found.count, found.seconds, found.conforming is not False)
    return Unique(
        min(known.call, found.call),
        known.count + found.count,
        min(known.seconds, found.seconds),
        known.conforming or found.conforming is not False,
    )


def side(reports: Sequence[Report]) -> Side:
    """The figures of one treatment with one seed."""
    errors = errors_of(reports)
    kinds = [kind for _, kind, _ in errors]
    calls = sum(report.calls for report in reports)
    seconds = sum(report.seconds for report in reports)
    failures = [found.failure for report in reports for found in report.findings]
    return Side(
        errors=len(errors),
        raised=len(kinds) - kinds.count("returned text"),
        returned=kinds.count("returned text"),
        calls=calls,
        calls_per_error=round(calls / len(errors), 1) if errors else None,
        seconds=round(seconds, 1),
        seconds_per_error=round(seconds / len(errors), 2) if errors else None,
        chao1=chao1([one.count for one in errors.values()]),
        conforming=sum(one.conforming for one in errors.values()),
        beyond=sum(failure.kind not in COUNTED for failure in failures),
        unread=sum(failure.kind in COUNTED and not failure.key for failure in failures),
        denied=sum(report.denied for report in reports),
        failed=sum(bool(report.problem) for report in reports),
    )


def union_of(runs: Iterable[Sequence[Report]]) -> set[Error]:
    """What was found in any of the runs."""
    return {error for reports in runs for error in errors_of(reports)}


def per_tool(
    sides: Sequence[Sequence[Sequence[Report]]], union: Collection[Error]
) -> list[dict[str, object]]:
    """One row a tool: median number of unique errors for each side, and of the union.

    Args:
        sides: For each side, for each seed, the reports of all tools.
    """
    rows = list[dict[str, object]]()
    for target in [report.target for report in sides[0][0]]:
        numbers = [
            statistics.median(
                sum(error[0] == target for error in errors_of(reports)) for reports in seeds
            )
            for seeds in sides
        ]
        whole = sum(error[0] == target for error in union)
        name = target.rpartition(":")[2].removesuffix("()")
        rows.append({"tool": name, "found": numbers, "union": whole})
    return rows
