from __future__ import annotations

import json

from recorded_logs import SEATS, answer, call

from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence
from knitbone.tethering.diagnosis.features import FEATURES, SIGNALS, features_of
from knitbone.tethering.diagnosis.graph import MAX_EDGES, build_graph
from knitbone.tethering.diagnosis.region import analyst_region, contiguous
from knitbone.tethering.diagnosis.suspicion import LOOP, combined, first_departure, suspicions
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_bytes


def graph_of(messages):
    return build_graph(build_units(import_bytes(json.dumps(messages).encode(), path="x")[0].run))


def edges(graph):
    return {
        (edge.source, edge.target, edge.sharing)
        for found in graph.dependencies_into.values() for edge in found
    }  # fmt: skip


def test_a_value_produced_and_used_later_is_a_dependency():
    graph = graph_of(SEATS)
    assert (0, 2, "produced-consumed") in edges(graph)
    (edge,) = [e for e in graph.dependencies_into[2] if e.source == 0]
    assert edge.artifacts == ("bk4471",)


def test_the_same_error_is_a_dependency():
    assert (2, 3, "shared error") in edges(graph_of(SEATS))


def test_consecutive_units_are_neighbours_in_time():
    graph = graph_of(SEATS)
    assert 1 in graph.neighbours(0)
    assert graph.network.edges[0, 1]["temporal"]


def test_a_value_in_every_step_ties_nothing_together():
    messages = []
    for n in range(10):
        messages += [call(f"look{n}", {"who": "guest_77"}), answer(f"look{n}", {"who": "guest_77"})]
    assert edges(graph_of(messages)) == set()


def test_rare_values_weigh_more():
    messages = [call("find", {}), answer("find", {"rare": "R100", "common": "C200"})]
    for n in range(6):
        used = "C200" if n < 2 else f"D{n}00"
        messages += [call(f"use{n}", {"x": used}), answer(f"use{n}", "ok")]
    messages += [call("pay", {"x": "R100"}), answer("pay", "ok")]
    graph = graph_of(messages)
    weight = {e.target: e.weight for e in graph.dependencies_from[0]}
    assert weight[7] > weight[1] > 0


def test_edges_into_a_unit_are_capped():
    messages = []
    for n in range(40):
        messages += [call(f"find{n}", {}), answer(f"find{n}", {"id": f"ID{1000 + n}"})]
    messages += [
        call("merge", {"ids": [f"ID{1000 + n}" for n in range(40)]}),
        answer("merge", "ok"),
    ]
    assert len(graph_of(messages).dependencies_into[40]) == MAX_EDGES


def test_a_path_goes_back_along_dependencies_only():
    graph = graph_of(SEATS)
    assert graph.path_back(3, 0) == [3, 0] or graph.path_back(3, 0) == [3, 2, 0]
    assert graph.path_back(4, 0) == []
    assert graph.path_back(0, 3) == []


def test_every_unit_has_twenty_five_finite_features():
    rows = features_of(graph_of(SEATS))
    assert len(FEATURES) == 25
    assert set(SIGNALS) <= set(FEATURES)
    assert [len(row) for row in rows] == [25] * 5
    assert all(abs(value) < 1e6 for row in rows for value in row)


def feature(messages, name):
    return [row[list(FEATURES).index(name)] for row in features_of(graph_of(messages))]


def test_features_say_what_their_names_say():
    assert feature(SEATS, "failed") == [0, 0, 1, 1, 0]
    assert feature(SEATS, "side_effect") == [0, 0, 1, 1, 0]
    assert [value > 0 for value in feature(SEATS, "repeats")] == [False, False, False, True, False]
    assert feature(SEATS, "inconsistent")[3] == 1  # the failure is passed over by the last words
    assert feature(SEATS, "macro_errors")[2:4] == [1, 1]
    assert feature(SEATS, "macro_repeats")[2] == 0.5
    assert feature(SEATS, "unsupported_share")[0] == 0 < feature(SEATS, "unsupported_share")[1]


def test_the_region_holds_the_peak_and_at_most_half_of_the_run():
    graph = graph_of(SEATS)
    region = analyst_region(graph, [0.1, 0.2, 0.9, 0.8, 0.3])
    assert region == (2, 3)
    assert analyst_region(graph_of(SEATS[:4]), [0.5]) == (0,)


def test_a_region_is_grouped_by_consecutive_units():
    assert contiguous((1, 2, 5, 7, 8)) == ((1, 2), (5,), (7, 8))


def failing(times):
    messages = [call("find", {"x": "R100"}), answer("find", {"id": "R200"})]
    for n in range(times):
        messages += [call("pay", {"x": "R100"}, f"c{n}"), answer("pay", "Error: no", f"c{n}")]
    return graph_of([*messages, call("close", {"x": "R100"}), answer("close", "ok")])


def plane(scores):
    return [PlaneEvidence(plane="p", ordinal=k, score=s, rank=1) for k, s in enumerate(scores)]


def without_repetition(units, scores):
    """The suspicions of these very scores, whatever was repeated."""
    return first_departure(units, combined(len(units), plane(scores)))


def test_a_repeated_failure_counts_at_its_first_occurrence():
    units = failing(2).units
    scores = suspicions(units, plane([0.5, 0.2, 0.7, 0.9]))
    assert scores == without_repetition(units, [0.5, 0.7, 0.2, 0.9])


def test_a_loop_goes_before_any_score():
    scores = suspicions(failing(LOOP).units, plane([0.5, 0.2, 0.7, 0.1, 0.9]))
    assert scores.index(max(scores)) == 1


def test_repeated_success_is_left_alone():
    messages = []
    for n in range(4):
        messages += [call("look", {"x": "R100"}, f"c{n}"), answer("look", "ok", f"c{n}")]
    given = [0.1, 0.4, 0.3, 0.2]
    units = graph_of(messages).units
    assert suspicions(units, plane(given)) == without_repetition(units, given)
