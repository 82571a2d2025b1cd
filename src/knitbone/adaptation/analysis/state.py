"""The findings of one analysis so far: functions, call graph, attributes, closures, outputs.

Every evaluation of a function (``frames.py``) reads it and adds to it; ``engine.py`` runs the
evaluations.
"""

from __future__ import annotations

from typing import NamedTuple

from knitbone.adaptation.analysis.budget import Budget
from knitbone.adaptation.analysis.declared_shapes import DeclaredShapes
from knitbone.adaptation.analysis.operation_trees import Forest
from knitbone.adaptation.analysis.program import Class, Function, Program, is_abstract
from knitbone.adaptation.analysis.rankings import Rankings
from knitbone.adaptation.analysis.values import (
    AppClass,
    AppInstance,
    Awaitable,
    Bindings,
    FixedItems,
    Keyed,
    Place,
    ProducingCall,
    Response,
    Values,
    join,
)
from knitbone.adaptation.analysis.violations import Surroundings
from knitbone.adaptation.requirements.sites import Prompt, SiteKind

__all__ = ["AnalysisState"]

_MAX_OBJECTS = 60
"""Objects of one class that are told apart (ours)."""
_MAX_OVERRIDES = 40
"""Methods that may stand behind one abstract method (ours)."""


class _ProducedOutput(NamedTuple):
    """A producing call: its response, and the prompts that it sends."""

    response: Response
    prompts: tuple[Prompt, ...]


class AnalysisState:
    """The state of one analysis."""

    def __init__(self, program: Program, budget: Budget | None = None) -> None:
        self.program = program
        self.budget = budget or Budget()
        self.shapes = DeclaredShapes(program)
        self.rankings = Rankings(program)
        self.forest = Forest()
        self.edges: dict[str, set[str]] = {}
        self.attributes: dict[tuple[str, str], Values] = {}
        self.closures: list[dict[str, Values]] = [{}]
        self.functions: dict[str, Function] = {}
        self.graph_nodes: dict[str, None] = {}
        """Functions that are nodes of a LangGraph graph: they share its state."""
        self.graph_state: dict[str, Values] = {}
        self.produced: dict[tuple[ProducingCall, SiteKind], _ProducedOutput] = {}
        """Every call that produces an output, read or not."""
        self.complete = True
        """True if every call was followed."""
        self.dispatches: dict[frozenset[str], str] = {}
        """Functions and classes of which a table holds one under each key, with the place
        (``file:line``) where one is looked up by a key that is not written out."""
        self._contents: dict[str, Values] = {}
        self._assigned: dict[tuple[str | int, str], Values] = {}
        self._made: dict[str, set[str]] = {}
        self._subclasses: dict[str, list[Class]] = {}
        self._subclasses_at = -1
        self._overrides: dict[tuple[str, int], list[Function]] = {}
        self._closure_numbers: dict[tuple[str, Bindings], int] = {}
        self._surroundings: dict[str, Surroundings] = {}

    def add_graph_state(self, values: Values) -> None:
        """Add what a node of a graph returns to the graph's state."""
        for value in values:
            inner = value.inner if isinstance(value, Awaitable) else (value,)
            for item in inner:
                if isinstance(item, Keyed):
                    for key, held in item.entries:
                        if isinstance(key, str):
                            self.graph_state[key] = join(self.graph_state.get(key, ()), held)

    def closure_of(self, function: Function, bindings: Bindings) -> int:
        """Return the number of the environment that functions inside this evaluation see."""
        key = (function.key, bindings)
        if key not in self._closure_numbers:
            self._closure_numbers[key] = len(self.closures)
            self.closures.append({})
        return self._closure_numbers[key]

    def surroundings(self, function: Function) -> Surroundings:
        """Return the statements of a function, for questions about what stands around."""
        if function.key not in self._surroundings:
            self._surroundings[function.key] = Surroundings(function)
        return self._surroundings[function.key]

    def add_produced(self, response: Response, prompts: tuple[Prompt, ...]) -> None:
        """Note a call that produces an output."""
        key = (response.origin, response.produced.kind)
        known = self.produced.get(key)
        if known is not None:
            prompts = tuple(dict.fromkeys((*known.prompts, *prompts)))[:8]
        self.produced[key] = _ProducedOutput(known.response if known else response, prompts)

    def link(self, caller: Function, callee: str) -> None:
        """Note that one function may lead to another."""
        self.edges.setdefault(caller.key, set()).add(callee)

    def creation_name(self, key: str, place: Place) -> str:
        """Return a name that tells an object of a class from others; empty where there are too
        many."""
        made = f"@{place.function}:{place.line}:{place.column}"
        several = self._made.setdefault(key, set())
        if made not in several and len(several) >= _MAX_OBJECTS:
            return ""
        several.add(made)
        return made

    def store_on(self, owner: AppInstance, name: str, values: Values) -> None:
        """Keep what an attribute of one object may hold, and of no other."""
        self.attributes[owner.made, name] = values

    def store(self, owner: AppInstance | AppClass, name: str, values: Values) -> None:
        """Keep what an attribute of an object, and of its class's objects, may hold."""
        for key in {owner.key, owner.made if isinstance(owner, AppInstance) else ""} - {""}:
            self.attributes[key, name] = join(self.attributes.get((key, name), ()), values)

    def fill(self, containers: Values, added: Values, scope: int) -> None:
        """Keep what is put into a list or dictionary that another evaluation made: it holds that
        wherever it is looked at. What the evaluation ``scope`` puts into its own, its variables
        hold."""
        for value in containers:
            made = value.made if isinstance(value, Keyed | FixedItems) else ""
            if made and not made.endswith(f"#{scope}"):
                self._contents[made] = join(self._contents.get(made, ()), added)

    def opened(self, values: Values) -> Values:
        """Return values with what others put into the lists and dictionaries among them."""
        if not self._contents:
            return values
        held = [
            self._contents[value.made]
            for value in values
            if isinstance(value, Keyed | FixedItems) and value.made in self._contents
        ]
        return join(values, *held) if held else values

    def assign(self, scope: str | int, name: str, values: Values) -> None:
        """Keep what a function assigns to a name outside of it (``global``, ``nonlocal``).

        Args:
            scope: the key of a module, or the number of an enclosing evaluation.
        """
        self._assigned[scope, name] = join(self._assigned.get((scope, name), ()), values)

    def assigned(self, scope: str | int, name: str) -> Values:
        """Return what functions assign to a name outside of them."""
        return self._assigned.get((scope, name), ()) if self._assigned else ()

    def subclasses(self, klass: Class) -> list[Class]:
        """Return the application's classes that derive from a class."""
        count = len(self.program.modules)
        if self._subclasses_at != count:
            self._subclasses_at = count
            self._subclasses.clear()
            for other in self.program.classes():
                for above in self.shapes.parents(other)[1:]:
                    self._subclasses.setdefault(above.key, []).append(other)
        return self._subclasses.get(klass.key, [])[:_MAX_OVERRIDES]

    def overrides(self, method: Function) -> list[Function]:
        """Return what may run where an abstract method is called: the methods of subclasses; else
        those of classes that are mixed in elsewhere."""
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
        """Return the keys of all functions that the entry function may lead to, itself included."""
        found, pending = {entry}, [entry]
        while pending:
            for callee in self.edges.get(pending.pop(), ()):
                if callee not in found:
                    found.add(callee)
                    pending.append(callee)
        return found
