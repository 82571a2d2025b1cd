"""Who reads broken documents: knitbone and libraries of PyPI, behind one function each.

``read(text, target)`` gives a value or raises ``RefusedError``; what else it raises is a crash,
which counts as a refusal and is printed. No library that was found mends XML or CSV, so knitbone
alone reads those.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.metadata import version
from typing import Annotated, Any, Literal, NamedTuple, Union

from knitbone_evals.documents.forms import FORMS, Target

__all__ = ["READERS", "Reader", "RefusedError", "readers"]

Read = Callable[[str, Target], Any]
_JSON_LIKE = FORMS[:4]


class RefusedError(Exception):
    """A reader says that it cannot tell the value."""


class Reader(NamedTuple):
    """A way to read a broken text."""

    name: str
    package: str
    forms: tuple[str, ...]
    load: Callable[[], Read]
    """Raises ``ImportError`` or ``AttributeError`` where it is not there."""


def readers(names: list[str], skipped: dict[str, str]) -> Iterator[tuple[Reader, str, Read]]:
    """The readers of these names (all for none) that are installed, with their versions.

    Args:
        skipped: gets what the others lack, by name.
    """
    for reader in READERS:
        if names and reader.name not in names:
            continue
        try:
            read = reader.load()
        except (ImportError, AttributeError) as error:
            skipped[reader.name] = str(error)
        else:
            yield reader, version(reader.package), read


def _knitbone() -> Read:
    repair: Any = importlib.import_module("knitbone").repair

    def read(text: str, target: Target) -> Any:
        record = repair(text, target)
        if not record.ok:
            raise RefusedError(str(record.refusal))
        return record.value

    return read


def _json_repair(*, guided: bool = False, **options: Any) -> Callable[[], Read]:
    def load() -> Read:
        module = importlib.import_module("json_repair")

        def read(text: str, target: Target) -> Any:
            schema = {"schema": target} if isinstance(target, dict) else {}
            more = {**schema, **(options if schema else {})} if guided else options
            try:
                return module.loads(text, **more)
            except ValueError as error:
                raise RefusedError(str(error)) from error

        return read

    return load


def _fast_json_repair() -> Read:
    module = importlib.import_module("fast_json_repair")

    def read(text: str, _: Target) -> Any:
        try:
            return module.loads(text)
        except ValueError as error:
            raise RefusedError(str(error)) from error

    return read


def _parsantic() -> Read:
    module = importlib.import_module("parsantic")
    pydantic = importlib.import_module("pydantic")

    def read(text: str, target: Target) -> Any:
        kind = _pydantic_type(json.dumps(target)) if isinstance(target, dict) else Any
        adapter = pydantic.TypeAdapter(kind)
        try:
            value = module.parse(text, adapter).value
        except ValueError as error:
            raise RefusedError(str(error)) from error
        return adapter.dump_python(value, by_alias=True, exclude_unset=True)

    return read


@lru_cache(maxsize=256)
def _pydantic_type(schema: str) -> Any:
    return _type(json.loads(schema), importlib.import_module("pydantic"))


def _type(schema: dict[str, Any], pydantic: Any) -> Any:
    """The type that a user of Pydantic writes for what the shapes' schemas say."""
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if "anyOf" in schema:
        return Union[tuple(_type(each, pydantic) for each in schema["anyOf"])]  # noqa: UP007
    if schema["type"] == "array":
        size = pydantic.Field(
            min_length=schema.get("minItems"), max_length=schema.get("maxItems")
        )  # fmt: skip
        return Annotated[list[_type(schema["items"], pydantic)], size]
    if "pattern" in schema:
        return Annotated[str, pydantic.Field(pattern=schema["pattern"])]
    if "properties" in schema:
        fields: dict[str, Any] = {}
        for number, (name, each) in enumerate(schema["properties"].items()):
            default = ... if name in schema["required"] else None
            # A name of its own for keys such as "$in", of which the alias is the key.
            own = name if name.isidentifier() and not name.startswith("_") else f"field_{number}"
            if own in dir(pydantic.BaseModel):
                own = f"field_{number}"
            fields[own] = (_type(each, pydantic), pydantic.Field(default, alias=name))
        extra = "allow" if schema.get("additionalProperties", True) else "forbid"
        return pydantic.create_model("Shape", __config__={"extra": extra}, **fields)
    if schema["type"] == "object":
        return dict[str, _type(schema["additionalProperties"], pydantic)]
    return {"string": str, "integer": int, "number": float, "boolean": bool, "null": None}[
        schema["type"]
    ]


READERS = (
    Reader("knitbone", "knitbone", FORMS, _knitbone),
    Reader("json-repair", "json-repair", _JSON_LIKE, _json_repair()),
    Reader("json-repair schema", "json-repair", _JSON_LIKE, _json_repair(guided=True)),
    Reader(
        "json-repair salvage",
        "json-repair",
        _JSON_LIKE,
        _json_repair(guided=True, schema_repair_mode="salvage"),
    ),
    Reader("json-repair strict", "json-repair", _JSON_LIKE, _json_repair(strict=True)),
    Reader("fast-json-repair", "fast-json-repair", _JSON_LIKE, _fast_json_repair),
    Reader("parsantic", "parsantic", _JSON_LIKE, _parsantic),
)
