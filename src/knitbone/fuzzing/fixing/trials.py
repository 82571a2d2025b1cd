"""The tool is asked: does it take what keeps a constraint, and refuse what breaks it?

Each call runs in the sandbox in a process of its own. A statement is made only of a constraint that
every answer agrees with, and that at least one refusal shows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, islice
from typing import Any, cast

import msgspec

from knitbone.fuzzing.fixing.constraint_values import values_at, with_value
from knitbone.fuzzing.fixing.error_counts import keeps
from knitbone.fuzzing.fixing.kinds import KINDS, number_of
from knitbone.fuzzing.fixing.observation import is_accepted
from knitbone.fuzzing.fixing.records import ConcernedValue, Constraint, ConstraintKind
from knitbone.fuzzing.trials import Trial, Trials
from knitbone.record.events import Json

__all__ = ["RELATIONS", "ConstraintTrials", "contradicts_call"]

RELATIONS: frozenset[ConstraintKind] = frozenset({"before", "not after"})
"""Kinds that are about two arguments."""
_BASES = 3
"""Calls that the tool took, from which trials start."""
_KEPT, _BROKEN = 24, 16
"""Values that are tried for one constraint: every one of a list, and the nearest outside of it."""
_STEPS = 40
"""Of the search for a bound."""


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """What trials showed of one constraint."""

    holds: bool
    accepted: int = 0
    refused: int = 0


_UNPROVEN = Proof(holds=False)


class ConstraintTrials:
    """Trials of one tool's constraints.

    Args:
        trial: calls the tool.
        roots: files and folders of the tool's own code.
        promised: labels of errors that the tool returns as its documentation says.
        most: calls that all trials together may take.
        is_late: whether their time is over.
    """

    def __init__(
        self,
        trial: Trial,
        *,
        roots: tuple[str, ...],
        promised: Collection[str] = (),
        most: int,
        is_late: Callable[[], bool] = lambda: False,
    ) -> None:
        self._trials = Trials(trial, roots=roots, most=most, is_late=is_late)
        self._roots, self._promised = roots, promised
        self.bases: list[dict[str, Json]] = []
        """Calls that the tool takes in a fresh process."""

    @property
    def calls(self) -> int:
        """Calls made."""
        return self._trials.calls

    def accepts(self, arguments: dict[str, Json]) -> bool | None:
        """Whether the tool takes a call; ``None`` where that cannot be told, or no more calls may
        be made."""
        return self._asked(arguments)[0]

    def _asked(self, arguments: dict[str, Json]) -> tuple[bool | None, str]:
        tried = self._trials.tried(arguments)
        if tried is None:
            return None, ""
        verdict = is_accepted(tried.outcome, arguments, self._roots, self._promised)
        return verdict, tried.outcome.status

    def begin(self, calls: Sequence[dict[str, Json]]) -> None:
        """Choose the calls to start from: of those given, the first that are taken again."""
        for arguments in calls:
            if len(self.bases) >= _BASES:
                return
            if arguments not in self.bases and self.accepts(arguments):
                self.bases.append(arguments)

    def proof(self, constraint: Constraint) -> Proof:
        """What the tool says to values that keep and that break a constraint."""
        if constraint.kind in RELATIONS:
            return self._order(constraint)
        found = [
            proof for base in self.bases if (proof := self._from(base, constraint)) is not None
        ]
        if not found or not all(proof.holds for proof in found):
            return _UNPROVEN
        return Proof(
            holds=True,
            accepted=sum(proof.accepted for proof in found),
            refused=sum(proof.refused for proof in found),
        )

    def _from(self, base: dict[str, Json], constraint: Constraint) -> Proof | None:
        """The proof from one call; ``None`` where the value is not there."""
        kind, of = KINDS[constraint.kind], constraint.of
        present = values_at(of, base)
        if not present:
            return None
        if any(_contradicts(constraint, value) for value in present):
            return _UNPROVEN  # the tool took it
        current = present[0]
        if kind.holds(constraint, current) is None:
            return None
        accepted = self._answers(base, of, islice(kind.kept(constraint, current), _KEPT))
        broken = islice(kind.broken(constraint, current), _BROKEN)
        refused = self._answers(base, of, chain(_joined(constraint, base, current), broken))
        if not accepted or not refused or not all(accepted) or any(r is not False for r in refused):
            return _UNPROVEN
        return Proof(holds=True, accepted=len(accepted), refused=len(refused))

    def _answers(
        self, base: dict[str, Json], of: ConcernedValue, values: Iterator[Any]
    ) -> list[bool | None]:
        made = (with_value(of, base, value) for value in values)
        return [self.accepts(arguments) for arguments in made if arguments is not None]

    def as_taken(self, constraint: Constraint) -> Constraint | None:
        """A proven constraint in the words that the tool agrees with: a list in any case, where
        each word is taken in another case, too; a relation that allows equal values, where the tool
        takes them. ``None`` where only some are taken, since then neither is true."""
        if constraint.kind in RELATIONS:
            return self._with_equality(constraint)
        value: Any = constraint.value
        if constraint.kind != "values" or not isinstance(value, list):
            return constraint
        words = [str(item) for item in cast("list[Any]", value)]
        others = [
            text
            for word in words
            for text in dict.fromkeys((word.lower(), word.upper(), word.capitalize()))
            if text not in words
        ]
        answers = [
            answer
            for base in self.bases
            if any(isinstance(value, str) for value in values_at(constraint.of, base))
            for answer in self._answers(base, constraint.of, islice(others, _KEPT))
        ]
        if not any(answers):
            return constraint
        return msgspec.structs.replace(constraint, any_case=True) if all(answers) else None

    def _with_equality(self, constraint: Constraint) -> Constraint | None:
        first, second = constraint.of.argument, constraint.other
        bases = [base for base in self.bases if first in base and second in base]
        # An optional argument may shift the bound, such as a fee that is added.
        alone = [{first: base[first], second: base[second]} for base in bases]
        answers = {
            self.accepts({**base, first: value, second: value})
            for base in [*bases, *filter(self.accepts, alone)]
            for value in (base[first], base[second])
        }
        if len(answers) != 1 or None in answers:
            return None
        kind: ConstraintKind = "not after" if answers.pop() else "before"
        return msgspec.structs.replace(constraint, kind=kind)

    def _order(self, constraint: Constraint) -> Proof:
        """That one argument must be less than another: swapped, the call is refused."""
        first, second = constraint.of.argument, constraint.other
        refused = accepted = 0
        for base in self.bases:
            if first not in base or second not in base or base[first] == base[second]:
                continue
            swapped = {**base, first: base[second], second: base[first]}
            if self.accepts(base) and self.accepts(swapped) is False:
                accepted, refused = accepted + 1, refused + 1
            else:
                return _UNPROVEN
        return Proof(holds=refused > 0, accepted=accepted, refused=refused)

    # -- bounds -----------------------------------------------------------------------------------

    def bounds(self, failing: Sequence[dict[str, Json]]) -> Iterator[Constraint]:
        """The bounds of numbers between calls that the tool took and calls that it refused.

        Args:
            failing: arguments of calls that were refused.
        """
        for base in self.bases[:1]:
            for name, taken in base.items():
                if isinstance(taken, bool) or not isinstance(taken, int):
                    continue
                refused = [c[name] for c in failing if isinstance(c.get(name), int)]
                for values in (
                    sorted({v for v in refused if isinstance(v, int) and v < taken}, reverse=True),
                    sorted({v for v in refused if isinstance(v, int) and v > taken}),
                ):
                    found = self._bound(base, name, taken, values)
                    if found is not None and _is_usual(found):
                        yield found

    def _bound(
        self, base: dict[str, Json], name: str, taken: int, refused: Sequence[int]
    ) -> Constraint | None:
        """The bound between a number that is taken and the nearest that is refused for itself."""
        near = [*refused[:_BROKEN], *refused[_BROKEN:][-_BROKEN:]]
        outside = next((v for v in near if self._is_refused(base, name, v)), None)
        if outside is None:
            return None
        inside = taken
        for _ in range(_STEPS):
            if abs(inside - outside) <= 1:
                break
            middle = (inside + outside) // 2
            verdict = self.accepts({**base, name: middle})
            if verdict is None:
                return None
            inside, outside = (middle, outside) if verdict else (inside, middle)
        if abs(inside - outside) != 1 or number_of(inside) is None:
            return None
        return Constraint(
            kind="minimum" if inside > outside else "maximum",
            of=ConcernedValue(argument=name),
            value=inside,
            origin="trial",
        )

    def _is_refused(self, base: dict[str, Json], name: str, value: int) -> bool:
        # How far a machine gets before it is out of time or memory is no bound of the tool's.
        verdict, status = self._asked({**base, name: value})
        return verdict is False and status in ("raised", "ok", "rejected")

    def emptiness(self) -> Iterator[Constraint]:
        """That texts and lists that the tool took are refused where they are empty."""
        for base in self.bases[:1]:
            for name, taken in base.items():
                if isinstance(taken, str | list) and taken:
                    empty: Json = "" if isinstance(taken, str) else []
                    if self.accepts({**base, name: empty}) is False:
                        yield Constraint(
                            kind="not empty", of=ConcernedValue(argument=name), origin="trial"
                        )


def _joined(constraint: Constraint, base: dict[str, Json], current: Any) -> list[str]:
    """Two values of a form with another argument between them, which may be what separates them."""
    if not isinstance(current, str) or constraint.kind not in ("whole number", "number", "form"):
        return []
    others = [o for name, o in base.items() if name != constraint.of.argument]
    made = [f"{current}{other}{current}" for other in others if isinstance(other, str) and other]
    return [text for text in made if KINDS[constraint.kind].holds(constraint, text) is False]


def contradicts_call(constraint: Constraint, arguments: dict[str, Json]) -> bool:
    """Whether a call that the tool took speaks against a constraint."""
    if constraint.kind in RELATIONS:
        return not keeps([constraint], arguments)
    return any(_contradicts(constraint, value) for value in values_at(constraint.of, arguments))


def _contradicts(constraint: Constraint, value: Any) -> bool:
    """Whether a value that the tool took speaks against a constraint; a word of a list that was
    taken in another case does not."""
    if constraint.kind == "values" and isinstance(value, str):
        listed = [str(item) for item in cast("list[Any]", constraint.value)]
        return value.strip().casefold() not in {item.strip().casefold() for item in listed}
    holds = KINDS[constraint.kind].holds(constraint, value)
    is_number = constraint.kind in ("minimum", "maximum", "above", "below")
    # A text that is no number, such as ``50%``, is within no bound.
    return holds is False or (holds is None and is_number and isinstance(value, str))


def _is_usual(constraint: Constraint) -> bool:
    """Whether a bound is one that tools have of themselves: no negative number, or no zero. Others,
    which no decision of the code shows, come from what stands beside it, or from today's date."""
    return constraint.kind == "minimum" and constraint.value in (0, 1)
