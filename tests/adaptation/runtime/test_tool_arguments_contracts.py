"""Arguments of a tool call against a schema: the contracts, whatever the schema and the text."""

import json

from contracts import contract_examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tool_schemas import run, text_of

names = st.sampled_from(["city", "days", "unit", "startDate", "tags", "note", "amount", "x"])
leaves = st.sampled_from(
    [text_of(k) for k in ("string", "integer", "number", "boolean")]
    + [text_of("string", enum=["red", "green", "blue"]), {}, {"type": ["integer", "null"]}]
)


def objects(inner):
    return st.builds(
        lambda properties, needed, closed: text_of(
            "object",
            properties=properties,
            required=[name for name, flag in zip(properties, needed, strict=False) if flag],
            **({"additionalProperties": False} if closed else {}),
        ),
        st.dictionaries(names, inner, max_size=4),
        st.lists(st.booleans(), min_size=4, max_size=4),
        st.booleans(),
    )


schemas = objects(
    st.recursive(
        leaves,
        lambda inner: objects(inner) | st.builds(lambda i: text_of("array", items=i), inner),
        max_leaves=4,
    )
)
texts = st.text(max_size=12) | st.sampled_from(["3", "true", "null", "{}", "[1]", '{"a": 1}', ""])


def values_of(told):
    """Values that a schema accepts, by construction."""
    if "enum" in told:
        return st.sampled_from(told["enum"])
    match told.get("type"):
        case "object":
            needed = told["required"]
            made = {name: values_of(inner) for name, inner in told["properties"].items()}
            return st.fixed_dictionaries(
                {name: made[name] for name in made if name in needed},
                optional={name: made[name] for name in made if name not in needed},
            )
        case "array":
            return st.lists(values_of(told["items"]), max_size=3)
        case "string":
            return texts
        case "integer":
            return st.integers()
        case "number":
            return st.integers() | st.floats(allow_nan=False, allow_infinity=False)
        case "boolean":
            return st.booleans()
        case ["integer", "null"]:
            return st.none() | st.integers()
        case _:
            return st.none() | texts | st.integers()


pairs = schemas.flatmap(lambda told: values_of(told).map(lambda value: (told, value)))
FAULTS = {
    "encoded": lambda text: json.dumps(text, ensure_ascii=False),
    "comma": lambda text: text.replace("}", ",}"),
    "quotes": lambda text: text.replace('"', "'"),
    "case": lambda text: text.swapcase(),
    "cut": lambda text: text[: len(text) * 2 // 3],
    "doubled": lambda text: text + text,
    "texts": lambda text: text.replace(": 3", ': "3"').replace("true", '"true"'),
    "fence": lambda text: f"```json\n{text}\n```",
    "nulls": lambda text: text.replace('"red"', "null").replace("true", "null"),
    "bare": lambda text: text.replace('"city"', "city").replace('"x"', "x"),
}


@settings(max_examples=contract_examples(), deadline=None)
@given(pairs)
def test_what_the_schema_accepts_is_passed_on_as_it_is(pair):
    told, value = pair
    text = json.dumps(value)
    decision = run(text, told)
    assert decision.text is text
    assert decision.outcomes == ()


def leaves_of(value):
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in leaves_of(inner)]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in leaves_of(inner)]
    return [value]


@settings(max_examples=contract_examples(), deadline=None)
@given(pairs, st.lists(st.sampled_from(list(FAULTS)), min_size=1, max_size=2))
def test_a_repair_comes_to_rest_and_makes_nothing_up(pair, faults):
    told, value = pair
    text = json.dumps(value, ensure_ascii=False)
    for fault in faults:
        text = FAULTS[fault](text)
    decision = run(text, told)
    if decision.disposition != "repaired":
        assert decision.text is text
        return
    again = run(decision.text, told)
    assert again.text == decision.text
    assert again.disposition != "repaired"
    said = text.casefold()
    for leaf in leaves_of(json.loads(decision.text)):
        if isinstance(leaf, str) and leaf not in ("red", "green", "blue"):
            assert all(word.casefold() in said for word in leaf.split() if word.isalnum())
        elif isinstance(leaf, int) and not isinstance(leaf, bool):
            assert str(leaf) in said


@settings(max_examples=contract_examples(), deadline=None)
@given(
    schemas,
    st.text(st.characters(), max_size=60)
    | st.binary().map(lambda b: b.decode("utf-8", "surrogateescape")),
)
def test_any_text_is_judged(told, text):
    decision = run(text, told)
    assert all(outcome.disposition != "failed" for outcome in decision.outcomes)
    assert decision.disposition == "repaired" or decision.text is text


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
WORDS = (
    "type", "properties", "items", "required", "enum", "const", "anyOf", "oneOf", "allOf", "$ref",
    "additionalProperties", "nullable", "$defs", "a", "#", "#/a", "#/$defs/a", "object", "null",
)  # fmt: skip
words = st.sampled_from(WORDS)
wild = st.recursive(
    json_values | words,
    lambda inner: st.dictionaries(words, inner, max_size=4) | st.lists(inner, max_size=3),
    max_leaves=12,
)


@settings(max_examples=contract_examples(300), deadline=None)
@given(st.dictionaries(words, wild, max_size=5), json_values)
@example({"enum": [2**63]}, None)  # more than the compiled reader holds
@example({"properties": {"a": {"enum": [-(2**63) - 1, 2**64]}}}, {"a": 1})
def test_any_schema_is_read(told, value):
    text = json.dumps(value)
    decision = run(text, told)
    assert all(outcome.disposition != "failed" for outcome in decision.outcomes)
