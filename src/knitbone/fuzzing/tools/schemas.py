"""A schema beside a callable: OpenAI and Anthropic function schemas, Composio-style actions, and
objects of any framework that carry a name, a schema and a callable."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from knitbone.common.ownership import is_own
from knitbone.errors import TargetError
from knitbone.fuzzing.tools.adapter_calls import checked_against, finish, source_roots
from knitbone.fuzzing.tools.functions import FunctionTool
from knitbone.fuzzing.tools.injected_parameters import cannot_inject
from knitbone.fuzzing.tools.types import Tool, Wrap

__all__ = ["carries_schema", "members_of", "object_tool", "schema_tools"]

_PARAMETERS = ("parameters", "input_schema", "inputSchema", "input_parameters")
_SCHEMAS = (*_PARAMETERS, "args_schema", "function_schema", "params_json_schema", "json_schema",
            "tool_schema", "tool_spec", "args", "inputs")  # fmt: skip
"""Fields of an object by which frameworks name the schema of a tool's arguments."""
_CALLABLES = ("entrypoint", "implementation", "function", "func", "fn", "original_func", "callable",
              "handler", "callback", "coroutine", "forward", "_run", "run", "execute", "call",
              "invoke")  # fmt: skip
"""Fields and methods by which they name what is called, the function itself first."""
_DESCRIBE = "process_entrypoint"
"""By this method phidata and Agno describe a function when an agent first takes it."""
_TOOLKITS = ("get_tools", "to_tool_list", "functions", "tools")
"""Methods, or fields that hold a list or a dictionary, by which toolkits name their tools: those of
LangChain; of LlamaIndex; of phidata and Agno; of AG2, llm and others."""
_HELD = ("functions", "tools")
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
        self._check = checked_against(self._parameters, self._name)
        self._roots = source_roots(function)

    def describe(self) -> dict[str, Any]:
        return {
            "name": str(self._name),
            "documentation": str(self._schema.get("description") or ""),
            "schema": self._parameters,
            "roots": self._roots,
            "framework": "schema",
        }

    def prepare(self, arguments: dict[str, Any]) -> dict[str, Any]:
        self._check(arguments)
        return arguments

    def call(self, prepared: dict[str, Any]) -> Any:
        if self._executor:
            return finish(self._function(self._name, prepared))
        return finish(self._function(**prepared))

    def rejects(self, error: BaseException) -> bool:  # noqa: ARG002 - the protocol
        return False  # prepare() has validated; what comes later is the tool's own

    def owns(self, file: str) -> bool:
        return is_own(file, *self._roots)

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


def carries_schema(value: Any) -> bool:
    """Whether an object, or the objects of a class, carry a name and the schema of arguments."""
    return (
        bool(_name_of(value)) and not isinstance(value, Mapping) and _schema_in(value) is not None
    )


def object_tool(value: Any) -> Tool | None:
    """The tool in an object that carries a name, a schema and what takes the schema's fields by
    name; ``None`` where nothing in it does.

    Raises:
        TargetError: what is called wants more than the schema names; the schema is none.
    """
    if callable(describe := _field(value, _DESCRIBE)):
        describe()
    name, schema = _name_of(value), _schema_in(value) or {}
    candidates = [(each, _field(value, each)) for each in _CALLABLES]
    candidates.append(("__call__", value))
    callables = [(own, each) for own, each in candidates if callable(each)]
    fields = cast("dict[str, Any]", schema.get("properties") or {})
    for own, function in callables:
        if not fields and own != "__call__" and _named_parameters(function):
            return FunctionTool(function, name=name)  # nothing was described yet
        if _takes(function, fields):
            said = _field(value, "description") or _field(value, "desc") or inspect.getdoc(function)
            return SchemaTool({"name": name, "description": said, "parameters": schema}, function)
    for own, function in callables[:1]:
        wanted = [each for each in _named_parameters(function) if each not in fields]
        if own != "__call__" and fields and set(fields) <= set(_named_parameters(function)):
            raise cannot_inject(name, wanted[0])
    return None


def members_of(value: Any, make: Callable[[Any], Any]) -> Iterable[Any] | None:
    """What a list or a toolkit holds, a toolkit being an object or a class that can be made.

    Args:
        make: makes an object of a class.
    """
    if isinstance(value, (list, tuple)):
        return cast("Iterable[Any]", value)
    for name in _TOOLKITS:
        # A callable object with such a field is called: it may be an agent that has tools.
        is_called = callable(value) and not isinstance(value, type)
        if _field(value, name) is None or (is_called and name in _HELD):
            continue
        held = _field(make(value) if isinstance(value, type) else value, name)
        if callable(held) and not isinstance(held, type) and _takes(held, {}):
            held = held()
            held = list(held) if inspect.isgenerator(held) else held
        if isinstance(held, Mapping):
            held = list(cast("Mapping[Any, Any]", held).values())
        if isinstance(held, (list, tuple)):
            return cast("Iterable[Any]", held)
    return None


def _name_of(value: Any) -> str:
    names = (_field(value, "name"), _field(value, "tool_name"))
    return next((name for name in names if isinstance(name, str)), "")


def _schema_in(value: Any) -> dict[str, Any] | None:
    """The schema of arguments that an object carries: as such, as a model of pydantic's, in an
    object of its own, or as a table of the fields' schemas."""
    for name in _SCHEMAS:
        held: Any = _field(value, name)
        if callable(dump := _field(held, "model_json_schema")):
            return cast("dict[str, Any]", dump())
        held = _field(held, "json_schema") or held
        for inner in (*_PARAMETERS, "json"):
            held = _entry(held, inner) or held  # a whole specification, as of Strands
        if not isinstance(held, Mapping):
            continue
        table = dict(cast("Mapping[str, Any]", held))
        if not table or table.get("type") == "object" or "properties" in table:
            return table
        if all(map(_is_field, table.values())):
            required = [key for key, field in table.items() if "default" not in field]
            return {"type": "object", "properties": table, "required": required}
    return None


def _entry(table: Any, key: str) -> Any:
    """A table within a table."""
    inner = cast("Mapping[str, Any]", table).get(key) if isinstance(table, Mapping) else None
    return cast("Any", inner) if isinstance(inner, Mapping) else None


def _is_field(field: Any) -> bool:
    return isinstance(field, Mapping) and any(key in field for key in ("type", "anyOf", "$ref"))


def _field(value: Any, name: str) -> Any:
    """A field, whatever a property makes of being asked."""
    try:
        return getattr(value, name, None)
    except Exception:  # noqa: BLE001 - anybody's code
        return None


def _takes(function: Any, fields: Mapping[str, Any]) -> bool:
    """Whether a callable can be called with these fields by name, and with them alone."""
    try:
        inspect.signature(function).bind(**dict.fromkeys(fields))
    except (TypeError, ValueError):
        return False
    return True


def _named_parameters(function: Any) -> list[str]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return []
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in signature.parameters.values() if p.kind not in variadic]


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
