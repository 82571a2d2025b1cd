"""From a target, as typed, to the tools it names. Runs inside the sandbox only.

``module:name`` or ``path/to/file.py:name``, where the name is a function, a tool of an agent
framework (class or instance), a toolkit, a schema beside a function, a list of these, or ``name()``
for a factory of any of these; ``mcp:stdio:COMMAND`` or ``mcp:http:URL`` for an MCP server.
``#tool`` picks one tool where there are several.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, cast

from knitbone.errors import KnitboneError, TargetError
from knitbone.fuzzing.tools.companions import companions_of
from knitbone.fuzzing.tools.frameworks import adapter_of
from knitbone.fuzzing.tools.functions import FunctionTool
from knitbone.fuzzing.tools.injected import needs_nothing
from knitbone.fuzzing.tools.mcp import is_mcp_target, load_mcp_tools
from knitbone.fuzzing.tools.schemas import carries_schema, members_of, object_tool, schema_tools
from knitbone.fuzzing.tools.types import Tool
from knitbone.fuzzing.trace.load import retrace

__all__ = ["LoadedTools", "load_tools", "load_with_companions"]

_METHODS = 6
"""Methods of an object that are offered."""
_SYNTAX = (
    "Write it as package.module:name, path/to/file.py:name, mcp:stdio:COMMAND or mcp:http:URL."
)


class LoadedTools(NamedTuple):
    """What a target names, and makers of the tools that share state with it."""

    tools: list[Tool]
    others: list[Callable[[], Tool]]


def load_tools(
    target: str,
    *,
    directory: str,
    set_up: Callable[[], Any] | None = None,
    within_s: float | None = None,
) -> list[Tool]:
    """Import what ``target`` names and adapt it; arguments and errors as for
    ``load_with_companions``."""
    return _load(target, directory, set_up, within_s).tools


def load_with_companions(
    target: str,
    *,
    directory: str,
    set_up: Callable[[], Any] | None = None,
    within_s: float | None = None,
) -> tuple[list[Tool], list[Tool]]:
    """Import what ``target`` names and adapt it, and what shares state with it: other tools of the
    same list, toolkit or server, methods of the same instance, functions over the same object.

    Args:
        directory: what relative file names refer to.
        set_up: makes the instance that stands for its class, once the target is imported.
        within_s: seconds in which a server must have told what it offers.

    Raises:
        TargetError: nothing is there, it fails when imported, or it is no tool.
    """
    loaded = _load(target, directory, set_up, within_s)
    names = {str(tool.describe()["name"]) for tool in loaded.tools}
    companions: list[Tool] = []
    for make in loaded.others:
        with contextlib.suppress(Exception):  # one that cannot be adapted is none
            tool = make()
            name = str(tool.describe()["name"])
            if name not in names:
                names.add(name)
                companions.append(tool)
    return loaded.tools, companions


def _load(
    target: str, directory: str, set_up: Callable[[], Any] | None, within_s: float | None
) -> LoadedTools:
    if is_mcp_target(target):
        tools, makers = load_mcp_tools(target, directory=directory, within_s=within_s)
        return LoadedTools(tools, makers)
    place, _, rest = target.partition(":")
    name, _, pick = rest.partition("#")
    if place and not name:
        module = _import(place, target, directory)
        raise TargetError(
            f"{target!r} names a module, not a tool.",
            next_step=f"Name one of its tools: {_offer(module, place)}.",
        )
    if not place:
        raise TargetError(f"{target!r} is not a target.", next_step=_SYNTAX)
    module = _import(place, target, directory)
    instance = None if set_up is None else set_up()
    value = _look_up(module, name, target, place, instance)
    tools = list(_adapt(value, name.removesuffix("()").rpartition(".")[2], target))
    others: list[Callable[[], Tool]] = []
    if pick:
        rest = [tool for tool in tools if tool.describe()["name"] != pick]
        tools = [tool for tool in tools if tool not in rest] or _no_pick(tools, pick)
        others = [lambda tool=tool: tool for tool in rest]
    if not tools:
        raise TargetError(f"{target!r} holds no tools.", next_step=_SYNTAX)
    if len(tools) == 1 and not others:
        with contextlib.suppress(Exception):  # what is looked at is anybody's objects
            others = [
                lambda own=own, each=each: next(iter(_adapt(each, own, target)))
                for own, each in companions_of(value, module)
            ]
    return LoadedTools(tools, others)


def _no_pick(tools: list[Tool], pick: str) -> list[Tool]:
    names = [tool.describe()["name"] for tool in tools]
    raise TargetError(
        f"There is no tool {pick!r} there.", next_step=f"There are: {', '.join(names)}."
    )


def _import(place: str, target: str, directory: str) -> ModuleType:
    try:
        if place.endswith(".py"):
            return _import_file(Path(directory, place).resolve(), target)
        return importlib.import_module(place)
    except KnitboneError:
        raise
    except ModuleNotFoundError as error:
        missing = error.name or place
        if place == missing or place.startswith(missing + "."):
            parent, _, last = missing.rpartition(".")
            raise TargetError(
                f"There is no module {missing!r} (target {target!r}).",
                next_step=_nearest(last, _modules_beside(parent))
                or "Check the name, or run from the folder that holds it.",
            ) from error
        raise TargetError(
            f"Importing {target!r} failed: it needs the module {missing!r}.",
            next_step=f"Install what brings {missing!r} into this environment.",
        ) from error
    except BaseException as error:  # the user's module may raise anything, SystemExit included
        raise TargetError(
            f"Importing {target!r} failed: {type(error).__name__}: {error}",
            next_step="Import it by hand to see where.",
        ) from error


def _import_file(path: Path, target: str) -> ModuleType:
    if not path.is_file():
        near = difflib.get_close_matches(path.name, [p.name for p in path.parent.glob("*.py")], n=1)
        raise TargetError(
            f"There is no file {path} (target {target!r}).",
            next_step=f"Did you mean {near[0]!r}?" if near else "Check the path.",
        )
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise TargetError(f"{path} is not a Python file.", next_step=_SYNTAX)
    retrace(spec)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _look_up(module: ModuleType, name: str, target: str, place: str, instance: Any = None) -> Any:
    value: Any = module
    for part in name.removesuffix("()").split("."):
        try:
            value = getattr(_bound(value, part, target), part)
            if instance is not None and isinstance(value, type) and isinstance(instance, value):
                value, instance = instance, None
        except AttributeError as error:
            near = difflib.get_close_matches(part, dir(value), n=3)
            hint = f"Did you mean {', '.join(near)}?" if near else None
            raise TargetError(
                f"{place!r} has no {name!r} (target {target!r}).",
                next_step=hint or f"Its tools: {_offer(module, place)}.",
            ) from error
        except ImportError as error:
            raise TargetError(
                f"Importing {target!r} failed: {error}", next_step="Install what it needs."
            ) from error
    if instance is not None:
        raise TargetError(
            f"The setup made {_kind(instance)}, and {target!r} names no class of it.",
            next_step="Name the class, or a method of it: module:Class, module:Class.method.",
        )
    return _make(value, target) if name.endswith("()") else value


def _bound(owner: Any, part: str, target: str) -> Any:
    """What a method is looked up in: of a class that needs nothing to be made, an instance.

    Raises:
        TargetError: the class needs something: nothing that could be generated stands for it.
    """
    if not inspect.isclass(owner) or not inspect.isfunction(
        inspect.getattr_static(owner, part, None)
    ):
        return owner
    if needs_nothing(owner):
        return _make(owner, target)
    raise TargetError(
        f"{target!r} is a method of the class {owner.__qualname__} and needs an instance.",
        next_step=f"Make one in a module, service = {owner.__qualname__}(...), and name "
        f"module:service.{part}; or name a function that makes one: --setup module:make_service.",
    )


def _adapt(value: Any, name: str, target: str) -> Iterable[Tool]:
    adapter = adapter_of(value)
    if adapter is not None:
        yield adapter(_make(value, target) if isinstance(value, type) else value)
        return
    described = schema_tools(value)
    if described is not None:
        yield from described
        return
    if carries_schema(value):
        made = _make(value, target) if isinstance(value, type) else value
        if (tool := object_tool(made)) is None:
            raise _no_tool(value, name, target)
        yield tool
        return
    members = None if _is_plain(value) else members_of(value, lambda kind: _make(kind, target))
    if members is not None:
        for item in members:
            own = getattr(item, "name", None) or getattr(item, "__name__", name)
            yield from _adapt(item, str(own), target)
        return
    if inspect.isclass(value) and needs_nothing(value):  # it may be a toolkit once it is made
        made = _make(value, target)
        if carries_schema(made) or members_of(made, lambda kind: kind) is not None:
            yield from _adapt(made, name, target)
            return
    if inspect.isclass(value) or not callable(value):
        raise _no_tool(value, name, target)
    yield FunctionTool(value, name=name)


def _is_plain(value: Any) -> bool:
    """Whether it is a function, whatever attributes somebody gave it."""
    return inspect.isroutine(value) or isinstance(value, functools.partial)


def _no_tool(value: Any, name: str, target: str) -> TargetError:
    """That a value is no tool, and how to pass it."""
    kind: Any = value if inspect.isclass(value) else cast("Any", type(value))
    members = inspect.getmembers_static(kind, inspect.isfunction)
    methods = [each for each, _ in members if not each.startswith("_")]
    next_step = (
        "Name a function, a tool or toolkit of an agent framework, a (schema, function) pair, or a "
        "list of these; write name() to call a factory."
    )
    if methods:
        own = name if not inspect.isclass(value) else f"{name}(...)"
        listed = ", ".join(f"{own}.{each}" for each in methods[:_METHODS])
        more = ", ..." if len(methods) > _METHODS else ""
        next_step = (
            f"Name one of its methods, as in module:object.{methods[0]}; or write a list of them, "
            f'TOOLS = [{listed}{more}], and name that; or a pair ({{"name": ..., '
            '"description": ..., "parameters": SCHEMA}, function).'
        )
    return TargetError(f"{target!r} is {_kind(value)}, which is not a tool.", next_step=next_step)


def _make(factory: Any, target: str) -> Any:
    try:
        return factory()
    except BaseException as error:  # the user's code may raise anything
        raise TargetError(
            f"Making the tool of {target!r} failed: {type(error).__name__}: {error}",
            next_step="Write a function without parameters that returns the tool, and name that: "
            "module:make_tool(), or --setup module:make_tool beside the class",
        ) from error


def _kind(value: Any) -> str:
    if inspect.isclass(value):
        return f"the class {value.__qualname__}"
    if inspect.ismodule(value):
        return "a module"
    return f"an object of type {type(value).__qualname__}"


def _offer(module: ModuleType, place: str) -> str:
    own = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (adapter_of(value) is not None or inspect.isfunction(value))
        and getattr(value, "__module__", module.__name__) == module.__name__
    ]
    return ", ".join(f"{place}:{name}" for name in own[:10]) or "it has none"


def _modules_beside(parent: str) -> list[str]:
    import pkgutil  # noqa: PLC0415 - needed on this error path only

    if parent:
        paths = getattr(sys.modules.get(parent), "__path__", None)
        return [] if paths is None else [m.name for m in pkgutil.iter_modules(paths)]
    return [m.name for m in pkgutil.iter_modules()]


def _nearest(name: str, known: Iterable[str]) -> str | None:
    near = difflib.get_close_matches(name, list(known), n=3)
    return f"Did you mean {', '.join(near)}?" if near else None
