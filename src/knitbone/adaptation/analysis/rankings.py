"""Lists that the application itself ranks by a text: its own retrievers (Comfrey §4.3.3).

BM25 by hand, cosines with numpy, a full text search of SQLite: what they share is that the order of
a list is computed from the content of a text and of the items. That is read from the code
(``list_orders.py``, ``data_dependence.py``): the key of a sort, the scores of an ``argsort``, the
parameters of a ``MATCH``. A sort by a column that a text only names is none, nor is a filter. Which
of the names that the order depends on holds the text is known when the program runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from knitbone.adaptation.analysis.data_dependence import (
    Dependence,
    Levels,
    own_nodes,
    strongest_levels,
)
from knitbone.adaptation.analysis.list_orders import ListOrders, names_in
from knitbone.adaptation.analysis.program import Function, Program

__all__ = ["Queries", "Rankings"]


class Queries(NamedTuple):
    """Names of one function, of which one may hold the text that a list is ranked by."""

    parameters: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    """The same as local variables, in the order of their assignment."""

    def __bool__(self) -> bool:
        return bool(self.parameters or self.variables)


class Rankings:
    """Finds the lists that the functions of a program rank by a text."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._orders: dict[str, ListOrders | None] = {}
        self._returns: dict[str, Levels | None] = {}
        self._gives: dict[str, bool] = {}

    def queries_of(self, function: Function, node: ast.expr) -> Queries:
        """Return what a list of entries is ranked by; nothing where it is not ranked by a text, or
        holds the places of the entries only."""
        orders = self._orders_of(function)
        if orders is None or not (found := orders.of(node)) or orders.is_of_places(node):
            return Queries()
        return self._queries(function, found, node)

    def returns_ranked_list(self, function: Function) -> bool:
        """Return whether a function returns a list that it ranks."""
        orders = self._orders_of(function)
        if orders is None:
            return False
        if function.key not in self._gives:
            self._gives[function.key] = any(
                isinstance(node, ast.Return)
                and node.value is not None
                and self.queries_of(function, node.value)
                for node in orders.nodes
            )
        return self._gives[function.key]

    def queries_behind_call(
        self, function: Function, node: ast.expr, callee: Function, of: Queries
    ) -> Queries:
        """Return the names of ``function`` behind the queries of a function that it calls at
        ``node``."""
        orders = self._orders_of(function)
        if orders is None:
            return Queries()
        call = node.value if isinstance(node, ast.Await) else node
        if not isinstance(call, ast.Call) or self._callee(function, call) is not callee:
            return self._queries(function, orders.dependence.of(node), node)
        within = self._orders_of(callee)
        wanted = {*of.parameters}
        for name in of.variables if within is not None else ():
            wanted.update(within.dependence.of_name(name))  # pyright: ignore[reportOptionalMemberAccess]
        given = _given(callee, call)
        levels = strongest_levels(
            orders.dependence.of(given[name]) for name in wanted if name in given
        )
        return self._queries(function, levels, node)

    def is_joined(self, function: Function, node: ast.expr) -> bool:
        """Return whether an iterator is made for a ``join`` that takes all of it at once."""
        orders = self._orders_of(function)
        return orders is not None and id(node) in orders.joined

    def _queries(self, function: Function, levels: Iterable[str], node: ast.expr) -> Queries:
        """Return those of the names that are bound at ``node`` whatever way led there."""
        names = set(levels)
        parameters = [p.arg for p in function.parameters if p.arg not in ("self", "cls")]
        bound = [n for n in _assigned_before(function, node) if n not in parameters]
        return Queries(
            tuple(name for name in parameters if name in names),
            tuple(name for name in dict.fromkeys(bound) if name in names),
        )

    def _orders_of(self, function: Function) -> ListOrders | None:
        """Return the orders of a function's lists; ``None`` while they are being read, as for a
        function that leads to itself."""
        if function.key not in self._orders:
            self._orders[function.key] = None
            names = [p.arg for p in function.parameters if p.arg not in ("self", "cls")]

            def called(call: ast.Call, dependence: Dependence) -> Levels | None:
                return self._called(function, call, dependence)

            around = function.parent if function.parent and function.parent.node else None
            outer = self._orders_of(around) if around is not None else None
            dependence = Dependence(
                function.body, names, called, outer.dependence if outer else None
            )
            self._orders[function.key] = ListOrders(function, dependence, self._inner)
        return self._orders[function.key]

    def _inner(self, function: Function, name: str) -> Levels:
        """Return what a function inside another one computes, by the other's names."""
        inner = function.local_functions.get(name)
        orders = self._orders_of(inner) if inner is not None else None
        return orders.returned() if orders is not None else {}

    def _called(self, function: Function, call: ast.Call, known: Dependence) -> Levels | None:
        """Return what the result of a call depends on; ``None`` where the function is not known."""
        callee = self._callee(function, call)
        if callee is None:
            return None
        if callee.key not in self._returns:
            self._returns[callee.key] = None
            orders = self._orders_of(callee)
            self._returns[callee.key] = orders.returned() if orders is not None else None
        levels = self._returns[callee.key]
        if levels is None:
            return None
        given = _given(callee, call)
        found: list[Levels] = []
        for name, level in levels.items():
            if name in given:
                here = known.of(given[name])
                found.append({n: max(level, own) for n, own in here.items()})
        return strongest_levels(found)

    def _callee(self, function: Function, call: ast.Call) -> Function | None:
        """Return the function of the application that a call runs, where there is only one."""
        func = call.func
        if isinstance(func, ast.Name):
            around: Function | None = function
            while around is not None:
                if func.id in around.local_functions:
                    return around.local_functions[func.id]
                around = around.parent
            return self._program.resolve(function.module, func.id).function
        if not isinstance(func, ast.Attribute):
            return None
        if isinstance(func.value, ast.Name) and func.value.id in ("self", "cls"):
            owner = function.owner
            if owner is not None and func.attr in owner.methods:
                return owner.methods[func.attr]
        named = self._program.methods_named(func.attr)
        return named[0] if len(named) == 1 and not hasattr(str, func.attr) else None


def _given(callee: Function, call: ast.Call) -> dict[str, ast.expr]:
    """Return the arguments of a call by the names of the parameters."""
    names = [parameter.arg for parameter in callee.parameters]
    if names[:1] in (["self"], ["cls"]):
        names = names[1:]
    given: dict[str, ast.expr] = {}
    for name, argument in zip(names, call.args, strict=False):
        if isinstance(argument, ast.Starred):
            break
        given[name] = argument
    return given | {k.arg: k.value for k in call.keywords if k.arg is not None}


def _assigned_before(function: Function, node: ast.expr) -> Iterator[str]:
    """Find variables of statements that always run before; none where the function
    deletes names."""
    if any(isinstance(each, ast.Delete) for each in own_nodes(function.body)):
        return
    for statement in function.body:
        if (statement.end_lineno or statement.lineno) >= node.lineno:
            return
        if isinstance(statement, ast.Assign):
            yield from names_in(statement.targets)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            yield from names_in([statement.target])
