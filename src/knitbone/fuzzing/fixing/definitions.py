"""A tool's source, read: what its names are bound to, and what a decision compares."""

from __future__ import annotations

import ast
import os
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from knitbone.common.ownership import python_files
from knitbone.common.source import parse_source
from knitbone.fuzzing.trace.rewrite import comparisons, source_lines

__all__ = [
    "Binding",
    "SourceModule",
    "changeable_depth",
    "decisions_of",
    "is_enum",
    "last_word",
    "source_modules",
]

_MOST_FILES = 2_000
_LARGEST = 2_000_000
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (ast.Module, ast.ClassDef, *_FUNCTIONS, *_COMPREHENSIONS)
_DYNAMIC = frozenset(
    {"globals", "locals", "exec", "eval", "vars", "__dict__", "__setattr__", "__delattr__"}
)
"""Names through which others are bound."""
_IMMUTABLE = frozenset({
    "frozenset", "tuple", "int", "float", "str", "len", "range", "join", "compile", "get_args",
    "MappingProxyType",
})  # fmt: skip
"""Functions that give what nobody can change."""


class Binding(NamedTuple):
    """What a name is bound to in one scope."""

    kind: Literal["value", "item", "import", "function", "class", "unknown"]
    """``item``: one of the value's."""
    node: Any = None
    """The value or definition; the name that is imported from a module."""
    name: str = ""
    """The module that is imported, or imported from."""


class SourceModule:
    """One source file: what its names are bound to, and where they are used."""

    def __init__(self, path: Path, source: bytes) -> None:
        self.path = path
        self.stem = path.stem if path.stem != "__init__" else path.parent.name
        self.tree = parse_source(source)
        self.lines = source_lines(source)
        self.bound: dict[ast.AST, dict[str, list[Binding]]] = defaultdict(lambda: defaultdict(list))
        self.at: dict[int, list[ast.expr]] = defaultdict(list)
        """Expressions by the line on which they begin."""
        self.used: dict[str, list[ast.expr]] = defaultdict(list)
        """Names and attributes that are read."""
        self.set: set[str] = set()
        """Attributes that are set."""
        self.imported: set[str] = set()
        self.renamed: dict[str, list[str]] = defaultdict(list)
        """Names under which others are imported."""
        self.classes: list[ast.ClassDef] = []
        self.is_dynamic = False
        """Whether names are bound in ways that cannot be followed."""
        nodes = [*ast.walk(self.tree)]
        self.parents = {child: node for node in nodes for child in ast.iter_child_nodes(node)}
        for node in nodes:
            if isinstance(node, ast.expr):
                self.at[node.lineno].append(node)
            for pair in comparisons(node) if isinstance(node, ast.Compare) else ():
                self.at[pair.lineno].append(pair)
            self._bind(node)

    def scopes(self, node: ast.AST) -> Iterator[ast.AST]:
        """The scopes whose names a node sees, from the inside."""
        inside = True
        while node in self.parents:
            child, node = node, self.parents[node]
            if isinstance(node, _FUNCTIONS):
                if child in (node.body if isinstance(node.body, list) else [node.body]):
                    yield node  # no default or decorator
                    inside = False
            elif isinstance(node, _SCOPES) and (inside or not isinstance(node, ast.ClassDef)):
                yield node

    def resolved(self, node: ast.Name) -> tuple[ast.AST, Binding] | None:
        """The scope of a name and what it is bound to there; ``None`` of a builtin."""
        for scope in self.scopes(node):
            found = self.bound[scope].get(node.id) if scope in self.bound else None
            if found:
                return scope, found[0] if len(found) == 1 else Binding("unknown")
        return None

    def class_of(self, node: ast.expr) -> ast.ClassDef | None:
        """The class that an expression is: by its name, or ``self`` and ``cls`` within it."""
        found = self.resolved(node) if isinstance(node, ast.Name) else None
        if found is None or not isinstance(node, ast.Name):
            return None
        scope, binding = found
        if binding.kind == "class":
            return binding.node
        owner = self.parents.get(scope)
        is_own = (
            isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef)
            and [argument.arg for argument in scope.args.args[:1]] == [node.id]
            and len(self.bound[scope][node.id]) == 1
            and "staticmethod" not in map(last_word, scope.decorator_list)
        )
        return owner if is_own and isinstance(owner, ast.ClassDef) else None

    def is_of_each(self, node: ast.AST, loop: ast.AST) -> bool:
        """Whether what a loop does with each item, up to the one that ends it, includes an
        expression: else it depends on more than the items which of them it sees."""
        before = node
        while isinstance(loop, ast.For | ast.comprehension):
            child, node = node, self.parents[node]
            match node:
                case ast.stmt():
                    return isinstance(loop, ast.For) and loop.body == [node]
                case ast.BoolOp() if node.values[0] is not child:
                    return False
                case ast.IfExp() if node.test is not child:
                    return False
                case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                    tests = [test for each in node.generators for test in each.ifs]
                    if tests and before is not tests[0]:
                        return False
                    if loop in node.generators:
                        return True
                case _:
                    pass
            before = child
        return True

    def is_field(self, binding: Binding, kind: ast.ClassDef) -> bool:
        """Whether each object of a class may be given its own value of an attribute."""
        assign = self.parents[binding.node]
        is_shared = isinstance(assign, ast.AnnAssign) and (
            last_word(assign.annotation) in ("ClassVar", "Final")
        )
        return not is_shared and bool(kind.decorator_list or kind.bases or kind.keywords)

    def _bind(self, node: ast.AST) -> None:
        """Read what a node binds or uses."""
        match node:
            case ast.Name(ctx=ast.Load()) | ast.Attribute(ctx=ast.Load()):
                name = last_word(node)
                self.is_dynamic |= name in _DYNAMIC
                self.used[name].append(node)
            case ast.Attribute():
                self.set.add(node.attr)
            case ast.Name():
                self._add(node, node.id, self._stored(node))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self._add(node, node.name, Binding("function", node))
            case ast.ClassDef():
                self._add(node, node.name, Binding("class", node))
                self.classes.append(node)
            case ast.arg():
                self.bound[self.parents[self.parents[node]]][node.arg].append(Binding("unknown"))
            case ast.Global() | ast.Nonlocal():
                for name in node.names:
                    self._add_everywhere(node, name)
            case ast.Import() | ast.ImportFrom():
                self._import(node)
            case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(value=name), *_]):
                self.used[str(name)].append(node)
            case ast.Call(func=ast.Name(id="setattr" | "delattr")):
                named = node.args[1] if len(node.args) > 1 else None
                if isinstance(named, ast.Constant):
                    self.set.add(str(named.value))
                else:
                    self.is_dynamic = True
            case (
                ast.ExceptHandler(name=str() as name)
                | ast.MatchAs(name=str() as name)
                | ast.MatchStar(name=str() as name)
                | ast.MatchMapping(rest=str() as name)
            ):
                self._add(node, name, Binding("unknown"))
            case _:
                return

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                module = "." * node.level + (node.module or "")
                bound = alias.asname or alias.name
                made = Binding("import", alias.name, module)
                self.imported |= {*module.split("."), alias.name}
                self.renamed[alias.name].append(bound)
            else:
                bound = alias.asname or alias.name.partition(".")[0]
                made = Binding("import", None, alias.name if alias.asname else bound)
                self.imported |= set(alias.name.split("."))
            self._add(node, bound, made)

    def _stored(self, node: ast.Name) -> Binding:
        """What a name is bound to where it is set."""
        parent = self.parents[node]
        kind: Literal["value", "item"] = "value"
        if isinstance(parent, ast.Tuple | ast.List):
            parent, kind = self.parents[parent], "item"
        match parent:
            case ast.Assign() | ast.AnnAssign(value=ast.expr()):
                return Binding(kind, parent.value)
            case ast.For() | ast.comprehension():
                return Binding("item", parent.iter)
            case ast.NamedExpr():
                self._add_everywhere(node, node.id)
                return Binding("unknown")
            case _:
                return Binding("unknown")

    def _add(self, node: ast.AST, name: str, binding: Binding) -> None:
        self.bound[next(self.scopes(node))][name].append(binding)

    def _add_everywhere(self, node: ast.AST, name: str) -> None:
        """A name that is bound in another scope than where it stands."""
        for scope in self.scopes(node):
            self.bound[scope][name] += [Binding("unknown")]


def decisions_of(node: ast.expr, module: SourceModule) -> list[list[tuple[ast.expr, bool]]] | None:
    """The operands of the decisions that an expression is, and whether only the keys of one count;
    ``None`` where it decides nothing."""
    parent = module.parents.get(node)
    if isinstance(parent, ast.Match) and parent.subject is node:
        return []  # only literals of the cases are told of
    match node:
        case ast.Compare():
            sides = [node.left, *node.comparators]
            return [
                [(left, False), (right, isinstance(op, ast.In | ast.NotIn))]
                for left, op, right in zip(sides, node.ops, sides[1:], strict=False)
            ]
        case ast.Subscript():
            return [[(node.value, True), (node.slice, False)]]
        case ast.Call():
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            if isinstance(node.func, ast.Attribute):
                looks_up = node.func.attr in ("get", "pop", "setdefault", "index")
                given = given[:1] if looks_up else given
                return [[(node.func.value, looks_up), *((value, False) for value in given)]]
            return [[(node.func, False), *((value, False) for value in given)]]
        case ast.BinOp():
            return [[(node.left, False), (node.right, False)]]
        case _:
            return None


def changeable_depth(node: ast.AST, *, keys: bool = False) -> int:
    """How many collections are within each other in a constant's definition, down to the last that
    can be changed.

    Args:
        keys: only the keys of a dictionary count.
    """
    match node:
        case ast.Dict() | ast.DictComp() if keys:
            return 1
        case ast.Call():
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            inner = max(map(changeable_depth, given), default=0)
            is_fixed = last_word(node.func) in _IMMUTABLE
            return 0 if is_fixed and inner < 2 else max(inner, 1)
        case ast.Starred():
            return max(changeable_depth(node.value) - 1, 0)
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Lambda():
            return 0  # another name: what happens to it is seen where that is bound
        case _:
            inner = max(map(changeable_depth, ast.iter_child_nodes(node)), default=0)
            makes = isinstance(node, (ast.List, ast.Set, ast.Dict, *_COMPREHENSIONS))
            return inner + (makes or (inner > 0 and isinstance(node, ast.Tuple)))


def is_enum(kind: ast.ClassDef) -> bool:
    is_plain = {*map(last_word, kind.decorator_list)} <= {"unique"} and not kind.keywords
    return is_plain and any(last_word(base).endswith(("Enum", "Flag")) for base in kind.bases)


def last_word(node: ast.expr) -> str:
    """The last word of what an expression names."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
        case ast.Subscript():
            return last_word(node.value)
        case _:
            return ""


def source_modules(roots: tuple[str, ...]) -> dict[str, SourceModule]:
    """The tool's own files by their real paths.

    Args:
        roots: files, and folders with a separator at their end.
    """
    folders = (root for root in roots if root.endswith(os.sep))
    found = (path for folder in folders for path in python_files(folder, with_builds=True))
    named = (Path(root) for root in roots if not root.endswith(os.sep))
    paths = dict.fromkeys(os.path.realpath(p) for p in (*named, *islice(found, _MOST_FILES)))
    return {path: module for path in paths if (module := _module(Path(path))) is not None}


def _module(path: Path) -> SourceModule | None:
    try:
        stamp = path.stat()
    except OSError:
        return None
    return _read(path, stamp.st_mtime_ns, stamp.st_size) if stamp.st_size <= _LARGEST else None


@lru_cache(maxsize=_MOST_FILES)
def _read(path: Path, _changed_at: int, _size: int) -> SourceModule | None:
    try:
        return SourceModule(path, path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
