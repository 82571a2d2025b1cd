"""The values of expressions: names, attributes, containers, comprehensions."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Protocol

from knitbone.adaptation.analysis.calls import CallEvaluator
from knitbone.adaptation.analysis.origins import TEXT_PATHS
from knitbone.adaptation.analysis.program import Class, Function, Module, Target
from knitbone.adaptation.analysis.values import (
    Answer,
    AppClass,
    AppFunction,
    AppInstance,
    AppModule,
    Constant,
    External,
    ExternalInstance,
    Held,
    Lines,
    Place,
    Response,
    Series,
    Several,
    Value,
    Values,
    iterate,
    join,
)

if TYPE_CHECKING:
    from knitbone.adaptation.analysis.flow import Flow

__all__ = ["Evaluator", "Scope", "place_of"]

_BUILTINS = frozenset(
    {"str", "list", "tuple", "set", "iter", "next", "reversed", "sorted", "enumerate", "zip"}
    | {"map", "filter", "int", "float", "exec", "eval", "print", "len", "any", "all", "dict"}
)


class Scope(Protocol):
    """The function evaluation that an expression stands in."""

    environment: dict[str, Values]
    yielded: list[Values]

    def bind(self, target: ast.expr, values: Values) -> None: ...


def place_of(function: Function, node: ast.expr) -> Place:
    """The place of an expression."""
    return Place(
        function.key,
        node.lineno,
        node.col_offset,
        node.end_lineno or node.lineno,
        node.end_col_offset or node.col_offset,
    )


class Evaluator:
    """Evaluates the expressions of one function."""

    def __init__(self, flow: Flow, function: Function, scope: Scope) -> None:
        self.flow = flow
        self.function = function
        self.module: Module = function.module
        self.scope = scope
        self.calls = CallEvaluator(self)
        self._constants: set[int] = set()

    def values(self, node: ast.expr) -> Values:
        """Everything that the expression may hold, as far as it is followed."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is not None:
            found: Values = method(node)
            return found
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.values(child)
        return ()

    def annotation(self, node: ast.expr) -> Values:
        """Objects of the annotated class."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value, mode="eval").body
            except (SyntaxError, ValueError, RecursionError):
                return ()
        if isinstance(node, ast.BinOp):
            return join(self.annotation(node.left), self.annotation(node.right))
        if isinstance(node, ast.Subscript):
            return self.annotation(node.slice)
        if not isinstance(node, ast.Name | ast.Attribute):
            return ()
        found: list[Value] = []
        for value in self.values(node):
            if isinstance(value, External):
                found.append(ExternalInstance(value.name))
            elif isinstance(value, AppClass):
                found.append(AppInstance(value.key))
        return tuple(found)

    def resolve_class(self, key: str) -> Class | None:
        """The class behind a key."""
        return self.flow.program.class_of(key)

    def target_values(self, target: Target) -> Values:
        """The values of something that a name refers to."""
        if target.function is not None:
            function = target.function
            self.flow.functions[function.key] = function
            self.flow.link(self.function, function.key)
            return (AppFunction(function.key),)
        if target.klass is not None:
            klass = target.klass
            for method in klass.methods.values():
                self.flow.functions[method.key] = method
                self.flow.link(self.function, method.key)
            return (AppClass(f"{klass.module.path}::{klass.qualname}"),)
        if target.module is not None:
            return (AppModule(str(target.module.path)),)
        if target.constant is not None:
            return self._constant_values(*target.constant)
        return (External(target.external),) if target.external else ()

    def _constant_values(self, module: Module, node: ast.expr) -> Values:
        if id(node) in self._constants:
            return ()
        self._constants.add(id(node))
        try:
            evaluator = Evaluator(self.flow, module.top, _ConstantScope())
            evaluator._constants = self._constants
            return evaluator.values(node)
        finally:
            self._constants.discard(id(node))

    def _name(self, node: ast.Name) -> Values:
        if node.id in self.scope.environment:
            return self.scope.environment[node.id]
        outer = self.function
        while outer is not None:
            closure = self.flow.closures.get(outer.key, {})
            if node.id in closure:
                return closure[node.id]
            if outer.node is not None and node.id in outer.local_functions:
                return self.target_values(Target(function=outer.local_functions[node.id]))
            outer = outer.parent
        found = self.target_values(self.flow.program.resolve(self.module, node.id))
        if not found and node.id in _BUILTINS and node.id not in self.module.functions:
            return (External(f"builtins.{node.id}"),)
        return found

    def _constant(self, node: ast.Constant) -> Values:
        if isinstance(node.value, str | int | bool) or node.value is None:
            return (Constant(node.value),)
        return ()

    def _joinedstr(self, node: ast.JoinedStr) -> Values:
        text = ""
        for part in node.values:
            if isinstance(part, ast.Constant):
                text += str(part.value)
                continue
            inner = self.values(part.value) if isinstance(part, ast.FormattedValue) else ()
            constants = [v for v in inner if isinstance(v, Constant)]
            if len(inner) != 1 or len(constants) != 1:
                text = "\0"  # not a constant as a whole; the remaining parts still run
                continue
            text += str(constants[0].value)
        return () if "\0" in text else (Constant(text),)

    def _attribute(self, node: ast.Attribute) -> Values:
        found: list[Value] = []
        for value in self.values(node.value):
            found.extend(self.attribute_of(value, node.attr, node))
        return join(tuple(found))

    def attribute_of(self, value: Value, name: str, node: ast.expr) -> Values:
        """One attribute of one value."""
        if isinstance(value, Response):
            return self._walk(value, f".{name}", node)
        if isinstance(value, External):
            return (External(f"{value.name}.{name}"),)
        if isinstance(value, ExternalInstance):
            return (ExternalInstance(value.name, f"{value.path}.{name}"),)
        if isinstance(value, AppModule):
            module = self.flow.program.by_name.get(value.path)
            if module is None:
                return ()
            return self.target_values(self.flow.program.resolve(module, name))
        if isinstance(value, AppInstance | AppClass):
            return self._member(value, name, node)
        return ()

    def _member(self, value: AppInstance | AppClass, name: str, node: ast.expr) -> Values:
        stored = self.flow.attributes.get((value.key, name), ())
        klass, seen = self.resolve_class(value.key), 0
        while klass is not None and seen < 8:
            seen += 1
            if name in klass.methods:
                method = klass.methods[name]
                self.flow.functions[method.key] = method
                self.flow.link(self.function, method.key)
                decorators = {d.id for d in method.decorators if isinstance(d, ast.Name)}
                if decorators & {"property", "cached_property"}:
                    return self.calls.call_function(
                        method, ((self._first(method), (value,)),), node
                    )
                bound = isinstance(value, AppInstance) or "classmethod" in decorators
                return (AppFunction(method.key, bound and "staticmethod" not in decorators),)
            if name in klass.attributes:
                return join(stored, self._constant_values(klass.module, klass.attributes[name]))
            parent = self._parent(klass)
            if parent is not None:
                key = f"{parent.module.path}::{parent.qualname}"
                stored = join(stored, self.flow.attributes.get((key, name), ()))
            klass = parent
        return stored

    def _first(self, method: Function) -> str:
        return method.parameters[0].arg if method.parameters else "self"

    def _parent(self, klass: Class) -> Class | None:
        for base in klass.node.bases:
            if isinstance(base, ast.Name | ast.Attribute):
                target = self.flow.program.resolve(klass.module, ast.unparse(base))
                if target.klass is not None:
                    return target.klass
        return None

    def _walk(self, response: Response, piece: str, node: ast.expr) -> Values:
        """One more piece of the path into a response; at the end of the path is the text."""
        path = response.path + piece
        for known in TEXT_PATHS[response.provider]:
            if path == known:
                place = place_of(self.function, node)
                return (Answer(place, response.origin, response.confidence),)
            if known.startswith(path):
                return (Response(response.provider, response.origin, response.confidence, path),)
        return ()

    def _subscript(self, node: ast.Subscript) -> Values:
        index = self.values(node.slice)
        constant = index[0].value if index and isinstance(index[0], Constant) else None
        found: list[Value] = []
        for value in self.values(node.value):
            if isinstance(value, Response):
                piece = f".{constant}" if isinstance(constant, str) else "[]"
                found.extend(self._walk(value, piece, node))
            elif isinstance(value, Several):
                if isinstance(constant, int) and -len(value.items) <= constant < len(value.items):
                    found.extend(value.items[constant])
            elif isinstance(value, Series):
                found.extend((value,) if isinstance(node.slice, ast.Slice) else value.items)
            elif isinstance(value, Lines):
                found.append(value if isinstance(node.slice, ast.Slice) else _one_line(value))
            elif isinstance(value, Answer) and isinstance(node.slice, ast.Slice):
                found.append(_lose(value, "a slice of the text is read"))
        return join(tuple(found))

    def _await(self, node: ast.Await) -> Values:
        return self.calls.awaited(self.values(node.value), node)

    def _namedexpr(self, node: ast.NamedExpr) -> Values:
        values = self.values(node.value)
        self.scope.bind(node.target, values)
        return values

    def _ifexp(self, node: ast.IfExp) -> Values:
        self.values(node.test)
        return join(self.values(node.body), self.values(node.orelse))

    def _boolop(self, node: ast.BoolOp) -> Values:
        return join(*(self.values(value) for value in node.values))

    def _binop(self, node: ast.BinOp) -> Values:
        left, right = self.values(node.left), self.values(node.right)
        return self.calls.operator(node.op, left, right)

    def _tuple(self, node: ast.Tuple) -> Values:
        return (Several(tuple(self.values(item) for item in node.elts)),)

    def _list(self, node: ast.List) -> Values:
        items = join(*(self.values(item) for item in node.elts))
        return (Series(items),) if items else ()

    def _starred(self, node: ast.Starred) -> Values:
        return iterate(self.values(node.value))

    def _yield(self, node: ast.Yield) -> Values:
        self.scope.yielded.append(self.values(node.value) if node.value else ())
        return ()

    def _yieldfrom(self, node: ast.YieldFrom) -> Values:
        self.scope.yielded.append(iterate(self.values(node.value)))
        return ()

    def _lambda(self, node: ast.Lambda) -> Values:
        """A lambda is a function whose body is one ``return``."""
        line, column = node.lineno, node.col_offset
        outer = "" if self.function.node is None else f"{self.function.qualname}.<locals>."
        key = f"{self.module.path}::{outer}<lambda>:{line}:{column}"
        known = self.flow.functions.get(key)
        if known is None:
            body = ast.copy_location(ast.Return(node.body), node.body)
            synthetic = ast.FunctionDef("<lambda>", node.args, [body], [], None)
            ast.copy_location(synthetic, node)
            known = Function(self.module, synthetic, f"{outer}<lambda>:{line}:{column}", None)
            known.parent = self.function
            self.flow.functions[known.key] = known
        self.flow.closures[known.key] = self.scope.environment
        self.flow.link(self.function, known.key)
        self.flow.call(known, ())
        return (AppFunction(known.key),)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Values:
        items = self._generate(node.generators, [node.elt])
        return (Series(items),) if items else ()

    _listcomp = _setcomp = _generatorexp = _comprehension

    def _dictcomp(self, node: ast.DictComp) -> Values:
        self._generate(node.generators, [node.key, node.value])
        return ()

    def _generate(self, generators: list[ast.comprehension], elements: list[ast.expr]) -> Values:
        saved = dict(self.scope.environment)
        for generator in generators:
            self.scope.bind(generator.target, iterate(self.values(generator.iter)))
            for condition in generator.ifs:
                self.values(condition)
        items = join(*(self.values(element) for element in elements))
        self.scope.environment.clear()
        self.scope.environment.update(saved)
        return items

    def _call(self, node: ast.Call) -> Values:
        return self.calls.call(node)


class _ConstantScope:
    """The scope of a module-level expression that is looked at from a function."""

    def __init__(self) -> None:
        self.environment: dict[str, Values] = {}
        self.yielded: list[Values] = []

    def bind(self, target: ast.expr, values: Values) -> None:
        if isinstance(target, ast.Name):
            self.environment[target.id] = values


def _lose(value: Held, reason: str) -> Answer:
    return Answer(value.place, value.origin, value.confidence, value.steps, value.lost or reason)


def _one_line(value: Lines) -> Answer:
    return _lose(value, "only one line of the text is read")
