"""What pages say: words that a Python developer knows, and no names of our own."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib import resources
from typing import get_args

import pytest
from page_states import states

from knitbone.adaptation.testing import ScenarioName
from knitbone.fuzzing.records import FindingKind
from knitbone.tethering.diagnosis.features import FEATURES

TEMPLATES = resources.files("knitbone.report") / "templates"
NAMES = {*FEATURES, *get_args(FindingKind), *get_args(ScenarioName)}
INNER = {name for name in NAMES if "_" in name} | {
    "Chao1", "run-local", "turning_point", "tools without", "tool without", "tool level", "plane",
    "planes", "under-specified", "over-specified", "ill-specified", "macro", "taint", "unit",
    "units", "conduct", "None", "nan", "output_type",
}  # fmt: skip
"""Names that code has for things, and what a template says where a value is missing."""


class Text(HTMLParser):
    """What a person reads of a page: no style, no script, and no text that is of others."""

    def __init__(self, page):
        super().__init__()
        self.open, self.words = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag in ("style", "script", "pre", "code", "mark"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_data(self, data):
        if not self.open:
            self.words.append(data)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    return states(tmp_path_factory.mktemp("words"))


def test_no_page_shows_a_name_of_our_own(pages):
    for state, page in pages.items():
        if not state.endswith("hostile"):
            text = " ".join(Text(page).words)
            assert text.strip()
            shown = {name for name in INNER if re.search(rf"(?<![\w-]){name}(?![\w-])", text)}
            assert shown == set(), state


def test_no_template_switches_escaping_off():
    names = [each.name for each in TEMPLATES.iterdir() if each.name.endswith(".j2")]
    assert {"page.html.j2", "check.html.j2", "demo.html.j2"} <= set(names)
    for name in names:
        assert not re.search(r"\|\s*safe\b|autoescape", (TEMPLATES / name).read_text("utf-8")), name


def test_every_page_is_made_of_the_one_frame(pages):
    for name in (each.name for each in TEMPLATES.iterdir() if each.name.endswith(".html.j2")):
        text = (TEMPLATES / name).read_text("utf-8")
        if name not in ("page.html.j2", "macros.html.j2"):
            assert text.startswith('{% extends "page.html.j2" %}'), name
            assert "<style" not in text
            assert "<table" not in text  # columns of a table get narrower than words
            assert any(state.startswith(name.split(".")[0]) for state in pages), name
