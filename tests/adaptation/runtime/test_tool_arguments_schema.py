"""Arguments of a tool call against a schema: repairs, what is left alone, the contracts."""

import json

import msgspec
import pytest
from tool_schemas import (
    CLOCK,
    CLOSED,
    NEVER,
    ORDER,
    SITE,
    WEATHER,
    ZONE,
    plan_of,
    run,
    schema,
    text_of,
    tool,
)

from knitbone.adaptation.requirements.schema_simplification import simplify_schema
from knitbone.adaptation.runtime.arguments import MAX_KEPT
from knitbone.adaptation.runtime.messages import offer_in
from knitbone.adaptation.testing import CallChecks, CheckPlan, Invocation, ToolOffer, judge
from knitbone.common.structured.json_edit import without_members
from knitbone.config import AdaptConfig

REPAIRED = {
    "other case": (WEATHER, '{"City": "Ulm", "Days": 3}', {"city": "Ulm", "days": 3}),
    "separators": (
        schema({"start_date": text_of("string")}),
        '{"start-date": "May"}',
        {"start_date": "May"},
    ),
    "misspelt": (WEATHER, '{"citty": "Ulm", "days": 3}', {"city": "Ulm", "days": 3}),
    "number as text": (WEATHER, '{"city": "Ulm", "days": "3"}', {"city": "Ulm", "days": 3}),
    "text as number": (WEATHER, '{"city": 89073, "days": 3}', {"city": "89073", "days": 3}),
    "flag as text": (
        WEATHER,
        '{"city": "Ulm", "days": 3, "verbose": "true"}',
        {"city": "Ulm", "days": 3, "verbose": True},
    ),
    "value in other case": (
        WEATHER,
        '{"city": "Ulm", "days": 3, "unit": "CELSIUS"}',
        {"city": "Ulm", "days": 3, "unit": "celsius"},
    ),
    "value misspelt": (
        WEATHER,
        '{"city": "Ulm", "days": 3, "unit": "farenheit"}',
        {"city": "Ulm", "days": 3, "unit": "fahrenheit"},
    ),
    "null for what may be left out": (
        WEATHER,
        '{"unit": null, "city": "Ulm", "days": 3, "verbose": null}',
        {"city": "Ulm", "days": 3},
    ),
    "encoded twice": (
        WEATHER,
        json.dumps('{"city": "Ulm", "days": 3}'),
        {"city": "Ulm", "days": 3},
    ),
    "encoded twice, and drifted": (
        WEATHER,
        json.dumps('{"City": "U\\"lm", "days": "3"}'),
        {"city": 'U"lm', "days": 3},
    ),
    "encoded twice, and broken": (
        WEATHER,
        json.dumps("{'city': 'U\\nlm', 'days': 3,}"),
        {"city": "U\nlm", "days": 3},
    ),
    "a list encoded twice": (
        ORDER,
        '{"items": "[{\\"sku\\": \\"a\\", \\"count\\": 1}]"}',
        {"items": [{"sku": "a", "count": 1}]},
    ),
    "an object encoded twice": (
        ORDER,
        '{"items": [], "address": "{\\"street\\": \\"Main\\"}"}',
        {"items": [], "address": {"street": "Main"}},
    ),
    "one text of a list encoded twice": (
        schema({"tags": text_of("array", items=text_of("string"))}),
        '{"tags": "[\\"a\\"]"}',
        {"tags": ["a"]},
    ),
    "one text for a list": (
        schema({"tags": text_of("array", items=text_of("string"))}),
        '{"tags": "a"}',
        {"tags": ["a"]},
    ),
    "below a reference": (
        ORDER,
        '{"items": [{"SKU": "a", "count": "1"}], "speed": "Express"}',
        {"items": [{"sku": "a", "count": 1}], "speed": "express"},
    ),
    "nothing where nothing is needed": (CLOCK, "", {}),
    "white space where nothing is needed": (ZONE, " \n", {}),
    "null where nothing is needed": (CLOCK, "null", {}),
    "nothing encoded": (CLOCK, '""', {}),
    "single quotes": (WEATHER, "{'city': 'Ulm', 'days': 3}", {"city": "Ulm", "days": 3}),
    "trailing comma": (WEATHER, '{"city": "Ulm", "days": 3,}', {"city": "Ulm", "days": 3}),
    "a fence": (WEATHER, '```json\n{"city": "Ulm", "days": 3}\n```', {"city": "Ulm", "days": 3}),
    "a wrapper": (WEATHER, '{"arguments": {"city": "U", "days": 3}}', {"city": "U", "days": 3}),
    "a list of one": (WEATHER, '[{"city": "Ulm", "days": 3}]', {"city": "Ulm", "days": 3}),
    "an optional name in a closed object": (
        CLOSED,
        '{"city": "Ulm", "dayss": 2}',
        {"city": "Ulm", "days": 2},
    ),
}


@pytest.mark.parametrize("name", REPAIRED)
def test_repaired(name):
    told, text, meant = REPAIRED[name]
    decision = run(text, told)
    assert decision.disposition == "repaired", decision
    assert json.loads(decision.text) == meant
    assert all(len(rule) < 100 for outcome in decision.outcomes for rule in outcome.rules)
    assert run(decision.text, told).outcomes == ()


CONFORMING = {
    "all": (WEATHER, '{"city": "Ulm", "days": 3, "unit": "celsius", "verbose": false}'),
    "optional ones missing": (WEATHER, '{"city": "Ulm", "days": 3}'),
    "another key where others may be": (WEATHER, '{"city": "Ulm", "days": 3, "who": "me"}'),
    "near an optional name": (WEATHER, '{"city": "Ulm", "days": 3, "units": "K"}'),
    "null where it may be": (WEATHER, '{"city": "Ulm", "days": 3, "note": null, "more": null}'),
    "null below an argument": (
        ORDER,
        '{"items": [], "address": {"street": "Main", "flat": null}}',
    ),
    "a text that looks like JSON": (WEATHER, '{"city": "{\\"a\\": 1}", "days": 3}'),
    "a text that looks like a list": (
        schema({"q": text_of("string")}),
        '{"q": "[1, 2]"}',
    ),
    "a text that looks like a number": (WEATHER, '{"city": "89073", "days": 3}'),
    "a text that says null": (WEATHER, '{"city": "null", "days": 3}'),
    "an empty text": (WEATHER, '{"city": "", "days": 3}'),
    "a whole number where any is asked": (schema({"x": text_of("number")}), '{"x": 3}'),
    "a fraction": (schema({"x": text_of("number")}), '{"x": 3.50}'),
    "either type": (schema({"x": text_of(["string", "integer"])}), '{"x": "3"}'),
    "either type, in alternatives": (
        schema({"x": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}),
        '{"x": "3"}',
    ),
    "one of several objects": (
        schema({"x": {"oneOf": [WEATHER, ORDER]}}),
        '{"x": {"items": "none"}}',
    ),
    "constants": (schema({"x": {"oneOf": [{"const": "a"}, {"const": "b"}]}}), '{"x": "b"}'),
    "numbers listed": (schema({"x": text_of("integer", enum=[1, 2])}), '{"x": 2}'),
    "null listed": (schema({}, {"x": text_of("string", enum=["a", None])}), '{"x": null}'),
    "nullable": (schema({}, {"x": text_of("string", nullable=True)}), '{"x": null}'),
    "nothing in a closed object": (NEVER, "{}"),
    "spaces and escapes": (WEATHER, ' {"days":3 , "city" : "\\u00dc\\nx"}\n'),
    "a schema of nothing": ({}, '{"City": "3"}'),
    "a schema elsewhere": ({"$ref": "https://example.org/a.json"}, '{"City": "3"}'),
    "a reference to nowhere": ({"$ref": "#/$defs/a/b"}, '{"City": "3"}'),
    "a reference to itself": ({"$ref": "#"}, '{"City": "3"}'),
    "a long number": (schema({"x": text_of("integer")}), '{"x": ' + "9" * 60 + "}"),
    "patterns of keys": (
        text_of("object", properties={}, patternProperties={"^x": {}}, additionalProperties=False),
        '{"xa": 1}',
    ),
}


@pytest.mark.parametrize("name", CONFORMING)
def test_left_alone(name):
    told, text = CONFORMING[name]
    decision = run(text, told)
    assert decision.text is text
    assert decision.outcomes == ()


REFUSED = {
    "missing": (WEATHER, '{"city": "Ulm"}', 'the key "days" is missing'),
    "null for what is required": (WEATHER, '{"city": "Ulm", "days": null}', "null where"),
    "nothing where something is needed": (WEATHER, "", "no JSON"),
    "null where something is needed": (WEATHER, "null", ""),
    "a word for a number": (WEATHER, '{"city": "Ulm", "days": "three"}', '"three" where'),
    "none of the values": (
        WEATHER,
        '{"city": "Ulm", "days": 3, "unit": "kelvin"}',
        '"kelvin" is none of the 2 values',
    ),
    "a key that may not be": (CLOSED, '{"city": "Ulm", "who": 1}', 'no argument "who"'),
    "a key where none may be": (NEVER, '{"who": 1}', 'no argument "who"'),
    "a key below that may not be": (
        schema({"at": CLOSED}),
        '{"at": {"city": "Ulm", "who": 1}}',
        'at: there is no argument "who"',
    ),
    "a key in a list that may not be": (
        schema({"at": text_of("array", items=CLOSED)}),
        '{"at": [{"city": "Ulm"}, {"city": "Ulm", "who": 1}]}',
        'at[1]: there is no argument "who"',
    ),
    "cut off": (WEATHER, '{"days": 3, "city": "Ul', ""),
    "two calls in one": (WEATHER, '{"city": "A", "days": 1}{"city": "B", "days": 2}', "different"),
    "a name for an object": (ORDER, '{"items": [], "address": "Main"}', "text where an object"),
    "prose": (WEATHER, "I would ask for Ulm.", "no JSON"),
    "prose encoded": (WEATHER, '"I would ask for Ulm."', ""),
    "keys twice": (WEATHER, '{"City": "A", "days": "3", "days": "4"}', "twice"),
    "three other names": (
        schema({"alpha": {}, "beta": {}, "gamma": {}}),
        '{"alfa": 1, "betta": 2, "gama": 3}',
        "",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_passed_on_with_a_record(name):
    told, text, reason = REFUSED[name]
    decision = run(text, told)
    assert decision.text is text
    assert decision.disposition == "refused"
    assert any(reason in outcome.reason for outcome in decision.outcomes), decision


@pytest.mark.parametrize(
    ("without", "text"),
    [
        ("structured.encoded", json.dumps('{"city": "Ulm", "days": 3}')),
        ("structured.nulls", '{"city": "Ulm", "days": 3, "unit": null}'),
        ("structured.keys", '{"City": "Ulm", "days": 3}'),
        ("structured.types", '{"city": "Ulm", "days": "3"}'),
        ("structured.values", '{"city": "Ulm", "days": 3, "unit": "CELSIUS"}'),
    ],
)
def test_each_heuristic_can_be_switched_off(without, text):
    assert run(text, WEATHER).disposition == "repaired"
    assert run(text, WEATHER, without=(without,)).text is text


def test_what_is_not_changed_stays_as_it_was_written():
    text = '{"City":"\\u00dclm" ,  "days": "3", "more": [1.50, 1e400], "unit": null}'
    assert run(text, WEATHER).text == '{"city":"\\u00dclm", "days": 3, "more": [1.50, 1e400]}'


def test_members_are_taken_out_of_an_object():
    text = '\n{ "a" : {"b": null}, "b": [1, {"b": 2}],"c":"}" , "\\u0064": 1 }\n'
    assert json.loads(without_members(text, ["b"])) == {"a": {"b": None}, "c": "}", "d": 1}
    assert json.loads(without_members(text, ["a", "b", "c", "d"])) == {}
    assert json.loads(without_members(text, ["d"])) == {
        "a": {"b": None},
        "b": [1, {"b": 2}],
        "c": "}",
    }
    assert json.loads(without_members("{}", ["d"])) == {}


class TestSeveralTools:
    """The name of the tool is not known: all are alternatives."""

    ROUTE = tool(schema({"start": text_of("string"), "end": text_of("string")}), "route")
    LOAD = tool(schema({"parcels": text_of("integer"), "heavy": text_of("boolean")}), "load")

    def judged(self, text, *tools):
        groups = plan_of(list(tools), text, name=None).groups
        return judge(text, groups, Invocation(AdaptConfig(budget_ms=60_000)))

    def test_the_nearest_is_repaired(self):
        decision = self.judged('{"Start": "Ulm", "end": "Linz"}', self.ROUTE, self.LOAD)
        assert json.loads(decision.text) == {"start": "Ulm", "end": "Linz"}
        decision = self.judged('{"parcels": "3", "heavy": true}', self.ROUTE, self.LOAD)
        assert json.loads(decision.text) == {"parcels": 3, "heavy": True}

    def test_one_that_takes_them_as_they_are_is_enough(self):
        text = '{"Start": "Ulm", "end": "Linz"}'
        decision = self.judged(text, self.ROUTE, tool({}, "anything"))
        assert decision.text is text
        assert decision.outcomes == ()

    def test_where_several_are_as_near_nothing_is_done(self):
        text = '{"Name": "Ulm"}'
        one = tool(schema({"name": text_of("string")}), "one")
        other = tool(schema({"NAME": text_of("string")}), "other")
        decision = self.judged(text, one, other)
        assert decision.text is text
        assert "several tools" in decision.outcomes[0].reason

    def test_the_same_repair_for_several_is_no_question(self):
        text = '{"start": "Ulm", "end": "Linz",}'
        twin = {**self.ROUTE, "function": {**self.ROUTE["function"], "name": "twin"}}
        decision = self.judged(text, self.ROUTE, twin)
        assert json.loads(decision.text) == {"start": "Ulm", "end": "Linz"}

    def test_what_fits_none_is_refused(self):
        decision = self.judged('{"x": 1}', self.ROUTE, self.LOAD)
        assert decision.disposition == "refused"


@pytest.mark.parametrize(
    "told",
    [
        {"name": "tool", "parameters": WEATHER},
        {"type": "function", "name": "tool", "parameters": WEATHER, "strict": False},
        {"name": "tool", "input_schema": WEATHER},
        {"toolSpec": {"name": "tool", "inputSchema": {"json": WEATHER}}},
        tool(WEATHER),
    ],
)
def test_tools_as_the_providers_take_them(told):
    text = '{"city": "Ulm", "days": "3"}'
    decision = judge(text, plan_of([told], text).groups, Invocation(AdaptConfig(budget_ms=60_000)))
    assert json.loads(decision.text) == {"city": "Ulm", "days": 3}


def test_an_offer_is_a_list_or_stands_among_keyword_arguments():
    tools = [tool(WEATHER)]
    assert offer_in(tools, "a:1") == ToolOffer(tools, "a:1")
    for key in ("tools", "functions"):
        assert offer_in({"model": "m", key: tools}, "a:1") == ToolOffer(tools, "a:1")
    assert offer_in({"toolConfig": {"tools": tools}}, "a:1") == ToolOffer(tools, "a:1")
    knot = {}
    knot["tools"] = knot
    for nothing in (None, [], {}, {"tools": None}, "tools", iter(tools), knot, object()):
        assert offer_in(nothing, "a:1") is None


def test_only_whole_arguments_are_looked_at():
    def brings(**more):
        return msgspec.structs.replace(SITE, **more).brings_call

    assert brings()
    assert not brings(streamed=True)
    assert not brings(form="text")
    for expression in ("block.input", 'call["args"]', "call['function']['arguments']"):
        assert brings(form="object", expression=expression)
    for expression in ("said.parsed", "block.inputs", "said.input.text", "the_args"):
        assert not brings(form="object", expression=expression)


def test_a_schema_is_compiled_once_and_few_are_kept():
    config = AdaptConfig()
    calls = CallChecks(SITE, CheckPlan(SITE, config), config)

    def plan(told):
        return calls.plan_of(
            "{}", {"name": "tool", "arguments": ""}, ToolOffer([tool(told)], "a:1")
        )

    first = plan(WEATHER)
    assert plan(json.loads(json.dumps(WEATHER))) is first
    for number in range(2 * MAX_KEPT):
        plan(schema({f"x{number}": {}}))
    assert len(calls._kept) <= MAX_KEPT


def test_references_to_references_end():
    many = {f"p{number}": {"$ref": "#/$defs/next0"} for number in range(9)}
    nodes = {
        f"next{depth}": {
            "properties": {f"p{n}": {"$ref": f"#/$defs/next{depth + 1}"} for n in range(9)}
        }
        for depth in range(9)
    }
    assert simplify_schema({"properties": many, "$defs": nodes})["properties"].keys() == many.keys()
    deep = {}
    for _ in range(5_000):
        deep = {"anyOf": [deep, {"type": "null"}]}
    assert simplify_schema(deep) == {}
    chain = {f"a{n}": {"$ref": f"#/$defs/a{n + 1}"} for n in range(5_000)}
    assert simplify_schema({"$ref": "#/$defs/a0", "$defs": chain}) == {}


@pytest.mark.parametrize(
    ("told", "plain"),
    [
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": ["string", "null"]}),
        (
            {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "string"}}},
            {"type": ["string"]},
        ),
        ({"oneOf": [{"const": 1}, {"const": 2}]}, {"enum": [1, 2]}),
        ({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, {"enum": ["a", None]}),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, {}),
        ({"allOf": [{"type": "string"}, {"type": "null"}]}, {}),
        ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"const": 1}}}, {"enum": [1]}),
        ({"required": ["a"]}, {"required": ["a"], "properties": {"a": {}}}),
        ({"type": "string", "pattern": "^a$", "minLength": 3}, {"type": ["string"]}),
        ({"items": [{"type": "string"}]}, {}),
        (
            {"items": True, "properties": 3, "required": "x", "enum": []},
            {"required": ["x"], "properties": {"x": {}}},
        ),
    ],
)
def test_a_schema_in_plain_words(told, plain):
    assert simplify_schema(told) == plain


@pytest.mark.parametrize(
    "text",
    [
        '{"city": ' + "[" * 100_000,
        '{"a":' * 50_000,
        json.dumps(json.dumps(json.dumps("[" * 100_000))),
        '{"city": "' + "\\" * 200_001 + '"}',
        '{"city": "x", "days": 1' + ', "k": null' * 50_000 + "}",
        '{"city": "x", "days": 1, ' + ", ".join(f'"k{n}": {n}' for n in range(20_000)) + "}",
        '{"items": "' + "[" * 50_000 + '"}',
        '"' * 300_000,
        "\ud800" * 1_000,
        '{"city": "' + "x" * 5_000_000 + '", "days": "1"}',
    ],
)
@pytest.mark.parametrize("told", [WEATHER, ORDER, CLOSED])
def test_adversarial_texts_end_within_the_budget(text, told):
    config = AdaptConfig(budget_ms=2_000)
    decision = judge(text, plan_of([tool(told)], text, config=config).groups, Invocation(config))
    assert all(outcome.disposition != "failed" for outcome in decision.outcomes)


@pytest.mark.parametrize(
    ("text", "disposition"),
    [
        ('{"city": "Ulm", "days": 4.0}', "conforming"),
        ('{"city": "Ulm", "days": 4e0}', "conforming"),
        ('{"city": "Ulm", "days": 4.5}', "refused"),
        ('{"city": "Ulm", "days": "4.0"}', "repaired"),
        ('{"city": "Ulm", "days": true}', "refused"),
        ('{"City": "Ulm", "days": 4.0}', "repaired"),
        ('{"city": "Ulm", "days": 1e999}', "refused"),
    ],
)
def test_a_whole_number_with_a_point_violates_no_schema(text, disposition):
    assert run(text, WEATHER, mode="strict").disposition == disposition
    assert run(text, WEATHER).disposition == disposition.replace("conforming", "repaired")
