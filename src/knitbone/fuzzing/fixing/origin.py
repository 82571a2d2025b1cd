"""Whether a value is a constant of the tool's own code, or came from where it ran.

A tool that lists a folder, a table of a database, the rows of a file, or what it was told before,
names what exists here and now. Only a constant may stand in a documentation. A value is one where
the operand that the tool compared with, at the place where it decided, is made of nothing but
literals: the operand itself, and the definition of every name in it, up to the last one. That the
same literal stands elsewhere in the source proves nothing. In doubt, and where the place or the
source is unknown, a value is none.
"""

from __future__ import annotations

import ast
import builtins
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, cast

from knitbone.fuzzing.fixing.definitions import (
    Binding,
    SourceModule,
    changeable_depth,
    decisions_of,
    is_enum,
    last_word,
    source_modules,
)
from knitbone.fuzzing.fixing.observation import ObservedCall
from knitbone.fuzzing.fixing.records import CodePlace, Constraint
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.fuzzing.trace.pure import FUNCTIONS, METHODS
from knitbone.fuzzing.trace.rewrite import source_text
from knitbone.fuzzing.trace.terms import Term
from knitbone.record.events import Json
from knitbone.record.secrets import SecretFinder, Strength, is_secret_value, strength_of

__all__ = [
    "SHOWING",
    "LiveValues",
    "SourceConstants",
    "announces_secret",
    "is_of_source",
    "shows_secret",
]

_LISTED = frozenset({"values", "prefix", "suffix"})
_BOUNDS = frozenset({"minimum", "maximum", "above", "below", "shortest", "longest"})
SHOWING = _LISTED | _BOUNDS | {"pattern", "date", "parts"}
"""Kinds whose words show a value."""
_USUAL = (0, 1)
"""Least values that are of no tool in particular."""
_TOLD = 3
"""Characters from which a text is looked for in others; a shorter one may be a part of any word."""
_MOST_LIVE = 5_000


def is_of_source(constraint: Constraint, constants: SourceConstants) -> bool:
    """Whether all that the words of a constraint would show is constant in the tool's source."""
    if constraint.kind not in SHOWING and constraint.of.separator is None:
        return True
    if constraint.origin == "decision":
        return bool(constraint.places) and all(map(constants.are_compared, constraint.places))
    return constraint.kind == "minimum" and constraint.value in _USUAL


def announces_secret(name: str) -> bool:
    """Whether what stands under a name is, or may be, a secret."""
    return strength_of(name.removesuffix("()")) > Strength.FAINT


def shows_secret(constraint: Constraint, arguments: Iterable[str]) -> bool:
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
    return asks or any(isinstance(item, str) and _looks_secret(item) for item in listed)


def _looks_secret(text: str) -> bool:
    return bool(_SECRETS.places(text)) or is_secret_value(text, Strength.FAINT)


_SECRETS = SecretFinder()


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
        live, constant = set[str](), set[str]()
        for call in calls:
            own = {id(event.term) for event in call.trace.events}
            for event in call.trace.events:
                place = CodePlace(*call.trace.places.get(event.site, ("", 0, "")))
                is_secret = any(announces_secret(str(step)) for step in _inputs_of(event.term))
                is_live = is_secret or not constants.are_compared(place)
                (live if is_live else constant).update(_texts_of(event.term, own))
            if len(live) > _MOST_LIVE:
                break
        live |= set(told) - constant
        live |= set(filter(_looks_secret, constant))
        self._texts = {
            text.strip().casefold()
            for text in live
            if len(text.strip()) >= _TOLD and text not in written
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


def _texts_of(term: Term, told: set[int]) -> Iterator[str]:
    """The constants in a term: what a value was compared with, or looked up in; but for those of
    operations that were ``told`` of themselves."""
    queue: list[Any] = [term]
    for item in queue:
        if isinstance(item, str):
            yield item
        elif type(item) is Term:
            is_seen = item.op == "input" or (item is not term and id(item) in told)
            queue.extend(() if is_seen else item.args)
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


_PURE = frozenset(FUNCTIONS) | {
    "re.compile", "typing.get_args", "typing.Literal", "types.MappingProxyType", "dict.fromkeys",
}  # fmt: skip
"""Functions whose result is known from their arguments alone."""
_BUILTINS = frozenset(name for name in _PURE if hasattr(builtins, name)) | {
    "list", "tuple", "set", "frozenset", "dict", "min", "max", "any", "all", "enumerate", "zip",
    "reversed", "map", "filter", "iter", "next", "isinstance",
}  # fmt: skip
_KEYS_KEPT = frozenset({"list", "tuple", "set", "frozenset", "sorted", "iter", "len", "enumerate"})
"""Functions that see of a dictionary its keys only."""
_READING = frozenset(method.partition(".")[2] for method in METHODS)
"""Methods that change nothing."""
_HARMLESS = _BUILTINS | {"print", "json.dumps", "difflib.get_close_matches"}
"""Functions that change none of their arguments."""
_GIVING = frozenset({"max", "min", "next", "getattr", "dict.fromkeys"})
"""Functions that may give one of several arguments itself."""
_CONSTANT_MODULES = frozenset({"re", "string", "math"})
"""Modules whose attributes are the same everywhere."""
_MADE = (
    ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp, ast.comprehension, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp,
    ast.Subscript, ast.Slice, ast.JoinedStr, ast.FormattedValue, ast.Starred,
)  # fmt: skip
"""Expressions that are made of their parts alone."""


class SourceConstants:
    """The constants of a tool's own source."""

    def __init__(self, tool: ToolUnderTest) -> None:
        self._by_path = source_modules(tool.roots)
        self._modules = [*self._by_path.values()]
        self._answers: dict[CodePlace, bool] = {}

    def are_compared(self, place: CodePlace) -> bool:
        """Whether all that an argument meets in a decision at a place is constant, and no
        secret."""
        if place not in self._answers:
            with suppress(RecursionError):  # what is made of itself
                self._answers[place] = self._are_compared(place)
        return self._answers.setdefault(place, False)

    def _are_compared(self, place: CodePlace) -> bool:
        module = self._by_path.get(os.path.realpath(place.file))
        if module is None:
            return False
        at = module.at[place.line]
        nodes = [node for node in at if source_text(module.lines, node) == place.source]
        decided = [made for node in nodes if (made := decisions_of(node, module)) is not None]
        return bool(decided) and all(
            self._meets_constants(operands, module) for made in decided for operands in made
        )

    def _meets_constants(
        self, operands: Sequence[tuple[ast.expr, bool]], module: SourceModule
    ) -> bool:
        """Whether all operands but one, which comes from the arguments, are constant."""
        others = 0
        for operand, keys in operands:
            names = set[str]()
            if not self._is_constant(operand, module, names, keys=keys):
                others += 1
            elif any(map(announces_secret, names)):
                return False
        return others <= 1

    # What is constant.

    def _is_constant(
        self, node: ast.AST, module: SourceModule, names: set[str], *, keys: bool = False
    ) -> bool:
        """Whether an expression is made of literals alone.

        Args:
            names: gets those that lead to them.
            keys: only the keys of a dictionary count.
        """
        match node:
            case ast.Constant() | ast.Lambda():
                return True
            case ast.Name():
                names.add(node.id)
                return self._is_constant_name(node, module, names, keys)
            case ast.Attribute():
                names.add(node.attr)
                return self._is_constant_attribute(node, module, names, keys)
            case ast.Call():
                return self._is_constant_call(node, module, names)
            case ast.Dict() if keys and None not in node.keys:
                return all(self._is_constant(key, module, names) for key in node.keys if key)
            case ast.DictComp() if keys:
                parts = [node.key, *node.generators]
            case ast.comprehension():
                parts = [node.iter, *node.ifs]
            case _:
                parts = [n for n in ast.iter_child_nodes(node) if isinstance(n, _PARTS)]
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            names.add(str(node.slice.value))
        keys = keys and isinstance(node, ast.Starred)
        return isinstance(node, _MADE) and all(
            self._is_constant(part, module, names, keys=keys) for part in parts
        )

    def _is_constant_name(
        self, node: ast.Name, module: SourceModule, names: set[str], keys: bool
    ) -> bool:
        found = module.resolved(node)
        if found is None:
            return node.id in _BUILTINS
        scope, binding = found
        is_each = binding.kind != "item" or (module.is_of_each(node, module.parents[binding.node]))
        return is_each and self._is_constant_binding(node.id, scope, binding, module, names, keys)

    def _is_constant_binding(
        self,
        name: str,
        scope: ast.AST,
        binding: Binding,
        module: SourceModule,
        names: set[str],
        keys: bool,
    ) -> bool:
        """Whether what a name is bound to is constant, and stays so."""
        match binding.kind:
            case "function":
                return True
            case "class":
                return self._is_enumeration(binding.node, module, names)
            case "import":
                own = self._imported(binding.name, module)
                if own is None:
                    return _is_pure(f"{binding.name}.{binding.node}")
                return self._is_constant_global(binding.node, own, names, keys)
            case "value" | "item":
                is_item = binding.kind == "item"
                keys = keys or is_item
                depth = changeable_depth(binding.node, keys=keys)
                return (
                    not (scope is module.tree and self._is_set_elsewhere(name, module))
                    and self._is_constant(binding.node, module, names, keys=keys)
                    and self._stays(name, scope, depth - is_item, module)
                )
            case _:
                return False

    def _is_constant_global(
        self, name: str | None, module: SourceModule, names: set[str], keys: bool
    ) -> bool:
        found = module.bound[module.tree].get(name or "", [])
        return len(found) == 1 and self._is_constant_binding(
            name or "", module.tree, found[0], module, names, keys
        )

    def _is_set_elsewhere(self, name: str, module: SourceModule) -> bool:
        """Whether a module's name may be bound from outside, or by a text."""
        near = [m for m in self._modules if m is module or module.stem in m.imported]
        return any(m.is_dynamic or name in m.set for m in near)

    def _imported(self, name: str, module: SourceModule) -> SourceModule | None:
        """The own module that an import statement names."""
        bare = name.lstrip(".")
        folders = list(module.path.parents)
        level = len(name) - len(bare)
        for folder in folders[level - 1 : level] if level else folders:
            place = folder.joinpath(*filter(None, bare.split(".")))
            for path in (f"{place}.py", place / "__init__.py"):
                if (found := self._by_path.get(os.path.realpath(path))) is not None:
                    return found
        return None

    def _is_constant_attribute(
        self, node: ast.Attribute, module: SourceModule, names: set[str], keys: bool
    ) -> bool:
        found = module.resolved(node.value) if isinstance(node.value, ast.Name) else None
        if found is not None and found[1].kind == "import":
            own = self._imported(_whole(found[1]), module)
            if own is not None:
                return self._is_constant_global(node.attr, own, names, keys)
        if (full := self._library_name(node, module)) is not None:
            return _is_pure(full)
        owner = module.class_of(node.value)
        if owner is not None and not is_enum(owner):
            return self._is_constant_member(node.attr, owner, names, keys)
        return self._is_constant(node.value, module, names)

    def _is_constant_member(
        self, name: str, owner: ast.ClassDef, names: set[str], keys: bool
    ) -> bool:
        """Whether an attribute of a class and of its objects is constant: the same name of every
        own class is, which may inherit from it."""
        bound = [(m, kind, m.bound[kind][name]) for m in self._modules for kind in m.classes
                 if name in m.bound[kind]]  # fmt: skip
        return (
            any(kind is owner for _, kind, _ in bound)
            and not any(m.is_dynamic or name in m.set for m in self._modules)
            and all(
                len(found) == 1
                and found[0].kind == "value"
                and not module.is_field(found[0], kind)
                and self._is_constant_binding(name, kind, found[0], module, names, keys)
                for module, kind, found in bound
            )
        )

    def _is_enumeration(self, kind: ast.ClassDef, module: SourceModule, names: set[str]) -> bool:
        for each in kind.body:
            match each:
                case ast.Assign(value=ast.Call(func=called)) if last_word(called) == "auto":
                    continue
                case ast.Assign(value=value):
                    if changeable_depth(value) or not self._is_constant(value, module, names):
                        return False
                case ast.FunctionDef() | ast.Expr(value=ast.Constant()) | ast.Pass():
                    continue
                case _:
                    return False
        return is_enum(kind)

    def _is_constant_call(self, node: ast.Call, module: SourceModule, names: set[str]) -> bool:
        called, keys = node.func, False
        name = self._library_name(called, module)
        if name is not None:
            is_known = name in _PURE or name in _BUILTINS
            keys = name in _KEYS_KEPT
        else:
            keys = isinstance(called, ast.Attribute) and called.attr == "keys"
            is_known = isinstance(called, ast.Attribute) and (
                called.attr in _READING
                and self._is_constant(called.value, module, names, keys=keys)
            )
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        return is_known and all(self._is_constant(v, module, names, keys=keys) for v in given)

    def _library_name(self, node: ast.expr, module: SourceModule) -> str | None:
        """The full name of what an expression names in a library, or of a builtin."""
        if isinstance(node, ast.Attribute):
            base = self._library_name(node.value, module)
            return None if base is None else f"{base}.{node.attr}"
        if not isinstance(node, ast.Name):
            return None
        found = module.resolved(node)
        if found is None:
            return node.id
        is_library = found[1].kind == "import" and self._imported(found[1].name, module) is None
        return _whole(found[1]) if is_library else None

    # What stays as it is.

    def _stays(self, name: str, scope: ast.AST, depth: int, module: SourceModule) -> bool:
        """Whether no use of a name may change what it stands for.

        Args:
            depth: how many collections that can be changed are in it (``changeable_depth``).
        """
        if depth <= 0:
            return True
        is_shared = isinstance(scope, ast.Module | ast.ClassDef)
        return all(
            self._is_harmless(used, depth, where)
            for where in (self._modules if is_shared else [module])
            for each in {name, *(where.renamed[name] if is_shared else ())}
            for used in where.used.get(each, ())
            if _may_mean(used, scope, where, module)
        )

    def _is_harmless(self, node: ast.AST, depth: int, module: SourceModule) -> bool:
        """Whether what stands around an expression only reads it."""
        parent = module.parents[node]
        above = module.parents.get(parent)
        if depth <= 0:
            return True
        match parent:
            case ast.Compare() | ast.FormattedValue() | ast.If() | ast.While() | ast.UnaryOp():
                return True
            case ast.Subscript(ctx=ast.Load()) if parent.value is node:
                is_item = depth == 1 or not isinstance(parent.slice, ast.Slice)
                return self._is_harmless(parent, depth - is_item, module)
            case ast.Attribute(ctx=ast.Load()) if isinstance(above, ast.Call):
                of_item = depth == 1 or parent.attr == "get"
                return (
                    above.func is parent
                    and parent.attr in _READING
                    and self._is_harmless(above, depth - of_item, module)
                )
            case ast.For() | ast.comprehension() if parent.iter is node:
                return all(
                    self._is_read(target, depth - 1, module)
                    for target in ast.walk(parent.target)
                    if isinstance(target, ast.Name)
                )
            case ast.Call() if node is not parent.func:
                called = parent.func
                is_text = isinstance(called, ast.Attribute) and (
                    called.attr == "join" and isinstance(called.value, ast.Constant)
                )
                name = self._library_name(called, module)
                is_reading = is_text or name in _HARMLESS or name in _PURE
                is_reading &= name not in _GIVING or parent.args == [node]
                return is_reading and self._is_harmless(parent, depth - (depth == 1), module)
            case ast.Starred() | ast.BinOp():
                return depth == 1
            case ast.Assign(targets=[ast.Name() as target]):
                return self._is_read(target, depth, module)
            case _:
                return False

    def _is_read(self, target: ast.Name, depth: int, module: SourceModule) -> bool:
        """Whether a name that is bound here, and nowhere else, is only read."""
        found = module.resolved(target)
        return depth <= 0 or (
            found is not None
            and found[1].kind in ("value", "item")
            and self._stays(target.id, found[0], depth, module)
        )


_PARTS = (ast.expr, ast.comprehension)


def _is_pure(name: str) -> bool:
    """Whether what a library has under a name is the same everywhere."""
    return name in _PURE or name.partition(".")[0] in _CONSTANT_MODULES


def _whole(binding: Binding) -> str:
    """The full name of what is imported."""
    dot = "" if binding.name.endswith(".") else "."
    return binding.name if binding.node is None else f"{binding.name}{dot}{binding.node}"


def _may_mean(node: ast.expr, scope: ast.AST, where: SourceModule, module: SourceModule) -> bool:
    """Whether a name or attribute that is read may be that of a scope."""
    if not isinstance(node, ast.Name):
        return isinstance(scope, ast.Module | ast.ClassDef)
    found = where.resolved(node)
    if where is module:
        return found is not None and found[0] is scope
    is_given = found is None or found[1].kind in ("import", "unknown")
    return isinstance(scope, ast.Module) and is_given
