"""Reading a JSON schema: references, alternatives, types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from knitbone.wire.fields import object_of

__all__ = ["Resolver", "kinds_of", "properties_of"]

_ALL = ("string", "integer", "number", "boolean", "null", "array", "object")
_WORK = 2_000
"""References and alternatives that are followed for one schema."""
_BRANCHES = 500
"""Alternatives of one schema."""
_STEPS = 32
"""References followed in a row before a schema counts as endless."""


def properties_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas of an object's fields, which are a tool's arguments, by name."""
    return object_of(schema.get("properties"))


class Resolver:
    """Follows references within one schema; what was followed once is remembered."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root
        self._resolved: dict[int, tuple[Any, dict[str, Any]]] = {}
        self._branches: dict[int, tuple[Any, list[dict[str, Any]]]] = {}

    def resolve(self, schema: Any) -> dict[str, Any]:
        """The schema without ``$ref`` and ``allOf`` at its top; ``{}`` allows anything."""
        if not isinstance(schema, dict):
            return {}
        body = cast("dict[str, Any]", schema)
        if "$ref" not in body and "allOf" not in body:
            return body
        # By identity; the schema is kept with it, so that no other takes its place.
        known = self._resolved.get(id(body))
        if known is None:
            known = self._resolved[id(body)] = body, self._followed(body, 0, [_WORK])
        return known[1]

    def branches(self, schema: Any) -> list[dict[str, Any]]:
        """The alternatives (``anyOf``, ``oneOf``) as schemas of their own, never empty."""
        body = self.resolve(schema)
        if not body.get("anyOf") and not body.get("oneOf"):
            return [body]
        known = self._branches.get(id(body))
        if known is None:
            known = self._branches[id(body)] = body, self._told_apart(body, (), [_WORK])
        return known[1]

    def _followed(self, schema: Any, depth: int, left: list[int]) -> dict[str, Any]:
        """``resolve``, as far as the work that is left goes: schemas of a few lines refer to
        themselves, or double with each step."""
        for _ in range(_STEPS):
            left[0] -= 1
            if not isinstance(schema, dict) or left[0] < 0 or depth > _STEPS:
                return {}
            body = cast("dict[str, Any]", schema)
            if "$ref" in body:
                beside = {key: value for key, value in body.items() if key != "$ref"}
                schema = {**self._find(str(body["$ref"])), **beside}
            elif "allOf" in body:
                merged = {key: value for key, value in body.items() if key != "allOf"}
                for part in cast("list[Any]", body["allOf"]):
                    merged = _merge(merged, self._followed(part, depth + 1, left))
                schema = merged
            else:
                return body
        return {}

    def _told_apart(
        self, body: dict[str, Any], above: tuple[int, ...], left: list[int]
    ) -> list[dict[str, Any]]:
        """The alternatives below ``body``, without those that are one of those above again."""
        options = cast("list[Any]", body.get("anyOf") or body.get("oneOf") or [])
        if not options:
            return [body]
        above = (*above, id(body))
        beside = {k: v for k, v in body.items() if k in ("title", "description", "examples")}
        found: list[dict[str, Any]] = []
        for option in options:
            left[0] -= 1
            inner = self.resolve(option)
            if left[0] < 0 or len(above) > _STEPS or len(found) >= _BRANCHES:
                break
            if id(inner) not in above:
                parts = self._told_apart(inner, above, left)
                found.extend({**beside, **branch} for branch in parts)
        return found[:_BRANCHES] or [{}]

    def _find(self, reference: str) -> dict[str, Any]:
        node: Any = self._root
        if not reference.startswith("#"):
            return {}
        for part in reference.lstrip("#").strip("/").split("/"):
            if not part:
                continue
            key = part.replace("~1", "/").replace("~0", "~")
            node = cast("dict[str, Any]", node).get(key) if isinstance(node, dict) else None
        return cast("dict[str, Any]", node) if isinstance(node, dict) else {}


def _merge(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    merged = {**second, **first}
    if "properties" in first and "properties" in second:
        merged["properties"] = {**second["properties"], **first["properties"]}
    if "required" in first and "required" in second:
        merged["required"] = list(dict.fromkeys([*first["required"], *second["required"]]))
    return merged


def kinds_of(schema: dict[str, Any]) -> tuple[str, ...]:
    """The types a schema allows; all of them when it does not say. ``enum`` stands for the values
    of an ``enum`` or ``const`` without a type."""
    kind = schema.get("type")
    if isinstance(kind, str):
        return (kind,)
    if isinstance(kind, list) and kind:
        return tuple(cast("list[str]", kind))
    if "properties" in schema:
        return ("object",)
    if "items" in schema or "prefixItems" in schema:
        return ("array",)
    if "enum" in schema or "const" in schema:
        return ("enum",)
    return _ALL
