"""The page of diagnoses: readable without scripts, and nothing in a run can act in it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest

from knitbone.report.diagnosis import evidence_line, touched_line
from knitbone.report.diagnosis_html import diagnosis_page
from knitbone.testing import ModelServer
from knitbone.tethering.engine import examine
from knitbone.tethering.importers import import_bytes

HOSTILE = [
    "</pre></details><script>alert(1)</script>", '"><img src=x onerror=alert(1)>',
    "</style></svg><script>", "javascript:alert(1)", "<!--", "\x00\x1b[2J\u202e\ud800",
]  # fmt: skip
VOID = {"meta", "br", "link", "img", "input", "hr"}


class Page(HTMLParser):
    """Tags, ids and links; complains of a tag that is closed out of order."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.tags, self.open, self.marked = [], [], set(), [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.add(tag)
        assert not [name for name in given if name.startswith("on")]
        if "id" in given:
            self.ids.append(given["id"])
        if "href" in given:
            self.links.append(given["href"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "mark":
            self.marked.append(data)


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
            ("refund_order", {"invoice": "INV7712", "amount": 975}, "Error: too much"),
            ("send_letter", {"order_id": "W1200"}, "ok"),
        ]
    )


def test_the_page_says_where_why_what_it_touched_and_what_to_do():
    text = diagnosis_page([plain()])
    page = Page(text)
    assert "Refund order W1200." in text
    assert re.search(r'href="#run-0-step-\d+">step \d+</a>', text)
    for label in ("Asked", "Left at", "Why", "Touched", "Region", "Next time"):
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


def test_the_page_loads_nothing_and_runs_nothing():
    text = diagnosis_page([plain()])
    assert "script" not in Page(text).tags
    assert "default-src 'none'" in text
    assert not re.search(r"(?:src|href)=\"(?!#)", text)
    assert "url(" not in text


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
    assert page.tags & {"script", "img", "iframe", "object"} == set()
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
    steps = [(f"find{n % 9}", {"x": f"R{n}00"}, "word " * 4_000) for n in range(1_000)]
    text = diagnosis_page([examined(steps)])
    Page(text)
    assert "steps far from the turning point are not shown" in text
    assert len(text) < 3_000_000


def test_a_run_without_steps_and_a_successful_one_have_a_page():
    empty = examine(
        import_bytes(b'{"messages": [{"role": "user", "content": "hi"}]}', path="x")[0].run
    )
    good = examined([("find", {"x": "R100"}, "ok")], success=True)
    text = diagnosis_page([empty, good], left_out=3)
    Page(text)
    assert "took no step" in text
    assert "Ranks first" in text
    assert "The run succeeded; nothing on record speaks against a step." in text
    assert "3 more runs are not on this page" in text


def test_lines_for_people_name_steps_and_planes():
    found = plain()
    assert touched_line(found.diagnosis)
    assert "run-local rank" in evidence_line(found)
