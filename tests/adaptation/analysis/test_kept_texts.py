"""Texts that code keeps where an expression finds nothing in them, against what the code does.

Each program is run on a text that does not fit: what comes out of it says whether it is lost.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from knitbone.adaptation.testing import (
    Site,
    StructuredTemplate,
    Unknown,
    analyse_text,
)

CHAT = """
import json, logging, re, sys
from openai import OpenAI
client = OpenAI()
def ask(q):
    messages = [{"role": "user", "content": q}]
    return client.chat.completions.create(model="m", messages=messages).choices[0].message.content
"""


def sites_of(tmp_path: Path, code: str) -> tuple[Site, ...]:
    return tuple(analyse_text(CHAT + code, tmp_path / "app.py").sites)


ODD = "nothing of the kind"
SEARCHES = {
    "search": 'found = re.search(r"<note>(.+?)</note>", text)',
    "stripped": 'found = re.match(r"<note>(.+?)</note>", text.strip())',
    "compiled": 'NOTE = re.compile("<note>(.+?)</note>")\n    found = NOTE.search(text)',
}
READINGS = {
    "one expression": ("return found[1] if found else text",),
    "negative expression": ("return text if found is None else found.group(1)",),
    "two parts": ('head, text = ("", found[1]) if found else ("", text)', "return text"),
    "taken off": ("if found:", "    text = found[1]", "return text"),
    "else": ("if found:", "    out = found[1]", "else:", "    out = text.strip()", "return out"),
    "early return": ("if found:", "    return found[1]", "return text"),
    "early return of the text": ("if not found:", "    return text", "return found[1]"),
    "logged, kept": (
        "if not found:",
        "    logging.info('odd')",
        "    return text",
        "return found[1]",
    ),
    "slice": (
        "if found:",
        "    return found[1]",
        "place = max(text.find('{'), 0)",
        "return text[place:]",
    ),
    "gathered": (
        "out = []",
        "if found:",
        "    out.append(found[1])",
        "else:",
        "    out.append(text)",
        "return out",
    ),
    "empty": ('return found[1] if found else ""',),
    "nothing": ("if found:", "    return found[1]", "return None"),
    "logged, lost": (
        "if not found:",
        "    logging.info('odd: %s', text)",
        "    return None",
        "return found[1]",
    ),
    "asked again, lost": (
        "if found:",
        "    return found[1]",
        "second = re.search('<b>(.+)</b>', text)",
        "if second:",
        "    return second[1]",
        "return None",
    ),
    "only where it fits": ("out = []", "if found:", "    out.append(found[1])", "return out"),
}


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("reading", READINGS)
def test_a_text_that_is_kept_is_not_called_lost(tmp_path: Path, search: str, reading: str) -> None:
    indented = "\n    ".join(READINGS[reading])
    body = f"def read(text):\n    {SEARCHES[search]}\n    {indented}\n"
    known: dict[str, object] = {}
    exec("import logging, re\n" + body, known)
    kept = "kind" in json.dumps(known["read"](ODD))  # type: ignore[operator]
    sites = sites_of(tmp_path, body + "def use(q):\n    return read(ask(q))\n")
    fates = {
        requirement.on_violation
        for site in sites
        for requirement in site.requirements
        if not isinstance(requirement, Unknown) and "<b>" not in requirement.evidence.expression
    } - {"unknown"}
    assert fates == (set() if kept else {"silent"}), (kept, fates)


EACH = "for each in re.finditer('<note>(.+?)</note>', text):"
CUT = {
    "between the matches": (
        "out, place = [], 0",
        EACH,
        "    out.append(text[place : each.start()])",
        "    place = each.end()",
        "out.append(text[place:])",
        "return out",
    ),
    "before the first": (EACH, "    return text[: each.start()]", "return text"),
    "one by one": ("out = []", EACH, "    out.append(each[1])", "return out"),
}


@pytest.mark.parametrize("reading", CUT)
def test_nor_is_one_that_is_cut_at_what_is_found(tmp_path: Path, reading: str) -> None:
    indented = "\n    ".join(CUT[reading])
    body = f"def read(text):\n    {indented}\n"
    known: dict[str, object] = {}
    exec("import re\n" + body, known)
    kept = "kind" in json.dumps(known["read"](ODD))  # type: ignore[operator]
    sites = sites_of(tmp_path, body + "def use(q):\n    return read(ask(q))\n")
    fates = {
        requirement.on_violation
        for site in sites
        for requirement in site.requirements
        if not isinstance(requirement, Unknown)
    } - {"unknown"}
    assert fates == (set() if kept else {"silent"}), (kept, fates)


GROWN = [
    "KINDS.extend(sys.argv)",
    "KINDS += sys.argv[1:]",
    "KINDS.append(sys.argv[1])",
    "for each in sys.argv:\n    KINDS.append(each)",
    "KINDS.insert(0, sys.argv[1])",
    "def grow():\n    KINDS.extend(sys.argv)",
    "def grow(more):\n    for each in more:\n        KINDS.append(each)",
    "def grow():\n    global KINDS\n    KINDS += sys.argv",
    "KINDS.append(json.load(open('kinds.json')))",
]


@pytest.mark.parametrize("grown", ["", *GROWN])
def test_a_list_that_grows_by_what_is_not_known_holds_no_choices(
    tmp_path: Path, grown: str
) -> None:
    code = f"""
KINDS = ["river", "lake"]
{grown}
def use(q):
    data = json.loads(ask(q))
    if data["kind"] not in KINDS:
        raise ValueError(data["kind"])
    return data["kind"]
"""
    (site,) = sites_of(tmp_path, code)
    (template,) = [r for r in site.requirements if isinstance(r, StructuredTemplate)]
    (field,) = template.shape.fields
    assert field.shape.values == (() if grown else ("river", "lake"))


GROWN_SETS = [
    "KINDS.add(sys.argv[1])",
    "KINDS.update(sys.argv)",
    "KINDS |= set(sys.argv)",
    "def grow():\n    KINDS.update(sys.argv)",
]


@pytest.mark.parametrize("grown", ["", *GROWN_SETS])
def test_nor_does_a_set(tmp_path: Path, grown: str) -> None:
    code = f"""
KINDS = {{"river", "lake"}}
{grown}
def use(q):
    data = json.loads(ask(q))
    if data["kind"] not in KINDS:
        raise ValueError(data["kind"])
    return data["kind"]
"""
    (site,) = sites_of(tmp_path, code)
    (template,) = [r for r in site.requirements if isinstance(r, StructuredTemplate)]
    (field,) = template.shape.fields
    assert sorted(field.shape.values) == ([] if grown else ["lake", "river"])


GROWN_DICTIONARIES = [
    "KINDS.update(json.load(open('kinds.json')))",
    "KINDS[sys.argv[1]] = 3",
    "KINDS.setdefault(sys.argv[1], 3)",
    "KINDS |= json.load(open('kinds.json'))",
    "for each in sys.argv:\n    KINDS[each] = 3",
    "def grow(name):\n    KINDS[name] = 3",
    "def grow(names):\n    KINDS.update(names)",
]


@pytest.mark.parametrize("grown", ["", *GROWN_DICTIONARIES])
def test_nor_does_a_dictionary(tmp_path: Path, grown: str) -> None:
    code = f"""
KINDS = {{"river": 1, "lake": 2}}
{grown}
def use(q):
    data = json.loads(ask(q))
    return KINDS[data["kind"]]
"""
    (site,) = sites_of(tmp_path, code)
    (template,) = [r for r in site.requirements if isinstance(r, StructuredTemplate)]
    (field,) = template.shape.fields
    assert sorted(field.shape.values) == ([] if grown else ["lake", "river"])
