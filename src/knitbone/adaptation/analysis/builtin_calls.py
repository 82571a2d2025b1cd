"""Calls of builtins (``list``, ``zip``, ``int``) and arithmetic on outputs and their containers."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from knitbone.adaptation.analysis import catalogue
from knitbone.adaptation.analysis.attributes import ANNOTATED, AttributeLookup
from knitbone.adaptation.analysis.evaluator import Evaluator, FunctionCalls
from knitbone.adaptation.analysis.items import Items
from knitbone.adaptation.analysis.library_consumers import LibraryConsumers
from knitbone.adaptation.analysis.output_sites import OutputSites
from knitbone.adaptation.analysis.values import (
    AppFunction,
    AppInstance,
    CallArguments,
    ComposedText,
    Constant,
    External,
    FixedItems,
    Keyed,
    Response,
    Series,
    Tracked,
    Value,
    Values,
    join,
    nodes_of,
    tracked_in,
)

__all__ = ["BuiltinCalls", "calculated", "folded"]

_CONTAINER_BUILTINS = frozenset({"list", "tuple", "iter", "reversed", "sorted", "set", "frozenset"})
"""Builtins that give back the items that they are given."""
_IGNORED_BUILTINS = frozenset(
    {"print", "repr", "hasattr", "type", "id", "callable", "hash", "input", "vars"}
)
"""Builtins that say nothing about an output, and bring none."""


_MAX_TIMES = 200
"""How often a constant text is repeated, at most, to be known (ours)."""
_QUESTIONS = frozenset({"len", "isinstance", "exec", "any", "all", "bool"})
"""Builtins whose result tells something about an output, and is none itself."""


class BuiltinCalls:
    """Evaluates calls of builtins for one evaluation."""

    def __init__(
        self,
        evaluator: Evaluator,
        calls: FunctionCalls,
        outputs: OutputSites,
        attributes: AttributeLookup,
        items: Items,
        consumers: LibraryConsumers,
    ) -> None:
        self._evaluator = evaluator
        self._outputs = outputs
        self._attributes = attributes
        self._items = items
        self._state = evaluator.state
        self._calls = calls
        self._consumers = consumers

    def call(self, name: str, node: ast.Call, given: CallArguments) -> Values:
        """Return the value of a call of a builtin."""
        first = given.arguments[0] if given.arguments else ()
        if name in _IGNORED_BUILTINS:
            return ()
        if name == "super":
            return self._above()
        if name in ("next", "anext"):
            return self._items.iterate(first, node)
        if name == "enumerate":
            items = self._items.iterate(first, node.args[0]) if node.args else ()
            return (Series((FixedItems(((), items)),)),) if items else ()
        if name == "zip":
            columns = tuple(
                self._items.iterate(values, argument)
                for values, argument in zip(given.arguments, node.args, strict=True)
            )
            return (Series((FixedItems(columns),)),) if any(columns) else ()
        if name in ("filter", "map") and len(given.arguments) == 2:
            return self._mapped(name, node, given)
        if name == "getattr" and len(given.arguments) > 1:
            key = self._evaluator.constant(given.arguments[1])
            if isinstance(key, str):
                found = [self._attributes.attribute(v, key, node) for v in first]
                return join(*found)
            return ()
        if name in _CONTAINER_BUILTINS:
            return self._passed(name, node, first)
        return self._converted(name, node, given, first)

    def _above(self) -> Values:
        """Return what ``super()`` is: an object of the classes that the method's class derives
        from."""
        owner = self._evaluator.function.owner
        if owner is None:
            return ()
        shapes = self._state.shapes
        made = ""
        first = next(iter(self._evaluator.function.parameters), None)
        for value in self._evaluator.scope.environment.get(first.arg, ()) if first else ():
            made = value.made if isinstance(value, AppInstance) else made
        above = shapes.parents(owner)[1 : 1 + len(owner.node.bases)]
        found: list[Value] = [AppInstance(one.key, made) for one in above]
        for base in shapes.bases(owner):
            if catalogue.role(f"{base}()", {}):
                found.append(External(f"{base}()", ANNOTATED))
        return tuple(found)

    def _passed(self, name: str, node: ast.Call, first: Values) -> Values:
        """Return what ``list``, ``sorted`` and the like give back: the items that they
        were given."""
        found: list[Value] = []
        for value in first:
            if isinstance(value, Response):
                found.extend(self._outputs.access(value, "list", node))
            elif (
                name in ("list", "tuple")
                and isinstance(value, Tracked)
                and self._state.forest.nodes[value.node].operation.name != name
            ):
                found.append(self._evaluator.use(value, name, node))
            else:
                found.append(value)
        return join(tuple(found))

    def _converted(self, name: str, node: ast.Call, given: CallArguments, first: Values) -> Values:
        """Return what a conversion such as ``int`` or ``dict`` makes of its argument."""
        found: list[Value] = []
        for value in first:
            if isinstance(value, Tracked):
                found.extend(self._of_output(name, value, node, given))
            elif isinstance(value, Response) and name in ("str", "dict"):
                access = "str()" if name == "str" else "dict"
                found.extend(self._outputs.access(value, access, node))
            else:
                found.extend(self._of_container(name, value, node))
        if name == "dict" and given.keywords:
            entries = tuple((k, v) for k, v in given.keywords.items() if k is not None)
            found.append(Keyed(entries))
        return join(tuple(found))

    def _of_output(self, name: str, value: Tracked, node: ast.Call, given: CallArguments) -> Values:
        """Record that a builtin is given an output, and return the result."""
        if name == "dict" and self._finds(value):
            return (self._of_pairs(Series(self._items.iterate((value,), node)), node),)
        others = self._consumers.others(node, given, "0")
        used = self._evaluator.use(value, name, node, others, position="0")
        return () if name in _QUESTIONS else (used,)

    def _of_container(self, name: str, value: Value, node: ast.Call) -> Values:
        """Return what a builtin makes of a value of the application, which may hold outputs."""
        if name in ("str", "dict") and isinstance(value, Constant | ComposedText | Keyed):
            return (value,)
        if name in ("exec", "eval", "compile") and isinstance(value, FixedItems | Series):
            return tuple(tracked_in((value,)))
        if isinstance(value, Series) and name in ("max", "min", "sum"):
            return value.items
        if isinstance(value, Series) and name == "dict" and any(tracked_in((value,))):
            return (self._of_pairs(value, node),)
        return ()

    def _finds(self, value: Tracked) -> bool:
        """Return whether the value is the list of pairs that an expression found."""
        return self._state.forest.nodes[value.node].operation.name.endswith(".findall")

    def _of_pairs(self, pairs: Series, node: ast.Call) -> Keyed:
        """Return the dictionary of ``dict(line.split(":", 1) for line in lines)``."""
        sides: list[list[Value]] = [[], []]
        for pair in pairs.items:
            for index, side in enumerate(sides):
                if isinstance(pair, Tracked):
                    side.append(self._evaluator.use(pair, "unpack", node, (index, 2)))
                elif isinstance(pair, Series):
                    side.extend(self._items.one_of(pair, "unpack", (index, 2), node))
                elif isinstance(pair, FixedItems) and len(pair.items) == 2:
                    side.extend(pair.items[index])
        names, values = (join(tuple(side)) for side in sides)
        return Keyed((), values, names)

    def _mapped(self, name: str, node: ast.Call, given: CallArguments) -> Values:
        """Return the items of ``map`` and ``filter``."""
        items = self._items.iterate(given.arguments[1], node.args[1])
        if name == "filter":
            return (Series(items),) if items else ()
        func = node.args[0]
        results: list[Value] = []
        written = ast.unparse(func) if isinstance(func, ast.Attribute) else ""
        for item in items:
            if isinstance(item, Tracked) and written.startswith("str."):
                results.append(self._evaluator.use(item, written.removeprefix("str"), node))
                continue
            for callee in given.arguments[0]:
                if isinstance(callee, AppFunction):
                    results.extend(self._handed(callee, ((item,),), node))
                elif isinstance(callee, External) and isinstance(item, Tracked):
                    short = callee.path.removeprefix("builtins.")
                    results.append(self._evaluator.use(item, short, node))
        return (Series(join(tuple(results)), nodes_of(items)),) if results else ()

    def reduced(self, node: ast.Call, given: CallArguments) -> Values:
        """Evaluate ``functools.reduce``: the function gets what it returned last, and the next
        item."""
        items = self._items.iterate(given.arguments[1], node.args[1])
        last: Values = given.arguments[2] if len(given.arguments) > 2 else items
        results = [last]
        for item in items:
            for callee in given.arguments[0]:
                if isinstance(callee, AppFunction):
                    results.append(self._handed(callee, (last, (item,)), node))
        return join(*results)

    def _handed(self, callee: AppFunction, arguments: Sequence[Values], node: ast.Call) -> Values:
        """Return what a function of the application returns that something else calls."""
        function = self._state.functions[callee.key]
        names = [p.arg for p in function.parameters][1 if callee.receiver else 0 :]
        if len(names) < len(arguments):
            return ()
        bound = list(zip(names, arguments, strict=False))
        if callee.receiver:
            bound.append((function.parameters[0].arg, callee.receiver))
        return self._calls.call_function(function, tuple(sorted(bound)), node, callee)


def calculated(
    evaluator: Evaluator, node: ast.expr, operator: ast.operator, left: Values, right: Values
) -> Values:
    """Evaluate ``a - 1``, ``2 / a``: what only a number can be part of. A text can be repeated, and
    is what ``%`` fills."""
    numbers = [evaluator.constant(values) for values in (left, right)]
    known = any(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers)
    if not known or isinstance(operator, ast.Mult | ast.Mod):
        return ()
    tracked = (v for v in (*left, *right) if isinstance(v, Tracked) and not v.piece)
    return join(tuple(evaluator.use(value, "arithmetic", node) for value in tracked))


def folded(operator: ast.operator, left: Values, right: Values) -> Values:
    """Return the constant that ``+``, ``-`` or ``*`` makes of two."""
    if len(left) != 1 or len(right) != 1:
        return ()
    if not isinstance(left[0], Constant) or not isinstance(right[0], Constant):
        return ()
    a, b = left[0].value, right[0].value
    if isinstance(a, str):
        return _folded_text(operator, a, b)
    if isinstance(a, bool | bytes | None) or isinstance(b, bool | str | bytes | None):
        return ()
    if isinstance(operator, ast.Add):
        return (Constant(a + b),)
    if isinstance(operator, ast.Sub):
        return (Constant(a - b),)
    return (Constant(a * b),) if isinstance(operator, ast.Mult) else ()


def _folded_text(operator: ast.operator, text: str, other: object) -> Values:
    """Return the text that ``+`` or ``*`` makes of a constant text."""
    if isinstance(operator, ast.Add) and isinstance(other, str):
        return (Constant(text + other),)
    if isinstance(operator, ast.Mult) and isinstance(other, int) and not isinstance(other, bool):
        return (Constant(text * other),) if 0 <= other <= _MAX_TIMES else ()
    return ()
