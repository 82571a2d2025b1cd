"""Slips are mended at once as they are one by one."""

# ruff: noqa: RUF001 - full-width punctuation, as models write it

import json
import re

import pytest
from hangs import no_hang
from hypothesis import example, given, settings
from hypothesis import strategies as st

from knitbone.common.structured import json_reader
from knitbone.common.structured.json_reader import JsonReading, read_json
from knitbone.common.structured.json_slips import SLIPPED_ITEMS, SLIPPED_MEMBERS, slips

ITEM = '{"name": "a, b", "n": 5, "of": ["x y", \'z\'], "said": "no // end"}'
SLIPS = {
    "trailing comma removed": '{"a": ["x", "y", ], "b": 1,}',
    "missing comma added": '{"a": ["x" "y"\n"z"], "b": 1 "c": [2]\n"d": null}',
    "quotes around a key added": "{a: 1, true: [2], $b_1 : 3}",
    "quotes of another kind -> double quotes": "{'a': 'b // c', 'd': ['e']}",
    "quote in a text escaped": '{"a": "he said "well" and left", "b": "the "end" of"}',
    "comment removed": '{"a": 1, // b, "c"\n# d\n"e": 2 // f\n, "g": [3 # h\n]}',
    "True -> true": '{"a": True}',
    "False -> false": '{"a": [1, False]}',
    "None -> null": '{"a": None}',
}


@pytest.mark.parametrize(("rule", "item"), SLIPS.items(), ids=list(SLIPS))
def test_a_run_takes_slips(rule, item):
    text = f"[{item}, {ITEM}]"
    run = SLIPPED_ITEMS.match(text, 1)
    assert run is not None
    assert run.end() == len(text) - 1
    assert rule in {told for _, _, told in slips(text, 1, len(text))}
    inside = SLIPPED_MEMBERS.match(item, 1)
    assert inside is not None


PIECES = [
    *"{}[],:\"' \n",
    *("{", "}", "[", "]", ", ", ": ", '", "', '": ', "', '", "},\n{", '"a": "b"', '"c": 1', "d: 2"),
    *(
        '"x "y" z"',
        "'k': 'v'",
        "True",
        "None",
        "5",
        "-1.5",
        '"é\\n"',
        '"C:\\dir"',
        "// no\n",
        "# n\n",
    ),
    *("/* c */", "// ...\n", "\u00a0", "，", "“q”", "'''", '"""', "word", '"2" screen"', "+"),
]


def document(pieces):
    return "[" + "".join(pieces) + "]"


VALUES = st.recursive(
    st.sampled_from(
        ["x", "a b", "it's", 'say "no" now', "", 5, -1.5, True, None, "C:\\dir", "// n"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b c", "true", "d"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@st.composite
def mistyped(draw):
    """A document in which some characters are others."""
    value = draw(st.lists(VALUES, min_size=1, max_size=3))
    text = (
        repr(value)
        if draw(st.booleans())
        else json.dumps(value, indent=draw(st.none() | st.just(1)))
    )
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(1, len(text)))
        width = draw(st.integers(0, 2))
        text = text[:place] + draw(st.sampled_from(["", *PIECES])) + text[place + width :]
    return text


@settings(max_examples=1_000, deadline=None)
@given(mistyped() | st.lists(st.sampled_from(PIECES), max_size=25).map(document))
@example('[{"a":336},// c\n// d ... e\n{"a":[]}]')
@example('[{"a": 1, // c\n\u00a0"b": 2}]')
@example('[{"a": "x "y" z "b": 1}]')
@example("[{'a': [True, \"b\" 'c',], d: None // e\n}]")
def test_it_is_as_if_each_token_were_looked_at(text):
    never = re.compile("(?!)")
    at_once = read_json(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_reader, "SLIPPED_ITEMS", never)
        patch.setattr(json_reader, "SLIPPED_MEMBERS", never)
        one_by_one = read_json(text)
    assert at_once == one_by_one
    if isinstance(at_once, JsonReading):
        assert list(at_once.edits) == list(one_by_one.edits)


HOSTILE = {
    "comments": '["a", ' + "// b\n" * 100_000 + "}",
    "comments without end": '["a", ' + "// b" * 100_000,
    "comments behind values": "[" + '["a" // b\n], ' * 20_000,
    "quoting": '{"k": ' + '"a "b' * 50_000,
    "a long text": '{"k": "' + "a" * 1_000_000,
    "long texts": "{" + ('"k": "' + "a " * 20_000 + '"b" c, ') * 20,
    "blanks": "[" + ('"a"' + " " * 1_000) * 500 + "!",
    "empty arrays": '[{"a": ' + '"b", "c": [ ], "d": ' * 20_000 + "x",
    "words": '{"a": "b "c' + "d" * 500_000,
    "gaps": "[" + "'a' " * 50_000,
}


@pytest.mark.parametrize("text", list(HOSTILE.values()), ids=list(HOSTILE))
def test_hostile_text_takes_linear_time(text):
    # Quadratic time would be minutes; a busy machine passes.
    with no_hang():
        read_json(text)
