"""``@knitbone.adapt`` on functions of every kind, as an application runs them."""
# ruff: noqa: E501 - sources of applications and answers of models as they are

import asyncio
import inspect
import re
import sys
import threading
from pathlib import Path

import pytest
from recorded_block import record_run

import knitbone
from knitbone.adaptation import report
from knitbone.common.hooks import Stage, register
from knitbone.errors import ConfigError, RequirementViolation
from knitbone.record.sqlite_store import SqliteStore

DRIFTED = "1) a\n2: b\n3 - c"
HEADER = """
import asyncio, functools, re
import knitbone
ANSWER = "1) a\\n2: b\\n3 - c"
SEEN = []
@knitbone.source
def ask(prompt):
    return ANSWER
@knitbone.source
async def ask_later(prompt):
    await asyncio.sleep(0)
    return ANSWER
def parse(text):
    SEEN.append(text)
    return re.findall(r"^\\d+\\.\\s+(.*)$", text, re.M)
"""


async def collect(stream):
    return [item async for item in stream]


KINDS = {
    "function": (
        "@knitbone.adapt\ndef plan(goal):\n    return parse(ask(goal))\n",
        lambda app: app.plan("x"),
    ),
    "nested call": (
        "@knitbone.adapt\ndef plan(goal):\n    return outer(goal)\n"
        "def outer(goal):\n    return inner(goal)\n"
        "def inner(goal):\n    text = ask(goal)\n    return parse(text)\n",
        lambda app: app.plan("x"),
    ),
    "coroutine": (
        "@knitbone.adapt\nasync def plan(goal):\n    text = await ask_later(goal)\n    return parse(text)\n",
        lambda app: asyncio.run(app.plan("x")),
    ),
    "generator": (
        "@knitbone.adapt\ndef plan(goal):\n    yield from parse(ask(goal))\n",
        lambda app: list(app.plan("x")),
    ),
    "async generator": (
        "@knitbone.adapt\nasync def plan(goal):\n    for task in parse(await ask_later(goal)):\n        yield task\n",
        lambda app: asyncio.run(collect(app.plan("x"))),
    ),
    "method with super()": (
        "class Base:\n    def ask(self, goal):\n        return ask(goal)\n"
        "class Agent(Base):\n    @knitbone.adapt\n    def plan(self, goal):\n"
        "        text = super().ask(goal)\n        return self._parse(text)\n"
        "    def _parse(self, text):\n        return parse(text)\n",
        lambda app: app.Agent().plan("x"),
    ),
    "class method": (
        "class Agent:\n    @classmethod\n    @knitbone.adapt\n    def plan(cls, goal):\n        return parse(ask(goal))\n",
        lambda app: app.Agent.plan("x"),
    ),
    "static method, decorated outside": (
        "class Agent:\n    @knitbone.adapt\n    @staticmethod\n    def plan(goal):\n        return parse(ask(goal))\n",
        lambda app: app.Agent.plan("x"),
    ),
    "closure": (
        "def make(prefix):\n    @knitbone.adapt\n    def plan(goal):\n        return parse(ask(prefix + goal))\n    return plan\nplan = make('p')\n",
        lambda app: app.plan("x"),
    ),
    "behind another decorator": (
        "def twice(f):\n    @functools.wraps(f)\n    def run(*a):\n        f(*a)\n        return f(*a)\n    return run\n"
        "@knitbone.adapt\n@twice\ndef plan(goal):\n    return parse(ask(goal))\n",
        lambda app: app.plan("x"),
    ),
    "cached helper": (
        "@functools.lru_cache\ndef inner(goal):\n    return tuple(parse(ask(goal)))\n"
        "@knitbone.adapt\ndef plan(goal):\n    return list(inner(goal))\n",
        lambda app: app.plan("x"),
    ),
    "comprehension": (
        "@knitbone.adapt\ndef plan(goal):\n    return [t for text in [ask(goal)] for t in parse(text)]\n",
        lambda app: app.plan("x"),
    ),
    "function in a function": (
        "@knitbone.adapt\ndef plan(goal):\n    def inner():\n        return parse(ask(goal))\n    return inner()\n",
        lambda app: app.plan("x"),
    ),
    "lambda helper": (
        "@knitbone.adapt\ndef plan(goal):\n    get = lambda g: parse(ask(g))\n    return get(goal)\n",
        lambda app: app.plan("x"),
    ),
    "helper with a docstring and defaults": (
        '@knitbone.adapt\ndef plan(goal="x", *, mode: str = "y"):\n    """Doc."""\n    return helper(goal)\n'
        'def helper(goal):\n    "Doc."\n    return parse(ask(goal))\n',
        lambda app: app.plan(),
    ),
    "property": (
        "class Agent:\n    @property\n    @knitbone.adapt\n    def tasks(self):\n        return parse(ask('x'))\n",
        lambda app: app.Agent().tasks,
    ),
    "property, decorated outside": (
        "class Agent:\n    @knitbone.adapt\n    @property\n    def tasks(self):\n        return parse(ask('x'))\n",
        lambda app: app.Agent().tasks,
    ),
    "class": (
        "@knitbone.adapt\nclass Agent:\n    limit = 3\n    def plan(self, goal):\n        return parse(self.fetch(goal))\n"
        "    @staticmethod\n    def fetch(goal):\n        return ask(goal)\n",
        lambda app: app.Agent().plan("x"),
    ),
    "helper kept in a registry by a decorator that does not say so": (
        "TOOLS = {}\ndef tool(f):\n    TOOLS[f.__name__] = f\n"
        "@tool\ndef inner(goal):\n    return parse(ask(goal))\n"
        "@knitbone.adapt\ndef plan(goal):\n    helper(goal)\n    return TOOLS['inner'](goal)\n"
        "def helper(goal):\n    if goal is None:\n        inner(goal)\n",
        lambda app: app.plan("x"),
    ),
    "asyncio.run inside": (
        "async def work(goal):\n    return parse(await ask_later(goal))\n"
        "@knitbone.adapt\ndef plan(goal):\n    return asyncio.run(work(goal))\n",
        lambda app: app.plan("x"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_no_task_is_lost(load, kind):
    source, run = KINDS[kind]
    app = load(HEADER + source)
    assert run(app) == ["a", "b", "c"]
    assert run(app) == ["a", "b", "c"]
    assert not [name for name in report().untouched if name.startswith(app.__name__)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_conforming_answer_arrives_as_the_same_object(load, kind):
    source, run = KINDS[kind]
    app = load(HEADER + source)
    app.ANSWER = "".join(["1. a\n", "2. b"])
    assert run(app) == ["a", "b"]
    assert all(seen is app.ANSWER for seen in app.SEEN)


@pytest.mark.parametrize("kind", KINDS)
def test_observe_changes_nothing_and_reports(load, kind, monkeypatch):
    monkeypatch.setenv("KNITBONE_ADAPT_MODE", "observe")
    source, run = KINDS[kind]
    app = load(HEADER + source)
    assert run(app) == []
    assert all(seen is app.ANSWER for seen in app.SEEN)
    (first, *_) = report().adaptations
    assert (first.action, first.before, first.after) == ("observed", DRIFTED, "1. a\n2. b\n3. c")


@pytest.mark.parametrize("kind", KINDS)
def test_disabled_runs_as_if_the_decorator_were_not_there(load, kind, monkeypatch):
    monkeypatch.setenv("KNITBONE_DISABLED", "1")
    source, run = KINDS[kind]
    app = load(HEADER + source)
    assert run(app) == []
    assert report().sites == ()


def test_disabled_after_the_import_takes_effect_at_once(load, monkeypatch):
    app = load(HEADER + KINDS["function"][0])
    assert app.plan("x") == ["a", "b", "c"]
    monkeypatch.setenv("KNITBONE_DISABLED", "1")
    assert app.plan("x") == []


def test_strict_raises_a_violation_that_names_site_and_requirement(load):
    app = load(HEADER + KINDS["function"][0].replace("adapt\n", "adapt(mode='strict')\n"))
    message = r'(?s)one record a line: <number> "\." <text>.*a repair would be: delimiter'
    with pytest.raises(RequirementViolation, match=message):
        app.plan("x")
    app.ANSWER = "1. a"
    assert app.plan("x") == ["a"]


def test_the_decorated_function_is_the_same_object_with_its_signature_and_lines(load):
    app = load(HEADER + KINDS["helper with a docstring and defaults"][0])
    before = (app.plan.__name__, app.plan.__doc__, str(inspect.signature(app.plan)))
    line = app.plan.__code__.co_firstlineno
    app.plan()
    assert (app.plan.__name__, app.plan.__doc__, str(inspect.signature(app.plan))) == before
    assert before == ("plan", "Doc.", "(goal='x', *, mode: str = 'y')")
    assert app.plan.__code__.co_firstlineno == line
    assert inspect.getsource(app.plan).startswith("@knitbone.adapt")
    assert knitbone.adapt(app.helper) is app.helper


def test_tracebacks_and_traces_show_the_lines_of_the_source(load):
    source = HEADER + (
        "@knitbone.adapt\ndef plan(goal):\n    text = ask(\n        goal\n    )\n    parse(text)\n    return 1 / 0\n"
    )
    app = load(source)
    lines = []

    def trace(frame, event, arg):
        if frame.f_code.co_name == "plan" and event == "line":
            lines.append(frame.f_lineno)
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        with pytest.raises(ZeroDivisionError) as caught:
            app.plan("x")
    finally:
        sys.settrace(previous)
    first = app.plan.__code__.co_firstlineno
    assert caught.traceback[-1].lineno + 1 == first + 6
    assert {line - first for line in lines} <= {2, 3, 4, 5, 6}


def test_every_adaptation_is_explained_counted_and_recorded(load, tmp_path):
    app = load(HEADER + KINDS["function"][0])
    store = SqliteStore(tmp_path / "runs.sqlite")
    with record_run(store, name="test") as recorder:
        app.plan("x")
    (event,) = store.get(recorder.run_id).events
    store.close()
    assert (event.action, event.before, event.after) == ("repaired", DRIFTED, "1. a\n2. b\n3. c")
    assert event.requirement == 'one record a line: <number> "." <text>'
    assert event.site == f"{app.__file__}:18"
    assert "re.findall" in event.evidence
    assert event.rules == (
        'delimiter ")" -> "." in 1 record',
        'delimiter ":" -> "." in 1 record',
        'delimiter "-" -> "." in 1 record',
    )
    (counts,) = report().sites
    assert (counts.answers, counts.repaired) == (1, 1)
    assert report().adaptations == (event,)


def test_a_refusal_is_recorded_and_the_original_passed_on(load):
    app = load(HEADER + KINDS["function"][0])
    app.ANSWER = "I cannot do that."
    assert app.plan("x") == []
    assert app.SEEN[-1] is app.ANSWER
    (event,) = report().adaptations
    assert (event.action, event.after) == ("refused", None)
    assert event.reason


def test_capture_sees_what_the_model_said_and_supervise_what_the_application_gets(load):
    app = load(HEADER + KINDS["function"][0])
    seen = []
    with (
        register(Stage.SUPERVISE, lambda v, s: seen.append(("after", v, str(s))) or v),
        register(Stage.CAPTURE, lambda v, s: seen.append(("before", v, str(s))) or v),
    ):
        app.plan("x")
    where = f"{app.__file__}:18"
    assert seen == [("before", DRIFTED, where), ("after", "1. a\n2. b\n3. c", where)]


def test_a_subclass_of_str_is_adapted_and_keeps_its_type(load):
    app = load(
        HEADER.replace("return ANSWER", "return Text(ANSWER)")
        + "class Text(str): pass\n"
        + KINDS["function"][0]
    )
    assert app.plan("x") == ["a", "b", "c"]
    assert type(app.SEEN[0]) is app.Text


def test_values_without_text_pass_untouched_and_are_counted(load):
    app = load(HEADER + "answer = object()\n" + KINDS["function"][0])
    app.parse = app.SEEN.append
    app.ANSWER = app.answer
    app.plan("x")
    assert app.SEEN[0] is app.answer
    assert report().sites[0].unknown == 1


def test_an_internal_error_passes_the_original_on(load, monkeypatch):
    app = load(HEADER + KINDS["function"][0])

    def fail(*_, **__):
        raise RuntimeError("ours")

    monkeypatch.setattr("knitbone.adaptation.repair.positional.list_lines.adapt_text", fail)
    assert app.plan("x") == []
    (event,) = report().adaptations
    assert (event.action, event.reason) == ("failed", "RuntimeError('ours')")


@pytest.mark.parametrize("target", [len, "text", 3, int, lambda x: x, eval("lambda: 1")])
def test_what_cannot_be_instrumented_is_returned_as_it_is_with_the_reason(target):
    assert knitbone.adapt(target) is target


def test_source_that_changed_after_the_import_is_never_used(load):
    app = load(HEADER + "def plan(goal):\n    return parse(ask(goal))\n")
    path = Path(app.__file__)
    text = path.read_text()
    path.write_text(text.replace("return parse(ask(goal))", "return ['invented'], ask(goal)"))
    assert knitbone.adapt(app.plan) is app.plan
    assert app.plan("x") == []
    reason = report().untouched[f"{app.__name__}.plan"]
    assert reason == "its source is not the one that is running (edited since, or rewritten)"


def test_code_without_a_source_file_runs_untouched():
    names = {"knitbone": knitbone, "re": re}
    exec("@knitbone.adapt\ndef plan():\n    return re.findall('a', 'a')\n", names)
    assert names["plan"]() == ["a"]


def test_a_wrong_mode_is_an_error_where_it_is_written():
    with pytest.raises(ConfigError, match="mode"):
        knitbone.adapt(mode="loud")


def test_a_mode_without_its_name_is_an_error_where_it_is_written():
    with pytest.raises(ConfigError, match=r"Write @knitbone\.adapt\(mode='observe'\)"):
        knitbone.adapt("observe")


def test_modules_that_are_loaded_later_are_instrumented_when_they_are_there(
    load, tmp_path, monkeypatch
):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "later_helper.py").write_text(
        HEADER + "def work(goal):\n    return parse(ask(goal))\n", encoding="utf-8"
    )
    app = load(
        "import knitbone\n@knitbone.adapt\ndef plan(goal):\n    import later_helper\n    return later_helper.work(goal)\n"
    )
    assert app.plan("x") == ["a", "b", "c"]  # the module is loaded inside the first call
    assert app.plan("x") == ["a", "b", "c"]
    assert sys.modules.pop("later_helper").__spec__.origin == str(tmp_path / "later_helper.py")


def test_first_calls_from_many_threads_lose_no_task(load):
    app = load(HEADER + KINDS["nested call"][0])
    results = []
    barrier = threading.Barrier(8)

    def work():
        barrier.wait()
        results.append(app.plan("x"))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [["a", "b", "c"]] * 8


def test_annotations_stay_strings_under_the_future_import(load):
    app = load(
        "from __future__ import annotations\n"
        + HEADER
        + "@knitbone.adapt\ndef plan(goal: Nowhere) -> list[Nowhere]:\n"
        "    def inner(x: AlsoNowhere): return x\n    return inner(parse(ask(goal)))\n"
    )
    assert app.plan("x") == ["a", "b", "c"]
    assert app.plan.__annotations__ == {"goal": "Nowhere", "return": "list[Nowhere]"}


SHAPES = {
    "str.strip mapped over the lines": """
        rows = list(filter(None, map(str.strip, ask(goal).split("\\n"))))
        return [re.sub(r"^\\d+\\. ", "", r) for r in rows if re.match(r"^\\d+\\. ", r)]""",
    "babyagi's split": """
        tasks = []
        response = ask(goal)
        for task_string in response.split("\\n") if "\\n" in response else [response]:
            task_parts = task_string.strip().split(".", 1)
            if len(task_parts) == 2:
                task_id = task_parts[0].strip()
                tasks.append(task_parts[1].strip())
        return tasks""",
    "two splits in a comprehension": """
        return [x.split(". ")[1] for x in ask(goal).split("\\n") if x.split(".")[0].isdigit()]""",
    "lambda that parses": """
        read = lambda text: re.findall(r"^\\d+\\.\\s+(.*)$", text, re.M)
        return read(ask(goal))""",
    "tuple unpacked": """
        def both(): return ask(goal), 7
        text, usage = both()
        return [name for _, name in re.findall(r"(\\d+)\\.\\s+(.*)", text)]""",
    "verbose pattern with named groups": """
        row = re.compile(r"^ \\s* (?P<n>\\d+) \\. \\s+ (?P<name>.+?) \\s* $  # a row", re.X)
        found = (row.search(line) for line in ask(goal).splitlines())
        return [m["name"] for m in found if m]""",
    "task words": """
        found = {}
        for line in ask(goal).splitlines():
            m = re.match(r"Task (\\d+): (.+)", line.strip())
            if not m:
                continue
            found[int(m.group(1))] = m.group(2)
        return list(found.values())""",
    "first character tested": """
        return [l.split(". ", 1)[1] for l in ask(goal).splitlines() if l and l[0].isdigit()]""",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_parsers_as_users_write_them_lose_no_task(load, shape):
    app = load(HEADER + "@knitbone.adapt\ndef plan(goal):" + SHAPES[shape] + "\n")
    assert app.plan("x") == ["a", "b", "c"]


def test_gathered_answers_are_adapted_where_they_are_extracted(load):
    app = load("""
        import asyncio, re, types, knitbone
        message = types.SimpleNamespace(content="1) a\\n2: b\\n3 - c")
        reply = types.SimpleNamespace(choices=[types.SimpleNamespace(message=message)])
        class Completions:
            async def create(self, *, model, messages):
                return reply
        completions = Completions()
        client = types.SimpleNamespace(chat=types.SimpleNamespace(completions=completions))
        async def ask(prompt):
            answer = await client.chat.completions.create(model="m", messages=[])
            return answer.choices[0].message.content
        @knitbone.adapt
        async def plan(goals):
            texts = await asyncio.gather(*[ask(goal) for goal in goals])
            return [re.findall(r"^\\d+\\.\\s+(.*)$", text, re.M) for text in texts]
    """)
    assert asyncio.run(app.plan("xy")) == [["a", "b", "c"]] * 2


def test_disabled_does_not_even_read_the_configuration(load, monkeypatch):
    monkeypatch.setenv("KNITBONE_ADAPT_MODE", "loud")
    monkeypatch.setenv("KNITBONE_DISABLED", "1")
    app = load(HEADER + KINDS["function"][0])
    assert app.plan("x") == []


SUBCLASS = """
    import json
    import knitbone

    class Marked(str):
        pass

    def model(text):
        answer = Marked(text)
        answer.mark = 3
        return answer

    @knitbone.source
    def ask(answer):
        return answer

    @knitbone.adapt
    def number(answer):
        text = ask(answer)
        return text, json.loads(text)["n"]
"""


def test_a_subclass_of_str_is_read_repaired_and_keeps_its_class_and_attributes(load):
    app = load(SUBCLASS)
    right, wrong = app.model('{"n": 1}'), app.model('{"n": 1,}')
    assert app.number(right)[0] is right
    text, number = app.number(wrong)
    assert (type(text), text, text.mark, number) == (app.Marked, '{"n": 1}', 3, 1)
    (site,) = report().sites
    assert (site.conforming, site.repaired, site.failed) == (1, 1, 0)
