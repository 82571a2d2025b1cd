"""The application's code rehearsed on an answer: the same result, and no effect at all."""
# ruff: noqa: E501 - programs as they are

import inspect
import sys
import textwrap

import pytest

from knitbone.adaptation.consumers.rehearsal.continuation import caller_of
from knitbone.adaptation.consumers.rehearsal.sources import root_of

HEADER = "import collections, json, os, random, re, time\nLOG = []\nCACHE = {}\n"


@pytest.fixture
def load(tmp_path, monkeypatch):
    """A module of the application, whose model says what it is told, after a rehearsal."""
    monkeypatch.syspath_prepend(str(tmp_path))
    names = []

    def load(source):
        name = f"rehearsed_{len(names)}"
        names.append(name)
        path = tmp_path / f"{name}.py"
        path.write_text(HEADER + textwrap.dedent(source), encoding="utf-8")
        module = __import__(name)
        module.endings = []

        def ask(answer):
            continuation, frame = caller_of(inspect.currentframe(), root_of(str(path)))
            module.endings.append(continuation.rehearse(answer, frame, lambda: None))
            module.before = module.state() if hasattr(module, "state") else None
            return answer

        module.ask = ask
        return module

    yield load
    for name in names:
        sys.modules.pop(name, None)


EFFECTS = {
    "a list of the module": """
        def state(): return list(LOG)
        def handle(text):
            LOG.append(ask(text)); return len(LOG)
    """,
    "a dictionary of the module": """
        def state(): return dict(CACHE)
        def handle(text):
            CACHE[text] = ask(text); return CACHE[text]
    """,
    "a default argument": """
        def keep(text, seen=[]):
            seen.append(text); return list(seen)
        def state(): return list(keep.__defaults__[0])
        def handle(text): return keep(ask(text))
    """,
    "a closure": """
        def make():
            seen = []
            def keep(text):
                seen.append(text); return len(seen)
            return keep, seen
        KEEP, SEEN = make()
        def state(): return list(SEEN)
        def handle(text): return KEEP(ask(text))
    """,
    "an object": """
        class Chat:
            def __init__(self): self.said, self.last = [], None
            def say(self, text):
                self.last = text; self.said.append(text); return len(self.said)
        CHAT = Chat()
        def state(): return list(CHAT.said), CHAT.last
        def handle(text): return CHAT.say(ask(text))
    """,
    "a queue": """
        QUEUE = collections.deque()
        def state(): return list(QUEUE)
        def handle(text):
            QUEUE.append(ask(text)); return QUEUE[-1]
    """,
    "an iterator": """
        NUMBERS = iter(range(10))
        COPY = []
        def state(): return COPY
        def handle(text):
            ask(text); return next(NUMBERS)
    """,
    "a file": """
        def state(): return os.path.exists("written.txt")
        def handle(text):
            answer = ask(text)
            with open("written.txt", "w") as file:
                file.write(answer)
            return answer
    """,
    "a sort in place": """
        NAMES = ["b", "a"]
        def state(): return list(NAMES)
        def handle(text):
            ask(text); NAMES.sort(); return NAMES
    """,
    "an attribute of a class": """
        class Counter: total = 0
        def state(): return Counter.total
        def handle(text):
            ask(text); Counter.total += 1; return Counter.total
    """,
    "a global": """
        TOTAL = 0
        def state(): return TOTAL
        def handle(text):
            global TOTAL
            ask(text); TOTAL += 1; return TOTAL
    """,
}


@pytest.mark.parametrize("name", EFFECTS)
def test_a_rehearsal_changes_nothing(name, load, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = load(EFFECTS[name])
    empty = module.state()
    module.handle("x")
    assert module.before == empty
    assert name == "an iterator" or module.state() != empty


def test_an_iterator_is_not_used_up(load):
    module = load(EFFECTS["an iterator"])
    assert [module.handle("x") for _ in range(3)] == [0, 1, 2]


def test_nothing_is_printed(load, capsys):
    module = load(
        "def handle(text):\n    answer = ask(text)\n    print(answer)\n    return answer\n"
    )
    module.handle("once")
    assert capsys.readouterr().out == "once\n"
    assert module.endings[0].effects == ((("once",), {}),)


LANGUAGE = {
    "loops": "out = []\nfor c in a:\n    if c == 'b': continue\n    if c == 'd': break\n    out.append(c)\nelse:\n    out.append('end')\nreturn out",
    "while and walrus": "out = []\nwhile (n := len(out)) < 3:\n    out.append(a[n:n+1])\nreturn out",
    "try and finally": "out = []\ntry:\n    out.append(int(a))\nexcept ValueError as error:\n    out.append(type(error).__name__)\nelse:\n    out.append('int')\nfinally:\n    out.append('done')\nreturn out",
    "raised again": "try:\n    return int(a)\nexcept ValueError:\n    raise KeyError(a)",
    "match": "match a.split(','):\n    case [one]: return ('one', one)\n    case [first, *rest] if len(rest) < 3: return (first, rest)\n    case _: return 'many'",
    "unpacking": "first, *middle, last = a.split(',') + ['x', 'y']\nreturn first, middle, last",
    "comprehensions": "return [c for c in a if c.isalpha()], {c: a.count(c) for c in sorted(set(a))}",
    "a generator": "def parts():\n    for part in a.split(','):\n        yield part.strip()\nreturn list(parts()), sum(1 for _ in parts())",
    "closures": "def add(n):\n    return lambda text: text + str(n)\nreturn [add(n)(a) for n in range(3)]",
    "formats": "return f'{a!r:>8}|{len(a):03d}', '%s-%s' % (a, 1), '{} {x}'.format(a, x=2)",
    "slices": "return a[1:], a[::-1], a[-1:], a.partition(',')",
    "chained comparison": "return 0 < len(a) < 5 and a != 'x' or None",
    "keywords": "def g(x, *r, k=1, **o):\n    return x, r, k, o\nreturn g(a, 2, k=3, z=4), g(*[a, a], **{'k': 5})",
    "sorted by key": "return sorted(a.split(','), key=lambda part: part.lower(), reverse=True)",
    "regular expressions": "return [m.group(0) for m in re.finditer(r'\\w+', a)], re.sub('b', lambda m: m[0].upper(), a)",
    "json": "try:\n    data = json.loads(a)\nexcept ValueError:\n    return {'raw': a}\nreturn data",
    "suppressed": "import contextlib\nvalue = None\nwith contextlib.suppress(ValueError):\n    value = int(a)\nreturn value",
    "counting": "counts = collections.Counter(a)\ncounts['z'] += 2\nreturn dict(counts)",
    "nested functions that fail": "def deep(n):\n    return deep(n - 1) if n else int(a)\nreturn deep(5)",
    "no return": "for c in a:\n    pass",
}  # fmt: skip


@pytest.mark.parametrize("answer", ["abcd", "a,b,c,d", "12", "", '{"k": [1, 2]}', "é x"])
@pytest.mark.parametrize("name", LANGUAGE)
def test_a_rehearsal_follows_the_language(name, answer, load):
    body = textwrap.indent(LANGUAGE[name], "    ")
    module = load(f"def handle(text):\n    a = ask(text)\n{body}\n")
    try:
        expected = "returned", module.handle(answer)
    except Exception as error:
        expected = "raised", repr(error)
    (ending,) = module.endings
    value = repr(ending.value) if ending.kind == "raised" else ending.value
    assert (ending.kind, value) == expected


UNFOLLOWED = {
    "decides by a clock": "return a if time.time() > 0 else None",
    "decides by chance": "return a if random.random() < 2 else None",
    "never ends": "n = 0\nwhile n >= 0:\n    n += 1 if n < 100_000 else -n - 1\nreturn a",
    "asks for too much": "return a * 10 ** 9",
}


@pytest.mark.parametrize("name", UNFOLLOWED)
def test_what_cannot_be_followed_is_said(name, load):
    body = textwrap.indent(UNFOLLOWED[name], "    ")
    module = load(f"def handle(text):\n    a = ask(text)\n{body}\n")
    module.handle("")
    assert module.endings == [None]


def test_callers_are_followed_to_the_end(load):
    module = load(
        """
        def read(text):
            return ask(text)

        class App:
            def parse(self, text):
                number = int(read(text))
                return {"n": number}

        def handle(text):
            return App().parse(text)["n"] + 1
        """
    )
    assert module.handle("41") == 42
    (ending,) = module.endings
    assert (ending.kind, ending.value) == ("returned", 42)


def test_a_loop_that_goes_on_asks_again(load):
    module = load(
        """
        def handle(texts):
            for text in texts:
                answer = ask(text)
                if answer.isdigit():
                    return int(answer)
        """
    )
    assert module.handle(["x", "7"]) == 7
    assert [ending.kind for ending in module.endings] == ["asked again", "returned"]


def test_the_time_is_bounded(load):
    module = load("def handle(text):\n    return [c for c in ask(text) for d in range(1000)]\n")

    def spent():
        raise TimeoutError

    def ask(answer):
        continuation, frame = caller_of(inspect.currentframe(), root_of(module.__file__))
        with pytest.raises(TimeoutError):
            continuation.rehearse(answer, frame, spent)
        return answer

    module.ask = ask
    assert len(module.handle("abc")) == 3000
