"""Degenerate loops: a model that says the same again and again until it is cut off.

A run of atoms with a period is a loop when it comes round often enough that nobody would have
written it: four times for whole sentences, far more often for short lines, which verses, exercises
and columns of values repeat on purpose.

Source: Comfrey §4.5.2 (internal redundancy); the loop as a case of its own is ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from knitbone.adaptation.repair.checks import Deadline
from knitbone.adaptation.scenario.semantics.atoms import AnswerAtoms, Atom

__all__ = ["Loop", "find_loops", "find_restart"]

MAX_PERIOD = 64
"""Pieces of one round: a recipe or a paragraph with its heading."""
_ROUNDS_PROSE = 4
_ROUNDS_SHORT = 12
"""A refrain comes some five times; nobody writes the same short line twelve times running."""
_PROSE_WORDS = 8
"""Words of one round that count as prose; under it a round is short."""
_ROUNDS_WHOLE = 2
_WHOLE_WORDS = 4
"""Words of an answer that comes more than twice."""


class Loop(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of atoms with a period: the first round stays."""

    first: int
    """The first atom of the first round."""
    stop: int
    """Behind the last atom that repeats, a round that was cut off included."""
    period: int

    @property
    def rounds(self) -> int:
        """Whole rounds."""
        return (self.stop - self.first) // self.period

    @property
    def surplus(self) -> range:
        """The atoms that say nothing new."""
        return range(self.first + self.period, self.stop)


def find_loops(answer: AnswerAtoms, deadline: Deadline) -> list[Loop]:
    """Find the loops, in order, not overlapping.

    Raises:
        TimeoutError: the deadline has passed.
    """
    atoms = answer.atoms
    keys: list[int] = []
    numbers: dict[tuple[str, ...], int] = {}
    for place, atom in enumerate(atoms):
        # What is never cut equals nothing, itself included.
        key = numbers.setdefault(atom.words, len(numbers)) if atom.words else -1 - place
        keys.append(key)
    if len(keys) - len(numbers) < _ROUNDS_PROSE - 1:
        return []
    found: list[Loop] = []
    place = 0
    for loop in sorted(_periodic(keys, atoms, deadline), key=lambda x: (x.first, x.period)):
        if loop.first >= place:
            loop_ = _with_cut_off_atom(loop, atoms)
            found.append(loop_)
            place = loop_.stop
    return found


def _periodic(keys: Sequence[int], atoms: Sequence[Atom], deadline: Deadline) -> Iterator[Loop]:
    """Yield the stretches that come round often enough to be loops."""
    for period in range(1, min(MAX_PERIOD, len(keys) // 2) + 1):
        deadline.check()
        start = period
        for index in range(period, len(keys) + 1):
            if index < len(keys) and keys[index] == keys[index - period]:
                continue
            if index > start:
                loop = Loop(first=start - period, stop=index, period=period)
                round_ = atoms[loop.first : loop.first + period]
                if _says_something(round_) and loop.rounds >= _rounds_needed(round_):
                    # Two short sentences make a round, though they are one and the same.
                    least = _least_period(keys[loop.first : loop.first + period])
                    whole = period % least == 0
                    yield msgspec.structs.replace(loop, period=least) if whole else loop
            start = index + 1


def _rounds_needed(round_: Sequence[Atom]) -> int:
    """Return the number of rounds that make a loop of this one."""
    words = sum(len(atom.words) for atom in round_)
    prose = all(atom.kind in ("sentence", "heading") for atom in round_)
    closed = any(atom.kind == "sentence" and atom.closed for atom in round_)
    return _ROUNDS_PROSE if prose and closed and words >= _PROSE_WORDS else _ROUNDS_SHORT


def _says_something(round_: Sequence[Atom]) -> bool:
    """Return whether a round is more than a column of signs or numbers, which are counted."""
    return any(len(word) > 1 and word.isalpha() for atom in round_ for word in atom.words)


def _with_cut_off_atom(loop: Loop, atoms: Sequence[Atom]) -> Loop:
    """Return the loop with the last atom of the answer, where that is the next one, cut off."""
    if loop.stop != len(atoms) - 1:
        return loop
    expected = atoms[loop.stop - loop.period].text
    last = atoms[loop.stop]
    cut_off = last.kind != "other" and len(last.text) < len(expected)
    if cut_off and expected.startswith(last.text):
        return msgspec.structs.replace(loop, stop=loop.stop + 1)
    return loop


def find_restart(answer: AnswerAtoms) -> Loop | None:
    """Find the whole answer as one loop: it was written from its start to its end, and then again.

    Two rounds are enough where nothing else is said. The second opens a block or a line of its
    own; the last one may be cut off.
    """
    atoms = answer.atoms
    if len(atoms) < _ROUNDS_WHOLE or not all(atom.words for atom in atoms):
        return None
    for stop in (len(atoms), len(atoms) - 1):
        period = _least_period([atom.words for atom in atoms[:stop]])
        loop = _with_cut_off_atom(Loop(first=0, stop=stop, period=period), atoms)
        if loop.stop == len(atoms) and loop.rounds >= _ROUNDS_WHOLE and len(atoms) % period == 0:
            return loop if _is_whole(answer, loop) else None
    return None


def _is_whole(answer: AnswerAtoms, loop: Loop) -> bool:
    """Return whether one round says enough to be an answer, and is no stanza."""
    *round_, again = answer.atoms[: loop.period + 1]
    words = sum(len(atom.words) for atom in round_)
    least = _PROSE_WORDS if loop.rounds == _ROUNDS_WHOLE else _WHOLE_WORDS
    opens = again.kind == "line" or again.block != round_[-1].block
    stanza = any(not atom.closed and answer.blocks[atom.block].kind == "lines" for atom in round_)
    return opens and words >= least and not stanza and _says_something(round_)


def _least_period(keys: Sequence[object]) -> int:
    """Return the least number of keys after which all come again, the last time in part.

    By the prefix function of Knuth, Morris and Pratt.
    """
    borders = [0] * len(keys)
    for index in range(1, len(keys)):
        border = borders[index - 1]
        while border and keys[index] != keys[border]:
            border = borders[border - 1]
        borders[index] = border + (keys[index] == keys[border])
    return max(len(keys) - borders[-1], 1) if keys else 1
