"""The tolerant JSON reader: what it mends, what it refuses, and that it never makes anything up."""

# ruff: noqa: RUF001 - full-width punctuation, as models write it

import json
import re

import pytest
from hangs import no_hang
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.parsing.documents import (
    ADDED_BRACKETS,
    JsonReading,
    Unreadable,
    find_documents,
    read_json,
    slot_of_keys,
)
from knitbone.parsing.search import MAX_DEPTH

MENDED = [
    # commas
    ('{"a": 1, "b": [1, 2,],}', {"a": 1, "b": [1, 2]}),
    ('{"a": 1,, "b": 2}', {"a": 1, "b": 2}),
    ("[, 1, 2]", [1, 2]),
    ('{"a": 1 "b": 2}', {"a": 1, "b": 2}),
    ('{"a": "x"\n"b": "y"}', {"a": "x", "b": "y"}),
    ('[{"a": 1} {"a": 2}]', [{"a": 1}, {"a": 2}]),
    ("[1 2, 3]", [1, 2, 3]),
    ('{"a": 1; "b": 2}', {"a": 1, "b": 2}),
    # quotes
    ("{'a': 'b'}", {"a": "b"}),
    ("{'a': 'it's', 'b': 'don't'}", {"a": "it's", "b": "don't"}),
    ("""{'a': 'press "+" or the +'}""", {"a": 'press "+" or the +'}),
    ("{'a': 'say \"hi\"'}", {"a": 'say "hi"'}),
    ("{“a”: “b c”, ‘d’: ‘e’}", {"a": "b c", "d": "e"}),
    ('{"a": "he said "hello", and left", "b": 1}', {"a": 'he said "hello", and left', "b": 1}),
    ('["a "b" c", "d"]', ['a "b" c', "d"]),
    ('{"a": "hello,\n"b": "x"}', {"a": "hello", "b": "x"}),
    ('{"a": "hello\n}', {"a": "hello"}),
    # content
    ('{"a": "one\ntwo\tthree\x01"}', {"a": "one\ntwo\tthree\x01"}),
    (r'{"a": "caf\x41 \'q\'\n"}', {"a": "cafA 'q'\n"}),
    (r'{"a": "C:\dir"}', {"a": r"C:\dir"}),
    # one literal backslash makes the others of a path or an expression literal too
    (r'{"a": "C:\dir\new"}', {"a": r"C:\dir\new"}),
    (r'{"a": "C:\Program Files\new\x86\u12"}', {"a": r"C:\Program Files\new\x86\u12"}),
    (r'{"a": "C:\\dir\new\pew"}', {"a": r"C:\dir\new\pew"}),
    (r'{"a": "\\server\dir\new"}', {"a": r"\\server\dir\new"}),
    (r'{"a": "src\dir\new"}', {"a": r"src\dir\new"}),
    (r'{"a": "^\bfoo\b\d+\n$"}', {"a": r"^\bfoo\b\d+\n$"}),
    (r'{"a": "\alpha \times \frac{1}{2}"}', {"a": r"\alpha \times \frac{1}{2}"}),
    # beside marks of LaTeX and Markdown a line break is one
    (r'{"a": "\(a \neq b\)\nNext"}', {"a": "\\(a \\neq b\\)\nNext"}),
    (r'{"a": "100\% a\_b\nand\tso"}', {"a": "100\\% a\\_b\nand\tso"}),
    (r'{"a": "C:\dir", "b": "x\ny C:\\new \\\\"}', {"a": r"C:\dir", "b": "x\ny C:\\new \\\\"}),
    ('{"a": "b" + "c", "d": 1}', {"a": "bc", "d": 1}),
    # bare words
    ("{a: 1, b_c: true, $d: 2}", {"a": 1, "b_c": True, "$d": 2}),
    ('{"a": True, "b": None, "c": undefined}', {"a": True, "b": None, "c": None}),
    ('{"name": Smith, John, "age": 3}', {"name": "Smith, John", "age": 3}),
    ("{name: Smith, John, age: 3}", {"name": "Smith, John", "age": 3}),
    ("[red, dark green]", ["red", "dark green"]),
    ("{a: hello // why\n}", {"a": "hello"}),
    # numbers
    ("[+5, .5, 1_000, -.5]", [5, 0.5, 1000, -0.5]),
    # colons
    ('{"a" = 1, "b" => 2, "c" 3}', {"a": 1, "b": 2, "c": 3}),
    # comments
    ('{"a": 1, // one\n"b": /* two */ 2 # three\n}', {"a": 1, "b": 2}),
    ("['a', 'wait...', '...']", ["a", "wait...", "..."]),
    # brackets
    ('{"a": [1, 2}', {"a": [1, 2]}),
    ('{"a": [1, 2}, "b": 3}', {"a": [1, 2], "b": 3}),
    ('[{"a": [1, 2}, {"b": 2}]', [{"a": [1, 2]}, {"b": 2}]),
    ('{"a": [{"b": 1}].', {"a": [{"b": 1}]}),
    ('[{"a": ["b"]}}]', [{"a": ["b"]}]),
    ('{"s": [{"a": 1}], {"a": 2}]}', {"s": [{"a": 1}, {"a": 2}]}),
    ('{"n": ["a", "b", "m": 5}', {"n": ["a", "b"], "m": 5}),
    ('{"a": 12\n```', {"a": 12}),
    # characters
    ("｛“a”： 1，“b”： ［1，2］｝", {"a": 1, "b": [1, 2]}),
    ('{\ufeff"a":\u00a01}', {"a": 1}),
]


@pytest.mark.parametrize(("text", "value"), MENDED)
def test_it_mends(text, value):
    reading = read_json(text, slot=slot_of_keys({"name", "age"}))
    assert isinstance(reading, JsonReading), reading
    assert json.loads(reading.json) == value
    assert reading.edits


REFUSED = [
    # cut off in a value, or behind a comma: there was more
    '{"refund": 12',
    '{"a": [1, 2',
    '{"a": "x',
    '{"a": tru',
    '{"a": 1,',
    '{"a": ',
    '{"a"',
    "{",
    # no value, no key
    '{"a": }',
    '{"a": , "b": 1}',
    '{"a": "x", "b"}',
    '{"a": "b", "c", "d": 1}',
    # more than one reading
    '{"a": "x "y", "b": "z"}',
    "{who: Smith, John, other: 3}",
    '{"a": 1}}, "b": 2}',
    '[["a": 1], ["b": 2]]',
    '{"a": 1] , {"b": 2}',
    '{"a": """b""", "c": 1}',
    '{"s": [{"n": 1}], [{"m": 2}]}',
    '{"s": [1], [2]}',
    '{"a": {"b": 1\n{"b": 2}}',
    '{"a": "x\\\n"b": 1}',
    # cut off, as far as anybody can tell; two marks are missing; a mark may be one too many
    '[{"a": 1 // one\n{"a": 2}]',
    '[{"a": "x"\n{"a": "y"}]',
    '{"s": [{"n": 1}], [{"n": 2}], "t": 3}',
    '{"s": [{"n": 1}], [{"n": 2}]]',
    '{"a": "b"\n\nHope this helps!',
    '{"a": {"b": "c"',
    '{"a": true',
    '{"s": [{"a": 1, "n": ["x"], {"b": 2}]}',
    '{"s": [{"a": 1}]]}',
    '{"zip": 02139}',
    '{"a": "{"x": 1}", "b": 2}',
    '{"status": all good, "at": 10:30}',
    '{"a": 12 kg, "date": 07/3/2008}',
    # words in a bracket, and a text behind them
    "[Note: see below\nThe answer is 3",
    # which backslashes are escapes
    r'{"a": "see C:\dir\new now"}',
    r'{"a": "\d \\ x"}',
    r'{"a": "C:\dir", "b": "C:\new"}',
    r'{"a": "\alpha", "b": "\frac{1}{2} \times 3"}',
    # dots that stand for items
    '["a", "b", ...]',
    '{"a": [1, ..., 9]}',
    '{"a": 1, ...}',
    '{"a": ...}',
    "[1, 2 ...]",
    '[{"a": 1}, // ... 8 more\n]',
    "[1, /* … */]",
]


@pytest.mark.parametrize("text", REFUSED)
def test_it_refuses(text):
    reading = read_json(text)
    assert isinstance(reading, Unreadable), reading
    assert reading.reason


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "it\'s // no comment, # none", "b": "a, ]} {["}',
        '{"a": 1e5, "b": -0.0, "c": 1.50, "d": "\\u00e9\\n\\\\"}',
        " [1 , 2 ,\n\t3 ] ".strip(),
        '{"a": [[[{"b": [{}]}]]], "c": []}',
        '{"a": "...", "b": "“quoted”", "c": "True"}',
    ],
)
def test_json_stays_as_it_is(text):
    assert read_json(text) == JsonReading(0, len(text), text, {})


def test_numbers_texts_and_layout_keep_their_spelling():
    text = '{ "a" : 1.50,\n  "b": "\\u00e9 \\/", "c": 1E+2, }'
    reading = read_json(text)
    assert isinstance(reading, JsonReading)
    assert reading.json == '{ "a" : 1.50,\n  "b": "\\u00e9 \\/", "c": 1E+2 }'
    assert reading.edits == {"trailing comma removed": 1}


def test_it_reads_from_the_middle_and_says_where_it_ended():
    text = 'Answer: {"a": [1,]} and more'
    reading = read_json(text, text.index("{"))
    assert isinstance(reading, JsonReading)
    assert (reading.json, text[reading.end :]) == ('{"a": [1]}', " and more")


def test_a_document_ends_where_the_next_begins():
    text = '{"a": "x", "b": 1,}\n{"a": "y", "b": 2}'
    reading = read_json(text)
    assert isinstance(reading, JsonReading)
    assert (reading.json, text[reading.end :]) == ('{"a": "x", "b": 1}', '\n{"a": "y", "b": 2}')


@pytest.mark.parametrize(
    "text", ['{"a": [1, 2}, "b": 3}', '{"a": {"b": 1}, "c": 2\n```', '{"a": "x", "b": [{"c": 1]}']
)
def test_a_rule_says_that_a_bracket_was_added(text):
    reading = read_json(text)
    assert isinstance(reading, JsonReading)
    added = len(reading.json) > len(text.removesuffix("\n```"))
    assert added == any(rule.startswith(ADDED_BRACKETS) for rule in reading.edits)
    assert reading.guessed


def test_depth_is_bounded():
    deep = "[" * 100_000
    reading = read_json(deep)
    assert isinstance(reading, Unreadable)
    assert str(MAX_DEPTH) in reading.reason
    fine = "[" * (MAX_DEPTH - 1) + "1,]" + "]" * (MAX_DEPTH - 2)
    assert isinstance(read_json(fine), JsonReading)


def test_the_clock_is_looked_at():
    def expired():
        raise TimeoutError

    with pytest.raises(TimeoutError):
        read_json("[" + "'a' " * 5_000 + "]", pause=expired)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
DOCUMENTS = st.lists(VALUES, max_size=4) | st.dictionaries(st.text(), VALUES, max_size=4)


@settings(max_examples=500, deadline=None)
@given(DOCUMENTS, st.sampled_from([None, 1]), st.booleans())
def test_json_is_read_without_an_edit(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert read_json(text) == JsonReading(0, len(text), text, {})


WORDS = st.text("abcdefgXY é", min_size=1, max_size=8).map(str.strip).filter(bool)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(0, 999) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=10,
)
PLAIN_DOCUMENTS = st.lists(PLAIN, max_size=3) | st.dictionaries(WORDS, PLAIN, max_size=3)
FAULTS = {
    "single quotes": lambda t: t.replace('"', "'"),
    "smart quotes": lambda t: re.sub(r'"([^"]*)"', r"“\1”", t),
    "bare keys": lambda t: re.sub(r'"([A-Za-z]+)":', r"\1:", t),
    "trailing commas": lambda t: re.sub(r"(?<=[^\[{])([\]}])", r",\1", t),
    "Python literals": lambda t: re.sub(
        r"\b(true|false|null)\b",
        lambda m: {"true": "True", "false": "False", "null": "None"}[m.group()],
        t,
    ),
    "comments": lambda t: t.replace(", ", ", // note\n"),
    "equal signs": lambda t: t.replace(": ", " = "),
    "full-width": lambda t: t.replace(", ", "，").replace(": ", "："),
}


@settings(max_examples=500, deadline=None)
@given(PLAIN_DOCUMENTS, st.sets(st.sampled_from(sorted(FAULTS)), min_size=1, max_size=2))
def test_a_document_with_faults_says_what_it_said(value, faults):
    text = json.dumps(value, ensure_ascii=False)
    if "Python literals" in faults and re.search(r'"[^"]*\b(true|false|null)\b', text):
        return
    for fault in sorted(faults, key=list(FAULTS).index):
        text = FAULTS[fault](text)
    reading = read_json(text)
    assert isinstance(reading, JsonReading), (text, reading)
    assert json.loads(reading.json) == value


def strings_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for inner in value.values():
            yield from strings_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings_in(inner)


@settings(max_examples=1_000, deadline=None)
@given(PLAIN_DOCUMENTS, st.data())
def test_whatever_breaks_no_text_or_number_is_made_up(value, data):
    text = json.dumps(value, ensure_ascii=False)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(1, len(text)))
        if data.draw(st.booleans()):
            text = text[:place] + text[place + data.draw(st.integers(1, 3)) :]
        else:
            text = text[:place] + data.draw(st.sampled_from("{}[],:\"'\n 1a")) + text[place:]
    reading = read_json(text)
    if isinstance(reading, JsonReading):
        read = json.loads(reading.json)
        assert all(said in text for said in strings_in(read)), (text, reading.json)
        numbers = re.findall(r"\d+", reading.json)
        assert all(number in text for number in numbers), (text, reading.json)


@settings(max_examples=1_000, deadline=None)
@given(
    st.sampled_from("{[").flatmap(
        lambda first: st.text("{}[]:,\"'\\ \n/*#.=-0127eaun“”…＂｛，", max_size=60).map(
            first.__add__
        )
    )
    | st.text(st.characters(), max_size=60).map("{".__add__)
)
def test_whatever_comes_the_result_is_json(text):
    reading = read_json(text)
    if isinstance(reading, JsonReading):
        json.loads(reading.json)
        assert 0 < reading.end <= len(text)


HOSTILE = {
    "open brackets": "[" * 200_000,
    "open objects": '{"a":' * 60_000,
    "quotes": '{"a": "' + '"' * 200_000,
    "escaped quotes": '{"a": "' + '\\"' * 100_000,
    "backslashes": '{"a": "' + "\\" * 200_001,
    "comments": "[" + "/*" * 100_000,
    "blanks": '{"a": 1' + " " * 200_000 + "x",
    "blanks behind commas": "{a: b" + (", " + " " * 200) * 1_000,
    "bare words": "{a: " + "b " * 100_000,
    "numbers": "[" + "1 " * 50_000,
    "digits": "[" + "1" * 200_000,
    "lone backslashes": '{"a": "' + "\\d" * 49_000 + '"}',
    "paths": "[" + r'"C:\dir\new\bin", ' * 4_000 + "]",
    "slashes of a path": '{"a": "C:' + "\\" * 98_000 + 'd?"}',
    "a path that ends": '{"a": "C:' + r"\dir\new" * 9_000 + '?"}',
    "mixed quotes": "[" + "\"'" * 50_000,
    "keys": "{" + "a:" * 50_000,
    "closers": "[[" + "}" * 100_000,
    "colons": '{"a"' + ":" * 100_000,
    "almost items": "[" + '{"a": 1, "b": [1, 2}, ' * 5_000,
    "ellipses": "[" + "..., " * 30_000,
    "line ends": '{"a": "' + "x\n" * 50_000,
}


@pytest.mark.parametrize("text", list(HOSTILE.values()), ids=list(HOSTILE))
def test_hostile_text_takes_linear_time(text):
    # Quadratic time would be minutes; a busy machine passes.
    with no_hang():
        read_json(text)


MANY = {
    "lines with a comma too many": '{"a": 1, "b": "x", "c": [1, 2],}\n' * 4_000,
    "words in brackets": "use [x y: z] here " * 4_000 + '{"a": 1,}',
    "words in braces": "a {b c} d " * 4_000 + '{"a": 1,}',
    "code": "def pair(a):\n    return [a, 1]\n" * 4_000,
    "fences": '```json\n{"a": 1,}\n```\n' * 2_000,
}


@pytest.mark.parametrize("text", list(MANY.values()), ids=list(MANY))
def test_many_documents_take_linear_time(text):
    with no_hang():
        find_documents(text)


@pytest.mark.parametrize("words", ["{b c}", "{name}", "[u v: w]", "[see 1, 2 or 3]"])
def test_brackets_in_words_do_not_hide_the_document(words):
    found = find_documents(f"see {words} " * 50 + 'Answer: {"a": 1,}')
    assert found.documents[-1].reading.json == '{"a": 1}'


@pytest.mark.parametrize("outer", ["{}", "```json\n{}\n```", "Here:\n{}\nBye."])
def test_a_fence_within_a_text_does_not_end_the_document(outer):
    document = '{"code": "see:\n```python\nprint(1)\n```\n", "lang": "py",}'
    found = find_documents(outer.replace("{}", document))
    (only,) = found.documents
    assert json.loads(only.reading.json) == {
        "code": "see:\n```python\nprint(1)\n```\n",
        "lang": "py",
    }


def test_blanks_behind_a_document_are_looked_at_once():
    # Twice each, and this would not end.
    read = read_json('{"a": 1}' + " " * 1_000_000 + "'")
    assert isinstance(read, JsonReading)
    assert read.json == '{"a": 1}'
