"""The figures as Markdown, and single cases for a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from knitbone_evals.adapt.measure import Scored
from knitbone_evals.adapt.registry import DEFAULT, KNITBONE

__all__ = ["failures", "render", "table"]

_COLUMNS = (
    "faulty",
    "recall",
    "precision",
    "failures prevented",
    "mis-repaired",
    "harmed",
    "pass rate before",
    "after",
)
_NATURAL = (
    "pass rate before",
    "after",
    "repairable repaired",
    "mis-repaired",
    "conforming harmed",
    "foreign slots",
)

_TAU = (
    "Thresholds of meaning, over applications that have cases of context or semantics. "
    "`cosine x`: both thresholds are x; `calibrated +d`: both lie d over the embedder's calibrated "
    "values, as the paper's 0.7 + d over its 0.7"
)


def render(result: Mapping[str, Any]) -> str:
    """The whole result."""
    lines = [f"### {result['title']}", ""]
    for name, key in ((KNITBONE, "halves"), (DEFAULT, "halves at default settings")):
        for half, kinds in result.get(key, {}).items():
            lines += [f"**{name}: {half} applications**", "", *table("kind", kinds.items())]
    if "comparison" in result:
        lines += ["**All tools, both halves**", "", *_compared(result["comparison"])]
    if "natural" in result:
        lines += ["**Natural answers**", "", *_natural(result["natural"])]
    for title, key in (("Ablation", "ablation"), (_TAU, "sensitivity")):
        if key in result:
            rows = [(name, found["all"]) for name, found in result[key].items()]
            lines += [f"**{title}**", "", *table("", rows)]
    return "\n".join([*lines, *_footnotes(result)])


def table(first: str, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> list[str]:
    """A table whose rows are named figures.

    Args:
        first: what the names are.
    """
    lines = _head(first, _COLUMNS)
    for name, found in rows:
        cells = [
            str(found["faulty"]),
            interval(found["recall"]),
            interval(found["precision"]),
            f"{interval(found['prevented'])} of {found['failing']}",
            str(found["mis-repaired"]),
            f"{found['harmed']} of {found['conforming']}" if "harmed" in found else "",
            interval(found["pass before"]) if "pass before" in found else "",
            interval(found["pass after"]) if "pass after" in found else "",
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def _head(first: str, columns: Sequence[str]) -> list[str]:
    return [f"| {first} | " + " | ".join(columns) + " |", "| --- |" + " --- |" * len(columns)]


def _compared(found: Mapping[str, Any]) -> list[str]:
    rows: list[tuple[str, Any]] = []
    for name, of in found.items():
        calls = of.get("model calls per case", 1.0)
        rows.append((f"{name}, {calls} calls a case" if calls > 1 else name, of["all"]))
        if "own cases" in of:
            rows.append((f"{name}, where it applies", of["own cases"]))
    lines = table("tool", rows)
    for name, of in found.items():
        better = of.get("better than knitbone", {})
        if better:
            listed = "; ".join(f"{case} ({number})" for case, number in list(better.items())[:12])
            more = " ..." if len(better) > 12 else ""
            lines += [
                f"- Right with {name} and not with knitbone, {sum(better.values())}: {listed}{more}"
            ]
    return [*lines, ""]


def _natural(found: Mapping[str, Any]) -> list[str]:
    lines = _head("tool", _NATURAL)
    for name, of in found.items():
        cells = [
            interval(of["pass before"]),
            interval(of["pass after"]),
            f"{interval(of['repaired'])} of {of['repairable']}",
            str(of["mis-repaired"]),
            f"{of['harmed']} of {of['conforming']}",
            str(of["foreign slots"]),
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    some = next(iter(found.values()))
    return [
        *lines,
        "",
        f"{some['n']} answers, {some['debatable']} of them with debatable labels.",
        "",
    ]


def _footnotes(result: Mapping[str, Any]) -> list[str]:
    made = result["provenance"]
    counted = "; ".join(
        f"{half}: {of['applications']} applications, {of['cases']} cases and "
        f"{of['conforming, for harm alone']} further conforming ones"
        for half, of in made["cases"].items()
    )
    versions = ", ".join(f"{name} {number}" for name, number in made["versions"].items())
    lines = [
        f"{counted}. 95 % bootstrap intervals over cases, applications drawn first "
        f"({made['resamples']} samples), seed {made['seed']}; {versions}.",
        "",
    ]
    if result.get("not measured"):
        lines += [f"Not measured: {'; '.join(result['not measured'])}.", ""]
    return lines


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
