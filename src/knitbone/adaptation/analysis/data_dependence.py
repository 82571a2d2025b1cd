"""Data dependence inside one function: on which names a value depends, and in what way.

A value may *be* a name's value (``RAW``), be chosen by a condition on it (``FILTERED``), or be
computed from its content (``CONTENT``). ``rankings.py`` decides by them if a list is ranked by a
text: ``sorted(docs, key=lambda d: cosine(d, query))`` depends on the content of ``query``.
``rows[column]`` and ``row.kind == kind`` say nothing of the content: a text that only names a
column or a category is no query. Names are joined over the whole function, whatever the order of
its statements; nothing is executed.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping

from knitbone.adaptation.analysis.program import FunctionNode

__all__ = ["CONTENT", "Dependence", "Levels", "own_nodes", "strongest_levels"]

RAW, FILTERED, CONTENT = 1, 2, 3
"""The levels of dependence, from the weakest to the strongest."""
Levels = dict[str, int]
"""Names with the strongest way in which something depends on them."""

_IDENTITY_CALLS = frozenset(
    {"strip", "lstrip", "rstrip", "copy", "str", "list", "tuple", "cast", "repr"}
)
"""Calls whose result is still the text, or the list, that they were given."""
_NAMING_CALLS = frozenset({"isinstance", "getattr", "itemgetter", "attrgetter", "print", "range"})
"""Calls that take a name, a number or a type."""
_COUNTING_CALLS = frozenset(
    {"len", "sum", "any", "all", "max", "min", "set", "Counter", "count", "mean"}
)
"""Calls whose result is computed from how many items passed a condition."""
_ADDING_CALLS = frozenset({"append", "appendleft", "add", "extend", "insert", "update", "heappush"})
_MAX_ROUNDS = 6
"""Passes over the statements; a chain of assignments in the wrong order takes one each (ours)."""
_MAX_DEPTH = 60
_MAX_NAMES = 100
"""Names that one variable is said to depend on, beside the parameters (ours)."""
_LOOPS = ast.For | ast.AsyncFor
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.GeneratorExp


def strongest_levels(several: Iterable[Mapping[str, int]]) -> Levels:
    """Return all names, each with its strongest level."""
    found: Levels = {}
    for levels in several:
        for name, level in levels.items():
            found[name] = max(level, found.get(name, 0))
    return found


def own_nodes(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Find the nodes of a function, without those of functions and classes inside it."""
    pending = list(body)[::-1]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, FunctionNode | ast.ClassDef):
            pending.extend(list(ast.iter_child_nodes(node))[::-1])


class Dependence:
    """The data dependence of the names and expressions of one function.

    Args:
        body: its statements.
        parameters: their names are where dependence begins.
        called: what a call of one of the application's own functions depends on, given what each
            argument depends on; ``None`` for other calls.
        outer: of the function around it.
    """

    def __init__(
        self,
        body: list[ast.stmt],
        parameters: Iterable[str],
        called: Callable[[ast.Call, Dependence], Levels | None],
        outer: Dependence | None = None,
    ) -> None:
        self._called = called
        self._outer = outer
        self._parameters = tuple(parameters)
        self._known: dict[str, Levels] = {name: {name: RAW} for name in self._parameters}
        self._depth = 0
        for _ in range(_MAX_ROUNDS):
            before = {name: dict(levels) for name, levels in self._known.items()}
            for statement in body:
                self._statement(statement, {})
            if before == self._known:
                break

    def of_name(self, name: str) -> Levels:
        """Return what a variable depends on; a name from outside depends on nothing."""
        if name in self._known:
            return self._known[name]
        return self._outer.of_name(name) if self._outer is not None else {}

    def of(self, node: ast.AST) -> Levels:
        """Return what the value of an expression depends on."""
        if self._depth > _MAX_DEPTH:
            return {}
        self._depth += 1
        try:
            method = getattr(self, f"_{type(node).__name__.lower()}", None)
            if method is not None:
                found: Levels = method(node)
                return found
            children = ast.iter_child_nodes(node)
            return strongest_levels(
                self.of(child) for child in children if isinstance(child, ast.expr)
            )
        finally:
            self._depth -= 1

    # Statements.

    def _statement(self, node: ast.stmt, control: Levels) -> None:
        """Note what a statement binds; ``control`` are the conditions around it."""
        if isinstance(node, FunctionNode | ast.ClassDef):
            return
        control = self._bound(node, control)
        for field in ("body", "orelse", "finalbody"):
            for inner in getattr(node, field, ()):
                self._statement(inner, control)
        for handler in getattr(node, "handlers", ()):
            for inner in handler.body:
                self._statement(inner, control)

    def _bound(self, node: ast.stmt, control: Levels) -> Levels:
        """Note what a statement binds; return the conditions on what stands inside it."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, self.of(node.value), control)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._assign(node.target, self.of(node.value), control)
        elif isinstance(node, ast.AugAssign):
            # ``if word in text: score += 1`` counts: the condition is what is computed.
            self._assign(
                node.target, strongest_levels((self.of(node.value), _counted(control))), {}
            )
        elif isinstance(node, ast.Expr):
            self._added(node.value, control)
        if isinstance(node, _LOOPS):
            entered = _computed_from(self.of(node.iter))
            self._assign(node.target, entered, {})
            control = strongest_levels((control, entered))
        elif isinstance(node, ast.If | ast.While):
            control = strongest_levels((control, self.of(node.test)))
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                if item.optional_vars is not None:
                    self._assign(item.optional_vars, self.of(item.context_expr), {})
        return control

    def _assign(self, target: ast.expr, levels: Levels, control: Levels) -> None:
        """Note an assignment to a target."""
        if isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self._assign(element, levels, control)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, levels, control)
        elif isinstance(target, ast.Name):
            self._learn(target.id, strongest_levels(({target.id: RAW}, levels, _chosen(control))))
        elif isinstance(target, ast.Subscript):
            # ``scores[name] = ...``: what is held depends on it.
            self._assign_inside(target.value, strongest_levels((levels, _chosen(control))))

    def _assign_inside(self, holder: ast.expr, levels: Levels) -> None:
        """Note an assignment to an item of a container."""
        if isinstance(holder, ast.Name):
            self._learn(holder.id, {n: max(level, FILTERED) for n, level in levels.items()})

    def _learn(self, name: str, levels: Levels) -> None:
        """Note that a variable depends on some names."""
        found = strongest_levels((self._known.get(name, {}), levels))
        if len(found) > _MAX_NAMES:
            # Each variable of a long chain depends on all before it: that would be quadratic.
            kept = dict(itertools.islice(found.items(), _MAX_NAMES))
            found = kept | {n: found[n] for n in self._parameters if n in found}
        self._known[name] = found

    def _added(self, node: ast.expr, control: Levels) -> None:
        """Note what ``scores.append(x)`` adds to a container."""
        if not isinstance(node, ast.Call) or not node.args:
            return
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        if name not in _ADDING_CALLS:
            return
        heap = name == "heappush"
        holder = node.args[0] if heap else getattr(node.func, "value", None)
        added = strongest_levels(map(self.of, node.args[1:] if heap else node.args))
        if isinstance(holder, ast.expr):
            self._assign_inside(holder, strongest_levels((added, _chosen(control))))

    # Expressions.

    def _name(self, node: ast.Name) -> Levels:
        return self.of_name(node.id)

    def _constant(self, _node: ast.Constant) -> Levels:
        return {}

    def _subscript(self, node: ast.Subscript) -> Levels:
        index = {n: level for n, level in self.of(node.slice).items() if level == CONTENT}
        return strongest_levels((self.of(node.value), index))

    def _compare(self, node: ast.Compare) -> Levels:
        levels = strongest_levels(map(self.of, (node.left, *node.comparators)))
        if any(isinstance(op, ast.In | ast.NotIn) for op in node.ops):
            return _computed_from(levels)
        return {n: level for n, level in levels.items() if level == CONTENT}

    def _binop(self, node: ast.BinOp) -> Levels:
        levels = strongest_levels((self.of(node.left), self.of(node.right)))
        sets = isinstance(node.op, ast.MatMult | ast.BitAnd | ast.BitOr)
        return _computed_from(levels) if sets else levels

    def _call(self, node: ast.Call) -> Levels:
        own = self._called(node, self)
        if own is not None:
            return own
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        receiver = self.of(node.func.value) if isinstance(node.func, ast.Attribute) else {}
        levels = strongest_levels((receiver, *map(self.of, given)))
        if name in _IDENTITY_CALLS:
            return levels
        if name == "get" and node.args:
            index = {n: level for n, level in self.of(node.args[0]).items() if level == CONTENT}
            return strongest_levels((receiver, index))
        if name in _NAMING_CALLS:
            return strongest_levels((receiver, self.of(node.args[0]) if node.args else {}))
        if name in ("sorted", "reversed", "enumerate", "zip", "islice", "filter", "map"):
            return levels
        return _counted(levels) if name in _COUNTING_CALLS else _computed_from(levels)

    def _lambda(self, node: ast.Lambda) -> Levels:
        # Its own parameters stand for what it is given, which the caller of ``of`` adds.
        return self.within(node.args, node.body)

    def within(self, arguments: ast.arguments, body: ast.expr) -> Levels:
        """Return what the body of a lambda depends on; its parameters hide the function's names."""
        hidden = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        kept = {name: self._known.pop(name) for name in hidden & self._known.keys()}
        for name in hidden:
            self._known[name] = {}
        try:
            return self.of(body)
        finally:
            for name in hidden:
                del self._known[name]
            self._known.update(kept)

    def _comprehended(self, node: ast.expr, generators: list[ast.comprehension]) -> Levels:
        """Return what the items of a comprehension depend on."""
        conditions: list[Levels] = []
        for generator in generators:
            self._assign(generator.target, _computed_from(self.of(generator.iter)), {})
            conditions += map(self.of, generator.ifs)
        sources = [self.of(generator.iter) for generator in generators]
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]
        held = strongest_levels(self.of(part) for part in parts)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        return strongest_levels((held, *sources, _chosen(strongest_levels(conditions))))

    def _listcomp(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Levels:
        return self._comprehended(node, node.generators)

    _setcomp = _generatorexp = _listcomp

    def _dictcomp(self, node: ast.DictComp) -> Levels:
        return self._comprehended(node, node.generators)


def _computed_from(levels: Levels) -> Levels:
    """Return the levels of a value that is computed from its arguments."""
    return {name: level if level == FILTERED else CONTENT for name, level in levels.items()}


def _counted(levels: Levels) -> Levels:
    """Return the levels of a count: it is computed from what was counted."""
    return dict.fromkeys(levels, CONTENT)


def _chosen(control: Levels) -> Levels:
    """Return the levels of a choice: a condition on the content of something does not rank yet."""
    return {name: FILTERED for name, level in control.items() if level >= FILTERED}
