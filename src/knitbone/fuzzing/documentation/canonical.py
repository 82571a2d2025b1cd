"""Arguments and outputs in a form in which equal ones are equal texts."""

from __future__ import annotations

import hashlib
import json
import math
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from knitbone.fuzzing.documentation.records import Normaliser
from knitbone.fuzzing.generate.shapes import properties_of
from knitbone.fuzzing.stability import MaskKind, masked
from knitbone.record.events import Json

__all__ = ["canonical_arguments", "canonical_value", "normalised"]

_DEPTH = 20
_COMPARED = 64 * 1024
"""Characters of an output that are compared; of a longer one, the digest of the rest."""


def canonical_arguments(arguments: Json, schema: Mapping[str, Any]) -> str:
    """Arguments as text: keys sorted, ``3.0`` as ``3``, letters composed, and an argument that was
    left out as its default."""
    if not isinstance(arguments, dict):
        return json.dumps(arguments, default=repr)
    given = dict(cast("dict[str, Json]", arguments))
    for name, field in properties_of(schema).items():
        if isinstance(field, dict) and "default" in field and name not in given:
            given[name] = field["default"]
    return canonical_value(given)


def canonical_value(value: Json) -> str:
    """One value as text."""
    return json.dumps(_plain(value), sort_keys=True, default=repr)


def _plain(value: Any, depth: int = 0) -> Json:
    if depth > _DEPTH:
        return repr(value)[:200]
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, float) and math.isfinite(value) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        table = cast("dict[Any, Any]", value)
        return {str(key): _plain(item, depth + 1) for key, item in table.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, depth + 1) for item in cast("Sequence[Any]", value)]
    return value


def normalised(output: str, normalise: Collection[Normaliser]) -> str:
    """An output without what it may differ in."""
    if "order" in normalise:
        output = _ordered(output)
    kinds: list[MaskKind] = [kind for kind in ("ids", "times") if kind in normalise]
    if len(output) > _COMPARED:
        rest = hashlib.sha256(output[_COMPARED:].encode("utf-8", "surrogatepass")).hexdigest()
        return masked(output[:_COMPARED], kinds) + rest
    return masked(output, kinds)


def _ordered(output: str) -> str:
    """Lists of a JSON document, or lines, in an order of their own."""
    try:
        document: Any = json.loads(output)
    except (ValueError, RecursionError):
        return "\n".join(sorted(output.splitlines()))
    return json.dumps(_sorted(document), sort_keys=True)


def _sorted(value: Any, depth: int = 0) -> Any:
    if depth > _DEPTH:
        return value
    if isinstance(value, dict):
        table = cast("dict[str, Any]", value)
        return {key: _sorted(item, depth + 1) for key, item in table.items()}
    if isinstance(value, list):
        items = [_sorted(item, depth + 1) for item in cast("list[Any]", value)]
        return sorted(items, key=lambda item: json.dumps(item, sort_keys=True))
    return value
