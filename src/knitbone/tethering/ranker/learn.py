"""From files of runs and labels to examples for the fit."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from knitbone.errors import InputFormatError
from knitbone.record.events import Run
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.planes import read_planes
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers.agentrx import is_ground_truth, read_ground_truth
from knitbone.tethering.interchange.importers.imported_run import ImportedRun
from knitbone.tethering.interchange.importers.registry import LabelsOnlyError, files_of, import_file
from knitbone.tethering.ranker.design import design
from knitbone.tethering.ranker.fit import Example

__all__ = ["examples_of", "read_labels"]


def read_labels(path: Path) -> dict[str, int]:
    """The 0-based index of the blamed message, by the run's name.

    Raises:
        InputFormatError: the file is no such JSON.
    """
    try:
        value: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise InputFormatError(
            f"The labels {path} cannot be read: {error}.", next_step="Give a JSON file."
        ) from error
    if isinstance(value, list) and is_ground_truth(value):
        return {cause.trajectory: cause.index for cause in read_ground_truth(value, str(path))}
    labels = cast("dict[str, Any]", value) if isinstance(value, dict) else None
    if not labels or not all(type(index) is int and index >= 0 for index in labels.values()):
        raise InputFormatError(
            f"The labels {path} are no object of runs and indices.",
            next_step='Write them as {"run-17.json": 6, ...}: 0-based positions of messages.',
        )
    return labels


def examples_of(paths: Sequence[Path], labels: Mapping[str, int]) -> list[Example]:
    """The labelled runs among files and folders; a run without a label, or with one on a message
    that is no step of an agent, is passed over.

    Raises:
        InputFormatError: a file cannot be read.
    """
    found: list[Example] = []
    for path in paths:
        for file, skipped in files_of(path):
            if skipped is not None:
                continue
            try:
                imported = import_file(file)
            except LabelsOnlyError:
                continue
            for item in imported:
                example = _example(item, labels)
                if example is not None:
                    found.append(example)
    return found


def _example(item: ImportedRun, labels: Mapping[str, int]) -> Example | None:
    names = _names(item.run)
    index = next((labels[name] for name in names if name in labels), None)
    if index is None and item.labels:
        body = cast("dict[str, Any]", item.labels[0].body)  # our importers write an object
        index = body.get("index")
    units = build_units(item.run)
    blamed = next((unit.ordinal for unit in units if unit.index == index), None)
    if blamed is None:
        return None
    graph = build_graph(units)
    matrix = design(graph, read_planes(item.run, graph).evidence)
    return Example(matrix=matrix, blamed=blamed, group=item.run.task or item.run.id)


def _names(run: Run) -> list[str]:
    """What a label may call the run by."""
    origin = run.origin
    if origin is None:
        return [run.id]
    file = Path(origin.path or "")
    return [run.id, *(str(value) for value in origin.identity.values()), file.name, file.stem]
