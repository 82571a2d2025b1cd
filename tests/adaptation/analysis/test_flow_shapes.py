"""What the flow sees of declared structure: schemas, adapters, shared parsers, arithmetic."""

import textwrap

import pytest

from knitbone.adaptation.testing import ScenarioRequirement, analyse_files, describe

HEADER = """
import json, re
from openai import OpenAI
client = OpenAI()

def ask(prompt):
    reply = client.chat.completions.create(model="m", messages=[])
    return reply.choices[0].message.content

"""


@pytest.fixture
def requirements(tmp_path):
    def run(source, **files):
        for name, text in {"app": source, **files}.items():
            (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
        found = analyse_files(sorted(tmp_path.glob("*.py")))
        return [
            requirement
            for site in found.sites
            for requirement in site.requirements
            if not isinstance(requirement, ScenarioRequirement)
        ]

    return run


READ = {
    "a literal JSON Schema": (
        """
        import jsonschema
        SCHEMA = {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "sizes": {"type": "array", "items": {"type": "integer"}},
                "unit": {"type": ["string", "null"], "enum": ["cm", "in"]},
            },
            "required": ["name"],
        }
        found = json.loads(ask("x"))
        jsonschema.validate(found, SCHEMA)
        """,
        'JSON: object {name: string, sizes?: array of integer, unit?: one of "cm", "in" or null}',
    ),
    "a list of models": (
        """
        from pydantic import BaseModel, TypeAdapter
        class Tag(BaseModel):
            word: str
        tags = TypeAdapter(list[Tag]).validate_json(ask("x"))
        print([tag.word for tag in tags])
        """,
        "JSON: array of Tag {word: string}",
    ),
    "data beside what is known already": (
        """
        from pydantic import BaseModel
        class Entry(BaseModel):
            id: int
            text: str
            note: str = ""
        print(Entry(id=1, **json.loads(ask("x"))))
        """,
        "JSON: Entry {text: string}",
    ),
    "a place counted from one": (
        """
        rows = [1, 2]
        found = json.loads(ask("x"))
        print(rows[found["row"] - 1])
        """,
        "JSON: object {row: integer}",
    ),
    "calculated": (
        """
        found = json.loads(ask("x"))
        print(1 + found["a"], 100 / found["b"], found["c"] * 2, found["d"] % 2, found["e"] + "!")
        """,
        "JSON: object {a: number, b: number, c, d, e: string}",
    ),
    "a regular expression": (
        """
        pattern = re.compile(ask("x").strip())
        print(pattern.search("a"))
        """,
        "regular expression",
    ),
    "a regular expression that is used at once": (
        """
        print(re.findall(ask("x"), "a"))
        """,
        "regular expression",
    ),
}


@pytest.mark.parametrize("name", READ)
def test_the_requirement_of_an_application(requirements, name):
    source, expected = READ[name]
    assert [describe(r) for r in requirements(HEADER + textwrap.dedent(source))] == [expected]


def test_a_text_that_is_only_escaped_is_no_regular_expression(requirements):
    assert not requirements(HEADER + 'print(re.escape(ask("x")))\n')


def test_a_parser_that_chains_share_is_the_evidence_of_each(requirements):
    parsers = """
    from langchain_core.output_parsers import JsonOutputParser
    from langchain_core.prompts import PromptTemplate
    from langchain_openai import ChatOpenAI
    prompt = PromptTemplate.from_template("{question}")
    model = ChatOpenAI()
    json_parser = JsonOutputParser()
    """
    source = """
    from parsers import json_parser, model, prompt
    first = (prompt | model | json_parser).invoke({})
    second = (prompt | model | json_parser).invoke({})
    print(first["a"], second["b"])
    """
    found = requirements(source, parsers=parsers)
    assert {(r.evidence.file.rpartition("/")[2], r.evidence.line) for r in found} == {
        ("parsers.py", 7)
    }
    assert sorted(map(describe, found)) == ["JSON: object {a}", "JSON: object {b}"]


def test_the_schemas_of_a_parser_are_its_keys(requirements):
    source = """
    from langchain.output_parsers import ResponseSchema, StructuredOutputParser
    from langchain_core.prompts import PromptTemplate
    from langchain_openai import ChatOpenAI
    schemas = [ResponseSchema(name="same", description="x"), ResponseSchema(name="why")]
    parser = StructuredOutputParser.from_response_schemas(schemas)
    chain = PromptTemplate.from_template("{a}") | ChatOpenAI() | parser
    found = chain.invoke({})
    if "why" in found:
        print(found["why"])
    """
    (found,) = requirements(source)
    assert describe(found) == "JSON: object {same, why}"


def test_data_that_a_library_parses_is_followed_to_its_callers(requirements):
    source = """
    from langchain_core.utils.json import parse_json_markdown

    def parsed(prompt):
        return parse_json_markdown(ask(prompt))

    print(parsed("a")["x"])
    print(parsed("b").get("y"))
    """
    found = requirements(HEADER + textwrap.dedent(source))
    assert sorted(map(describe, found)) == [
        "JSON: any",
        "JSON: object {x}",
        "JSON: object {y?}",
    ]
    assert len({r.alternative for r in found if describe(r) != "JSON: any"}) == 1


def test_a_model_says_how_it_reads_dates_unless_its_own_functions_do(requirements):
    found = requirements(
        HEADER
        + """
from datetime import date, datetime
from typing import Annotated, Optional
from pydantic import BaseModel, BeforeValidator, Field, field_validator

class Plain(BaseModel):
    day: date
    at: Optional[datetime] = None
    days: list[date]
    due: Annotated[date, Field(description="the day")]
    own: Annotated[date, BeforeValidator(str)]
    either: date | str

    @field_validator("day")
    def later(cls, value):
        return value

class Prepared(BaseModel):
    day: date
    plain: Plain

    @field_validator("day", mode="before")
    def first(cls, value):
        return value.strip()

def run(text):
    return Prepared.model_validate_json(ask(text))
"""
    )
    (shape,) = (requirement.shape for requirement in found)
    fields = {field.name: field.shape for field in shape.fields}
    assert (fields["day"].type, fields["day"].reading) == ("date", "")
    plain = {field.name: field.shape for field in fields["plain"].fields}
    assert plain["day"].reading == "pydantic.date"
    assert (plain["at"].reading, plain["at"].nullable) == ("pydantic.datetime", True)
    assert plain["days"].items.reading == "pydantic.date"
    assert plain["due"].reading == "pydantic.date"
    assert plain["own"].reading == ""
    assert plain["either"].type == "any"


def test_a_dataclass_reads_no_dates(requirements):
    found = requirements(
        HEADER
        + """
from dataclasses import dataclass
from datetime import datetime

@dataclass
class Ad:
    title: str
    closes: datetime
    opens: datetime

def run(text):
    data = json.loads(ask(text))
    data["closes"] = datetime.strptime(data["closes"], "%Y-%m-%d")
    return Ad(**data)
"""
    )
    (requirement,) = found
    readings = {field.name: field.shape.reading for field in requirement.shape.fields}
    assert readings["closes"] == "%Y-%m-%d"
    assert readings["opens"] == ""
