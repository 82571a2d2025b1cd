"""Variables of one evaluation of a function, with an undo log for branches.

A branch is evaluated on the variables as they were before it. Copying all of them for each branch
takes a long function quadratic time, so what a branch changes is noted (``mark``), and undone
behind it (``take_back``); ``merge`` then binds what either branch may have left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from knitbone.adaptation.analysis.values import Values, join

__all__ = ["Variables"]


class Variables(dict[str, Values]):
    """Names with the values that they may hold."""

    def __init__(self) -> None:
        super().__init__()
        self._before: list[dict[str, Values | None]] = []
        """For each mark that is set, what the names held there that were bound since."""
        self._unpublished: dict[str, None] = {}

    def __setitem__(self, name: str, values: Values) -> None:
        if self._before and name not in self._before[-1]:
            self._before[-1][name] = self.get(name)
        self._unpublished[name] = None
        super().__setitem__(name, values)

    def bind(self, names: Iterable[tuple[str, Values]]) -> None:
        """Bind several names."""
        for name, values in names:
            self[name] = values

    def mark(self) -> int:
        """Begin to note changes; return the mark to undo them to."""
        self._before.append({})
        return len(self._before) - 1

    def take_back(self, mark: int) -> dict[str, Values]:
        """Undo what was bound since a mark; return what that was."""
        before: dict[str, Values | None] = {}
        while len(self._before) > mark:  # one more where an evaluation was broken off
            before.update(self._before.pop())
        changed = {name: self[name] for name in before}
        for name, values in before.items():
            if values is None:
                del self[name]
            else:
                super().__setitem__(name, values)
            self._unpublished[name] = None
        return changed

    def merge(self, branches: Sequence[dict[str, Values]]) -> None:
        """Bind what names may hold behind branches, of which one runs.

        Args:
            branches: what each of them binds.
        """
        found: dict[str, list[tuple[int, Values]]] = {}
        for branch_index, changed in enumerate(branches):
            for name, values in changed.items():
                found.setdefault(name, []).append((branch_index, values))
        for name, changes in found.items():
            held = [values for _, values in changes]
            if name in self and len(held) < len(branches):
                # Where the first branch stands that leaves the name alone.
                first = next(
                    (i for i, (branch_index, _) in enumerate(changes) if i != branch_index),
                    len(held),
                )
                held.insert(first, self[name])
            self[name] = held[0] if all(one is held[0] for one in held) else join(*held)

    def publish(self, closure: dict[str, Values]) -> None:
        """Tell functions inside this one what was bound since they were told last."""
        closure.update((name, self[name]) for name in self._unpublished if name in self)
        self._unpublished.clear()
