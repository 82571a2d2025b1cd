"""The other tools that share state with one, found where it is imported: its companions.

Of a method they are the other methods of its instance. Of a function they are functions and tools
of the same module that use the same object of that module, by themselves or through helpers. What
uses an object is read off the code; whether the object is changed, off the module's source.
"""

from __future__ import annotations

import ast
import dis
import enum
import inspect
import re
import sys
from collections import deque
from collections.abc import Iterator, MutableMapping, MutableSequence, MutableSet
from types import CodeType, FunctionType, ModuleType
from typing import Any, cast

from knitbone.common.source import parse_source
from knitbone.fuzzing.tools.frameworks import adapter_of

__all__ = ["companions_of"]

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
    return not frozen and top not in sys.stdlib_module_names and "-packages" not in file


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
