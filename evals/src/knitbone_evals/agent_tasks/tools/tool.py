"""A tool as every kind of agent can use it."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import GenericAlias
from typing import Any, Union

from knitbone.fuzzing.agents import ToolReply
from knitbone.models.chat import ToolSpec
from knitbone.record.events import ErrorInfo

__all__ = ["Tool", "langchain_tool"]


@dataclass(frozen=True)
class Tool:
    """A tool of a kit: ``knitbone.fuzzing.agents`` takes it as it is, other frameworks its
    ``function``.

    Attributes:
        spec: name, documentation and JSON schema of the arguments, word for word the library's.
        run: what it does; keyword arguments in, what the model is told out. It raises what the
            library raises.
    """

    spec: ToolSpec
    run: Callable[..., str]

    @property
    def name(self) -> str:
        return self.spec.name

    def call(self, arguments: Mapping[str, Any]) -> ToolReply:
        """Use the tool; what it raises is told as a reply."""
        try:
            return ToolReply(text=self.run(**arguments))
        except Exception as error:  # noqa: BLE001 - a tool under test may raise anything
            kind, message = type(error).__name__, str(error)
            return ToolReply(
                text=f"Error: {kind}: {message}", error=ErrorInfo(type=kind, message=message)
            )

    def documented(self, description: str, arguments: Mapping[str, str] | None = None) -> Tool:
        """The same tool with another documentation.

        Args:
            arguments: argument -> its description; those not named keep theirs.

        Raises:
            KeyError: an argument is unknown.
        """
        schema: dict[str, Any] = self.spec.parameters
        properties = dict(schema["properties"])
        for name, text in (arguments or {}).items():
            properties[name] = {**properties[name], "description": text}
        spec = ToolSpec(
            name=self.name, description=description, parameters={**schema, "properties": properties}
        )
        return replace(self, spec=spec)

    @property
    def function(self) -> Callable[..., str]:
        """A plain function with the tool's name, documentation and arguments."""

        def function(**arguments: Any) -> str:
            return self.run(**arguments)

        schema: dict[str, Any] = self.spec.parameters
        required = schema.get("required", ())
        parameters = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if name in required else one.get("default"),
                annotation=_annotation(one),
            )
            for name, one in schema["properties"].items()
        ]
        lines = [
            f"    {name}: {one['description']}"
            for name, one in schema["properties"].items()
            if "description" in one
        ]
        function.__name__ = function.__qualname__ = self.name
        function.__doc__ = "\n".join([self.spec.description.strip(), "", "Args:", *lines])
        function.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": str}
        function.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
        return function


def _annotation(schema: Mapping[str, Any]) -> Any:
    if "anyOf" in schema:
        return Union[tuple(_annotation(one) for one in schema["anyOf"])]  # noqa: UP007
    if schema.get("type") == "array":
        return GenericAlias(list, (_annotation(schema["items"]),))
    return _TYPES.get(str(schema.get("type")), Any)


_TYPES: Mapping[str, Any] = {"string": str, "integer": int, "boolean": bool, "number": float}


def langchain_tool(tool: Any, name: str, run: Callable[..., str]) -> Tool:
    """A LangChain tool's documentation and schema with what is run for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        schema = tool.args_schema.model_json_schema()
    parameters = {
        "type": "object",
        "properties": {
            key: {k: v for k, v in one.items() if k != "title"}
            for key, one in schema["properties"].items()
        },
        "required": schema.get("required", []),
    }
    return Tool(ToolSpec(name=name, description=tool.description, parameters=parameters), run)
