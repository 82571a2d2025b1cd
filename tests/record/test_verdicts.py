"""Verdicts given after the run: the latest one counts, for everything that reads it."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import knitbone
from knitbone.cli.app import group
from knitbone.errors import StoreError
from knitbone.record.events import (
    Annotation,
    ChatMessage,
    ModelCall,
    Outcome,
    Run,
    encode_json,
)
from knitbone.record.identifiers import now_ns
from knitbone.record.sqlite_store import SqliteStore
from knitbone.record.store_check import check_store, salvage_store
from knitbone.record.verdicts import SET_BY


def run_with(*events, run_id="a1b2", **fields):
    spoke = ModelCall(id=f"{run_id}.0", output=ChatMessage(role="assistant", content="Booked."))
    return Run(id=run_id, task="Book a table.", events=(spoke, *events), ended_ns=2, **fields)


@pytest.fixture
def store(tmp_path):
    path = tmp_path / "runs.sqlite"
    made = SqliteStore(path)
    made.put(run_with())
    made.put(run_with(Outcome(id="x", success=True), run_id="a1c3"))
    made.close()
    return str(path)


def invoke(*args, code=0):
    done = CliRunner().invoke(group, [str(arg) for arg in args])
    assert done.exit_code == code, done.output
    return done.output


def judge(store, run, word, *more):
    return invoke("runs", "outcome", run, word, "--store", store, *more)


def test_every_reader_sees_the_outcome_that_the_command_set(store, tmp_path):
    page = tmp_path / "page.html"
    assert judge(store, "a1b2", "failed", "--reason", "no table was booked") == (
        "run a1b2: failed, set by command\n"
    )
    at = ("--store", store)
    assert "failed, set by command" in invoke("runs", "list", *at)
    assert (
        json.loads(invoke("runs", "list", "--failed", "--json", *at).split("\n")[0])["id"] == "a1b2"
    )
    assert "a1b2" in invoke("runs", "list", "--search", "NO TABLE was", *at)
    assert "verdict failed, set by command  no table was booked" in invoke(
        "runs", "show", "a1b2", *at
    )
    shown = invoke("runs", "compare", "a1b2", "a1c3", *at)
    assert "failed, set by command: no table was booked" in shown
    found = json.loads(invoke("diagnose", *at, "--json", "a1b2"))
    assert (found["outcome"], found["outcome_reason"]) == ("failed", "no table was booked")
    assert found["outcome_set_by"] == "command"
    said = invoke("diagnose", *at, "a1b2", "--html", page)
    assert "failed, set by command" in said
    assert "failed, set by command" in page.read_text(encoding="utf-8")
    exported = json.loads(invoke("runs", "export", "a1b2", *at))
    assert exported["events"][-1]["attributes"] == {SET_BY: "command"}
    spans = invoke("runs", "export", "a1b2", "--format", "otlp", *at)
    assert "no table was booked" in spans


def test_the_latest_outcome_counts_and_the_run_stays_as_it_was(store):
    judge(store, "a1c3", "failed")
    judge(store, "a1c3", "succeeded", "--reason", "it was there")
    opened = SqliteStore(store)
    assert opened.get("a1c3").outcome.reason == "it was there"
    assert [each.body["success"] for each in opened.annotations("a1c3")] == [False, True]
    assert {row.id: row.events for row in opened.list()} == {"a1b2": 1, "a1c3": 2}
    opened.close()
    report = check_store(Path(store))
    assert not report.damaged
    assert [run.events for run in report.runs] == [1, 2]


def test_the_command_withdraws_an_outcome(store):
    judge(store, "a1c3", "unknown", "--reason", "not looked at")
    found = json.loads(invoke("diagnose", "--store", store, "--json", "a1c3"))
    assert found["outcome"] == "unknown"


def test_json_says_what_was_set(store):
    told = json.loads(judge(store, "a1b2", "failed", "--json"))
    assert (told["run"], told["outcome"], told["set_by"]) == ("a1b2", "failed", "command")


@pytest.mark.parametrize(
    ("run", "words"), [("zz", "No run starts with 'zz'"), ("a1", "Several runs start with 'a1'")]
)
def test_a_run_that_cannot_be_found_is_said(store, run, words):
    done = CliRunner().invoke(group, ["runs", "outcome", run, "failed", "--store", store])
    assert words in str(done.exception)


def test_an_unknown_word_is_said(store):
    done = CliRunner().invoke(group, ["runs", "outcome", "a1b2", "broken", "--store", store])
    assert done.exit_code == 2
    assert "'broken' is not one of 'failed', 'succeeded', 'unknown'" in done.output


def test_without_a_store_there_is_no_run(tmp_path):
    path = tmp_path / "none.sqlite"
    done = CliRunner().invoke(group, ["runs", "outcome", "a1", "failed", "--store", str(path)])
    assert "no run 'a1'" in str(done.exception)
    assert not path.exists()


def test_code_judges_a_stored_run_and_one_that_has_just_ended(tmp_path, capsys):
    path = tmp_path / "runs.sqlite"
    with knitbone.trace(store=path) as run:
        run.message("Book a table.")
    run.outcome(False, reason="the guest was turned away")
    found = run.recorded().outcome
    assert (found.success, found.reason, found.attributes[SET_BY]) == (
        False, "the guest was turned away", "code",
    )  # fmt: skip
    knitbone.set_outcome(run.id, True, store=path)
    assert run.recorded().outcome.success is True
    with pytest.raises(StoreError):
        knitbone.set_outcome("zz", True, store=path)
    with pytest.raises(StoreError):
        knitbone.set_outcome("zz", True, store=tmp_path / "none.sqlite")
    with pytest.raises(knitbone.KnitboneError):
        knitbone.set_outcome(run.id, "failed", store=path)
    assert capsys.readouterr().err == ""


def test_secrets_in_a_reason_are_removed(store):
    judge(store, "a1b2", "failed", "--reason", "with password=hunter2-Correct-Horse")
    opened = SqliteStore(store)
    assert "hunter2" not in opened.get("a1b2").outcome.reason
    opened.close()


def test_how_the_run_ended_stays_known_whatever_is_said_later(tmp_path):
    made = SqliteStore(tmp_path / "runs.sqlite")
    raised = Outcome(
        id="x", success=False, reason="raised KeyError", attributes={"exception.type": "KeyError"}
    )
    made.put(run_with(raised))
    knitbone.set_outcome("a1b2", False, store=made)
    kept = made.get("a1b2").outcome
    assert (kept.reason, kept.attributes["exception.type"]) == ("raised KeyError", "KeyError")
    knitbone.set_outcome("a1b2", True, store=made)
    kept = made.get("a1b2").outcome
    assert kept.attributes == {SET_BY: "code", "exception.type": "KeyError"}
    assert (kept.success, kept.reason) == (True, "")
    made.close()


def test_an_outcome_that_is_none_is_refused(store):
    opened = SqliteStore(store)
    with pytest.raises(StoreError):
        opened.annotate(Annotation(id="n", run="a1b2", kind="outcome", body={"success": "no"}))
    opened.close()


def test_a_salvaged_store_keeps_it(store, tmp_path):
    judge(store, "a1b2", "failed")
    assert salvage_store(tmp_path / "runs.sqlite", tmp_path / "kept.sqlite") == 2
    kept = SqliteStore(tmp_path / "kept.sqlite")
    assert (kept.get("a1b2").outcome.success, len(kept.get("a1b2").events)) == (False, 2)
    kept.close()


VERDICTS = st.tuples(st.sampled_from([True, False, None]), st.sampled_from([None, 0.0, 0.25, 1, 7]))


def _meant(success, reward):
    return success if success is not None or reward is None else reward >= 1


@settings(deadline=None)
@given(
    inside=st.lists(VERDICTS, max_size=2),
    ending=st.sampled_from([None, SystemExit(0), SystemExit(2), ValueError("boom")]),
    later=st.lists(st.tuples(VERDICTS, st.booleans()), max_size=2),
)
def test_a_verdict_means_the_same_wherever_it_is_given_and_read(inside, ending, later):
    store = SqliteStore(":memory:")
    with contextlib.suppress(ValueError, SystemExit), knitbone.trace(store=store) as run:
        seat()
        for success, reward in inside:
            run.outcome(success, reward=reward)
        if ending is not None:
            raise ending
    for (success, reward), by_method in later:
        if by_method:
            run.outcome(success, reward=reward)
        else:
            knitbone.set_outcome(run.id, success, reward=reward, store=store)
    crashed = ending is not None and str(ending) != "0"
    given = [*inside, *(each for each, _ in later)]
    expected = _meant(*given[-1]) if given else None
    if crashed and expected is None and not later:
        expected = False  # nobody judged it
    word = {True: "succeeded", False: "failed", None: "unknown"}[expected]
    read = store.get(run.id)
    assert read.outcome is None or read.outcome.success is expected
    assert store.list()[0].outcome == read.outcome
    found = knitbone.diagnose(read)
    assert found.outcome == word
    assert ("the program raised" in found.headline) is crashed
    assert json.loads(encode_json(read))["events"][-1].get("success") is expected
    store.close()


@knitbone.tool
def seat():
    return "seated"


def test_what_is_no_verdict_is_said_and_never_raised(store, capsys):
    with knitbone.trace(store=store) as run:
        run.outcome("failed")
        run.outcome(reward=float("nan"))
    run.outcome(reward=True)
    assert capsys.readouterr().err.count("run.outcome was given") == 3
    assert run.recorded().outcome is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["event", "code", "command"]), st.booleans()), min_size=1)
)
def test_whatever_the_order_list_and_run_agree_on_the_last_one(said):
    store = SqliteStore(":memory:")
    store.begin(Run(id="r", started_ns=1))
    for number, (by, success) in enumerate(said):
        if by == "event":
            store.append("r", Outcome(id=f"e{number}", started_ns=now_ns(), success=success))
        else:
            body = {"success": success, "by": by}
            store.annotate(
                Annotation(id=f"n{number}", run="r", kind="outcome", body=body, created_ns=now_ns())
            )
    assert store.get("r").outcome.success is said[-1][1]
    assert store.list()[0].outcome == store.get("r").outcome
    store.close()
