from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence, ranks
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.region import analyst_region, contiguous, frontier
from knitbone.tethering.diagnosis.suspicion import combined, first_departure, suspicions
from knitbone.tethering.diagnosis.units import TransitionUnit, UnitCall


def unit(ordinal, *, side_effect=False, status="ok", action="", calls=(), used=()):
    return TransitionUnit(
        ordinal=ordinal, index=ordinal, event=str(ordinal), observation="", belief="",
        action=action or f"a{ordinal}", feedback="", agent="agent", calls=calls,
        side_effect=side_effect, status=status, used=frozenset(used),
    )  # fmt: skip


def units_of(count, **changed):
    return [unit(k, **changed) for k in range(count)]


def plane(scores, name="run-local"):
    return [
        PlaneEvidence(plane=name, ordinal=k, score=score, rank=rank)
        for k, (score, rank) in enumerate(zip(scores, ranks(scores), strict=True))
    ]


def best(scores):
    return max(range(len(scores)), key=scores.__getitem__)


def test_of_two_equally_odd_steps_the_first_is_blamed():
    scores = suspicions(units_of(5), plane([0.1, 0.9, 0.1, 0.9, 0.1]))
    assert best(scores) == 1
    assert sum(scores) == pytest.approx(1.0)


@pytest.mark.parametrize(("count", "blamed"), [(2, 1), (3, 2), (5, 0)])
def test_among_few_steps_a_failure_goes_before_any_score(count, blamed):
    units = units_of(count - 1)
    units.append(unit(count - 1, status="error", calls=(UnitCall(tool="boom"),)))
    scores = suspicions(units, plane([0.9] + [0.1] * (count - 1)))
    assert best(scores) == blamed


def test_a_clearly_odder_late_step_still_wins():
    scores = suspicions(units_of(30), plane([0.5] * 29 + [0.9]))
    assert best(scores) == 29


def test_in_a_run_that_changes_state_reading_steps_take_nothing_from_later_ones():
    reading = [unit(k, side_effect=k == 9) for k in range(10)]
    flat = [0.0] * 10
    assert first_departure(reading, flat)[8] == first_departure(reading, flat)[0]
    talking = first_departure(units_of(10), flat)
    assert talking[8] < talking[0]


def test_planes_weigh_the_same_whatever_their_scale():
    small, large = plane([0.0, 0.001, 0.0]), plane([900.0, 0.0, 0.0], "offline")
    scores = combined(3, [*small, *large])
    assert scores[0] == pytest.approx(scores[1])
    assert scores[2] < scores[0]


def test_a_plane_that_says_the_same_of_all_changes_nothing():
    one = plane([0.2, 0.7, 0.4])
    assert combined(3, [*one, *plane([0.5] * 3, "rules")]) == pytest.approx(combined(3, one))


def test_a_loop_goes_before_any_score_at_its_first_call():
    call = (UnitCall(tool="pay", arguments={}),)
    units = [unit(k, status="error", action="pay {}", calls=call) for k in range(3)] + [unit(3)]
    scores = suspicions(units, plane([0.1, 0.2, 0.3, 0.9]))
    assert best(scores) == 0
    assert scores[0] > 1


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(-5, 5), st.booleans()), max_size=30))
def test_first_departure_is_a_distribution(items):
    units = [unit(k, side_effect=effect) for k, (_, effect) in enumerate(items)]
    found = first_departure(units, [score for score, _ in items])
    assert all(value >= 0 and math.isfinite(value) for value in found)
    assert not items or sum(found) == pytest.approx(1.0)


def test_the_frontier_ends_at_the_largest_drop():
    assert frontier(plane([0.1, 0.9, 0.2, 0.8, 0.15])) == [1, 3]
    assert frontier(plane([0.5, 0.5, 0.5])) == []
    assert frontier([]) == []


def test_the_region_is_the_union_of_the_planes_frontiers():
    units = tuple(units_of(16))
    graph = build_graph(units)
    one = plane([1.0 if k == 2 else 0.1 for k in range(16)])
    other = plane([1.0 if k == 13 else 0.1 for k in range(16)], "offline")
    evidence = [*one, *other]
    region = analyst_region(graph, suspicions(units, evidence), evidence)
    assert {2, 13} <= set(region)
    assert len(region) == 8
    assert len(contiguous(region)) < len(region)


def test_context_comes_from_what_is_tied_to_the_suspicious():
    units = tuple(unit(k, used={f"shared{k}", "x77"} if k in (1, 12) else ()) for k in range(16))
    graph = build_graph(units)
    scores = [0.9 if k == 1 else 0.1 for k in range(16)]
    assert {0, 1, 2, 12} <= set(analyst_region(graph, scores))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), max_size=40))
def test_the_region_holds_the_peak_and_at_most_half(scores):
    graph = build_graph(tuple(units_of(len(scores))))
    region = analyst_region(graph, scores, plane(scores))
    assert list(region) == sorted(set(region))
    assert len(region) == (max(1, len(scores) // 2) if scores else 0)
    if scores:
        assert best(scores) in region


def failed_payments(*reasons):
    """Failed calls of one tool; a reason of ``None`` is a success."""
    call = (UnitCall(tool="pay", arguments={}),)
    return [
        msgspec.structs.replace(
            unit(k, status="error" if reason else "ok", action=f"pay try {k}", calls=call),
            tool="pay", error_signature=reason,
        )
        for k, reason in enumerate(reasons)
    ]  # fmt: skip


def test_a_loop_is_known_by_what_the_tool_answers_not_by_the_words_of_the_call():
    units = [*failed_payments("no such account", "no such account", "no such account"), unit(3)]
    scores = suspicions(units, plane([0.1, 0.2, 0.3, 0.9]))
    assert best(scores) == 0
    assert scores[0] > 1


@pytest.mark.parametrize(
    "reasons",
    [("full", "closed", "no account"), ("full", None, "full", "full")],
    ids=["other reasons", "a success between"],
)
def test_no_loop_without_one_reason_and_no_success_between(reasons):
    units = failed_payments(*reasons)
    units += [unit(k) for k in range(len(units), 5)]
    assert max(suspicions(units, plane([0.1] * 4 + [0.9]))) < 1
