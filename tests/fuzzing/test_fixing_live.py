"""Live values that the source spells out elsewhere, too, never get into a documentation.

Tools are drawn whose state is live (a folder, a table, earlier calls, the environment, a file), and
whose source has literals of the same values in other places; and tools that decide by constants.
"""

from __future__ import annotations

import ast
import random
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.fuzzing.fixing import DocumentationFix, DocumentationFixed, FixSetting, fix
from knitbone.fuzzing.fixing.origin import SourceConstants
from knitbone.fuzzing.fixing.records import CodePlace
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.fuzzing.trace.rewrite import comparisons, source_lines, source_text

HEAD = """import csv, enum, json, os, pathlib, re, sqlite3, typing
HERE = pathlib.Path(__file__).parent
"""


class State(NamedTuple):
    """Where a tool has what it decides by."""

    head: str
    names: str
    """Gives the names; ``head`` and ``inside`` come before it."""
    inside: str = ""


LIVE = {
    "a folder": State("", "os.listdir(HERE / 'data')"),
    "a folder, listed at import": State("STATE = os.listdir(HERE / 'data')\n", "STATE"),
    "a glob": State("", "{p.name for p in (HERE / 'data').iterdir()}"),
    "a table": State(
        "BASE = sqlite3.connect(':memory:', check_same_thread=False)\n"
        "BASE.execute('create table held (name text)')\n"
        "BASE.executemany('insert into held values (?)', [(n,) for n in {names}])\n",
        "[row[0] for row in BASE.execute('select name from held')]",
    ),
    "a table in a loop": State(
        "BASE = sqlite3.connect(':memory:', check_same_thread=False)\n"
        "BASE.execute('create table held (name text)')\n"
        "BASE.executemany('insert into held values (?)', [(n,) for n in {names}])\n",
        "held",
        "    held = []\n    for row in BASE.execute('select name from held'):\n"
        "        held.append(row[0])\n",
    ),
    "earlier calls": State(
        "STATE = {{}}\ndef put(name: str) -> None:\n    STATE[name] = 1\n"
        "for name in {names}:\n    put(name)\n",
        "STATE",
    ),
    "earlier calls, begun with literals": State(
        "STATE = {names}\ndef put(name: str) -> None:\n    STATE.append(name)\n", "STATE"
    ),
    "another name of it": State(
        "STATE = {names}\nOTHER = STATE\ndef put(name: str) -> None:\n    OTHER.append(name)\n",
        "STATE",
    ),
    "a part of it": State(
        "STATE = {{'names': {names}}}\n"
        "def put(name: str) -> None:\n    row = STATE['names']\n    row.append(name)\n",
        "STATE['names']",
    ),
    "the environment": State("", "os.environ['PATH_OF_NAMES'].split(',')"),
    "the environment or literals": State(
        "", "os.environ.get('NAMES_HERE', ','.join({names})).split(',')"
    ),
    "literals without a file": State(
        "def held():\n    if (HERE / 'more.json').exists():\n"
        "        return json.loads((HERE / 'more.json').read_text())\n    return {names}\n",
        "held()",
    ),
    "rows of a file": State(
        "ROWS = list(csv.reader((HERE / 'rows.csv').open()))\n", "[row[0] for row in ROWS]"
    ),
    "a json file": State("STATE = json.loads((HERE / 'rows.json').read_text())\n", "STATE"),
    "an object's own": State(
        "class Kit:\n    def __init__(self, names):\n        self.names = names\n"
        "KIT = Kit({names})\n",
        "KIT.names",
    ),
    "an argument that is left out": State("def of(held={names}):\n    return held\n", "of()"),
    "a class attribute that is set": State(
        "class Kit:\n    names = {names}\ndef put(name: str) -> None:\n"
        "    Kit.names = [*Kit.names, name]\n",
        "Kit.names",
    ),
    "what code in a text changes": State("STATE = {names}\nexec('STATE.append(\"q\")')\n", "STATE"),
}
CHANGES = (
    "STATE[x] = 1",
    "STATE[x] += 1",
    "STATE.names = x",
    "del STATE[x]",
    "STATE.pop(x)",
    "STATE.setdefault(x, 1)",
    "sorted(STATE).append(STATE.append(x))",
    "other = STATE\n    other.update(x)",
    "for other in [STATE]:\n        other.append(x)",
    "change(STATE, x)\ndef change(place, x):\n    place.add(x)",
    "change(x, held=STATE)\ndef change(x, *, held):\n    held[x] = 1",
    "global STATE\n    STATE = x",
    "globals()['STATE'] = x",
    "held().append(x)\ndef held():\n    return STATE",
    "yield STATE",
    "(STATE if x else None).append(x)",
    "(STATE or x).append(x)",
    "[STATE][0].append(x)",
    "put.held = STATE",
    "(other := STATE).append(x)",
    "next(x, STATE).append(x)",
    "max(STATE, [x]).append(x)",
    "getattr(x, 'STATE').append(x)",
    "global other\n    other = STATE\ndef add(x):\n    other.append(x)",
    "match STATE:\n        case other:\n            other.append(x)",
    "with x(STATE) as other:\n        other.append(x)",
    "list(map(STATE.append, x))",
)
"""Ways in which a program changes what ``STATE`` holds, or lets others do so."""
LIVE |= {
    f"changed by {change!r}": State(f"STATE = {start}\ndef put(x):\n    {change}\n", "STATE")
    for change in CHANGES
    for start in ("{names}", "{{{keyed}}}")
}
INNER_CHANGES = (
    "STATE['rows'].append({'name': x})",
    "STATE['rows'][0]['name'] = x",
    "STATE['rows'][:][0]['name'] = x",
    "STATE.get('rows').append(x)",
    "for rows in STATE.values():\n        rows.append(x)",
    "[rows.append(x) for rows in STATE.values()]",
    "list(STATE.values())[0].append(x)",
    "row = STATE['rows'][0]\n    row['name'] = x",
    "change(STATE['rows'])",
    "return STATE['rows']",
    "return dict(STATE)",
)
"""The same of what is within it."""
LIVE |= {
    f"changed inside by {change!r}": State(
        "STATE = {{'rows': [{{'name': name}} for name in {names}]}}\n"
        f"def put(x):\n    {change.replace('{', '{{').replace('}', '}}')}\n",
        "[row['name'] for row in STATE['rows']]",
    )
    for change in INNER_CHANGES
}
ROW_CHANGES = (
    "STATE.get('rows').append(x)",
    "for rows in STATE.values():\n        rows.append(x)",
    "list(STATE.values())[0].append(x)",
    "rows = STATE['rows']\n    rows.append(x)",
)
"""The same of a list within it."""
LIVE |= {
    f"changed a row by {change!r}": State(
        f"STATE = {{{{'rows': {{names}}}}}}\ndef put(x):\n    {change}\n", "STATE['rows']"
    )
    for change in ROW_CHANGES
}
TUPLE_CHANGES = (
    "STATE[0].append(x)",
    "for rows in STATE:\n        rows.append(x)",
    "rows, _ = STATE\n    rows.append(x)",
    "[*STATE][0].append(x)",
    "tuple(STATE)[0].append(x)",
)
"""The same of a list within a tuple."""
LIVE |= {
    f"changed in a tuple by {change!r}": State(
        f"STATE = {start}\ndef put(x):\n    {change}\n", "STATE[0]"
    )
    for change in TUPLE_CHANGES
    for start in ("({names}, ['other'])", "tuple([{names}, ['other']])")
}
LIVE |= {
    "one of two": State("STATE, OTHER = {names}, 1\ndef put(x):\n    STATE.append(x)\n", "STATE"),
    "what exists of constants": State(
        "ALL = {names}\n", "[name for name in ALL if (HERE / name).exists()]"
    ),
    "the one that exists of constants": State(
        "ALL = {names}\n",
        "[held]",
        "    for name in ALL:\n        if (HERE / name).exists():\n            held = name\n",
    ),
    "an enumeration that depends": State(
        "class Kind(enum.Enum):\n{members}    if HERE.exists():\n        MORE = 'more'\n",
        "[kind.value for kind in Kind]",
    ),
    "a class attribute that is set again": State(
        "class Kit:\n    names = {names}\n    names = os.listdir(HERE)\n", "Kit.names"
    ),
    "values of constant keys": State(
        "STATE = {{name: os.listdir(HERE) for name in {names}}}\n", "[*dict(STATE).values()]"
    ),
    "what another module changes": State("import other_constants\n", "other_constants.CHANGED"),
    "what another module changes by a star": State(
        "import other_constants\n", "other_constants.STARRED"
    ),
    "a class that takes its own": State(
        "class Kit(typing.NamedTuple):\n    names: list = {names}\n",
        "Kit.names",
    ),
    "no self": State(
        "class Kit:\n    names = {names}\n    @staticmethod\n"
        "    def _check(given, key):\n        if key not in given.names:\n"
        "            raise ValueError(key)\n",
        "os.listdir(HERE)",
    ),
}
CONSTANT = {
    "a tuple": State("TABLE = tuple({names})\n", "TABLE"),
    "a list": State("TABLE = {names}\n", "TABLE"),
    "in place": State("", "{names}"),
    "a local name": State("", "held", "    held = {names}\n"),
    "a set": State("TABLE = frozenset({names})\n", "TABLE"),
    "keys": State("TABLE = {{{keyed}}}\n", "TABLE"),
    "keys asked for": State("TABLE = {{{keyed}}}\n", "TABLE.keys()"),
    "keys of live values": State("TABLE = {{name: (HERE / name) for name in {names}}}\n", "TABLE"),
    "sorted": State("TABLE = {{{keyed}}}\n", "sorted(TABLE)"),
    "words": State("TABLE = '{words}'.split()\n", "TABLE"),
    "an enumeration": State("class Kind(enum.Enum):\n{members}", "[kind.value for kind in Kind]"),
    "a literal type": State("Kind = typing.Literal[{listed}]\n", "typing.get_args(Kind)"),
    "a class attribute": State("class Kit:\n    names = {names}\n", "Kit.names"),
    "another module": State("import other_constants\n", "other_constants.TABLE"),
    "a name of another module": State("from other_constants import TABLE as T\n", "T"),
    "one table of another": State("FIRST = {names}\nTABLE = [*FIRST]\n", "TABLE"),
    "rows within a table": State(
        "STATE = {{'rows': [{{'name': name}} for name in {names}]}}\n",
        "[row['name'] for row in STATE['rows']]",
    ),
    "a part of rows": State(
        "ROWS = [{{'name': name}} for name in {names}]\n", "[row['name'] for row in ROWS]"
    ),
    "a part of a table": State("ALL = {{'kinds': {names}}}\n", "ALL['kinds']"),
}
DECISIONS = {
    "in": "    if key not in {state}:\n        {refuse}\n",
    "helper": "    _check(key, {state})\n",
    "loop": "    if not any(key == name for name in {state}):\n        {refuse}\n",
    "index": "    list({state}).index(key)\n",
    "length": "    if len(key) > len({state}) + 40:\n        {refuse}\n    "
    "if key not in {state}:\n        {refuse}\n",
    "beginning": "    if not key.startswith(tuple({state})):\n        {refuse}\n",
    "item": "    if key != next(iter({state})) and key not in {state}:\n        {refuse}\n",
}
HELPER = """def _check(given, allowed):
    if given not in allowed:
        raise ValueError("unknown")
"""
COLLISIONS = {
    "nowhere": "",
    "another function": "def demo():\n    return [tool(n) for n in {names}]\n",
    "another decision": "def other(kind: str) -> str:\n    if kind not in {names}:\n"
    "        raise ValueError(kind)\n    return kind\n",
    "a default": "def other(kinds=tuple({names})):\n    return kinds\n",
    "a docstring": 'def other():\n    """One of {words}."""\n',
    "data of tests": "CASES = {names}\ndef test_tool():\n    for case in CASES:\n"
    "        tool(case)\n",
    "another table": "COLOURS = {{{keyed}}}\n",
    "a message": "def other():\n    print('known: {words}')\n    raise ValueError({listed})\n",
    "an enumeration": "class Colour(enum.Enum):\n{members}",
    "a literal type": "Colour = typing.Literal[{listed}]\n",
    "a match": "def other(kind):\n    match kind:\n{cases}",
    "seeds": "def seed(base):\n    base.executemany('insert', [(n, 1) for n in {names}])\n",
    "a class": "class Held:\n    names = {names}\n    state = {names}\n",
}
REFUSALS = (
    "raise ValueError('unknown')",
    "raise ValueError('unknown, one of: ' + ', '.join({state}))",
    "return json.dumps({{'error': 'unknown', 'allowed': sorted({state})}})",
)
NAMES = st.lists(
    st.text("bcdfghjkmnpqrtvwxz", min_size=4, max_size=7), min_size=2, max_size=4, unique=True
)


def drawn(
    state: State, decision: str, collision: str, names: list[str], refusal: str = REFUSALS[0]
) -> str:
    """The source of a tool.

    Args:
        names: what its state holds.
    """
    parts = {
        "names": str(names),
        "listed": ", ".join(map(repr, names)),
        "words": " ".join(names),
        "keyed": ", ".join(f"{name!r}: 1" for name in names),
        "members": "".join(f"    {name.upper()} = {name!r}\n" for name in names),
        "cases": "".join(f"        case {name!r}:\n            return 1\n" for name in names),
    }
    held = state.names.replace("{names}", str(names))
    body = decision.replace("{refuse}", refusal.format(state=held)).replace("{state}", held)
    tool = 'def tool(key: str, kind: str = "economy") -> str:\n    """Look it up."""\n'
    tool += state.inside.replace("{names}", str(names)) + body
    tool += '    if kind not in ("economy", "express"):\n        raise ValueError("no such kind")\n'
    tool += '    return "found"\n'
    return HEAD + state.head.format(**parts) + HELPER + tool + COLLISIONS[collision].format(**parts)


def put(folder: Path, source: str, names: list[str]) -> Path:
    """The files of a tool."""
    path = folder / "drawn.py"
    path.write_text(source)
    (folder / "other_constants.py").write_text(
        f"TABLE = {names}\nCHANGED = {names}\nSTARRED = {names}\n"
    )
    (folder / "other_changes.py").write_text(
        "from other_constants import *\nfrom other_constants import CHANGED as C\n"
        "def put(x):\n    C.append(x)\n    STARRED.append(x)\n"
    )
    (folder / "rows.json").write_text(str(names).replace("'", '"'))
    (folder / "rows.csv").write_text("".join(f"{name},3\n" for name in names))
    (folder / "data").mkdir(exist_ok=True)
    for old in (folder / "data").iterdir():
        old.unlink()
    for name in names:
        (folder / "data" / name).write_text("")
    return path


def compared(path: Path) -> list[bool]:
    """Of each decision about ``key``, whether it is one by constants."""
    source = path.read_bytes()
    lines = source_lines(source)
    tool = ToolUnderTest(
        name="tool",
        target=f"{path}:tool",
        documentation="",
        schema={},
        roots=(f"{path.parent}/",),
    )
    constants = SourceConstants(tool)
    tree = ast.parse(source)
    places: list[CodePlace] = []
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef) or function.name not in ("tool", "_check"):
            continue
        for node in ast.walk(function):
            pairs = comparisons(node) if isinstance(node, ast.Compare) else [node]
            for each in pairs:
                text = source_text(lines, each) if isinstance(each, ast.expr) else ""
                is_decision = isinstance(each, ast.Compare) or re.search(
                    r"\.(?:index|startswith)\(", text
                )
                if re.match(r"(?:key|given|list)\b", text) and is_decision:
                    places.append(CodePlace(str(path), each.lineno, text))
    used = {place for place in places if "given" not in place.source or "_check(key" in str(source)}
    return [constants.are_compared(place) for place in used]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("drawn")


@pytest.mark.parametrize("state", LIVE)
@settings(max_examples=12)
@given(
    names=NAMES,
    decision=st.sampled_from(sorted(DECISIONS)),
    collision=st.sampled_from(sorted(COLLISIONS)),
)
def test_a_decision_by_live_values_is_none_by_constants(
    state: str, names: list[str], decision: str, collision: str, folder: Path
) -> None:
    source = drawn(LIVE[state], DECISIONS[decision], collision, names)
    found = compared(put(folder, source, names))
    assert found
    assert not any(found), source


@pytest.mark.parametrize("state", CONSTANT)
@settings(max_examples=12)
@given(
    names=NAMES,
    decision=st.sampled_from(sorted(set(DECISIONS) - {"helper"})),
    collision=st.sampled_from(sorted(COLLISIONS)),
)
def test_a_decision_by_constants_is_one(
    state: str, names: list[str], decision: str, collision: str, folder: Path
) -> None:
    source = drawn(CONSTANT[state], DECISIONS[decision], collision, names)
    found = compared(put(folder, source, names))
    assert found
    assert all(found), source


LIVE_CHOICES = (
    "any((HERE / name).exists() and key == name for name in STATE)",
    "any(key == name for name in STATE if (HERE / name).exists())",
    "[name for name in STATE if (HERE / name).exists() and key == name]",
    "any(key == name if (HERE / name).exists() else 0 for name in STATE)",
    "for name in STATE:\n        if not (HERE / name).exists():\n            continue\n"
    "        if key == name:\n            break",
    "for name in STATE:\n        if (HERE / name).exists():\n            key == name",
    "key == next(name for name in STATE if (HERE / name).exists())",
    "key == max(STATE, key=os.path.getmtime)",
    "key == STATE[os.getpid() % 2]",
)
"""Decisions by constants of which the tool takes those that exist."""


@given(names=NAMES, choice=st.sampled_from(LIVE_CHOICES))
def test_a_live_choice_of_constants_is_none(names: list[str], choice: str, folder: Path) -> None:
    source = drawn(State("STATE = {names}\n", "STATE"), f"    {choice}\n", "nowhere", names)
    found = compared(put(folder, source, names))
    assert found, source
    assert not any(found), source


# -- whole campaigns ------------------------------------------------------------------------------


CAMPAIGNS_LIVE = (
    "a folder", "a table", "earlier calls", "earlier calls, begun with literals",
    "the environment", "the environment or literals", "rows of a file", "an object's own",
)  # fmt: skip
"""A campaign takes seconds: some states only; the decisions above are drawn of all."""
CAMPAIGNS_CONSTANT = ("a tuple", "keys", "an enumeration", "a class attribute")


def fixed(path: Path, *env: str) -> DocumentationFix:
    events = fix(f"{path}:tool", FixSetting(calls=80, env=env))
    return next(e.fix for e in events if isinstance(e, DocumentationFixed))


def written(made: DocumentationFix) -> str:
    """All that is added to the documentation."""
    added = [line for p in made.patches for line in p.diff.splitlines() if line[:1] == "+"]
    return "\n".join([*(s.text for s in made.statements), made.description, *added])


@pytest.mark.parametrize("state", CAMPAIGNS_LIVE)
def test_no_live_value_is_written(
    state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(state)
    names = ["".join(rng.sample("bcdfghjkmnpqrtvwxz", 5)) for _ in range(3)]
    monkeypatch.setenv("PATH_OF_NAMES", ",".join(names))
    decision = rng.choice(["in", "helper", "loop", "index"])
    collision = rng.choice(sorted(set(COLLISIONS) - {"nowhere"}))
    source = drawn(LIVE[state], DECISIONS[decision], collision, names, rng.choice(REFUSALS))
    told = written(fixed(put(tmp_path, source, names), "PATH_OF_NAMES"))
    assert not [name for name in names if name in told], (decision, collision, told)


@pytest.mark.parametrize("state", CAMPAIGNS_CONSTANT)
def test_constants_are_written(state: str, tmp_path: Path) -> None:
    rng = random.Random(state)
    names = ["".join(rng.sample("bcdfghjkmnpqrtvwxz", 5)) for _ in range(3)]
    collision = rng.choice(sorted(COLLISIONS))
    decision = rng.choice(["in", "loop"])
    source = drawn(CONSTANT[state], DECISIONS[decision], collision, names, rng.choice(REFUSALS))
    told = written(fixed(put(tmp_path, source, names)))
    assert all(name in told for name in names), (decision, collision, told)
