"""Expressions of the application on texts of ours: nothing hangs, and what is refused says why."""

import json

import pytest

from knitbone.adaptation import report
from knitbone.adaptation.consumers.costly_expressions import costly_expression
from knitbone.adaptation.consumers.step_replay import replay
from knitbone.adaptation.requirements.applied_regexes import AppliedExpression, schema_patterns
from knitbone.adaptation.testing import Step
from knitbone.common.matching import TooCostlyError

ATTACK = "a" * 5_000 + "!"


@pytest.fixture
def app(load):
    def write(body, head=""):
        return load(
            "import json, re\nimport knitbone\nfrom pydantic import BaseModel, Field\n"
            f"{head}\n"
            "@knitbone.source\ndef answer(prompt):\n    return prompt\n\n"
            "@knitbone.adapt\ndef consume(prompt):\n    text = answer(prompt)\n"
            + "".join(f"    {line}\n" for line in body)
        ).consume

    return write


def reasons():
    return [record.reason for record in report().adaptations if record.action != "repaired"]


def test_a_repair_on_which_another_expression_hangs_is_not_delivered(app):
    consume = app(
        [
            'found = re.match(r\'^\\{"value": "(a+)+"\\}$\', text)',
            "return json.loads(text)['value'], found",
        ]
    )
    assert consume('```json\n{"value": "aa"}\n```')[1] is not None
    with pytest.raises(json.JSONDecodeError):
        consume(f'```json\n{{"value": "{ATTACK}"}}\n```')
    assert any("(a+)+" in reason for reason in reasons())


def test_the_pattern_of_a_model_is_in_time_on_what_is_delivered(app):
    head = (
        "class Model(BaseModel):\n    model_config = {'regex_engine': 'python-re'}\n"
        "    value: str = Field(pattern=r'^(a+)+$')\n"
    )
    consume = app(["return Model.model_validate_json(text).value"], head)
    assert consume('{"value": "aaa",}') == "aaa"
    with pytest.raises(ValueError, match="JSON"):
        consume(json.dumps({"value": ATTACK})[:-1] + ",}")
    assert any("(a+)+" in reason for reason in reasons())


def test_the_pattern_of_a_json_schema_is_known(app):
    value = '{"type": "string", "pattern": "^(a+)+$"}'
    head = f'import jsonschema\nSCHEMA = {{"properties": {{"value": {value}}}}}\n'
    consume = app(
        ["data = json.loads(text)", "jsonschema.validate(data, SCHEMA)", "return data['value']"],
        head,
    )
    assert consume('{"value": "aaa",}') == "aaa"
    with pytest.raises(json.JSONDecodeError):
        consume(json.dumps({"value": ATTACK})[:-1] + ",}")


def test_patterns_of_the_schema_of_a_tool_are_found():
    schema = {"properties": {"a": {"pattern": "x+"}, "b": {"items": [{"pattern": "y"}]}}}
    assert sorted(schema_patterns(schema)) == ["x+", "y"]


def test_a_step_that_may_hang_is_not_replayed():
    see = replay((Step("re.search", (r"((?:x+)*y)", 0)), Step("group", (1,))), rewrite=True)
    assert see(["x" * 9 + "y"]) == ["x" * 9 + "y"]
    with pytest.raises(TooCostlyError):
        see(["x" * 60 + "!y"])


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (AppliedExpression(pattern=r"^(a+)+$", method="match"), "a" * 40 + "!"),
        (AppliedExpression(pattern=r"(a+)+$", in_data=True), json.dumps(["a" * 40 + "!"])),
        (
            AppliedExpression(
                pattern=r"^(\n+)+$",
                method="match",
                steps=(Step("re.search", (r"Data: (.*)", 0)), Step("group", (1,))),
                in_data=True,
            ),
            "Data: " + json.dumps({"value": "\n" * 40 + "!"}),
        ),
        (AppliedExpression(pattern=r"^(\n+)+$", in_data=True), "value: " + "\\n" * 40 + "!"),
        (
            AppliedExpression(pattern=r"^(a+)+$", method="match", in_data=True),
            "no data " + "a" * 40,
        ),
    ],
)
def test_what_may_hang_is_named(expression, text):
    assert costly_expression([expression], text) == expression.pattern


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (AppliedExpression(pattern=r"^(a+)+$", method="match"), "b" + "a" * 40),
        (AppliedExpression(pattern=r"(a+)+$", in_data=True), json.dumps({"b": "aaa"})),
        (AppliedExpression(pattern=r"(", method="match"), "anything"),
        (AppliedExpression(pattern=r"^\d{4}-\d{2}$", method="match", in_data=True), '["2024-05"]'),
    ],
)
def test_what_is_in_time_is_not_named(expression, text):
    assert costly_expression([expression], text) == ""
