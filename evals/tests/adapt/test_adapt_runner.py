"""The runner of the adapt benchmark: what it counts, and that treatments meet the same values."""

import json

import msgspec
import pytest

from benchmarks.adapt_latency_cases import KINDS, essay
from knitbone.common.structured.shape import Field, Shape
from knitbone_evals.adapt import metrics, natural_metrics, simulated, tables
from knitbone_evals.adapt.bare import Result
from knitbone_evals.adapt.cases import UNCHANGED, Case, generate, specs
from knitbone_evals.adapt.contracts import contract_tests
from knitbone_evals.adapt.measure import Note, Scored, run, score
from knitbone_evals.adapt.peers.client import form_of, schema_of
from knitbone_evals.adapt.peers.literals import literals_of, snap_to_literals
from knitbone_evals.adapt.peers.worker import _as_json, _as_list
from knitbone_evals.adapt.treatments import sites_of, with_peer
from knitbone_evals.adapt.work import jobs

SPECS = {(spec.half, spec.name): spec for half in ("seen", "unseen") for spec in specs(half)}


def scored(defects=(), *, bare=False, right=False, changed=False, notes=(), **more):
    repairable = more.pop("repairable", bool(defects))
    case = Case(
        id="seen/app/1",
        app=more.pop("app", "app"),
        half="seen",
        domain="conversation",
        defects=defects,
        faults=tuple(more.pop("faults", ())),
        inputs={},
        outputs=("text",),
        expected=["right"] if repairable or not defects else UNCHANGED,
        repairable=repairable,
    )
    delivered = more.pop("delivered", False)
    result = Result(value=["right"] if right else ["wrong"])
    return Scored(
        case=case,
        bare_right=bare,
        right=right,
        changed=changed,
        delivered=delivered,
        result=result,
        raw=more.pop("raw", Result(error="ValueError")),
        notes=notes,
        **more,
    )


def test_figures_count_what_they_say():
    said = (Note("template", "repaired", ""),)
    cases = [
        scored(("template",), right=True, changed=True, notes=said),
        scored(("template",), notes=(Note("template", "refused", ""),)),
        scored(("syntax",), changed=True, notes=said),
        scored(("syntax",), repairable=False, bare=True, right=True),
        scored(bare=True, right=True),
        scored(bare=True, changed=True, notes=said),
    ]
    harmless = [scored(bare=True, right=True, delivered=True, notes=said)]
    found = metrics.figures(cases, harmless)
    assert found["faulty"] == 4
    assert found["recall"][0] == 0.75
    assert found["failing"] == 3
    assert found["prevented"][0] == pytest.approx(1 / 3, abs=1e-3)
    assert found["mis-repaired"] == 1
    assert (found["reports"], found["precision"][0]) == (5, 0.6)
    assert (found["conforming"], found["harmed"], found["result harmed"]) == (3, 2, 1)
    assert found["pass before"][0] == 0.4
    assert found["pass after"][0] == 0.4


def test_precision_of_a_kind_counts_reports_of_that_kind():
    cases = [
        scored(("syntax",), notes=(Note("syntax", "refused", ""),)),
        scored(bare=True, right=True, notes=(Note("lexical", "refused", ""),)),
    ]
    found = metrics.figures_by_kind(cases, [])
    assert found["syntax"]["precision"][0] == 1.0
    assert found["all"]["precision"][0] == 0.5


SPEC = SPECS["seen", "recipe_steps"]
CASES = [
    case
    for case in generate(None, 0, "seen", app="recipe_steps")
    if case.faults in ((), ("number then parenthesis",))
]


def repair_parenthesis(_site, _spec):
    return lambda text: text.replace(") ", ". ")


def treated(treatment):
    known = {(SPEC.half, SPEC.name): SPEC}
    return list(score(known, CASES, run(known, CASES), run(known, CASES, treatment.load)))


def test_a_peer_meets_the_answers_and_its_repairs_arrive():
    treatment = with_peer(repair_parenthesis)
    assert treatment.applies(SPEC)
    found = treated(treatment)
    faulty = [each for each in found if each.case.defects]
    assert len(faulty) == 3
    for each in faulty:
        assert not each.bare_right
        assert each.right
        assert each.delivered
    for each in found:
        if not each.case.defects:
            assert each.right
            assert not each.reported


def test_a_peer_that_gives_up_is_reported_and_changes_nothing():
    found = treated(with_peer(lambda _site, _spec: lambda _text: None))
    for each in found:
        assert each.reported
        assert not each.changed
        assert not each.delivered


def test_a_peer_without_a_word_for_the_site_does_nothing():
    nothing = with_peer(lambda _site, _spec: None)
    assert not nothing.applies(SPEC)
    found = treated(nothing)
    assert not any(each.reported for each in found)


def test_asking_again_needs_an_exception():
    silent = [scored(("template",), raw=Result(value=["wrong"])) for _ in range(50)]
    found, calls = simulated.retry(silent, 0)
    assert calls == 1
    assert not any(each.right or each.reported for each in found)
    loud = [scored(("template",)) for _ in range(400)]
    found, calls = simulated.retry(loud, 0)
    # Two tries, each conforming with 64 %, and a faulty one raises again.
    assert sum(each.right for each in found) / 400 == pytest.approx(1 - 0.36**2, abs=0.05)
    assert 2 < calls < 2.5
    better, _ = simulated.reflexion(loud, 0)
    assert sum(each.right for each in better) > sum(each.right for each in found)


def test_schema_prompting_prevents_faults_of_form_where_json_is_read():
    cases = [
        scored(("template",)),
        scored(("semantics",)),
        scored(("syntax",), faults=("cut off in a value",)),
    ]
    assert [each.right for each in simulated.schema_prompting(cases, reads_json=True)[0]] == [
        True,
        False,
        False,
    ]
    assert not any(each.right for each in simulated.schema_prompting(cases, reads_json=False)[0])


def test_slots_that_the_answer_does_not_hold_are_foreign():
    answer = '{"customer": "Zo\\u00eb", "item": "pens", "quantity": 3, "due": null}'
    each = scored(app="json_flat", changed=True)
    value = {"customer": "Zoë", "item": "pencils", "quantity": 3, "due": None}
    case = msgspec.structs.replace(each.case, outputs=(answer,))
    each = msgspec.structs.replace(each, case=case, result=Result(value=value))
    assert natural_metrics.foreign_slots(each) == ["pencils"]


def test_forms_and_schemas_of_sites():
    (site,) = sites_of(SPECS["unseen", "ticket_triage"])
    form, shape = form_of(site)
    assert form == "json"
    schema = schema_of(shape)
    assert set(schema["properties"]) >= {"subject", "priority", "product", "refund"}
    inner = Shape(type="array", items=Shape(type="integer", nullable=True))
    assert schema_of(Shape(fields=(Field(name="a", shape=inner, required=False),))) == {
        "type": "object",
        "properties": {
            "a": {"type": "array", "items": {"type": "integer", "nullable": True}},
        },
        "required": [],
    }


def test_peers_keep_what_a_plain_parser_reads_the_same():
    text = '{"a":  1}'
    assert _as_json(text, {"a": 1}) is text
    assert json.loads(_as_json("{'a': 1}", {"a": 1})) == {"a": 1}
    assert _as_json("", "") is None
    assert _as_list("So:\n1. a\n2. b", ["1. a", "2. b"]) == "So:\n1. a\n2. b"
    assert _as_list("1.  a", ["1. a"]) == "1. a"


def test_words_near_a_literal_become_it():
    spec = SPECS["seen", "mail_labels"]
    assert {"Category", "Urgency", "Reply"} <= literals_of(spec)
    repair = snap_to_literals(sites_of(spec)[0], spec)
    assert repair("Catgory: billing\nReply: ok") == "Category: billing\nReply: ok"


def test_jobs_are_applications_of_the_halves():
    assert len(jobs(("seen", "unseen"), None, 0, app=None, every=1)) == len(SPECS)
    assert jobs(("natural",), None, 0, app=None, every=1) == []
    assert [job.app for job in jobs(("seen",), None, 0, app="lead_rows", every=1)] == ["lead_rows"]


def test_latency_kinds_conform_and_fail_as_they_say():
    for kind in KINDS:
        assert 1_400 <= len(kind.conforming) <= 2_600, (kind.name, len(kind.conforming))
        kind.read(kind.conforming)
        assert kind.faulty != kind.conforming
        if kind.name not in ("CSV", "fence") and "numbered list" not in kind.name:
            with pytest.raises(Exception):  # noqa: B017, PT011 - each reader has its own
                kind.read(kind.faulty)
    assert essay(1).count(".") == 40
    assert not set(essay(1).split(". ")) & set(essay(2).split(". "))


def test_contract_tests_are_found_by_their_decorator():
    found = list(contract_tests())
    assert len(found) > 30
    assert all("::test_" in name for name in found)


def test_tables_hold_a_row_for_each_name():
    found = metrics.figures_by_kind([scored(("template",), right=True, changed=True)], [])
    lines = tables.table("kind", found.items())
    assert [line.split(" | ")[0] for line in lines[2:-1]] == ["| all", "| template"]
    said = list(tables.failures([scored(("template",)), scored(bare=True, changed=True)]))
    assert said[0].startswith("NOT PREVENTED")
    assert said[1].startswith("HARMED")
