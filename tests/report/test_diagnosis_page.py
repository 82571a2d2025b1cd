"""The page of diagnoses: readable without its script, and nothing in a run can act in it."""

from __future__ import annotations

import json
import re

import pytest
from page_support import HOSTILE, Page

from knitbone.report.diagnosis import evidence_line, touched_line
from knitbone.report.diagnosis_html import diagnosis_page
from knitbone.testing import ModelServer
from knitbone.tethering.diagnosis.engine import examine
from knitbone.tethering.diagnosis.features import FEATURES
from knitbone.tethering.interchange.importers import import_bytes


def call(name, arguments, number, content=None):
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": content,
            "tool_calls": [{"id": f"c{number}", "function": function}]}  # fmt: skip


def examined(steps, analyst=None, **more):
    messages = [{"role": "user", "content": "Refund order W1200."}]
    for number, (name, arguments, result) in enumerate(steps):
        messages.append(call(name, arguments, number))
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": result})
    value = {"messages": messages, "success": False, **more}
    run = import_bytes(json.dumps(value).encode(), path="x.json")[0].run
    return examine(run, analyst=analyst)


def plain():
    return examined(
        [
            ("find_order", {"order_id": "W1200"}, '{"order_id": "W1200", "invoice": "INV7712"}'),
            ("refund_order", {"invoice": "INV7712"}, "Error: missing argument 'amount'"),
            ("send_letter", {"order_id": "W1200"}, "ok"),
        ]
    )


def test_the_page_says_where_why_what_it_touched_and_what_to_do():
    text = diagnosis_page([plain()])
    page = Page(text)
    assert "Refund order W1200." in text
    assert re.search(r'href="#run-0-step-\d+">step \d+</a>', text)
    for label in ("Left at", "Why", "Touched", "Suspicious", "Next time"):
        assert f">{label}</dt>" in text
    assert {"svg", "path", "details"} <= page.tags
    assert 'class="ring"' in text


def test_every_link_leads_somewhere_and_no_identifier_stands_twice():
    page = Page(diagnosis_page([plain(), plain()]))
    assert len(page.ids) == len(set(page.ids))
    inner = [link for link in page.links if link.startswith("#")]
    assert inner
    assert {link[1:] for link in inner} <= set(page.ids)
    assert [link for link in page.links if not link.startswith("#")] == []


def test_a_run_is_titled_by_its_task_and_names_the_command_that_diagnoses_it_again():
    text = diagnosis_page([plain(), examined([("find", {}, "ok")], name="no words")])
    assert '<span class="title said">Refund order W1200.</span>' in text
    assert "<pre>knitbone diagnose x.json --record 0</pre>" in text
    stored = diagnosis_page([plain()], store="my runs.sqlite")
    assert "knitbone diagnose --store &#39;my runs.sqlite&#39; " in stored


def test_a_task_of_many_lines_is_titled_by_its_first_and_stands_whole_below():
    task = "\n\nBook a table.\nFor six."
    messages = [{"role": "user", "content": task}, call("find", {}, 1)]
    run = import_bytes(json.dumps({"messages": messages}).encode(), path="x.json")[0].run
    text = diagnosis_page([examine(run)])
    assert '<span class="title said">Book a table.</span>' in text
    assert "Book a table.\nFor six.</pre>" in text


def test_a_page_without_a_turning_point_claims_none():
    good = examined([("find", {"x": "all"}, "ok")], success=True)
    assert "left the path" not in diagnosis_page([good, good])
    assert "left the path" not in diagnosis_page([])
    assert "<h1>Where these runs left the path</h1>" in diagnosis_page([good, plain()])


def test_a_run_from_standard_input_names_no_command():
    messages = [{"role": "user", "content": "hi"}]
    run = import_bytes(json.dumps({"messages": messages}).encode(), path="-")[0].run
    assert 'class="command' not in diagnosis_page([examine(run)])


def test_runs_that_failed_come_first():
    good = examined([("find", {"x": "all"}, "ok")], success=True)
    text = diagnosis_page([good, plain()])
    assert text.index('<span class="badge bad">failed') < text.index("succeeded</span>")


def test_no_name_of_a_detector_or_feature_is_shown():
    text = diagnosis_page([plain()])
    for name in (*FEATURES, "run-local", "conduct", "plane"):
        if name not in ("failed", "repeats"):  # words of any text
            assert not re.search(rf"\b{re.escape(name)}\b", text), name


@pytest.mark.parametrize("said", HOSTILE)
def test_nothing_that_a_run_says_acts_in_the_page(said):
    messages = [
        {"role": "user", "content": said},
        call(said, {said: said}, 1, content=said),
        {"role": "tool", "tool_call_id": "c1", "name": said, "content": said},
        {"role": "assistant", "name": said, "content": said},
    ]
    value = json.dumps({"messages": messages, "success": False, "task": said})
    run = import_bytes(value.encode(), path=f"{said[:10]}.json")[0].run
    page = Page(diagnosis_page([examine(run), examine(run)]))
    assert all(link.startswith("#run-") for link in page.links)


def test_the_analysts_quotes_are_marked_in_their_step():
    answer = {
        "path": [3], "turning_point": 3, "category": "invented value",
        "root_cause": "It refunded <b>more</b> than was paid.",
        "quotes": [{"step": 3, "text": "Error: too much"}], "recovery_hints": ["Look it up."],
    }  # fmt: skip
    from knitbone.config import ModelConfig
    from knitbone.models import create_chat_model

    steps = [("find", {"id": "W1200"}, "ok"), ("refund_order", {"sum": 9}, "Error: too much")]
    with ModelServer(json.dumps(answer)) as server:
        model = create_chat_model(ModelConfig(name="judge", base_url=server.base_url), "analyst")
        found = examined(steps, analyst=model)
    text = diagnosis_page([found])
    assert Page(text).marked == ["Error: too much", "Error: too much"]
    assert "&lt;b&gt;more&lt;/b&gt;" in text
    assert "named by judge" in text


def test_a_long_run_shows_what_matters_and_says_what_it_left_out():
    steps = [(f"find{n % 9}", {"x": f"R{n}00"}, "word " * 4_000) for n in range(300)]
    text = diagnosis_page([examined(steps)])
    Page(text)
    assert "far from the turning point that are not shown" in text
    assert len(text) < 3_000_000


def test_a_run_without_steps_and_a_successful_one_have_a_page():
    empty = examine(
        import_bytes(b'{"messages": [{"role": "user", "content": "hi"}]}', path="x")[0].run
    )
    good = examined([("find", {"x": "all"}, "ok")], success=True)
    text = diagnosis_page([empty, good], left_out=3)
    Page(text)
    assert "took no step" in text
    assert "Look first" in text
    assert "The run succeeded; nothing on record speaks against a step." in text
    assert "3 more runs are not on this page" in text


def test_lines_for_people_name_steps_and_planes():
    found = plain()
    assert touched_line(found.diagnosis)
    assert "run-local rank" in evidence_line(found)
