"""Reading a JSON schema: references, alternatives, types."""

from __future__ import annotations

from typing import Any, cast

__all__ = ["Resolver", "kinds_of"]

_ALL = ("string", "integer", "number", "boolean", "null", "array", "object")
_STEPS = 32
"""References followed in a row before a schema counts as endless."""


class Resolver:
    """Follows references within one schema."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._root = root

    def resolve(self, schema: Any) -> dict[str, Any]:
        """The schema without ``$ref`` and ``allOf`` at its top; ``{}`` allows anything."""
        for _ in range(_STEPS):
            if not isinstance(schema, dict):
                return {}
            body = cast("dict[str, Any]", schema)
            if "$ref" in body:
                beside = {key: value for key, value in body.items() if key != "$ref"}
                schema = {**self._find(str(body["$ref"])), **beside}
            elif "allOf" in body:
                merged = {key: value for key, value in body.items() if key != "allOf"}
                for part in cast("list[Any]", body["allOf"]):
                    merged = _merge(merged, self.resolve(part))
                schema = merged
            else:
                return body
        return {}

    def branches(self, schema: Any) -> list[dict[str, Any]]:
        """The alternatives (``anyOf``, ``oneOf``) as schemas of their own, never empty."""
        body = self.resolve(schema)
        options = cast("list[Any]", body.get("anyOf") or body.get("oneOf") or [])
        if not options:
            return [body]
        beside = {k: v for k, v in body.items() if k in ("title", "description", "examples")}
        found: list[dict[str, Any]] = []
        for option in options:
            for branch in self.branches(option):
                found.append({**beside, **branch})
        return found

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
    """The types a schema allows; all of them when it does not say."""
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
