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
from knitbone.fuzzing.fixing.observation import ObservedCall
from knitbone.fuzzing.fixing.origin import LiveValues, SourceConstants, is_of_source
from knitbone.fuzzing.fixing.records import ConcernedValue, Constraint
from knitbone.fuzzing.fixing.sentence_constraints import read_constraints
from knitbone.fuzzing.fixing.statements import existing, naming_sentence
from knitbone.fuzzing.records import ToolUnderTest
from knitbone.fuzzing.trace.terms import CallTrace, Event, Term


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


def test_texts_that_a_tool_was_told_are_live(tmp_path: Path) -> None:
    path = tmp_path / "told.py"
    path.write_text("def tool(x):\n    return x == 'express'\n")
    tool = ToolUnderTest(
        name="tool", target=f"{path}:tool", documentation="", schema={}, roots=(str(path),)
    )
    term = Term("operator.eq", (Term("input", (("x",),)), "express"))
    seen = CallTrace(
        (Event(0, "branch", term, True),),
        frozenset(),
        {0: (str(path), 2, "x == 'express'"), 1: (str(path), 1, "x")},
    )
    call = ObservedCall(arguments={}, accepted=True, trace=seen)
    told = ["Quilla Marsh", "express"]
    live = LiveValues(SourceConstants(tool), [call], told)
    assert live.stand_in({"a": ["to quilla marsh"]})
    assert not live.stand_in({"a": ["express", 4]})
    assert LiveValues(SourceConstants(tool), (), told).stand_in("express"), "no decision shows it"


# -- whole campaigns ------------------------------------------------------------------------------

STATES = {
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
    listed = ", ".join(f"'{secret}': 3" for secret in secrets)
    text = STATES[state].format(listed=listed)
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
