"""The consumer of a JSON text: its parser, and the shape of the value that the code reads.

The usual answer conforms, so the first test is one call of a compiled decoder that knows the shape
and takes a fraction of the parser's own time. Whatever it accepts, every parser accepts; what it
rejects is put before the parser itself. The tables name the libraries whose parsers are known.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, Literal, cast

import msgspec

from knitbone.common.structured.conformance import fits
from knitbone.common.structured.shape import Field, Shape, after_steps

__all__ = ["JsonConsumer", "NotCompiledError", "lenient_shape", "parser_of"]

Parser = Callable[[str], Any]

_LIBRARIES = frozenset(
    {"json", "orjson", "ujson", "simplejson", "rapidjson", "json5", "hjson", "demjson3"}
    | {"dirtyjson", "json_repair", "partial_json_parser", "pydantic_core", "msgspec.json", "jiter"}
    | {"langchain_core.utils.json"}
)
"""Modules whose functions turn a text into data and do nothing else: they are called themselves,
once the application's text does not please the strict parser."""
_BYTES = frozenset({"jiter.from_json"})
_MARKDOWN = frozenset(
    {"JsonOutputParser", "SimpleJsonOutputParser", "PydanticOutputParser", "StructuredOutputParser"}
    | {"JSONAgentOutputParser", "LangchainOutputParser"}
)
"""Output parsers that read through LangChain's function, which takes a fence off."""
_PYDANTIC = frozenset(
    {"model_validate_json", "parse_raw", "validate_json", "PydanticOutputParser"}
    | {"PydanticOutputFunctionsParser", "PydanticToolsParser", "PydanticAttrOutputFunctionsParser"}
)
"""Parsers that convert texts to numbers and truth values by themselves."""
_WHOLE_TEXT = r"^[+-]?[0-9]{1,300}$"
_NUMBER_TEXT = r"^[+-]?[0-9]{1,100}(\.[0-9]{0,100})?$"


class JsonConsumer:
    """The parser of a requirement, with the shape of one value that it reads.

    Args:
        parser: its name, such as ``json.loads``.
    """

    def __init__(self, parser: str, shape: Shape) -> None:
        self.shape = lenient_shape(shape) if not _PYDANTIC.isdisjoint(parser.split(".")) else shape
        self._name = parser
        self._decoders = tuple(
            decoder
            for closed in ((False, True) if _has_optional(self.shape) else (False,))
            if (decoder := _decoder_of(self.shape, closed=closed)) is not None
        )

    def accepts_at_once(self, text: str) -> bool:
        """Return whether the compiled decoder accepts the text, which then conforms for sure."""
        for decoder in self._decoders:
            try:
                decoder.decode(text)
            except msgspec.ValidationError:
                continue  # JSON, but for this decoder not what is asked for
            except (ValueError, RecursionError):
                return False
            return True
        return False

    def accepts(self, text: str) -> bool:
        """Return whether the code reads from the text what it asks for."""
        if self.accepts_at_once(text):
            return True
        try:
            value = parser_of(self._name)(text)
            return fits(value, self.shape)
        except Exception:  # noqa: BLE001 - whatever the application's parser raises: it rejects
            return False


def parser_of(name: str) -> Parser:
    """Return the function of that name where it is known to do nothing but parse; else
    ``json.loads``.

    Never raises: the application's library is imported where the application has it.
    """
    if name in ("json.loads", "json.load", ""):
        return json.loads
    if name == "json.JSONDecoder().raw_decode":
        return lambda text: json.JSONDecoder().raw_decode(text)[0]
    if not _MARKDOWN.isdisjoint(name.replace("()", "").split(".")):
        name = "langchain_core.utils.json.parse_json_markdown"
    module, _, function = name.rpartition(".")
    if module not in _LIBRARIES:
        return json.loads
    try:
        found = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError):
        return json.loads
    if name in _BYTES:
        return lambda text: found(text.encode())
    return cast("Parser", found)


def lenient_shape(shape: Shape) -> Shape:
    """Return the shape for a parser that converts texts by itself."""
    converts = shape.type in ("integer", "number", "boolean")
    return msgspec.structs.replace(
        shape,
        convertible=shape.convertible or converts,
        items=lenient_shape(shape.items) if shape.items is not None else None,
        fields=tuple(
            Field(name=field.name, shape=lenient_shape(field.shape), required=field.required)
            for field in shape.fields
        ),
    )


def _has_optional(shape: Shape) -> bool:
    inner = [field.shape for field in shape.fields] + ([shape.items] if shape.items else [])
    return not all(field.required for field in shape.fields) or any(map(_has_optional, inner))


class NotCompiledError(Exception):
    """No decoder of msgspec accepts just what fits a shape."""


def _decoder_of(shape: Shape, *, closed: bool) -> msgspec.json.Decoder[Any] | None:
    """Compile a decoder that accepts only what fits; ``None`` where there is none for the shape.

    Args:
        closed: keys that the code may do without may be missing, but then there may be no others,
            which could be those keys in another spelling; else all have to be there.
    """
    try:
        return msgspec.json.Decoder(_type_of(shape, closed))
    except (NotCompiledError, NotImplementedError, TypeError, ValueError, RecursionError):
        return None


def _type_of(shape: Shape, closed: bool) -> Any:
    kind = _plain_type(shape, closed)
    if kind is Any or kind is None or not shape.nullable:
        return kind
    return kind | None


def _plain_type(shape: Shape, closed: bool) -> Any:
    """Return the type that the decoder checks for a shape without its null."""
    if shape.type == "object" or shape.fields:
        return _struct_of(shape, closed) if shape.fields else dict[str, Any]
    if shape.type == "array" or shape.items is not None:
        return list[Any] if shape.items is None else list[_type_of(shape.items, closed)]  # type: ignore[misc]
    if shape.values:
        return _literal_of(shape)
    if shape.convertible and shape.type in ("integer", "number"):
        pattern = _WHOLE_TEXT if shape.type == "integer" else _NUMBER_TEXT
        return int | float | Annotated[str, msgspec.Meta(pattern=pattern)]
    if shape.type == "date" and shape.reading:
        return _date_of(shape.reading)
    plain: dict[str, Any] = {
        "any": Any,
        "string": str,
        "date": str,
        "integer": int,
        "number": int | float,
        "boolean": bool,
        "null": None,
    }
    return plain[shape.type]


def _date_of(reading: str) -> type[date]:
    """Return the type for a date in the form ``2026-11-21``, where the decoder reads as the code
    does."""
    if reading not in ("%Y-%m-%d", "date.fromisoformat", "pydantic.date"):
        raise NotCompiledError
    return date


def _literal_of(shape: Shape) -> Any:
    texts = shape.type in ("any", "string", "date")
    for value in shape.values:
        fitting = isinstance(value, str) and texts
        whole = isinstance(value, int) and shape.type in ("any", "integer")
        if isinstance(value, bool) or not (fitting or whole):
            raise NotCompiledError
    # Other spellings, which the code's steps make one of them, are left to a closer look.
    kept = tuple(
        v for v in shape.values if not shape.steps or v == after_steps(str(v), shape.steps)
    )
    if not kept:
        raise NotCompiledError
    return Literal[kept]  # pyright: ignore[reportInvalidTypeForm]


def _struct_of(shape: Shape, closed: bool) -> Any:
    """Return the structure that the decoder checks for an object."""
    names = {f"f{index}": field.name for index, field in enumerate(shape.fields)}
    if len(set(names.values())) < len(names):
        raise NotCompiledError
    fields: list[Any] = []
    for name, field in zip(names, shape.fields, strict=True):
        kind = _type_of(field.shape, closed)
        if not field.required and kind is not Any and kind is not None:
            kind = kind | None
        fields.append((name, kind) if field.required or not closed else (name, kind, None))
    every = all(field.required for field in shape.fields)
    return msgspec.defstruct(
        "Object",
        fields,
        rename=names,
        kw_only=True,
        gc=False,
        forbid_unknown_fields=closed and not every,
    )
