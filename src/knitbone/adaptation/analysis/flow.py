"""Follow answers from where they are produced to the code that consumes them (Comfrey §4.2).

An abstract interpretation of the application's functions: each is run once for each kind of
argument it receives, on the values of ``values.py``. An answer *becomes available* at the
expression that extracts it from a response, or at the call of a function that returns one; that
expression is the site, and whatever consumes the answer from there is the site's requirement.
Branches are joined; loops run twice; nothing is executed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from knitbone.adaptation.analysis.expressions import Evaluator
from knitbone.adaptation.analysis.program import Function, FunctionNode, Program
from knitbone.adaptation.analysis.values import (
    AppClass,
    AppFunction,
    AppInstance,
    Awaitable,
    Held,
    Lines,
    Origin,
    Place,
    Series,
    Several,
    Value,
    Values,
    iterate,
    join,
)
from knitbone.adaptation.requirements import Requirement
from knitbone.adaptation.requirements.records import Confidence

__all__ = ["Draft", "Flow"]

_MAX_FRAMES = 20_000
"""Evaluations of functions, beyond two for each, before the analysis stops following calls
(ours)."""
_MAX_DEPTH = 24

Bindings = tuple[tuple[str, Values], ...]


class Draft:
    """A site in the making."""

    def __init__(self, place: Place, origin: Origin, confidence: Confidence) -> None:
        self.place = place
        self.origin = origin
        self.confidence: Confidence = confidence
        self.requirements: list[Requirement] = []

    def add(self, requirement: Requirement) -> None:
        known = {
            (r.evidence.file, r.evidence.line, r.evidence.expression) for r in self.requirements
        }
        evidence = requirement.evidence
        if (evidence.file, evidence.line, evidence.expression) not in known:
            self.requirements.append(requirement)


class Flow:
    """The state of one analysis."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.drafts: dict[Place, Draft] = {}
        self.edges: dict[str, set[str]] = {}
        self.attributes: dict[tuple[str, str], Values] = {}
        self.closures: dict[str, dict[str, Values]] = {}
        self.functions: dict[str, Function] = {}
        self.complete = True
        self.origins: set[Origin] = set()
        """Every call that produces an answer, read or not."""
        self._memo: dict[tuple[str, Bindings], Values] = {}
        self._stack: list[str] = []
        self._frames = 0
        self._known = 0

    def run(self) -> None:
        """Evaluate every function twice: what one stores on ``self`` another may read."""
        for _ in range(2):
            self.drafts.clear()
            self._memo.clear()
            self._frames = 0
            self.complete = True
            done: set[str] = set()
            # Names may lead to further modules, whose functions are then evaluated as well.
            while pending := [f for f in self.program.functions() if f.key not in done]:
                self._known = len(done) + len(pending)
                for function in pending:
                    done.add(function.key)
                    self.call(function, ())

    def call(self, function: Function, bindings: Bindings) -> Values:
        """What the function returns for these arguments."""
        self.functions[function.key] = function
        key = (function.key, bindings)
        if key in self._memo:
            return self._memo[key]
        if self._stack.count(function.key) > 1 or len(self._stack) > _MAX_DEPTH:
            return ()
        self._frames += 1
        if self._frames > _MAX_FRAMES + 2 * self._known:
            self.complete = False
            return ()
        self._memo[key] = ()
        self._stack.append(function.key)
        try:
            frame = _Frame(self, function, dict(bindings))
            frame.block(function.body)
        finally:
            self._stack.pop()
        result = frame.result()
        self._memo[key] = result
        return result

    def draft(self, held: Held) -> Draft:
        """The site where an answer became available."""
        if held.place not in self.drafts:
            self.drafts[held.place] = Draft(held.place, held.origin, held.confidence)
        return self.drafts[held.place]

    def link(self, caller: Function, callee: str) -> None:
        self.edges.setdefault(caller.key, set()).add(callee)

    def store(self, owner: str, name: str, values: Values) -> None:
        known = self.attributes.get((owner, name), ())
        self.attributes[owner, name] = join(known, values)

    def reachable(self, entry: str) -> set[str]:
        """Keys of all functions that the entry function may lead to, itself included."""
        found, pending = {entry}, [entry]
        while pending:
            for callee in self.edges.get(pending.pop(), ()):
                if callee not in found:
                    found.add(callee)
                    pending.append(callee)
        return found


class _Frame:
    """One evaluation of one function: statements here, expressions in ``Evaluator``."""

    def __init__(self, flow: Flow, function: Function, bindings: dict[str, Values]) -> None:
        self.flow = flow
        self.function = function
        self.environment: dict[str, Values] = {}
        self.returned: list[Values] = []
        self.yielded: list[Values] = []
        self.evaluator = Evaluator(flow, function, self)
        self._bind_parameters(bindings)

    def result(self) -> Values:
        if self.yielded:
            return (Series(join(*self.yielded)),)
        values = join(*self.returned)
        if self.function.is_async:
            return (Awaitable(values),)
        return values

    def _bind_parameters(self, bindings: dict[str, Values]) -> None:
        node = self.function.node
        if node is None:
            return
        for parameter in self.function.parameters:
            bound = bindings.get(parameter.arg, ())
            if not bound and parameter.annotation is not None:
                bound = self.evaluator.annotation(parameter.annotation)
            self.environment[parameter.arg] = bound
        positional = [*node.args.posonlyargs, *node.args.args]
        defaults = zip(reversed(positional), reversed(node.args.defaults), strict=False)
        keywords = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        for parameter, default in (*defaults, *keywords):
            if default is not None and not bindings.get(parameter.arg):
                known = self.environment[parameter.arg]
                self.environment[parameter.arg] = join(known, self.evaluator.values(default))
        owner = self.function.owner
        if owner is not None and positional and "staticmethod" not in self._decorator_names():
            key = f"{owner.module.path}::{owner.qualname}"
            is_class = "classmethod" in self._decorator_names()
            receiver: Value = AppClass(key) if is_class else AppInstance(key)
            name = positional[0].arg
            self.environment[name] = bindings.get(name) or (receiver,)

    def _decorator_names(self) -> set[str]:
        return {d.id for d in self.function.decorators if isinstance(d, ast.Name)}

    def block(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, FunctionNode | ast.ClassDef):
            self._definition(node)
        elif isinstance(node, ast.Assign):
            values = self.evaluator.values(node.value)
            for target in node.targets:
                self.bind(target, values)
        elif isinstance(node, ast.AnnAssign):
            values = self.evaluator.values(node.value) if node.value else ()
            self.bind(node.target, values or self.evaluator.annotation(node.annotation))
        elif isinstance(node, ast.AugAssign):
            values = self.evaluator.values(node.value)
            known = self.evaluator.values(node.target)
            kept = tuple(v for v in join(known, values) if isinstance(v, Series | Lines))
            self.bind(node.target, kept)
        elif isinstance(node, ast.Return):
            if node.value is not None:
                self.returned.append(self.evaluator.values(node.value))
        elif isinstance(node, ast.If | ast.While | ast.For | ast.AsyncFor | ast.Try | ast.Match):
            self._branching(node)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                values = self.evaluator.values(item.context_expr)
                if item.optional_vars is not None:
                    self.bind(item.optional_vars, values)
            self.block(node.body)
        else:
            self._other(node)

    def _other(self, node: ast.stmt) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.evaluator.values(child)
            elif isinstance(child, ast.stmt):
                self.statement(child)
            else:  # except* handlers and whatever later grammars add
                for inner in ast.iter_child_nodes(child):
                    if isinstance(inner, ast.stmt):
                        self.statement(inner)

    def _definition(self, node: FunctionNode | ast.ClassDef) -> None:
        for decorator in node.decorator_list:
            self.evaluator.values(decorator)
        if isinstance(node, ast.ClassDef):
            return
        local = self.function.local_functions.get(node.name)
        if local is not None:
            self.environment[node.name] = (AppFunction(local.key),)
            self.flow.functions[local.key] = local
            self.flow.closures[local.key] = self.environment
            self.flow.link(self.function, local.key)

    def _branching(self, node: ast.stmt) -> None:
        if isinstance(node, ast.If):
            self.evaluator.values(node.test)
            self._branches([node.body, node.orelse])
        elif isinstance(node, ast.While):
            self.evaluator.values(node.test)
            self._branches([node.body, []])
            self.evaluator.values(node.test)
            self._branches([node.body, node.orelse])
        elif isinstance(node, ast.For | ast.AsyncFor):
            for _ in range(2):
                self.bind(node.target, iterate(self.evaluator.values(node.iter)))
                self._branches([node.body, []])
            self.block(node.orelse)
        elif isinstance(node, ast.Try):
            self._branches(
                [[*node.body, *node.orelse], *(h.body for h in node.handlers)], chain=True
            )
            self.block(node.finalbody)
        elif isinstance(node, ast.Match):
            self.evaluator.values(node.subject)
            self._branches([case.body for case in node.cases] + [[]])

    def _branches(self, bodies: list[list[ast.stmt]], *, chain: bool = False) -> None:
        before = dict(self.environment)
        merged: dict[str, Values] = {}
        for body in bodies:
            self._replace(dict(before))
            self.block(body)
            if chain:  # a handler starts from anywhere inside the ``try``
                before = {n: join(before.get(n, ()), v) for n, v in self.environment.items()}
            if body and isinstance(body[-1], ast.Return | ast.Raise):
                continue
            for name, values in self.environment.items():
                merged[name] = join(merged.get(name, ()), values)
        self._replace(merged or before)

    def _replace(self, environment: dict[str, Values]) -> None:
        # In place: closures hold on to the same dictionary.
        self.environment.clear()
        self.environment.update(environment)

    def bind(self, target: ast.expr, values: Values) -> None:
        """Assign values to a target."""
        if isinstance(target, ast.Name):
            self.environment[target.id] = values
        elif isinstance(target, ast.Tuple | ast.List):
            self._unpack(target.elts, values)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, values)
        elif isinstance(target, ast.Attribute):
            for receiver in self.evaluator.values(target.value):
                if isinstance(receiver, AppInstance | AppClass):
                    self.flow.store(receiver.key, target.attr, values)
        elif isinstance(target, ast.Subscript):
            self.evaluator.values(target.slice)
            if isinstance(target.value, ast.Name):
                known = self.environment.get(target.value.id, ())
                self.environment[target.value.id] = join(known, (Series(values),) if values else ())

    def _unpack(self, targets: list[ast.expr], values: Values) -> None:
        for index, target in enumerate(targets):
            picked: list[Value] = []
            for value in values:
                if isinstance(value, Several) and len(value.items) == len(targets):
                    picked.extend(value.items[index])
                elif isinstance(value, Series):
                    picked.extend(value.items)
            self.bind(target, join(tuple(picked)))
