"""A recorded term, computed again for the same arguments, is the value that the tool saw: what the
generator works out is true of the tool."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from test_trace_fidelity import EXAMPLES, cases
from trace_corpus import PROGRAMS, Program
from trace_support import compiled, did, shown

from knitbone.fuzzing.solve.evaluate import FailedError, Point
from knitbone.fuzzing.solve.limits import UndefinedError
from knitbone.fuzzing.trace import recorder, strip, values
from knitbone.fuzzing.trace.terms import CallTrace, Event, Term, pack, unpack


class Seen:
    """Every term that one call made, with what it stood for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.values: list[tuple[Term, Any]] = []
        self.events: list[tuple[str, Term, bool]] = []
        wrap, note = values._wrap, recorder.TraceRecorder._note

        def wrap_and_keep(value: Any, term: Term, *rest: Any) -> Any:
            self.values.append((term, shown(strip.clean(copy.deepcopy(value)))))
            return wrap(value, term, *rest)

        def note_and_keep(own: Any, site: int, kind: str, term: Any, outcome: bool) -> None:
            if own.active and type(term) is Term:
                self.events.append((kind, term, outcome))
            note(own, site, kind, term, outcome)

        monkeypatch.setattr(values, "_wrap", wrap_and_keep)
        monkeypatch.setattr(recorder.TraceRecorder, "_note", note_and_keep)


def travelled(term: Term) -> Term:
    """As the generator gets it."""
    event = Event(0, "call", term, True)
    events = unpack(json.loads(json.dumps(pack(CallTrace((event,), frozenset(), {}))))).events
    return events[0].term if events else Term("unknown", ())


def check(program: Program, arguments: dict[str, Any]) -> int:
    """How many terms could be computed; all of them must be right."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        function = compiled(program).rewritten
        seen = Seen(monkeypatch)
        did(function, arguments, recorded=True)
    defined = 0
    for term, expected in seen.values:
        try:
            value = Point(copy.deepcopy(arguments)).value(travelled(term))
        except UndefinedError:
            continue
        except FailedError:
            value = FailedError
        defined += 1
        assert shown(value) == expected, (term, arguments)
    for kind, term, outcome in seen.events:
        try:
            value = Point(copy.deepcopy(arguments)).value(travelled(term))
        except UndefinedError:
            continue
        except FailedError:
            value = FailedError
        defined += 1
        held = value is not FailedError if kind == "call" else bool(value)
        assert held == outcome, (kind, term, value, arguments)
    return defined


@settings(max_examples=1_500, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases())
def test_terms_are_worth_what_the_tool_saw(case):
    check(*case)


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_terms_of_every_program(number):
    program = PROGRAMS[number]
    for turn in range(6):
        arguments = {
            name: EXAMPLES[kind][(turn + index) % len(EXAMPLES[kind])]
            for index, (name, kind) in enumerate(program.parameters.items())
        }
        check(program, arguments)


def test_most_terms_can_be_computed():
    program = next(p for p in PROGRAMS if "csv.reader(io.StringIO(s))" in p.source)
    assert check(program, {"s": "a,b\n1,2"}) > 5
