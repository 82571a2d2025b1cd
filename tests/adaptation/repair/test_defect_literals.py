"""Python literals and TOML: what is repaired, what is left alone, and the contracts."""

import ast
import re

import pytest
from contracts import contract_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.adaptation.repair.structured import python_literal, toml
from knitbone.adaptation.testing import Evidence, Invocation, StructuredTemplate, prepare_check
from knitbone.common.structured.shape import Field, Shape
from knitbone.config import AdaptConfig

EVIDENCE = Evidence(file="app.py", line=1, expression="parse(text)")
STRING = Shape(type="string")
PARSERS = {"python-literal": "ast.literal_eval", "toml": "tomllib.loads"}


def template(kind, shape, parser=""):
    return StructuredTemplate(
        format=kind, shape=shape, parser=parser or PARSERS[kind], evidence=EVIDENCE
    )


def record(kind, **named):
    fields = tuple(Field(name=name, shape=shape) for name, shape in named.items())
    return template(kind, Shape(type="object", fields=fields))


TEXTS = template("python-literal", Shape(type="array", items=STRING))
PERSON = record("python-literal", name=STRING, age=Shape(type="integer"), ok=Shape(type="boolean"))
PAIRS = template("python-literal", Shape(type="array", items=Shape(type="array")))
ROWS = record("python-literal", r=Shape(type="array"))
ANY = template("python-literal", Shape())
APP = record("toml", name=STRING, version=STRING, debug=Shape(type="boolean"))
TABLE = record(
    "toml",
    server=Shape(
        type="object",
        fields=(Field(name="host", shape=STRING), Field(name="port", shape=Shape(type="integer"))),
    ),
)
JOBS = record(
    "toml",
    job=Shape(
        type="array",
        items=Shape(type="object", fields=(Field(name="count", shape=Shape(type="integer")),)),
    ),
)


def run(requirement, text, *, without=(), budget_ms=60_000):
    config = AdaptConfig(without=tuple(without), budget_ms=budget_ms)
    return prepare_check(requirement)(text, Invocation(config))


DICT = "{'name': 'Ada', 'age': 36, 'ok': True}"
TOML = 'name = "a"\nversion = "1.10"\ndebug = true\n'
REPAIRED = {
    "prose": (TEXTS, "Here is the list: ['a', 'b']. Done!", "['a', 'b']"),
    "an assignment": (TEXTS, "items = ['a', 'b']", "['a', 'b']"),
    "a fence": (TEXTS, "```python\n['a', 'b']\n```", "['a', 'b']"),
    "a fence, any value": (ANY, "So:\n```python\n{1: (2, 3)}\n```", "{1: (2, 3)}"),
    "words of JSON": (PERSON, DICT.replace("True", "true"), DICT),
    "words of JSON in a text stay": (
        PERSON,
        "{'name': 'true', 'age': 36, 'ok': true}",
        "{'name': 'true', 'age': 36, 'ok': True}",
    ),
    "curly quotation marks": (TEXTS, "[\u201ca\u201d, \u201cb\u201d]", '["a", "b"]'),
    "the closing brace": (
        PERSON,
        "{'age': 36, 'ok': True, 'name': 'Ada'",
        "{'age': 36, 'ok': True, 'name': 'Ada'}",
    ),
    "single curly marks": (
        PERSON,
        DICT.replace("'", "\u2018", 1).replace("'", "\u2019", 1),
        DICT.replace("'name'", '"name"'),
    ),
    "curly marks around an apostrophe": (TEXTS, "[\u2018it's\u2019]", '["it\'s"]'),
    "an apostrophe": (TEXTS, "['it's', 'b']", "[\"it's\", 'b']"),
    "an apostrophe beside quotation marks": (TEXTS, "['it's \"b\"']", '["it\'s \\"b\\""]'),
    "a comma between members": (PERSON, DICT.replace("36,", "36"), DICT),
    "a comma between texts": (PERSON, DICT.replace("'Ada',", "'Ada'"), DICT),
    "a comma between lines": (ROWS, "{'r': [(1, 2)\n(3, 4)]}", "{'r': [(1, 2),\n(3, 4)]}"),
    "a doubled comma": (TEXTS, "['a',, 'b']", "['a', 'b']"),
    "a colon": (ROWS, "{'x': 1, 'r' [1]}", "{'x': 1, 'r': [1]}"),
    "the first colon": (ROWS, "{'r' [1], 'x': 1}", "{'r': [1], 'x': 1}"),
    "the wrong bracket": (ROWS, "{'r': [1, 2}, 'x': 3}", "{'r': [1, 2], 'x': 3}"),
    "a bracket too many": (TEXTS, "['a', 'b']]", "['a', 'b']"),
    "prose below": (PERSON, DICT.replace("True", "true") + "\nThat's all.", DICT),
    "a number in quotation marks": (PERSON, DICT.replace("36", "'36'"), DICT),
    "a number for a text": (PERSON, DICT.replace("'Ada'", "1.10"), DICT.replace("Ada", "1.10")),
    "a key in another case": (PERSON, DICT.replace("'name'", "'Name'"), DICT),
    "behind other alphabets": (
        PERSON,
        "{'n\u00e4me': 'x', 'name': '\u00e4\u00f6', 'age': '36', 'ok': True}",
        "{'n\u00e4me': 'x', 'name': '\u00e4\u00f6', 'age': 36, 'ok': True}",
    ),
    "a list around it": (PERSON, f"[{DICT}]", DICT),
    "toml, fence": (APP, f"```toml\n{TOML}```", TOML),
    "toml, prose": (APP, f"Sure, here:\n\n{TOML}\nBye then!", TOML.strip()),
    "toml, colons": (APP, TOML.replace(" =", ":", 1), TOML),
    "toml, bare text": (APP, TOML.replace('"a"', "a b"), TOML.replace('"a"', '"a b"')),
    "toml, a version": (APP, TOML.replace('"1.10"', "1.10"), TOML),
    "toml, a version with three parts": (
        APP,
        TOML.replace('"1.10"', "1.10.2 # new"),
        TOML.replace('"1.10"', '"1.10.2" # new'),
    ),
    "toml, truth value": (APP, TOML.replace("true", "True"), TOML),
    "toml, quoted truth value": (APP, TOML.replace("true", '"true"'), TOML),
    "toml, curly quotation marks": (APP, TOML.replace('"a"', "\u201ca\u201d"), TOML),
    "toml, key": (APP, TOML.replace("name", "Name"), TOML),
    "toml, in a table": (
        TABLE,
        '[server]\nhost = "h"\nport = "80"\n',
        '[server]\nhost = "h"\nport = 80\n',
    ),
    "toml, in tables": (
        JOBS,
        '[[job]]\ncount = 1\n\n[[job]]\ncount = "2"\n',
        "[[job]]\ncount = 1\n\n[[job]]\ncount = 2\n",
    ),
    "toml, beside values of several lines": (
        APP,
        f'more = [\n  "x",\n  "y",\n]\n{TOML.replace("true", "True")}',
        f'more = [\n  "x",\n  "y",\n]\n{TOML}',
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
    "a list": (TEXTS, "['a', 'b']"),
    "a tuple": (TEXTS, "('a', 'b')\n"),
    "a dictionary": (PERSON, DICT),
    "anything": (ANY, "'x'"),
    "the last of two equal keys, as the parser": (PERSON, DICT.replace("{", "{'age': 1, ")),
    "toml": (APP, TOML),
    "toml, more keys": (APP, f"{TOML}more = 1.10\n[t]\nx = 2024-01-05\n"),
}


@pytest.mark.parametrize("name", CONFORMING)
def test_what_the_code_reads_is_left_alone(name):
    requirement, text = CONFORMING[name]
    verdict = run(requirement, text)
    assert verdict.disposition == "conforming", verdict
    assert verdict.text is text


REFUSED = {
    "an inner bracket that may end at two places": (PAIRS, "[('a', 1, ('b', 2), ('c', 3)]"),
    "inner brackets that may end at two places": (PAIRS, "[('a', 1, ('b', 2)"),
    "prose": (TEXTS, "I do not know."),
    "empty": (TEXTS, ""),
    "a call": (TEXTS, "['a', print('b')]"),
    "cut off in a number": (TEXTS, "['a', 12"),
    "cut off in a text": (TEXTS, "['a', 'b"),
    "cut off behind an item": (TEXTS, "['a', 'b'"),
    "cut off behind an inner list": (PAIRS, "[('a', ['b'], ['c'])"),
    "cut off behind a comma": (TEXTS, "['a', 'b',"),
    "cut off behind a key": (ROWS, "{'r': [1], 'x'"),
    "a number in two pieces": (ROWS, "{'r': [1 234]}"),
    "an inner bracket that may begin or end nothing": (PAIRS, "[('a', 1), ('b', 2]"),
    "a bracket before a bracket": (ROWS, "{'r': [(1, 2], 'x': 3}"),
    "two brackets before a key": (ROWS, "{'r': [(1, 2, 'x': 3}"),
    "a key without value": (ROWS, "{'r': [1], 'x'}"),
    "a value without key": (ROWS, "{'r': [1], : 2}"),
    "a key in a list": (TEXTS, "['a': 'b']"),
    "curly marks in a text beside curly marks around one": (
        TEXTS,
        '[\u2018a\u2019, "b \u2018c\u2019"]',
    ),
    "curly marks in one another": (TEXTS, "[\u201ca \u201cb\u201d c\u201d]"),
    "texts of another kind": (TEXTS, "[b'a', true]"),
    "texts of several lines": (TEXTS, '["""a""", \'b\''),
    "two documents": (ROWS, "{'r': [1,, 2]}\n{'r': [3]}"),
    "two lists": (TEXTS, "First ['a'] and then ['b']"),
    "a reference in a sentence": (ANY, "As said in [1], this is not known to us yet at all."),
    "a key is missing": (PERSON, "{'name': 'Ada'}"),
    "two values for a key, and a wrong type": (
        PERSON,
        "{'name': 'Ada', 'name': 'Bob', 'age': '36', 'ok': True}",
    ),
    "toml, prose": (APP, "I do not know."),
    "toml, empty": (APP, ""),
    "toml, cut off": (APP, 'name = "a"\nversion = "1.'),
    "toml, a key is missing": (APP, 'name = "a"\n'),
    "toml, none": (APP, TOML.replace("true", "None")),
    "toml, two values for a key": (APP, f'{TOML}name = "b"\n'),
}


@pytest.mark.parametrize("name", REFUSED)
def test_in_doubt_nothing_is_done(name):
    requirement, text = REFUSED[name]
    verdict = run(requirement, text)
    assert verdict.disposition == "refused", verdict.text
    assert verdict.text is text
    assert verdict.reason


@pytest.mark.parametrize("kind", PARSERS)
def test_a_parser_that_is_not_known_is_not_checked(kind):
    assert prepare_check(template(kind, Shape(), parser="app.parse")) is None


@pytest.mark.parametrize(
    ("requirement", "heuristic", "text"),
    [
        (TEXTS, "structured.literal_region", "So: ['a']"),
        (PERSON, "structured.literal_syntax", DICT.replace("True", "true")),
        (APP, "structured.toml_region", f"```toml\n{TOML}```"),
        (APP, "structured.toml_syntax", TOML.replace("true", "True")),
    ],
)
def test_each_heuristic_can_be_switched_off(requirement, heuristic, text):
    assert heuristic in (*python_literal.HEURISTICS, *toml.HEURISTICS)
    assert run(requirement, text).disposition == "repaired"
    assert run(requirement, text, without=[heuristic]).disposition == "refused"


@pytest.mark.parametrize(
    "text",
    [
        "[" * 200_000,
        "[" * 29_000,
        "-" * 150_000 + "1",
        "1+" * 90_000 + "1",
        "not " * 40_000 + "1",
        "['a', " * 30_000,
        "'" * 200_000,
        "a.b" * 60_000,
        "a = " + "[" * 20_000,
        "a." * 10_000 + "a = 1",
        "[a]\n" * 7_000,
        "a = b\n" * 4_000,
        "a = [\n" * 4_000,
        "```\n" * 7_000,
        "\0",
        "\ud800 = '\udfff'",
        "x" * 10_000_000,
        "lambda:" * 20_000 + "1",
        "1 if 1 else " * 10_000 + "1",
        "*" * 100_000,
    ],
    ids=range(20),
)
def test_hostile_text_is_passed_on(text):
    for requirement in (TEXTS, PERSON, ANY, APP, TABLE):
        try:
            verdict = run(requirement, text, budget_ms=1_000)
        except TimeoutError:
            continue
        assert verdict.text is text


_LITERALS = [
    "[",
    "]",
    "{",
    "}",
    "'a'",
    "'b",
    ", ",
    "'name': ",
    "'age': ",
    "'Age': '3'",
    "true",
    "12",
]
_ROWS = [
    "name = a\n",
    "name: b\n",
    'version = "1"\n',
    "version = 1.10\n",
    "debug = True\n",
    "[server]\n",
]
_PARTS = st.sampled_from(
    [*_LITERALS, *_ROWS, DICT, TOML, "```\n", "```toml\n", "Here: ", "\n", "\ud800", "# c", "(1)"]
)
_PIECES = st.one_of(
    st.lists(_PARTS, max_size=8).map("".join), st.text("[]{}'\":=,\n a1", max_size=40)
)


@settings(max_examples=contract_examples(), deadline=None)
@given(requirement=st.sampled_from([TEXTS, PERSON, ANY, APP, TABLE, JOBS]), text=_PIECES)
def test_contracts(requirement, text):
    verdict = run(requirement, text)
    if verdict.disposition != "repaired":
        assert verdict.text is text
        return
    again = run(requirement, verdict.text)
    assert again.disposition == "conforming"
    assert again.text is verdict.text
    for word in re.findall(r"\w+", verdict.text):
        assert word.lower() in text.lower()


@settings(max_examples=contract_examples(), deadline=None)
@given(items=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=4))
def test_a_list_never_loses_a_character(items):
    text = repr(items)
    assert run(TEXTS, text).text is text
    fenced = run(TEXTS, f"```python\n{text}\n```")
    assert ast.literal_eval(fenced.text) == items


@pytest.mark.parametrize(
    ("kind", "parser", "text"),
    [
        ("python-literal", "ast.literal_eval", "{'a': 1}"),
        ("toml", "tomllib.loads", "a = 1"),
        ("xml", "xml.etree.ElementTree.fromstring", "<r><a>1</a></r>"),
        ("yaml", "yaml.safe_load", "a: 1"),
        ("csv", "csv.DictReader", "a,b\n1,2"),
    ],
)
def test_each_format_is_dispatched(kind, parser, text):
    shape = Shape(type="object", fields=(Field(name="a", shape=Shape()),))
    check = prepare_check(template(kind, shape, parser=parser))
    invocation = Invocation(AdaptConfig(budget_ms=60_000))
    assert check(text, invocation).text is text
    assert check(f"```\n{text}\n```", invocation).disposition == "repaired"
