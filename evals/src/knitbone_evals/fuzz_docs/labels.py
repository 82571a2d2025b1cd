"""The forty tools and their author's labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

HERE = Path(__file__).parent


class Label(msgspec.Struct, frozen=True):
    """What the author of a tool says of it."""

    name: str
    kind: Literal["misleading", "sound"]
    subkind: str
    why: str
    example_request: str
    right_arguments: dict[str, Any]
    what_the_documentation_should_say: str = ""
    plausible_wrong_arguments: dict[str, Any] = {}


def labels() -> list[Label]:
    """Those of all tools, in the author's order."""
    return msgspec.json.decode((HERE / "labels.json").read_bytes(), type=list[Label])


def target_of(label: Label) -> str:
    """What ``knitbone`` takes to find the tool."""
    return f"{HERE / 'tools' / label.name}.py:{label.name}"
