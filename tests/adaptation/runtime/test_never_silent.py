"""A decorated function either adapts or says in one line why it does not: never neither.

The table holds the ways in which applications are written. One that is added here and does neither
is a fault of ours, whatever the reason.
"""
# ruff: noqa: E501 - sources of applications as they are

import __future__

import ast
import asyncio
import inspect
import json
import linecache
import os
import re
import runpy
import subprocess
import sys

import pytest

import knitbone
from knitbone.adaptation import report
from knitbone.adaptation.runtime.decorated_functions import forget_functions
from knitbone.adaptation.testing import analyse_text

TASKS = ["a", "b", "c"]
HEADER = """
import asyncio, functools, json, re
import knitbone
ANSWER = "1) a\\n2: b\\n3 - c"
@knitbone.source
def ask(goal):
    return ANSWER
def bare(goal):
    return ANSWER
def parse(text):
    return re.findall(r"^\\d+\\.\\s+(.*)$", text, re.M)
"""
PLAN = "def plan(goal):\n    return parse(ask(goal))\n"
OWN = "def plan(goal):\n    return parse(mine(goal))\n"
MINE = "def mine(goal):\n    return ANSWER\n"

WAYS = {
    # where an output is recognised, and something is required of it
    "plain": "@knitbone.adapt\n" + PLAN,
    "called": "@knitbone.adapt()\n" + PLAN,
    "behind a helper": "@knitbone.adapt\ndef plan(goal):\n    return helper(goal)\ndef helper(goal):\n    return parse(ask(goal))\n",
    "class": "@knitbone.adapt\nclass Planner:\n    def plan(self, goal):\n        return parse(ask(goal))\n    def name(self):\n        return 'x'\nplan = Planner().plan\n",
    "class with parts of its own making": "import dataclasses\n@knitbone.adapt\n@dataclasses.dataclass\nclass Planner:\n    n: int = 0\n    def plan(self, goal):\n        return parse(ask(goal))\nplan = Planner().plan\n",
    # decorators under another name
    "adapt imported as": "from knitbone import adapt as guard\n@guard\n" + PLAN,
    "adapt assigned": "guard = knitbone.adapt\n@guard\n" + PLAN,
    "adapt partial": "guard = functools.partial(knitbone.adapt, budget_ms=5000)\n@guard\n" + PLAN,
    "adapt with settings assigned": "guard = knitbone.adapt(budget_ms=5000)\n@guard\n" + PLAN,
    "adapt in a decorator of one's own": "def guard(f):\n    return knitbone.adapt(f)\n@guard\n" + PLAN,
    "adapt on a wrapper that says what it wraps": "def guard(f):\n    @functools.wraps(f)\n    def inner(*a):\n        return f(*a)\n    return knitbone.adapt(inner)\n@guard\n" + PLAN,
    "adapt on a wrapper that does not": "def guard(f):\n    def inner(*a):\n        return f(*a)\n    return knitbone.adapt(inner)\n@guard\n" + PLAN,
    "adapt as a call": PLAN + "plan = knitbone.adapt(plan)\n",
    "source imported as": "from knitbone import source as mark\n@mark\n" + MINE + "@knitbone.adapt\n" + OWN,
    "source assigned": "mark = knitbone.source\n@mark\n" + MINE + "@knitbone.adapt\n" + OWN,
    "source assigned twice": "mark = knitbone.source\nmodel = mark\n@model\n" + MINE + "@knitbone.adapt\n" + OWN,
    "source with a name assigned": "mark = knitbone.source(name='m')\n@mark\n" + MINE + "@knitbone.adapt\n" + OWN,
    "source partial": "mark = functools.partial(knitbone.source, name='m')\n@mark()\n" + MINE + "@knitbone.adapt\n" + OWN,
    "source in one of two branches": "mark = knitbone.source if ANSWER else (lambda f: f)\n@mark\n" + MINE + "@knitbone.adapt\n" + OWN,
    "source with a stand-in": "try:\n    from knitbone import source\nexcept ImportError:\n    def source(f):\n        return f\n@source\n" + MINE + "@knitbone.adapt\n" + OWN,
    "source in a decorator of one's own": "def mark(f):\n    return knitbone.source(f)\n@mark\n" + MINE + "@knitbone.adapt\n" + OWN,
    "source in a decorator with settings": "def mark(n):\n    def deco(f):\n        f = knitbone.source(f)\n        return f\n    return deco\n@mark(3)\n" + MINE + "@knitbone.adapt\n" + OWN,
    "source returned by a function": "def mark():\n    return knitbone.source(name='m')\n@mark()\n" + MINE + "@knitbone.adapt\n" + OWN,
    "source on a wrapper": "def mark(f):\n    @knitbone.source\n    def inner(*a):\n        return f(*a)\n    return inner\n@mark\n" + MINE + "@knitbone.adapt\n" + OWN,
    "source from a dictionary": "MARKS = {'source': knitbone.source}\n@MARKS['source']\n" + MINE + "@knitbone.adapt\n" + OWN,
    "source as a call": MINE + "mine = knitbone.source(mine)\n@knitbone.adapt\n" + OWN,
    # where nothing is recognised, or nothing required
    "unmarked wrapper": "@knitbone.adapt\ndef plan(goal):\n    return parse(bare(goal))\n",
    "model handed in": "@knitbone.adapt\ndef plan(goal, model=bare):\n    return parse(model(goal))\n",
    "model out of a registry": "MODELS = [bare]\n@knitbone.adapt\ndef plan(goal):\n    return parse(MODELS[0](goal))\n",
    "no model at all": "@knitbone.adapt\ndef plan(goal):\n    return goal\n",
    "class without a model": "@knitbone.adapt\nclass Planner:\n    def plan(self, goal):\n        return goal\nplan = Planner().plan\n",
    "class without a method": "@knitbone.adapt\nclass Planner:\n    limit = 3\nplan = len\n",
    "output handed on": "@knitbone.adapt(quiet=False)\ndef plan(goal):\n    return {'answer': ask(goal)}['answer']\n",
    "output as an object of one's own": "@knitbone.adapt\ndef plan(goal):\n    ask(goal)\n    return ANSWER\n",
    "output at the top level": "TEXT = ask('x')\n@knitbone.adapt\ndef plan(goal):\n    return parse(TEXT)\n",
    # where the code cannot be put in place
    "lambda": "plan = knitbone.adapt(lambda goal: parse(ask(goal)))\n",
    "object that is called": "class Planner:\n    def __call__(self, goal):\n        return parse(ask(goal))\nplan = knitbone.adapt(Planner())\n",
    "bound method": "class Planner:\n    def plan(self, goal):\n        return parse(ask(goal))\nplan = knitbone.adapt(Planner().plan)\n",
    "builtin": "plan = knitbone.adapt(len)\n",
    "two functions alike on a line": "plan, other = (knitbone.adapt(lambda goal: parse(ask(goal))) for _ in range(2))\n",
    "helper without a source": "names = {'parse': parse, 'ask': ask}\nexec('def helper(goal):\\n    return parse(ask(goal))', names)\nhelper = names['helper']\n@knitbone.adapt\ndef plan(goal):\n    return helper(goal)\n",
    "helper that another takes the place of": "@knitbone.adapt\ndef plan(goal):\n    return helper(goal)\ndef helper(goal):\n    return parse(ask(goal))\nhelper = eval('lambda goal: parse(ask(goal))')\n",
    "inside an f-string": "@knitbone.adapt\ndef plan(goal):\n    return re.findall(r'^\\d+\\.\\s+(.*)$', f'{ask(goal)}', re.M)\n",
    "function in a function": "def make():\n    @knitbone.adapt\n    def plan(goal):\n        return parse(ask(goal))\n    return plan\nplan = make()\n",
}  # fmt: skip


def from_a_file(folder, source):
    path = folder / "app.py"
    path.write_text(source, encoding="utf-8")
    return runpy.run_path(str(path), run_name="app")


def from_a_notebook(folder, source, name="<cell-{}>"):
    """As IPython does it: the source is in ``linecache``, and statements are compiled one by one."""
    name = name.format(folder.name)
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space = {"__name__": "__main__"}
    for statement in ast.parse(source).body:
        tree = ast.Module(body=[statement], type_ignores=[])
        code = compile(tree, name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
        if code.co_flags & inspect.CO_COROUTINE:
            asyncio.run(eval(code, space))
        else:
            exec(code, space)
    return space


def without_a_source(folder, source):
    space = {"__name__": "app"}
    exec(source, space)
    return space


LOADERS = [from_a_file, from_a_notebook, without_a_source]


@pytest.fixture(autouse=True)
def _nothing_said(monkeypatch):
    monkeypatch.delenv("KNITBONE_ADAPT_QUIET", raising=False)
    # A busy machine must not look like a function in which nothing is adapted.
    monkeypatch.setenv("KNITBONE_ADAPT_BUDGET_MS", "60000")
    forget_functions()
    yield
    forget_functions()


def lines_of(capsys):
    return [line for line in capsys.readouterr().err.splitlines() if line.startswith("knitbone: ")]


@pytest.mark.parametrize("loader", LOADERS, ids=lambda loader: loader.__name__)
@pytest.mark.parametrize("way", WAYS)
def test_a_decorated_function_adapts_or_says_in_one_line_that_it_does_not(
    tmp_path, capsys, way, loader
):
    plan = loader(tmp_path, HEADER + WAYS[way])["plan"]
    adapted = plan("x") == TASKS
    plan("x")
    lines = lines_of(capsys)
    assert len(lines) == (0 if adapted else 1), lines
    unheard = [one for one in report().functions if one.reason]
    assert len(unheard) == len(lines)
    assert all(one.reason in line for one, line in zip(unheard, lines, strict=True))


RUN_THEM = """
import importlib, json
ADAPTED = {}
for number in range(%d):
    plan = importlib.import_module(f"way{number}").plan
    ADAPTED[f"way{number}"] = [plan("x"), plan("x")][-1] == ["a", "b", "c"]
print(json.dumps(ADAPTED))
"""


def test_below_knitbone_run_nothing_that_is_repaired_is_called_unadapted(tmp_path):
    for number, way in enumerate(WAYS):
        (tmp_path / f"way{number}.py").write_text(HEADER + WAYS[way], encoding="utf-8")
    (tmp_path / "main.py").write_text(RUN_THEM % len(WAYS), encoding="utf-8")
    keep = {k: v for k, v in os.environ.items() if "KNITBONE" not in k or "BUDGET" in k}
    done = subprocess.run(
        [sys.executable, "-m", "knitbone", "run", "--", sys.executable, "main.py"],
        cwd=tmp_path, env={**keep, "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True, text=True, check=True, timeout=300,
    )  # fmt: skip
    said = set(
        re.findall(r"^knitbone: .*?(way\d+)\..*nothing is adapted", done.stderr, re.MULTILINE)
    )
    adapted = json.loads(done.stdout)
    assert {name for name in said if adapted[name]} == set(), done.stderr
    silent = {"helper that another takes the place of", "builtin"}  # without a file of its own
    names = {f"way{number}": way for number, way in enumerate(WAYS)}
    unheard = {names[name] for name in adapted if not adapted[name] and name not in said}
    assert unheard <= silent
    assert sum(adapted.values()) > len(WAYS) / 2


def test_code_without_a_source_says_that_it_has_none(tmp_path, capsys):
    without_a_source(tmp_path, HEADER + WAYS["plain"])
    (line,) = lines_of(capsys)
    assert line.startswith("knitbone: <string>:12 app.plan: nothing is adapted: it runs untouched")
    assert "its source is not available; write it into a file" in line


@pytest.mark.parametrize("loader", [from_a_file, from_a_notebook], ids=lambda one: one.__name__)
@pytest.mark.parametrize("way", [way for way in WAYS if way.startswith(("adapt ", "source "))])
def test_a_decorator_under_another_name_is_followed_or_the_line_says_what_to_do(
    tmp_path, capsys, way, loader
):
    plan = loader(tmp_path, HEADER + WAYS[way])["plan"]
    followed = way not in ("adapt on a wrapper that does not", "source from a dictionary")
    assert (plan("x") == TASKS) == followed
    assert all("@knitbone.source" in line for line in lines_of(capsys))


def test_check_knows_functions_that_are_decorated_under_another_name(tmp_path):
    path = tmp_path / "app.py"
    names = [way for way in WAYS if way.startswith("adapt ") and "wrapper" not in way]
    for way in names:
        entries = analyse_text(HEADER + WAYS[way], path).entries
        assert [entry.function for entry in entries] == ["plan"], way


def test_a_decorator_that_only_calls_something_marked_marks_nothing(tmp_path, capsys):
    log = "def log(f):\n    ask('hello')\n    setup(3)\n    return f\ndef setup(n):\n    knitbone.source(len)\n"
    source = f"{HEADER}{log}@log\n{MINE}@knitbone.adapt\n{OWN}"
    assert from_a_file(tmp_path, source)["plan"]("x") == []
    assert "no output of a model" in lines_of(capsys)[0]


def test_what_holds_for_prose_and_is_off_is_named(tmp_path, capsys):
    from_a_file(tmp_path, HEADER + WAYS["output handed on"])
    (line,) = lines_of(capsys)
    assert 'adapt.scenario = ["all"] looks at what no code demands (consistent_lexical' in line


def test_what_could_not_be_read_is_named(tmp_path, capsys):
    rest = "import sys\n@knitbone.adapt\ndef plan(goal):\n    return re.findall(sys.argv[0], ask(goal))\n"
    from_a_file(tmp_path, HEADER + rest)
    (line,) = lines_of(capsys)
    assert "nothing is required of the output at" in line
    assert "that could be read from the code (" in line


def test_what_nothing_checks_is_said_with_the_first_answer(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("knitbone.adaptation.repair.positional.prepare", lambda _: None)
    plan = from_a_file(tmp_path, HEADER + WAYS["behind a helper"])["plan"]
    assert lines_of(capsys) == []
    for _ in range(2):
        assert plan("x") == []
    (line,) = lines_of(capsys)
    assert "app.plan: nothing is adapted: nothing checks what is required of the output at" in line


def test_what_nothing_checks_beside_something_else_needs_no_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("knitbone.adaptation.repair.positional.prepare", lambda _: None)
    rest = "@knitbone.adapt\ndef plan(goal):\n    json.loads(str(goal))\n    return parse(ask(goal)), json.loads(ask(goal))\n"
    plan = from_a_file(tmp_path, HEADER.replace('"1) a\\n2: b\\n3 - c"', '"[1,]"') + rest)["plan"]
    assert plan(1) == ([], [1])
    assert lines_of(capsys) == []
    assert len(report().functions[-1].required) == 1


QUIET = {
    "environment": ("", {"KNITBONE_ADAPT_QUIET": "1"}),
    "argument": ("(quiet=True)", {}),
    "disabled": ("", {"KNITBONE_DISABLED": "1"}),
}


@pytest.mark.parametrize("how", QUIET)
def test_the_line_can_be_silenced(tmp_path, capsys, monkeypatch, how):
    argument, environment = QUIET[how]
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    way = WAYS["unmarked wrapper"].replace("adapt\n", f"adapt{argument}\n")
    from_a_file(tmp_path, HEADER + way)
    assert lines_of(capsys) == []
    assert bool(report().functions) == (how != "disabled")


def test_the_line_can_be_silenced_in_the_configuration(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.knitbone.adapt]\nquiet = true\n")
    from_a_file(tmp_path, HEADER + WAYS["unmarked wrapper"])
    assert lines_of(capsys) == []


def test_what_a_comment_switches_off_needs_no_line(tmp_path, capsys):
    source = (
        HEADER
        + "@knitbone.adapt\ndef plan(goal):\n    return parse(ask(goal))  # knitbone: ignore\n"
    )
    for loader in (from_a_file, from_a_notebook):
        assert loader(tmp_path, source)["plan"]("x") == []
    assert lines_of(capsys) == []
    assert "comment" in report().functions[0].reason


def test_a_class_says_one_line_for_all_its_methods(tmp_path, capsys):
    many = "".join(f"    def name{n}(self):\n        return 'x'\n" for n in range(9))
    from_a_file(tmp_path, HEADER + "@knitbone.adapt\nclass Planner:\n" + many)
    (line,) = lines_of(capsys)
    assert "app.Planner: nothing is adapted" in line


def test_the_same_line_is_said_once(tmp_path, capsys):
    for _ in range(3):
        from_a_file(tmp_path, HEADER + WAYS["unmarked wrapper"])
    assert len(lines_of(capsys)) == 1


def test_child_processes_do_not_say_it_again(tmp_path):
    start = (
        "if __name__ == '__main__':\n"
        "    import multiprocessing, os, subprocess, sys\n"
        "    for kind in ('spawn', 'fork', 'forkserver'):\n"
        "        process = multiprocessing.get_context(kind).Process(target=plan, args=('x',))\n"
        "        process.start(); process.join()\n"
        "        assert process.exitcode == 0\n"
        "    subprocess.run([sys.executable, '-c', 'import app'], check=True)\n"
        "    print('done')\n"
    )
    (tmp_path / "app.py").write_text(HEADER + WAYS["unmarked wrapper"] + start, encoding="utf-8")
    keep = {k: v for k, v in os.environ.items() if "KNITBONE" not in k}
    done = subprocess.run(
        [sys.executable, "app.py"], cwd=tmp_path, env={**keep, "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert done.stdout == "done\n"
    assert done.stderr.startswith("knitbone: app.py:12 __main__.plan: nothing is adapted")
    assert done.stderr.count("\n") == 1, done.stderr


class _Broken:
    def write(self, _text):
        raise OSError("nobody reads this")


@pytest.mark.parametrize("stream", [None, _Broken()], ids=["none", "broken"])
def test_a_standard_error_that_cannot_be_written_does_not_matter(tmp_path, monkeypatch, stream):
    monkeypatch.setattr(sys, "stderr", stream)
    assert from_a_file(tmp_path, HEADER + WAYS["unmarked wrapper"])["plan"]("x") == []


def test_the_summary_is_public_and_names_every_decorated_function(tmp_path):
    for name in ("plain", "unmarked wrapper"):
        from_a_file(tmp_path, HEADER + WAYS[name])
    functions = knitbone.summary().functions
    assert [(one.name, one.outputs, one.required) for one in functions] == [("app.plan", (), ())]
    space = from_a_notebook(tmp_path, HEADER + WAYS["plain"])
    space["plan"]("x")
    *_, last = knitbone.summary().functions
    (place,) = last.required
    assert place.endswith(":14:18")
    assert (last.name, last.outputs, last.reason) == ("__main__.plan", (place,), "")
    assert knitbone.summary().sites[-1].repaired == 1


def test_a_cell_that_awaits_is_adapted(tmp_path, capsys):
    plan = from_a_notebook(tmp_path, "import asyncio\nawait asyncio.sleep(0)\n" + HEADER + WAYS["behind a helper"])["plan"]  # fmt: skip
    assert plan("x") == TASKS
    assert lines_of(capsys) == []


def test_a_cell_after_a_change_of_folder_is_adapted(tmp_path, capsys, monkeypatch):
    plan = from_a_notebook(tmp_path, HEADER + WAYS["behind a helper"])["plan"]
    monkeypatch.chdir(tmp_path)
    assert plan("x") == TASKS
    assert lines_of(capsys) == []


def test_a_cell_imports_from_the_current_folder(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "never_silent_models.py").write_text(HEADER, encoding="utf-8")
    cell = "import knitbone\nfrom never_silent_models import ask, parse\n" + WAYS["plain"]
    for name in ("<cell-{}>", "/nowhere/{}.py"):  # the second is how Jupyter calls cells
        assert from_a_notebook(tmp_path, cell, name)["plan"]("x") == TASKS
    assert lines_of(capsys) == []
    del sys.modules["never_silent_models"]


def test_a_cell_below_another_cells_future_import_is_adapted(tmp_path):
    source = HEADER + WAYS["behind a helper"].replace("(goal):", "(goal: 'str'):")
    name = f"<cell-{tmp_path.name}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    space = {"__name__": "__main__"}
    flags = __future__.annotations.compiler_flag
    exec(compile(source, name, "exec", flags, dont_inherit=True), space)
    assert space["plan"]("x") == TASKS
