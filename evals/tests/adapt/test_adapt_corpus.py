"""The corpus of the adapt benchmark: applications, cases and faults say what they claim to say."""

import json
from collections import Counter

import pytest

from knitbone_evals.adapt import natural
from knitbone_evals.adapt.bare import Result, Stage, right
from knitbone_evals.adapt.cases import (
    APPS,
    DEFECTS,
    UNCHANGED,
    AppSpec,
    Case,
    app_module,
    conforming,
    generate,
    specs,
)
from knitbone_evals.adapt.pools import real

HALVES = ("seen", "unseen")
SPECS = {spec.name: spec for half in HALVES for spec in specs(half)}
CASES = [case for half in HALVES for case in generate(None, 0, half)]
HARMLESS = [case for half in HALVES for case in conforming(0, half)]
PROGRAMS = sorted(app for half in (*HALVES, "natural") for app in (APPS / half).glob("*/app.py"))


@pytest.fixture(scope="module")
def stage():
    with Stage() as running:
        yield running


def of(app, cases):
    return [case for case in cases if case.app == app]


@pytest.mark.parametrize("app", SPECS)
def test_conforming_outputs_give_what_is_expected(app, stage):
    spec = SPECS[app]
    clean = [case for case in of(app, CASES) if not case.defects] + of(app, HARMLESS)[:12]
    for case in clean:
        result = stage.run(spec, case)
        assert right(spec, case, result, Result()), (case.id, case.note, result, case.expected)


@pytest.mark.parametrize("app", SPECS)
def test_an_application_fails_on_every_fault_that_could_be_repaired(app, stage):
    spec = SPECS[app]
    for case in of(app, CASES):
        if case.repairable:
            result = stage.run(spec, case)
            # sqlite3.Warning is an error (Python 3.10).
            assert result.error == "Warning" or not (result.error or "").endswith("Warning"), (
                case.id,
                result,
            )
            assert not right(spec, case, result, Result()), (case.id, case.faults, result)


@pytest.mark.parametrize("app", SPECS)
def test_a_fault_changes_the_outputs_and_is_used(app):
    used = {name for case in of(app, CASES) for name in case.faults}
    assert {fault.name for fault in app_module(SPECS[app].half, app).FAULTS} <= used


def test_the_corpus_is_the_same_for_the_same_seed():
    unseen = [case for case in CASES if case.half == "unseen"]
    assert list(generate(None, 0)) == unseen
    assert list(generate(None, 1)) != unseen
    assert list(conforming(0, "seen", each=5)) == [
        case for app in sorted(SPECS) if SPECS[app].half == "seen" for case in of(app, HARMLESS)[:5]
    ]


def test_one_application_has_the_same_cases_alone_and_among_all():
    assert list(generate(None, 0, "seen", app="bank_chat")) == of("bank_chat", CASES)


def test_no_id_and_no_call_comes_twice():
    for cases in (CASES, HARMLESS):
        assert len({case.id for case in cases}) == len(cases)
        calls = Counter(json.dumps([case.app, case.inputs, case.outputs]) for case in cases)
        assert max(calls.values()) == 1


@pytest.mark.parametrize(
    ("half", "least", "harmless"), [("unseen", 1_000, 3_000), ("seen", 800, 1_500)]
)
def test_every_defect_domain_and_kind_is_there_and_in_number(half, least, harmless):
    cases = [case for case in CASES if case.half == half]
    conform = [case for case in HARMLESS if case.half == half]
    assert least <= len(cases) <= 1_600
    assert len(conform) >= harmless
    assert not any(case.defects for case in conform)
    defects = Counter(defect for case in cases for defect in case.defects)
    assert set(defects) == set(DEFECTS)
    assert min(defects.values()) >= 25
    of_half = [spec for spec in SPECS.values() if spec.half == half]
    assert len({spec.domain for spec in of_half}) == 4
    assert {spec.kind for spec in of_half} == {"chat", "retriever", "splitter", "tools"}


def test_faults_are_many_alone_and_in_pairs():
    assert len({name for case in CASES for name in case.faults}) >= 100
    assert sum(len(case.faults) == 2 for case in CASES) >= 50


def test_what_is_not_determined_is_expected_unchanged():
    for case in CASES:
        if case.defects:
            assert case.repairable == (case.expected != UNCHANGED), case.id


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.parent.name)
def test_applications_know_nothing_of_us(program):
    text = program.read_text(encoding="utf-8")
    assert "knitbone" not in text
    assert "benchmark" not in text
    assert len(text.splitlines()) <= 110


def test_right_takes_accepted_results_and_unchanged_ones():
    spec = AppSpec(name="a", half="unseen", domain="conversation", function="f")
    case = Case(id="1", app="a", domain="conversation", inputs={}, outputs=(), expected=[1])
    tolerant = Case(
        id="2", app="a", domain="conversation", inputs={}, outputs=(), expected=UNCHANGED,
        accepted=([2],),
    )  # fmt: skip
    raw = Result(error="ValueError")
    assert right(spec, case, Result(value=[1]), raw)
    assert not right(spec, case, Result(value=[2]), raw)
    assert not right(spec, case, raw, raw)
    assert right(spec, tolerant, raw, raw)
    assert right(spec, tolerant, Result(value=[2]), raw)
    assert not right(spec, tolerant, Result(value=[1]), raw)


def test_white_space_counts_only_where_the_application_cares():
    case = Case(id="1", app="a", domain="conversation", inputs={}, outputs=(), expected="a b")
    exact = AppSpec(name="a", half="unseen", domain="conversation", function="f")
    text = AppSpec(name="a", half="unseen", domain="conversation", function="f", compare="text")
    assert right(text, case, Result(value="a\n b "), Result())
    assert not right(exact, case, Result(value="a\n b "), Result())


GOOD = {
    "csv": ("Lamp,home,3.50\nPen,office,1.20", [["Lamp", "home", 3.5], ["Pen", "office", 1.2]]),
    "json_flat": (
        '{"customer": "Zoe", "item": "pens", "quantity": 3, "due": null}',
        {"customer": "Zoe", "item": "pens", "quantity": 3, "due": None},
    ),
    "json_nested": (
        '{"title": "Tea", "steps": [{"name": "boil", "minutes": 4, "needs": ["water"]}]}',
        {"title": "Tea", "steps": [["boil", 4, ["water"]]]},
    ),
    "labels": ("Label: neutral\nConfidence: 40", {"label": "neutral", "confidence": 40}),
    "markdown": ("# Tea\n- green\n- black", {"heading": "Tea", "points": ["green", "black"]}),
    "numbered_list": ("1. Boil water\n2. Add tea", ["Boil water", "Add tea"]),
    "python_fence": (
        "```python\ndef f(x):\n    return x\n```",
        {"name": "f", "code": "def f(x):\n    return x\n"},
    ),
    "react": (
        "Thought: I look\nAction: map\nAction Input: Nile",
        {"thought": "I look", "action": "map", "input": "Nile"},
    ),
    "sql": ("SELECT name FROM users WHERE age < 20;", [["Cleo"]]),
    "task_prefix": ("Task 1. Boil water\nTask 2. Add tea", [[1, "Boil water"], [2, "Add tea"]]),
    "xml": (
        "<answer><verdict>no</verdict><reason>late</reason></answer>",
        {"verdict": "no", "reason": "late"},
    ),
}

BAD = {
    "csv": ["Lamp,home,3.50\nLamp,home,3.50", "Lamp,3.50", "Pen,,1.0"],
    "json_flat": ['{"customer": "Zoe", "item": "pens", "due": null}', '{"customer": "Zoe"'],
    "json_nested": [
        '{"title": "a", "steps": [{"name": "b", "minutes": 1, "needs": ["c"], "needs": ["d"]}]}',
        '{"title": "a", "steps": [{"name": "b", "minutes": 1, "needs": []}',
    ],
    "labels": ["Label: 10\nConfidence: 2", "positive"],
    "markdown": ["# Tea\n- green\n- Green.", "# Tea", "# Tea\n# Coffee\n- black"],
    "numbered_list": ["1. Boil\n2) Add", "1. Boil\n2. boil", "Boil"],
    "python_fence": ["```python\ndef f(x)\n    return x\n```", "def f(x): ..."],
    "react": [
        "Thought: a\nAction: b\nAction Input: c\nAction Input: c",
        "Thought: a\nAction: b",
        "Action: b\nAction Input: c",
    ],
    "sql": ["SELECT nothing FROM nowhere;", "SELECT 1; SELECT 2;"],
    "task_prefix": ["Task 1. a\nTask 1. b", "Task 1: a", "Task 1. a\nTask 2. A"],
    "xml": [
        "<answer><verdict>no</verdict><reason>late</verdict></answer>",
        "<answer>no</answer>",
        "<answer><verdict>a</verdict><reason>b</reason><reason>c</reason></answer>",
    ],
}


def natural_result(stage, name, answer):
    spec = natural.SPECS[name]
    argument = natural._APPS[name][1]
    case = Case(
        id=name, app=name, domain=spec.domain, inputs={argument: "Tea"}, outputs=(answer,),
        expected=UNCHANGED,
    )  # fmt: skip
    return stage.run(spec, case)


@pytest.mark.parametrize("name", sorted(natural.SPECS))
def test_an_oracle_passes_a_good_result_and_no_other(name, stage):
    oracle = app_module("natural", name, "oracle")
    answer, expected = GOOD[name]
    result = natural_result(stage, name, answer)
    assert result.value == expected
    assert oracle.passes(result.value, answer)
    assert all(slot in answer for slot in oracle.slots(result.value))
    for bad in BAD[name]:
        result = natural_result(stage, name, bad)
        assert result.error is not None or not oracle.passes(result.value, bad), bad


def test_the_oracle_of_the_list_misses_a_lost_item():
    oracle = app_module("natural", "numbered_list", "oracle")
    assert not oracle.passes(["Boil"], "1. Boil\n2. Add")
    assert oracle.passes(["Boil"], "1. Boil\n2. boil")


def test_labels_are_whole():
    labels = natural.read_labels()
    assert len(labels) >= 150
    assert list(labels) == sorted(labels)
    for label in labels.values():
        assert not (label.conforms and label.repairable), label
        assert bool(label.results) == label.repairable, label
        assert label.conforms or label.reason, label
    assert sum(label.repairable for label in labels.values()) >= 30


def test_natural_cases_carry_their_labels(tmp_path):
    folder = tmp_path / "natural_outputs"
    folder.mkdir()
    row = {
        "format": "xml", "instruction": "", "topic": "Tea?", "temperature": 1.0, "seed": 1,
        "cut_off": False, "output": "<answer/>",
    }  # fmt: skip
    lines = [json.dumps(row)] * 9
    (folder / "answers.jsonl").write_text("\n".join(lines), encoding="utf-8")
    cases = list(natural.natural_cases(tmp_path))
    labels = natural.read_labels()
    for line, case in enumerate(cases):
        assert case.repairable == labels[line].repairable
        assert (case.expected == UNCHANGED) == (not labels[line].repairable)
        assert bool(case.defects) == (not labels[line].conforms)


def test_sentences_of_real_answers_are_filtered(tmp_path):
    folder = tmp_path / "llm_outputs"
    folder.mkdir()
    clean = "Rinse the rice in a fine mesh strainer and set aside."
    near = "Rinse the rice in a fine mesh basket and set it aside."
    others = (
        "The color of the big sky is blue on most days. This is a sentence that leans on another."
    )
    answer = {"model": "m", "prompt": "Rice?", "output": f"{clean} {others} {near} Ok."}
    (folder / "phi-2.jsonl").write_text(json.dumps(answer) + "\n", encoding="utf-8")
    pool = real(tmp_path)
    assert pool.sentences == (clean,)
    assert pool.passages == ()
