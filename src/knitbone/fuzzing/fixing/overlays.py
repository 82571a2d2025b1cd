"""Documentation in a file of its own, for a server whose source is out of reach.

An overlay says what a tool's description, and its arguments', are to be instead. It is validated
when it is made: it may only speak of what the server has.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from knitbone.errors import InputFormatError
from knitbone.fuzzing.fixing.records import Overlay
from knitbone.fuzzing.generate.shapes import properties_of
from knitbone.fuzzing.records import ToolUnderTest

__all__ = ["overlay_name", "validated_overlay", "with_overlay", "write_overlay"]

_MAX_SLUG = 80
"""Characters of a file's name that tell the server and the tool."""
_LONGEST = 20_000
"""Characters of one description."""
_ESCAPES = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What no documentation needs, and what a terminal or a reader may be led by."""


def validated_overlay(overlay: Overlay, tools: Sequence[ToolUnderTest]) -> Overlay:
    """The overlay, if it fits a tool of the server.

    Raises:
        InputFormatError: it names a tool or an argument that is not there, or its texts are too
            long or hold control characters.
    """
    tool = next((each for each in tools if each.name == overlay.tool), None)
    if tool is None:
        raise InputFormatError(
            f"The overlay is for {overlay.tool!r}, which {overlay.server!r} does not have.",
            next_step=f"It has: {', '.join(each.name for each in tools) or 'no tools'}.",
        )
    names = set(properties_of(tool.schema))
    if unknown := sorted(set(overlay.parameters) - names):
        raise InputFormatError(
            f"The overlay describes {unknown[0]!r}, which {overlay.tool!r} does not take.",
            next_step=f"It takes: {', '.join(sorted(names)) or 'nothing'}.",
        )
    for text in (overlay.description, *overlay.parameters.values()):
        if len(text) > _LONGEST or _ESCAPES.search(text):
            raise InputFormatError(
                f"A text of the overlay for {overlay.tool!r} is too long or no plain text.",
                next_step=f"At most {_LONGEST:,} characters, and no control characters.",
            )
    return overlay


def with_overlay(tool: ToolUnderTest, overlay: Overlay) -> ToolUnderTest:
    """The tool as an agent would see it through the overlay."""
    schema = json.loads(json.dumps(tool.schema))
    for name, text in overlay.parameters.items():
        field = schema["properties"][name]
        schema["properties"][name] = (
            {**field, "description": text} if isinstance(field, dict) else {"description": text}
        )
    return msgspec.structs.replace(tool, documentation=overlay.description, schema=schema)


def overlay_name(overlay: Overlay) -> str:
    """The file name of an overlay: another one for every tool of a server."""
    whole = f"{overlay.server}_{overlay.tool}"
    slug = re.sub(r"[^A-Za-z0-9]+", "_", whole).strip("_")
    if slug == whole and len(slug) <= _MAX_SLUG:
        return f"{slug}.json"
    return f"{slug[-_MAX_SLUG:]}_{sha256(whole.encode('utf-8', 'replace')).hexdigest()[:8]}.json"


def write_overlay(overlay: Overlay, folder: Path) -> Path:
    """Write an overlay as JSON.

    Raises:
        InputFormatError: it cannot be written.
    """
    path = folder / overlay_name(overlay)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(msgspec.to_builtins(overlay), indent=2, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8")
    except (OSError, UnicodeEncodeError) as error:
        raise InputFormatError(
            f"{path} cannot be written: {error}.", next_step="Name another folder with --overlays."
        ) from error
    return path
