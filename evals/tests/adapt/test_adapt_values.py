"""Values within words, from ``adapt/values``: what stands in an answer once comes right,
and nothing is delivered that the answer takes back, or holds beside another."""

import sys
from collections import Counter

import pytest

from knitbone_evals.adapt.values.__main__ import trials

pytest.importorskip("yaml")

LAST_COUNTS = {"code", "csv_dict", "json_lines", "sections"}
"""Consumers to which two blocks are no trap: the code may define a function again, a list may go on
behind prose, a page has sections; of two tables in fences the last counts."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def judged(folder, each, first):
    counts, wrong = Counter(), []
    for trial in trials(folder, each=each, first=first):
        counts[trial.verdict] += 1
        if trial.verdict == "wrong" and trial.consumer.name not in LAST_COUNTS:
            wrong.append((trial.consumer.name, trial.answer, trial.plain, trial.adapted))
    assert wrong == []
    return counts


def test_a_value_comes_right_or_stays_within_its_words(folder):
    counts = judged(folder, 29, 100)
    assert counts["right"] > 6 * counts["missed"]  # names of a value that the prompt has not
    assert counts["kept"] > 150


@pytest.mark.long
def test_every_value_comes_right_or_stays_within_its_words(folder):
    counts = judged(folder, 1, 200)
    assert counts["right"] > 9_300
    assert counts["right"] > 7 * counts["missed"]
