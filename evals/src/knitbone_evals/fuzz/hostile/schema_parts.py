"""What the schemas are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Schema = dict[str, Any]


@dataclass(frozen=True)
class Hostile:
    name: str
    attack: str
    # repr=False: the repr of some of these is itself an attack (depth, 5 MB, lone surrogates).
    schema: dict[str, Any] = field(repr=False, compare=False)


def object_of(properties: Any, required: Any = None, **extra: Any) -> Schema:
    if required is None:
        required = list(properties)
    return {"type": "object", "properties": properties, "required": required, **extra}


def ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}
