"""YAML: what is repaired, what is left alone, and the contracts."""

import re

import pytest
import yaml
from contracts import contract_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.adaptation.repair.structured.yaml import HEURISTICS
from knitbone.adaptation.testing import Evidence, Invocation, StructuredTemplate, prepare_check
from knitbone.common.structured.shape import Field, Shape
from knitbone.config import AdaptConfig

EVIDENCE = Evidence(file="app.py", line=1, expression="parse(text)")
STRING = Shape(type="string")


def fields(**named):
    return tuple(Field(name=name, shape=shape) for name, shape in named.items())


def template(parser="yaml.safe_load", **named):
    shape = Shape(type="object", fields=fields(**named))
    return StructuredTemplate(format="yaml", shape=shape, parser=parser, evidence=EVIDENCE)


RELEASE = template(name=STRING, version=STRING)
TASK = template(title=STRING, steps=Shape(type="array", items=STRING), done=Shape(type="boolean"))
DATED = template(due=Shape(type="date"))
DUE = template(due=Shape(type="date", convertible=True, reading="%Y-%m-%d"))
GERMAN = template(due=Shape(type="date", convertible=True, reading="%d.%m.%Y"))
COUNT = template(count=Shape(type="integer"))
NESTED = template(job=Shape(type="object", fields=fields(name=STRING, image=STRING)))


def run(requirement, text, *, without=(), budget_ms=60_000):
    config = AdaptConfig(without=tuple(without), budget_ms=budget_ms)
    return prepare_check(requirement)(text, Invocation(config))


GOOD = "title: Ship it\nsteps:\n  - build\n  - test\ndone: false\n"
REPAIRED = {
    "fence": (TASK, f"```yaml\n{GOOD}```", GOOD),
    "prose": (TASK, f"Here is the plan:\n\n{GOOD}\nLet me know what you think!", GOOD.rstrip("\n")),
    "prose above a key that nobody asks for": (
        RELEASE,
        "The plan:\nid: 7\nname: a\nversion: b\n\nGood luck with it!",
        "id: 7\nname: a\nversion: b",
    ),
    "tabs": (TASK, GOOD.replace("  - ", "\t- "), GOOD),
    "no blank behind a colon": (TASK, GOOD.replace("title: ", "title:"), GOOD),
    "a colon in a text": (
        TASK,
        GOOD.replace("Ship it", "Ship: it's it"),
        GOOD.replace("Ship it", "'Ship: it''s it'"),
    ),
    "a text that begins with a mark": (
        TASK,
        GOOD.replace("Ship it", "@ada ships"),
        GOOD.replace("Ship it", "'@ada ships'"),
    ),
    "quoted in part": (
        TASK,
        GOOD.replace("Ship it", '"Ship" it'),
        GOOD.replace("Ship it", "'\"Ship\" it'"),
    ),
    "indentation": (NESTED, "job:\n  name: a\n   image: b\n", "job:\n  name: a\n  image: b\n"),
    "indentation at the top": (RELEASE, "name: a\n version: b\n", "name: a\nversion: b\n"),
    "stars for items": (TASK, GOOD.replace("  - ", "  * "), GOOD),
    "bold keys": (TASK, GOOD.replace("title:", "**title**:"), GOOD),
    "a version": (RELEASE, "name: a\nversion: 1.10\n", "name: a\nversion: '1.10'\n"),
    "a word that YAML takes for a truth value": (
        RELEASE,
        "name: no\nversion: v1\n",
        "name: 'no'\nversion: v1\n",
    ),
    "a number with a leading zero": (
        RELEASE,
        "name: 007\nversion: v1\n",
        "name: '007'\nversion: v1\n",
    ),
    "a date that the code reads itself": (DATED, "due: 2024-01-05\n", "due: '2024-01-05'\n"),
    "a date in the format that the code reads": (DUE, "due: 2024-01-05\n", "due: '2024-01-05'\n"),
    "a date in another format": (GERMAN, "due: 2024-01-05\n", 'due: "05.01.2024"\n'),
    "a date in words": (DUE, "due: May 5, 2024\n", 'due: "2024-05-05"\n'),
    "a quoted number": (COUNT, 'count: "3"\n', "count: 3\n"),
    "a quoted truth value": (TASK, GOOD.replace("false", '"false"'), GOOD),
    "a key in another style": (TASK, GOOD.replace("title", "Title"), GOOD),
    "one item": (
        TASK,
        "title: a\nsteps: build\ndone: true\n",
        "title: a\nsteps: [build]\ndone: true\n",
    ),
    "a wrapper": (
        RELEASE,
        "release:\n  name: a\n  version: b\n",
        "name: a\nversion: b\n",
    ),
    "the last of two documents that fits": (
        RELEASE,
        "other: 1\n---\nname: a\nversion: b\n",
        "\nname: a\nversion: b\n",
    ),
}


@pytest.mark.parametrize("name", REPAIRED)
def test_documents_are_brought_into_the_form_of_the_code(name):
    requirement, text, expected = REPAIRED[name]
    verdict = run(requirement, text)
    assert (verdict.disposition, verdict.text) == ("repaired", expected), verdict.reason
    assert verdict.rules
    assert verdict.edits
    assert run(requirement, expected).text is expected


CONFORMING = {
    "as wanted": (TASK, GOOD),
    "with a mark": (TASK, f"---\n{GOOD}"),
    "more keys": (TASK, f"{GOOD}extra: 1.10\n"),
    "flow style": (RELEASE, '{name: "a", version: "1.0"}'),
    "block of text": (RELEASE, "name: |\n  a: b: c\n  x\nversion: b\n"),
    "comments": (RELEASE, "# hi\nname: a # b\nversion: c\n"),
    "the last of two equal keys, as the parser": (RELEASE, "name: a\nname: b\nversion: c\n"),
}


@pytest.mark.parametrize("name", CONFORMING)
def test_what_the_code_reads_is_left_alone(name):
    requirement, text = CONFORMING[name]
    verdict = run(requirement, text)
    assert verdict.disposition == "conforming", verdict
    assert verdict.text is text


BOMB = "a: &a [x,x]\nb: &b [*a,*a]\nname: a\nversion: b\n"
REFUSED = {
    "prose": (TASK, "I am sorry: I do not know."),
    "empty": (TASK, ""),
    "a key is missing": (RELEASE, "name: a\n"),
    "cut off in a text": (RELEASE, 'name: a\nversion: "1.'),
    "cut off in a list": (TASK, "title: a\ndone: true\nsteps: [a, b"),
    "two documents": (RELEASE, "name: a\nversion: b\n---\nname: c\nversion: d\n"),
    "aliases": (RELEASE, BOMB),
    "items at two depths": (TASK, "title: a\nsteps:\n- a\n  - b: c\n - d\ndone: true\n"),
    "a number in words": (COUNT, "count: three\n"),
    "a key that is no text": (RELEASE, "1: a\nname: a\n"),
    "a list for a text": (RELEASE, "name: [a, b]\nversion: c\n"),
    "a tag": (RELEASE, "name: !!python/object/apply:os.system [ls]\nversion: b\n"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_in_doubt_nothing_is_done(name):
    requirement, text = REFUSED[name]
    verdict = run(requirement, text)
    assert verdict.disposition == "refused", verdict.text
    assert verdict.text is text
    assert verdict.reason


@pytest.mark.parametrize("parser", ["ruamel.yaml.YAML().load", "yaml.safe_load_all", "app.load"])
def test_another_yaml_is_not_checked(parser):
    assert prepare_check(template(parser=parser, a=STRING)) is None


def test_without_the_library_the_format_is_not_checked(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert prepare_check(RELEASE) is None


@pytest.mark.parametrize(
    ("heuristic", "text"),
    [
        ("structured.yaml_region", f"```yaml\n{GOOD}```"),
        ("structured.yaml_syntax", GOOD.replace("title: ", "title:")),
        ("structured.keys", GOOD.replace("title", "Title")),
        ("structured.types", GOOD.replace("false", '"false"')),
    ],
)
def test_each_heuristic_can_be_switched_off(heuristic, text):
    assert heuristic in (*HEURISTICS, "structured.keys", "structured.types")
    assert run(TASK, text).disposition == "repaired"
    assert run(TASK, text, without=[heuristic]).disposition == "refused"


@pytest.mark.parametrize(
    "text",
    [
        "[" * 49_000,
        "- " * 24_000 + "a",
        "{a: " * 12_000,
        "a:\n" + "".join(" " * n + "b:\n" for n in range(300)),
        "? " * 24_000,
        " " * 49_000,
        "\t" * 49_000,
        "-" * 49_000,
        "---\n" * 12_000,
        "title: " + "'" * 40_000,
        "title: " + "a: " * 15_000,
        "```\n" * 10_000,
        "* " * 20_000,
        "title:a\n" * 5_000,
        "\ud800: \udfff",
        "\0",
        "x" * 10_000_000,
    ],
    ids=range(17),
)
def test_hostile_text_is_passed_on(text):
    for requirement in (TASK, RELEASE):
        try:
            verdict = run(requirement, text, budget_ms=1_000)
        except TimeoutError:
            continue
        assert verdict.text is text


_PARTS = st.sampled_from(
    [
        "title: a\n",
        "title:a\n",
        "Title: x: y\n",
        "steps:\n",
        "  - b\n",
        "\t- c\n",
        " * d\n",
        "done: no\n",
        "done: 'yes'\n",
        "name: 1.10\n",
        "version: 007\n",
        " version: b\n",
        "```yaml\n",
        "```\n",
        "Here it is:\n",
        "---\n",
        "[",
        "}",
        "'",
        "&a ",
        "*a",
        "\ud800",
        "release:\n",
        "  name: n\n",
        "  version: v\n",
    ]
)
_TEXTS = st.one_of(
    st.lists(_PARTS, max_size=9).map("".join), st.text(":-[]{}'\"\n a1*&", max_size=40)
)


def _letters(text):
    return re.sub(r"\W|_", "", text).lower()


@settings(max_examples=contract_examples(), deadline=None)
@given(requirement=st.sampled_from([RELEASE, TASK, COUNT, NESTED]), text=_TEXTS)
def test_contracts(requirement, text):
    verdict = run(requirement, text)
    if verdict.disposition != "repaired":
        assert verdict.text is text
        return
    again = run(requirement, verdict.text)
    assert again.disposition == "conforming"
    assert again.text is verdict.text
    # PyYAML's own loader, written in Python, reads it too, and nothing in it is new.
    assert isinstance(yaml.safe_load(verdict.text), dict)
    said = _letters(verdict.text.replace("true", "").replace("false", ""))
    flat = _letters(text)
    assert all(
        _letters(word) in flat
        for word in re.findall(r"\w+", verdict.text)
        if word not in ("true", "false")
    )
    assert len(said) <= len(flat)


_SLOT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=15)


@settings(max_examples=contract_examples(), deadline=None)
@given(name=_SLOT, version=_SLOT)
def test_a_slot_never_loses_a_character(name, version):
    text = yaml.safe_dump({"name": name, "version": version}, allow_unicode=True, width=10_000)
    assert run(RELEASE, text).text is text
    verdict = run(RELEASE, f"```yaml\n{text}```")
    assert yaml.safe_load(verdict.text) == {"name": name, "version": version}
