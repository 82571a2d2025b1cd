"""Orders of calls: which of a tool's calls go to its companions, and with what.

From time to time a short sequence of calls begins in a fresh process, among them calls of other
tools that share its state. They speak of the same things: an argument is often a value that a call
of the campaign was given or returned.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from knitbone.fuzzing.generate.bounded_generator import BoundedGenerator, CannotGenerateError
from knitbone.fuzzing.generate.fits import fits
from knitbone.fuzzing.generate.shapes import Resolver, properties_of
from knitbone.fuzzing.generate.types import ArgumentProposal, Generator
from knitbone.fuzzing.records import CallOutcome, ToolUnderTest
from knitbone.record.events import Json

__all__ = ["CallSequences", "Proposing", "SequenceStep", "renamed"]

_FIRST = 12
"""Calls of the tool alone, before the first sequence: what it does by itself comes first."""
_PRESUMED_FIRST = 48
"""The same where nothing but one list or server says that its tools share state."""
_ALONE = 24
"""Calls of the tool alone between two sequences."""
_STATEFUL = 8
"""The same, once a call has had another result than the same call before."""
_UNCHANGED = 0.15
"""The same, where no companion's call has gone well since the last of them."""
_LENGTHS = (8, 24)
"""Calls of a sequence."""
_OWN = 0.4
"""How often a call of a sequence is one of the tool itself; the last one always is."""
_KEPT = 6
"""Sequences for which a server, which takes a second to start, is kept."""
_CAST = 3
"""Companions that take part in one sequence."""
_NEAREST = 8
"""Companions that take part at all: those whose names and arguments are most like the tool's."""
_AGAIN = 0.5
"""How often a call is made of one that went well before."""
_TAKEN = 0.95
"""How often an argument is taken from the sequence, where a call is to speak of the same thing."""
_TOGETHER = 0.8
"""How often those that were given or returned together are taken together."""
_LEAST, _MOST = 0.15, 0.85
"""How often a call speaks of what the sequence has: between these, by what went well so far."""
_PATIENCE = 4
"""Proposals, for one that is meant to satisfy the schema."""
_SEEN = 40
"""Values that are remembered."""
_LONGEST = 120
"""Characters of such a value."""
_GIVEN_UP, _PRESUMED_GIVEN_UP = 5, 2
"""Sequences without any other result for the same call, after which there are fewer of them."""
_SELDOM = 60
"""Calls of the tool alone between two sequences from then on."""
_REPEATS = 2
"""Calls of the tool alone that were made before, after which it has nothing new to try alone."""
_SAME_FIELD, _SAME_SEQUENCE = 8, 40
"""How much likelier a value is taken for the like of it, and where it was seen just before."""
_WORD = re.compile(r"[^\W\d_]+")
_NAMED = re.compile(r"[\"']([^\"'\n]{1,120})[\"']|\b([\w.-]*\d[\w.-]*)\b")
"""What in a text may name a thing: what is quoted, what holds a digit."""

Arguments = dict[str, Json]


class SequenceStep(NamedTuple):
    """One call of a sequence."""

    tool: str
    """Name of the companion; ``""``: the tool itself."""
    arguments: Arguments
    begins: bool
    """Whether it is the first of the sequence."""
    fresh: bool
    """Whether it is the first of its process."""


class Proposing:
    """A generator and the number of its proposals."""

    def __init__(self, generator: Generator) -> None:
        self.generator = generator
        self._number = 0

    def propose(self) -> Arguments:
        """The next arguments."""
        return self._next().arguments

    def propose_conforming(self) -> Arguments:
        """The next arguments that are meant to satisfy the schema, if they come soon."""
        proposal = self._next()
        for _ in range(_PATIENCE):
            if proposal.conforming:
                break
            proposal = self._next()
        return proposal.arguments

    def _next(self) -> ArgumentProposal:
        self._number += 1
        return self.generator.propose(self._number)


class _Value(NamedTuple):
    field: str
    value: Json
    sequence: int


class _Partner:
    """A tool that takes part: how its arguments are made, and which went well."""

    def __init__(self, spec: ToolUnderTest, proposing: Proposing) -> None:
        self.proposing = proposing
        self.good: list[Arguments] = []
        self.went: dict[bool, list[int]] = {True: [1, 2], False: [1, 2]}
        """How many calls that spoke of what the sequence has, and that did not, went well, of how
        many."""
        self.spoke: bool | None = None
        """Whether the last one did; ``None``: it belonged to no sequence."""
        self.resolver = Resolver(spec.schema)
        self.body = self.resolver.resolve(spec.schema)
        self.fields = properties_of(self.body)

    def rate(self, *, spoke: bool) -> float:
        """How often a call that spoke of what the sequence has, or that did not, went well."""
        went, of = self.went[spoke]
        return went / of


class CallSequences:
    """The sequences of one campaign. The same seed and outcomes give the same ones."""

    def __init__(
        self,
        tool: ToolUnderTest,
        own: Proposing,
        companions: Sequence[ToolUnderTest],
        *,
        make: Callable[[ToolUnderTest], Generator],
        seed: int,
        time_s: float,
    ) -> None:
        """Args:
        make: makes the generator of a companion's arguments.
        time_s: wall clock of the campaign.
        """
        name = f"{seed}:{tool.name}:orders"
        self._random = random.Random(name.encode("utf-8", "surrogatepass"))  # noqa: S311 - reproducible
        self._partners = {"": _Partner(tool, own)}
        for spec in _nearest(tool, companions):
            try:
                made = Proposing(BoundedGenerator(make, spec, time_s=time_s))
            except CannotGenerateError:
                continue
            self._partners[spec.name] = _Partner(spec, made)
        self._values: list[_Value] = []
        self._things: list[Arguments] = []
        """What calls of the sequence were given, and objects that they returned."""
        self._keep = _KEPT if tool.framework == "mcp" else 1
        presumed = "#" in tool.target or tool.framework == "mcp"
        self._given_up = _PRESUMED_GIVEN_UP if presumed else _GIVEN_UP
        self._alone, self._left, self._sequence = _PRESUMED_FIRST if presumed else _FIRST, 0, 0
        self._cast: list[str] = []
        self._results: dict[str, str] = {}
        self._changed = self._other_results = False
        self._repeats = 0

    def step(self) -> SequenceStep | None:
        """The next call; ``None``: one of the tool alone, as if there were no companions."""
        if self._alone > 0 or len(self._partners) == 1:
            self._alone -= 1
            return None
        begins = self._left == 0
        if begins:
            self._begin()
        self._left -= 1
        last = self._left == 0
        if last:
            self._alone = self._pause()
        often = _OWN if self._changed else _UNCHANGED
        is_own = last or (not begins and self._random.random() < often)
        tool = "" if is_own else self._companion(begins=begins)
        fresh = begins and self._sequence % self._keep == 1 % self._keep
        return SequenceStep(tool, self._arguments(self._partners[tool]), begins, fresh)

    def _companion(self, *, begins: bool) -> str:
        """One of those that take part; those that go well without what others made begin."""
        partners = [self._partners[name] for name in self._cast]
        rates = [partner.rate(spoke=False) for partner in partners]
        if not begins:
            rates = [max(r, p.rate(spoke=True)) for r, p in zip(rates, partners, strict=True)]
        return self._random.choices(self._cast, rates)[0]

    def _pause(self) -> int:
        """Calls of the tool alone until the next sequence."""
        self._repeats = 0
        if self._other_results:
            return _STATEFUL
        return _ALONE if self._sequence < self._given_up else _SELDOM

    def _begin(self) -> None:
        others = [name for name in self._partners if name]
        self._cast = self._random.sample(others, min(_CAST, len(others)))
        self._left = self._random.randint(*_LENGTHS)
        self._sequence += 1
        self._things = []

    def observe(self, tool: str, arguments: Arguments, outcome: CallOutcome, *, well: bool) -> None:
        """Take in what came of a call.

        Args:
            well: it came to a normal result.
        """
        partner = self._partners.get(tool)
        if partner is None:
            return
        self._changed = bool(tool) and (well or self._changed)
        if not tool:
            key = json.dumps(arguments, sort_keys=True)
            result = json.dumps([outcome.status, outcome.text, outcome.message])
            if self._left == 0 and key in self._results:
                self._repeats += 1
                if self._repeats >= _REPEATS:
                    self._alone = 0
            self._other_results |= self._results.setdefault(key, result) != result
        if partner.spoke is not None:
            went = partner.went[partner.spoke]
            went[0], went[1], partner.spoke = went[0] + well, went[1] + 1, None
        if not well:
            return
        if arguments not in partner.good:
            partner.good = [*partner.good[-_SEEN:], arguments]
        returned = _parsed(outcome.text)
        things: list[Any] = [arguments, returned]
        self._things += [cast("Arguments", thing) for thing in things if isinstance(thing, dict)]
        for field, value in (*_leaves(arguments), *_values_in(outcome.text, returned)):
            self._remember(field, value)

    def drop(self, tool: str) -> None:
        """Call a companion no more: it ends or holds up the process."""
        self._partners.pop(tool, None)
        self._cast = [name for name in self._partners if name]
        self._left = 0
        self._alone = max(self._alone, 1)

    # -- arguments ----------------------------------------------------------------------------

    def _arguments(self, partner: _Partner) -> Arguments:
        again = bool(partner.good) and self._random.random() < _AGAIN
        if again:
            base = self._random.choice(partner.good)
        else:
            base = partner.proposing.propose_conforming()
        known, new = partner.rate(spoke=True), partner.rate(spoke=False)
        partner.spoke = self._random.random() < min(max(known / (known + new), _LEAST), _MOST)
        return self._filled(partner, base) if partner.spoke else base

    def _filled(self, partner: _Partner, arguments: Arguments) -> Arguments:
        """The arguments with values that were seen, those of the sequence and of the same field
        first."""
        made = dict(arguments)
        taken = self._together(partner) if self._random.random() < _TOGETHER else {}
        made |= taken
        for name in partner.fields:
            if name not in made or name in taken or self._random.random() >= _TAKEN:
                continue
            schema = partner.fields[name]
            fitting = [v for v in self._values if fits(v.value, schema, partner.resolver)]
            if fitting:
                weights = [
                    (_SAME_FIELD if _alike(v.field, name) else 1)
                    * (_SAME_SEQUENCE if v.sequence == self._sequence else 1)
                    for v in fitting
                ]
                [chosen] = self._random.choices(fitting, weights)
                made[name] = chosen.value
        return made if fits(made, partner.body, partner.resolver) else arguments

    def _together(self, partner: _Partner) -> Arguments:
        """What one call of the sequence was given, or returned, under the names of arguments."""
        found = [
            {name: thing[name] for name in partner.fields if name in thing}
            for thing in self._things
        ]
        fitting = [each for each in found if each]
        return self._random.choice(fitting) if fitting else {}

    def _remember(self, field: str, value: Json) -> None:
        new = _Value(field, value, self._sequence)
        self._values = [v for v in self._values if (v.field, repr(v.value)) != (field, repr(value))]
        self._values = [*self._values[1 - _SEEN :], new]


def renamed(calls: Arguments, last: Arguments, texts: Sequence[str]) -> Iterator[Arguments]:
    """The calls with other names for the things that the last one is given: those that calls of
    the sequence returned, the first ones first.

    Args:
        texts: what the calls before the last one returned.
    """
    returned = [value for text in texts for _, value in _values_in(text, _parsed(text))]
    for _, old in _leaves(last):
        if old in returned:
            for new in returned[: returned.index(old)]:
                if type(new) is type(old):
                    yield _replaced(calls, old, new)


def _replaced(value: Any, old: Json, new: Json) -> Any:
    if isinstance(value, dict):
        pairs = cast("dict[str, Any]", value).items()
        return {key: _replaced(part, old, new) for key, part in pairs}
    if isinstance(value, list):
        return [_replaced(part, old, new) for part in cast("list[Any]", value)]
    return new if value == old and type(value) is type(old) else value


def _nearest(tool: ToolUnderTest, companions: Sequence[ToolUnderTest]) -> list[ToolUnderTest]:
    own = _words(tool)
    return sorted(companions, key=lambda spec: -len(own & _words(spec)))[:_NEAREST]


def _words(tool: ToolUnderTest) -> set[str]:
    text = " ".join((tool.name, *properties_of(tool.schema)))
    return {word.lower() for word in _WORD.findall(text.replace("_", " "))}


def _alike(first: str, second: str) -> bool:
    """Whether two fields may name the same: ``id`` and ``song_id``, ``names`` and ``name``."""
    if not first:
        return True  # what a call returned, without a name
    first, second = first.lower().rstrip("s"), second.lower().rstrip("s")
    return bool(first and second) and (first.endswith(second) or second.endswith(first))


def _leaves(value: Any, field: str = "", depth: int = 0) -> Iterator[tuple[str, Json]]:
    """Texts and numbers, each with the name that it stands under."""
    if isinstance(value, Mapping) and depth < 4:
        for key, part in cast("Mapping[str, Any]", value).items():
            yield from _leaves(part, str(key), depth + 1)
    elif isinstance(value, list) and depth < 4:
        for part in cast("list[Any]", value)[:8]:
            yield from _leaves(part, field, depth + 1)
    elif isinstance(value, str | int | float) and 0 < len(str(value)) <= _LONGEST:
        yield field, value


def _parsed(text: str) -> Any:
    """What a result says as JSON; ``None`` where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _values_in(text: str, parsed: Any) -> Iterator[tuple[str, Json]]:
    """What in a result may name a thing."""
    if parsed is not None:
        yield from _leaves(parsed)
        return
    if len(text) <= _LONGEST and len(text.split()) == 1:
        yield "", text
    for quoted, named in _NAMED.findall(text[:2_000])[:8]:
        yield "", quoted or named
        if named.isdecimal() and len(named) < 10:
            yield "", int(named)
