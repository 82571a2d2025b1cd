"""What the adapters share: calls run to their end, refusals recognised, schemas read."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from knitbone.common.ownership import is_library
from knitbone.errors import TargetError, import_extra
from knitbone.fuzzing.tools.types import ArgumentsRejectedError

__all__ = [
    "ErrorResult",
    "attach_to",
    "checked_against",
    "error_result",
    "finish",
    "is_only_async",
    "own_roots",
    "schema_of_model",
    "source_roots",
    "violation_of",
    "was_refused_in",
]


def finish(value: Any) -> Any:
    """Run what a call returned to its end: awaitables, generators, asynchronous generators."""
    if inspect.isawaitable(value):
        return asyncio.run(_await(value))
    if inspect.isasyncgen(value):
        return asyncio.run(_collect(value))
    return list(value) if inspect.isgenerator(value) else value


async def _await(awaitable: Any) -> Any:
    value = await awaitable
    return await _collect(value) if inspect.isasyncgen(value) else value


async def _collect(stream: Any) -> list[Any]:
    return [item async for item in stream]


def attach_to(owner: Any, name: str, wrap: Callable[..., Any]) -> None:
    """Replace a function or method of one object, past what its class makes of assignments."""
    vars(owner)[name] = wrap(getattr(owner, name))


def own_roots(module_name: str | None, code_file: str | None) -> tuple[str, ...]:
    """The files (or folders, ending in a separator) that hold the code of a tool.

    That is the top-level package of its module; for a module outside any package, the module and
    its neighbours, unless it lies among installed libraries.
    """
    roots: list[str] = []
    top = (module_name or "").partition(".")[0]
    package: Any = sys.modules.get(top)
    folders: list[str] = list(getattr(package, "__path__", ()))
    if folders and package is not None:
        roots.extend(os.path.realpath(folder) + os.sep for folder in folders)
    module_file = getattr(sys.modules.get(module_name or ""), "__file__", None)
    for file in (module_file, code_file):
        if file is None or file.startswith("<"):
            continue
        real = os.path.realpath(file)
        if not folders and not is_library(real):
            roots.append(str(Path(real).parent) + os.sep)
        roots.append(real)
    return tuple(dict.fromkeys(roots))


def source_roots(*sources: Any) -> tuple[str, ...]:
    """The files that hold the code of the first of ``sources`` that is not ``None``."""
    source = inspect.unwrap(next(source for source in sources if source is not None))
    code = getattr(source, "__code__", None)
    module = getattr(source, "__module__", None) or type(source).__module__
    return own_roots(module, code.co_filename if code is not None else None)


def is_only_async(tool: Any, framework: str) -> bool:
    """Whether only ``_arun`` does the work; an abstract ``_run`` must be defined all the same.

    Args:
        framework: the package whose own ``_arun`` does not count.
    """
    kind = cast("Any", type(tool))
    code = getattr(kind._run, "__code__", None)
    return (
        not kind._arun.__module__.startswith(framework + ".")
        and code is not None
        and "NotImplementedError" in code.co_names
    )


def was_refused_in(error: BaseException, module: str, function: str) -> bool:
    """Whether ``error`` comes from pydantic, called by exactly this function of a framework.

    Args:
        module: the package that holds the function.
    """
    if type(error).__name__ != "ValidationError":
        return False
    caller = ("", "")
    traceback: TracebackType | None = error.__traceback__
    while traceback is not None:
        name = str(traceback.tb_frame.f_globals.get("__name__", ""))
        if name.partition(".")[0] != "pydantic":
            caller = (name, traceback.tb_frame.f_code.co_name)
        traceback = traceback.tb_next
    return caller[0].startswith(module + ".") and caller[1] == function


def schema_of_model(model: Any, name: str) -> dict[str, Any]:
    """The JSON schema of a pydantic model of arguments, or of what already is a schema.

    Raises:
        TargetError: the model has none.
    """
    if isinstance(model, dict):
        return cast("dict[str, Any]", model)
    try:
        return model.model_json_schema()
    except Exception as error:  # pydantic runs the annotations' own code
        raise TargetError(
            f"The arguments of {name!r} have no JSON schema: {error}.",
            next_step="Give the tool arguments of types that JSON can carry.",
        ) from error


def checked_against(schema: dict[str, Any], name: str) -> Callable[[dict[str, Any]], None]:
    """A check of arguments against a JSON schema, for tools that nothing else validates. It raises
    ``ArgumentsRejectedError``.

    Fields that the schema does not name are refused, unless it says otherwise: that is how models
    are held to it.

    Raises:
        TargetError: it is no JSON schema.
    """
    jsonschema: Any = import_extra(
        "jsonschema", extra="fuzz", purpose=f"Checking arguments against the schema of {name!r}"
    )
    strict = {"additionalProperties": False, **schema}
    kind: Any = jsonschema.validators.validator_for(strict, jsonschema.Draft202012Validator)
    try:
        kind.check_schema(strict)
    except jsonschema.SchemaError as error:
        raise TargetError(
            f"The parameters of {name!r} are no JSON schema: {error.message} "
            f"(at {error.json_path}, value {json.dumps(error.instance, default=str)[:80]}).",
            next_step="Correct the schema: an agent would be shown the same.",
        ) from error
    validator = kind(strict)

    def check(arguments: dict[str, Any]) -> None:
        try:
            error = jsonschema.exceptions.best_match(validator.iter_errors(arguments))
        except RecursionError:
            raise ArgumentsRejectedError("they are nested too deeply to be validated") from None
        if error is not None:
            raise ArgumentsRejectedError(f"{error.message} (at {error.json_path})")

    return check


def violation_of(schema: dict[str, Any], value: Any) -> str | None:
    """How a value contradicts a JSON schema; ``None`` where it does not."""
    jsonschema: Any = import_extra(
        "jsonschema", extra="fuzz", purpose="Holding a result against the output schema"
    )
    kind: Any = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    try:
        error = jsonschema.exceptions.best_match(kind(schema).iter_errors(value))
    except Exception as broken:  # noqa: BLE001 - a schema is the server's own word
        return f"the output schema is broken: {broken}".partition("\n")[0]
    return None if error is None else error.message


class ErrorResult(dict[str, Any]):
    """A result that its framework marks as an error, in the form that MCP gives it.

    ``by``: who raised the exception behind it, as in ``sandbox/exception_origins.py``, where that
    is known.
    """

    by: str | None = None


def error_result(text: str) -> ErrorResult:
    """An ``ErrorResult`` of a text."""
    return ErrorResult(isError=True, content=text)
