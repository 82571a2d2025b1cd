"""What tools see of instrumented code: debuggers, coverage, tracebacks, pickles, documentation."""

import bdb
import importlib
import inspect
import json
import marshal
import pickle
import subprocess
import sys
import traceback
from types import ModuleType

import pytest
from test_adapt_decorator import HEADER
from test_launcher import environment, launched, plainly, write

import knitbone
from knitbone.adaptation.testing import plan_of_unit, run_instrumented

__all__ = ["environment"]  # a fixture

SOURCE = (
    HEADER
    + '''
class Agent:
    """Plans."""

    @knitbone.adapt
    def plan(self, goal: str, *, limit: int = 3) -> list:
        """Plan it."""
        text = ask(
            goal
        )
        tasks = parse(text)
        if goal == "fail":
            raise ValueError(ask(goal) + 1)
        return tasks[:limit]


@knitbone.adapt
def stream(goal):
    for task in parse(ask(goal)):
        yield task
'''
)
PLAIN = SOURCE.replace("@knitbone.adapt\n", "@(lambda f: f)\n")


@pytest.fixture(params=["decorator", "launcher"])
def apps(request, load, tmp_path, monkeypatch):
    """The same application plain and instrumented, one way or the other."""
    if request.param == "decorator":
        app = load(SOURCE, "seen_app")
        app.Agent().plan("x")
        yield load(PLAIN, "plain_app"), app
        return
    from knitbone.adaptation.runtime.instrument import importer
    from knitbone.adaptation.runtime.instrument.launch import _Launched

    monkeypatch.setattr(importer, "_scopes", [])
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.syspath_prepend(tmp_path / "launched")
    write(tmp_path / "launched", seen_app=PLAIN)
    units = [[str(tmp_path / "launched")]]
    importer.adopt_imports(_Launched({"units": units, "packages": [], "adapt": {}}))
    app = importlib.import_module("seen_app")
    yield load(PLAIN, "plain_app"), app
    sys.modules.pop("seen_app", None)


def lines_of(app, call):
    """The lines that a tracer sees in the application, in order, with what it calls them."""
    seen = []

    def trace(frame, event, _):
        if frame.f_code.co_filename != app.__file__:
            return None
        seen.append((event, frame.f_code.co_name, frame.f_lineno))
        return trace

    previous = sys.gettrace()
    sys.settrace(trace)
    try:
        call(app)
    finally:
        sys.settrace(previous)
    return seen


def test_it_is_instrumented(apps):
    plain, app = apps
    assert plain.Agent().plan("x") == []
    assert app.Agent().plan("x") == list(app.stream("x")) == ["a", "b", "c"]


@pytest.mark.parametrize("call", ["plan", "stream"])
def test_a_tracer_and_so_coverage_sees_the_same_lines(apps, call):
    plain, app = apps
    plain.ANSWER = app.ANSWER = "1. a\n2. b"
    calls = {"plan": lambda m: m.Agent().plan("x"), "stream": lambda m: list(m.stream("x"))}
    list(app.stream("x"))
    seen = lines_of(app, calls[call])
    assert seen == lines_of(plain, calls[call])
    assert len(seen) > 5


def test_tracebacks_are_the_same(apps):
    texts = []
    for app in apps:
        with pytest.raises(TypeError) as caught:
            app.Agent().plan("fail")
        frames = traceback.extract_tb(caught.tb)[1:]
        texts.append([(f.lineno, f.name, f.line) for f in frames])
    assert texts[0] == texts[1]
    assert texts[0][0][1] == "plan"


def test_breakpoints_stop_at_their_line(apps):
    stops = []

    class Debugger(bdb.Bdb):
        def user_line(self, frame):
            if self.break_here(frame):
                stops.append((frame.f_lineno, frame.f_locals.get("text")))
            self.set_continue()

    _, app = apps
    lines = inspect.getsource(app).splitlines()
    line = 1 + next(n for n, text in enumerate(lines) if "tasks = parse(text)" in text)
    debugger = Debugger()
    assert debugger.set_break(app.__file__, line) is None
    previous = sys.gettrace()
    try:
        debugger.runcall(app.Agent().plan, "x")
    finally:
        sys.settrace(previous)
    assert stops == [(line, "1. a\n2. b\n3. c")]


def test_signature_name_documentation_and_source_are_the_same(apps):
    plain, app = apps
    for one, other in ((plain.Agent.plan, app.Agent.plan), (plain.stream, app.stream)):
        assert inspect.signature(one) == inspect.signature(other)
        assert (one.__name__, one.__qualname__, one.__doc__) == (
            (other.__name__, other.__qualname__, other.__doc__)
        )
        assert one.__code__.co_firstlineno == other.__code__.co_firstlineno
        assert one.__code__.co_varnames == other.__code__.co_varnames
        assert one.__code__.co_flags == other.__code__.co_flags
    if "launched" in app.__file__:
        assert inspect.getsource(plain.Agent) == inspect.getsource(app.Agent)
    assert inspect.isgeneratorfunction(app.stream)


def test_functions_and_instances_are_pickled_by_name(apps):
    _, app = apps
    assert pickle.loads(pickle.dumps(app.stream)) is app.stream
    assert pickle.loads(pickle.dumps(app.Agent().plan))("x") == ["a", "b", "c"]


def test_the_module_shows_no_new_public_name(apps):
    plain, app = apps
    assert set(dir(app)) - set(dir(plain)) <= {"__knitbone_deliver__", "__knitbone_enter__"}


def test_code_that_travels_to_a_process_that_does_not_know_it_runs_untouched(load, tmp_path):
    app = load(SOURCE, "travelling_app")
    list(app.stream("x"))
    code = marshal.dumps(app.stream.__code__)
    script = (
        "import marshal, sys, types\n"
        "from knitbone.adaptation.runtime import delivery\n"
        "names = {'__knitbone_deliver__': delivery, 'ask': str, 'parse': list}\n"
        "code = marshal.loads(sys.stdin.buffer.read())\n"
        "print(list(types.FunctionType(code, names)('xy')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=code, capture_output=True, check=False
    )
    assert done.stdout == b"['x', 'y']\n", done.stderr


def test_pdb_works_under_the_launcher(tmp_path, environment):
    write(tmp_path, app=PLAIN + "\nif __name__ == '__main__':\n    print(Agent().plan('x'))\n")
    source = (tmp_path / "app.py").read_text().splitlines()
    line = 1 + next(n for n, text in enumerate(source) if "tasks = parse(text)" in text)
    write(tmp_path, start="import app\nprint(app.Agent().plan('x'))\n")
    command = [sys.executable, "-m", "pdb", "-c", f"break app.py:{line}", "-c", "continue"]
    done, _ = launched(
        tmp_path, environment, *command, "start.py", input="p text\nclear 1\ncontinue\nquit\n"
    )
    assert "'1. a\\n2. b\\n3. c'" in done.stdout, done.stdout + done.stderr
    assert "-> tasks = parse(text)" in done.stdout


def test_coverage_by_trace_module_is_the_same_under_the_launcher(tmp_path, environment):
    write(tmp_path, app=PLAIN.replace("1) a\\n2: b\\n3 - c", "1. a\\n2. b"))
    write(tmp_path, start="import app\nprint(app.Agent().plan('x'), list(app.stream('x')))\n")
    script = (
        "import json, runpy, trace\n"
        "tracer = trace.Trace(count=1, trace=0)\n"
        "tracer.runfunc(runpy.run_path, 'start.py')\n"
        "counts = tracer.results().counts\n"
        "print(json.dumps(sorted((f, n, c) for (f, n), c in counts.items() if 'app.py' in f)))\n"
    )
    plain = plainly(tmp_path, environment, sys.executable, "-c", script)
    done, report = launched(tmp_path, environment, sys.executable, "-c", script)
    assert done.stdout == plain.stdout
    assert len(json.loads(done.stdout.splitlines()[-1])) > 10
    assert report["executed"]


def test_a_decorated_class_is_the_same_class_and_foreign_methods_stay():
    class Base:
        def plan(self):
            return 1

    class Agent(Base):
        value = len

    before = Base.plan.__code__
    assert knitbone.adapt(Agent) is Agent
    assert Base.plan.__code__ is before


LOOP = """
class Client:
    responses = property(lambda self: self)
    output_text = "x"

    def create(self, **_):
        return self


def refine(draft):
    for _ in range(3):
        draft = OpenAI().responses.create(
            model="m",
            input=f"Improve {draft}",
        ).output_text
    return draft
"""


def test_a_tracer_sees_the_same_lines_of_a_loop_that_may_end_early(tmp_path):
    path = tmp_path / "app.py"
    source = "from openai import OpenAI\n" + LOOP
    path.write_text(source, encoding="utf-8")
    seen = []
    for sites in ((), plan_of_unit([path]).sites):
        app = ModuleType("app")
        app.__dict__["__file__"] = str(path)
        run_instrumented(source, path, sites, app.__dict__)
        app.OpenAI = app.Client
        seen.append(lines_of(app, lambda module: module.refine("a")))
    assert seen[0] == seen[1]
    assert "ends_iterations" in app.refine.__code__.co_names
