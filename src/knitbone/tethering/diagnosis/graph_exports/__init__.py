"""The graph of a run for other programs and for the eye: JSON, GraphML, DOT and SVG.

All four are written from one flat ``GraphView``; everything that the run said is escaped by the
library that writes the format, or by that format's own rules.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from knitbone.errors import KnitboneError
from knitbone.record.events import encode_json
from knitbone.tethering.diagnosis.graph_exports.dot import to_dot
from knitbone.tethering.diagnosis.graph_exports.graphml import to_graphml
from knitbone.tethering.diagnosis.graph_exports.svg import to_svg
from knitbone.tethering.diagnosis.graph_exports.view import GraphView, view_of

__all__ = ["WRITERS", "GraphView", "to_dot", "to_graphml", "to_json", "to_svg", "view_of", "write"]


def to_json(view: GraphView) -> str:
    """The view as one JSON object; the fields are those of ``GraphView``."""
    return encode_json(view).decode("utf-8") + "\n"


WRITERS: dict[str, Callable[[GraphView], str]] = {
    ".json": to_json,
    ".graphml": to_graphml,
    ".dot": to_dot,
    ".svg": to_svg,
}
"""By the suffix of the file that is written."""


def write(view: GraphView, path: Path) -> None:
    """Write the graph in the format that the file's suffix names.

    Raises:
        KnitboneError: the suffix names none, or the file cannot be written.
    """
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise KnitboneError(
            f"{path} names no graph format: the suffix is {path.suffix!r}.",
            next_step=f"End the name in one of: {', '.join(WRITERS)}.",
        )
    try:
        path.write_text(writer(view), encoding="utf-8", errors="replace")
    except OSError as error:
        raise KnitboneError(
            f"The graph cannot be written to {path}: {error}.",
            next_step="Check the folder and its permissions.",
        ) from error
