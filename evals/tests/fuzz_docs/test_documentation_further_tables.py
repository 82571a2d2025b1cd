"""The paper's further tables: temperature, agents, token budgets, baselines."""

import pytest
from test_documentation_tool_groups import campaign

from knitbone_evals.fuzz_docs import baselines, tables
from knitbone_evals.fuzz_docs.by_hand import ByHand
from knitbone_evals.fuzz_docs.labels import labels
from knitbone_evals.reader.filling import frozen_habits
from knitbone_evals.reader.reader import DocumentationReader


@pytest.fixture
def one_tool(monkeypatch):
    """Only one of the forty."""
    chosen = [label for label in labels() if label.name == "check_table"]
    monkeypatch.setattr(tables, "labels", lambda: chosen)
    monkeypatch.setattr(baselines, "labels", lambda: chosen)


def test_habits_are_as_counted_at_one_and_one_form_at_zero():
    habits = {"date": {"a": 8.0, "b": 2.0}, "empty": {}}
    assert tables.heated(habits, 1) == habits
    assert tables.heated(habits, 0) == {"date": {"a": 1.0}, "empty": {}}
    half = tables.heated(habits, 0.5)["date"]
    assert half["a"] / half["b"] == pytest.approx(16)
    assert all(tables.heated(frozen_habits(), 0).values())


def test_a_row_of_recorded_answers_counts_faults(one_tool):
    pending = {}
    row = tables.by_agent(DocumentationReader(), "react", pending)
    assert pending == {}
    assert row["cascade, tools"]["misleading"] == 1
    assert row["cascade, tools"]["unique errors"] >= 1


def test_a_row_without_answers_shows_no_cascade(one_tool, monkeypatch, tmp_path):
    monkeypatch.setattr(tables, "ANSWERS", tmp_path)
    pending = {}
    row = tables.by_agent(DocumentationReader(), "react", pending)
    assert row["cascade, tools"] is None
    assert row["unanswered"] == len(pending) > 0
    assert row["calls and results (CC), tools"]["misleading"] == 1


def test_tokens_of_writer_agent_and_oracle_are_one_budget(one_tool):
    found = tables.token_budget()
    (whole,) = found["tokens of a whole search"]
    assert found["25,000"]["sets judged"] == 3
    assert found["1,000"].get("unique errors") == 0
    assert found["25,000"]["unique errors"] >= 1
    assert 1_000 < whole < 25_000


def test_a_fault_counts_from_the_first_set_that_shows_it():
    made = campaign("calculate", ["calculate"])
    (label,) = [each for each in labels() if each.name == "calculate"]
    searched = tables.Searched(label, made, (700,))
    assert tables.within([searched], 699)["sets judged"] == 0
    assert tables.within([searched], 700)["sets judged"] == 1


def test_a_baseline_that_nobody_answered_is_left_out(one_tool):
    pending = {}
    rows = baselines.baseline_rows(pending)
    answered = ByHand(baselines.HERE / "answers" / "tables.jsonl", name="x")
    for name, row in rows.items():
        assert set(row) == {"unanswered"} or "degenerate" in row or name == "knitbone fuzz"
    shown = [each["material"] for each in pending.values()]
    if shown:
        assert sum('"source"' in each for each in shown) == len(shown) // 2
    assert not answered.pending
