"""Protocols between the parts of one evaluation: expressions, calls, attributes, items.

The parts need one another in a circle, since the arguments of a call are expressions and an
expression may be a call. Each is given an ``Evaluator`` and asks it for what it needs; which class
answers (``expressions.py``, ``calls.py``) it does not know.
"""

from __future__ import annotations

import ast
from typing import Any, Protocol

from knitbone.adaptation.analysis.operation_trees import Trial
from knitbone.adaptation.analysis.program import Function, Module, Target
from knitbone.adaptation.analysis.state import AnalysisState
from knitbone.adaptation.analysis.values import (
    AppFunction,
    Bindings,
    CallArguments,
    Place,
    Settings,
    Tracked,
    Value,
    Values,
)
from knitbone.adaptation.analysis.variables import Variables
from knitbone.adaptation.requirements import Evidence

__all__ = ["EvaluationScope", "Evaluator", "FunctionCalls", "RunFunction"]


class EvaluationScope(Protocol):
    """The function evaluation that an expression stands in."""

    environment: Variables
    yielded: list[Values]
    trials: frozenset[Trial]
    inner: int
    outer: int

    def bind(self, target: ast.expr, values: Values) -> None:
        """Assign values to a target."""
        ...

    def put(self, target: ast.expr, added: Value) -> None:
        """Put something into the list or dictionary that an expression gives."""
        ...


class RunFunction(Protocol):
    """Evaluates one of the application's functions."""

    def __call__(self, function: Function, bindings: Bindings, closure: int = -1) -> Values:
        """Return what the function returns for these arguments."""
        ...


class FunctionCalls(Protocol):
    """Evaluates calls of functions that another part has come upon."""

    def call_value(self, callee: Value, node: ast.Call, given: CallArguments) -> Values:
        """Return the value of a call of one value."""
        ...

    def call_function(
        self,
        function: Function,
        bindings: Bindings,
        node: ast.expr,
        callee: AppFunction | None = None,
    ) -> Values:
        """Return what one of the application's functions returns at this place."""
        ...

    def run_elsewhere(self, callee: Value, node: ast.Call, given: CallArguments) -> Values:
        """Return what a function gives that another thread or process runs: outputs in it are not
        available at this place."""
        ...

    def arriving(self, values: Values, given: CallArguments, node: ast.expr) -> Values:
        """Return a future of values: outputs in it become available where its result is taken."""
        ...

    def awaited(self, values: Values, node: ast.expr) -> Values:
        """Return what awaiting (or running) makes available here."""
        ...

    def gathered(self, values: Values) -> Values:
        """Return the results of several coroutines, as a list of them arrives."""
        ...


class Evaluator(Protocol):
    """Evaluates the expressions of one function."""

    @property
    def state(self) -> AnalysisState:
        """Return the findings of the analysis so far."""
        ...

    @property
    def function(self) -> Function:
        """Return the function whose expressions are evaluated."""
        ...

    @property
    def module(self) -> Module:
        """Return the function's module."""
        ...

    @property
    def scope(self) -> EvaluationScope:
        """Return the function evaluation that the expressions stand in."""
        ...

    @property
    def calls(self) -> FunctionCalls:
        """Return the part that evaluates calls."""
        ...

    @property
    def run(self) -> RunFunction:
        """Return what evaluates another function, whatever stands around its call."""
        ...

    def values(self, node: ast.expr) -> Values:
        """Return everything that the expression may hold, as far as it is followed."""
        ...

    def constant(self, values: Values) -> Any:
        """Return the constant among the values, or ``Computed``."""
        ...

    def place(self, node: ast.expr) -> Place:
        """Return the place of an expression."""
        ...

    def evidence(self, node: ast.expr) -> Evidence:
        """Return the expression as evidence."""
        ...

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
        ...

    def container_name(self, node: ast.expr) -> str:
        """Return a name for a list or dictionary that is made here and that others may fill."""
        ...

    def target_values(self, target: Target) -> Values:
        """Return the values of something that a name refers to."""
        ...

    def constant_values(self, module: Module, node: ast.expr) -> Values:
        """Return the values of a module- or class-level expression, looked at from a function."""
        ...
