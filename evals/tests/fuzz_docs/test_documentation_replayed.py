"""Tools whose documentation misleads an agent, searched with recorded answers."""

import asyncio
from pathlib import Path

import pytest

from knitbone.errors import ModelServerError
from knitbone.fuzzing.agents import ModelAgent
from knitbone.fuzzing.documentation.oracle import ModelOracle
from knitbone.record.events import ChatMessage
from knitbone_evals.fuzz_docs.__main__ import RULES, found, prompt_sets, search
from knitbone_evals.fuzz_docs.by_hand import ByHand, key_of
from knitbone_evals.fuzz_docs.labels import HERE, labels, target_of
from knitbone_evals.reader.reader import DocumentationReader


def test_every_tool_has_a_label_and_three_sets_of_its_own():
    names = [label.name for label in labels()]
    assert sorted(names) == sorted({path.stem for path in (HERE / "tools").glob("[a-z]*.py")})
    assert [label.kind for label in labels()].count("misleading") == 20
    for label in labels():
        assert Path(target_of(label).rpartition(":")[0]).is_file()
        sets = prompt_sets()[label.name]
        assert len(sets) == 3
        assert all(len({prompt.text for prompt in each.prompts}) == 3 for each in sets)


@pytest.mark.parametrize(("name", "faulty"), [("check_table", True), ("company_week", False)])
def test_a_recorded_search_finds_what_the_page_says(name, faulty):
    (label,) = [each for each in labels() if each.name == name]
    oracle = ByHand(HERE / "answers" / "oracle.jsonl", name="recorded")
    agent = ModelAgent(DocumentationReader(seed=0))
    searched = search(label, agent, ModelOracle(oracle), seed=0)
    assert not oracle.pending
    assert found(searched, "cascade") is faulty
    consistent = [rule for rule in RULES if rule != "refused alike"]
    assert all(found(searched, rule) for rule in consistent) or not faulty


def test_nothing_is_made_up_where_nobody_answered(tmp_path):
    model = ByHand(tmp_path / "none.jsonl", name="nobody")
    asked = [ChatMessage(role="system", content="s"), ChatMessage(role="user", content="u")]
    with pytest.raises(ModelServerError, match="Nobody answered"):
        asyncio.run(model.complete(asked, schema={"type": "object"}))
    assert model.pending == {key_of("u"): {"instructions": "s", "material": "u"}}
