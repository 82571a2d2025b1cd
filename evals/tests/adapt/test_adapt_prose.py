"""Prose that is as it should be: at default settings no application gets another text."""

from itertools import islice

import pytest

from knitbone.config import AdaptConfig
from knitbone_evals.adapt.prose import corpus
from knitbone_evals.adapt.prose.run import CONSUMERS, changes

TEXTS = corpus.generated()
KINDS = dict.fromkeys(text.kind for text in TEXTS)
SOME = [
    text
    for kind in KINDS
    for text in islice((t for t in reversed(TEXTS) if t.kind == kind), 5)
]  # fmt: skip


def test_the_texts_are_of_every_kind_and_no_two_are_equal():
    named = {row["kind"] for row in corpus._rows(corpus.HERE / "slices.jsonl")}
    assert named <= set(KINDS)
    assert len(KINDS) == 14
    assert len({text.text for text in TEXTS}) == len(TEXTS) > 700
    assert len(SOME) >= 60


def test_every_text_is_pinned():
    packages = {
        f"{row['from']}:{row['name']}": row
        for row in corpus._rows(corpus.HERE / "packages.jsonl")
    }  # fmt: skip
    rows = corpus._rows(corpus.HERE / "slices.jsonl")
    assert len(rows) + len(TEXTS) > 2_000
    assert {row["package"] for row in rows} == set(packages)
    assert all(len(row["sha256"]) == 64 for row in (*rows, *packages.values()))


@pytest.mark.parametrize("kind", KINDS)
def test_by_default_no_text_reaches_an_application_changed(kind):
    texts = [text for text in SOME if text.kind == kind]
    assert list(changes(texts, AdaptConfig(budget_ms=60_000), CONSUMERS)) == []


def test_the_run_sees_what_the_requirements_change_where_they_are_switched_on():
    (text,) = (text for text in TEXTS if text.id == "verse-0162")
    config = AdaptConfig(scenario=("all",), budget_ms=60_000)
    (change,) = changes([text], config, ["returned"])
    assert "center" in change.plain
    assert "centre" in change.adapted


@pytest.mark.parametrize("name", ["quotation-0183", "dialogue-0141", "dialogue-0190", "log-0106"])
def test_what_is_on_record_is_no_repetition(name):
    (text,) = (text for text in TEXTS if text.id == name)
    config = AdaptConfig(scenario=("succinct_content",), budget_ms=60_000)
    assert list(changes([text], config, ["returned"])) == []
