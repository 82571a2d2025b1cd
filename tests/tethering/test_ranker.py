from __future__ import annotations

import json

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from recorded_logs import ALGORITHM_LOG, tau_record, write

from knitbone.config import TetherConfig
from knitbone.errors import ConfigError, KnitboneError
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.diagnosis.graph import build_graph
from knitbone.tethering.diagnosis.planes import read_planes
from knitbone.tethering.diagnosis.units import build_units
from knitbone.tethering.interchange.importers import import_file
from knitbone.tethering.ranker import (
    COLUMNS,
    Example,
    Ranker,
    design,
    fit_ranker,
    load_ranker,
    probabilities,
)
from knitbone.tethering.ranker.__main__ import main
from knitbone.tethering.ranker.fit import best_temperature
from knitbone.tethering.ranker.learn import examples_of, read_labels


def examples(count, column, *, seed=3, noise=0.0):
    """Runs whose blamed unit is the one that stands highest in one column."""
    generator = np.random.default_rng(seed)
    made = []
    for number in range(count):
        matrix = generator.uniform(-0.5, 0.5, size=(9, len(COLUMNS)))
        blamed = int(matrix[:, COLUMNS.index(column)].argmax())
        if generator.random() < noise:
            blamed = int(generator.integers(9))
        made.append(Example(matrix=matrix, blamed=blamed, group=f"{column} {number}"))
    return made


def hits(ranker, held):
    weights = np.array([ranker.weights[name] for name in COLUMNS])
    return np.mean([int((e.matrix @ weights).argmax()) == e.blamed for e in held])


def test_it_learns_which_column_is_blamed():
    ranker = fit_ranker(examples(40, "kind_rarity"), calibrate=False)
    assert max(ranker.weights, key=ranker.weights.__getitem__) == "kind_rarity"
    assert hits(ranker, examples(50, "kind_rarity", seed=8)) > 0.5


def test_labels_without_a_pattern_give_probabilities_near_uniform():
    ranker = fit_ranker(examples(40, "failed", noise=1.0))
    weights = np.array([ranker.weights[name] for name in COLUMNS])
    held = examples(50, "failed", seed=8, noise=1.0)
    chances = []
    for example in held:
        logits = np.exp(example.matrix @ weights / ranker.temperature)
        chances.append(float((logits / logits.sum()).max()))
    assert ranker.temperature > 3
    assert np.mean(chances) < 0.25


def test_weights_are_where_the_penalized_likelihood_is_greatest():
    optimize = pytest.importorskip("scipy.optimize")
    found = examples(30, "kind_rarity", noise=0.4)

    def loss(weights):
        total = weights @ weights / 2
        for example in found:
            logits = example.matrix @ weights
            total += np.log(np.exp(logits).sum()) - logits[example.blamed]
        return total

    best = optimize.minimize(loss, np.zeros(len(COLUMNS)), method="BFGS")
    ranker = fit_ranker(found, calibrate=False)
    weights = np.array([ranker.weights[name] for name in COLUMNS])
    assert loss(weights) <= best.fun + 1e-9
    assert np.abs(weights - best.x).max() < 1e-3


def test_runs_of_another_application_help_a_few_own_ones():
    own, held = examples(5, "in_degree"), examples(60, "in_degree", seed=8)
    alone = fit_ranker(own, calibrate=False)
    helped = fit_ranker(own, related=examples(60, "in_degree", seed=5), calibrate=False)
    assert hits(helped, held) > hits(alone, held) + 0.2


def test_the_application_own_runs_outweigh_what_others_blame():
    own, other = examples(40, "in_degree"), examples(40, "failed", seed=5)
    ranker = fit_ranker(own, related=other, calibrate=False)
    assert ranker.weights["in_degree"] > 2 * abs(ranker.weights["failed"])


def test_the_same_examples_give_the_same_ranker():
    made = examples(12, "failed", noise=0.3)
    assert fit_ranker(made) == fit_ranker(made)


def test_too_few_labelled_runs_are_refused():
    with pytest.raises(KnitboneError, match="4 labelled runs are too few"):
        fit_ranker(examples(4, "failed"))


def test_a_temperature_makes_overconfident_logits_honest():
    generator = np.random.default_rng(1)
    held = []
    for _ in range(400):
        logits = generator.normal(size=6)
        chances = np.exp(logits) / np.exp(logits).sum()
        held.append((logits * 4, int(generator.choice(6, p=chances))))
    assert best_temperature(held) == pytest.approx(4, rel=0.2)


def test_every_column_is_a_standing_and_probabilities_sum_to_one(tmp_path):
    (item,) = import_file(write(tmp_path / "a.json", [tau_record()]))
    graph = build_graph(build_units(item.run))
    evidence = read_planes(item.run, graph).evidence
    matrix = design(graph, evidence)
    assert matrix.shape == (5, len(COLUMNS))
    assert np.abs(matrix).max() <= 1.5
    ranker = Ranker(weights=dict.fromkeys(COLUMNS, 0.1))
    assert sum(probabilities(ranker, graph, evidence)) == pytest.approx(1)
    assert probabilities(ranker, build_graph(()), ()) == []


def test_the_columns_do_not_depend_on_labels_or_rewards(tmp_path):
    matrices = []
    for reward in (0.0, 1.0):
        (item,) = import_file(write(tmp_path / "a.json", [tau_record(reward=reward)]))
        graph = build_graph(build_units(item.run))
        matrices.append(design(graph, read_planes(item.run, graph).evidence))
    assert np.array_equal(*matrices)


def labelled_folder(tmp_path, count=6):
    for number in range(count):
        log = {**ALGORITHM_LOG, "question": f"question {number}"}
        write(tmp_path / "runs" / f"{number}.json", log)
    return tmp_path / "runs"


def test_the_command_fits_what_the_files_say_and_writes_what_loads(tmp_path):
    (tmp_path / "runs").mkdir()
    folder = labelled_folder(tmp_path)
    out = tmp_path / "ranker.json"
    done = CliRunner().invoke(main, [str(folder), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "fitted on 6 labelled runs" in done.output
    assert load_ranker(out).runs == 6


def test_labels_may_stand_in_a_file_of_their_own(tmp_path):
    write(tmp_path / "a.json", [tau_record()])
    labels = write(tmp_path / "labels.json", {"a.json": 6})
    (example,) = examples_of([tmp_path / "a.json"], read_labels(labels))
    assert example.blamed == 2
    assert examples_of([tmp_path / "a.json"], {"a.json": 5}) == []


@pytest.mark.parametrize("content", ["[1, 2]", '{"a": -1}', '{"a": true}', "{", "{}"])
def test_labels_that_are_none_are_refused(tmp_path, content):
    (tmp_path / "labels.json").write_text(content)
    with pytest.raises(KnitboneError, match=r"labels\.json"):
        read_labels(tmp_path / "labels.json")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "no ranker"),
        ('{"weights": {"failed": 1.0}}', "columns differ"),
        (json.dumps({"weights": dict.fromkeys(COLUMNS, 0.0), "temperature": 0}), "temperature"),
        (json.dumps({"weights": {}, "extra": 1}), "no ranker"),
    ],
)
def test_a_file_that_is_no_ranker_says_how_to_write_one(tmp_path, content, reason):
    (tmp_path / "r.json").write_text(content)
    with pytest.raises(ConfigError, match=reason) as error:
        load_ranker(tmp_path / "r.json")
    assert "python -m knitbone.tethering.ranker" in str(error.value)


def test_a_ranker_survives_the_disk(tmp_path):
    ranker = Ranker(weights=dict.fromkeys(COLUMNS, 0.25), temperature=2.5, runs=9)
    (tmp_path / "r.json").write_bytes(msgspec.json.encode(ranker))
    assert load_ranker(tmp_path / "r.json") == ranker


def test_the_diagnosis_uses_the_ranker_that_the_configuration_names(tmp_path):
    (item,) = import_file(write(tmp_path / "a.json", [tau_record()]))
    weights = dict.fromkeys(COLUMNS, 0.0) | {"last": 9.0}
    (tmp_path / "r.json").write_bytes(msgspec.json.encode(Ranker(weights=weights)))
    config = TetherConfig(ranker=str(tmp_path / "r.json"))
    found = diagnose(item.run, config=config)
    assert found.ranking[0] == 10
    assert diagnose(item.run).ranking[0] == 6
