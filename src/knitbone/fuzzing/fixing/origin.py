"""Whether a value is a constant of the tool's own code, or came from where it ran.

A tool that lists a folder, a table of a database, the rows of a file, or what it was told before,
names what exists here and now. Only a constant may stand in a documentation: a literal of the
tool's own source that nothing in the source changes. In doubt, and where the source is out of
reach, a value is none.
"""

from __future__ import annotations

import ast
import os
import shlex
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, TypeGuard, cast

from knitbone.common.ownership import python_files
from knitbone.common.source import parse_source
from knitbone.fuzzing.fixing.observation import ObservedCall
from knitbone.fuzzing.fixing.records import Constraint
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.fuzzing.trace.terms import Term
from knitbone.record.events import Json
from knitbone.record.secrets import SecretFinder, Strength, is_secret_value, strength_of

__all__ = [
    "LiveValues",
    "SourceConstants",
    "announces_secret",
    "is_of_source",
    "shows_secret",
]

_MOST_FILES = 2_000
_LARGEST = 2_000_000
_CHANGES = frozenset({
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem",
    "remove", "setdefault", "update", "__setitem__", "difference_update", "intersection_update",
})  # fmt: skip
"""Methods that change a collection."""
_LISTED = frozenset({"values", "prefix", "suffix"})
_BOUNDS = frozenset({"minimum", "maximum", "above", "below", "shortest", "longest"})
_USUAL = 1
"""Bounds up to here are of no tool in particular."""
_TOLD = 3
"""Characters from which a text is looked for in others; a shorter one may be a part of any word."""
_MOST_LIVE = 5_000

Constant = str | int | float


def is_of_source(constraint: Constraint, constants: SourceConstants) -> bool:
    """Whether all that the words of a constraint would show is constant in the tool's source."""
    value: Any = constraint.value
    separator = constraint.of.separator
    if separator is not None and separator.isalnum() and separator not in constants:
        return False
    if constraint.kind in _LISTED:
        listed = cast("list[Any]", value) if isinstance(value, list) else []
        each = constraint.kind != "values" or len(listed) == 1
        return constants.lists(listed) or (each and all(item in constants for item in listed))
    if constraint.kind in _BOUNDS:
        # ``len(x) > 4`` says five, and the last place in a list of four is three.
        return abs(value) <= _USUAL or any(value + step in constants for step in (0, 1, -1))
    if constraint.kind == "pattern":
        bare = str(value).removeprefix("(?:").removesuffix(").*")
        return value in constants or bare in constants or constraint.value in _OURS
    if constraint.kind == "date":
        return value in constants
    if constraint.kind == "parts":
        return not value[0].isalnum() or value[0] in constants
    return True


_OURS = frozenset({"[0-9]+", "[A-Za-z]+", "[A-Za-z0-9]+"})
"""Patterns that stand for ``isdigit`` and its kind."""


def announces_secret(name: str) -> bool:
    """Whether what stands under a name is, or may be, a secret."""
    return strength_of(name.removesuffix("()")) > Strength.FAINT


def shows_secret(
    constraint: Constraint, constants: SourceConstants, arguments: Iterable[str]
) -> bool:
    """Whether the words of a constraint would show a secret, or who has one.

    Args:
        arguments: the names of all of the tool's.
    """
    if constraint.kind not in _LISTED:
        return False
    if any(map(announces_secret, (constraint.of.argument, *constraint.of.path))):
        return True
    value: Any = constraint.value
    listed = cast("list[Any]", value) if isinstance(value, list) else []
    # Of a tool that asks for a password, what is looked up is who has one.
    asks = any(strength_of(name) is Strength.PASSWORD for name in arguments)
    return asks or constants.are_secret(listed)


def _looks_secret(text: str) -> bool:
    return bool(_SECRETS.places(text)) or is_secret_value(text, Strength.FAINT)


_SECRETS = SecretFinder()


class SourceConstants:
    """The constants of a tool's own source."""

    def __init__(self, tool: ToolUnderTest) -> None:
        roots = tool.roots or tuple(_served(tool.target))
        self._modules = [read for path in _files(roots) if (read := _module(path)) is not None]
        self._changed: set[str] | None = None

    def __contains__(self, value: object) -> bool:
        """Whether a text or a number is a constant that nothing changes."""
        return any(
            not self._is_changed(names)
            for module in self._modules
            for names in module.single.get(_typed(value), ())
        )

    def lists(self, values: Sequence[Any]) -> bool:
        """Whether one list in the source has all of these values: the items of a collection, the
        keys of a dictionary, an enumeration, what one function compares with."""
        wanted = {_typed(value) for value in values}
        return bool(wanted) and any(
            wanted <= listed and not self._is_changed(names)
            for module in self._modules
            for listed, names in module.lists
        )

    def are_secret(self, values: Sequence[Any]) -> bool:
        """Whether one of these looks like a secret, or stands under a name that announces one."""
        wanted = {_typed(value) for value in values}
        return any(isinstance(value, str) and _looks_secret(value) for value in values) or any(
            any(map(announces_secret, names))
            for module in self._modules
            for listed, names in module.lists
            if wanted & listed
        )

    def _is_changed(self, names: Collection[str]) -> bool:
        if not names:
            return False
        if self._changed is None:
            self._changed = _with_aliases(self._modules)
        return not self._changed.isdisjoint(names)


class LiveValues:
    """Texts that the tool compared with, looked up or told of that are no constants of its source,
    or secrets.

    Args:
        calls: of a campaign.
        told: values out of its messages.
        written: its documentation, which may say what it says.
    """

    def __init__(
        self,
        constants: SourceConstants,
        calls: Sequence[ObservedCall],
        told: Iterable[str] = (),
        *,
        written: str = "",
    ) -> None:
        seen = dict.fromkeys(told)
        secret = set[str]()
        for call in calls:
            for event in call.trace.events:
                if any(announces_secret(str(step)) for step in _inputs_of(event.term)):
                    secret.update(_texts_of(event.term))
                seen.update(dict.fromkeys(_texts_of(event.term)))
                if len(seen) > _MOST_LIVE:
                    break
        self._texts = {
            text.strip().casefold()
            for text in seen
            if len(text.strip()) >= _TOLD
            and text not in written
            and (text not in constants or text in secret or constants.are_secret([text]))
        }

    def stand_in(self, value: Json) -> bool:
        """Whether a text, or one within arguments, holds one of them."""
        if isinstance(value, dict):
            fields = cast("dict[str, Json]", value)
            return any(map(self.stand_in, [*fields, *fields.values()]))
        if isinstance(value, list):
            return any(map(self.stand_in, cast("list[Json]", value)))
        if not isinstance(value, str):
            return False
        lowered = value.casefold()
        return any(text in lowered for text in self._texts)


def _texts_of(term: Any) -> Iterator[str]:
    """The constants in a term: what a value was compared with, or looked up in."""
    queue: list[Any] = [term]
    for item in queue:
        if isinstance(item, str):
            yield item
        elif type(item) is Term:
            queue.extend(item.args if item.op != "input" else ())
        elif isinstance(item, dict):
            queue.extend(cast("dict[Any, Any]", item))
        elif isinstance(item, list | tuple | set | frozenset):
            queue.extend(cast("Iterable[Any]", item))
        if len(queue) > _MOST_LIVE:
            return


def _inputs_of(term: Any) -> Iterator[str | int]:
    """The steps that lead to the arguments in a term."""
    queue: list[Any] = [term]
    for item in queue:
        if type(item) is Term:
            if item.op == "input":
                yield from item.args[0]
            else:
                queue.extend(item.args)


# -- reading source -------------------------------------------------------------------------------

_HOLDING = (
    ast.stmt, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.IfExp, ast.BoolOp, ast.NamedExpr,
    ast.Starred, ast.keyword, ast.Call, ast.Await, ast.UnaryOp, ast.BinOp, ast.comprehension,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
"""Expressions whose value holds that of a part."""
_LOOK_UPS = frozenset({"get", "getenv", "getattr", "pop", "setdefault", "next"})
"""Functions whose last argument is what they give where nothing is found."""
_Typed = tuple[str, Any]
"""A constant with its kind: ``True`` is no 1."""


def _typed(value: object) -> _Typed:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return ("number" if is_number else type(value).__name__, value)


class _Module:
    """One source file: its constants, and the names under which what changes is known."""

    def __init__(self, tree: ast.Module) -> None:
        self.single: dict[_Typed, list[frozenset[str]]] = defaultdict(list)
        self.lists: list[tuple[frozenset[_Typed], frozenset[str]]] = []
        self.changed: set[str] = set()
        self.aliases: dict[str, set[str]] = defaultdict(set)
        """From a name to others that stand for the same object."""
        self.parameters: dict[str, list[list[str]]] = defaultdict(list)
        self.passed: list[tuple[str, int | str, str]] = []
        """A call's function, the place or name of an argument, and the name that is passed."""
        self._bound: set[str] = set()
        self._classes = {n.name for n in ast.walk(tree) if isinstance(n, ast.ClassDef)}
        self._visit(tree, frozenset(), "", "")

    def _visit(self, node: ast.AST, names: frozenset[str], scope: str, owner: str) -> None:
        """Read a node.

        Args:
            names: what its value is bound to.
            scope: the function around it.
            owner: the class around it.
        """
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            self._function(node)
            scope = getattr(node, "name", scope)
        elif isinstance(node, ast.ClassDef):
            owner = node.name
            if any("Enum" in _name(base) or "Flag" in _name(base) for base in node.bases):
                self._enumeration(node)
        targets = _targets(node)
        if targets:
            names = frozenset(filter(None, map(_name, targets)))
            self._binding(node, targets, scope, owner)
        elif isinstance(node, ast.Return):
            names = frozenset({f"{scope}()"})
            self._alias(f"{scope}()", node.value)
        elif isinstance(node, ast.stmt) and not isinstance(node, ast.ClassDef):
            names = frozenset()
        self._changes(node)
        self._constants(node, names)
        stand_ins = _stand_ins(node, self._classes)
        for child in ast.iter_child_nodes(node):
            if child in stand_ins:
                continue
            # What is compared, looked up or handed to a call is not what a name stands for; a
            # collection that is handed over may be.
            alone = not isinstance(node, _HOLDING) or (
                isinstance(node, ast.Call) and isinstance(child, ast.Constant | ast.BinOp)
            )
            self._visit(child, frozenset() if alone else names, scope, owner)

    # What is constant.

    def _constants(self, node: ast.AST, names: frozenset[str]) -> None:
        try:
            value = _folded(node)
        except (ValueError, ArithmeticError, TypeError):
            value = None
        if value is not None:
            self.single[_typed(value)].append(names)
        for listed in _lists_in(node):
            self.lists.append((listed, names))
            self.single[_typed(len(listed))].append(names)
            for item in listed:
                self.single[item].append(names)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        arguments = [argument.arg for argument in [*node.args.posonlyargs, *node.args.args]]
        keywords = [argument.arg for argument in node.args.kwonlyargs]
        self.parameters[getattr(node, "name", "")].append([*arguments, *keywords])
        compared: set[_Typed] = set()
        for inner in ast.walk(node):
            if isinstance(inner, ast.Compare):
                sides = [inner.left, *inner.comparators]
                compared |= {_typed(s.value) for s in sides if isinstance(s, ast.Constant)}
            elif isinstance(inner, ast.MatchValue) and isinstance(inner.value, ast.Constant):
                compared.add(_typed(inner.value.value))
            elif isinstance(inner, ast.Call) and _name(inner.func) in ("startswith", "endswith"):
                compared |= {_typed(a.value) for a in inner.args if isinstance(a, ast.Constant)}
        if compared:
            self.lists.append((frozenset(compared), frozenset()))

    def _enumeration(self, node: ast.ClassDef) -> None:
        names: set[_Typed] = set()
        values: set[_Typed] = set()
        for statement in node.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
                names |= {_typed(_name(target)) for target in statement.targets}
                values.add(_typed(statement.value.value))
        self.lists += [(frozenset(found), frozenset()) for found in (names, values) if found]

    # What changes.

    def _binding(self, node: ast.AST, targets: Sequence[ast.expr], scope: str, owner: str) -> None:
        value = cast("ast.expr | None", getattr(node, "value", None))
        for target in targets:
            name = _name(target)
            if isinstance(target, ast.Subscript):
                self.changed |= {_holder(target), *_namespace_key(target)}
                continue
            if value is None:
                continue
            if not (scope and isinstance(target, ast.Name)):
                # A name of a function's own that is bound again changes no object.
                place = f"{owner}.{name}"
                if isinstance(node, ast.AugAssign) or place in self._bound:
                    self.changed.add(name)
                self._bound.add(place)
            self._alias(name, value)

    def _alias(self, name: str, value: ast.expr | None) -> None:
        for other in _stands_for(value):
            self.aliases[name].add(other)
            self.aliases[other].add(name)

    def _changes(self, node: ast.AST) -> None:
        if isinstance(node, ast.Delete):
            held = [target for target in node.targets if isinstance(target, ast.Subscript)]
            self.changed |= set(map(_holder, held))
        elif isinstance(node, ast.Global | ast.Nonlocal):
            self.changed |= set(node.names)
        elif isinstance(node, ast.Call):
            called = _name(node.func)
            if isinstance(node.func, ast.Attribute) and called in _CHANGES:
                self.changed.add(_holder(node.func.value))
            for place, argument in enumerate(node.args):
                self.passed += [(called, place, name) for name in _stands_for(argument)]
            for keyword in node.keywords:
                for name in _stands_for(keyword.value):
                    self.passed.append((called, keyword.arg or "", name))


def _with_aliases(modules: Sequence[_Module]) -> set[str]:
    """The names of what is changed, under whatever name that is done."""
    aliases: dict[str, set[str]] = defaultdict(set)
    parameters: dict[str, list[list[str]]] = defaultdict(list)
    for module in modules:
        for name, lists in module.parameters.items():
            parameters[name] += lists
    for module in modules:
        for name, others in module.aliases.items():
            # What a library's function gives back is another object.
            if not name.endswith("()") or name[:-2] in parameters:
                aliases[name] |= others
    for module in modules:
        for called, place, name in module.passed:
            for listed in parameters.get(called, ()):
                # A method's first parameter is the object itself.
                near = (place, place + 1) if isinstance(place, int) else ()
                inner = {listed[at] for at in near if at < len(listed)} | ({place} & set(listed))
                for other in cast("set[str]", inner):
                    aliases[name].add(other)
                    aliases[other].add(name)
    found = set[str]()
    queue = [name for module in modules for name in module.changed if name]
    while queue:
        name = queue.pop()
        if name not in found:
            found.add(name)
            queue += aliases[name]
    return found


def _stand_ins(node: ast.AST, classes: Collection[str]) -> list[ast.AST]:
    """The parts of an expression that hold only where nothing else was given: the default of an
    argument or of a look-up, what follows an ``or``, what one instance of a class is made of."""
    match node:
        case ast.arguments():
            return [*node.defaults, *filter(None, node.kw_defaults)]
        case ast.BoolOp(op=ast.Or()):
            return [part for part in node.values[1:] if not _is_condition(part)]
        case ast.Call() if _name(node.func) in classes:
            return [*node.args, *node.keywords]
        case ast.Call() if _name(node.func) in _LOOK_UPS:
            first = 2 if _name(node.func) == "getattr" else 1
            return [*node.args[first:], *node.keywords]
        case _:
            return []


def _is_condition(node: ast.expr) -> bool:
    is_method = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    return is_method or isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp)


def _namespace_key(target: ast.Subscript) -> list[str]:
    """The variable that is set where a namespace is changed: ``globals()["TABLE"] = ...``."""
    match target:
        case ast.Subscript(value=ast.Call(func=ast.Name(id="globals" | "vars")), slice=key):
            return [key.value] if isinstance(key, ast.Constant) and _is_text(key.value) else []
        case _:
            return []


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)


def _targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return [part for target in node.targets for part in _unpacked(target)]
    if isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
        return [node.target]
    return []


def _unpacked(target: ast.expr) -> list[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        return [part for item in target.elts for part in _unpacked(item)]
    return [target]


def _name(node: ast.expr) -> str:
    """The last word of what an expression names."""
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
        case ast.Call():
            return _name(node.func)
        case ast.Subscript() | ast.Starred():
            return _name(node.value)
        case _:
            return ""


def _holder(node: ast.expr) -> str:
    """The name under which an object is reached that an expression changes a part of."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return f"{_name(node)}()" if isinstance(node, ast.Call) else _name(node)


def _stands_for(value: ast.expr | None) -> Iterator[str]:
    """The names of objects that a value may be itself."""
    match value:
        case ast.Name() | ast.Attribute():
            yield _name(value)
        case ast.Call():
            yield f"{_name(value)}()"
        case ast.BoolOp():
            for part in value.values:
                yield from _stands_for(part)
        case ast.IfExp():
            yield from _stands_for(value.body)
            yield from _stands_for(value.orelse)
        case ast.NamedExpr():
            yield from _stands_for(value.value)
        case _:
            return


def _folded(node: ast.AST) -> Constant | None:
    """The value of a constant, also of sums and products of them."""
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=str() | int() | float()):
            return cast("Constant", node.value)
        case ast.UnaryOp(op=ast.USub()):
            inner = _folded(node.operand)
            return -inner if isinstance(inner, int | float) else None
        case ast.BinOp():
            left, right = _folded(node.left), _folded(node.right)
            if not isinstance(left, int | float) or not isinstance(right, int | float):
                both = isinstance(left, str) and isinstance(right, str)
                return f"{left}{right}" if both and isinstance(node.op, ast.Add) else None
            match node.op:
                case ast.Add():
                    return left + right
                case ast.Sub():
                    return left - right
                case ast.Mult():
                    return left * right
                case ast.Pow() if 0 <= right <= 64 and abs(left) <= 64:
                    return left**right
                case _:
                    return None
        case _:
            return None


def _lists_in(node: ast.AST) -> Iterator[frozenset[_Typed]]:
    """The lists of constants that an expression is."""
    match node:
        case ast.List() | ast.Tuple() | ast.Set():
            yield from _columns(node.elts)
        case ast.Dict():
            yield from _columns([key for key in node.keys if key is not None])
            yield from _columns(node.values)
        case ast.Call() if _name(node.func) == "dict" and node.keywords:
            yield frozenset(_typed(keyword.arg) for keyword in node.keywords)
        case ast.Call(func=ast.Attribute(attr="split", value=ast.Constant(value=str() as text))):
            if not node.args:
                yield frozenset(map(_typed, text.split()))
        case ast.Subscript(slice=ast.Constant(value=only)):
            yield frozenset({_typed(only)})
        case _:
            return


def _columns(items: Sequence[ast.expr]) -> Iterator[frozenset[_Typed]]:
    """The constants of a list; of a list of tuples, those at each place."""
    rows = [item.elts if isinstance(item, ast.Tuple) else [item] for item in items]
    for place in range(min(map(len, rows), default=0)):
        values = [_folded(row[place]) for row in rows]
        if values and None not in values:
            yield frozenset(map(_typed, values))


def _module(path: Path) -> _Module | None:
    try:
        stamp = path.stat()
    except OSError:
        return None
    return _read(path, stamp.st_mtime_ns, stamp.st_size) if stamp.st_size <= _LARGEST else None


@lru_cache(maxsize=_MOST_FILES)
def _read(path: Path, _changed_at: int, _size: int) -> _Module | None:
    try:
        return _Module(parse_source(path.read_bytes()))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _served(target: str) -> Iterator[str]:
    """The Python files that start a server, as its target names them."""
    command = target.partition("#")[0].removeprefix("mcp:stdio:")
    if command != target.partition("#")[0]:
        try:
            words = shlex.split(command)
        except ValueError:
            return
        yield from (word for word in words if word.endswith(".py") and Path(word).is_file())


def _files(roots: tuple[str, ...]) -> Iterator[Path]:
    """The tool's own files, those named outright first."""
    yield from (Path(root) for root in roots if not root.endswith(os.sep))
    folders = (root for root in roots if root.endswith(os.sep))
    found = (path for folder in folders for path in python_files(folder, with_builds=True))
    yield from islice(found, _MOST_FILES)
