"""What ``knitbone check`` lists holds at run time: of a site's requirements, either an answer that
drifted is repaired or refused, or the listing says that nothing enforces them, and why."""

import json
import re
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from test_adapt_hostile import CODE, CONFORMING

import knitbone
from knitbone.adaptation.testing import (
    CheckPlan,
    Invocation,
    ScenarioRequirement,
    Summary,
    adapt_value,
    analyse_files,
)
from knitbone.cli.app import group
from knitbone.config import AdaptConfig

LIBRARIES = """
import instructor
from langchain_classic.output_parsers import YamlOutputParser
from langchain_classic.output_parsers.datetime import DatetimeOutputParser
from langchain_core.output_parsers import PydanticOutputParser, XMLOutputParser
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

class Person(BaseModel):
    name: str
    age: int

def dated(question):
    return DatetimeOutputParser().parse(ask(question)).year

def by_xml(question):
    return XMLOutputParser(parser="xml").parse(ask(question))

def by_yaml(question):
    return YamlOutputParser(pydantic_object=Person).parse(ask(question)).age

def by_pydantic(question):
    return PydanticOutputParser(pydantic_object=Person).parse(ask(question)).age

def parsed(question):
    reply = client.chat.completions.parse(model="m", response_format=Person, messages=[question])
    return reply.choices[0].message.parsed.age

def output_parsed(question):
    return client.responses.parse(model="m", text_format=Person, input=question).output_parsed.age

def with_structured_output(question):
    return ChatOpenAI(model="m").with_structured_output(Person).invoke(question).age

def by_instructor(question):
    typed = instructor.from_openai(client)
    return typed.chat.completions.create(model="m", response_model=Person, messages=[question]).age
"""
PERSON = '{"name": "Ada", "age": 36}'
ANSWERS = {
    **CONFORMING,
    "dated": "2009-01-03T18:15:05.000000Z",
    "by_xml": "<film><name>Alien</name></film>",
    "by_yaml": "name: Ada\nage: 36",
    "by_pydantic": PERSON,
}
VALIDATED = ("parsed", "output_parsed", "with_structured_output", "by_instructor")
NOTHING = {*VALIDATED, "dated", "by_xml", "by_yaml", "chunks", "found", "shown"}
"""Where nothing is enforced without further settings: at present all of these."""
DRIFTS = (
    lambda text: f"Sure! Here it is:\n{text}\nI hope this helps.",
    lambda text: f"```\n{text}\n```",
    lambda text: f"**{text}**",
    lambda text: f"The answer is {text}.",
    lambda text: text.replace('"', "'"),
    lambda text: text.replace("}", ",}").replace(". ", ") "),
    lambda text: re.sub(r"[a-z]", lambda letter: letter[0].upper(), text, count=1),
    lambda text: text[: len(text) // 2],
    lambda text: f"1. {text}",
    lambda text: text.replace("```python", "```"),
    lambda _text: "I cannot do that.",
)


def application(folder):
    path = folder / "app.py"
    path.write_text(CODE + LIBRARIES, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def sites(tmp_path_factory):
    path = application(tmp_path_factory.mktemp("app"))
    listed = {}
    for line in CliRunner().invoke(group, ["check", str(path), "--json"]).stdout.splitlines():
        record = json.loads(line)
        if record["kind"] == "site":
            required = [r for r in record["requirements"] if r["kind"] != "scenario"]
            listed[record["line"], record["column"]] = [r.get("unenforced") for r in required]
    found = {}
    for site in analyse_files([path]).sites:
        demanded = [r for r in site.requirements if not isinstance(r, ScenarioRequirement)]
        name = site.function
        if demanded and name != "ask":
            found.setdefault(name, (site, listed[site.line, site.column + 1]))
    return found


def after(site, value):
    """What became of a value: the counts of its site, and the texts that came out."""
    summary = Summary()
    config = AdaptConfig(budget_ms=60_000)
    plan = CheckPlan(site, config)
    got = adapt_value(value, site, plan, summary, lambda _: Invocation(config, site="app"))
    counts = summary.snapshot()
    return got, counts[0] if counts else None


def test_the_table_holds_every_site_that_is_listed(sites):
    assert set(ANSWERS) - {"shown"} | set(VALIDATED) <= set(sites)
    assert set(sites) <= {*ANSWERS, *VALIDATED, "chunks", "found"}


@pytest.mark.parametrize("name", [*ANSWERS, *VALIDATED])
def test_a_drifted_answer_is_repaired_or_refused_or_the_listing_says_that_nothing_is(sites, name):
    if name not in sites:
        assert name == "shown"  # nothing is demanded of it
        return
    site, reasons = sites[name]
    enforced = not all(reasons)
    assert enforced == (name not in NOTHING)
    if name in VALIDATED:
        value = SimpleNamespace(name="Ada", age=36)
        got, counts = after(site, value)
        assert got is value
        assert counts is None or counts.unknown == 1
        assert "before the code gets it" in reasons[0]
        return
    done = [after(site, drift(ANSWERS[name])) for drift in DRIFTS]
    for _, counts in done:
        seen = counts is not None and counts.conforming + counts.repaired + counts.refused
        assert bool(seen) == enforced
    repaired = [counts for _, counts in done if counts is not None and counts.repaired]
    assert bool(repaired) == enforced


def test_the_terminal_and_the_page_say_the_same(sites, tmp_path):
    path = application(tmp_path)
    page = tmp_path / "page.html"
    shown = CliRunner().invoke(group, ["check", str(path), "--html", str(page)]).stdout
    number = sum(bool(reason) for _, reasons in sites.values() for reason in reasons)
    assert number > len(VALIDATED)
    assert shown.count("  unenforced  ") == number
    assert f"({number} unenforced)" in shown
    assert page.read_text(encoding="utf-8").count("nothing enforces it:") == number


@pytest.mark.parametrize("name", VALIDATED)
def test_a_function_whose_answers_are_validated_in_a_library_says_so(name, tmp_path):
    pytest.importorskip("openai")
    source = re.search(rf"def {name}\(.*?(?=\n\n|\Z)", LIBRARIES, re.DOTALL)[0]
    code = (
        "import knitbone, openai\nfrom pydantic import BaseModel\n"
        "class Person(BaseModel):\n    age: int\nclient = openai.OpenAI(api_key='x')\n"
        f"instructor = ChatOpenAI = None\n@knitbone.adapt\n{source}\n"
    )
    if name in ("with_structured_output", "by_instructor"):
        head = "from langchain_openai import ChatOpenAI\nimport instructor\n"
        code = code.replace("instructor = ChatOpenAI = None\n", f"if client is None:\n    {head}")
        code = code.replace("\nimport instructor", "\n    import instructor")
    path = tmp_path / f"typed_{name}.py"
    path.write_text(code, encoding="utf-8")
    exec(compile(code, str(path), "exec"), {"__name__": f"typed_{name}"})
    function = knitbone.summary().functions[-1]
    assert function.name == f"typed_{name}.{name}"
    assert "before the code gets it; adapt does not reach it there" in function.reason
