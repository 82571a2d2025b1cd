"""The evaluation of one function for one set of arguments: its statements, one after another.

One method for each kind of statement, named after its class in ``ast``. The expressions in them are
evaluated by ``expressions.py``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from knitbone.adaptation.analysis.evaluator import RunFunction
from knitbone.adaptation.analysis.expressions import ExpressionEvaluator
from knitbone.adaptation.analysis.operation_trees import Trial
from knitbone.adaptation.analysis.program import Function, FunctionNode
from knitbone.adaptation.analysis.state import AnalysisState
from knitbone.adaptation.analysis.values import (
    AppClass,
    AppFunction,
    AppInstance,
    Awaitable,
    Bindings,
    FixedItems,
    Keyed,
    Series,
    Tracked,
    Value,
    Values,
    beyond_written,
    join,
)
from knitbone.adaptation.analysis.variables import Variables

__all__ = ["Frame"]

_MAX_NESTED_TWICE = 3
"""Loops inside one another whose body is evaluated twice (ours)."""
_NUMBER_NAMES = re.compile(r"(?:^|_)(?:id|no|num|number|nr|index|idx|rank|position|priority)$")
"""Names that say that a value is a number (ours)."""


class Frame:
    """The variables and results of one evaluation of a function."""

    def __init__(
        self,
        state: AnalysisState,
        run: RunFunction,
        function: Function,
        bindings: Bindings,
        closure: int,
    ) -> None:
        self.state = state
        self.function = function
        self.outer = closure
        self.environment = Variables()
        self.returned: list[Values] = []
        self.yielded: list[Values] = []
        self.trials: frozenset[Trial] = frozenset()
        self._loops = 0
        self._outside = _names_outside(function.node)
        self.inner = state.closure_of(function, bindings)
        self.evaluator = ExpressionEvaluator(state, run, function, self)
        self._bind_parameters(dict(bindings))

    def result(self) -> Values:
        """Return what a call of the function gives."""
        if self.yielded:
            return (Series(join(*self.yielded)),)
        values = join(*self.returned)
        node = self.function.node
        if not values and node is not None and node.returns is not None:
            values = self.evaluator.annotation(node.returns)
        return (Awaitable(values),) if self.function.is_async else values

    def _bind_parameters(self, bindings: dict[str, Values]) -> None:
        """Bind arguments, defaults and annotated types to the parameters."""
        node = self.function.node
        if node is None:
            return
        for parameter in self.function.parameters:
            bound = bindings.get(parameter.arg, ())
            if not bound and parameter.annotation is not None:
                bound = self.evaluator.annotation(parameter.annotation)
            self.environment[parameter.arg] = bound
        for rest in (node.args.vararg, node.args.kwarg):
            if rest is not None:
                self.environment[rest.arg] = bindings.get(rest.arg, ())
        positional = [*node.args.posonlyargs, *node.args.args]
        defaults = zip(reversed(positional), reversed(node.args.defaults), strict=False)
        keywords = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        for parameter, default in (*defaults, *keywords):
            if default is not None and not bindings.get(parameter.arg):
                known = self.environment[parameter.arg]
                self.environment[parameter.arg] = join(known, self.evaluator.values(default))
        owner = self.function.owner
        names = self.function.decorator_names
        if owner is not None and positional and "staticmethod" not in names:
            receiver: Value = (
                AppClass(owner.key) if "classmethod" in names else AppInstance(owner.key)
            )
            name = positional[0].arg
            self.environment[name] = bindings.get(name) or (receiver,)

    def block(self, body: Iterable[ast.stmt]) -> None:
        """Evaluate statements in order."""
        for statement in body:
            self.statement(statement)
        self.environment.publish(self.state.closures[self.inner])

    def statement(self, node: ast.stmt) -> None:
        """Evaluate one statement; one that is nested too deeply is skipped."""
        self.state.budget.spend()
        method = getattr(self, f"_{type(node).__name__.lower()}", self._other)
        try:
            method(node)
        except RecursionError:
            self.state.complete = False

    def _functiondef(self, node: FunctionNode) -> None:
        own = self.function.local_functions.get(node.name)
        if self.function.node is None:
            own = self.function.module.functions.get(node.name)
        self._decorate(node, () if own is None else (AppFunction(own.key, raw=True),))
        local = self.function.local_functions.get(node.name)
        if local is not None:
            self.environment[node.name] = (AppFunction(local.key, closure=self.inner),)
            self.state.functions[local.key] = local
            self.state.link(self.function, local.key)

    _asyncfunctiondef = _functiondef

    def _decorate(self, node: FunctionNode | ast.ClassDef, decorated: Values) -> None:
        """Evaluate decorators: those of the application may enter what they are given in a
        table."""
        for decorator in node.decorator_list:
            for value in self.evaluator.values(decorator):
                if decorated and isinstance(value, AppFunction):
                    self._give(value, decorated, ())

    def _give(
        self, callee: AppFunction, first: Values, keywords: tuple[tuple[str, Values], ...]
    ) -> None:
        """Evaluate a call of a function whose first argument nobody writes."""
        function = self.state.functions[callee.key]
        names = [parameter.arg for parameter in function.parameters]
        given = (callee.receiver, first) if callee.receiver else (first,)
        bound: dict[str, Values] = dict(zip(names, given, strict=False))
        bound |= {name: values for name, values in keywords if name in names}
        self.state.link(self.function, function.key)
        self.evaluator.run(function, tuple(sorted(bound.items())), callee.closure)

    def _classdef(self, node: ast.ClassDef) -> None:
        outer = "" if self.function.node is None else f"{self.function.qualname}.<locals>."
        klass = self.function.module.classes.get(f"{outer}{node.name}")
        made: Values = () if klass is None else (AppClass(klass.key),)
        if outer and made:
            self.environment[node.name] = made
        self._decorate(node, made)
        for above in self.state.shapes.parents(klass)[1:] if klass is not None else ():
            told = above.methods.get("__init_subclass__")
            if told is not None:
                self.state.functions[told.key] = told
                keywords = ((k.arg, self.evaluator.values(k.value)) for k in node.keywords if k.arg)
                self._give(AppFunction(told.key), made, tuple(keywords))
                break

    def _assign(self, node: ast.Assign) -> None:
        values = self.evaluator.outputs.ranked_list(self.evaluator.values(node.value), node.value)
        for target in node.targets:
            self.bind(target, values)

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            self.bind(node.target, self.evaluator.annotation(node.annotation))
            return
        values = self.evaluator.outputs.ranked_list(self.evaluator.values(node.value), node.value)
        shape = self.state.shapes.of_annotation(node.annotation, self.function.module)
        if shape.fields or shape.items is not None:
            values = tuple(
                self.evaluator.use(value, "annotate", node.value, (shape,))
                if isinstance(value, Tracked)
                else value
                for value in values
            )
        self.bind(node.target, values or self.evaluator.annotation(node.annotation))

    def _augassign(self, node: ast.AugAssign) -> None:
        known, values = self.evaluator.values(node.target), self.evaluator.values(node.value)
        if isinstance(node.op, ast.Add):
            added = self.evaluator.calls.operator(node, node.op, known, values)
            self.bind(node.target, join(added, known if not added else ()))
        if isinstance(node.op, ast.Add | ast.BitOr) and not values:
            more = tuple(each for value in known for each in beyond_written(value))
            self.bind(node.target, join(self.evaluator.values(node.target), more))

    def _return(self, node: ast.Return) -> None:
        if node.value is not None:
            values = self.evaluator.values(node.value)
            self.returned.append(
                self.evaluator.outputs.ranked_list(values, node.value, returned=True)
            )

    def _if(self, node: ast.If) -> None:
        missing = self.evaluator.tested(node.test)
        where = f"{self.function.module.path}:{node.lineno}"
        for number in missing:
            # ``if not m: m = re.search(...)``: what follows is tried where the first found nothing.
            self.state.forest.nodes[number].trials.add(Trial(where, 0))
        extra = (Trial(where, 1),) if missing else ()
        self._branches([(node.body, extra), (node.orelse, ())])

    def _while(self, node: ast.While) -> None:
        for _ in self._passes():
            self.evaluator.tested(node.test)
            self.evaluator.outputs.while_cut_site(node)
            self._branches([(node.body, ()), ([], ())])
        self.block(node.orelse)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        for _ in self._passes():
            iterated = self.evaluator.outputs.ranked_list(
                self.evaluator.values(node.iter), node.iter
            )
            self.bind(node.target, self.evaluator.items.iterate(iterated, node.iter))
            self.evaluator.chunks(node.target, node.iter, node.body)
            self._branches([(node.body, ()), ([], ())])
        self.block(node.orelse)

    _asyncfor = _for

    def _passes(self) -> Iterator[None]:
        """Repeat the body of a loop: what one iteration leaves, the next one may read. Once only
        where loops stand inside loops, for the time doubles with each."""
        self._loops += 1
        try:
            for _ in range(2 if self._loops <= _MAX_NESTED_TWICE else 1):
                yield
        finally:
            self._loops -= 1

    def _try(self, node: ast.Try) -> None:
        where = f"{self.function.module.path}:{node.lineno}"
        bodies: list[tuple[list[ast.stmt], tuple[Trial, ...]]] = [
            ([*node.body, *node.orelse], (Trial(where, 0),))
        ]
        bodies.extend(
            (handler.body, (Trial(where, order),))
            for order, handler in enumerate(node.handlers, start=1)
        )
        self._branches(bodies, chain=True)
        self.block(node.finalbody)

    _trystar = _try

    def _match(self, node: ast.Match) -> None:
        subject = self.evaluator.values(node.subject)
        constants: list[object] = []
        for case in node.cases:
            for inner in ast.walk(case.pattern):
                if isinstance(inner, ast.MatchValue) and isinstance(inner.value, ast.Constant):
                    constants.append(inner.value.value)
        if constants:
            for value in subject:
                if isinstance(value, Tracked):
                    self.evaluator.use(value, "in", node.subject, (tuple(constants),))
        self._branches([(case.body, ()) for case in node.cases] + [([], ())])

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            values = self.evaluator.values(item.context_expr)
            entered = self.evaluator.calls.awaited(values, item.context_expr)
            if item.optional_vars is not None:
                self.bind(item.optional_vars, entered)
        self.block(node.body)

    _asyncwith = _with

    def _expr(self, node: ast.Expr) -> None:
        self.evaluator.values(node.value)

    def _assert(self, node: ast.Assert) -> None:
        self.evaluator.tested(node.test)

    def _other(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluator.values(child)
            elif isinstance(child, ast.stmt):
                self.statement(child)
            else:  # whatever later grammars add
                self._other(child)

    def _branches(
        self, bodies: list[tuple[list[ast.stmt], tuple[Trial, ...]]], *, chain: bool = False
    ) -> None:
        """Evaluate branches of which one runs, each on the variables as they were before.
        ``chain``: each begins where the one before may have stopped, as exception handlers do."""
        started: dict[str, Values] = {}
        """Where a handler starts from: anywhere inside the ``try``."""
        ends: list[dict[str, Values]] = []
        outer = self.trials
        for body, extra in bodies:
            mark = self.environment.mark()
            self.environment.bind(started.items())
            self.trials = outer | frozenset(extra)
            self.block(body)
            changed = self.environment.take_back(mark)
            for name, values in changed.items() if chain else ():
                known = started.get(name) or self.environment.get(name, ())
                started[name] = values if known is values else join(known, values)
            if not (body and isinstance(body[-1], ast.Return | ast.Raise)):
                ends.append(changed)
        self.trials = outer
        self.environment.merge(ends or [started])

    def bind(self, target: ast.expr, values: Values) -> None:
        """Assign values to a target."""
        if isinstance(target, ast.Name):
            self.environment[target.id] = values
            if target.id in self._outside:
                self._assign_outside(target.id, values)
            if _NUMBER_NAMES.search(target.id):
                for value in values:
                    if isinstance(value, Tracked):
                        self.evaluator.use(value, "named", target, (target.id,))
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, values)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, values)
        elif isinstance(target, ast.Attribute):
            for receiver in self.evaluator.values(target.value):
                if isinstance(receiver, AppInstance | AppClass):
                    self.state.store(receiver, target.attr, values)
        elif isinstance(target, ast.Subscript):
            self._bind_item(target, values)

    def _bind_item(self, target: ast.Subscript, values: Values) -> None:
        """Assign values to an item: ``fields[name] = value``."""
        index = self.evaluator.values(target.slice)
        key = self.evaluator.constant(index)
        added: Value = (
            Keyed(((key, values),)) if isinstance(key, str) else Keyed((), values, names=index)
        )
        if values:
            self.put(target.value, added)

    def put(self, target: ast.expr, added: Value) -> None:
        """Put something into the list or dictionary that an expression gives."""
        known = self.evaluator.values(target)
        self.state.fill(known, (added,), self.inner)
        if isinstance(target, ast.Name):
            self.environment[target.id] = join(self.environment.get(target.id, ()), (added,))
        elif isinstance(target, ast.Attribute):
            self.bind(target, (added,))
        elif isinstance(target, ast.Subscript):
            self._bind_item(target, (added,))

    def _assign_outside(self, name: str, values: Values) -> None:
        """Keep what is assigned to a name of the module, or of a function around this one."""
        if self._outside[name]:
            self.state.assign(self.function.module.key, name, values)
        elif self.outer >= 0:
            self.state.assign(self.outer, name, values)

    def _unpack(self, target: ast.Tuple | ast.List, values: Values) -> None:
        """Assign values to several targets: ``a, b = value``."""
        count = len(target.elts)
        rest = any(isinstance(element, ast.Starred) for element in target.elts)
        for index, element in enumerate(target.elts):
            picked: list[Value] = []
            for value in values:
                if isinstance(value, FixedItems) and len(value.items) == count:
                    picked.extend(value.items[index])
                elif isinstance(value, Series):
                    place = (index, None if rest else count)
                    picked.extend(self.evaluator.items.one_of(value, "unpack", place, target))
                elif isinstance(value, Tracked):
                    place = (index, None if rest else count)
                    picked.append(self.evaluator.use(value, "unpack", target, place))
                else:
                    picked.extend(self.evaluator.items.item(value, index, target))
            self.bind(element, join(tuple(picked)))


def _names_outside(node: FunctionNode | None) -> dict[str, bool]:
    """Return the names that a function declares as ``global`` (true) or ``nonlocal``."""
    found: dict[str, bool] = {}
    pending: list[ast.AST] = [] if node is None else list(node.body)
    while pending:
        each = pending.pop()
        if isinstance(each, ast.Global | ast.Nonlocal):
            found.update(dict.fromkeys(each.names, isinstance(each, ast.Global)))
        elif isinstance(each, ast.stmt) and not isinstance(each, FunctionNode | ast.ClassDef):
            pending.extend(ast.iter_child_nodes(each))
    return found
