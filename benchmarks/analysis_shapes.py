"""Modules that make a careless analysis slow: one shape each, of any size."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

__all__ = ["ENTRY", "SHAPES", "Shape"]

HEAD = """\
import json
from openai import OpenAI
import knitbone


def ask(question):
    found = OpenAI().chat.completions.create(
        model="m", messages=[{"role": "user", "content": question}]
    )
    return json.loads(found.choices[0].message.content)["answer"]


"""
ENTRY = "\n\n@knitbone.adapt\ndef entry(question):\n    return ask(question).split(',')\n"


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """One way in which a module can be large."""

    name: str
    small: int
    """A size at which its analysis takes hundredths of a second."""
    large: int
    body: Callable[[int], str]
    bound: float = 2.7
    """How often the work may grow when the size doubles; a little over two, for what is
    evaluated once a kind of argument."""

    def source(self, size: int) -> str:
        """The module of this size."""
        return HEAD + self.body(size)


def _repeated(template: str, *, head: str = "", tail: str = "") -> Callable[[int], str]:
    """``@`` is the number of the repetition, ``#`` the one before it."""

    def body(size: int) -> str:
        lines = (
            template.replace("@", str(number)).replace("#", str(number - 1))
            for number in range(1, size + 1)
        )
        return head + "".join(lines) + tail

    return body


_BIG = "def big(x):\n    text = ask(x)\n"
_FIRST = "def g0(x):\n    return ask(x)\n"


def _nested(openings: Sequence[str]) -> Callable[[int], str]:
    def body(size: int) -> str:
        lines = [
            "    " * (depth + 1) + openings[depth % len(openings)].replace("@", str(depth))
            for depth in range(size)
        ]
        last = "    " * (size + 1) + "text = text.strip()\n"
        return _BIG + "".join(f"{line}\n" for line in lines) + last + "    return text\n"

    return body


def _wrapped(before: str, after: str) -> Callable[[int], str]:
    def body(size: int) -> str:
        opening = "".join(before.replace("@", str(number)) for number in range(size))
        return f"def big(x):\n    return {opening}ask(x){after * size}\n"

    return body


def _mutual(size: int) -> str:
    return "".join(
        f"def g{n}(x):\n    return g{(n + 1) % size}(ask(x)) or g{(n * 7 + 3) % size}(x)\n"
        for n in range(size)
    )


def _shape(
    name: str, small: int, large: int, body: Callable[[int], str], *, bound: float = 2.7
) -> Shape:
    return Shape(name=name, small=small, large=large, body=body, bound=bound)


SHAPES: tuple[Shape, ...] = (
    _shape("functions", 100, 20_000, _repeated("def f@(x):\n    y = x + @\n    return y\n\n\n")),
    _shape(
        "classes",
        50,
        5_000,
        _repeated("class C@:\n    def m(self, x):\n        self.v = x\n        return self.v\n"),
    ),
    _shape(
        "subclasses",
        25,
        2_000,
        _repeated(
            "class C@(C0):\n    def run(self, x):\n        return json.loads(x)['k@']\n",
            head="class C0:\n    def run(self, x):\n        raise NotImplementedError\n",
            tail="def go(held: C0):\n    return held.run(ask(1))\n",
        ),
    ),
    _shape("lines of a function", 200, 20_000, _repeated("    v@ = x + @\n", head=_BIG)),
    _shape(
        "chain of variables", 50, 5_000, _repeated("    v@ = v# + x\n", head=_BIG + "    v0 = x\n")
    ),
    _shape("conditions", 100, 5_000, _repeated("    if x == @:\n        v@ = text\n", head=_BIG)),
    _shape(
        "cases of a match",
        100,
        5_000,
        _repeated("        case 'k@':\n            return @\n", head=_BIG + "    match text:\n"),
    ),
    _shape(
        "tries",
        20,
        500,
        _repeated(
            "    try:\n        return json.loads(text)['k@']\n"
            "    except ValueError:\n        pass\n",
            head=_BIG,
        ),
    ),
    _shape(
        "depth of the call graph", 60, 500, _repeated("def g@(x):\n    return g#(x)\n", head=_FIRST)
    ),
    _shape(
        "diamonds of calls",
        8,
        100,
        _repeated("def g@(x):\n    return g#(x + 'a') or g#(x + 'b')\n", head=_FIRST),
    ),
    _shape("functions that call one another", 10, 500, _mutual),
    _shape(
        "entries of a literal",
        500,
        100_000,
        _repeated("    'k@': @,\n", head="DATA = {\n", tail="}\n"),
    ),
    _shape("constants", 200, 20_000, _repeated("K@ = 'value @'\n")),
    _shape(
        "methods of a class",
        50,
        2_000,
        _repeated(
            "    def m@(self, x):\n        return self.m#(x)\n",
            head="class A:\n    def m0(self, x):\n        return ask(x)\n",
        ),
    ),
    _shape(
        "sites",
        20,
        1_000,
        _repeated("def g@(q):\n    found = ask(q)\n    return found.split('k@')\n"),
    ),
    _shape(
        "consumers of one output",
        20,
        500,
        _repeated("def g@():\n    return TEXT.split('k@')\n", head="TEXT = ask('all')\n"),
    ),
    # Python nests twenty loops; the first three are evaluated twice each.
    _shape("loops in loops", 4, 18, _nested(["for a@ in x:"]), bound=10.0),
    _shape("loops and conditions", 4, 18, _nested(["while x:", "if x:"]), bound=10.0),
    _shape("conditions in conditions", 8, 90, _nested(["if x:"])),
    _shape("calls in calls", 8, 80, _wrapped("str(", ")")),
    _shape("lambdas in lambdas", 8, 80, _wrapped("lambda a@: ", "")),
    _shape("lists in lists", 8, 80, _wrapped("[", "]")),
    _shape("comprehensions", 4, 18, _wrapped("[", " for a in x]")),
)
