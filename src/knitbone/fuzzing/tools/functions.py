"""Plain functions as tools: the docstring is the documentation, the annotations are the schema.

The schema comes from msgspec, or from pydantic where an annotation is one that only pydantic
understands; the same library then validates the arguments, as an agent framework would before
the function is called.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable
from typing import Annotated, Any

import msgspec

from knitbone.common.ownership import is_own
from knitbone.errors import TargetError, import_extra
from knitbone.fuzzing.tools.adapter_calls import finish, own_roots
from knitbone.fuzzing.tools.injected_parameters import without_injected
from knitbone.fuzzing.tools.types import ArgumentsRejectedError, Wrap

__all__ = ["FunctionTool"]

_Converter = Callable[[dict[str, Any]], dict[str, Any]]


class FunctionTool:
    """A callable, synchronous or not, called with keyword arguments."""

    def __init__(self, function: Callable[..., Any], *, name: str) -> None:
        self._name = name
        function = without_injected(function, name)
        self._function = function
        self._parameters = _parameters(function, name)
        self._schema, self._convert = _understand(function, self._parameters, name)
        inner = _unwrap(function)
        module = getattr(inner, "__module__", None) or type(inner).__module__
        code = getattr(inner, "__code__", None)
        self._roots = own_roots(module, code.co_filename if code is not None else None)

    def describe(self) -> dict[str, Any]:
        return {
            "name": self._name,
            "documentation": inspect.getdoc(_unwrap(self._function)) or "",
            "schema": self._schema,
            "roots": self._roots,
            "framework": "function",
        }

    def prepare(self, arguments: dict[str, Any]) -> dict[str, Any]:
        return self._convert(arguments)

    def call(self, prepared: dict[str, Any]) -> Any:
        positional = [
            prepared.pop(parameter.name)
            for parameter in self._parameters
            if parameter.kind is inspect.Parameter.POSITIONAL_ONLY and parameter.name in prepared
        ]
        return finish(self._function(*positional, **prepared))

    def rejects(self, error: BaseException) -> bool:  # noqa: ARG002 - the protocol
        return False  # prepare() has validated; what comes later is the tool's own

    def owns(self, file: str) -> bool:
        return is_own(file, *self._roots)

    def attach(self, wrap: Wrap) -> None:
        self._function = wrap(self._function)


def _unwrap(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func  # pyright: ignore[reportUnknownMemberType] - any callable
    if not hasattr(function, "__name__") and callable(function):
        return type(function).__call__
    return inspect.unwrap(function)


def _parameters(function: Callable[..., Any], name: str) -> list[inspect.Parameter]:
    try:
        signature = _signature(function)
    except (TypeError, ValueError) as error:
        raise TargetError(
            f"{name!r} does not tell its parameters: {error}.",
            next_step="Wrap it in a function with annotated parameters.",
        ) from error
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    named = [p for p in signature.parameters.values() if p.kind not in variadic]
    if signature.parameters and not named:
        raise TargetError(
            f"{name!r} does not tell its parameters: it takes {signature}.",
            next_step='Write a schema beside it: ({"name": ..., "description": ..., '
            '"parameters": SCHEMA}, function).',
        )
    return named


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    """How a function is called. A decorator may show what it wraps and take something else."""
    shown = inspect.signature(function)
    if not (inspect.isfunction(function) or inspect.ismethod(function)):
        return shown
    own = inspect.signature(function, follow_wrapped=False)
    try:
        own.bind(**dict.fromkeys(shown.parameters))
    except TypeError:
        return shown if hasattr(function, "__signature__") else own
    return shown


def _understand(
    function: Callable[..., Any], parameters: list[inspect.Parameter], name: str
) -> tuple[dict[str, Any], _Converter]:
    try:
        hints = typing.get_type_hints(_unwrap(function), include_extras=True)
    except Exception as error:  # evaluating annotations runs arbitrary code
        raise TargetError(
            f"The annotations of {name!r} cannot be evaluated: {type(error).__name__}: {error}.",
            next_step="Import the names they use where the function is defined.",
        ) from error
    fields = [(p, _described(hints.get(p.name, Any))) for p in parameters]
    if any(_is_for_pydantic(p.default) or _asks_for_pydantic(hint) for p, hint in fields):
        return _with_pydantic(fields, name, "they hold constraints of its kind")
    try:
        return _with_msgspec(fields)
    except (TypeError, ValueError) as first:
        return _with_pydantic(fields, name, str(first))


def _described(hint: Any) -> Any:
    """``Annotated[int, "text"]``, as agent frameworks read it: the text describes the field."""
    texts = [item for item in getattr(hint, "__metadata__", ()) if isinstance(item, str)]
    return Annotated[hint, msgspec.Meta(description=texts[0])] if texts else hint


def _asks_for_pydantic(hint: Any) -> bool:
    """Whether an annotation, at any depth, holds metadata that msgspec would overlook."""
    metadata = getattr(hint, "__metadata__", ())
    inner = typing.get_args(hint)
    return any(map(_is_for_pydantic, metadata)) or any(map(_asks_for_pydantic, inner))


def _is_for_pydantic(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] in ("pydantic", "annotated_types")


def _with_msgspec(
    fields: list[tuple[inspect.Parameter, Any]],
) -> tuple[dict[str, Any], _Converter]:
    model = msgspec.defstruct(
        "Arguments",
        [
            (p.name, hint)
            if p.default is inspect.Parameter.empty
            else (p.name, hint, msgspec.field(default_factory=lambda: None))
            for p, hint in fields
        ],
        kw_only=True,
        forbid_unknown_fields=True,
    )
    schema = msgspec.json.schema(model)
    definitions: dict[str, Any] = schema.get("$defs", {})
    body: dict[str, Any] = definitions.pop("Arguments")
    properties: dict[str, Any] = body.get("properties", {})
    for parameter, hint in fields:
        if parameter.default is not inspect.Parameter.empty:
            properties[parameter.name] = _with_default(
                properties[parameter.name], parameter.default, hint
            )
    if definitions:
        body["$defs"] = definitions

    def convert(arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            value = msgspec.convert(arguments, model)
        except (msgspec.ValidationError, RecursionError, ValueError) as error:
            raise ArgumentsRejectedError(str(error)) from error
        # Arguments left out stay out: the function's own default applies.
        return {name: getattr(value, name) for name in arguments}

    return body, convert


def _with_default(schema: dict[str, Any], default: Any, hint: Any) -> dict[str, Any]:
    """The schema with the default, where that may be given too: ``x: int = None`` may be left out
    only."""
    try:
        shown = msgspec.to_builtins(default)
        msgspec.convert(shown, hint)
        return {**schema, "default": shown}
    except (TypeError, ValueError, msgspec.MsgspecError):
        return schema


def _with_pydantic(
    fields: list[tuple[inspect.Parameter, Any]], name: str, reason: str
) -> tuple[dict[str, Any], _Converter]:
    pydantic: Any = import_extra(
        "pydantic", extra="langchain", purpose=f"Reading the annotations of {name!r} ({reason})"
    )
    definition = {
        p.name: (
            _for_pydantic(hint, pydantic),
            ... if p.default is inspect.Parameter.empty else p.default,
        )
        for p, hint in fields
    }
    # A default that is a field of pydantic's stands for the default inside.
    filled = [p.name for p, _ in fields if _is_for_pydantic(p.default)]
    try:
        model: Any = pydantic.create_model(
            "Arguments", __config__={"extra": "forbid"}, **definition
        )
        schema: dict[str, Any] = model.model_json_schema()
    except Exception as error:  # pydantic runs the annotations' own code
        raise TargetError(
            f"The parameters of {name!r} have no JSON schema: {error}.",
            next_step="Annotate them with types that JSON can carry, or wrap the function.",
        ) from error

    def convert(arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            value = model.model_validate(arguments)
        except (pydantic.ValidationError, RecursionError) as error:
            raise ArgumentsRejectedError(str(error)) from error
        return {key: getattr(value, key) for key in dict.fromkeys((*arguments, *filled))}

    return schema, convert


def _for_pydantic(hint: Any, pydantic: Any) -> Any:
    """The description that ``_described`` has put in, for pydantic."""
    for item in getattr(hint, "__metadata__", ()):
        if isinstance(item, msgspec.Meta) and item.description is not None:
            return Annotated[hint, pydantic.Field(description=item.description)]
    return hint
