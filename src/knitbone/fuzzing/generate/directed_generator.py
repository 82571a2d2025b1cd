"""Arguments that take a tool's code where it has not been.

Each call tells what the tool did with its arguments (``fuzzing/trace``). From that the generator
works out arguments that turn a decision, or make an operation fail, that has not been seen so; a
part of the calls goes on drawing from the schema alone, so that nothing depends on what could be
recorded. Source: ToolFuzz §4.1, taint fuzzing; the solving of recorded terms is ours.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple, cast

from knitbone.fuzzing.generate.examples import shown_examples
from knitbone.fuzzing.generate.fits import fits, siblings
from knitbone.fuzzing.generate.refusal_hints import corrected_calls, new_suggestions, reason_words
from knitbone.fuzzing.generate.schema import SchemaGenerator
from knitbone.fuzzing.generate.shapes import Resolver
from knitbone.fuzzing.generate.types import ArgumentProposal
from knitbone.fuzzing.records import CallOutcome, ToolUnderTest
from knitbone.fuzzing.solve.inverse.view import in_order
from knitbone.fuzzing.solve.search import slow, solve, vary
from knitbone.fuzzing.trace.describe import describe
from knitbone.fuzzing.trace.terms import UNKNOWN, CallTrace, Event, Path, Term, unpack
from knitbone.record.events import Json

__all__ = ["DirectedGenerator", "Goal", "compared_texts"]


# Texts that a tool's conditions compare arguments with, such as the members of a table.

_WORDS, _WORD_LENGTH = 40, 40
_COMPARED = frozenset(
    {"in", "member", "operator.eq", "operator.ne", "operator.getitem", "operator.le", "operator.ge"}
    | {".str.startswith", ".str.endswith", ".list.index", ".tuple.index"}
)


def compared_texts(term: Term) -> Iterator[str]:
    """The short texts that a condition compares with."""
    if term.op in _COMPARED:
        for part in term.args:
            if isinstance(part, str):
                yield from [part] if 0 < len(part) <= _WORD_LENGTH else ()
            elif isinstance(part, dict | list | tuple | set | frozenset):
                held = in_order(part)[:_WORDS]
                yield from (m for m in held if isinstance(m, str) and 0 < len(m) <= _WORD_LENGTH)


# Goals that one call of a tool leaves to be reached by another one.
#
# The other way at each decision that the call came to, and values at which a tool's code often goes
# wrong though no decision shows them: the bound of a comparison, each member of a table, zero.

_MEMBERS = 24
_FIRST = 4
_SAMPLES = 3
_ORDER = frozenset({"operator.lt", "operator.le", "operator.gt", "operator.ge"})
_MISSING = frozenset({"text", "hostname", "port"})
"""Attributes that are ``None`` where a document says nothing."""
_MATCHING = frozenset({"re.match", "re.fullmatch", "re.search"})


class Goal(NamedTuple):
    """Something that a call has not done yet."""

    key: tuple[Any, ...]
    """Names it: the place in the code, then the kind."""
    wanted: Event
    """The event that would show it. Beside the kinds that are recorded (``branch``, ``call``):
    ``slow``, an expression on a text that it takes long for; ``sample``, one more text that
    matches."""
    rank: int
    """How soon it is worth trying: 0 first."""


def goals_of(event: Event) -> Iterator[Goal]:
    """The goals that one event of a call gives rise to."""
    site, kind, term, outcome = event
    # The other outcome of a failed operation is what a normal call does: it comes first.
    yield Goal((site, kind, not outcome), event._replace(outcome=not outcome), 0)
    if kind == "branch":
        yield from _of_branch(site, term, outcome)
    else:
        yield from _of_call(site, term, outcome)


def _of_branch(site: int, term: Term, outcome: bool) -> Iterator[Goal]:
    if term.op in _ORDER:
        equal = Term("operator.eq", term.args)
        yield Goal((site, "bound"), Event(site, "branch", equal, True), 1)
    elif term.op == "in":
        yield from _members(site, term.args[0], term.args[1])
    elif term.op == "operator.truth" and outcome and _is_match(term.args[0]):
        for number in range(_SAMPLES):
            yield Goal((site, "sample", number), Event(site, "sample", term, True), 2)


def _is_match(term: Any) -> bool:
    return type(term) is Term and term.op in _MATCHING


def _of_call(site: int, term: Term, outcome: bool) -> Iterator[Goal]:
    if not outcome:
        return
    if term.op.startswith("re."):
        yield Goal((site, "slow"), Event(site, "slow", term, True), 1)
    if term.op in ("int", "float", "len", "sum", "operator.sub", "decimal.Decimal", "round"):
        for value in (0, -1, 1) if term.op != "len" else (0, 1):
            wanted = Term("operator.eq", (term, value))
            yield Goal((site, "value", value), Event(site, "branch", wanted, True), 1)
        for odd in ("isnan", "isinf") if term.op == "float" else ():
            wanted = Term("operator.truth", (Term(f"math.{odd}", (term,)),))
            yield Goal((site, odd), Event(site, "branch", wanted, True), 1)
    elif (term.op == "operator.getitem" and type(term.args[0]) is not Term) or term.op == "member":
        yield from _members(site, term.args[1], term.args[0])
    elif term.op == ".Match.group" or (term.op == "getattr" and term.args[1] in _MISSING):
        missing = Term("operator.truth", (term,))
        yield Goal((site, "missing"), Event(site, "branch", missing, False), 1)


def _members(site: int, item: Any, held: Any) -> Iterator[Goal]:
    """Each member of a table of the code, or of a list from the arguments: what is the same there
    as here, a name that stands for itself among them."""
    if type(item) is not Term:
        return
    members: list[Any] = []
    if type(held) is Term:
        many = len(held.args) if held.op in ("list", "tuple") else _FIRST
        members = [Term("operator.getitem", (held, n)) for n in range(min(many, _FIRST))]
    elif isinstance(held, dict | list | tuple | set | frozenset):
        members = [member for member in in_order(held) if member is not UNKNOWN]
    for number, member in enumerate(members[:_MEMBERS]):
        wanted = Term("operator.eq", (item, member))
        yield Goal((site, "member", number), Event(site, "branch", wanted, True), 1)


_FIRST_CALLS = 4
"""Calls from the schema alone, before anything is known."""
_SEEDS = 100
"""Calls that examples may fill one after the other; more of them take turns with what is worked
out."""
_EVERY = 4
"""Then one call in so many."""
_SOLVED = 8
"""Goals that are worked on for one call."""
_ATTEMPTS = 8
"""How often a goal is tried to be reached, before it is given up."""
_STARTS = 4
"""The last calls from which it is tried."""
_FIRST_RANK, _LAST_RANK = 0, 9
"""Of goals: outcomes that were never seen, and all others."""
_LONGEST = 16_000
"""Characters of one call's arguments as JSON: a reproducer must fit on a command line."""
_AGAIN = 10
"""One call in so many is one that was made before."""
_KEPT = 32
"""Ways of calls that went well and may be made again."""
_TOLD_FIRST, _TOLD_EVERY = 4, 8
"""One call in so many is a refused one with what its message told: until one goes well, and
afterwards."""
_TOLD_KEPT, _TOLD_EACH = 60, 8
"""Such calls that wait, and those made of one message."""
_HARD = 4
"""Where fewer than one call in so many goes well, one in so many is such a one with one field anew:
what is drawn from the schema alone stays outside."""
_PATIENCE = 12
"""Proposals of the schema that were tried already, before one is tried again."""
_NEAR_MISS = 8
"""One proposal of the schema in so many may miss it."""


class _Run:
    """One call: its arguments and what the tool did."""

    def __init__(self, arguments: dict[str, Json], trace: CallTrace) -> None:
        self.arguments = arguments
        self.events = trace.events


class _Goal:
    """Something to be reached, and from where."""

    def __init__(self, rank: int, number: int) -> None:
        self.rank = rank
        """How soon it is worth trying: 0 first."""
        self.number = number
        self.attempts = 0
        self.starts: list[tuple[_Run, int, Event]] = []


class DirectedGenerator:
    """Proposes arguments for one tool, and learns from its calls."""

    def __init__(
        self,
        tool: ToolUnderTest,
        *,
        seed: int,
        paths: Sequence[str] = (),
        examples: Sequence[dict[str, Json]] = (),
    ) -> None:
        """Args:
        paths: files and folders that exist in the private directory.
        examples: calls to begin with; those that the tool's own words show come after them.
        """
        self._seeds = [*examples, *shown_examples(tool)]
        self._schema = SchemaGenerator(tool, seed=seed, paths=paths)
        self._resolver = Resolver(tool.schema)
        self._body = tool.schema
        self._rng = random.Random(f"{seed}:{tool.name}:directed".encode("utf-8", "surrogatepass"))  # noqa: S311 - reproducible
        self._drawn = self._asked = self._missed = self._seen = self._well = 0
        self._tried: set[str] = set()
        self._reached: set[tuple[Any, ...]] = set()
        self._goals: dict[tuple[Any, ...], _Goal] = {}
        self._ways: set[tuple[Any, ...]] = set()
        self._corpus: list[_Run] = []
        """Calls that did something that none before had done."""
        self._words: dict[str, None] = {}
        """Texts of the code that arguments are compared with."""
        self._normal: dict[frozenset[tuple[int, bool]], dict[str, Json]] = {}
        """The last call that went well, for each way through the code."""
        self._learned: dict[str, None] = {}
        self._told: list[dict[str, Json]] = []
        """Refused calls with what their messages told, the latest message first."""
        self._ahead: dict[str, dict[str, Json]] = {}
        """The first call that was refused in each wording."""
        self._worded: Counter[str] = Counter()
        """How many were; what is said seldom is said to calls that got far."""
        self._often: set[tuple[Any, ...]] = set()
        """Outcomes, and how often one call had them: a loop that goes round more often is news."""
        self._new: list[Iterator[dict[str, Json]]] = []

    def propose(self, call: int) -> ArgumentProposal:
        """The arguments of one call."""
        while self._seeds and (call <= _SEEDS or call % _EVERY == 0):
            given = self._seeds.pop(0)
            if _key(given) not in self._tried:
                self._tried.add(_key(given))
                return ArgumentProposal(arguments=given, conforming=True)
        told = self._from_messages(call)
        if told is not None:
            return ArgumentProposal(arguments=told, conforming=True)
        if call > _FIRST_CALLS and call % _HARD == 2 and (near := self._near_normal()) is not None:
            return ArgumentProposal(arguments=near, conforming=True)
        if call % _AGAIN == 0 and self._normal:
            # What the tool keeps from one call to the next shows when a call is made again.
            again = self._rng.choice(list(self._normal.values()))
            return ArgumentProposal(arguments=again, conforming=True)
        if call > _FIRST_CALLS and call % _EVERY:
            made = self._toward_goals(_FIRST_RANK) or self._sibling()
            made = made or self._toward_goals() or self._other_way() or self._variation()
            if made is not None:
                self._tried.add(_key(made))
                return ArgumentProposal(arguments=made, conforming=True)
        return self._from_schema()

    def _from_schema(self) -> ArgumentProposal:
        """The next proposal of the schema that was not tried; near misses keep to their share also
        where all else was tried."""
        self._asked += 1
        tried: ArgumentProposal | None = None
        for _ in range(_PATIENCE):
            self._drawn += 1
            proposal = self._schema.propose(self._drawn)
            if not proposal.conforming and self._missed * _NEAR_MISS > self._asked:
                continue
            key = _key(proposal.arguments)
            if key not in self._tried:
                self._tried.add(key)
                self._missed += not proposal.conforming
                return proposal
            tried = proposal
        return tried or proposal  # pyright: ignore[reportPossiblyUnboundVariable] - patience is > 0

    def observe(
        self,
        arguments: dict[str, Json],
        outcome: CallOutcome,
        failure: str | None,
    ) -> None:
        """Take in what the tool did with the arguments of the last proposal."""
        trace = unpack(outcome.trace or {})
        self._seen += 1
        if outcome.status == "ok" and failure is None:
            self._well += 1
            way = frozenset((event.site, event.outcome) for event in trace.events)
            if way in self._normal or len(self._normal) < _KEPT:
                self._normal[way] = arguments
        if failure is not None:
            self._read(outcome.message or outcome.text, arguments)
        run = _Run(arguments, trace)
        before = len(self._often)
        self._often.update(("condition", *condition) for condition in trace.covered)
        times: Counter[tuple[Any, ...]] = Counter()
        for event in trace.events:
            way = (event.site, event.kind, event.outcome)
            self._reached.add(way)
            times[way] += 1
            self._often.add((*way, times[way]))
            for line in describe(event):
                self._learned.setdefault(line)
            self._words.update(dict.fromkeys(compared_texts(event.term)))
        if len(self._often) > before:
            self._corpus.append(run)
            draw = self._schema.draw
            self._new.append(siblings(arguments, self._body, self._resolver, draw))
        for index, event in enumerate(trace.events):
            for key, wanted, rank in goals_of(event):
                if key in self._reached:
                    self._goals.pop(key, None)
                    continue
                goal = self._goals.get(key)
                if goal is None:
                    goal = self._goals[key] = _Goal(rank, len(self._goals))
                goal.starts.append((run, index, wanted))
                del goal.starts[:-_STARTS]

    def behaviours(self) -> tuple[str, ...]:
        """What was learned of the tool, for people: ``split on ";" into 3``, a line each."""
        return tuple(self._learned)

    # -- what messages tell ---------------------------------------------------------------------

    def _read(self, message: str, arguments: dict[str, Json]) -> None:
        """Line up what a message tells, unless the same was told before."""
        said = reason_words(message, arguments)
        self._worded[said] += 1
        if self._worded[said] > 1:
            return
        self._ahead[said] = arguments
        values = new_suggestions(message, arguments)
        made = islice(filter(self._is_new, corrected_calls(arguments, message, values)), _TOLD_EACH)
        self._told = [*made, *self._told][:_TOLD_KEPT]

    def _from_messages(self, call: int) -> dict[str, Json] | None:
        """The next call that a message told of, where it is time for one."""
        if not self._told or call % (_TOLD_EVERY if self._normal else _TOLD_FIRST):
            return None
        told = self._told.pop(0)
        if not self._is_new(told):
            return None
        self._tried.add(_key(told))
        return told

    def _near_normal(self) -> dict[str, Json] | None:
        """Where few calls go well, one that did, or one that was refused as few are, with one field
        anew."""
        rarest = sorted(self._ahead, key=self._worded.__getitem__)[:_STARTS]
        known = list(self._normal.values()) or [self._ahead[said] for said in rarest]
        if not known or self._well * _HARD >= self._seen:
            return None
        for _ in range(_PATIENCE):
            made = self._schema.redraw(self._rng.choice(known))
            if self._is_new(made):
                self._tried.add(_key(made))
                return made
        return None

    # -- where to -----------------------------------------------------------------------------

    def _toward_goals(self, rank: int = _LAST_RANK) -> dict[str, Json] | None:
        """Arguments for the first goals that can be reached: new outcomes before mere values."""
        waiting = sorted(
            (g for g in self._goals.items() if g[1].attempts < _ATTEMPTS and g[1].rank <= rank),
            key=lambda item: (item[1].attempts, item[1].rank, item[1].number),
        )
        for key, goal in waiting[:_SOLVED]:
            run, index, wanted = goal.starts[-1 - goal.attempts % len(goal.starts)]
            goal.attempts += 1
            made = self._solve(run, index, wanted)
            if made is not None:
                if goal.rank:
                    self._reached.add(key)
                    del self._goals[key]
                return made
        return None

    def _sibling(self) -> dict[str, Json] | None:
        """A call that reached something new, with another of the few values that a flag, a choice
        or an optional field has: what the code does with those is not always told."""
        while self._new:
            made = next(self._new[0], None)
            if made is None:
                self._new.pop(0)
            elif self._is_new(made):
                return made
        return None

    def _other_way(self) -> dict[str, Json] | None:
        """Arguments that turn a decision whose other outcome is known, but not on this way."""
        left = _SOLVED
        for run, index, way in self._ways_left():
            self._ways.add(way)
            event = run.events[index]
            made = self._solve(run, index, event._replace(outcome=not event.outcome))
            left -= 1
            if made is not None:
                return made
            if not left:
                return None
        return None

    def _ways_left(self) -> Iterator[tuple[_Run, int, tuple[Any, ...]]]:
        for run in reversed(self._corpus):
            way = 0
            for index, event in enumerate(run.events):
                key = (way, event.site, not event.outcome)
                if key not in self._ways:
                    yield run, index, key
                way = hash((way, event.site, event.outcome))
                self._ways.add((way, "seen"))

    def _variation(self) -> dict[str, Json] | None:
        """A call that led somewhere, with small changes; the later ones led further."""
        for _ in range(_SOLVED if self._corpus else 0):
            last = len(self._corpus) - 1
            made = self._corpus[last - int(last * self._rng.random() ** 2)].arguments
            paths = list(_leaves(made))
            if not paths:
                return None
            for _ in range(self._rng.randint(1, 3)):
                made = vary(made, self._rng.choice(paths), self._rng, tuple(self._words))
            if self._is_new(made):
                return made
        return None

    def _solve(self, run: _Run, index: int, wanted: Event) -> dict[str, Json] | None:
        way = run.events[:index]
        if wanted.kind == "slow":
            return slow(way, wanted.term, run.arguments, self._rng, allowed=self._is_new)
        if wanted.kind == "sample":
            wanted = wanted._replace(kind="branch")
        return solve(way, wanted, run.arguments, self._rng, allowed=self._is_new)

    def _is_new(self, arguments: dict[str, Json]) -> bool:
        key = _key(arguments)
        return (
            key not in self._tried
            and len(key) <= _LONGEST
            and fits(arguments, self._body, self._resolver)
        )


def _key(arguments: dict[str, Json]) -> str:
    return json.dumps(arguments, sort_keys=True)


def _leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    if isinstance(value, dict | list) and len(path) < 6:
        held = cast("Any", value)
        pairs: Any = held.items() if isinstance(value, dict) else enumerate(held)
        if path:
            yield path
        for key, part in pairs:
            yield from _leaves(part, (*path, key))
    elif path:
        yield path
