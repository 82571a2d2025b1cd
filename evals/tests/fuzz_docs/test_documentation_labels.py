"""Labels of prompt sets, and what is computed from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from documentation_support import set_of
from hypothesis import given
from hypothesis import strategies as st

from knitbone.fuzzing.documentation.records import (
    CheckVerdict,
    DocumentationCampaign,
    PromptRun,
    SetResult,
    ToolUse,
)
from knitbone.fuzzing.documentation.search_files import load_campaign, save_campaign
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.record.events import encode_json
from knitbone.record.sqlite_store import SqliteStore
from knitbone_evals.fuzz_docs.label import agreement_lines, command, hidden_lines
from knitbone_evals.fuzz_docs.set_labels import (
    agreement_of,
    agreements,
    kappa,
    labels_of,
    run_of_set,
    sampled_sets,
    save_label,
)

TOOL = ToolUnderTest(name="t", target="t.py:t", documentation="T.", schema={})


def result(name: str, **failed: bool | None) -> SetResult:
    """A set with verdicts by check."""
    use = ToolUse(tool="t", arguments={"x": name}, output="out \ud800")
    return SetResult(
        set=set_of(f"Say [x] {name}", x=["a", "b"]),
        runs=(PromptRun(prompt=0, query=f"Say a {name}", calls=(use,), stopped="answered"),),
        verdicts=tuple(
            CheckVerdict(check=check, failed=value, reason="secret verdict")  # pyright: ignore[reportArgumentType]
            for check, value in failed.items()
        ),
    )


def campaign(*sets: SetResult) -> DocumentationCampaign:
    return DocumentationCampaign(
        tool=TOOL, seed=0, agent="a", writer="w", oracle="o",
        checks=("input", "output", "oracle"), sets=sets,
    )  # fmt: skip


def test_figures_of_a_known_table() -> None:
    # 20 both faulty, 5 accused and sound, 10 missed, 15 both sound (Cohen's example by Fleiss).
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    row = agreement_of("cascade", pairs)
    assert row.kappa == pytest.approx(0.4)
    assert (row.labelled, row.accused, row.wrongly, row.fdr) == (50, 25, 5, 0.2)
    # scipy.stats.binomtest(5, 25).proportion_ci(method="wilson")
    assert (row.fdr_low, row.fdr_high) == (
        pytest.approx(0.0886, abs=1e-4),
        pytest.approx(0.3913, abs=1e-4),
    )


@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_kappa_is_symmetric_and_at_most_one(pairs: list[tuple[bool, bool]]) -> None:
    value = kappa(pairs)
    assert value == kappa([(other, one) for one, other in pairs])
    assert value is None or -1 <= value <= 1
    if value is not None and all(one == other for one, other in pairs):
        assert value == 1


def test_nothing_accused_has_no_rate() -> None:
    row = agreement_of("cascade", [(False, True), (False, False)])
    assert (row.fdr, row.fdr_low) == (None, None)
    assert "FDR not known" in next(agreement_lines([row]))[0]


def test_a_sample_is_the_same_for_a_seed() -> None:
    sets = campaign(*(result(str(number)) for number in range(30)))
    first = [each.set.id for each in sampled_sets(sets)]
    assert len(set(first)) == 10
    assert first == [each.set.id for each in sampled_sets(sets)]
    assert first != [each.set.id for each in sampled_sets(sets, seed=1)]


def test_a_labeller_sees_nothing_of_the_verdicts() -> None:
    judged = result("one", input=True, output=True, oracle=True)
    shown = "\n".join(line for line, _ in hidden_lines(campaign(judged), judged))
    assert "Say a one" in shown
    assert "secret verdict" not in shown
    assert "\ud800" not in shown
    assert b"secret verdict" not in encode_json(run_of_set(campaign(), result("one", input=True)))


def test_labels_are_annotations_and_the_latest_counts(tmp_path: Path) -> None:
    judged = result("one", input=True, output=True, oracle=True)
    sound = result("two", input=False)
    tool = campaign(judged, sound)
    store = SqliteStore(tmp_path / "runs.sqlite")
    save_label(store, tool, judged, faulty=False, labeller="ann")
    save_label(store, tool, judged, faulty=True, labeller="ann")
    save_label(store, tool, sound, faulty=True, labeller="bob")
    assert labels_of(store, tool, labeller="ann") == {judged.set.id: True}
    assert labels_of(store, tool) == {judged.set.id: True, sound.set.id: True}
    (annotation, _) = store.annotations(run_of_set(tool, judged).id)
    assert annotation.kind == "label"
    store.close()


def test_each_rule_is_compared_on_the_sets_that_it_decides() -> None:
    sets = (
        result("a", input=True, output=True, oracle=True),
        result("b", input=True, output=True, oracle=False),
        result("c", input=False),
        result("d", input=True, output=True, oracle=None),
    )
    labels = {each.set.id: each is sets[0] for each in sets}
    rows = {row.rule: row for row in agreements([(campaign(*sets), labels)])}
    assert (rows["cascade"].labelled, rows["cascade"].fdr, rows["cascade"].kappa) == (3, 0, 1)
    assert (rows["calls and results (CC)"].labelled, rows["calls and results (CC)"].accused) == (
        4,
        3,
    )
    assert rows["calls and results (CC)"].fdr == pytest.approx(2 / 3)
    assert (rows["oracle (LLM)"].labelled, rows["oracle (LLM)"].accused) == (2, 1)
    assert rows["calls"].labelled == 4
    assert rows["results"].labelled == 3


def test_a_saved_search_is_read_back(tmp_path: Path) -> None:
    tool = campaign(result("one", input=True))
    assert load_campaign(save_campaign(tool, tmp_path)) == tool


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    save_campaign(campaign(result("one", input=True, output=True)), tmp_path / "kept")
    return tmp_path / "kept"


def test_sets_are_labelled_with_the_verdicts_hidden(saved: Path) -> None:
    options = ["--saved", str(saved), "--labeller", "ann"]
    shown = CliRunner().invoke(command, options, input="y\n")
    assert shown.exit_code == 0, shown.output
    assert "secret verdict" not in shown.output
    assert "(0 of 1 accused sets)" in shown.output
    figures = json.loads(CliRunner().invoke(command, [*options, "--figures", "--json"]).output)
    assert figures["agreement"][0]["fdr"] == 0.0


def test_labels_are_taken_from_a_file(saved: Path, tmp_path: Path) -> None:
    options = ["--saved", str(saved), "--labeller", "bob"]
    record = json.loads(CliRunner().invoke(command, [*options, "--show", "--json"]).output)
    labels = tmp_path / "labels.jsonl"
    labels.write_text(json.dumps({"set": record["set"], "faulty": False}) + "\n")
    done = CliRunner().invoke(command, [*options, "--answers", str(labels)])
    assert "(1 of 1 accused sets)" in done.output
    labels.write_text("yes\n")
    refused = CliRunner().invoke(command, [*options, "--answers", str(labels)])
    assert "holds no labels" in str(refused.exception)


def test_a_search_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    missing = ["--saved", str(tmp_path / "none")]
    assert "There is no search in" in str(CliRunner().invoke(command, missing).exception)
    assert "Run knitbone fuzz-docs x:y first" in str(
        CliRunner().invoke(command, [*missing, "x:y"]).exception
    )
