"""What is recorded: operations, arguments, places, state; and what never is."""

from __future__ import annotations

import asyncio
import builtins
import importlib
import itertools
import json
import sys
import textwrap
import threading

import pytest

from knitbone.adaptation.learning.taint import (
    Scope,
    Tree,
    Varying,
    mark_of,
    taint,
    watching,
)
from knitbone.adaptation.learning.taint import marks as marks_module
from knitbone.adaptation.learning.taint.call_watch import forget_objects
from knitbone.adaptation.learning.taint.tainted_kinds import MAX_LENGTH

numbers = itertools.count()


@pytest.fixture
def app(tmp_path, monkeypatch):
    """Write a module and import it, watched; returns the module and a maker of tainted values."""
    monkeypatch.syspath_prepend(str(tmp_path))
    scope = Scope([tmp_path])

    class App:
        def __init__(self):
            self.tree = Tree("test", scope)

        def load(self, source):
            name = f"watched_{next(numbers)}"
            (tmp_path / f"{name}.py").write_text(textwrap.dedent(source), encoding="utf-8")
            importlib.invalidate_caches()
            self.module = importlib.import_module(name)
            return self.module

        def taint(self, value):
            self.answer = self.tree.answer()
            return taint(value, self.answer.mark())

        def chains(self):
            """Every way from the output to an operation with nothing below it."""

            def below(node):
                if not node.children:
                    return [[]]
                return [
                    [said(child.operation), *rest]
                    for child in node.children.values()
                    for rest in below(child)
                ]

            return [" ".join(chain) for chain in below(self.tree.root)]

    with watching(scope):
        yield App()
    forget_objects()


def said(operation):
    def show(value):
        return f"<{value.expression}>" if isinstance(value, Varying) else repr(value)

    shown = [show(value) for value in operation.arguments]
    shown += [f"{key}={show(value)}" for key, value in operation.keywords]
    return f"{operation.name}({', '.join(shown)})"


EXPRESSIONS = [
    ("json.loads(s)['a'][0]", '{"a": ["1"]}', "json.loads() getitem('a') getitem(0)"),
    ("int(json.loads(s).get('n', 0))", '{"n": "1"}', "json.loads() .get('n', 0) int()"),
    ("[float(x) for x in s.split(',')]", "1,2", ".split(',') iterate() float()"),
    ("PATTERN.findall(s)", "1. a", r"re.findall('^\\d+\\. (.*)$', 8)"),
    ("[t.strip() for t in PATTERN.findall(s)]", "1. a",
     r"re.findall('^\\d+\\. (.*)$', 8) iterate() .strip()"),
    ("re.search(r'(\\w)', s, flags=re.I).group(1).upper()", "a",
     r"re.search('(\\w)', flags=2) .group(1) .upper()"),
    ("re.match('(.)(.)', s)[2].lower()", "ab", "re.match('(.)(.)') getitem(2) .lower()"),
    ("[m.group() + '!' for m in re.finditer('.', s)]", "ab",
     "re.finditer('.') iterate() .group() concat('', '!')"),
    ("[a + 'x' for a, b in re.findall('(.)(.)', s)]", "ab",
     "re.findall('(.)(.)') iterate() unpack(0, 2) concat('', 'x')"),
    ("exec(s.strip(), {})", "x = 1", ".strip() exec(<{}>)"),
    ("eval(f'{s}\\n')", "1", "format('', '\\n') eval()"),
    ("ast.parse(s, mode='eval')", "1", "ast.parse(mode='eval')"),
    ("database(lambda c: c.cursor().execute(s))", "select 1",
     "sqlite3.connect().cursor().execute()"),
    ("database(lambda c: c.execute(s))", "select 1", "sqlite3.connect().execute()"),
    ("ET.fromstring(s).find('a').text.strip()", "<r><a>x</a></r>",
     "xml.etree.ElementTree.XML() .find('a') getattr('text') .strip()"),
    ("[r['n'] for r in csv.DictReader(io.StringIO(s))]", "n\n1",
     "io.StringIO() csv.DictReader() iterate() getitem('n')"),
    ("datetime.datetime.strptime(s, '%Y')", "2024", "datetime.datetime.strptime('%Y')"),
    ("decimal.Decimal(s)", "1", "decimal.Decimal()"),
    ("list(map(int, s.split()))", "1 2", ".split() iterate() int()"),
    ("READERS[s.strip()]", "b", ".strip() in(('a', 'b'))"),
    ("READERS.get(s)", "b", "in(('a', 'b'))"),
    ("s.lower() in {'yes', 'no'}", "Yes", ".lower() in(('no', 'yes'))"),
    ("s not in ('a', 'b')", "a", "in(('a', 'b'))"),
    ("s == 'done'", "x", "eq('done')"),
    ("'done' == s", "x", "eq('done')"),
    ("s == library('other')", "x", "eq(<library('other')>)"),
    ("s == DONE", "x", "eq('done')"),
    ("'```' in s", "x", "contains('```')"),
    ("s.partition(':')[2].strip()", "a: b", ".partition(':') getitem(2) .strip()"),
    ("s[3:].strip()", "1. a", "slice(3, None, None) .strip()"),
    ("s[s.find('{') : s.rfind('}') + 1]", "x{}", "slice(<s.find('{')>, <s.rfind('}') + 1>, None)"),
    ("', '.join(s.splitlines())", "a\nb", ".splitlines() iterate()"),
    ("', '.join([x for x in s.splitlines()]).upper()", "a\nb",
     ".splitlines() iterate() join(', ') .upper()"),
    ("'Q: ' + s + '?'", "a", "concat('Q: ', '') concat('', '?')"),
    ("subprocess.list2cmdline(['sh', s])", "ls",
     "listed(1, ('sh', '...')) subprocess.list2cmdline()"),
    ("library(s)", "a", "textwrap.dedent()"),
    ("[k + v.strip() for k, v in json.loads(s).items()]", '{"a": "b"}',
     "json.loads() .items() iterate() unpack(1, 2) .strip() concat('a', '')"),
    ("s.startswith(MARKS)", "a", ".startswith(('a', 'b'))"),
    ("s.split(sep=':', maxsplit=1)", "a", ".split(sep=':', maxsplit=1)"),
    ("s.index('{')", "x", ".index('{')"),
]  # fmt: skip

HEADER = """
import ast, contextlib, csv, datetime, decimal, io, json, re, sqlite3, subprocess
import textwrap
import xml.etree.ElementTree as ET
from textwrap import dedent as library
PATTERN = re.compile(r"^\\d+\\. (.*)$", re.M)
READERS = {"a": 1, "b": 2}
MARKS = ("a", "b")
DONE = "done"
def database(use):
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        return use(connection).fetchall()
"""


@pytest.mark.parametrize(("expression", "text", "chain"), EXPRESSIONS)
def test_an_expression_is_recorded_as_the_tree_of_uses_names_it(app, expression, text, chain):
    module = app.load(f"{HEADER}\ndef read(s):\n    return {expression}\n")
    try:
        module.read(app.taint(text))
    except ValueError:
        assert ".index" in chain
    assert chain in app.chains()


def test_the_place_is_the_expression_as_it_is_written(app):
    module = app.load("""
        import json

        def read(text):
            data = json.loads(
                text.strip()
            )
            return data["a"], [x.upper() for x in data["b"]]
    """)
    module.read(app.taint('{"a": 1, "b": ["x"]}'))
    found = {n.operation.name: (n.place.line, n.place.expression) for n in app.tree.root.walk()}
    assert found[".strip"] == (6, "text.strip()")
    assert found["json.loads"] == (5, "json.loads( text.strip() )")
    assert found["iterate"] == (8, 'data["b"]')
    assert found[".upper"] == (8, "x.upper()")


def test_what_a_library_does_inside_is_not_the_applications(app):
    module = app.load("import shlex\ndef read(s):\n    return shlex.split(s)\n")
    assert module.read(app.taint("a b")) == ["a", "b"]
    assert app.chains() == ["shlex.split()"]


def test_operations_on_many_items_and_answers_are_one_node(app):
    module = app.load(
        "def read(s):\n    return [int(line.split(':')[1]) for line in s.splitlines()]\n"
    )
    for _ in range(5):
        module.read(app.taint("a:1\nb:2\n" * 50))
    assert app.chains() == [".splitlines() iterate() .split(':') getitem(1) int()"]
    assert len(app.tree.answers) == 5


def test_a_place_with_many_arguments_has_one_computed_argument_in_the_end(app):
    module = app.load("def read(s, mark):\n    return s.find(mark)\n")
    for number in range(30):
        module.read(app.taint("x"), f"mark {number}")
    chains = app.chains()
    assert len(chains) == marks_module.MAX_VARIANTS + 1
    assert chains[-1] == ".find(<...>)"


def test_the_limits_hold_and_nothing_else_changes(app, monkeypatch):
    monkeypatch.setattr(marks_module, "MAX_NODES", 5)
    monkeypatch.setattr(marks_module, "MAX_DEPTH", 3)
    monkeypatch.setattr(marks_module, "MAX_RECORDS", 50)
    source = "\n".join(f"    s = s.replace('{n}', '')" for n in range(200))
    module = app.load(f"def read(s):\n{source}\n    return s\n")
    assert module.read(app.taint("text")) == "text"
    assert sum(1 for _ in app.tree.root.walk()) <= 6


def test_answers_beyond_the_limit_pass_plain(app, monkeypatch):
    monkeypatch.setattr(marks_module, "MAX_ANSWERS", 2)
    assert app.tree.answer() is not None
    assert app.tree.answer() is not None
    assert app.tree.answer() is None


@pytest.mark.parametrize("broken", ["place_of", "application_frame"])
def test_an_error_of_ours_never_reaches_the_application(app, monkeypatch, broken):
    module = app.load("import json\ndef read(s):\n    return int(json.loads(s.strip())['a'])\n")
    text = app.taint(' {"a": "1"} ')

    def fail(*_):
        raise RuntimeError("ours")

    monkeypatch.setattr(marks_module, broken, fail)
    assert module.read(text) == 1


def test_errors_of_the_application_are_its_own_and_are_noted(app):
    module = app.load("import json\ndef read(s):\n    return json.loads(s)\n")
    with pytest.raises(json.JSONDecodeError) as error:
        module.read(app.taint("no"))
    assert error.traceback[-1].path.name == "decoder.py"
    node = next(iter(app.tree.root.children.values()))
    assert app.answer.raised == {node.number}
    assert node.number not in app.answer.live


def test_the_state_is_simple_values_of_locals_and_of_self(app):
    module = app.load("""
        import enum

        class Mode(enum.Enum):
            TOOL = 1

        class Odd:
            def __getattr__(self, name):
                raise RuntimeError("asked")
            def __repr__(self):
                raise RuntimeError("shown")

        class Agent:
            def __init__(self):
                self.mode = Mode.TOOL
                self.turn = 3
                self.odd = Odd()
                self.history = ["x"]
            @property
            def costly(self):
                raise RuntimeError("run")
            def read(self, text, kind="a", quick=False, limit=10**9, name="x" * 99):
                return text.strip()
    """)
    module.Agent().read(app.taint("t"))
    states = {name: value for (_, name), value in app.answer.states.items()}
    assert states == {
        "kind": "'a'", "quick": "False", "self.mode": "Mode.TOOL", "self.turn": "3",
    }  # fmt: skip


def test_the_state_of_callers_is_kept_from_the_origin_on(app):
    module = app.load("""
        def ask(note):
            return note()
        def outer(note):
            mode = "tool"
            return ask(note)
    """)
    app.taint("x")
    module.outer(lambda: app.answer.note_callers(sys._getframe(1)))
    assert [(f.rpartition(":")[2], n, v) for (f, n), v in app.answer.states.items()] == [
        ("outer", "mode", "'tool'")
    ]


def test_threads_and_tasks_meet_in_one_tree(app):
    module = app.load("""
        import asyncio
        import json
        def read(s):
            return json.loads(s)["n"]
        async def read_all(texts):
            return await asyncio.gather(*(asyncio.to_thread(read, t) for t in texts))
    """)
    texts = [app.taint(json.dumps({"n": n})) for n in range(20)]
    assert asyncio.run(module.read_all(texts)) == list(range(20))
    threads = [threading.Thread(target=module.read, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert app.chains() == ["json.loads() getitem('n')"]
    assert all(len(answer.hits) == 3 for answer in app.tree.answers)


def test_generators_closures_classes_and_decorators_of_a_watched_module_work(app):
    module = app.load('''
        """Docstring."""
        from __future__ import annotations
        import contextlib, dataclasses, functools, typing, collections, enum

        T = typing.TypeVar("T")
        Point = collections.namedtuple("Point", "x y")
        Color = enum.Enum("Color", "RED GREEN")

        @dataclasses.dataclass
        class Base(typing.Generic[T]):
            items: list[int] = dataclasses.field(default_factory=list)
            name: str = f"{'a'}-{1!r:>3}"
            def size(self):
                return len(self.items)

        class Child(Base[int]):
            def size(self):
                return super().size() + 1
            @property
            def __private(self):
                return 5
            def shown(self):
                return self.__private

        @functools.lru_cache(maxsize=None)
        def cached(x):
            return locals(), x

        @contextlib.contextmanager
        def opened():
            yield "x"

        def numbers(n):
            got = yield from (i for i in range(n))
            return got

        def here():
            a, (b, *c), d = 1, (2, 3, 4), 5
            x = y = [a, b, *c, d]
            e = {**{"k": 1}, "l": 2}
            with opened() as value:
                total = sum(i for i in x if i in (1, 2) or i not in y)
            return eval("total + e['k']"), value, f"{a:0{d}}{b=}", x[0:2], x[-1], e

        def nothing(): pass
    ''')
    assert module.__doc__ == "Docstring."
    assert module.Point.__module__ == module.Color.__module__ == module.__name__
    assert module.Child([1]).size() == 2
    assert module.Child().shown() == 5
    assert module.Base.__annotations__ == {"items": "list[int]", "name": "str"}
    assert module.Base().name == "a-  1"
    assert module.cached(1) == ({"x": 1}, 1)
    assert list(module.numbers(2)) == [0, 1]
    assert module.here() == (4, "x", "00001b=2", [1, 2], 5, {"k": 1, "l": 2})


def test_tracebacks_show_the_code_as_written(app):
    module = app.load("def read(s):\n    x = 1\n    return int(\n        s\n    )\n")
    with pytest.raises(ValueError, match="invalid literal") as error:
        module.read("no")
    assert [e.lineno + 1 for e in error.traceback if e.path.name.startswith("watched")] == [3]


def test_a_module_that_cannot_be_rewritten_runs_as_it_is(app, monkeypatch):
    monkeypatch.setattr(
        "knitbone.adaptation.learning.taint.watched_imports.rewrite_module", lambda _: 1 / 0
    )
    assert app.load("def read(s):\n    return int(s)\n").read("1") == 1


def test_nothing_is_left_in_the_import_system(tmp_path):
    before = list(sys.meta_path)
    with watching(Scope([tmp_path])), watching(Scope([tmp_path])):
        assert len(sys.meta_path) == len(before) + 2
    assert sys.meta_path == before
    assert callable(builtins.__knitbone_watch__)


HOSTILE = {
    "deep": ("[" * 100_000, RecursionError, json.JSONDecodeError),
    "lone surrogate": ('{"a": "\ud800"}',),
    "many keys": (json.dumps({str(n): n for n in range(20_000)}),),
    "nested": ('{"a":' * 200 + "1" + "}" * 200,),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_give_what_they_give(app, name):
    text, *errors = HOSTILE[name]
    module = app.load("""
        import json
        def walk(value):
            if isinstance(value, dict):
                return sum(walk(v) for _, v in value.items())
            return 1
        def read(s):
            return walk(json.loads(s))
    """)
    if errors:
        with pytest.raises(tuple(errors)):
            module.read(app.taint(text))
    else:
        assert module.read(app.taint(text)) == module.read(text)
    assert sum(1 for _ in app.tree.root.walk()) < 200


def test_a_very_long_text_stays_plain_and_is_not_copied(app):
    text = "x" * 100_000_000
    assert app.taint(text) is text
    assert mark_of(app.taint("x" * MAX_LENGTH)) is not None


def test_an_application_without_taint_pays_no_frame(app):
    module = app.load("""
        import sys
        def depth():
            frame, count = sys._getframe(), 0
            while frame is not None:
                frame, count = frame.f_back, count + 1
            return count
        def call(function):
            return function()
    """)
    assert module.call(module.depth) == module.depth() + 1


def test_libraries_that_ask_for_the_exact_type_get_it(app):
    module = app.load("""
        import marshal, msgspec, pathlib, yaml
        class Held(msgspec.Struct):
            text: str
        def use(s):
            return (
                yaml.safe_dump({"a": [s]}), marshal.loads(marshal.dumps((s,))), pathlib.Path(s) / s,
                msgspec.json.encode({"a": s}), msgspec.json.Encoder().encode([s]),
                msgspec.json.encode(Held(s)), str(s),
            )
    """)
    assert module.use(app.taint("x")) == module.use("x")
    assert mark_of(module.use(app.taint("x"))[-1]) is not None


def test_only_files_of_the_application_count(tmp_path):
    (tmp_path / "venv" / "lib" / "site-packages").mkdir(parents=True)
    scope = Scope([tmp_path])
    assert scope.contains(str(tmp_path / "a.py"))
    assert not scope.contains(str(tmp_path / "venv" / "lib" / "site-packages" / "b.py"))
    assert not scope.contains("<string>")
    assert not scope.contains(json.__file__)
    assert not Scope(["/"]).contains(json.__file__)
