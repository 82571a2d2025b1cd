"""HTML reports: what a tool or a model said cannot act in the page."""

from __future__ import annotations

import jinja2
import pytest

from knitbone.report.html import render


def page(**adapt):
    return render(
        "demo.html.j2",
        fuzz={"campaigns": [], "calls": 1, "unique": 0, "returned": 0},
        adapt={
            "answers": 1, "silent": 0, "repaired": 1, "refused": 0, "conforming": 0, "touched": 0,
            "requirement": "r", "evidence": "e", **adapt,
        },
        tether={"runs": 0, "failed": 0, "first": 0, "three": 0, "region": 0, "diagnoses": []},
        next_steps=(),
    )  # fmt: skip


def test_markup_from_a_model_is_escaped():
    hostile = "</pre><script>alert(1)</script>"
    case = {"name": "n", "action": "repaired", "why": "w", "before": hostile, "after": hostile}
    assert "<script" not in page(changed=[case])
    assert "&lt;script&gt;" in page(changed=[case])


def test_the_page_forbids_scripts_and_external_resources():
    assert "default-src &#39;none&#39;" in page(changed=[]) or "default-src 'none'" in page(
        changed=[]
    )


def test_a_missing_value_is_an_error_not_an_empty_spot():
    with pytest.raises(jinja2.UndefinedError):
        page()
