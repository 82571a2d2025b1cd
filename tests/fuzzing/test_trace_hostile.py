"""Code and values that nobody would wish for: tracing changes none of it, and keeps little."""

from __future__ import annotations

import codecs
import importlib
import sys
import textwrap
from typing import Any

import pytest
from trace_support import both, did

from knitbone.fuzzing.trace import attach
from knitbone.fuzzing.trace.calls import own_files
from knitbone.fuzzing.trace.helpers import install
from knitbone.fuzzing.trace.known_objects import TRACKED
from knitbone.fuzzing.trace.load import compile_traced, trace_imports
from knitbone.fuzzing.trace.recorder import RECORDER
from knitbone.fuzzing.trace.terms import Term
from knitbone.fuzzing.trace.values import wrap

PROGRAMS = {
    "objects that answer nothing": """
        class Mute:
            def __init__(self, s): object.__setattr__(self, "s", s)
            def __getattr__(self, name): raise RuntimeError(name)
            def __eq__(self, other): raise OSError("eq")
            def __hash__(self): raise OSError("hash")
            def __len__(self): raise OSError("len")
            def __bool__(self): raise OSError("bool")
            def __repr__(self): raise OSError("repr")
        def f(s):
            mute, said = Mute(s), []
            holder = [mute, s]
            for question in (len, bool, hash, repr, str, callable, id, type, list):
                try:
                    said.append(question(mute) and question.__name__)
                except Exception as error:
                    said.append(repr(error))
            try:
                said.append(mute == s)
            except OSError as error:
                said.append(str(error))
            try:
                if mute:
                    said.append("true")
            except OSError as error:
                said.append(str(error))
            try:
                mute(s)
            except TypeError as error:
                said.append(str(error))
            return said, len(holder), holder[1], holder[0] is mute
    """,
    "callables that say yes to everything": """
        class Proxy:
            asked = []
            def __getattribute__(self, name):
                object.__getattribute__(self, "asked").append(name)
                return Proxy()
            def __call__(self, *args): return ("called", args)
        def f(s):
            proxy = Proxy()
            Proxy.asked.clear()
            got = proxy(s), proxy.send(s), proxy.a.b(s)
            return len(got), Proxy.asked
    """,
    "comparisons that give no truth": """
        class Array(list):
            def __eq__(self, other): return Array(a == other for a in self)
            def __bool__(self): raise ValueError("ambiguous")
            __hash__ = None
            def __add__(self, other): return Array(a + other for a in self)
            __radd__ = __add__
            def __contains__(self, other): return True
        def f(s):
            a = Array([s, "b"])
            return list(a == s), list(a + s), s in a, list(s + a) if s else None, a[0], len(a)
    """,
    "ambiguous": """
        class Array(list):
            def __bool__(self): raise ValueError("ambiguous")
        def f(s):
            if Array([s]):
                return 1
    """,
    "another class": """
        class Liar:
            @property
            def __class__(self): raise RuntimeError("class")
            def __add__(self, other): return self
            __radd__ = __add__
            def __getitem__(self, key): return self
        class Pretender(str):
            __class__ = int
        class Meta(type):
            def __eq__(cls, other): raise RuntimeError("eq")
            def __hash__(cls): raise RuntimeError("hash")
            def __instancecheck__(cls, other): return True
        class Odd(metaclass=Meta):
            def __add__(self, other): return self
            def __call__(self, *args): return len(args)
        def f(s):
            liar, odd = Liar(), Odd()
            sum_of = liar + s
            part, other = liar[s], s + liar
            p = Pretender(s)
            more = odd + s
            return (part is liar, other is liar, isinstance(p, int), type(p) is Pretender, p + s,
                    isinstance(s, Odd), odd(s), more is odd, [odd, s][1], {"k": liar, "s": s}["s"])
    """,
    "replaced builtins": """
        import builtins
        def f(s):
            kept, kept_len = builtins.isinstance, builtins.len
            builtins.isinstance = lambda a, b: False
            builtins.len = lambda a: 42
            try:
                return isinstance(s, str), len(s), s + "a", [c for c in s], f"{s:>5}"
            finally:
                builtins.isinstance, builtins.len = kept, kept_len
    """,
    "threads": """
        import threading
        def f(s):
            out = {}
            def work(n):
                total = 0
                for c in s * 20:
                    total = (total * 31 + ord(c)) % 1009
                    if total % 7 == n:
                        out[n] = out.get(n, 0) + 1
            threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
            for t in threads: t.start()
            for t in threads: t.join()
            return sorted(out.items())
    """,
    "self-reference": """
        def f(s):
            a, d = [s], {s: s}
            a.append(a); a.extend([a] * 64); d["d"] = d; d["a"] = a
            copied = a.copy()
            found = a[1] is a, copied[0], len(copied), s in d
            return len(a), a == a, a in [a], len(str(d)) > 3, found
    """,
    "nesting": """
        def f(s):
            deep = s
            for _ in range(3000):
                deep = [deep]
            inner = deep
            while isinstance(inner, list):
                inner = inner[0]
            deep2 = {}
            for _ in range(3000):
                deep2 = {"a": deep2, "s": s}
            return inner, len(deep), [s, deep][0], len(deep2)
    """,
    "doubling": """
        def f(s):
            out = []
            for c in s.split(","):
                for _ in range(40):
                    c = c + c[:0]
                n = len(c)
                for _ in range(40):
                    n = (n + n) % 1000
                out.append(n)
            return len(out), out, sum(out), out == [1]
    """,
    "a million items": """
        def f(s):
            many = [s] + list(range(1_000_000))
            table = dict.fromkeys(range(100_000), s)
            found = [s in many, len(many), many[0], many[5], table.get(7), len(table), s == many[0]]
            for n in range(300):
                found.append(len(many) + len(s) + (s in table))
            return found[:8], sum(map(bool, found)), str(many)[:20]
    """,
    "long text": """
        def f(s):
            text = (s or "a") * 4_000_000
            return len(text), text[0], text[5:8], text == s, text.upper()[:3], text.count("z"), [
                text[i] for i in range(500)]
    """,
    "much to remember": """
        def f(s):
            for n in range(3000):
                parts = (s + "," * 500).split(",")
                parts.append(n)
            return len(parts)
    """,
    "future annotations": """
        from __future__ import annotations
        from dataclasses import dataclass
        import typing
        @dataclass
        class Item:
            name: str
            other: Item | None = None
        def g(x: Nowhere) -> Missing[x]: return x
        def f(s):
            return Item(g(s)), typing.get_type_hints(Item)["name"], g.__annotations__
    """,
    "generators that never end": """
        import itertools
        def f(s):
            def forever():
                while True:
                    yield s
            try:
                sum(forever())
            except TypeError as error:
                return str(error), next(forever()), list(itertools.islice(forever(), 2))
    """,
    "exits": """
        import sys
        def f(s):
            if len(s) > 1:
                sys.exit(s)
            raise KeyboardInterrupt(s)
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("text", ["ab,c", ""])
def test_hostile_code_does_the_same(name, text):
    functions = both(textwrap.dedent(PROGRAMS[name]))
    expected = did(functions.plain, {"s": text})
    assert did(functions.rewritten, {"s": text}, recorded=True) == expected
    assert did(functions.rewritten, {"s": text}) == expected


def test_little_is_kept_while_a_call_lasts():
    RECORDER.start()
    try:
        for _ in range(10_000):
            wrap([str(n) for n in range(200)], Term("input", (("s",),)))
        held = sum(len(entry[2]) + 1 for entry in TRACKED.objects.values())
        assert len(TRACKED.objects) <= 2_000
        assert held <= 200_000
    finally:
        RECORDER.stop()
    assert not TRACKED.objects


def test_what_an_earlier_call_left_behind_is_a_constant():
    source = """
KEPT = []
def f(s):
    if not KEPT:
        KEPT.append(s)
    return KEPT[0] == 'first', len(KEPT[0])
"""
    function = both(source).rewritten
    did(function, {"s": "first"}, recorded=True)
    attach.begin({"s": "second"})
    attach.traced(function)(s="second")
    told = attach.end()
    assert told is not None
    assert not any(node[0] == "input" for node in told["nodes"])


def test_recursion_goes_at_least_half_as_deep():
    source = """
import functools
DEEPEST = [0]
def plainly(n):
    DEEPEST[0] = max(DEEPEST[0], n)
    return plainly(n + 1)
def over_map(n):
    DEEPEST[0] = max(DEEPEST[0], n)
    return [list(map(over_map, [n + 1]))]
class Node:
    def __init__(self, n): self.n = n
    def __eq__(self, other):
        DEEPEST[0] = max(DEEPEST[0], self.n)
        return Node(self.n + 1) == Node(self.n + 1)
def f(s, kind):
    DEEPEST[0] = 0
    try:
        if kind == 0:
            plainly(len(s))
        elif kind == 1:
            over_map(0)
        else:
            Node(0) == Node(0)
    except RecursionError:
        pass
    return DEEPEST[0]
"""
    functions = both(source)
    for kind in range(3):
        deepest = functions.plain("abc", kind)
        attach.begin({"s": "abc", "kind": kind})
        reached = attach.traced(functions.rewritten)(s="abc", kind=kind)
        attach.end()
        assert reached >= deepest // 2 - 10, kind


SOURCES: dict[str, bytes] = {
    "byte order mark": codecs.BOM_UTF8 + "def f(s):\n    return s + 'é' == 'aé'\n".encode(),
    "cookie": "# -*- coding: latin-1 -*-\ndef f(s):\n    return s + 'é' != 'é'\n".encode("latin-1"),
    "line ends": b"def f(s):\r\n    x = s + '''a\r\nb'''\r\n    return x if x > s else f'{s}'\r\n",
    "only carriage returns": b"def f(s):\r    return s + 'a' in 'aa'\r",
    "form feed": b"\x0cdef f(s):\n\x0c    return s + 'a' in 'aa'\n",
    "long expression": b"def f(s):\n    return " + b" + ".join([b"len(s)"] * 900) + b"\n",
    "longer expression": b"def f(s):\n    return " + b" + ".join([b"len(s)"] * 2500) + b"\n",
    "many comparisons": b"def f(s):\n    return " + b" < ".join([b"len(s)"] * 400) + b"\n",
    "long table": b"T = [" + b"1 + 2, " * 20_000 + b"]\ndef f(s):\n    return len(T) > len(s)\n",
    "brackets": b"def f(s):\n    return " + b"[" * 80 + b"s" + b"]" * 80 + b"\n",
    "many elifs": b"def f(s):\n    if s == 'x': return 0\n"
    + b"".join(b"    elif s == '%d': return %d\n" % (n, n) for n in range(200)),
}


@pytest.mark.parametrize("name", SOURCES)
def test_sources_of_every_kind_are_compiled(name):
    source = SOURCES[name]
    plain: dict[str, Any] = {}
    try:
        exec(compile(source, "plain.py", "exec", dont_inherit=True), plain)
    except RecursionError:
        pytest.skip("Python itself does not compile it")
    rewritten: dict[str, Any] = {}
    install()
    exec(compile_traced(source, f"/corpus/{name}.py"), rewritten)
    for text in ("", "a", "17"):
        assert did(rewritten["f"], {"s": text}, recorded=True) == did(plain["f"], {"s": text})


def test_modules_read_themselves_and_their_data(tmp_path, monkeypatch):
    (tmp_path / "reads_itself.py").write_text(
        "import inspect, pathlib\n"
        "HERE = pathlib.Path(__file__).parent\n"
        "def f(s):\n"
        "    # as it is written\n"
        "    return inspect.getsource(f), (HERE / 'data.txt').read_text() + s, __name__\n",
        encoding="utf-8",
    )
    (tmp_path / "data.txt").write_text("data", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    trace_imports([str(tmp_path)])
    module = importlib.import_module("reads_itself")
    assert module.__file__ in own_files()
    source, text, name = attach.traced(module.f)("!")
    assert source.startswith("def f(s):\n    # as it is written\n")
    assert (text, name) == ("data!", "reads_itself")
    assert not list(tmp_path.glob("__pycache__/*"))
