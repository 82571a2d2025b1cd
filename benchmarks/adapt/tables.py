"""The figures as Markdown, and single cases for a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.adapt.measure import Scored

__all__ = ["failures", "table"]

_COLUMNS = (
    "n",
    "recall",
    "precision",
    "failures prevented",
    "mis-repaired",
    "harmed",
    "pass rate before",
    "after",
)


def table(first: str, rows: Iterable[tuple[str, dict[str, Any]]]) -> list[str]:
    """A table whose rows are named figures.

    Args:
        first: what the names are.
    """
    lines = [
        f"| {first} | " + " | ".join(_COLUMNS) + " |",
        "| --- |" + " --- |" * len(_COLUMNS),
    ]
    for name, found in rows:
        cells = [
            str(found["faulty"]),
            interval(found["recall"]),
            interval(found["precision"]),
            f"{interval(found['prevented'])} of {found['failing']}",
            str(found["mis-repaired"]),
            f"{found['harmed']} of {found['conforming']}" if "harmed" in found else "",
            interval(found.get("pass before")) if "pass before" in found else "",
            interval(found.get("pass after")) if "pass after" in found else "",
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def interval(values: Sequence[float] | None) -> str:
    """A share with its interval."""
    return "-" if values is None else "{:.3f} [{:.3f}, {:.3f}]".format(*values)


def failures(scored: Iterable[Scored]) -> Iterable[str]:
    """Each case that is not as it should be, with what was said about it."""
    for each in scored:
        wrong = _wrong(each)
        if wrong:
            case = each.case
            said = " / ".join(f"{n.defect} {n.action}: {n.said}" for n in each.notes) or "nothing"
            yield (
                f"{wrong}: {case.id} {'+'.join(case.faults) or case.note}\n"
                f"    said     {said}\n"
                f"    outputs  {str(case.outputs)[:600]}\n"
                f"    expected {str(case.expected)[:300]}\n"
                f"    got      {str(each.result.error or each.result.value)[:300]}"
            )


def _wrong(each: Scored) -> str:
    if not each.case.defects:
        if each.changed or each.delivered:
            return "HARMED"
        return "FALSE REPORT" if each.reported else ""
    if each.changed and not each.right:
        return "MIS-REPAIRED"
    if each.case.repairable and not each.bare_right and not each.right:
        return "NOT PREVENTED"
    return "" if each.reported else "MISSED"
