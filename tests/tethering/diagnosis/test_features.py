from __future__ import annotations

import math

import pytest

from knitbone.tethering.diagnosis.features import FAMILIES, FEATURES, SIGNALS, features_of
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.units import TransitionUnit, UnitCall


def unit(ordinal, **fields):
    return TransitionUnit(
        **{
            "ordinal": ordinal, "index": 2 * ordinal, "event": str(ordinal), "observation": "",
            "belief": "", "action": f"action {ordinal}", "feedback": "", "agent": "agent",
            "status": "ok", **fields,
        }
    )  # fmt: skip


def column(name, *units, hops=1):
    graph = build_graph(tuple(unit(k, **fields) for k, fields in enumerate(units)))
    at = list(FEATURES).index(name)
    return [row[at] for row in features_of(graph, hops=hops)]


def test_there_are_twenty_five_in_three_families_each_described():
    assert len(FEATURES) == 25
    assert [len(names) for names in FAMILIES.values()] == [8, 12, 5]
    assert [name for names in FAMILIES.values() for name in names] == list(FEATURES)
    assert set(SIGNALS) <= set(FEATURES)
    assert all(FEATURES.values())


def test_degrees_count_dependencies_and_not_the_order():
    made = {"produced": frozenset({"bk4471"})}
    used = {"used": frozenset({"bk4471"})}
    assert column("in_degree", made, {}, used, {}) == [0, 0, math.log1p(1), 0]
    assert column("out_degree", made, {}, used, {}) == [math.log1p(1), 0, 0, 0]
    assert column("longest_back", made, {}, used, {}) == [0, 0, 0.5, 0]


def test_the_graph_context_reaches_as_far_as_the_hops():
    units = [{"status": "error"}, {}, {}, {}]
    assert column("neighbour_errors", *units) == [0, 0.5, 0, 0]
    assert column("neighbour_errors", *units, hops=2) == [0, pytest.approx(1 / 3), 1 / 3, 0]


@pytest.mark.parametrize(
    ("fields", "inconsistent"),
    [
        ({"feedback": "Done."}, 0),
        ({"feedback": "No results for this name."}, 1),
        ({"feedback": "x" * 500 + " not found"}, 0),
        ({"feedback": "Error: not found", "status": "error", "tool": "find"}, 1),
    ],
)
def test_status_and_feedback_that_disagree(fields, inconsistent):
    assert column("inconsistent", fields, {})[0] == inconsistent


def test_an_error_that_the_next_step_takes_up_is_consistent():
    failed = {"status": "error", "tool": "find"}
    assert column("inconsistent", failed, {"tool": "find"})[0] == 0


def test_new_values_are_those_that_nothing_before_had_shown():
    units = [
        {"used": frozenset({"a17"}), "observed": frozenset({"a17"})},
        {"used": frozenset({"a17", "b99", "c98"})},
    ]
    assert column("artifacts_new", *units) == [0, math.log1p(2)]
    assert column("unsupported_share", *units) == [0, pytest.approx(2 / 3)]


def test_a_macro_is_a_block_of_one_agent_and_intent():
    reads = {"intent": "read", "calls": (UnitCall(tool="get_a"),), "tool": "get_a"}
    other = {**reads, "tool": "get_b", "calls": (UnitCall(tool="get_b"),), "status": "error"}
    write = {"intent": "write", "tool": "set_a", "side_effect": True}
    assert column("macro_length", reads, other, write) == [
        math.log1p(2), math.log1p(2), math.log1p(1),
    ]  # fmt: skip
    assert column("macro_errors", reads, other, write) == [0.5, 0.5, 0]
    assert column("macro_position", reads, other, write) == [0, 1, 0]


def test_a_run_without_steps_has_no_rows():
    assert features_of(build_graph(())) == []
