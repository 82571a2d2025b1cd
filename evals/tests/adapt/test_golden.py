"""The comparison with the recorded decisions finds a decision that has changed, and no other."""

import logging

import msgspec
import pytest

from knitbone.adaptation.repair import engine
from knitbone_evals.adapt.golden.__main__ import RECORD, main
from knitbone_evals.adapt.golden.comparison import differences, report
from knitbone_evals.adapt.golden.decisions import read, write
from knitbone_evals.adapt.golden.sets import decide

CONSUMER = "apps_marks:headline"
"""Of the set ``harm``: no library, some answers repaired, some refused."""


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    """``main`` silences the log; other tests read it."""
    monkeypatch.setenv("KNITBONE_ADAPT_QUIET", "1")
    monkeypatch.setenv("KNITBONE_ADAPT_BUDGET_MS", "1000")
    logger = logging.getLogger("knitbone")
    level = logger.level
    yield
    logger.setLevel(level)


def compared(capsys):
    code = main(["compare", "--set", "harm", "--only", CONSUMER])
    return code, capsys.readouterr().out


def test_the_recorded_decisions_are_those_of_the_code(capsys):
    code, out = compared(capsys)
    assert code == 0, out


def test_a_changed_decision_is_found_and_told_as_a_loss(capsys, monkeypatch):
    before = list(decide(["harm"], None, CONSUMER))
    repaired = [each for each in before if each.disposition == "repaired"]
    assert repaired
    broken = repaired[0].text
    judge = engine.judge
    monkeypatch.setattr(
        engine,
        "judge",
        lambda text, *more, **named: judge(text if text != broken else "", *more, **named),
    )
    code, out = compared(capsys)
    assert code == 1
    assert "1 turned from right" in out
    assert repr(broken) in out


def test_a_record_is_read_as_it_was_written_and_the_same_each_time(tmp_path):
    found = read(RECORD)
    write(tmp_path / "one.xz", found)
    write(tmp_path / "other.xz", reversed(found))
    assert (tmp_path / "one.xz").read_bytes() == (tmp_path / "other.xz").read_bytes()
    assert read(tmp_path / "one.xz") == found


def test_each_kind_of_change_is_counted_by_itself():
    one, *_ = [each for each in read(RECORD) if each.verdict == "right" and each.delivered]
    changed = {
        "repaired -> refused (right -> missed)": {"disposition": "refused", "verdict": "missed"},
        "repaired, another delivered": {"delivered": "#0"},
        "repaired, another reason": {"reason": "another"},
        "repaired, another result (right -> wrong)": {"result": "0", "verdict": "wrong"},
    }
    for kind, fields in changed.items():
        (found,) = differences([one], [msgspec.structs.replace(one, **fields)])
        assert found.kind == kind
        assert found.is_loss == ("(right" in kind)
    assert [each.kind for each in differences([one], [])] == ["gone"]
    assert any("gone" in line for line in report(differences([one], []), 0))
