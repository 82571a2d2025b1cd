"""Code fences: what is repaired, what is left alone, and the contracts."""

import re

import pytest
from contracts import contract_examples
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.adaptation.repair.fenced import HEURISTICS
from knitbone.adaptation.testing import (
    Evidence,
    FencedTemplate,
    Invocation,
    PromptMessage,
    Reader,
    prepare_check,
)
from knitbone.config import AdaptConfig

EVIDENCE = Evidence(file="app.py", line=1, expression="parse(text)")
CODE = "def f(x):\n    return x + 1\n"
JSON = '{"a": 1}\n'
QUERY = "SELECT name FROM users;\n"


def template(*languages, pattern="", optional=False, method="search"):
    reader = Reader(kind="regex", method=method, pattern=pattern, flags=re.DOTALL)
    return FencedTemplate(
        languages=languages,
        optional=optional,
        reader=reader if pattern else None,
        evidence=EVIDENCE,
    )


PYTHON = template("python", pattern=r"```python\n(.*?)```")
STRICT = template("python", pattern=r"^```python\n(.*?)\n```$")
CUT = template("python")
ANY = template(pattern=r"```(\w+)\n(.*?)```")
SQL = template("sql", pattern=r"```sql\s*(.*?)```")
CYPHER = template("cypher", pattern=r"```cypher\n(.*?)```")
BARE = template("", pattern=r"```\n(.*?)```")
OPTIONAL = template("json", pattern=r"```json\n(.*?)```", optional=True)


def run(requirement, text, *, said="", without=()):
    config = AdaptConfig(without=tuple(without), budget_ms=60_000)
    messages = [PromptMessage(role="user", text=said)] if said else []
    return prepare_check(requirement)(text, Invocation(config, asked=lambda: messages))


REPAIRED = {
    "alias": (PYTHON, f"```py\n{CODE}```", f"```python\n{CODE}```"),
    "case": (PYTHON, f"```Python3\n{CODE}```", f"```python\n{CODE}```"),
    "words behind the tag": (PYTHON, f"```python title=a.py\n{CODE}```", f"```python\n{CODE}```"),
    "braces": (PYTHON, f"```{{.python}}\n{CODE}```", f"```python\n{CODE}```"),
    "blank before the tag": (PYTHON, f"``` python\n{CODE}```", f"```python\n{CODE}```"),
    "no tag, proved": (
        PYTHON,
        f"Here:\n```\n{CODE}```\nBye.",
        f"Here:\n```python\n{CODE}```\nBye.",
    ),
    "no tag, cut by the code": (CUT, f"```\n{CODE}```", f"```python\n{CODE}```"),
    "no tag, the proved one of two": (
        PYTHON,
        f"```\n{CODE}```\nIt prints\n```\n1 2 3\n```\n",
        f"```python\n{CODE}```\nIt prints\n```\n1 2 3\n```\n",
    ),
    "no tag, no proof, the only one": (
        CYPHER,
        "```\nMATCH (n) RETURN n\n```",
        "```cypher\nMATCH (n) RETURN n\n```",
    ),
    "any tag": (ANY, f"```\n{CODE}```", f"```python\n{CODE}```"),
    "tag not wanted": (BARE, f"```python\n{CODE}```", f"```\n{CODE}```"),
    "tildes": (PYTHON, f"~~~python\n{CODE}~~~", f"```python\n{CODE}```"),
    "four marks": (STRICT, f"````python\n{CODE}````", f"```python\n{CODE}```"),
    "unclosed": (PYTHON, f"Sure.\n```python\n{CODE}", f"Sure.\n```python\n{CODE}```"),
    "unclosed, without line end": (
        PYTHON,
        "```python\nprint(f(2))",
        "```python\nprint(f(2))\n```",
    ),
    "unclosed, prose behind": (
        PYTHON,
        f"```python\n{CODE}\nThis function adds one to x.\n",
        f"```python\n{CODE}```\n\nThis function adds one to x.\n",
    ),
    "closing fence cut off": (PYTHON, f"```python\n{CODE}``", f"```python\n{CODE}```"),
    "unclosed before another": (
        template("python", pattern=r"^```python\n(.*?)^```$", method="search"),
        None,
        None,
    ),
    "opening missing": (PYTHON, f"{CODE}```", f"```python\n{CODE}```"),
    "opening missing behind prose": (
        PYTHON,
        f"Here is the function:\n\n{CODE}```\n",
        f"Here is the function:\n\n```python\n{CODE}```\n",
    ),
    "bare": (PYTHON, CODE, f"```python\n{CODE}```"),
    "bare, any tag": (template("json", pattern=r"```json\n(.*?)```"), JSON, f"```json\n{JSON}```"),
    "bare sql": (SQL, QUERY, f"```sql\n{QUERY}```"),
    "in prose": (
        PYTHON,
        f"Here is the function:\n{CODE}\nIt adds one to the number that it gets.\n",
        f"Here is the function:\n```python\n{CODE}```\n\nIt adds one to the number that it gets.\n",
    ),
    "on one line": (PYTHON, "```python print(1)```", "```python\nprint(1)\n```"),
    "closing mark behind the code": (STRICT, "```python\nprint(1)```", "```python\nprint(1)\n```"),
    "optional, of another case": (OPTIONAL, f"```JSON\n{JSON}```", f"```json\n{JSON}```"),
}
del REPAIRED["unclosed before another"]


@pytest.mark.parametrize("name", REPAIRED)
def test_fences_are_brought_into_the_form_that_the_code_looks_for(name):
    requirement, text, expected = REPAIRED[name]
    verdict = run(requirement, text)
    assert (verdict.disposition, verdict.text) == ("repaired", expected), verdict.reason
    assert verdict.rules
    assert verdict.edits
    assert run(requirement, expected).text is expected


CONFORMING = {
    "as wanted": (PYTHON, f"Sure:\n```python\n{CODE}```\n"),
    "another block beside it": (PYTHON, f"```bash\nls\n```\n```python\n{CODE}```\n"),
    "optional and none": (OPTIONAL, JSON),
    "optional and prose": (OPTIONAL, "There is nothing to say."),
    "code that cuts at a bare mark may take the tag off": (template(""), f"```python\n{CODE}```"),
    "in a list": (PYTHON, f"1. First\n   ```python\n{CODE}   ```\n"),
}


@pytest.mark.parametrize("name", CONFORMING)
def test_what_the_code_finds_is_left_alone(name):
    requirement, text = CONFORMING[name]
    verdict = run(requirement, text)
    assert verdict.disposition == "conforming"
    assert verdict.text is text


REFUSED = {
    "prose": (PYTHON, "I am sorry, I cannot do that."),
    "a word that parses": (PYTHON, "Sorry"),
    "words that parse": (PYTHON, "not found"),
    "a label that parses": (PYTHON, "Answer: yes"),
    "empty": (PYTHON, ""),
    "another language": (PYTHON, "```sql\nSELECT 1\n```"),
    "untagged of another language": (PYTHON, f"```\n{QUERY}```"),
    "two untagged programs": (PYTHON, f"```\n{CODE}```\n```\n{CODE}```"),
    "cut off in an expression": (PYTHON, "```python\nx = [1, 2,"),
    "cut off in a number": (PYTHON, "```python\nx = 12"),
    "cut off in a word": (PYTHON, "```python\ndef f(total):\n    return tot"),
    "cut off in a string": (PYTHON, '```python\nprint("a'),
    "cut off query": (SQL, "```sql\nSELECT name FROM users WHERE"),
    "cut off query in a word": (SQL, "```sql\nSELECT name FROM users WHERE na"),
    "bare, cut off": (PYTHON, "def f(total):\n    return tot"),
    "code on both sides of prose": (
        PYTHON,
        f"{CODE}\nand then we call it like this here:\n\nprint(f(1))\n",
    ),
    "mark in the content": (PYTHON, "~~~python\nx = '''\n```\n'''\n~~~"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_in_doubt_nothing_is_done(name):
    requirement, text = REFUSED[name]
    verdict = run(requirement, text)
    assert verdict.disposition == "refused"
    assert verdict.text is text
    assert verdict.reason


def test_a_last_word_that_was_asked_for_is_no_half_word():
    text = "```python\nfrom m import total_of_items"
    assert run(PYTHON, text).disposition == "refused"
    verdict = run(PYTHON, text, said="Write an import of total_of_items.")
    assert verdict.text == text + "\n```"


def test_marks_of_other_kinds_are_not_checked():
    assert prepare_check(FencedTemplate(mark="<code>", evidence=EVIDENCE)) is None


@pytest.mark.parametrize(
    ("heuristic", "text"),
    [
        ("fenced.tag", f"```py\n{CODE}```"),
        ("fenced.close", f"```python\n{CODE}"),
        ("fenced.open", f"{CODE}```"),
        ("fenced.wrap", CODE),
        ("fenced.mark", f"~~~python\n{CODE}~~~"),
    ],
)
def test_each_heuristic_can_be_switched_off(heuristic, text):
    assert heuristic in HEURISTICS
    assert run(PYTHON, text).disposition == "repaired"
    assert run(PYTHON, text, without=[heuristic]).disposition == "refused"


@pytest.mark.parametrize(
    "text",
    [
        "```" * 100_000,
        "```python\n" * 40_000,
        " " * 300_000 + "```",
        "\n" * 300_000,
        "(" * 200_000,
        "```python\n" + "x = (" * 50_000,
        "```\n" + "-" * 300_000 + "1\n```",
        "```python\n" + " \t" * 100_000 + "x",
        "1." * 200_000,
        "a " * 200_000,
        "`" * 400_000,
        "\ud800```py\n\udfff",
    ],
    ids=range(12),
)
def test_hostile_text_is_passed_on(text):
    for requirement in (PYTHON, CUT, ANY, SQL, BARE):
        try:
            verdict = run(requirement, text)
        except TimeoutError:
            continue  # the engine passes the text on
        assert verdict.disposition != "repaired" or verdict.text != text


_PARTS = st.sampled_from(
    [
        "```",
        "```py",
        "```python",
        "~~~",
        "````",
        "\n",
        " ",
        CODE,
        JSON,
        QUERY,
        "Hello there.",
        "- ",
        "return tot",
        "x = 1\n",
        "``",
        "\r\n",
        "\ud800",
        "```\n",
        "\n```",
        "1. ",
        "Here it is:\n",
    ]
)
_TEXTS = st.one_of(st.lists(_PARTS, max_size=8).map("".join), st.text(max_size=60))
_TEMPLATES = st.sampled_from([PYTHON, STRICT, CUT, ANY, SQL, BARE, OPTIONAL, CYPHER, template("")])


def test_data_behind_a_tag_are_no_attributes_of_it():
    text = '```py {"a": 1}\ndef f(x):\n    return x + 1\n```'
    assert run(PYTHON, text).disposition == "refused"
    titled = '```py {title="a.py"}\ndef f(x):\n    return x + 1\n```'
    assert run(PYTHON, titled).text.startswith("```python\n")


@settings(max_examples=contract_examples(), deadline=None)
@given(requirement=_TEMPLATES, text=_TEXTS)
def test_contracts(requirement, text):
    verdict = run(requirement, text)
    if verdict.disposition != "repaired":
        assert verdict.text is text
        return
    again = run(requirement, verdict.text)
    assert again.disposition == "conforming"
    assert again.text is verdict.text
    # Nothing but fences is written or taken away.
    bare = re.compile(r"[`~\s]|python|json|sql|cypher|html|py")
    assert bare.sub("", verdict.text) == bare.sub("", text)


@settings(max_examples=contract_examples(), deadline=None)
@given(before=st.text("ab \n", max_size=20), code=st.text("abc()\n =", min_size=1, max_size=40))
def test_a_block_as_the_code_wants_it_comes_back_as_it_is(before, code):
    text = f"{before}\n```python\n{code}x\n```"
    assert run(PYTHON, text).text is text


OF_JSON = template("json", pattern=r"```json(.*?)```")
SLIPS = '{\'a\': 1,\n "b": "two",}\n'


@pytest.mark.parametrize(
    "text",
    [
        SLIPS,
        f"```\n{SLIPS}```",
        f"{SLIPS}```",
        f"Here it is:\n\n```\n{SLIPS}```\nDone.",
        f"Here it is:\n\n{SLIPS}\nI hope that this is of help.\n",
        f"```json\n{SLIPS}",
        f"```\n{SLIPS}```\nIt prints\n```\n1 2 3\n```\n",
    ],
)
def test_a_fence_is_written_around_json_with_slips(text):
    verdict = run(OF_JSON, text)
    assert verdict.disposition == "repaired"
    assert f"```json\n{SLIPS}```" in verdict.text


@pytest.mark.parametrize(
    "text",
    [
        # what may have been cut off, also before a bracket
        '{"a": 1, "b": [1, 2',
        '{"a": {"b": [1,]}',
        f"```\n{SLIPS[:-2]}\n```",
        # several of them
        f"```\n{SLIPS}```\nor\n```\n{SLIPS}```",
        f"{SLIPS}\n{SLIPS}",
        # neither a key nor a text
        "[see below, 1]",
        "{name}",
        "```\n{return a;}\n```",
    ],
)
def test_what_is_not_surely_json_gets_no_fence(text):
    verdict = run(OF_JSON, text)
    assert (verdict.disposition, verdict.text) == ("refused", text)


def test_of_two_blocks_the_one_without_slips_is_the_answer():
    text = f"Draft:\n```\n{SLIPS}```\nFinal:\n```\n{JSON}```"
    assert run(OF_JSON, text).text == text.replace(f"```\n{JSON}", f"```json\n{JSON}")
