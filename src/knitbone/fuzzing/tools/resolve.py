"""From a target, as typed, to the tools it names. Runs inside the sandbox only.

``module:name`` or ``path/to/file.py:name``, where the name is a function, a tool of an agent
framework (class or instance), a toolkit, a schema beside a function, a list of these, or ``name()``
for a factory of any of these; ``mcp:stdio:COMMAND`` or ``mcp:http:URL`` for an MCP server.
``#tool`` picks one tool where there are several.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import dis
import enum
import functools
import importlib
import importlib.util
import inspect
import re
import sys
from collections import deque
from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    MutableMapping,
    MutableSequence,
    MutableSet,
)
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, cast

from knitbone.common.ownership import is_installed
from knitbone.common.source import parse_source
from knitbone.errors import KnitboneError, TargetError
from knitbone.fuzzing.tools.frameworks import adapter_of
from knitbone.fuzzing.tools.functions import FunctionTool
from knitbone.fuzzing.tools.injected_parameters import needs_nothing
from knitbone.fuzzing.tools.mcp import is_mcp_target, load_mcp_tools
from knitbone.fuzzing.tools.schemas import carries_schema, members_of, object_tool, schema_tools
from knitbone.fuzzing.tools.types import Tool
from knitbone.fuzzing.trace.load import retrace

__all__ = ["companions_of", "load_tools", "load_with_companions"]


# The other tools that share state with one, found where it is imported: its companions.
#
# Of a method they are the other methods of its instance. Of a function they are functions and tools
# of the same module that use the same object of that module, by themselves or through helpers. What
# uses an object is read off the code; whether the object is changed, off the module's source.

_DEPTH = 4
"""Helpers that call helpers, as far as they are followed."""
_MOST = 32
"""Companions of one tool."""
_OF_TOOLKITS = re.compile(
    "(?:get|to|as|list)_(?:tools?|tool_list|functions?)(?:_list)?|run_mcp_server"
)
"""Methods by which frameworks ask a toolkit for its tools."""
_CONTAINERS = (MutableMapping, MutableSequence, MutableSet, deque, bytearray)
_STANDARD_STATE = frozenset({"queue", "shelve", "sqlite3"})
"""Modules of Python's own whose instances hold what tools share."""
_CHANGES = re.compile(
    "add|append(left)?|clear|discard|extend(left)?|insert|move_to_end|pop(item|left)?|remove"
    "|reverse|rotate|setdefault|sort|subtract|(.+_)?update"
)
"""Methods that change a container."""
_ONLY_READ = re.compile(
    "all|any|bool|dict|enumerate|frozenset|isinstance|iter|len|list|max|min|next|print|range|repr"
    "|reversed|set|sorted|str|sum|tuple|zip"
)
"""Functions that leave what they are given as it was."""


def companions_of(value: Any, module: ModuleType) -> list[tuple[str, Any]]:
    """Name and object of what shares state with a tool.

    Args:
        value: what a target names: a function, a method, or a tool of a framework.
        module: where it was looked up.
    """
    if inspect.ismethod(value) and not inspect.isclass(value.__self__):
        return list(_methods(value))[:_MOST]
    return list(_neighbours(value, module))[:_MOST]


def _methods(method: Any) -> Iterator[tuple[str, Any]]:
    """Those that are written beside it; what a base class of a framework brings is no tool."""
    kind = cast("Any", type(method.__self__))
    beside = {kind.__module__, inspect.unwrap(method).__module__}
    for name in dir(kind):
        found = inspect.getattr_static(kind, name, None)
        if name.startswith("_") or name == method.__name__ or not inspect.isfunction(found):
            continue
        twin = (
            name.startswith("a") and hasattr(kind, name[1:]) and inspect.iscoroutinefunction(found)
        )
        if twin or _OF_TOOLKITS.fullmatch(name):
            continue
        if found.__module__ in beside and _is_annotated(found):
            yield name, getattr(method.__self__, name)


def _neighbours(value: Any, module: ModuleType) -> Iterator[tuple[str, Any]]:
    if inspect.isfunction(value):
        module = sys.modules.get(inspect.unwrap(value).__module__, module)
    state = _State(module)
    wanted = state.used_by(value)
    if not wanted:
        return
    for name, other in list(vars(module).items()):
        if other is value or name.startswith("_") or name == "main" or inspect.isclass(other):
            continue
        is_function = inspect.isfunction(other) or inspect.ismethod(other)
        is_own = getattr(other, "__module__", None) == module.__name__
        if is_function and not (is_own and _is_annotated(other)):
            continue
        if (is_function or adapter_of(other) is not None) and state.used_by(other) & wanted:
            yield name, other


def _is_annotated(function: Any) -> bool:
    """Whether every parameter says what it takes: nothing is guessed for a companion."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    return all(
        parameter.annotation is not parameter.empty or parameter.name == "self"
        for parameter in parameters
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    )


class _State:
    """What the functions of one module share: objects that they change, names that they rebind."""

    def __init__(self, module: ModuleType) -> None:
        self._names: dict[str, Any] = vars(module)
        self._changed = _changed_names(module)

    def used_by(self, value: Any) -> frozenset[str]:
        """Names of the state that a function or tool of the module uses."""
        used: set[str] = set()
        for function in self._functions(value):
            self._follow(function.__code__, _DEPTH, used, set())
        owner = getattr(value, "__self__", None)
        held = (name for name, each in self._names.items() if each is owner)
        return frozenset(used) if owner is None else frozenset((*used, *held))

    def _functions(self, value: Any) -> list[FunctionType]:
        """The functions of this module behind a tool: the tool itself, or what it holds."""
        held: list[Any] = [value]
        if not inspect.isfunction(value) and not inspect.ismethod(value):
            for owner in (value, cast("Any", type(value))):
                held += getattr(owner, "__dict__", {}).values()
        bare = (each.__func__ if inspect.ismethod(each) else each for each in held)
        plain = (inspect.unwrap(each) for each in bare if inspect.isfunction(each))
        return [each for each in plain if each.__globals__ is self._names]

    def _follow(self, code: CodeType, depth: int, used: set[str], seen: set[CodeType]) -> None:
        if depth == 0 or code in seen:
            return
        seen.add(code)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._follow(constant, depth, used, seen)
        for instruction in dis.get_instructions(code):
            if not instruction.opname.endswith("_GLOBAL"):
                continue
            name = str(instruction.argval)
            value = self._names.get(name)
            if inspect.isfunction(value):
                inner = inspect.unwrap(value)
                if inner.__globals__ is self._names:
                    self._follow(inner.__code__, depth - 1, used, seen)
            elif self._is_state(name, value):
                used.add(name)

    def _is_state(self, name: str, value: Any) -> bool:
        if name.startswith("__") or name not in self._names:
            return False
        if self._changed is None or name in self._changed:
            return not callable(value) and not isinstance(value, ModuleType)
        if isinstance(value, _CONTAINERS):
            return _holds_mutable(value)
        return _is_own_instance(value)


def _holds_mutable(container: Any) -> bool:
    """Whether something inside can be changed without the container's name being written."""
    parts: Any = container
    if isinstance(container, MutableMapping):
        parts = cast("MutableMapping[Any, Any]", container).values()
    return any(isinstance(part, _CONTAINERS) or _is_own_instance(part) for part in parts)


def _is_own_instance(value: Any) -> bool:
    kind = cast("Any", type(value))
    top = kind.__module__.partition(".")[0]
    if top in _STANDARD_STATE:
        return True
    if callable(value) or isinstance(value, (ModuleType, enum.Enum, tuple, str, int)):
        return False
    frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)
    file = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    return not frozen and top not in sys.stdlib_module_names and not is_installed(file)


def _changed_names(module: ModuleType) -> frozenset[str] | None:
    """Names that the module's functions may change or rebind; ``None``: its source is not known."""
    try:
        tree = parse_source(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for part in ast.walk(node):
                found.update(_changed_by(part))
    return frozenset(found)


def _changed_by(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Global):
        yield from node.names
    elif isinstance(node, (ast.Subscript, ast.Attribute)):
        if not isinstance(node.ctx, ast.Load):
            yield from _root(node)
    elif isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Attribute) and _CHANGES.fullmatch(function.attr):
            yield from _root(function)
        if not (isinstance(function, ast.Name) and _ONLY_READ.fullmatch(function.id)):
            for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                if isinstance(argument, ast.Name):
                    yield argument.id


def _root(node: ast.AST) -> Iterator[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


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
