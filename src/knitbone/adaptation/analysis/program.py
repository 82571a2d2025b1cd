"""The source files of an application as syntax trees, and what the names in them refer to.

Modules are found by path, never imported: a name that comes from another file of the same package
(or of the same folder, for scripts) is followed there; everything else stays an external name.
"""

from __future__ import annotations

import ast
import tokenize
import warnings
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from knitbone._forks import lazy
from knitbone.adaptation.cells import file_of
from knitbone.common.source import parse_source

__all__ = [
    "ADAPT_NAMES",
    "SOURCE_NAMES",
    "Class",
    "Function",
    "FunctionNode",
    "Module",
    "Program",
    "Target",
    "is_abstract",
]

_HOMES = ("knitbone", "knitbone.adaptation", "knitbone.adaptation.decorators")
"""The modules that ``adapt`` and ``source`` can be imported from."""
ADAPT_NAMES = frozenset(f"{home}.adapt" for home in _HOMES)
SOURCE_NAMES = frozenset(f"{home}.source" for home in _HOMES)

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef

_MAX_BYTES = 5_000_000
"""Size of a source file above which it is not read (ours)."""
_MAX_HOPS = 8
_GROWING = frozenset(
    {"append", "appendleft", "add", "extend", "insert", "update", "setdefault", "__setitem__"}
)
"""Methods that add to a list, set or dictionary."""
"""Re-exports of a name that are followed (ours)."""


class SourceError(Exception):
    """A source file cannot be read or parsed; the message says why and where."""


class Class:
    """A class of the application."""

    def __init__(self, module: Module, node: ast.ClassDef, qualname: str) -> None:
        self.module = module
        self.node = node
        self.qualname = qualname
        self.methods: dict[str, Function] = {}
        self.attributes: dict[str, ast.expr] = {}
        self.annotations: dict[str, ast.expr] = {}

    @property
    def key(self) -> str:
        """Return the class's name in the whole program: ``path::qualified name``."""
        return f"{self.module.path}::{self.qualname}"


class Function:
    """A function or method of the application; ``node`` is ``None`` for a module's top level."""

    def __init__(
        self, module: Module, node: FunctionNode | None, qualname: str, owner: Class | None
    ) -> None:
        self.module = module
        self.node = node
        self.qualname = qualname
        self.owner = owner
        self.local_functions: dict[str, Function] = {}
        self.parent: Function | None = None

    @property
    def key(self) -> str:
        """Return the function's name in the whole program: ``path::qualified name``."""
        return f"{self.module.path}::{self.qualname}"

    @property
    def body(self) -> list[ast.stmt]:
        return self.node.body if self.node is not None else self.module.tree.body

    @property
    def is_async(self) -> bool:
        return isinstance(self.node, ast.AsyncFunctionDef)

    @lazy
    def is_generator(self) -> bool:
        """Return whether a call of it gives a generator, sync or async."""
        pending: list[ast.AST] = [] if self.node is None else list(self.node.body)
        while pending:
            each = pending.pop()
            if isinstance(each, ast.Yield | ast.YieldFrom):
                return True
            if not isinstance(each, FunctionNode | ast.Lambda | ast.ClassDef):
                pending.extend(ast.iter_child_nodes(each))
        return False

    @property
    def returns(self) -> str:
        """Return the last name of its return annotation, without parameters; empty without one."""
        annotated = self.node.returns if self.node is not None else None
        if isinstance(annotated, ast.Subscript):
            annotated = annotated.value
        return "" if annotated is None else ast.unparse(annotated).strip("'").rpartition(".")[2]

    @property
    def decorators(self) -> list[ast.expr]:
        return self.node.decorator_list if self.node is not None else []

    @property
    def decorator_names(self) -> set[str]:
        """Return the last names of its decorators."""
        nodes = (d.func if isinstance(d, ast.Call) else d for d in self.decorators)
        return {ast.unparse(node).rpartition(".")[2] for node in nodes}

    @property
    def parameters(self) -> list[ast.arg]:
        if self.node is None:
            return []
        arguments = self.node.args
        return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


class Module:
    """One parsed file, with its imports, functions, classes and constants by name."""

    def __init__(self, path: Path, source: str, tree: ast.Module) -> None:
        self.path = path
        self.source = source
        self.key = str(path)
        self._lines: list[bytes] | None = None
        self.tree = tree
        self.root, self.name = _package_root(path)
        self.imports: dict[str, str] = {}
        self.functions: dict[str, Function] = {}
        self.classes: dict[str, Class] = {}
        self.constants: dict[str, ast.expr] = {}
        self.growing: set[str] = set()
        """Names of lists and dictionaries to which something is added anywhere in the file, and of
        what is set in several places."""
        self.top = Function(self, None, "<module>", None)
        _index(self)

    def is_growing(self, node: ast.expr) -> bool:
        """Return whether something is added to what this expression makes, the value of a constant
        of the file or of a class."""
        return id(node) in self._grown_values

    @lazy
    def _grown_values(self) -> frozenset[int]:
        """Return the expressions of all constants to whose names something is added."""
        tables = [self.constants, *(klass.attributes for klass in self.classes.values())]
        return frozenset(
            id(value) for table in tables for name, value in table.items() if name in self.growing
        )

    def names(self) -> set[str]:
        """Return the names that it binds at its top level."""
        return {*self.imports, *self.functions, *self.classes, *self.constants}

    def take_names(self, other: Module, *, without: Collection[str]) -> None:
        """Let the names of another module mean here what they mean there."""
        self.growing.update(other.growing)
        for mine, theirs in (
            (self.imports, other.imports),
            (self.functions, other.functions),
            (self.classes, other.classes),
            (self.constants, other.constants),
        ):
            for name, value in theirs.items():
                if name.partition(".")[0] not in without:
                    mine[name] = value  # type: ignore[index]

    def text(self, node: ast.stmt | ast.expr) -> str:
        """Return the source of a node on one line."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset
        return self.text_between(node.lineno, node.col_offset, end_line, end_column)

    def text_between(self, line: int, column: int, end_line: int, end_column: int | None) -> str:
        """Return the source between two positions (1-based lines, columns in bytes), on
        one line."""
        if self._lines is None:
            self._lines = [piece.encode() for piece in self.source.split("\n")]
        lines = self._lines[line - 1 : end_line]
        if not lines:
            return ""
        lines[-1] = lines[-1][:end_column]
        lines[0] = lines[0][column:]
        return " ".join(b" ".join(lines).decode("utf-8", "replace").split())


class Target(NamedTuple):
    """The object of a name: something of the application, or a dotted external name."""

    external: str = ""
    function: Function | None = None
    klass: Class | None = None
    module: Module | None = None
    constant: tuple[Module, ast.expr] | None = None


def _package_root(path: Path) -> tuple[Path, str]:
    """Return the folder that imports start from, and the dotted name of the module."""
    if not path.is_file():
        return Path.cwd(), path.stem  # a cell of a notebook, which imports from there
    folder = path.parent
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        folder = folder.parent
    parts = path.relative_to(folder).with_suffix("").parts
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return folder, ".".join(parts)


def _index(module: Module) -> None:
    """Fill the tables of a module."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                module.imports[name] = alias.name if alias.asname else name
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(module, node)
            for alias in node.names:
                module.imports[alias.asname or alias.name] = f"{base}.{alias.name}"
        else:
            module.growing.update(_grown(node))
    _index_body(module, module.tree.body, "", None, module.top)


def _grown(node: ast.AST) -> Iterator[str]:
    """Find the names of what a node adds to, or sets from within a function."""
    if isinstance(node, ast.Global):
        yield from node.names
    grown: list[ast.expr] = []
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        grown = [node.func.value] if node.func.attr in _GROWING else []
    elif isinstance(node, ast.AugAssign):
        grown = [node.target]
    elif isinstance(node, ast.Assign):
        grown = [target.value for target in node.targets if isinstance(target, ast.Subscript)]
    for each in grown:
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute):
            yield each.attr


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    """Return the dotted name of a module that an import names, also a relative one."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".") if module.name else []
    is_package = module.path.name == "__init__.py"
    keep = len(parts) - node.level + (1 if is_package else 0)
    return ".".join([*parts[: max(keep, 0)], *([node.module] if node.module else [])])


def _index_body(
    module: Module, body: list[ast.stmt], prefix: str, owner: Class | None, parent: Function
) -> None:
    """Enter the functions, classes and constants of a block."""
    for node in _statements(body):
        if isinstance(node, FunctionNode):
            qualname = prefix + node.name
            function = Function(module, node, qualname, owner)
            function.parent = parent
            module.functions[qualname] = function
            if owner is not None:
                owner.methods[node.name] = function
            elif parent.node is not None:
                parent.local_functions[node.name] = function
            _index_body(module, node.body, f"{qualname}.<locals>.", None, function)
        elif isinstance(node, ast.ClassDef):
            klass = Class(module, node, prefix + node.name)
            module.classes[klass.qualname] = klass
            _index_body(module, node.body, f"{klass.qualname}.", klass, parent)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and owner:
                owner.annotations[node.target.id] = node.annotation
            if node.value is None:
                continue
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    if owner is not None:
                        owner.attributes[target.id] = node.value
                    elif parent.node is None:
                        if target.id in module.constants:
                            module.growing.add(target.id)
                        module.constants[target.id] = node.value


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Find the statements of a block, those inside ``if``, ``try`` and ``with`` included."""
    for node in body:
        yield node
        if isinstance(node, FunctionNode | ast.ClassDef):
            continue
        for field in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, field, []))
        for handler in getattr(node, "handlers", []):
            yield from _statements(handler.body)


class Program:
    """The modules read so far; more are read as names lead to them."""

    def __init__(self) -> None:
        self.modules: dict[Path, Module] = {}
        self.errors: dict[Path, str] = {}
        self.by_name: dict[str, Module] = {}
        """Modules under the text of their path."""
        self._classes: dict[str, Class] = {}
        self._methods: dict[str, list[Function]] = {}
        self._located: dict[tuple[Path, str], Path | None] = {}
        self._roots: dict[Path, None] = {}
        self._absolute_names: dict[tuple[str, str], Target] = {}
        self._applying: dict[tuple[str, frozenset[str]], bool] = {}

    def load(self, path: Path, *, source: str | None = None) -> Module | None:
        """Return the module at ``path``, or ``None`` with the reason in ``errors``."""
        if path in self.modules:
            return self.modules[path]
        path = path.resolve() if source is None else Path(file_of(str(path)))
        if path not in self.modules and path not in self.errors:
            try:
                self._add(parse_file(path, source))
            except SourceError as error:
                self.errors[path] = str(error)
        return self.modules.get(path)

    def load_beside(self, module: Module, texts: Mapping[str, str]) -> None:
        """Load the other cells of a notebook, whose namespace a module shares: a name that it does
        not bind means what the last of them bound.

        Args:
            texts: by their names, the last one first.
        """
        cells = [self.load(Path(name), source=text) for name, text in texts.items()]
        shared = [module, *(cell for cell in cells if cell is not None)]
        for one in shared:
            bound = one.names()
            for other in shared:
                one.take_names(other, without=bound)
                bound |= other.names()

    def _add(self, module: Module) -> None:
        """Enter a module."""
        self.modules[module.path] = module
        self.by_name[str(module.path)] = module
        self._roots[module.root] = None
        self._absolute_names.clear()  # a name that led nowhere may lead here
        for klass in module.classes.values():
            self._classes[f"{module.path}::{klass.qualname}"] = klass
            for name, method in klass.methods.items():
                self._methods.setdefault(name, []).append(method)

    def class_of(self, key: str) -> Class | None:
        """Return the class behind ``path::qualified name``."""
        return self._classes.get(key)

    def _belongs(self, module: Module, package: str, candidate: Path) -> bool:
        """Return whether a file is the application's own: of the module's package, beside a script,
        or named by the user. Installed packages beside it are not."""
        own = module.name.partition(".")[0]
        in_package = "." in module.name or module.path.name == "__init__.py"
        return not in_package or package == own or candidate in self.modules

    def _locate(self, root: Path, dotted: str) -> Path | None:
        """Return the file of a module below a folder."""
        if (root, dotted) not in self._located:
            stem = root.joinpath(*dotted.split("."))
            candidates = (stem.with_name(f"{stem.name}.py"), stem / "__init__.py")
            found = next((c.resolve() for c in candidates if c.is_file()), None)
            self._located[root, dotted] = found
        return self._located[root, dotted]

    def resolve(self, module: Module, dotted: str, hops: int = 0) -> Target:
        """Return what a dotted name means in a module."""
        first, _, rest = dotted.partition(".")
        if dotted in module.functions:
            return Target(function=module.functions[dotted])
        if dotted in module.classes:
            return Target(klass=module.classes[dotted])
        if first in module.imports and hops < _MAX_HOPS:
            full = module.imports[first] + (f".{rest}" if rest else "")
            return self._resolve_absolute(module, full, hops + 1)
        if dotted in module.constants:
            return Target(constant=(module, module.constants[dotted]))
        if first in module.classes and rest in module.classes[first].methods:
            return Target(function=module.classes[first].methods[rest])
        return Target()

    def _resolve_absolute(self, module: Module, full: str, hops: int) -> Target:
        """Return what an imported dotted name means, from memory where it is known."""
        if full in ADAPT_NAMES or full in SOURCE_NAMES:
            return Target(external=full)
        known = self._absolute_names.get((module.key, full))
        if known is None:
            known = self._find_absolute(module, full, hops)
            self._absolute_names[module.key, full] = known
        return known

    def _find_absolute(self, module: Module, full: str, hops: int) -> Target:
        """Return what an imported dotted name means."""
        parts = full.split(".")
        for root in dict.fromkeys((module.root, *self._roots)):
            for count in range(len(parts), 0, -1):
                candidate = self._locate(root, ".".join(parts[:count]))
                if candidate is None or candidate == module.path:
                    continue  # ``import openai`` in a file of that name is the library
                if not self._belongs(module, parts[0], candidate):
                    continue
                if (found := self.load(candidate)) is None:
                    continue
                if count == len(parts):
                    return Target(module=found)
                return self.resolve(found, ".".join(parts[count:]), hops)
        return Target(external=full)

    def is_decorated(self, function: Function, names: frozenset[str]) -> bool:
        """Return whether one of the decorators is one of these external names: bare or called,
        under another name, through ``functools.partial``, applied by a decorator of the
        application, or called with the function below it."""
        applied = [*function.decorators, *_rebinding_decorators(function)]
        return any(self._means(function.module, each, names, 0) for each in applied)

    def _means(self, module: Module, node: ast.expr, names: frozenset[str], hops: int) -> bool:
        """Return whether an expression gives something of these names, or something that applies
        it."""
        if hops > _MAX_HOPS:
            return False
        if isinstance(node, ast.Call):
            made = node.args[:1] if ast.unparse(node.func).endswith("partial") else []
            return any(self._means(module, each, names, hops + 1) for each in (node.func, *made))
        if isinstance(node, ast.IfExp | ast.BoolOp):
            ways = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
            return any(self._means(module, way, names, hops + 1) for way in ways)
        if not isinstance(node, ast.Name | ast.Attribute):
            return False
        dotted = ast.unparse(node)
        first, _, rest = dotted.partition(".")
        imported = module.imports.get(first, "") + (f".{rest}" if rest else "")
        if imported in names:  # also where a function of that name stands in for the import
            return True
        target = self.resolve(module, dotted)
        if target.constant is not None:
            return self._means(*target.constant, names, hops + 1)
        if target.function is not None:
            return self._applies(target.function, names, hops)
        return target.external in names

    def _applies(self, function: Function, names: frozenset[str], hops: int) -> bool:
        """Return whether a decorator of the application applies one of these names to what it is
        given."""
        key = (function.key, names)
        if key not in self._applying:
            self._applying[key] = False  # while it is looked at: it may lead to itself
            self._applying[key] = any(
                self._means(function.module, node, names, hops + 1)
                for node in _applied_by(function.node)
            )
        return self._applying[key]

    def functions(self) -> Iterator[Function]:
        """Find every function read so far, and every module's top level."""
        for module in list(self.modules.values()):
            yield from module.functions.values()
            yield module.top

    def classes(self) -> list[Class]:
        """Return every class read so far."""
        return list(self._classes.values())

    def methods_named(self, name: str) -> list[Function]:
        """Return methods of that name, of any class read so far."""
        return self._methods.get(name, [])


def _rebinding_decorators(function: Function) -> Iterator[ast.expr]:
    """Find ``mark`` of ``name = mark(name)``."""
    node = function.module.constants.get(function.qualname)
    if isinstance(node, ast.Call) and node.args:
        given = node.args[0]
        if isinstance(given, ast.Name) and given.id == function.qualname:
            yield node.func


def _applied_by(node: FunctionNode | None) -> Iterator[ast.expr]:
    """Find what a decorator returns, what it calls with the function that it is given or with one
    of its own, and what decorates its own functions."""
    nodes = [] if node is None else [inner for inner in ast.walk(node) if inner is not node]
    own = {inner.arg for inner in nodes if isinstance(inner, ast.arg)}
    own |= {inner.name for inner in nodes if isinstance(inner, FunctionNode)}
    for inner in nodes:
        if isinstance(inner, FunctionNode):
            yield from inner.decorator_list
        elif isinstance(inner, ast.Return) and inner.value is not None:
            yield inner.value
        elif isinstance(inner, ast.Call) and inner.args:
            first = inner.args[0]
            if isinstance(first, ast.Name) and first.id in own:
                yield inner.func


def is_abstract(function: Function) -> bool:
    """Return whether a method only says what others must do."""
    if "abstractmethod" in function.decorator_names:
        return True
    body = function.body
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    return all(
        isinstance(node, ast.Pass)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        or (isinstance(node, ast.Raise) and "NotImplemented" in ast.unparse(node))
        for node in body
    )


def parse_file(path: Path, source: str | None = None) -> Module:
    """Read and parse one file.

    Raises:
        SourceError: it cannot be read, decoded or parsed.
    """
    try:
        if source is None:
            if path.stat().st_size > _MAX_BYTES:
                raise SourceError(f"the file is larger than {_MAX_BYTES:,} bytes")
            with tokenize.open(path) as stream:
                source = stream.read()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the application's own, such as invalid escapes
            tree = parse_source(source, filename=str(path))
        return Module(path, source, tree)
    except SyntaxError as error:
        raise SourceError(f"line {error.lineno or 0}: {error.msg}") from error
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise SourceError(f"it cannot be read: {error}") from error
    except (RecursionError, MemoryError) as error:
        raise SourceError("it is nested too deeply to be parsed") from error
