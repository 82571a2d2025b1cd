"""``knitbone.repair`` on XML, CSV, JSON Lines, YAML and TOML: named faults, blind ones, hostile
texts."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import random
import string
import sys
import time
import xml.etree.ElementTree as ET
from typing import Any
from xml.sax.saxutils import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import knitbone
from knitbone.errors import MissingExtraError
from knitbone.parsing.csv_grammar import parse_csv
from knitbone.parsing.schema import JsonSchema
from knitbone.parsing.xml_values import parse_xml

KEYS = ["name", "age", "note"]
ADA = {"name": "Ada", "age": "36", "note": "a & b"}


@pytest.mark.parametrize(
    "text",
    [
        "<p><name>Ada</name><age>36</age><note>a &amp; b</note></p>",
        '<?xml version="1.0"?>\n<p id="1"><name>Ada</name><age>36</age><note>a &amp; b</note></p>',
        "<p><name>Ada</name><age>36</age><note>a & b</note></p>",
        "Here:\n```xml\n<p><name>Ada</name><age>36</age><note>a & b</note></p>\n```\nBye.",
        "Here it is: <p><name>Ada</name><age>36</age><note>a & b</note></p> Anything else?",
        "<p>name>Ada</name><age>36</age><note>a & b</note></p>",
        "<p>?name>Ada</name><age>36</age><note>a & b</note></p>",
        "<p><nameAda</name><age>36</age><note>a & b</note></p>",
        "<p><name>Ada<name><age>36</age><note>a & b</note></p>",
        "<p><name>Ada<|name><age>36</age><note>a & b</note></p>",
        "<p><name>Ada</name<age>36</age><note>a & b</note></p>",
        "<p><name>Ada</nmae><age>36</age><note>a & b</note></p>",
        "<p><nmae>Ada</name><age>36</age><note>a & b</note></p>",
        "<p><name>Ada</age><age>36</age><note>a & b</note></p>",
        "<p><name>Ada<age>36</age><note>a & b</note></p>",
        "<p><>Ada</name><age>36</age><note>a & b</note></p>",
        "<p><name>Ada</><age>36</age><note>a & b</note></p>",
        "<p><name><name>Ada</name><age>36</age><note>a & b</note></p>",
        "<p><name>Ada</name></name><age>36</age><note>a & b</note></p>",
        "<p><name>Ada/<name><age>36</age><note>a & b</note></p>",
        "<<p><name>Ada</name><age>36</age><note>a & b</note></p>>",
        "p><name>Ada</name><age>36</age><note>a & b</note></p>",
        '<p id"1"><name>Ada</name><age>36</age><note>a & b</note></p>',
        '<p id="1><name>Ada</name><age>36</age><note>a & b</note></p>',
        "<p id=1><name>Ada</name><age>36</age><note>a & b</note></p>",
        "<p><name>Ada</name><age>36</age><note>a & b</note>",
        "<p><name>Ada</name><age>36</age><note>a & b</note></",
    ],
)
def test_a_fault_in_xml(text: str) -> None:
    result = knitbone.repair(text, KEYS)
    assert (result.ok, result.value) == (True, ADA), result.refusal
    assert {child.tag: child.text for child in ET.fromstring(result.text)} == ADA
    assert knitbone.repair(result.text, KEYS).edits == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<p><name>Ada</name><age>36</age><no", "cut off"),
        ("<p><name>Ada</name><age>36</age>", "none of what is allowed"),
        ("<p><name>Ada</name><age>36</age><note>a", "cut off"),
        ("<p><name>Ada<</name><age>36</age><note/></p>", "two ways"),
        ("<p><name>A</name><age>3</age></p>", "none of what is allowed"),
        ("<!DOCTYPE p [<!ENTITY a 'x'>]><p><name>&a;</name><age/><note/></p>", "no document"),
        ("<p><name>A</name><age/><note/></p><p><name>B</name><age/><note/></p>", "different"),
    ],
)
def test_xml_that_is_not_sure_is_refused(text: str, reason: str) -> None:
    result = knitbone.repair(text, KEYS)
    assert not result.ok
    assert reason in result.refusal


def test_xml_of_any_kind() -> None:
    text = '<a id="1"><b>x</b><b>y</b><c lang="en">z</c><d/>tail & more</a>'
    value = {"@id": "1", "b": ["x", "y"], "c": {"@lang": "en", "#text": "z"}, "d": "",
             "#text": "tail & more"}  # fmt: skip
    assert knitbone.repair(text, "xml").unwrap() == value
    assert knitbone.repair(text).unwrap() == value


def test_a_schema_gives_xml_its_types() -> None:
    schema = {
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["n", "tags"],
    }
    result = knitbone.repair("<r><n>3</n><tags><tag>x</tag></tags></r>", schema)
    assert (result.value, result.edits) == ({"n": 3, "tags": ["x"]}, ())
    assert knitbone.repair("<r><n>3<n><tags>x</tags></r>", schema).value == {"n": 3, "tags": ["x"]}


@pytest.mark.parametrize(
    "text",
    [
        "name,age,note\nAda,36,a & b\n",
        'name,age,note\r\n"Ada",36,"a & b"',
        "Here:\n```csv\nname,age,note\nAda,36,a & b\n```\nBye.",
        "Here are the rows:\n\nname,age,note\nAda,36,a & b\n\nAnything else?",
        "name;age;note\nAda;36;a & b\n",
        "name\tage\tnote\nAda\t36\ta & b\n",
        "| name | age | note |\n| --- | --- | --- |\n| Ada | 36 | a & b |\n",
        "name, age, note\nAda, 36, a & b\n",
        "Name,Age,note\nAda,36,a & b\n",
        "name,age\nnote\nAda,36,a & b\n",
        "nameage,note\nAda,36,a & b\n",
        "name,age,note,Ada,36,a & b\n",
        'name,age,note\n"Ada""36","a & b"\n',
        'name,age,note\n"Ada","36"."a & b"\n',
        "name,age,note\nAda\n36,a & b\n",
        "\n\nname,age,note\n\nAda,36,a & b\n",
    ],
)
def test_a_fault_in_csv(text: str) -> None:
    result = knitbone.repair(text, KEYS)
    assert (result.ok, result.value) == (True, [ADA]), result.refusal
    assert parse_csv(result.text) == [ADA] or not result.edits
    assert knitbone.repair(result.text, KEYS).edits == ()


@pytest.mark.parametrize(
    "text",
    [
        "name,age,note\nAda,36\n",
        "name,age,note\nAda,36,x\nBob,3\n",
        "name,age,note\nAda,,36,x\n",
        "name,age,note\nAda36,x\n",
        "name,age,note\nAda,36,x,y\n",
        "name,age\nAda,36\n",
        "name,age,note\n",
        'name,age,note\n"Ada",36,"x',
    ],
)
def test_no_cell_is_lost_or_invented(text: str) -> None:
    assert not knitbone.repair(text, KEYS).ok


def test_what_columns_have_in_common_is_evidence() -> None:
    rows = "".join(f"P{n},{n},word\n" for n in range(5))
    result = knitbone.repair(f"name,age,note\n{rows}P7,,7,word\n{rows}", KEYS)
    assert result.unwrap()[5] == {"name": "P7", "age": "7", "note": "word"}
    result = knitbone.repair(f"name,age,note\n{rows}Doe, Ann,7,word\n", KEYS)
    assert result.unwrap()[5] == {"name": "Doe, Ann", "age": "7", "note": "word"}


@dataclasses.dataclass
class Row:
    name: str
    age: int


def test_rows_become_the_types_that_are_wanted() -> None:
    result = knitbone.repair("name,age\nAda,36\n", list[Row])
    assert (result.value, result.edits) == ([Row("Ada", 36)], ())
    schema = JSON_ROWS
    assert knitbone.repair('name,age\n"Ada,36\n', schema).unwrap() == [{"name": "Ada", "age": 36}]


JSON_ROWS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
        "required": ["name", "age"],
    },
}


def test_lines_are_repaired_alone() -> None:
    result = knitbone.repair("Sure:\n{'a': 1}\n\n{\"a\": 2}\nDone", "jsonl")
    assert result.unwrap() == [{"a": 1}, {"a": 2}]
    assert {edit.place.partition(",")[0] for edit in result.edits} == {"line 1", "line 2", "line 5"}
    refused = knitbone.repair('{"a": 1}\n{"a": \n', "jsonl")
    assert "line 2" in refused.refusal


def test_yaml_and_toml() -> None:
    assert knitbone.repair("a: 1\nb: [x, y]", "yaml").unwrap() == {"a": 1, "b": ["x", "y"]}
    assert knitbone.repair("Sure:\n```yaml\na: x: y\n```", "yaml").unwrap() == {"a": "x: y"}
    assert knitbone.repair("a = True", "toml").unwrap() == {"a": True}
    assert not knitbone.repair("a = [", "toml").ok


def test_yaml_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from knitbone.common.structured import yaml_text

    yaml_text._yaml.cache_clear()  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingExtraError, match="syntax"):
        knitbone.repair("a: 1", "yaml")
    yaml_text._yaml.cache_clear()  # pyright: ignore[reportPrivateUsage]


HOSTILE = [
    "<a>" * 100_000,
    "<a>" * 100_000 + "</a>" * 100_000,
    "<!DOCTYPE l [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;&a;'>]><name>&b;</name>",
    "<p><name>" + "x" * 3_000_000 + "</name><age>3<age></p>",
    "<p>" + "<name>a & b</name>" * 5_000 + "<name></p>",
    "<p><name>\ud800</name><age>1<age></p>",
    "<" * 100_000,
    "<a " + 'b="1" ' * 30_000,
    '<a b="' + "x " * 100_000,
    "<p>" + "/name> name> " * 20_000 + "</p>",
    "<p>" + "<name " * 100_000 + "</p>",
    "," * 1_000_000,
    "name,age,note" + "," * 1_000_000 + "\n" + "," * 999_999,
    "name,age,note\n" + "a,1,b\n" * 100_000 + "b\n",
    "name,age,note\n" + '"a,1\n' * 100_000,
    "name,age,note\n" + '"a"b",' * 100_000,
    "name,age,note\n\ud800,,3,4\n",
    "name,age,note\n" + "x" * 3_000_000,
    'name,age,note\n"' + "x\n" * 100_000,
    "name,age,note\n" + "\n" * 200_000 + "a",
    "| name | age | note |\n|" + "-|" * 200_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("target", [KEYS, "xml", "csv"], ids=["keys", "xml", "csv"])
def test_hostile_texts_end_soon(text: str, target: Any) -> None:
    """A bound that guards against a hang, and measures no speed."""
    started = time.monotonic()
    knitbone.repair(text, target)
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(("name", "size"), [("jsonl", 20_000), ("yaml", 20_000), ("toml", 20_000)])
def test_hostile_lines_end_soon(name: str, size: int) -> None:
    started = time.monotonic()
    for text in ("{\n" * size, "a: " * size, "- " * size, "a = [" * size, "[a]\n" * size):
        knitbone.repair(text, name)
    assert time.monotonic() - started < 20


_WORDS = st.text(string.ascii_letters + " ,.'é日&<\"0123456789-", max_size=12)
_RECORDS = st.fixed_dictionaries(
    {"name": _WORDS, "age": st.integers(0, 99).map(str), "note": _WORDS}
)


def _xml(record: dict[str, str]) -> str:
    inner = "\n".join(f"<{key}>{escape(each)}</{key}>" for key, each in record.items())
    return f'<p id="1">{inner}</p>'


def _csv(records: list[dict[str, str]], quoting: Any) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, KEYS, quoting=quoting, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def _broken(text: str, marks: str, seed: int, kind: str) -> str:
    rng = random.Random(seed)
    at = rng.choice([index for index, sign in enumerate(text) if sign in marks])
    new = {"lost": "", "doubled": 2 * text[at], "exchanged": rng.choice(marks)}[kind]
    return text[:at] + new + text[at + 1 :]


def _near(text: str, marks: str) -> Any:
    """All texts that are one structural character away."""
    for at in range(len(text) + 1):
        yield text[:at] + text[at + 1 :]
        for sign in marks:
            yield text[:at] + sign + text[at:]
            yield text[:at] + sign + text[at + 1 :]
    for at in range(len(text) - 1):
        yield text[:at] + text[at + 1] + text[at] + text[at + 2 :]


_SLOT = JsonSchema(
    {"type": "object", "properties": {key: {"type": "string"} for key in KEYS}, "required": KEYS}
).slot
_KINDS = st.sampled_from(["lost", "doubled", "exchanged"])


@given(record=_RECORDS, seed=st.integers(0, 10_000), kind=_KINDS)
@settings(max_examples=300, deadline=None)
def test_a_mark_of_xml_never_gives_another_value(
    record: dict[str, str], seed: int, kind: str
) -> None:
    """Another value may come only where it lies as near: one character away."""
    broken = _broken(_xml(record), '<>/="', seed, kind)
    result = knitbone.repair(broken, KEYS)
    if result.ok and result.value != record:
        assert _gives(_near(broken, "<>/=\"'"), lambda text: parse_xml(text, _SLOT), result.value)


def _gives(texts: Any, parse: Any, value: Any) -> bool:
    for text in texts:
        try:
            if parse(text) == value:
                return True
        except ValueError:
            pass
    return False


@given(
    records=st.lists(_RECORDS, min_size=1, max_size=6),
    seed=st.integers(0, 10_000),
    kind=_KINDS,
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
@settings(max_examples=300, deadline=None)
def test_a_mark_of_csv_never_gives_another_value(
    records: list[dict[str, str]], seed: int, kind: str, quoting: Any
) -> None:
    broken = _broken(_csv(records, quoting), ',"\n', seed, kind)
    result = knitbone.repair(broken, KEYS)
    if result.ok and result.value != records:
        plain = itertools.chain([broken], _near(broken, ',"\n'))
        assert _gives(plain, parse_csv, result.value)


@given(record=_RECORDS)
@settings(max_examples=200, deadline=None)
def test_what_conforms_is_never_changed(record: dict[str, str]) -> None:
    text = _xml(record)
    result = knitbone.repair(text, KEYS)
    assert (result.ok, result.value, result.text, result.edits) == (True, record, text, ())
    text = _csv([record, record], csv.QUOTE_MINIMAL)
    result = knitbone.repair(text, KEYS)
    assert (result.value, result.text, result.edits) == ([record, record], text, ())


@given(text=st.text(st.sampled_from("<>/=\"'& \nab,;|1"), max_size=60))
@settings(max_examples=400, deadline=None)
def test_any_text_gives_a_record(text: str) -> None:
    for target in ("xml", "csv", ["a", "b"]):
        result = knitbone.repair(text, target)
        again = knitbone.repair(result.text, target)
        if result.ok:
            assert (again.value, again.edits) == (result.value, ())
        else:
            assert result.refusal
