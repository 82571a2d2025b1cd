"""Follow outputs from where they are produced to the code that consumes them (Comfrey §4.2).

An abstract interpretation of the application's functions: each is evaluated once for each kind of
argument it receives, on the values of ``values.py``. An output *becomes available* at the
expression that extracts it from a response, or at the call of a function that returns one; that
expression is the site. Whatever the code does with it from there grows the site's tree of
operations (``operation_trees.py``). Branches are joined; loops run twice; nothing is executed.
"""

from __future__ import annotations

from knitbone.adaptation.analysis.budget import Budget
from knitbone.adaptation.analysis.frames import Frame
from knitbone.adaptation.analysis.program import Function, Program
from knitbone.adaptation.analysis.state import AnalysisState
from knitbone.adaptation.analysis.values import (
    Bindings,
    ComposedText,
    Constant,
    FixedItems,
    Keyed,
    Values,
)

__all__ = ["follow_outputs"]

_MAX_FRAMES = 20_000
"""Evaluations of functions, beyond four for each, before the analysis stops following calls
(ours)."""
_MAX_DEPTH = 24
_MAX_BINDINGS = 60
"""Kinds of arguments for which one function is evaluated (ours)."""


def follow_outputs(program: Program, budget: Budget | None = None) -> AnalysisState:
    """Evaluate every function of a program; return what was found.

    Raises:
        OverBudget: ``budget`` is spent.
    """
    state = AnalysisState(program, budget)
    _Flow(state).run()
    return state


class _Flow:
    """The evaluations of an application's functions, each done once for its arguments."""

    def __init__(self, state: AnalysisState) -> None:
        self._state = state
        self._memo: dict[tuple[str, int, Bindings], Values] = {}
        self._kinds: dict[str, int] = {}
        self._stack: list[str] = []
        self._frames = 0
        self._known = 0

    def run(self) -> None:
        """Evaluate every function twice: what one stores on ``self`` another may read."""
        for _ in range(2):
            self._memo.clear()
            self._kinds.clear()
            self._frames = 0
            self._state.complete = True
            done: set[str] = set()
            # Names may lead to further modules, whose functions are then evaluated as well.
            while pending := [f for f in self._state.program.functions() if f.key not in done]:
                self._known = len(done) + len(pending)
                for function in pending:
                    done.add(function.key)
                    self.call(function, ())
            for key in list(self._state.graph_nodes):
                self._run_graph_node(self._state.functions[key])

    def _run_graph_node(self, function: Function) -> None:
        """Evaluate a function that is a node of a LangGraph graph, on the graph's state."""
        skip = 1 if function.owner is not None else 0
        names = [parameter.arg for parameter in function.parameters][skip:]
        state = Keyed(tuple(sorted(self._state.graph_state.items())))
        if names:
            result = self.call(function, ((names[0], (state,)),))
            self._state.add_graph_state(result)

    def call(self, function: Function, bindings: Bindings, closure: int = -1) -> Values:
        """Return what the function returns for these arguments."""
        self._state.functions[function.key] = function
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
            self._state.complete = False
            return ()
        self._memo[key] = ()
        self._stack.append(function.key)
        try:
            frame = Frame(self._state, self.call, function, bindings, closure)
            frame.block(function.body)
        finally:
            self._stack.pop()
        result = frame.result()
        self._memo[key] = result
        return result


def _essential(values: Values) -> Values:
    """Keep what a function must be told even where it is called in very many ways."""
    return tuple(
        v for v in values if not isinstance(v, Constant | ComposedText | Keyed | FixedItems)
    )
