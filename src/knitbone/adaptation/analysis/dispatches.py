"""Functions of which a table holds one under each key: of their requirements only one counts.

READERS = {"json": read_json, "list": read_list}
READERS[kind](answer)
"""

from __future__ import annotations

from knitbone._forks import lazy
from knitbone.adaptation.analysis.state import AnalysisState
from knitbone.adaptation.requirements import Evidence

__all__ = ["Dispatches"]


class Dispatches:
    """The tables of one application that are looked up by a key that is not written out."""

    def __init__(self, state: AnalysisState) -> None:
        self._state = state
        self._reached: dict[str, set[str]] = {}

    def exclude(self, one: Evidence, other: Evidence) -> str:
        """Return the place of the look-up that lets only one of two pieces of code run; empty
        where both may."""
        if not self._state.dispatches or (one.file, one.line) == (other.file, other.line):
            return ""
        first, second = (self._function_at(each.file, each.line) for each in (one, other))
        if first == second:
            return ""
        for keys, where in self._state.dispatches.items():
            # From which entries of the table the one code is reached, from which the other.
            led = [
                {key for key in keys if function in self._functions_from(key)}
                for function in (first, second)
            ]
            if all(led) and led[0].isdisjoint(led[1]):
                return where
        return ""

    def _functions_from(self, key: str) -> set[str]:
        """Return the functions that an entry of a table may lead to: of a class, its methods."""
        if key not in self._reached:
            klass = self._state.program.class_of(key)
            starts = [key] if klass is None else [m.key for m in klass.methods.values()]
            self._reached[key] = {to for start in starts for to in self._state.reachable(start)}
        return self._reached[key]

    @lazy
    def _spans(self) -> dict[str, list[tuple[int, int, str]]]:
        """Return the first and last lines of the functions of each file."""
        found: dict[str, list[tuple[int, int, str]]] = {}
        for function in self._state.functions.values():
            node = function.node
            if node is not None:
                span = (node.lineno, node.end_lineno or node.lineno, function.key)
                found.setdefault(str(function.module.path), []).append(span)
        return found

    def _function_at(self, file: str, line: int) -> str:
        """Return the innermost function that a line stands in."""
        around = [span for span in self._spans.get(file, []) if span[0] <= line <= span[1]]
        return max(around, default=(0, 0, ""))[2]
