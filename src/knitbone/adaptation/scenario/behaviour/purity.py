"""Purity: whether a function is stateless and deterministic, by its source, never by trying it.

A function is *pure* where it only reads its arguments, constants, and names that nothing rebinds
or mutates, and calls only what is known to be pure: a list of builtins and of functions of the
standard library, methods of plain values, and functions of the application that are pure
themselves. One that also looks things up in a table of its module, which nothing in that module
changes, is *stable*. Whatever is not understood is neither.

Source: Comfrey §4.5.1 (tools that are stateless and deterministic, by heuristics).
"""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import textwrap
import types
from typing import Any, Literal, TypeAlias, cast
from weakref import WeakKeyDictionary

from knitbone.common.source import parse_source

__all__ = ["Purity", "purity_of"]

Purity: TypeAlias = Literal["pure", "stable", "unknown"]
"""``pure``: whatever happens meanwhile, the output is the same; ``stable``: it is, unless another
tool changes what this one reads; ``unknown``: runs every time."""

_MAX_DEPTH = 6
"""Functions that call functions, followed that deep (ours)."""

_BUILTINS = frozenset(
    {"abs", "all", "any", "ascii", "bin", "bool", "bytes", "chr", "complex", "dict", "divmod"}
    | {"enumerate", "filter", "float", "format", "frozenset", "hex", "int", "isinstance", "len"}
    | {"list", "map", "max", "min", "oct", "ord", "pow", "range", "repr", "reversed", "round"}
    | {"set", "slice", "sorted", "str", "sum", "tuple", "zip", "ValueError", "TypeError"}
    | {"KeyError", "IndexError", "ZeroDivisionError", "ArithmeticError", "Exception"}
    | {"RuntimeError", "LookupError", "NotImplementedError", "OverflowError"}
)
_MODULES = frozenset(
    {"math", "cmath", "statistics", "fractions", "decimal", "re", "json", "string", "textwrap"}
    | {"itertools", "functools", "operator", "collections", "bisect", "heapq", "unicodedata"}
    | {"difflib", "html", "base64", "binascii", "hashlib", "zlib", "calendar", "colorsys"}
    | {"urllib.parse", "ast", "keyword", "numbers", "ipaddress", "_operator", "_bisect"}
    | {"_heapq", "_functools", "_collections", "_statistics", "_json", "_struct", "struct"}
)
"""Modules of the standard library whose public functions read nothing but their arguments. Settings
that can be changed from outside (the context of ``decimal``, the locale) are taken as constant."""
_CLOCKED = frozenset({"now", "today", "utcnow", "fromtimestamp", "localtime", "time", "getcontext"})
"""Names inside such modules, and of dates, that read the clock or a setting."""
_DATES = frozenset({"datetime.date", "datetime.datetime", "datetime.time", "datetime.timedelta"})
_MUTATING = frozenset(
    {"append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault"}
    | {"add", "discard", "sort", "reverse", "write", "writelines", "send", "throw", "close"}
    | {"intersection_update", "difference_update", "symmetric_difference_update", "appendleft"}
)
"""Methods that change their object."""
_METHODS = (
    frozenset(
        name
        for kind in (str, bytes, int, float, list, tuple, dict, set, frozenset, complex)
        for name in dir(kind)
        if not name.startswith("_")
    )
    - _MUTATING
)
"""Methods of plain values that change nothing."""
_FROZEN = (str, bytes, int, float, bool, complex, type(None), tuple, frozenset, range)
"""Types whose values cannot be changed."""

_known: WeakKeyDictionary[types.FunctionType, Purity] = WeakKeyDictionary()
_changed: WeakKeyDictionary[types.ModuleType, frozenset[str]] = WeakKeyDictionary()


def purity_of(function: Any) -> Purity:
    """Return whether a call of a function may be answered with what it returned before."""
    function = inspect.unwrap(function) if callable(function) else function
    if isinstance(function, types.BuiltinFunctionType):
        return "pure" if _is_library(function) else "unknown"
    if not isinstance(function, types.FunctionType):
        return "unknown"
    return _purity(function, 0)


def _purity(function: types.FunctionType, depth: int) -> Purity:
    if function not in _known:
        _known[function] = "unknown"  # of a function that calls itself nothing is proven
        _known[function] = _purity_by_source(function, depth) if depth < _MAX_DEPTH else "unknown"
    return _known[function]


def _purity_by_source(function: types.FunctionType, depth: int) -> Purity:
    if function.__closure__ or inspect.isgeneratorfunction(function):
        return "unknown"
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        return "unknown"
    tree = _parse(function)
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef):
        return "unknown"
    reading = _FunctionSource(function, tree.body[0], depth)
    if not reading.is_pure():
        return "unknown"
    return "stable" if reading.looks_up else "pure"


def _parse(value: types.FunctionType | types.ModuleType) -> ast.Module | None:
    try:
        return parse_source(textwrap.dedent(inspect.getsource(value)))
    except (OSError, TypeError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _FunctionSource:
    """The source of one function, whose names are resolved one by one."""

    def __init__(self, function: types.FunctionType, node: ast.FunctionDef, depth: int) -> None:
        self._namespace = function.__globals__
        self._node = node
        self._depth = depth
        self._own = {*_parameters(node), *_bound_names(node)}
        self._fresh = _local_containers(node) - _parameters(node)
        """Names that hold what the function made itself, which it may change."""
        self.looks_up = False
        """Whether it reads a table of its module."""

    def is_pure(self) -> bool:
        """Return whether nothing in the body reads or changes anything outside."""
        return all(
            self._allows(part) for statement in self._node.body for part in ast.walk(statement)
        )

    def _allows(self, node: ast.AST) -> bool:
        if isinstance(node, _FORBIDDEN):
            return False
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return node.id in self._own or self._reads_constant(node.id)
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            return isinstance(node, ast.Subscript) and self._is_fresh(node.value)
        if isinstance(node, ast.Attribute):
            return self._reads_member(node)
        if isinstance(node, ast.Call):
            return self._calls_pure(node)
        return True

    def _reads_constant(self, name: str) -> bool:
        """Return whether a global name always has the same value.

        That is a function, class, module, frozen value, or a table that the function only looks
        things up in.
        """
        if name not in self._namespace:
            known = getattr(builtins, name, None)
            return name in _BUILTINS or isinstance(known, type) or known in (True, False)
        value = self._namespace[name]
        if isinstance(value, types.ModuleType | type):
            return True
        if callable(value):  # perhaps to be called by another one: ``map(fetch, names)``
            return self._is_pure_value(value)
        if isinstance(value, dict | list | set) and name not in self._changed_names():
            self.looks_up = True
            return True
        fixed = isinstance(value, _FROZEN) and name not in self._changed_names()
        return fixed or _is_pattern(value)

    def _reads_member(self, node: ast.Attribute) -> bool:
        """Return whether an attribute of a module or class always has the same value, and is pure
        where it may be called; attributes of other values are judged with their methods."""
        value = self._resolve(node)
        if value is None or isinstance(value, types.ModuleType | type):
            return True
        return self._is_pure_value(value) if callable(value) else isinstance(value, _FROZEN)

    def _changed_names(self) -> frozenset[str]:
        module = sys.modules.get(str(self._namespace.get("__name__")))
        if module is None or vars(module) is not self._namespace:
            return frozenset(self._namespace)
        if module not in _changed:
            tree = _parse(module)
            _changed[module] = frozenset(
                self._namespace if tree is None else _changed_globals(tree)
            )
        return _changed[module]

    def _is_fresh(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self._fresh

    def _calls_pure(self, node: ast.Call) -> bool:
        """Return whether a call is one of a pure function, or of a method of a plain value."""
        callee = node.func
        if isinstance(callee, ast.Name):
            if callee.id in self._own:
                return False
            if callee.id in self._namespace:
                return self._is_pure_value(self._namespace[callee.id])
            return callee.id in _BUILTINS
        if not isinstance(callee, ast.Attribute):
            return False
        value = self._resolve(callee)
        if value is not None:
            return self._is_pure_value(value)
        if callee.attr in _MUTATING:
            return self._is_fresh(callee.value)
        return callee.attr in _METHODS and self._is_plain_receiver(callee.value)

    def _resolve(self, node: ast.expr) -> Any:
        """Return the object that a dotted name of a module or class stands for."""
        if isinstance(node, ast.Name) and node.id not in self._own:
            value = self._namespace.get(node.id)
            return value if isinstance(value, types.ModuleType | type) else None
        if isinstance(node, ast.Attribute):
            holder = self._resolve(node.value)
            return None if holder is None else getattr(holder, node.attr, None)
        return None

    def _is_plain_receiver(self, node: ast.expr) -> bool:
        """Return whether a method's receiver cannot be an object of a class of the application."""
        if isinstance(node, ast.Name) and node.id not in self._own:
            value = self._namespace.get(node.id)
            return isinstance(value, (*_FROZEN, dict, list, set)) or _is_pattern(value)
        return True

    def _is_pure_value(self, value: Any) -> bool:
        if isinstance(value, types.FunctionType) and not _is_library(value):
            purity = _purity(value, self._depth + 1)
            self.looks_up = self.looks_up or purity == "stable"
            return purity != "unknown"
        if isinstance(value, type):
            name = f"{value.__module__}.{value.__qualname__}"
            return name in _DATES or value.__module__ in _MODULES or _is_builtin(value)
        return _is_library(value)


_FORBIDDEN = (
    ast.Global,
    ast.Nonlocal,
    ast.Import,
    ast.ImportFrom,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.AsyncFor,
    ast.AsyncWith,
    ast.With,
    ast.Delete,
    ast.ClassDef,
)


def _is_pattern(value: Any) -> bool:
    return type(value).__module__ == "re"


def _is_builtin(value: type[Any]) -> bool:
    return value.__module__ == "builtins" and value.__name__ in _BUILTINS


def _is_library(value: Any) -> bool:
    """Return whether a callable belongs to the modules that are known to be pure."""
    name = str(getattr(value, "__name__", ""))
    if name in _CLOCKED:
        return False
    module = getattr(value, "__module__", None) or ""
    owner = getattr(value, "__self__", None)
    if module == "builtins":
        return name in _BUILTINS
    if isinstance(owner, type) and f"{owner.__module__}.{owner.__qualname__}" in _DATES:
        return True
    if isinstance(owner, types.ModuleType):
        module = owner.__name__
    return module in _MODULES and not name.startswith("_")


def _changed_globals(tree: ast.Module) -> set[str]:
    """Return the names of a module whose values something in it changes, or rebinds after the
    first time."""
    changed: set[str] = set()
    stored: set[str] = set()
    for part in ast.walk(tree):
        if isinstance(part, ast.Global):
            changed.update(part.names)
        elif isinstance(part, ast.Attribute | ast.Subscript) and (
            not isinstance(part.ctx, ast.Load) or getattr(part, "attr", "") in _MUTATING
        ):
            changed.update(_root_name(part.value))
    for statement in tree.body:
        for part in ast.walk(statement):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                changed.update({part.id} & stored)
                stored.add(part.id)
    return changed


def _root_name(node: ast.expr) -> set[str]:
    """Return the name that a chain of attributes and subscripts begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


_CONTAINER_MAKERS = frozenset({"list", "dict", "set", "sorted", "defaultdict", "Counter", "deque"})
"""Functions that make a new container."""


def _local_containers(node: ast.FunctionDef) -> set[str]:
    """Return the names that are only ever bound to containers that the function makes itself."""
    made: dict[str, bool] = {}
    for part in ast.walk(node):
        if isinstance(part, ast.Assign | ast.AnnAssign):
            targets = part.targets if isinstance(part, ast.Assign) else [part.target]
            for target in targets:
                for name in _targets(target):
                    made[name] = made.get(name, True) and _makes_container(part.value, target)
        elif isinstance(part, ast.For | ast.comprehension):
            made |= dict.fromkeys(_targets(part.target), False)
        elif isinstance(part, ast.NamedExpr):
            made[part.target.id] = False
    return {name for name, fresh in made.items() if fresh}


def _targets(node: ast.expr) -> set[str]:
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def _makes_container(value: ast.expr | None, target: ast.expr) -> bool:
    if not isinstance(target, ast.Name):
        return not _targets(target)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        return value.func.id in _CONTAINER_MAKERS
    return isinstance(
        value, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp
    )


def _parameters(node: ast.FunctionDef) -> set[str]:
    arguments = node.args
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    extra = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return {argument.arg for argument in (*listed, *extra)}


def _bound_names(node: ast.FunctionDef) -> set[str]:
    """Return the names that the body binds."""
    bound: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            bound.add(part.id)
        elif isinstance(part, ast.FunctionDef | ast.Lambda) and part is not node:
            bound |= _parameters(cast("ast.FunctionDef", part))
            if isinstance(part, ast.FunctionDef):
                bound.add(part.name)
        elif isinstance(part, ast.ExceptHandler) and part.name:
            bound.add(part.name)
    return bound
