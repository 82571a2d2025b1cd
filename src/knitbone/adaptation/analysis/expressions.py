"""Values of expressions (names, f-strings, containers, ...): the ``Evaluator`` of a function.

One method for each kind of expression, named after its class in ``ast``. Calls, attributes, items
and comparisons are evaluated in modules of their own.
"""

from __future__ import annotations

import ast
import builtins
from typing import Any

from knitbone.adaptation.analysis.arguments import (
    as_argument,
    as_choice,
    constant_texts,
    plain_text,
    spelled_out,
)
from knitbone.adaptation.analysis.attributes import AttributeLookup
from knitbone.adaptation.analysis.calls import CallEvaluator
from knitbone.adaptation.analysis.evaluator import EvaluationScope, Evaluator, RunFunction
from knitbone.adaptation.analysis.items import Items
from knitbone.adaptation.analysis.operation_trees import Trial
from knitbone.adaptation.analysis.output_sites import OutputSites
from knitbone.adaptation.analysis.program import Function, Module, Target
from knitbone.adaptation.analysis.state import AnalysisState
from knitbone.adaptation.analysis.values import (
    AppClass,
    AppFunction,
    AppModule,
    ComposedText,
    Constant,
    External,
    FixedItems,
    Keyed,
    Place,
    Series,
    Settings,
    Tracked,
    Value,
    Values,
    beyond_written,
    drop_vague_instances,
    join,
    nodes_of,
    tracked_in,
)
from knitbone.adaptation.analysis.variables import Variables
from knitbone.adaptation.requirements import Evidence
from knitbone.adaptation.requirements.uses import Computed, Operation

__all__ = ["ExpressionEvaluator", "compare"]


# Comparisons of outputs with constants: what the code accepts.
#
# ``answer == "yes"`` records the operation ``eq`` with ``"yes"`` on the output.

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def compare(evaluator: Evaluator, node: ast.Compare) -> None:
    """Record the comparisons of ``a < b < c``: each output is compared with its neighbours."""
    left_node = node.left
    for operator, right_node in zip(node.ops, node.comparators, strict=True):
        _compare_pair(evaluator, node, operator, left_node, right_node)
        left_node = right_node


def _compare_pair(
    evaluator: Evaluator,
    node: ast.Compare,
    operator: ast.cmpop,
    left_node: ast.expr,
    right_node: ast.expr,
) -> None:
    """Record one comparison, from either side."""
    left, right = evaluator.values(left_node), evaluator.values(right_node)
    name = _COMPARISONS.get(type(operator))
    argument = as_argument(evaluator, right, right_node)
    for value in (v for v in left if isinstance(v, Tracked)):
        if name:
            _record_comparison(evaluator, value, name, constant_texts(right), argument, node)
        elif isinstance(operator, ast.In | ast.NotIn):
            evaluator.use(value, "in", node, (argument,))
        elif isinstance(operator, ast.Is | ast.IsNot) and argument is None:
            evaluator.use(value, "is_none", node)
        elif isinstance(operator, ast.Is | ast.IsNot) and isinstance(argument, bool):
            evaluator.use(value, "is", node, (argument,))
    for value in (v for v in right if isinstance(v, Tracked)):
        if name:
            mirrored = _MIRRORED.get(name, name)
            argument = as_argument(evaluator, left, left_node)
            _record_comparison(evaluator, value, mirrored, constant_texts(left), argument, node)
        elif isinstance(operator, ast.In | ast.NotIn):
            evaluator.use(value, "contains", node, (as_choice(evaluator, left, left_node),))


def _record_comparison(
    evaluator: Evaluator,
    value: Tracked,
    name: str,
    texts: tuple[str, ...],
    argument: Any,
    node: ast.expr,
) -> None:
    """Record a comparison; one with each of several texts in a loop asks if it is one of them."""
    if name == "eq" and len(texts) > 1:
        evaluator.use(value, "in", node, (texts,))
    else:
        evaluator.use(value, name, node, (argument,))


_BUILTINS = frozenset(dir(builtins))
_LINES = frozenset({".split", ".splitlines", "iterate"})
"""Operations behind which the code may pass over lines by their place."""
_MAX_EXPRESSION = 300


class ExpressionEvaluator:
    """Evaluates the expressions of one function (``evaluator.Evaluator``)."""

    def __init__(
        self, state: AnalysisState, run: RunFunction, function: Function, scope: EvaluationScope
    ) -> None:
        self.state = state
        self.run = run
        self.function = function
        self.module: Module = function.module
        self.scope = scope
        self.outputs = OutputSites(self)
        self.attributes = AttributeLookup(self, self.outputs)
        self.items = Items(self, self.outputs, self.attributes)
        self.calls = CallEvaluator(self, self.outputs, self.attributes, self.items)
        self._constants: set[int] = set()

    def values(self, node: ast.expr) -> Values:
        """Return everything that the expression may hold, as far as it is followed."""
        self.state.budget.spend()
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is not None:
            found: Values = method(node)
            return found
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.values(child)
        return ()

    # What the other modules of the analysis ask for.

    def place(self, node: ast.expr) -> Place:
        """Return the place of an expression."""
        return Place(
            self.function.key,
            node.lineno,
            node.col_offset,
            node.end_lineno or node.lineno,
            node.end_col_offset or node.col_offset,
        )

    def evidence(self, node: ast.expr) -> Evidence:
        """Return the expression as evidence."""
        written = self.module.text(node)
        if len(written) > _MAX_EXPRESSION:
            written = written[: _MAX_EXPRESSION - 3] + "..."
        line = node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            # In a chain over several lines, the line that names the method.
            line = node.func.end_lineno or line
        return Evidence(file=str(self.module.path), line=line, expression=written)

    def use(
        self,
        value: Tracked,
        name: str,
        node: ast.expr,
        arguments: tuple[Any, ...] = (),
        keywords: Settings = (),
        settings: Settings = (),
        position: str = "",
    ) -> Tracked:
        """Record that something is done with an output: a node of its tree."""
        if value.piece:
            return value  # a piece of a stream is not yet what the code reads
        around = self.state.surroundings(self.function)
        if name in _LINES and around.passing_over:
            settings = (*settings, ("passing_over", around.passing_over))
        number = self.state.forest.grow(
            value.node,
            Operation(name, arguments, keywords, settings, position),
            self.evidence(node),
            node.end_col_offset or 0,
            trials=self.scope.trials,
            on_violation=around.on_violation(name, node),
        )
        return Tracked(number)

    def constant(self, values: Values) -> Any:
        """Return the constant among the values, or ``Computed``."""
        if len(values) == 1 and isinstance(values[0], Constant):
            return values[0].value
        return Computed("")

    def tested(self, node: ast.expr) -> list[int]:
        """Evaluate a condition; return the outputs that are missing where it holds."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            values = self.values(node.operand)
            self._truth(values, node.operand)
            return [value.node for value in values if isinstance(value, Tracked)]
        if isinstance(node, ast.BoolOp):
            found = [number for part in node.values for number in self.tested(part)]
            return found if isinstance(node.op, ast.Or) or len(node.values) == 1 else found[:1]
        values = self.values(node)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is):
            right = node.comparators[0]
            if isinstance(right, ast.Constant) and right.value is None:
                left = self.values(node.left)
                return [value.node for value in left if isinstance(value, Tracked)]
        self._truth(values, node)
        return []

    def _truth(self, values: Values, node: ast.expr) -> None:
        """Record that the code branches on values."""
        for value in values:
            if isinstance(value, Tracked):
                self.use(value, "truth", node)

    def annotation(self, node: ast.expr) -> Values:
        """Return objects of the annotated class."""
        return self.attributes.of_annotation(node)

    def target_values(self, target: Target) -> Values:
        """Return the values of something that a name refers to."""
        if target.function is not None:
            function = target.function
            self.state.functions[function.key] = function
            self.state.link(self.function, function.key)
            return (AppFunction(function.key),)
        if target.klass is not None:
            for method in target.klass.methods.values():
                self.state.functions[method.key] = method
                self.state.link(self.function, method.key)
            return (AppClass(target.klass.key),)
        if target.module is not None:
            return (AppModule(str(target.module.path)),)
        if target.constant is not None:
            return self.constant_values(*target.constant)
        return (External(target.external),) if target.external else ()

    def constant_values(self, module: Module, node: ast.expr) -> Values:
        """Return the values of a module- or class-level expression, looked at from a function."""
        if id(node) in self._constants:
            return ()
        self._constants.add(id(node))
        try:
            evaluator = ExpressionEvaluator(self.state, self.run, module.top, _ConstantScope())
            evaluator._constants = self._constants
            values = evaluator.values(node)
        finally:
            self._constants.discard(id(node))
        if not module.is_growing(node):
            return values
        return join(values, tuple(more for value in values for more in beyond_written(value)))

    # One method for each kind of expression.

    def container_name(self, node: ast.expr) -> str:
        """Return a name for a list or dictionary that is made here and that others may fill."""
        made = f"{self.function.key}:{node.lineno}:{node.col_offset}"
        return made if self.function.node is None else f"{made}#{self.scope.inner}"

    def _name(self, node: ast.Name) -> Values:
        return self.state.opened(self._named(node))

    def _named(self, node: ast.Name) -> Values:
        if node.id in self.scope.environment:
            assigned = self.state.assigned(self.scope.inner, node.id)
            return join(self.scope.environment[node.id], assigned)
        closure = self.state.closures[self.scope.outer] if self.scope.outer >= 0 else {}
        if node.id in closure:
            return closure[node.id]
        outer = self.function.parent
        while outer is not None and outer.node is not None:
            enclosing = self.state.closures[self.state.closure_of(outer, ())]
            if node.id in enclosing:
                return enclosing[node.id]
            if node.id in outer.local_functions:
                return self.target_values(Target(function=outer.local_functions[node.id]))
            outer = outer.parent
        found = join(
            self.target_values(self.state.program.resolve(self.module, node.id)),
            self.state.assigned(self.module.key, node.id),
        )
        if not found and node.id in _BUILTINS and node.id not in self.module.functions:
            return (External(f"builtins.{node.id}"),)
        return found

    def _constant(self, node: ast.Constant) -> Values:
        if isinstance(node.value, str | int | float | bytes) or node.value is None:
            return (Constant(node.value),)
        return ()

    def _joinedstr(self, node: ast.JoinedStr) -> Values:
        pieces: list[str] = []
        choices: list[tuple[str, ...]] = []
        held: list[tuple[Tracked, int, ast.expr]] = []
        known = True
        for part in node.values:
            if isinstance(part, ast.Constant):
                pieces.append(str(part.value))
                choices.append((str(part.value),))
                continue
            if not isinstance(part, ast.FormattedValue):
                continue
            inner = self.values(part.value)
            held.extend((value, len(pieces), part.value) for value in tracked_in(inner))
            choices.append(constant_texts(inner))
            text = plain_text(inner)
            known = known and text is not None and "{" not in text
            pieces.append(f"{{{ast.unparse(part.value)}}}" if text is None else text)
        whole = "".join(pieces)
        found: list[Value] = []
        for value, index, _ in held:
            before, after = "".join(pieces[:index]), "".join(pieces[index + 1 :])
            found.append(self.use(value, "format", node, (before, after)))
        if known:
            return join((Constant(whole),), tuple(found))
        if texts := spelled_out(choices):
            return join(tuple(Constant(text) for text in texts), tuple(found))
        return join((ComposedText(whole, str(self.module.path), node.lineno),), tuple(found))

    def _attribute(self, node: ast.Attribute) -> Values:
        found: list[Value] = []
        for value in drop_vague_instances(self.values(node.value)):
            found.extend(self.attributes.attribute(value, node.attr, node))
        return self.state.opened(join(tuple(found)))

    def _subscript(self, node: ast.Subscript) -> Values:
        return self.items.subscript(node)

    def _compare(self, node: ast.Compare) -> Values:
        compare(self, node)
        return ()

    def _await(self, node: ast.Await) -> Values:
        return self.calls.awaited(self.values(node.value), node)

    def _namedexpr(self, node: ast.NamedExpr) -> Values:
        values = self.values(node.value)
        self.scope.bind(node.target, values)
        return values

    def _ifexp(self, node: ast.IfExp) -> Values:
        self.tested(node.test)
        return join(self.values(node.body), self.values(node.orelse))

    def _boolop(self, node: ast.BoolOp) -> Values:
        return join(*(self.values(value) for value in node.values))

    def _unaryop(self, node: ast.UnaryOp) -> Values:
        values = self.values(node.operand)
        constant = self.constant(values)
        if isinstance(node.op, ast.USub) and isinstance(constant, int | float):
            return (Constant(-constant),)
        if isinstance(node.op, ast.Not):
            self._truth(values, node.operand)
        return ()

    def _binop(self, node: ast.BinOp) -> Values:
        left, right = self.values(node.left), self.values(node.right)
        return self.calls.operator(node, node.op, left, right)

    def _display(self, node: ast.Tuple | ast.List | ast.Set) -> Values:
        items: list[Values] = []
        spread: list[Value] = []
        for item in node.elts:
            values = self.values(item)
            if isinstance(item, ast.Starred):
                spread.extend(values)
            items.append(values)
        if spread or len(items) > 64:
            held = join(tuple(spread), *items)
            return (Series(held),) if held else ()
        shared = not isinstance(node, ast.Tuple) and (not items or self.function.node is None)
        return (FixedItems(tuple(items), self.container_name(node) if shared else ""),)

    _tuple = _list = _set = _display

    def _dict(self, node: ast.Dict) -> Values:
        entries: list[tuple[Any, Values]] = []
        rest: list[Value] = []
        for key, item in zip(node.keys, node.values, strict=True):
            values = self.values(item)
            if key is None:
                for value in values:
                    if isinstance(value, Keyed):
                        entries.extend(value.entries)
                        rest.extend(value.rest)
                continue
            constant = self.constant(self.values(key))
            if isinstance(constant, str | int):
                entries.append((constant, values))
            else:
                rest.extend(values)
        shared = not node.keys or self.function.node is None
        made = self.container_name(node) if shared else ""
        return (Keyed(tuple(entries), join(tuple(rest)), made=made),)

    def _starred(self, node: ast.Starred) -> Values:
        return self.items.iterate(self.values(node.value), node.value)

    def _yield(self, node: ast.Yield) -> Values:
        values = self.values(node.value) if node.value is not None else ()
        self.scope.yielded.append(values)
        return ()

    def _yieldfrom(self, node: ast.YieldFrom) -> Values:
        self.scope.yielded.append(self.items.iterate(self.values(node.value), node.value))
        return ()

    def _lambda(self, node: ast.Lambda) -> Values:
        """Evaluate a lambda as a function whose body is one ``return``."""
        line, column = node.lineno, node.col_offset
        outer = "" if self.function.node is None else f"{self.function.qualname}.<locals>."
        key = f"{self.module.path}::{outer}<lambda>:{line}:{column}"
        known = self.state.functions.get(key)
        if known is None:
            body = ast.copy_location(ast.Return(node.body), node.body)
            synthetic = ast.FunctionDef("<lambda>", node.args, [body], [], None)
            ast.copy_location(synthetic, node)
            known = Function(self.module, synthetic, f"{outer}<lambda>:{line}:{column}", None)
            known.parent = self.function
            self.state.functions[known.key] = known
        self.scope.environment.publish(self.state.closures[self.scope.inner])
        self.state.link(self.function, known.key)
        self.run(known, (), self.scope.inner)
        return (AppFunction(known.key, closure=self.scope.inner),)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Values:
        generator = node.generators[0]
        self.chunks(generator.target, generator.iter, [ast.Expr(node.elt)], node)
        items, over = self._generate(node.generators, node.elt)
        return (Series(items, over),) if items else ()

    _listcomp = _setcomp = _generatorexp = _comprehension

    def _dictcomp(self, node: ast.DictComp) -> Values:
        pairs, _ = self._generate(node.generators, ast.Tuple([node.key, node.value], ast.Load()))
        items = [pair.items for pair in pairs if isinstance(pair, FixedItems)]
        names, values = (join(*(pair[place] for pair in items)) for place in (0, 1))
        return (Keyed((), values, names),) if values or names else ()

    def _generate(
        self, generators: list[ast.comprehension], element: ast.expr
    ) -> tuple[Values, tuple[int, ...]]:
        """Return the items, and where another list is iterated that has one for each of them."""
        mark = self.scope.environment.mark()
        over: tuple[int, ...] = ()
        for generator in generators:
            iterated = self.items.iterate(self.values(generator.iter), generator.iter)
            apart = generator.ifs or _skips_items(generator.iter)
            over = () if apart else nodes_of(iterated)
            self.scope.bind(generator.target, iterated)
            for condition in generator.ifs:
                self.tested(condition)
        items = self.values(element)
        self.scope.environment.take_back(mark)
        return items, over if len(generators) == 1 else ()

    def _call(self, node: ast.Call) -> Values:
        return self.calls.call(node)

    def chunks(
        self,
        target: ast.expr,
        iterated: ast.expr,
        body: list[ast.stmt],
        comprehension: ast.expr | None = None,
    ) -> None:
        """Recognise a loop of the application's own that cuts a text into pieces."""
        self.outputs.for_cut_site(target, iterated, body, comprehension)


class _ConstantScope:
    """The scope of a module-level expression that is looked at from a function."""

    def __init__(self) -> None:
        self.environment = Variables()
        self.yielded: list[Values] = []
        self.trials: frozenset[Trial] = frozenset()
        self.inner = 0
        self.outer = -1

    def bind(self, target: ast.expr, values: Values) -> None:
        if isinstance(target, ast.Name):
            self.environment[target.id] = values

    def put(self, target: ast.expr, added: Value) -> None:
        del target, added


def _skips_items(iterated: ast.expr) -> bool:
    """Return whether a loop goes over a part of a list, whose first item is another one there."""
    bounds = iterated.slice if isinstance(iterated, ast.Subscript) else None
    return isinstance(bounds, ast.Slice) and not (bounds.lower is None and bounds.step is None)
