"""A tainted value is what it was: same results, same exceptions, whatever is done with it."""

# The operations are spelled as applications spell them.
# ruff: noqa: C416, DTZ007, FURB167, FURB171, ICN001, PLC3002, PLW0108, RUF005, UP031, UP032

from __future__ import annotations

import ast
import copy
import csv
import datetime
import decimal
import html
import io
import json
import pickle
import re
import string
import textwrap
import urllib.parse
import xml.etree.ElementTree as ET

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from knitbone.adaptation.learning.taint import (
    Scope,
    Tree,
    compile_watched,
    mark_of,
    plain,
    taint,
    watching,
)

SCOPE = Scope([__file__])


def tainted(value):
    answer = Tree("test", SCOPE).answer()
    assert answer is not None
    return taint(value, answer.mark())


def outcome(function, *args):
    """What a call gives, in plain values, and of which plain types."""
    try:
        return "result", shape_of(function(*args))
    except Exception as error:
        return "error", type(error), re.sub("0x[0-9a-f]+", "0x", str(error))


def shape_of(value):
    kind = type(plain(value))
    if kind is dict:
        return kind, [(shape_of(k), shape_of(v)) for k, v in plain(value).items()]
    if kind in (list, tuple):
        return kind, [shape_of(item) for item in plain(value)]
    return kind, repr(value)


TEXTS = st.one_of(
    st.text(max_size=40),
    st.text("1. \n-:`{}[]\",'ab", max_size=60),
    st.sampled_from(
        ["", "1", "-3.5e2", '{"a": [1, {"b": "2"}]}', "a: 1\nb: [2, x]", "<r><i n='1'>x</i></r>"]
        + ["x = 1\ny = x + 1", "a,b\n1,2", "2024-01-31", "50% off &amp; {0} {name}", "\ud800x"]
        + ["ǅ straße ﬁ İ", "\x00\x85\u2028 line", "True", "[1, (2, 3)]", "'quoted'"]
    ),
)

METHODS = {
    name: getattr(str, name)
    for name in dir(str)
    if not name.startswith("__") and name not in ("maketrans",)
}
ARGUMENTS = st.lists(
    st.one_of(
        st.sampled_from([None, "", " ", "\n", ":", "a", "1.", "ab", ("a", "1"), {97: "x"}, ["a"]]),
        st.integers(-3, 12),
        st.booleans(),
        st.text(max_size=3),
        st.just(b"a"),
    ),
    max_size=3,
)


@given(text=TEXTS, name=st.sampled_from(sorted(METHODS)), arguments=ARGUMENTS)
def test_every_method_gives_what_str_gives(text, name, arguments):
    def call(value):
        return getattr(value, name)(*arguments)

    assert outcome(call, tainted(text)) == outcome(call, text)


OPERATIONS = {
    "add": lambda s: (s + "x", "x" + s, s + s),
    "add a number": lambda s: s + 1,
    "add to a number": lambda s: 1 + s,
    "add bytes": lambda s: s + b"",
    "multiply": lambda s: (s * 2, 3 * s, s * 0),
    "compare": lambda s: (s == "1", s != "1", s < "b", s <= s, s > "", s >= "a", s == 1),
    "compare with a number": lambda s: s < 1,
    "index": lambda s: (s[0], s[-1]),
    "far index": lambda s: s[999],
    "odd index": lambda s: s["a"],
    "slices": lambda s: (s[:], s[1:], s[:-1], s[::2], s[::-1], s[5:2]),
    "contains": lambda s: ("a" in s, s in "xa1", s in ("", "1"), s in {"1": 0}),
    "contains a number": lambda s: 1 in s,
    "iterate": lambda s: [c for c in s],
    "unpack": lambda s: (lambda *a: a)(*s),
    "truth": lambda s: (bool(s), not s, s or "empty", len(s)),
    "percent": lambda s: ("%s|%r|%5s" % (s, s, s), "%s" % s),
    "percent of it": lambda s: s % 1,
    "format": lambda s: ("{} {!r} {:>5}".format(s, s, s), f"{s}|{s!r}|{s:>5}|{s!s}"),
    "bad specification": lambda s: f"{s:d}",
    "join": lambda s: (",".join([s, s]), s.join(["a", "b"]), "".join(s)),
    "hash and keys": lambda s: (hash(s), {s: 1}[str(s)], {str(s): 2}[s], len({s, str(s)})),
    "identity of str": lambda s: (isinstance(s, str), str(s), repr(s), type(s).__name__),
    "encode": lambda s: (s.encode("utf-8"), bytes(s, "utf-8")),
    "copies": lambda s: (copy.copy(s), copy.deepcopy([s]), pickle.loads(pickle.dumps(s))),
    "sorted": lambda s: (sorted([s, "b", ""]), min(s, "b"), max([s, "b"])),
    "int": lambda s: int(s),
    "float": lambda s: float(s),
    "complex": lambda s: complex(s),
    "ord": lambda s: ord(s),
    "Decimal": lambda s: decimal.Decimal(s),
    "strptime": lambda s: datetime.datetime.strptime(s, "%Y-%m-%d"),
    "fromisoformat": lambda s: datetime.date.fromisoformat(s),
    "json": lambda s: (json.loads(s), json.dumps(s), json.dumps({s: [s]}, indent=1)),
    "json of the parsed": lambda s: json.dumps(json.loads(s), sort_keys=True, indent=1),
    "copies of the parsed": lambda s: copy.deepcopy(json.loads(s)) == json.loads(s),
    "pickle of the parsed": lambda s: pickle.loads(pickle.dumps(json.loads(s))),
    "into the parsed": lambda s: json.loads(s)["a"][1]["b"],
    "items of the parsed": lambda s: [(k, v) for k, v in json.loads(s).items()],
    "splat of the parsed": lambda s: dict(**json.loads(s)) | {**json.loads(s)},
    "change of the parsed": lambda s: change(json.loads(s)),
    "re": lambda s: (
        re.findall(r"\w+", s), re.split(r"\s+", s), re.sub("a", "b", s), re.escape(s),
        [m.group() for m in re.finditer(".", s)], bool(re.match("a", s)),
    ),
    "groups": lambda s: re.search(r"(\w+)(\d)?", s).groups(),
    "group": lambda s: (lambda m: (m[0], m.group(1), m.groupdict()))(re.match(r"(?P<x>\w)", s)),
    "compiled": lambda s: re.compile(r"^(\w)(.*)$", re.M).findall(s),
    "as a pattern": lambda s: re.compile(s).pattern,
    "csv": lambda s: list(csv.reader(io.StringIO(s))),
    "csv rows": lambda s: [dict(row) for row in csv.DictReader(s.splitlines())],
    "literal": lambda s: ast.literal_eval(s),
    "ast": lambda s: ast.dump(ast.parse(s)),
    "compile": lambda s: compile(s, "<x>", "exec").co_consts,
    "exec": lambda s: run(s),
    "eval": lambda s: eval(s, {}),
    "yaml": lambda s: yaml.safe_load(s),
    "xml": lambda s: [(e.tag, e.text, e.attrib) for e in ET.fromstring(s).iter()],
    "dedent": lambda s: (textwrap.dedent(s), textwrap.wrap(s, 8), textwrap.shorten(s, 12)),
    "html": lambda s: (html.unescape(s), html.escape(s)),
    "url": lambda s: (urllib.parse.quote(s), urllib.parse.parse_qs(s), urllib.parse.urlsplit(s)),
    "template": lambda s: string.Template(s).safe_substitute(x=1),
    "cut": lambda s: [part.partition(":") for part in s.strip().splitlines()],
    "pairs": lambda s: {k: v for k, v in [line.split(":") for line in s.splitlines()]},
    "first of the rest": lambda s: (lambda first, *rest: (first, rest))(*s.split(" ")),
    "map": lambda s: (list(map(int, s.split(","))), [*filter(None, s.split(" "))]),
    "enumerate": lambda s: [(n, c.upper()) for n, c in enumerate(s.split())],
    "list methods": lambda s: lists(s.split(",")),
    "getattr": lambda s: getattr(s, "nothing"),  # noqa: B009
    "io": lambda s: io.StringIO(s).read(),
    "match statement": lambda s: matched(json.loads(s)),
}  # fmt: skip


def change(value):
    value["new"] = 1
    value["a"].append(value["a"][0])
    value["a"][1]["b"] = 5
    return value, value.pop("new"), value.get("x"), value.setdefault("y", 2)


def run(source):
    names = {}
    exec(source, names)
    names.pop("__builtins__")
    return names


def lists(parts):
    parts.append("x")
    parts.extend(parts[:1])
    parts.sort()
    parts.reverse()
    return parts, parts.index("x"), parts.pop(), parts + ["y"], parts * 2, list(reversed(parts))


def matched(value):
    match value:
        case {"a": [first, {"b": inner}]}:
            return first, inner
        case [first, *rest]:
            return first, rest
        case str():
            return "text"
        case other:
            return other


@pytest.fixture(scope="module")
def rewritten():
    """The operations above as an application that is being watched holds them."""
    with open(__file__, encoding="utf-8") as file:
        source = file.read()
    names = {"__name__": "rewritten", "__file__": __file__}
    with watching(SCOPE):
        exec(compile_watched(source.partition("@given")[0], __file__), names)
        begin = source.index("OPERATIONS = {")
        end = source.index("@pytest.fixture", begin)
        lines = source[:begin].count("\n")
        exec(compile_watched("\n" * lines + source[begin:end], __file__), names)
        yield names["OPERATIONS"]


@pytest.mark.parametrize("name", OPERATIONS)
@given(text=TEXTS)
def test_an_operation_gives_what_it_gives_for_plain_text(name, text):
    assert outcome(OPERATIONS[name], tainted(text)) == outcome(OPERATIONS[name], text)


@pytest.mark.parametrize("name", OPERATIONS)
@given(text=TEXTS)
def test_a_watched_operation_gives_what_it_gives_for_plain_text(name, text, rewritten):
    assert outcome(rewritten[name], tainted(text)) == outcome(OPERATIONS[name], text)
    assert outcome(rewritten[name], text) == outcome(OPERATIONS[name], text)


def test_the_watched_operations_do_record(rewritten):
    text = tainted("1,2,3")
    rewritten["map"](text)
    names = [node.operation.name for node in mark_of(text).node.walk()]
    assert "int" in names
    assert ".split" in names


def test_what_is_pickled_and_copied_is_plain_elsewhere():
    for value in ("text", ["a"], {"a": 1}, ("a",)):
        again = pickle.loads(pickle.dumps(tainted(value)))
        assert type(again) is type(value)
        assert again == value
