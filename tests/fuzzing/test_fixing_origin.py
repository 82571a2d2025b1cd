"""What the tool holds while it runs never gets into its documentation; its constants may."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.fuzzing.fixing import DocumentationFix, DocumentationFixed, FixSetting, fix
from knitbone.fuzzing.fixing.origin import LiveValues, SourceConstants, is_of_source
from knitbone.fuzzing.fixing.records import ConcernedValue, Constraint, ConstraintKind
from knitbone.fuzzing.fixing.sentence_constraints import read_constraints
from knitbone.fuzzing.fixing.statements import existing, naming_sentence
from knitbone.fuzzing.records import ToolUnderTest

NAMES = st.lists(
    st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=8),
    min_size=2,
    max_size=4,
    unique=True,
)
CONSTANT: dict[str, Callable[[str], str]] = {
    "dictionary": lambda v: f"TABLE = dict.fromkeys({v})\n",
    "keys": lambda v: "TABLE = {" + ", ".join(f"{n!r}: 1" for n in json.loads(v)) + "}\n",
    "tuple": lambda v: f"TABLE = tuple({v})\n",
    "set": lambda v: f"TABLE = frozenset({v})\n",
    "in a function": lambda v: f"def tool(x):\n    return x in {v}\n",
    "rows": lambda v: f"ROWS = [{', '.join(f'({n!r}, 4)' for n in json.loads(v))}]\n",
    "words": lambda v: f"TABLE = '{' '.join(json.loads(v))}'.split()\n",
    "literal": lambda v: f"from typing import Literal\nKind = Literal{v}\n",
    "enum": lambda v: (
        "import enum\nclass Kind(enum.Enum):\n"
        + "".join(f"    {n.upper()} = {n!r}\n" for n in json.loads(v))
    ),
    "compared": lambda v: (
        "def tool(x):\n" + "".join(f"    if x == {n!r}:\n        return 1\n" for n in json.loads(v))
    ),
    "match": lambda v: (
        "def tool(x):\n    match x:\n"
        + "".join(f"        case {n!r}:\n            return 1\n" for n in json.loads(v))
    ),
}
CHANGES = (
    "def put(x):\n    TABLE[x] = 1\n",
    "def put(x):\n    TABLE[x] += 1\n",
    "def put(x):\n    del TABLE[x]\n",
    "def put(x):\n    TABLE.pop(x)\n",
    "def put(x):\n    TABLE.setdefault(x, 1)\n",
    "def put(x):\n    other = TABLE\n    other.update(x)\n",
    "def put(x):\n    change(TABLE, x)\ndef change(place, x):\n    place.add(x)\n",
    "def put(x):\n    change(x, held=TABLE)\ndef change(x, *, held):\n    held[x] = 1\n",
    "def put(x):\n    global TABLE\n    TABLE = x\n",
    "def put(x):\n    globals()['TABLE'] = x\n",
    "def held():\n    return TABLE\ndef put(x):\n    held().append(x)\n",
    "class Kit:\n    def __init__(self):\n        self.rows = TABLE\n"
    "    def put(self, x):\n        self.rows[x] = 1\n",
)
"""Ways in which a program changes what ``TABLE`` holds."""


def constants_of(source: str, folder: Path) -> SourceConstants:
    path = folder / f"source_{abs(hash(source))}.py"
    path.write_text(source)
    tool = ToolUnderTest(
        name="t", target=f"{path}:t", documentation="", schema={}, roots=(str(path),)
    )
    return SourceConstants(tool)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sources")


@given(values=NAMES, way=st.sampled_from(sorted(CONSTANT)))
def test_a_list_that_the_source_spells_out_is_constant(
    values: list[str], way: str, folder: Path
) -> None:
    constants = constants_of(CONSTANT[way](json.dumps(values)), folder)
    assert constants.lists(values)
    assert not constants.lists([*values, "".join(values)])


@given(
    values=NAMES,
    way=st.sampled_from(["dictionary", "keys", "tuple", "set", "words"]),
    change=st.sampled_from(CHANGES),
)
def test_a_list_that_the_source_changes_is_not(
    values: list[str], way: str, change: str, folder: Path
) -> None:
    source = CONSTANT[way](json.dumps(values)) + change
    constants = constants_of(source, folder)
    assert not constants.lists(values), source
    constraint = Constraint(kind="values", of=ConcernedValue(argument="x"), value=list(values))
    assert not is_of_source(constraint, constants)


STAND_INS = (
    "TABLE = os.environ.get('NAMES', {v})\n",
    "TABLE = CONF.get('names', {v})\n",
    "TABLE = CONF.get('names', default={v})\n",
    "TABLE = os.getenv('NAMES') or {v}\n",
    "TABLE = getattr(CONF, 'names', {v})\n",
    "def tool(x, held={v}):\n    return x in held\n",
    "def tool(x, *, held=tuple({v})):\n    return x in held\n",
    "class Kit:\n    def __init__(self, held):\n        self.held = held\nKIT = Kit({v})\n",
    "class Kit:\n    def __init__(self, held=None):\n        self.held = held or {v}\n",
    "class Kit:\n    def __init__(self, held):\n        self.held = held\nKIT = Kit(held=[{v}])\n",
)
"""Ways in which a constant holds only where nothing else is given, or for one object only."""


@given(
    values=NAMES,
    number=st.integers(50, 10**9),
    way=st.sampled_from(STAND_INS),
    convert=st.sampled_from(["{}", "int({})", "frozenset({})"]),
)
def test_what_stands_in_for_live_data_is_no_constant(
    values: list[str], number: int, way: str, convert: str, folder: Path
) -> None:
    listed = constants_of(way.replace("{v}", json.dumps(values)), folder)
    assert not listed.lists(values), way
    assert not any(value in listed for value in values), way
    bound = constants_of(way.replace("{v}", convert.format(number)), folder)
    assert number not in bound, way


@given(values=NAMES)
def test_names_of_several_records_are_no_list(values: list[str], folder: Path) -> None:
    rows = ", ".join(f"{{'name': {value!r}, 'age': 4}}" for value in values)
    assert not constants_of(f"ROWS = [{rows}]\n", folder).lists(values)


@given(number=st.integers(50, 10**9))
def test_a_bound_is_shown_where_the_source_has_it(number: int, folder: Path) -> None:
    of = ConcernedValue(argument="x")
    bounds: tuple[ConstraintKind, ...] = ("minimum", "maximum", "below", "longest")
    for kind in bounds:
        bound = Constraint(kind=kind, of=of, value=number)
        assert is_of_source(bound, constants_of(f"MOST = {number}\n", folder))
        assert not is_of_source(bound, constants_of("MOST = load()\n", folder))
        changed = f"class Kit:\n    def __init__(self):\n        self.left = {number}\n"
        changed += "    def put(self, x):\n        self.left -= x\n"
        assert not is_of_source(bound, constants_of(changed, folder))


def test_of_a_server_out_of_reach_nothing_is_constant() -> None:
    server = ToolUnderTest(name="t", target="mcp:http://h/#t", documentation="", schema={})
    constraint = Constraint(kind="values", of=ConcernedValue(argument="x"), value=["red", "blue"])
    assert not is_of_source(constraint, SourceConstants(server))


@given(values=st.lists(st.from_regex(r"[A-Za-z0-9 _.-]{1,12}", fullmatch=True), min_size=1))
def test_the_form_of_live_values_shows_none_of_them(values: list[str]) -> None:
    listed = Constraint(kind="values", of=ConcernedValue(argument="x"), value=list(values))
    made = existing(listed)
    assert made is not None
    said = naming_sentence([made])
    form = said.removeprefix("`x` must be one that exists").removeprefix(", in the form ")
    assert set(form) <= set("letersdig-_/.:#@ "), said
    assert {"letters", "digits"}.issuperset(
        part for part in re.split(r"[-_. ]+", form.strip(".")) if part
    )
    tool = ToolUnderTest(
        name="t", target="t", documentation=said, schema={"properties": {"x": {"type": "string"}}}
    )
    assert [c.kind for c in read_constraints(tool)][:1] == ["existing"], "it is said once"


def test_texts_that_a_tool_was_told_are_live(folder: Path) -> None:
    live = LiveValues(constants_of("KIND = 'express'\n", folder), (), ["Quilla Marsh", "express"])
    assert live.stand_in({"a": ["to quilla marsh"]})
    assert not live.stand_in({"a": ["express", 4]})


# -- whole campaigns ------------------------------------------------------------------------------

STATES = {
    "made at import": "STATE = {{name: 3 for name in ({parts})}}\n",
    "read from a file": "import json, pathlib\nSTATE = json.loads("
    "pathlib.Path(__file__).with_suffix('.json').read_text())\n",
    "in a database": "import json, pathlib, sqlite3\n"
    "BASE = sqlite3.connect(':memory:', check_same_thread=False)\n"
    "BASE.execute('create table held (name text)')\n"
    "BASE.executemany('insert into held values (?)', [(name,) for name in json.loads("
    "pathlib.Path(__file__).with_suffix('.json').read_text())])\n"
    "STATE = [name for name, in BASE.execute('select name from held')]\n",
    "changed by a tool": "STATE = {{{listed}}}\ndef put(name: str) -> None:\n    STATE[name] = 1\n",
    "in an object": "import json, pathlib\nclass Held:\n    def __init__(self):\n"
    "        path = pathlib.Path(__file__).with_suffix('.json')\n"
    "        self.names = set(json.loads(path.read_text()))\nSTATE = Held().names\n",
}
REFUSALS = (
    "raise ValueError(f'unknown, one of: {{sorted(STATE)}}')",
    "raise ValueError({{'error': {{'message': f'unknown, one of: {{sorted(STATE)}}'}}}})",
    "return json.dumps({{'error': 'unknown', 'allowed': sorted(STATE)}})",
    "return str({{'error': f'unknown, valid values: {{sorted(STATE)}}'}})",
    "raise KeyError(key)",
)
TOOL = '''
def tool(key: str, kind: str) -> str:
    """Look it up.

    Args:
        key: What to look up.
        kind: How.
    """
    if key not in STATE:
        {refusal}
    if kind not in ("economy", "express"):
        raise ValueError("no such kind")
    return "found"
'''


def drawn_tool(rng: random.Random, state: str, folder: Path) -> tuple[str, list[str]]:
    """A tool whose state holds secrets, and these."""
    secrets = [
        f"{''.join(rng.choices('bcdfghjkmnpqrtvwxz', k=4))}-{rng.randint(10_000, 99_999)}"
        for _ in range(rng.randint(2, 4))
    ]
    # Its source does not spell out what it holds, unless a tool changes that.
    parts = ", ".join(f"'{s[:4]}' + '-' + str({int(s[5:]) - 7} + 7)" for s in secrets)
    listed = ", ".join(f"'{secret}': 3" for secret in secrets)
    text = STATES[state].format(parts=parts, listed=listed)
    text = f"import json\n{text}{TOOL.format(refusal=rng.choice(REFUSALS).format())}"
    path = folder / "drawn.py"
    path.write_text(text)
    path.with_suffix(".json").write_text(json.dumps(secrets))
    return f"{path}:tool", secrets


def fixed(target: str) -> DocumentationFix:
    found = [e.fix for e in fix(target, FixSetting(calls=80)) if isinstance(e, DocumentationFixed)]
    return found[0]


@pytest.mark.parametrize("state", STATES)
def test_no_live_value_gets_into_a_documentation(state: str, tmp_path: Path) -> None:
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        target, secrets = drawn_tool(random.Random(f"{state}{number}"), state, folder)
        made = fixed(target)
        told = [statement.text for statement in made.statements]
        shown = " ".join([*told, made.description, *made.parameters.values()])
        shown += " ".join(
            line for p in made.patches for line in p.diff.splitlines() if line[:1] == "+"
        )
        for secret in secrets:
            assert secret not in shown, told
            assert secret[:4] not in shown, told
        assert not set("{}[]") & set("".join(told)), told
        assert '`kind` must be one of "economy" or "express".' in told
        # What other tools put in during the campaign is gone when the list is tried.
        is_kept = state != "changed by a tool"
        assert any("must be one that exists" in text for text in told) or not is_kept, told


# -- secrets --------------------------------------------------------------------------------------

SECRET_NAMES = ("api_key", "password", "access_token", "client_secret", "admin_passwords")
KEPT_SECRET: dict[str, Callable[[str, str], str]] = {
    "compared with the argument": lambda v, name: TOLD_SECRET.format(
        head="", arguments=f"{name}: str", test=f"{name} not in {v}"
    ),
    "table under its name": lambda v, name: TOLD_SECRET.format(
        head=f"{name.upper()} = dict.fromkeys({v}, 1)\n",
        arguments="user: str",
        test=f"user not in {name.upper()}",
    ),
    "looked up beside a password": lambda v, _: TOLD_SECRET.format(
        head=f"USERS = dict.fromkeys({v}, 'x')\n",
        arguments="user: str, password: str = 'x'",
        test="USERS[user] != password",
    ),
    "looks like one": lambda v, _: TOLD_SECRET.format(
        head="",
        arguments="code: str",
        test=f"code not in {json.dumps([LOOK + n for n in json.loads(v)])}",
    ),
}
LOOK = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
TOLD_SECRET = """{head}
def tool({arguments}, kind: str = "economy") -> str:
    \'\'\'Do it.\'\'\'
    if {test}:
        raise PermissionError("refused")
    if kind not in ("economy", "express"):
        raise ValueError("no such kind")
    return "done"
"""


@pytest.mark.parametrize("way", KEPT_SECRET)
def test_no_secret_gets_into_a_documentation(way: str, tmp_path: Path) -> None:
    rng = random.Random(way)
    for number, name in enumerate(rng.sample(SECRET_NAMES, 2)):
        words = ["".join(rng.choices("bcdfghjkmnpqrtvwxz", k=5)) for _ in range(3)]
        path = tmp_path / f"drawn{number}.py"
        path.write_text(KEPT_SECRET[way](json.dumps(words), name))
        made = fixed(f"{path}:tool")
        told = [statement.text for statement in made.statements]
        shown = " ".join([*told, made.description, *made.parameters.values()])
        shown += "".join(p.diff for p in made.patches).partition("Do it")[2].partition("if ")[0]
        assert not [word for word in words if word in shown], shown
        if way in ("table under its name", "looks like one"):
            assert "express" in shown, "what is no secret is still said"
