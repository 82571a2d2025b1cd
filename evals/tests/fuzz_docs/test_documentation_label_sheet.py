"""The sheet of blind labellers: nothing of the verdicts is shown, and labels become figures."""

import json

import pytest

from knitbone.fuzzing.agents import ModelAgent
from knitbone.fuzzing.documentation.oracle import ModelOracle
from knitbone_evals.fuzz_docs.__main__ import search
from knitbone_evals.fuzz_docs.by_hand import ByHand
from knitbone_evals.fuzz_docs.label_sheet import (
    INSTRUCTIONS,
    LabelledSet,
    drawn,
    figures,
    material,
    read_answers,
)
from knitbone_evals.fuzz_docs.labels import HERE, labels
from knitbone_evals.reader.reader import DocumentationReader


@pytest.fixture(scope="module")
def campaigns():
    """One tool, faulty under both seeds."""
    (label,) = [each for each in labels() if each.name == "check_table"]
    oracle = ModelOracle(ByHand(HERE / "answers" / "oracle.jsonl", name="recorded"))
    return [
        (seed, search(label, ModelAgent(DocumentationReader(seed=seed)), oracle, seed).campaign)
        for seed in (0, 0)
    ]


def test_a_set_in_which_the_agent_did_the_same_is_shown_once(campaigns):
    assert len(drawn(campaigns)) == len({key for key, *_ in drawn(campaigns)}) == 3
    assert len(drawn(campaigns, number=2)) == 2
    assert drawn(campaigns) == drawn(campaigns)


def test_a_labeller_sees_what_was_done_and_nothing_of_the_verdicts(campaigns):
    for _, _, campaign, result in drawn(campaigns):
        shown = material(campaign, result)
        assert [run["query"] for run in json.loads(shown)["runs"]] == [
            prompt.text for prompt in result.set.prompts
        ]
        verdict = result.verdict("oracle")
        assert verdict.expectation.text not in shown
        assert all(rating.reason not in shown for rating in verdict.ratings)
        said = (shown + INSTRUCTIONS).casefold()
        assert not any(word in said for word in ('"sound"', "subkind", "cascade", "score"))


def row(key, kind, cascade):
    verdicts = {"cascade": cascade} | dict.fromkeys(
        ("calls and results (CC)", "oracle (LLM)", "calls", "results")
    )
    return LabelledSet(key=key, tool="t", kind=kind, set="s", seed=0, verdicts=verdicts)


def test_labels_become_fdr_and_kappa():
    kept = [row("a", "misleading", True), row("b", "sound", True), row("c", "sound", False)]
    found = figures(kept, [{"a": True, "b": False, "c": False}, {"a": True, "b": True}])
    cascade = found["labeller 1"]["rules"]["cascade"]
    assert (cascade["accused"], cascade["wrongly"], cascade["fdr"]) == (2, 1, 0.5)
    assert cascade["kappa"] == pytest.approx(0.4)
    assert found["labeller 1"]["kappa with the tools' author"] == 1.0
    assert found["labeller 1"]["rules"]["calls"]["labelled"] == 0
    assert found["kappa of labellers 1 and 2"] == 0.0


def test_answers_are_objects_or_their_text(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"key": "a", "answer": {"faulty": true}}\n'
        '{"key": "b", "answer": "{\\"faulty\\": false}"}\n'
    )
    assert read_answers(path) == {"a": True, "b": False}
    path.write_text('{"key": "a", "answer": {"faulty": "yes"}}\n')
    with pytest.raises(ValueError, match="a has no"):
        read_answers(path)
