"""Items of containers and of outputs that are taken apart: loops, subscripts, slices."""

from __future__ import annotations

import ast
from typing import Any

import msgspec

from knitbone.adaptation.analysis.arguments import as_argument, written_keys
from knitbone.adaptation.analysis.attributes import AttributeLookup
from knitbone.adaptation.analysis.evaluator import Evaluator
from knitbone.adaptation.analysis.output_sites import OutputSites
from knitbone.adaptation.analysis.values import (
    AppClass,
    AppInstance,
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
    tracked_in,
)
from knitbone.adaptation.requirements.uses import Computed, Operation

__all__ = ["Items"]

_LISTS = frozenset({"list", "sorted", "tuple", ".split", ".splitlines"})
"""Operations that make a list, whose places are whole numbers."""


class Items:
    """Evaluates what loops, subscripts and slices give, for one function."""

    def __init__(
        self,
        evaluator: Evaluator,
        outputs: OutputSites,
        attributes: AttributeLookup,
    ) -> None:
        self._evaluator = evaluator
        self._outputs = outputs
        self._attributes = attributes
        self._state = evaluator.state

    def iterate(self, values: Values, node: ast.expr) -> Values:
        """Return what a loop over the values binds."""
        items: list[Value] = []
        for value in values:
            if isinstance(value, Series):
                items.extend(value.items)
            elif isinstance(value, FixedItems):
                for item in value.items:
                    items.extend(item)
            elif isinstance(value, Keyed):
                items.extend(Constant(key) for key, _ in value.entries)
                items.extend(value.names)
            elif isinstance(value, Response):
                part = msgspec.structs.replace(value, looped=True)
                items.extend(self._outputs.access(part, "[]", node))
            elif isinstance(value, Tracked):
                items.append(self._evaluator.use(value, "iterate", node))
        return join(tuple(items))

    def one_of(
        self, series: Series, name: str, arguments: tuple[Any, ...], node: ast.expr
    ) -> Values:
        """Return one item of a list; where it is made of another, item by item, made of the one
        there."""
        if not series.over:
            return series.items
        operation = Operation(name, arguments)
        fate = self._state.surroundings(self._evaluator.function).on_violation(name, node)
        found: list[Value] = []
        for value in series.items:
            path = self._state.forest.path(value.node) if isinstance(value, Tracked) else []
            over = next((n.number for n in reversed(path) if n.number in series.over), 0)
            if not isinstance(value, Tracked) or not over:
                found.append(value)
                continue
            forest = self._state.forest
            number = forest.replay_on_item(
                value.node, over, operation, self._evaluator.evidence(node), fate
            )
            found.append(Tracked(number))
        return join(tuple(found))

    def item(self, value: Value, index: int, node: ast.expr) -> Values:
        """Return one item of a value that is no plain container."""
        del index
        return self._outputs.access(value, "[]", node) if isinstance(value, Response) else ()

    def subscript(self, node: ast.Subscript) -> Values:
        """Evaluate ``value[key]`` and ``value[start:stop]``."""
        if isinstance(node.slice, ast.Slice):
            return self._sliced(node, node.slice)
        index = self._evaluator.values(node.slice)
        for held in tracked_in(index):
            self._evaluator.use(held, "index", node, self._places_in(node.value))
        key = self._evaluator.constant(index)
        found: list[Value] = []
        for value in self._evaluator.values(node.value):
            if isinstance(value, Tracked):
                given = as_argument(self._evaluator, index, node.slice)
                found.append(self._evaluator.use(value, "getitem", node, (given,)))
            else:
                found.extend(self._item(value, key, node))
        return join(tuple(found))

    def _places_in(self, container: ast.expr) -> tuple[Any, ...]:
        """Return the keys of a dictionary that is written out, or that a container is a list."""
        values = self._evaluator.values(container)
        made = [self._state.forest.nodes[v.node].operation.name for v in tracked_in(values)]
        if made and len(made) == len(values) and all(name in _LISTS for name in made):
            return (Computed("list"),)
        return written_keys(values)

    def _item(self, value: Value, key: Any, node: ast.Subscript) -> Values:
        """Return one item of a container, a response or a generic class."""
        if isinstance(value, Response):
            access = f'["{key}"]' if isinstance(key, str) else "[]"
            return self._outputs.access(value, access, node)
        if isinstance(value, FixedItems):
            if isinstance(key, int):
                inside = -len(value.items) <= key < len(value.items)
                return value.items[key] if inside else ()
            return tuple(v for item in value.items for v in item)
        if isinstance(value, Series):
            return (
                self.one_of(value, "getitem", (key,), node) if isinstance(key, int) else value.items
            )
        if isinstance(value, Keyed):
            return self._attributes.looked_up(value, key, node)
        if isinstance(value, AppClass | External) and not isinstance(key, str | int):
            return (value,)  # ``Model[T]``
        if isinstance(value, External):
            return (External(f"{value.path}[]", value.settings),)
        return self._attributes.item(value, node) if isinstance(value, AppInstance) else ()

    def _sliced(self, node: ast.Subscript, bounds: ast.Slice) -> Values:
        """Evaluate ``value[start:stop]``."""
        given = tuple(
            None
            if bound is None
            else as_argument(self._evaluator, self._evaluator.values(bound), bound)
            for bound in (bounds.lower, bounds.upper, bounds.step)
        )
        found: list[Value] = []
        for value in self._evaluator.values(node.value):
            if isinstance(value, Tracked):
                found.append(self._evaluator.use(value, "slice", node, given))
            elif isinstance(value, Series) and bounds.lower is not None:
                found.append(Series(value.items))  # its first item is another one's than before
            elif isinstance(value, Series | FixedItems | Response):
                found.append(value)
        return join(tuple(found))
