"""What came of each case, and the table of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from knitbone_evals.adapt.applications.cases import HERE, Application, Case, same
from knitbone_evals.fuzz.classification import wilson
from knitbone_evals.paths import write_result

__all__ = ["MODELS", "Judged", "Verdict", "judged", "recorded_path", "table", "write"]

MODELS = ("qwen2.5-coder-0.5b-instruct", "qwen2.5-coder-1.5b-instruct")
Verdict = Literal["right", "kept", "left", "wrong", "lost"]
"""``kept``: nothing was to be taken, and the plain code's outcome stands. ``left``: a value was
there, and the plain code's outcome, not the right one, stands. ``lost``: the plain code was right,
and is not any more."""


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One case, plain and adapted."""

    application: str
    half: str
    kind: str
    case: str
    model: str
    plain_right: bool
    verdict: Verdict
    plain: Any
    adapted: Any
    expected: Any
    answers: list[Any]
    holds: bool
    """Whether the answer holds a value that is to come out."""

    def line(self) -> str:
        """The case on one line."""
        said = " / ".join(str(each) for each in self.answers)
        return (
            f"{self.verdict:6} {self.application} {self.case} {self.model}\n"
            f"  answer {said[:500]!r}\n  plain {self.plain!r:.200}\n"
            f"  adapted {self.adapted!r:.200}\n  right {self.expected!r:.200}"
        )


def recorded_path(model: str, application: Application) -> Path:
    """Where a model's answers to an application's requests lie."""
    return HERE / "answers" / model / f"{application.name}.jsonl"


def marked(model: str, application: str, case: str) -> tuple[bool, Any] | None:
    """What a reader said that an answer holds: whether anything, and which result."""
    path = HERE / "marks" / f"{model}.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    mark = known.get(f"{application}/{case}")
    return None if mark is None else (mark["holds"], mark.get("result"))


def judged(
    application: Application, case: Case, model: str, plain: dict[str, Any], ours: dict[str, Any]
) -> Judged:
    """Judge one case; of a real answer, by its mark, or as held where the plain code is right."""
    expected, holds = case.expected, case.kind in ("conforming", "drifting")
    if case.kind == "request":
        mark = marked(model, application.name, case.id)
        if mark is None:
            holds = "value" in plain and same(plain["value"], case.expected)
        else:
            holds, expected = mark
    plain_right = holds and "value" in plain and same(plain["value"], expected)
    right = holds and "value" in ours and same(ours["value"], expected)
    return Judged(
        application=application.name, half=application.half,
        kind=case.kind, case=case.id, model=model,
        plain_right=plain_right, verdict=_verdict(holds, plain_right, right, plain, ours),
        plain=_shown(plain), adapted=_shown(ours), expected=expected,
        answers=ours.get("given") or plain.get("given") or [], holds=holds,
    )  # fmt: skip


def _verdict(
    holds: bool, plain_right: bool, right: bool, plain: dict[str, Any], ours: dict[str, Any]
) -> Verdict:
    if right:
        return "right"
    unchanged = (
        same(plain["value"], ours["value"])
        if "value" in plain and "value" in ours
        else "value" not in ours
    )
    if plain_right:
        return "wrong" if "value" in ours else "lost"
    if not unchanged:
        return "wrong"
    return "left" if holds else "kept"


def _shown(result: dict[str, Any]) -> Any:
    return result["value"] if "value" in result else f"{result['error']}: {result.get('words', '')}"


def table(rows: Sequence[Judged]) -> str:
    """Two tables: written cases by half, real answers by model and half."""
    lines = [
        "| cases | n | right, plain code | right with adapt | wrong | lost | left as they are |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    groups: dict[tuple[str, ...], list[Judged]] = {}
    for row in rows:
        kind = row.kind if row.kind != "request" else "real answers that hold the value"
        if row.kind == "request" and not row.holds:
            kind = "real answers that do not"
        groups.setdefault((row.half, kind, row.model), []).append(row)
    for (half, kind, model), group in sorted(groups.items()):
        counts = Counter(row.verdict for row in group)
        n, held = len(group), all(row.holds for row in group)
        name = f"{half} half, {kind}{', ' + model if model else ''}"
        cells = (
            name, n,
            _share(sum(row.plain_right for row in group), n) if held else "-",
            _share(counts["right"], n) if held else "-",
            counts["wrong"], counts["lost"], counts["left"] + counts["kept"],
        )  # fmt: skip
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def _share(found: int, n: int) -> str:
    low, high = wilson(found, n)
    return f"{found}, {100 * found / n:.0f} % [{100 * low:.0f}, {100 * high:.0f}]"


def write(path: Path, rows: Sequence[Judged]) -> None:
    """All cases as JSON, and the table beside it."""
    told = [msgspec.to_builtins(row) for row in rows]
    for row in told:
        for field in ("plain", "adapted", "answers"):
            del row[field]
    write_result(path, told)
    path.with_suffix(".md").write_text(table(rows) + "\n", encoding="utf-8")
