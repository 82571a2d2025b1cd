"""A schema beside a callable: OpenAI and Anthropic function schemas, Composio-style actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from knitbone.errors import TargetError
from knitbone.fuzzing.tools.calling import conforms_to, finish, source_roots
from knitbone.fuzzing.tools.ownership import is_owned
from knitbone.fuzzing.tools.types import Tool, Wrap

__all__ = ["SchemaTool", "schema_tools"]

_PARAMETERS = ("parameters", "input_schema", "inputSchema", "input_parameters")
_NAMES = ("slug", "name")  # an action of Composio has both: the slug is what calls it


class SchemaTool:
    """A callable whose arguments are described by a JSON schema that was written for it."""

    def __init__(
        self, schema: Mapping[str, Any], function: Callable[..., Any], *, executor: bool = False
    ) -> None:
        """
        Args:
            executor: whether ``function`` takes the tool's name and a dictionary of arguments.
        """
        self._schema = schema
        self._function = function
        self._executor = executor
        self._name = _first(schema, _NAMES) or getattr(function, "__name__", "tool")
        self._parameters: dict[str, Any] = _first(schema, _PARAMETERS) or {"type": "object"}
        self._conforms = conforms_to(self._parameters, self._name)
        self._roots = source_roots(function)

    def describe(self) -> dict[str, Any]:
        return {
            "name": str(self._name),
            "documentation": str(self._schema.get("description") or ""),
            "schema": self._parameters,
            "roots": self._roots,
            "framework": "schema",
        }

    def prepare(self, arguments: dict[str, Any]) -> dict[str, Any] | None:
        return arguments if self._conforms(arguments) else None

    def call(self, prepared: dict[str, Any]) -> Any:
        if self._executor:
            return finish(self._function(self._name, prepared))
        return finish(self._function(**prepared))

    def rejects(self, error: BaseException) -> bool:  # noqa: ARG002 - the protocol
        return False  # prepare() has validated; what comes later is the tool's own

    def owns(self, file: str) -> bool:
        return is_owned(file, self._roots)

    def attach(self, wrap: Wrap) -> None:
        self._function = wrap(self._function)


def schema_tools(value: Any) -> list[Tool] | None:
    """The tools in a schema and what runs it; ``None`` where ``value`` is something else.

    * ``(schema, function)``, also with a list of one schema for each name in a dictionary of
      functions: the function takes the arguments by name.
    * ``(schemas, executor)``, and a Composio-style action (``slug``, ``input_parameters``) beside
      an executor: the executor takes the tool's name and a dictionary of arguments.
    * a schema with the callable inside, in any field.

    Raises:
        TargetError: a schema has no function of its name, or is no JSON schema.
    """
    if isinstance(value, Mapping):
        return _with_callable_inside(cast("Mapping[str, Any]", value))
    if not isinstance(value, tuple) or len(cast("tuple[Any, ...]", value)) != 2:
        return None
    first, runs = cast("tuple[Any, Any]", value)
    many = isinstance(first, (list, tuple))
    schemas = [_body(item) for item in (cast("list[Any]", first) if many else [first])]
    known = [schema for schema in schemas if schema is not None]
    if not known or len(known) != len(schemas):
        return None
    if isinstance(runs, Mapping):
        functions = cast("Mapping[str, Any]", runs)
        return [SchemaTool(schema, _named(functions, schema)) for schema in known]
    if not callable(runs):
        return None
    return [
        SchemaTool(schema, runs, executor=many or "input_parameters" in schema) for schema in known
    ]


def _with_callable_inside(value: Mapping[str, Any]) -> list[Tool] | None:
    functions = [item for item in value.values() if callable(item)]
    if len(functions) != 1:
        return None
    rest = {key: item for key, item in value.items() if item is not functions[0]}
    for candidate in (rest, *rest.values()):
        body = _body(candidate)
        if body is not None:
            return [SchemaTool(body, functions[0])]
    return None


def _body(schema: Any) -> Mapping[str, Any] | None:
    """The part of a schema that holds name, description and parameters."""
    if not isinstance(schema, Mapping):
        dump = getattr(schema, "model_dump", None)
        if dump is None or not any(hasattr(schema, name) for name in _PARAMETERS):
            return None
        schema = dump()
    body = cast("Mapping[str, Any]", schema)
    inner = body.get("function")
    if isinstance(inner, Mapping):
        body = cast("Mapping[str, Any]", inner)
    if any(name in body for name in _PARAMETERS) or (
        _first(body, _NAMES) is not None and "description" in body
    ):
        return body
    return None


def _first(body: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((body[name] for name in names if body.get(name)), None)


def _named(functions: Mapping[str, Any], schema: Mapping[str, Any]) -> Callable[..., Any]:
    name = _first(schema, _NAMES)
    if callable(function := functions.get(name)):
        return function
    raise TargetError(
        f"There is a schema for {name!r} and no function of that name.",
        next_step=f"There are functions for: {', '.join(map(str, functions)) or 'none'}.",
    )
