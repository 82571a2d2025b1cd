"""Constraints that are read of documentations as found, and as DRAFT rewrote them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from knitbone.fuzzing.fixing.sentence_constraints import read_constraints
from knitbone.fuzzing.records import ToolUnderTest

__all__ = ["count_documentations"]

_SEED, _DRAWS = 20261123, 10_000
_TYPES = {"STRING": "string", "NUMBER": "number", "BOOLEAN": "boolean", "ARRAY": "array",
          "OBJECT": "object", "ENUM": "string"}  # fmt: skip


def count_documentations(folder: Path) -> dict[str, object]:
    """The figures of both sets."""
    figures: dict[str, object] = {}
    for name in ("tmdb", "toolbench"):
        initial, draft = (_tools(folder / f"{name}_{when}.json") for when in ("initial", "draft"))
        both = sorted(set(initial) & set(draft))
        figures[name] = _compared(
            [[_read(tool) for tool in initial[key]] for key in both],
            [[_read(tool) for tool in draft[key]] for key in both],
        )
    return figures


def _compared(
    before: list[list[Counter[str]]], after: list[list[Counter[str]]]
) -> dict[str, object]:
    first = np.array([sum(sum(c.values()) for c in tool) for tool in before])
    second = np.array([sum(sum(c.values()) for c in tool) for tool in after])
    rng = np.random.default_rng(_SEED)
    drawn = rng.integers(0, len(first), (_DRAWS, len(first)))
    differences = (second - first)[drawn].mean(axis=1)
    low, high = np.percentile(differences, [2.5, 97.5])
    return {
        "documentations": len(first),
        "functions": [sum(map(len, before)), sum(map(len, after))],
        "constraints": [int(first.sum()), int(second.sum())],
        "documentations with one": [int((first > 0).sum()), int((second > 0).sum())],
        "more, fewer": [int((second > first).sum()), int((second < first).sum())],
        "difference each": [round(float((second - first).mean()), 3), round(float(low), 3),
                            round(float(high), 3)],
        "kinds as found": dict(_kinds(before)),
        "kinds of DRAFT": dict(_kinds(after)),
    }  # fmt: skip


def _kinds(read: list[list[Counter[str]]]) -> Counter[str]:
    return sum((counter for tool in read for counter in tool), Counter[str]())


def _read(tool: ToolUnderTest) -> Counter[str]:
    return Counter(constraint.kind for constraint in read_constraints(tool))


def _tools(path: Path) -> dict[str, list[ToolUnderTest]]:
    entries = json.loads(path.read_text(encoding="utf-8"))
    return {key: list(_of_entry(entry)) for key, entry in entries.items()}


def _of_entry(entry: dict[str, Any]) -> Iterator[ToolUnderTest]:
    if "tool_guidelines" not in entry:
        yield _tool(entry["tool_name"], entry)
        return
    for name, function in entry["tool_guidelines"].items():
        yield _tool(name, function)


def _tool(name: str, body: dict[str, Any]) -> ToolUnderTest:
    properties: dict[str, Any] = {}
    for key in ("required_parameters", "optional_parameters"):
        for parameter in body.get(key) or []:
            schema = parameter.get("schema") or {"type": _type(parameter)}
            words = str(parameter.get("description") or "")
            properties[parameter["name"]] = {**schema, "description": words}
    return ToolUnderTest(
        name=name,
        target=name,
        documentation=str(body.get("description") or ""),
        schema={"type": "object", "properties": properties},
    )


def _type(parameter: dict[str, Any]) -> str:
    return _TYPES.get(str(parameter.get("type")).upper(), "string")
