"""Values of attributes, of dictionary keys, and of what annotations promise.

``reply.choices`` of a response, ``self.client`` of an object of the application, ``data["key"]`` of
a dictionary, and ``client`` of ``def ask(client: OpenAI)``.
"""

from __future__ import annotations

import ast
from typing import Any

import msgspec

from knitbone.adaptation.analysis import catalogue
from knitbone.adaptation.analysis.evaluator import Evaluator
from knitbone.adaptation.analysis.output_sites import OutputSites
from knitbone.adaptation.analysis.program import Class, Function, is_abstract
from knitbone.adaptation.analysis.values import (
    AppClass,
    AppFunction,
    AppInstance,
    AppModule,
    Awaitable,
    Chain,
    External,
    Keyed,
    Response,
    Series,
    Tracked,
    Value,
    Values,
    join,
    tracked_in,
)
from knitbone.common.source import parse_source

__all__ = ["ANNOTATED", "AttributeLookup"]

_SERIES_TYPES = frozenset(
    {"list", "List", "Sequence", "Iterable", "Iterator", "set", "Set", "tuple", "Tuple"}
    | {"AsyncIterator", "Generator", "AsyncGenerator", "Collection", "MutableSequence"}
)
"""Annotations of which the first parameter is the type of the items."""
_MAPPING_TYPES = frozenset(
    {"dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "OrderedDict"}
)
"""Annotations of which the last parameter is the type of the values."""
_TRANSPARENT = frozenset(
    {"Optional", "Union", "Annotated", "Final", "ClassVar", "Required", "NotRequired", "Self"}
)
"""Annotations that say nothing beside their parameters."""
_PROPERTIES = frozenset({"property", "cached_property", "computed_field", "hybrid_property"})
"""Decorators of methods that are called by reading an attribute."""
_MAX_DEPTH = 6
ANNOTATED = (("?", True),)
"""Settings of an object of which only the class is known."""


class AttributeLookup:
    """Looks up attributes for one evaluation."""

    def __init__(
        self,
        evaluator: Evaluator,
        outputs: OutputSites,
    ) -> None:
        self._evaluator = evaluator
        self._outputs = outputs
        self._state = evaluator.state

    def attribute(self, value: Value, name: str, node: ast.expr) -> Values:
        """Return the values of one attribute of one value."""
        if isinstance(value, Tracked):
            return (self._evaluator.use(value, "getattr", node, (name,)),)
        if isinstance(value, Response):
            return self._outputs.access(value, f".{name}", node)
        if isinstance(value, External):
            return (msgspec.structs.replace(value, path=f"{value.path}.{name}"),)
        if isinstance(value, Chain):
            return (Chain(value.parts, f"{value.path}.{name}"),)
        if isinstance(value, AppModule):
            module = self._state.program.by_name.get(value.path)
            if module is None:
                return ()
            target = self._state.program.resolve(module, name)
            assigned = self._state.assigned(module.key, name)
            return join(self._evaluator.target_values(target), assigned)
        if isinstance(value, AppInstance | AppClass):
            return self._member(value, name, node)
        if isinstance(value, Keyed) and name not in dir(dict):
            return self.looked_up(value, name, node)
        return ()

    def looked_up(self, value: Keyed, key: Any, node: ast.expr, *, required: bool = True) -> Values:
        """Return what stands under a key. Where the keys are taken from the output, one of them has
        to be this one."""
        if not isinstance(key, str | int) and value.entries:
            self.note_dispatch(value, node)
            held = join(*(values for _, values in value.entries))
            # Which of several outputs it is, only the key says.
            return join(value.rest, tuple(v for v in held if not any(tracked_in((v,)))))
        if not value.names or not isinstance(key, str) or any(key == k for k, _ in value.entries):
            return value.get(key)
        for name in value.names:
            if isinstance(name, Tracked):
                self._evaluator.use(name, "key", node, (key, required))
        return join(
            tuple(
                self._evaluator.use(held, "field", node, (key,))
                if isinstance(held, Tracked)
                else held
                for held in value.rest
            )
        )

    def note_dispatch(self, table: Keyed, node: ast.expr) -> None:
        """Note that one of the functions or classes in a table is looked up: only one runs."""
        kinds = (AppFunction, AppClass, AppInstance)
        held = (*(values for _, values in table.entries), table.rest)
        keys = frozenset(v.key for values in held for v in values if isinstance(v, kinds))
        if len(keys) > 1:
            where = f"{self._evaluator.module.path}:{node.lineno}"
            self._state.dispatches.setdefault(keys, where)

    def item(self, value: AppInstance, node: ast.expr) -> Values:
        """Evaluate ``instance[key]`` of a class of the application."""
        for method in self._member(value, "__getitem__", node):
            if isinstance(method, AppFunction):
                function = self._state.functions[method.key]
                return self._evaluator.calls.call_function(
                    function, ((self._first(function), (value,)),), node
                )
        return ()

    def _member(self, value: AppInstance | AppClass, name: str, node: ast.expr) -> Values:
        """Return the values of an attribute of an object or class of the application."""
        klass = self._state.program.class_of(value.key)
        if klass is None:
            return ()
        own: Values = ()
        if isinstance(value, AppInstance) and value.made:
            own = self._state.attributes.get((value.made, name), ())
        stored = own
        declared: Values = ()
        for one in self._state.shapes.parents(klass):
            if not own:
                stored = join(stored, self._state.attributes.get((one.key, name), ()))
            if name in one.methods:
                # ``self.run = function`` hides the method of that name.
                method = self._method(one.methods[name], value, node)
                return join(tuple(v for v in stored if isinstance(v, AppFunction)), method)
            if name in one.attributes and not own:
                constant = self._evaluator.constant_values(one.module, one.attributes[name])
                stored = join(stored, constant)
            if name in one.annotations and not declared:
                declared = self.of_annotation(one.annotations[name], one)
        if stored or declared:
            return join(stored, declared)
        return self._inherited(klass, value, name) or self._of_subclasses(klass, name)

    def _of_subclasses(self, klass: Class, name: str) -> Values:
        """Return what subclasses set and a base class only reads."""
        found = (
            self._state.attributes.get((below.key, name), ())
            for below in self._state.subclasses(klass)
        )
        return join(*found)

    def _inherited(self, klass: Class, value: AppInstance | AppClass, name: str) -> Values:
        """Return what a class of a library gives to the application's class."""
        bases = self._state.shapes.bases(klass)
        found: list[Value] = []
        for base in bases[:3]:
            if isinstance(value, AppInstance):
                if catalogue.role(f"{base}()", {}):
                    found.append(External(f"{base}().{name}"))
            elif self._state.shapes.is_model(klass):
                shape = self._state.shapes.of_class(klass)
                found.append(External(f"{base}.{name}", (("class", shape),)))
        return tuple(found)

    def _method(self, method: Function, value: AppInstance | AppClass, node: ast.expr) -> Values:
        """Return a method as the code gets it: bound, or called where it is a property."""
        self._state.functions[method.key] = method
        self._state.link(self._evaluator.function, method.key)
        names = method.decorator_names
        if names & _PROPERTIES and isinstance(value, AppInstance):
            return self._evaluator.calls.call_function(
                method, ((self._first(method), (value,)),), node
            )
        if "staticmethod" in names:
            return (AppFunction(method.key),)
        if isinstance(value, AppInstance) and is_abstract(method):
            return self._overriding(method, value)
        if isinstance(value, AppInstance) or "classmethod" in names:
            return (AppFunction(method.key, (value,)),)
        return (AppFunction(method.key),)

    def _overriding(self, method: Function, value: AppInstance) -> Values:
        """Return the methods that may stand behind an abstract one."""
        found: list[Value] = [AppFunction(method.key, (value,))]
        for other in self._state.overrides(method):
            if other.owner is not None:
                self._state.functions[other.key] = other
                self._state.link(self._evaluator.function, other.key)
                found.append(AppFunction(other.key, (AppInstance(other.owner.key),)))
        return tuple(found)

    @staticmethod
    def _first(method: Function) -> str:
        """Return the name of a method's first parameter."""
        return method.parameters[0].arg if method.parameters else "self"

    def of_annotation(self, node: ast.expr, owner: Class | None = None, depth: int = 0) -> Values:
        """Return objects of the annotated class."""
        if depth > _MAX_DEPTH:
            return ()
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = parse_source(node.value, mode="eval").body
            except (SyntaxError, ValueError, RecursionError):
                return ()
        if isinstance(node, ast.BinOp):
            return join(
                self.of_annotation(node.left, owner, depth + 1),
                self.of_annotation(node.right, owner, depth + 1),
            )
        if isinstance(node, ast.Subscript):
            return self._generic(node, owner, depth)
        if not isinstance(node, ast.Name | ast.Attribute):
            return ()
        module = owner.module if owner is not None else self._evaluator.module
        target = self._state.program.resolve(module, ast.unparse(node))
        found: list[Value] = []
        for value in self._evaluator.target_values(target):
            if isinstance(value, External) and not value.path.startswith("typing."):
                found.append(External(f"{value.path}()", ANNOTATED))
            elif isinstance(value, AppClass):
                found.append(AppInstance(value.key))
        return tuple(found)

    def _generic(self, node: ast.Subscript, owner: Class | None, depth: int) -> Values:
        """Return objects of a generic annotation such as ``list[Item]``."""
        name = ast.unparse(node.value).rpartition(".")[2]
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name in ("Awaitable", "Coroutine"):
            held = self.of_annotation(inner[-1], owner, depth + 1)
            return (Awaitable(held),) if held else ()
        if name in _SERIES_TYPES:
            items = join(*(self.of_annotation(item, owner, depth + 1) for item in inner[:1]))
            return (Series(items),) if items else ()
        if name in _MAPPING_TYPES:
            items = self.of_annotation(inner[-1], owner, depth + 1)
            return (Keyed((), items),) if items else ()
        if name in _TRANSPARENT:
            return join(*(self.of_annotation(item, owner, depth + 1) for item in inner))
        if name in ("Type", "type", "Callable", "Literal"):
            return ()
        return self.of_annotation(node.value, owner, depth + 1)
