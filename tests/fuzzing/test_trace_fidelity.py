"""Rewritten code does what the plain code does: results, exceptions, lines, and what becomes of the
arguments, whether a call is recorded or not."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trace_corpus import PROGRAMS, Program
from trace_support import compiled, did

_TEXTS = st.sampled_from(
    [
        "", "a", "b", "ab", "a=1", "a;1", "12", "-3", "3.5", "x,y,z", "a,b\n1,2\n3,4", "a;b\n1;2",
        '{"a": 1, "b": [1, {"name": "n"}], "items": [7]}', "[1, 2]", '{"items": []}', "2024-02-29",
        "2024-02-30", "10.0.0.1", "http://u:p@h:80/p;x?q=1&q=2#f", "é ß İ", "red", "rouge", "green",
        "<r k='v'><a>1</a><a/><b>t</b></r>", "<r", "word-12", "12:30", "go home", "say a b", "A b.",
        "YWI=", "ff", "%s %d", "{0!r} {a}", "$a ${b}", "'", "[1, 'a']", "1.2.3", "  x  ", "tea:5",
        "12345678-1234-5678-1234-567812345678", "²", "\U0001f600", "a\tb", "a" * 40,
    ]
) | st.text(max_size=8)  # fmt: skip
_INTEGERS = st.sampled_from([0, 1, 2, 3, 5, -1, -2, 10, 100, 255, 1000, 2**31, 10**20]) | (
    st.integers(-50, 50)
)
_DATA = st.recursive(
    st.none() | st.booleans() | _INTEGERS | _TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["a", "name", "items", "price"]) | _TEXTS, inner, max_size=3
        )
    ),
    max_leaves=6,
) | st.sampled_from(
    [{"items": [{"name": "n"}]}, [{"price": 2}, {"price": 3, "count": 2}], {"name": "x", "b": 1}]
)
STRATEGIES: dict[str, Any] = {
    "str": _TEXTS,
    "int": _INTEGERS,
    "float": st.floats(allow_nan=True, width=32) | st.sampled_from([0.0, 1.5, -2.25, 1e300]),
    "bytes": st.sampled_from([b"", b"a,b", b"ab", b"\xff\x00"]) | st.binary(max_size=6),
    "list[str]": st.lists(_TEXTS, max_size=5),
    "list[int]": st.lists(_INTEGERS, max_size=6),
    "dict[str, int]": st.dictionaries(
        st.sampled_from(["a", "b", "red", ""]) | _TEXTS, _INTEGERS, max_size=4
    ),
    "data": _DATA,
}


@st.composite
def cases(draw: st.DrawFn) -> tuple[Program, dict[str, Any]]:
    """A program of the corpus, and arguments for it."""
    program = draw(st.sampled_from(PROGRAMS))
    kinds = program.parameters
    return program, {name: draw(STRATEGIES[kind]) for name, kind in kinds.items()}


@settings(max_examples=1_500, deadline=None, suppress_health_check=list(HealthCheck))
@given(cases())
def test_rewritten_code_does_what_the_plain_code_does(case):
    program, arguments = case
    functions = compiled(program)
    expected = did(functions.plain, arguments)
    assert did(functions.rewritten, arguments, recorded=True) == expected
    assert did(functions.rewritten, arguments) == expected


EXAMPLES: dict[str, list[Any]] = {
    "str": ["a=1", "12", "2024-02-29", '{"a": 1, "items": [2]}', "a,b\n1,2", "<r><a>1</a><b/></r>"],
    "int": [3, 0, -1, 12, 2**31],
    "float": [1.5, 0.0],
    "bytes": [b"ab"],
    "list[str]": [["a", "bcd", "12"], []],
    "list[int]": [[3, 1, 2, 1], []],
    "dict[str, int]": [{"a": 1, "b": 2}, {}],
    "data": [{"items": [{"name": "n"}], "name": "x"}, [1, {"price": 2}], None, 4],
}


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_every_program_of_the_corpus_does_the_same(number):
    """So that each is met in every run, with arguments that lead somewhere."""
    program = PROGRAMS[number]
    functions = compiled(program)
    for turn in range(6):
        arguments = {
            name: EXAMPLES[kind][(turn + index) % len(EXAMPLES[kind])]
            for index, (name, kind) in enumerate(program.parameters.items())
        }
        expected = did(functions.plain, arguments)
        said = json.dumps(arguments, default=repr) + "\n" + program.source
        assert did(functions.rewritten, arguments, recorded=True) == expected, said
        assert did(functions.rewritten, arguments) == expected, said
