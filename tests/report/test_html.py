"""HTML reports: what a tool or a model said cannot act in the page."""

from __future__ import annotations

import jinja2
import pytest
from page_support import HOSTILE, Page

from knitbone.report.demo_html import demo_page
from knitbone.report.html import render, shown_lines


def case(**changed):
    given = {"name": "n", "action": "repaired", "why": "w", "before": "1) a", "after": "1. a"}
    return {**given, "tasks": 3, "kept": 0, **changed}


def diagnosed(**changed):
    given = {
        "name": "run 1", "task": "Close the account.", "headline": "Step 4 fails.", "step": 4,
        "turning_point": 4, "action": "close()", "known": 4, "rank": 1, "reason": "it fails",
        "hints": ("Look first.",),
    }  # fmt: skip
    return {**given, **changed}


def page(changed=(), diagnoses=(), campaigns=(), **more):
    counts = dict.fromkeys(("answers", "silent", "repaired", "refused", "conforming", "touched"), 1)
    adapt = {**counts, "requirement": "r", "evidence": "/a/b/app.py:4  int(x)", "changed": changed}
    tether = dict.fromkeys(("runs", "failed", "first", "three", "region"), 2)
    return demo_page(
        {"campaigns": campaigns, "calls": 1},
        {**adapt, **more},
        {
            **tether,
            "diagnoses": diagnoses,
            "recovered": True,
            "repairs": 1,
            "told": "Look first.",
            "steps_before": 15,
            "steps_after": 9,
        },
        next_steps=[("knitbone check", "what")],
    )


@pytest.mark.parametrize("said", HOSTILE)
def test_markup_from_a_model_is_escaped(said):
    shown = page(
        [case(before=said, after=said, why=said, name=said)],
        [diagnosed(task=said, headline=said, reason=said, hints=(said,), action=said)],
        requirement=said,
        evidence=said,
    )
    Page(shown)
    assert "\x1b" not in shown
    shown.encode("utf-8")


def test_the_demo_opens_with_the_strongest_cases():
    weak = case(name="weak", tasks=3, kept=2, before="2) weak")
    wrong = diagnosed(turning_point=5, headline="Step 5 was wrong.")
    shown = page([weak, case(tasks=5, kept=1, before="5) strong")], [wrong, diagnosed()])
    tiles = shown[: shown.index("<details")]
    assert tiles.count('class="tile"') == 3
    assert "5) strong" in tiles
    assert "1 of 5 tasks" in tiles
    assert "2) weak" not in tiles
    assert "Step 4 fails." in tiles
    assert "Step 5 was wrong." not in tiles
    assert "No tool failed." in tiles
    assert {"#fuzz", "#adapt", "#tether"} == set(Page(shown).links)
    assert "app.py:4" in shown
    assert "/a/b/" not in shown


def test_a_demo_that_found_nothing_has_its_three_tiles():
    assert page().count('class="tile"') == 3


def test_a_missing_value_is_an_error_not_an_empty_spot():
    with pytest.raises(jinja2.UndefinedError):
        render("demo.html.j2")


def test_lines_are_printable_and_cut_visibly():
    assert shown_lines("a\x1b\nb", lines=5) == "a\\x1b\nb"
    assert shown_lines("a\nb\nc", lines=2) == "a\nb …"
    assert shown_lines("abcdef", lines=2, width=4) == "abc…"
