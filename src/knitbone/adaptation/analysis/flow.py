"""Follow outputs from where they are produced to the code that consumes them (Comfrey §4.2).

An abstract interpretation of the application's functions: each is run once for each kind of
argument it receives, on the values of ``values.py``. An output *becomes available* at the
expression that extracts it from a response, or at the call of a function that returns one; that
expression is the site. Whatever the code does with it from there grows the site's tree of
operations (``trees.py``). Branches are joined; loops run twice; nothing is executed.
"""

from __future__ import annotations

from typing import NamedTuple

from knitbone.adaptation.analysis.budget import Budget
from knitbone.adaptation.analysis.fates import Surroundings
from knitbone.adaptation.analysis.frames import Frame
from knitbone.adaptation.analysis.program import Class, Function, Program, is_abstract
from knitbone.adaptation.analysis.rankings import Rankings
from knitbone.adaptation.analysis.shapes import Shapes
from knitbone.adaptation.analysis.trees import Forest
from knitbone.adaptation.analysis.values import (
    AppClass,
    AppInstance,
    Awaitable,
    Constant,
    Keyed,
    Origin,
    Place,
    Response,
    Several,
    Text,
    Values,
    join,
)
from knitbone.adaptation.requirements.sites import Prompt, SiteKind

__all__ = ["Bindings", "Flow"]

_MAX_FRAMES = 20_000
"""Evaluations of functions, beyond four for each, before the analysis stops following calls
(ours)."""
_MAX_DEPTH = 24
_MAX_BINDINGS = 60
"""Kinds of arguments for which one function is evaluated (ours)."""

_MAX_OBJECTS = 60
"""Objects of one class that are told apart (ours)."""
_MAX_OVERRIDES = 40
"""Methods that may stand behind one abstract method (ours)."""

Bindings = tuple[tuple[str, Values], ...]


class _Brought(NamedTuple):
    response: Response
    prompts: tuple[Prompt, ...]


class Flow:
    """The state of one analysis.

    Raises:
        OverBudget: of all methods; ``budget`` is spent.
    """

    def __init__(self, program: Program, budget: Budget | None = None) -> None:
        self.program = program
        self.budget = budget or Budget()
        self.shapes = Shapes(program)
        self.rankings = Rankings(program)
        self.forest = Forest()
        self.edges: dict[str, set[str]] = {}
        self.attributes: dict[tuple[str, str], Values] = {}
        self.closures: list[dict[str, Values]] = [{}]
        self.functions: dict[str, Function] = {}
        self.graph_nodes: dict[str, None] = {}
        """Functions that are nodes of a LangGraph graph: they share its state."""
        self.graph_state: dict[str, Values] = {}
        self.brought: dict[tuple[Origin, SiteKind], _Brought] = {}
        """Every call that produces an output, read or not."""
        self.complete = True
        self._made: dict[str, set[str]] = {}
        self._subclasses: dict[str, list[Class]] = {}
        self._subclasses_at = -1
        self._overrides: dict[tuple[str, int], list[Function]] = {}
        self._closure_numbers: dict[tuple[str, Bindings], int] = {}
        self._memo: dict[tuple[str, int, Bindings], Values] = {}
        self._kinds: dict[str, int] = {}
        self._surroundings: dict[str, Surroundings] = {}
        self._stack: list[str] = []
        self._frames = 0
        self._known = 0

    def run(self) -> None:
        """Evaluate every function twice: what one stores on ``self`` another may read."""
        for _ in range(2):
            self._memo.clear()
            self._kinds.clear()
            self._frames = 0
            self.complete = True
            done: set[str] = set()
            # Names may lead to further modules, whose functions are then evaluated as well.
            while pending := [f for f in self.program.functions() if f.key not in done]:
                self._known = len(done) + len(pending)
                for function in pending:
                    done.add(function.key)
                    self.call(function, ())
            for key in list(self.graph_nodes):
                self._run_graph_node(self.functions[key])

    def _run_graph_node(self, function: Function) -> None:
        skip = 1 if function.owner is not None else 0
        names = [parameter.arg for parameter in function.parameters][skip:]
        state = Keyed(tuple(sorted(self.graph_state.items())))
        if names:
            result = self.call(function, ((names[0], (state,)),))
            self.add_state(result)

    def add_state(self, values: Values) -> None:
        """What a node of a graph returns goes into the graph's state."""
        for value in values:
            inner = value.inner if isinstance(value, Awaitable) else (value,)
            for item in inner:
                if isinstance(item, Keyed):
                    for key, held in item.entries:
                        if isinstance(key, str):
                            self.graph_state[key] = join(self.graph_state.get(key, ()), held)

    def call(self, function: Function, bindings: Bindings, closure: int = -1) -> Values:
        """What the function returns for these arguments."""
        self.functions[function.key] = function
        key = (function.key, closure, bindings)
        if key in self._memo:
            return self._memo[key]
        if self._stack.count(function.key) > 1 or len(self._stack) > _MAX_DEPTH:
            return ()
        self._frames += 1
        kinds = self._kinds[function.key] = self._kinds.get(function.key, 0) + 1
        if kinds > _MAX_BINDINGS:
            fewer = tuple((n, held) for n, values in bindings if (held := _essential(values)))
            if fewer != bindings:
                return self.call(function, fewer, closure)
        if kinds > 4 * _MAX_BINDINGS or self._frames > _MAX_FRAMES + 4 * self._known:
            self.complete = False
            return ()
        self._memo[key] = ()
        self._stack.append(function.key)
        try:
            frame = Frame(self, function, bindings, closure)
            frame.block(function.body)
        finally:
            self._stack.pop()
        result = frame.result()
        self._memo[key] = result
        return result

    def closure_of(self, function: Function, bindings: Bindings) -> int:
        """The number of the environment that functions inside this evaluation see."""
        key = (function.key, bindings)
        if key not in self._closure_numbers:
            self._closure_numbers[key] = len(self.closures)
            self.closures.append({})
        return self._closure_numbers[key]

    def surroundings(self, function: Function) -> Surroundings:
        """The statements of a function, for questions about what stands around."""
        if function.key not in self._surroundings:
            self._surroundings[function.key] = Surroundings(function)
        return self._surroundings[function.key]

    def bring(self, response: Response, prompts: tuple[Prompt, ...]) -> None:
        """A call that produces an output was seen."""
        key = (response.origin, response.produced.kind)
        known = self.brought.get(key)
        if known is not None:
            prompts = tuple(dict.fromkeys((*known.prompts, *prompts)))[:8]
        self.brought[key] = _Brought(known.response if known else response, prompts)

    def link(self, caller: Function, callee: str) -> None:
        """Remember that one function may lead to another."""
        self.edges.setdefault(caller.key, set()).add(callee)

    def made_at(self, key: str, place: Place) -> str:
        """What tells an object of a class from others, where there are not too many of them."""
        made = f"@{place.function}:{place.line}:{place.column}"
        several = self._made.setdefault(key, set())
        if made not in several and len(several) >= _MAX_OBJECTS:
            return ""
        several.add(made)
        return made

    def store(self, owner: AppInstance | AppClass, name: str, values: Values) -> None:
        """What an attribute of an object, and of its class's objects, may hold."""
        for key in {owner.key, owner.made if isinstance(owner, AppInstance) else ""} - {""}:
            self.attributes[key, name] = join(self.attributes.get((key, name), ()), values)

    def subclasses(self, klass: Class) -> list[Class]:
        """The application's classes that derive from a class."""
        count = len(self.program.modules)
        if self._subclasses_at != count:
            self._subclasses_at = count
            self._subclasses.clear()
            for other in self.program.classes():
                for above in self.shapes.parents(other)[1:]:
                    self._subclasses.setdefault(above.key, []).append(other)
        return self._subclasses.get(klass.key, [])[:_MAX_OVERRIDES]

    def overrides(self, method: Function) -> list[Function]:
        """What may run where an abstract method is called: the methods of subclasses; else those
        of classes that are mixed in elsewhere."""
        key = (method.key, len(self.program.modules))
        if key not in self._overrides:
            named = [
                other
                for other in self.program.methods_named(method.qualname.rpartition(".")[2])
                if other is not method and other.owner is not None and not is_abstract(other)
            ]
            below = [
                other
                for other in named
                if other.owner is not None and method.owner in self.shapes.parents(other.owner)
            ]
            self._overrides[key] = (below or named)[:_MAX_OVERRIDES]
        return self._overrides[key]

    def reachable(self, entry: str) -> set[str]:
        """Keys of all functions that the entry function may lead to, itself included."""
        found, pending = {entry}, [entry]
        while pending:
            for callee in self.edges.get(pending.pop(), ()):
                if callee not in found:
                    found.add(callee)
                    pending.append(callee)
        return found


def _essential(values: Values) -> Values:
    """What a function must be told even where it is called in very many ways."""
    return tuple(v for v in values if not isinstance(v, Constant | Text | Keyed | Several))
