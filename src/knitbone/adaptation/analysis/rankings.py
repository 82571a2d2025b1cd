"""Lists that the application itself ranks by a text: its own retrievers (Comfrey §4.3.3).

BM25 by hand, cosines with numpy, a full text search of SQLite: what they share is that the order of
a list is computed from the content of a text and of the items. That is read from the code
(``list_orders.py``, ``data_dependence.py``): the key of a sort, the scores of an ``argsort``, the
parameters of a ``MATCH``. A sort by a column that a text only names is none, nor is a filter. Which
of the names that the order depends on holds the text is known when the program runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from knitbone.adaptation.analysis.data_dependence import (
    CONTENT,
    Dependence,
    Levels,
    own_nodes,
    strongest_levels,
)
from knitbone.adaptation.analysis.program import Function, Program

__all__ = ["Queries", "Rankings"]


# Orders of the lists of one function: from which names the keys of its sorts are computed.
#
# ``docs.sort(key=lambda d: score(d, query))`` orders ``docs`` by ``query``. Sorts, ``argsort`` and
# full-text searches are read; ``rankings.py`` asks it.

_SCORE_SORTS = frozenset({"argsort", "argpartition", "topk"})
"""Functions that order arrays of numbers; their results are places."""
_LIBRARY_SEARCHES = frozenset(
    {"get_top_n", "kneighbors", "get_nns_by_vector", "knn_query", "semantic_search"}
)
"""Searches of rank_bm25, scikit-learn, annoy, hnswlib and sentence-transformers: the query comes
first."""
_PLACE_CALLS = _SCORE_SORTS | (_LIBRARY_SEARCHES - {"get_top_n"})
"""Calls whose result holds places of entries, not entries."""
_ORDER_KEEPING_CALLS = frozenset(
    {"list", "tuple", "reversed", "enumerate", "islice", "array", "asarray", "tolist", "flatten"}
    | {"ravel", "copy", "fetchall", "fetchmany", "zip", "filter", "map", "most_common"}
)
"""Calls that keep the order of what they are given."""
_SQL_SEARCH = re.compile(r"\bMATCH\b|\bto_tsquery\b|\b\w+to_tsquery\b|<->|<=>|<#>", re.IGNORECASE)
"""Operators of SQL that search by content: FTS of SQLite and PostgreSQL, pgvector."""


class ListOrders:
    """The orders of the lists of one function. Method ``of`` gives the names that a list is ordered
    by.

    Args:
        function: it.
        dependence: what its values depend on.
        inner: what a function that is defined inside another one returns depends on.
    """

    def __init__(
        self,
        function: Function,
        dependence: Dependence,
        inner: Callable[[Function, str], Levels],
    ) -> None:
        self.function = function
        self.dependence = dependence
        self._inner = inner
        self._named: dict[str, set[str]] = {}
        self._places: set[str] = set()
        self._made: dict[str, list[ast.expr]] = {}
        self.joined: set[int] = set()
        self.nodes = nodes = list(own_nodes(function.body))
        for node in nodes:
            self._note(node)
        for _ in range(3):
            for node in nodes:
                self._order(node)

    def returned(self) -> Levels:
        """Return what the function's results depend on."""
        found: list[Levels] = []
        for node in own_nodes(self.function.body):
            if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
                found.append(self.dependence.of(node.value))
        return strongest_levels(found)

    def of(self, node: ast.expr) -> set[str]:
        """Return the names whose content the order of a list is computed from."""
        if isinstance(node, ast.Name):
            return self._named.get(node.id, set())
        if isinstance(node, ast.Call):
            return self._of_call(node)
        if isinstance(node, ast.Subscript):
            index = set[str]() if isinstance(node.slice, ast.Slice) else self.of(node.slice)
            return self.of(node.value) | index
        if isinstance(node, ast.ListComp | ast.GeneratorExp):
            return self.of(node.generators[0].iter)
        if isinstance(node, ast.Await | ast.NamedExpr | ast.Starred):
            return self.of(node.value)
        if isinstance(node, ast.IfExp):
            return self.of(node.body) | self.of(node.orelse)
        if isinstance(node, ast.BoolOp):
            return set[str]().union(*map(self.of, node.values))
        return set()

    def is_of_places(self, node: ast.expr) -> bool:
        """Return whether the list holds numbers that tell where the entries are."""
        if isinstance(node, ast.Name):
            return node.id in self._places
        if isinstance(node, ast.Subscript):
            # ``texts[order]`` picks entries, ``order[:3]`` and ``found[0]`` places.
            return self.is_of_places(node.value)
        if not isinstance(node, ast.Call):
            return False
        name = _name(node.func)
        if name in ("sorted", "nlargest", "nsmallest"):
            ranked = node.args[-1 if name != "sorted" else 0] if node.args else None
            return isinstance(ranked, ast.Call) and _name(ranked.func) == "range"
        if name in _ORDER_KEEPING_CALLS:
            return any(map(self.is_of_places, _sources(node)))
        return name in _PLACE_CALLS

    def _of_call(self, node: ast.Call) -> set[str]:
        """Return the names that the order of a call's result is computed from."""
        name = _name(node.func)
        receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
        key = next((k.value for k in node.keywords if k.arg == "key"), None)
        if name == "sorted" and node.args:
            return self._names_behind_key(node.args[0], key)
        if name in ("nlargest", "nsmallest") and len(node.args) > 1:
            return self._names_behind_key(
                node.args[1], key or (node.args[2] if node.args[2:] else None)
            )
        if name in _SCORE_SORTS:
            sources = [*node.args[:1], *([receiver] if receiver is not None else [])]
            return _contents(strongest_levels(map(self.dependence.of, sources)))
        if name in _LIBRARY_SEARCHES and node.args:
            return set(self.dependence.of(node.args[0]))
        if name == "execute" and len(node.args) > 1:
            return set(self.dependence.of(node.args[1])) if self._searches(node.args[0]) else set()
        if name == "most_common" and receiver is not None:
            return _contents(self.dependence.of(receiver))
        if name in _ORDER_KEEPING_CALLS:
            return set[str]().union(*map(self.of, _sources(node)))
        return set()

    def _searches(self, statement: ast.expr) -> bool:
        """Return whether an SQL statement searches by content."""
        written = [statement]
        if isinstance(statement, ast.Name):
            written += self._made.get(statement.id, [])
        return any(
            isinstance(part, ast.Constant)
            and isinstance(part.value, str)
            and _SQL_SEARCH.search(part.value) is not None
            for one in written
            for part in ast.walk(one)
        )

    def _names_behind_key(self, ranked: ast.expr, key: ast.expr | None) -> set[str]:
        """Return the names behind the key of a sort."""
        if key is None:
            return self._component(ranked, 0)
        if isinstance(key, ast.Lambda):
            own = _contents(self.dependence.within(key.args, key.body))
            return own.union(*(self._component(ranked, at) for at in _selectors(key)))
        if isinstance(key, ast.Name):
            made = self._made.get(key.id, [])
            lambdas = [one for one in made if isinstance(one, ast.Lambda)]
            found = _contents(self._inner(self.function, key.id))
            return found.union(*(self._names_behind_key(ranked, one) for one in lambdas))
        if isinstance(key, ast.Attribute):  # ``scores.get``
            return _contents(self.dependence.of(key.value))
        if isinstance(key, ast.Call) and _name(key.func) in ("itemgetter", "attrgetter"):
            constants = [a.value for a in key.args[:1] if isinstance(a, ast.Constant)]
            return set[str]().union(*(self._component(ranked, at) for at in constants))
        return set()

    def _component(self, ranked: ast.expr, at: object) -> set[str]:
        """Return what one part of each item is computed from, where the items are made here."""
        if isinstance(ranked, ast.Name):
            made = self._made.get(ranked.id, [])
            return set[str]().union(*(self._component(each, at) for each in made))
        if isinstance(ranked, ast.ListComp | ast.GeneratorExp):
            return self._component(ranked.elt, at)
        if isinstance(ranked, ast.Tuple) and isinstance(at, int) and at < len(ranked.elts):
            return _contents(self.dependence.of(ranked.elts[at]))
        if isinstance(ranked, ast.Dict):
            pairs = zip(ranked.keys, ranked.values, strict=True)
            held = [v for k, v in pairs if isinstance(k, ast.Constant) and k.value == at]
            return _contents(strongest_levels(map(self.dependence.of, held)))
        if isinstance(ranked, ast.Call):
            return self._component_of_call(ranked, at)
        return set()

    def _component_of_call(self, made: ast.Call, at: object) -> set[str]:
        """Return the same for items that ``zip``, ``enumerate`` or a class makes."""
        name = _name(made.func)
        if name == "list" and made.args:
            return self._component(made.args[0], at)
        if name == "zip" and isinstance(at, int):
            return _contents(strongest_levels(map(self.dependence.of, made.args[at : at + 1])))
        if name == "enumerate" and at == 1:
            return _contents(self.dependence.of(made.args[0]))
        if name == "items" and at == 1 and isinstance(made.func, ast.Attribute):
            return _contents(self.dependence.of(made.func.value))
        if isinstance(at, str):  # an object with that attribute
            named = [k.value for k in made.keywords if k.arg == at] or made.args
            return _contents(strongest_levels(map(self.dependence.of, named)))
        return set()

    def _note(self, node: ast.AST) -> None:
        """Note what lists are made of, and where iterators are joined."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    self._made.setdefault(target.id, []).append(node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            self._made.setdefault(node.target.id, []).extend([node.value] if node.value else [])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            if node.func.attr == "append" and isinstance(node.func.value, ast.Name):
                self._made.setdefault(node.func.value.id, []).append(node.args[0])
            if node.func.attr == "join":
                self.joined.add(id(node.args[0]))

    def _order(self, node: ast.AST) -> None:
        """Note the names that hold ranked lists."""
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found, places = self.of(node.value), self.is_of_places(node.value)
            for name in names_in(targets) if found else ():
                self._named.setdefault(name, set()).update(found)
                self._places.update({name} if places else ())
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            held = node.func.value
            if node.func.attr == "sort" and isinstance(held, ast.Name):
                key = next((k.value for k in node.keywords if k.arg == "key"), None)
                if found := self._names_behind_key(held, key):
                    self._named.setdefault(held.id, set()).update(found)
        elif isinstance(node, ast.For | ast.AsyncFor) and (found := self.of(node.iter)):
            for inner in own_nodes(node.body):
                if isinstance(inner, ast.Call) and _name(inner.func) == "append":
                    for name in names_in(_sources(inner)[-1:]):
                        self._named.setdefault(name, set()).update(found)


def _selectors(key: ast.Lambda) -> Iterator[object]:
    """Find the parts of its argument that a lambda looks at."""
    names = {argument.arg for argument in key.args.args}
    for node in ast.walk(key.body):
        if isinstance(node, ast.Attribute) and _name(node.value) in names:
            yield node.attr
        elif (
            isinstance(node, ast.Subscript)
            and _name(node.value) in names
            and isinstance(node.slice, ast.Constant)
        ):
            yield node.slice.value


def _contents(levels: Levels) -> set[str]:
    """Return the names on whose content something depends."""
    return {name for name, level in levels.items() if level == CONTENT}


def _name(node: ast.expr) -> str:
    """Return the last part of a dotted name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _sources(node: ast.Call) -> list[ast.expr]:
    """Return the arguments, then the object whose method is called."""
    receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    return [*node.args, *receiver]


def names_in(targets: Iterable[ast.expr]) -> Iterator[str]:
    """Find the variables among the targets of an assignment."""
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id
        elif isinstance(target, ast.Tuple | ast.List):
            yield from names_in(target.elts)


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
