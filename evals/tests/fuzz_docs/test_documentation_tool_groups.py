"""Which tools are confused when an agent has all of them."""

import json

from knitbone.fuzzing.documentation.records import (
    DocumentationCampaign,
    OtherToolUse,
    PromptRun,
    SetResult,
    ToolUse,
)
from knitbone.fuzzing.records import ToolUnderTest
from knitbone_evals.fuzz_docs.__main__ import prompt_sets
from knitbone_evals.fuzz_docs.all_tools import all_tools
from knitbone_evals.fuzz_docs.labels import labels
from knitbone_evals.fuzz_docs.tool_groups import RESULT, crossings, groups, table


def campaign(name, *called):
    """Three prompts for a tool, and what was called for each."""
    written = prompt_sets()[name][0]
    runs = tuple(
        PromptRun(
            prompt=place,
            query="q",
            calls=tuple(ToolUse(tool=tool, arguments={}, output="") for tool in tools),
            stopped="answered",
        )
        for place, tools in enumerate(called)
    )
    other = OtherToolUse(tool=called[0][0], prompts=1, instead=1, worked=1)
    return DocumentationCampaign(
        tool=ToolUnderTest(name=name, target=name, documentation="", schema={}),
        seed=0, agent="a", writer="w", oracle="", checks=("input",),
        sets=(SetResult(set=written, runs=runs),), others=(other,),
    )  # fmt: skip


def test_each_tool_is_in_one_group():
    listed = [tool.__name__ for tool in all_tools()]
    assert sorted(listed) == sorted(label.name for label in labels()) == sorted(groups())


def test_calls_within_a_group_and_of_others_are_told_apart():
    made = campaign("calculate", ["taxi_fare", "calculate"], ["molar_mass"], ["calculate"])
    found = table([made])
    assert found["prompts"] == 3
    assert found["prompts with a call of any tool"]["hits"] == 2
    assert found["prompts with a call of other group"]["hits"] == 1
    assert found["tools of which a prompt called another group"] == {"misleading": 1, "sound": 0}
    (pair,) = crossings([made], groups())
    assert (pair.group, pair.other_group) == ("science", "travel")


def test_the_table_counts_what_its_pairs_say():
    for shown in json.loads(RESULT.read_text(encoding="utf-8")).values():
        assert shown["prompts"] == sum(each["prompts"] for each in shown["by group"].values())
        crossed = shown["prompts with a call of other group"]["hits"]
        assert crossed == sum(each["called another group"] for each in shown["by group"].values())
        pairs = [p for p in shown["pairs"] if p["group"] != p["other_group"]]
        assert sum(pair["prompts"] for pair in pairs) >= crossed
