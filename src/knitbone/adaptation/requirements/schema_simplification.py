"""Simplification of JSON Schemas: to the few words that ``shape_of_schema`` reads.

References are followed, alternatives that only add null or list constants become one schema, and
what says more than types, keys and allowed values is left out: it demands nothing then.

Source: JSON Schema 2020-12, as pydantic and the providers of models write it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

__all__ = ["simplify_schema"]

_MAX_DEPTH = 32
"""Schemas inside one another, references and alternatives counted: more than ``shape_of_schema``
reads (ours)."""
_MAX_NODES = 2_000
"""Schemas inside one schema; references to references can multiply without end (ours)."""
_Schema = Mapping[str, Any]


def simplify_schema(schema: _Schema, *, keep: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the schema with ``type``, ``properties``, ``required``, ``items``, ``enum`` and
    ``additionalProperties`` only.

    Args:
        keep: words whose texts are kept as well, such as ``description``.

    Never raises: what cannot be read demands nothing, and a schema that contains itself is read
    to its first repetition.
    """
    return _Simplification(schema, keep).plain(schema, 0, ())


class _Simplification:
    """The simplification of one document, whose references it follows."""

    def __init__(self, root: _Schema, keep: tuple[str, ...]) -> None:
        self._root = root
        self._keep = keep
        self._left = _MAX_NODES

    def plain(self, schema: object, depth: int, inside: tuple[str, ...]) -> dict[str, Any]:
        """Return a schema simplified; ``inside`` are the references that led to it."""
        self._left -= 1
        if not isinstance(schema, Mapping) or depth > _MAX_DEPTH or self._left < 0:
            return {}
        known = cast("_Schema", schema)
        kept = {word: known[word] for word in self._keep if isinstance(known.get(word), str)}
        return {**self._without_words(known, depth, inside), **kept}

    def _without_words(self, known: _Schema, depth: int, inside: tuple[str, ...]) -> dict[str, Any]:
        """Return a schema as the schema says that it names, or that its parts make."""
        reference = known.get("$ref")
        if isinstance(reference, str):
            if reference in inside:
                return {}
            return self.plain(self._referred(reference), depth + 1, (*inside, reference))
        for word in ("anyOf", "oneOf", "allOf"):
            if isinstance(known.get(word), list) and "properties" not in known:
                return self._one_of(known[word], depth, inside, every=word == "allOf")
        return self._own(known, depth, inside)

    def _own(self, known: _Schema, depth: int, inside: tuple[str, ...]) -> dict[str, Any]:
        """Return the words of a schema that is no reference and no choice."""
        made: dict[str, Any] = {}
        kinds = _texts(known.get("type"))
        if known.get("nullable") is True:
            kinds = [*kinds, "null"]
        if kinds:
            made["type"] = kinds
        if "const" in known:
            made["enum"] = [known["const"]]
        elif isinstance(known.get("enum"), list) and known["enum"]:
            made["enum"] = known["enum"]
        properties = known.get("properties")
        if isinstance(properties, Mapping):
            inner = cast("_Schema", properties)
            made["properties"] = {
                str(name): self.plain(value, depth + 1, inside) for name, value in inner.items()
            }
        needed = _texts(known.get("required"))
        if needed:
            made["required"] = needed
            named = made.setdefault("properties", {})
            for name in needed:
                named.setdefault(name, {})
        if known.get("additionalProperties") is False and "patternProperties" not in known:
            made["additionalProperties"] = False
        if isinstance(known.get("items"), Mapping):
            made["items"] = self.plain(known["items"], depth + 1, inside)
        return made

    def _one_of(
        self, parts: list[object], depth: int, inside: tuple[str, ...], *, every: bool
    ) -> dict[str, Any]:
        """Return alternatives of which one is left without null, or which are constants; or the
        only part of a whole."""
        read = [self.plain(part, depth + 1, inside) for part in parts]
        plain = [part for part in read if part.get("type") != ["null"]]
        null = len(plain) < len(read)
        if len(plain) == 1 and not (every and null):
            made = plain[0]
        elif plain and not every and all(_is_constants(part) for part in plain):
            made = {"enum": [value for part in plain for value in part["enum"]]}
            kinds = plain[0].get("type")
            if kinds and all(part.get("type") == kinds for part in plain):
                made["type"] = kinds
        else:
            return {}
        return _or_null(made) if null else made

    def _referred(self, reference: str) -> Any:
        """Return what a pointer into the same document names; references to elsewhere
        are not read."""
        if not reference.startswith("#"):
            return None
        found: Any = self._root
        for part in reference[1:].split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            found = _mapping(found).get(name)
        return found


def _is_constants(part: dict[str, Any]) -> bool:
    """Return whether a schema lists constants."""
    return "enum" in part and part.keys() <= {"enum", "type"}


def _or_null(made: dict[str, Any]) -> dict[str, Any]:
    """Return the schema with null allowed too; one that demands nothing allows it already."""
    if "enum" in made:
        made = {**made, "enum": [*made["enum"], None]}
    return {**made, "type": [*made["type"], "null"]} if "type" in made else made


def _texts(value: object) -> list[str]:
    """Return the texts of a value that is one, or a list of them."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list | tuple):
        return []
    return [item for item in cast("list[object]", value) if isinstance(item, str)]


def _mapping(value: object) -> _Schema:
    """Return a value if it is a mapping, or else an empty one."""
    return cast("_Schema", value) if isinstance(value, Mapping) else {}
