"""The search for misleading documentation with real models as agents, replayed."""

import json
from types import SimpleNamespace

import pytest

from knitbone.models.chat import complete_sync
from knitbone.record.events import ChatMessage
from knitbone.testing import ModelServer
from knitbone_evals.fuzz_docs.__main__ import CollectingOracle, search
from knitbone_evals.fuzz_docs.agreement import (
    agreement_between,
    kappa_with_interval,
    set_ends,
)
from knitbone_evals.fuzz_docs.by_hand import ByHand
from knitbone_evals.fuzz_docs.labels import labels
from knitbone_evals.fuzz_docs.real_models import (
    MAX_TOKENS,
    MODELS,
    ReplayedAgent,
    StoppingModel,
    answers_of,
    sample,
)
from knitbone_evals.real_model.recorder import Replay

ASKED = [ChatMessage(role="user", content="Hello")]


def replayed(name, model):
    (label,) = [each for each in labels() if each.name == name]
    oracle = CollectingOracle(ByHand(answers_of("none"), name="nobody"))
    return search(label, ReplayedAgent(Replay(answers_of(model), model)), oracle, seed=0)


def test_the_sample_is_the_one_that_was_drawn_before_the_recording():
    names = {label.name for label in sample()}
    assert [label.kind for label in sample()].count("misleading") == 10
    assert {"tide_height", "employee_phone", "gem_price", "personal_best"} < names
    assert len(names) == 20


@pytest.mark.parametrize("model", MODELS)
def test_a_real_models_runs_are_replayed_without_a_server(model):
    row = replayed("tide_height", model)
    runs = [run for result in row.campaign.sets for run in result.runs]
    assert len(runs) == 9
    assert row.campaign.agent == f"react / {model}"
    assert not [run for run in runs if run.stopped == "failed"]
    assert all(call.arguments for run in runs for call in run.calls)
    same = agreement_between([row], [row])
    assert same["same first call"] == same["prompts"] == 9
    assert sum(int(end.split()[0]) for end in set_ends(row).split(", ")) == 3


def test_what_is_not_recorded_is_a_failed_run_and_no_verdict(tmp_path):
    label = sample()[0]
    agent = ReplayedAgent(Replay(tmp_path / "none.jsonl", "nobody"))
    row = search(label, agent, CollectingOracle(ByHand(tmp_path / "none", name="nobody")), seed=0)
    assert row.campaign.runs["failed"] >= 3
    assert not [result for result in row.campaign.sets if result.fails()]


def test_a_served_model_is_stopped_before_it_invents_what_a_tool_returned():
    with ModelServer("Action: x") as server:
        said = complete_sync(StoppingModel(server.base_url, "m"), ASKED)
        (request,) = server.requests
    assert said.text == "Action: x"
    assert request.body["stop"] == ["Observation:"]
    assert (request.body["temperature"], request.body["max_tokens"]) == (0, MAX_TOKENS)


def test_a_server_that_is_gone_ends_the_recording_and_is_no_answer(tmp_path):
    path = tmp_path / "m.jsonl"
    real = StoppingModel("http://127.0.0.1:9/v1", "m")
    with pytest.raises(SystemExit, match="does not answer"):
        ReplayedAgent(Replay(path, "m", real)).work("Hello", [_tool("greet")])
    assert not path.exists()


def test_a_recording_that_was_ended_goes_on_where_it_stood(tmp_path):
    path = tmp_path / "m.jsonl"
    with ModelServer(["Final Answer: one", "Final Answer: two"]) as server:
        for query in ("first", "first", "second"):
            agent = ReplayedAgent(Replay(path, "m", StoppingModel(server.base_url, "m")))
            agent.work(query, [_tool("greet")])
        assert len(server.requests) == 2
    recorded = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [each["run"] for each in recorded] == ["greet: first", "greet: second"]


def test_kappa_has_an_interval_and_is_unknown_where_all_verdicts_are_alike():
    assert kappa_with_interval([(True, True), (True, True)]) is None
    estimate, low, high = kappa_with_interval([(True, True), (False, False), (True, False)] * 8)
    assert low < estimate < high
    assert estimate == pytest.approx(0.4)
    assert kappa_with_interval([(True, True), (False, False)] * 9) == [1, 1, 1]


def _tool(name):
    spec = SimpleNamespace(name=name, description="Greets.", parameters={"type": "object"})
    return SimpleNamespace(spec=spec)
