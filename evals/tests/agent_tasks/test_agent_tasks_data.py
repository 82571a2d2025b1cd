"""FMB and GHB hold what they say; ``python -m knitbone_evals.agent_tasks`` tries every attempt."""

from __future__ import annotations

import functools
import re
from collections import Counter

import pytest

import knitbone_evals.agent_tasks as agent_tasks
from knitbone_evals.agent_tasks import KITS, domains
from knitbone_evals.agent_tasks.drawing import deal, fill, generator
from knitbone_evals.agent_tasks.files import judging as files
from knitbone_evals.agent_tasks.files.steps import plan
from knitbone_evals.agent_tasks.github import repository as github
from knitbone_evals.agent_tasks.github.projects import CATEGORIES
from knitbone_evals.agent_tasks.loading import VALIDATION, draw_split

BENCHMARKS = ("FMB", "GHB")
load_tasks = functools.cache(agent_tasks.load_tasks)


def test_fmb_has_257_tasks_in_42_domains_of_every_level():
    tasks = load_tasks("FMB")
    assert len(domains("FMB")) == len({task.domain for task in tasks}) == 42
    assert len(tasks) == len({task.name for task in tasks}) == 257
    assert min(Counter(task.level for task in tasks).values()) >= 30


def test_ghb_has_54_tasks_in_its_six_categories():
    tasks = load_tasks("GHB")
    assert len(tasks) == len({task.name for task in tasks}) == 54
    assert Counter(task.category for task in tasks) == CATEGORIES


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_the_split_is_the_drawn_one_and_has_no_domain_twice(benchmark):
    parts = {split: load_tasks(benchmark, split) for split in ("validation", "test")}
    names = {split: {task.domain for task in tasks} for split, tasks in parts.items()}
    assert not names["validation"] & names["test"]
    assert len(names["validation"]) == VALIDATION[benchmark]
    drawn = draw_split(benchmark, domains(benchmark))
    for split, tasks in parts.items():
        assert {task.name.rpartition("-")[0] for task in tasks} == set(drawn[split])
    assert sum(map(len, parts.values())) == len(load_tasks(benchmark))


@pytest.mark.parametrize("benchmark", BENCHMARKS)
@pytest.mark.parametrize("seed", [0, 1])
def test_every_task_can_be_failed_in_three_ways_and_leaves_no_place_open(benchmark, seed):
    for task in load_tasks(benchmark, seed=seed):
        assert task.initial != task.expected
        assert len(task.wrong) == 3
        assert not re.search(r"\{\w+\}", task.request), task.request
        for kit in KITS[benchmark]:
            known = [attempt.calls[kit] for attempt in task.attempts]
            assert all(one not in known[:number] for number, one in enumerate(known)), task.name


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_a_seed_draws_values_and_never_the_tasks(benchmark):
    one, other = (load_tasks(benchmark, seed=seed) for seed in (0, 1))
    again = agent_tasks.load_tasks(benchmark, seed=0)
    assert one == again
    assert [task.name for task in one] == [task.name for task in other]
    assert sum(a.initial != b.initial for a, b in zip(one, other, strict=True)) > len(one) // 2


def test_a_deal_holds_every_value_and_a_place_without_value_is_told():
    assert set(deal(["a", "b"], 5, generator("deal"))) == {"a", "b"}
    with pytest.raises(ValueError, match="3 values for 2 records"):
        deal(["a", "b", "c"], 2, generator("deal"))
    assert fill("{x} {y}", {"x": "1"}) == "1 {y}"
    with pytest.raises(ValueError, match=r"no value for \{y\}"):
        fill("{x} {y}", {"x": "1"}, strict=True)


def test_a_condition_that_chooses_all_or_nothing_is_refused():
    tree = {"a.txt": "state: old\n", "b.txt": "state: old\n"}
    for text in ("state: old", "state: new"):
        with pytest.raises(ValueError, match="of 2"):
            plan(tree, [{"delete": "*.txt", "holds": text}])


def changed_trees(tree, chance):
    """The tree with one thing other than it is."""
    path = chance.choice(sorted(tree))
    rest = {name: text for name, text in tree.items() if name != path}
    text = tree[path]
    place = chance.randrange(len(text.rstrip()))
    yield "gone", rest
    yield "one more", {**tree, "one/more.txt": ""}
    yield "renamed", {**rest, path + "~": text}
    yield "elsewhere", {**rest, f"else/{path}": text}
    yield "a letter more", {**tree, path: text[:place] + "#" + text[place:]}
    yield "a letter less", {**tree, path: text[:place] + text[place + 1 :]}
    yield "empty", {**tree, path: ""}


def test_any_one_change_of_what_fmb_expects_is_seen():
    for task in load_tasks("FMB"):
        assert files.differences(task.expected, task.initial, task.expected) == []
        for change, tree in changed_trees(task.expected, generator(task.name)):
            assert files.differences(tree, task.initial, task.expected), (task.name, change)


def changed_repositories(state, chance):
    """The repository with one thing other than it is."""
    for branch in state.branches:
        for _, tree in changed_trees(state.branches[branch], chance):
            other = state.copy()
            other.branches[branch] = tree
            yield f"file on {branch}", other
        other = state.copy()
        other.branches[f"{branch}2"] = other.branches[branch]
        yield "branch", other
    for number in state.issues:
        other = state.copy()
        other.issues[number].comments.append(("", "more"))
        yield "comment", other
        if state.issues[number].comments:
            other = state.copy()
            other.issues[number].comments.pop()
            yield "comment gone", other
    for number in state.pulls:
        for name in ("title", "body", "head", "base"):
            other = state.copy()
            setattr(other.pulls[number], name, "other")
            yield f"{name} of a pull request", other


def test_any_one_change_of_what_ghb_expects_is_seen():
    for task in load_tasks("GHB"):
        assert github.differences(task.expected, task.initial, task.expected) == []
        for change, state in changed_repositories(task.expected, generator(task.name)):
            assert github.differences(state, task.initial, task.expected), (task.name, change)
