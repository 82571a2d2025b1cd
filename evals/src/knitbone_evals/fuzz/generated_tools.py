"""Small tools drawn by lot, each with one fault whose arguments are known.

A tool is source text: one function of one to five arguments, of which one or two are at fault by a
drawn condition (emptiness, zero, sign, range, type, membership in a constant or in the state, a
form, a default, a relation). The others are used without harm. Whoever draws knows nothing of how
hints are made.
"""

from __future__ import annotations

import linecache
import random
import traceback
from collections.abc import Callable
from typing import Any

import msgspec

from knitbone.fuzzing.confirmation import minimise
from knitbone.fuzzing.findings import judge
from knitbone.fuzzing.records import (
    CallOutcome,
    ExceptionOrigin,
    Finding,
    StackFrame,
    ToolUnderTest,
)
from knitbone.record.events import Json

__all__ = ["GeneratedTool", "draw_tool", "fresh_value", "in_process"]

_TYPES = ("string", "integer", "number")
_HINTS = {"string": "str", "integer": "int", "number": "float", "any": "object"}
_LETTERS = "bcdefghjklmnopqrstuvw"


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of fault: what the code does with the arguments ``x`` and ``y``."""

    name: str
    types: tuple[str, ...]
    code: tuple[str, ...]
    bad: Callable[[random.Random], tuple[Json, ...]]
    """Values of the arguments at fault that fail."""
    good: Callable[[random.Random], tuple[Json, ...]]
    """Values that work."""
    state: str = ""
    optional: bool = False
    """Whether the argument has a default, which fails."""


def _word(rng: random.Random, low: int = 1, high: int = 12) -> str:
    return "".join(rng.choice(_LETTERS) for _ in range(rng.randint(low, high)))


def _day(rng: random.Random) -> str:
    return f"{rng.randint(1990, 2030)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"


FAULTS = (
    Fault(name="empty", types=("string",), code=("first = {x}[0]",),
          bad=lambda _: ("",), good=lambda r: (_word(r),)),
    Fault(name="empty, on purpose", types=("string",),
          code=("if not {x}.strip():", "    raise ValueError('nothing to do')"),
          bad=lambda r: (" " * r.randint(0, 2),), good=lambda r: (_word(r),)),
    Fault(name="envelope", types=("string",),
          code=("if not {x}:", "    raise ValueError({{'error': {{'detail': 'none', 'x': {x}}}}})"),
          bad=lambda _: ("",), good=lambda r: (_word(r),)),
    Fault(name="zero", types=("integer",), code=("share = 60 // {x}",),
          bad=lambda _: (0,), good=lambda r: (r.choice((-1, 1)) * r.randint(1, 900),)),
    Fault(name="zero, float", types=("number",), code=("share = round(1 / {x}, 2)",),
          bad=lambda _: (0.0,), good=lambda r: (r.uniform(0.1, 900),)),
    Fault(name="sign", types=("number",), code=("import math", "root = math.sqrt({x})"),
          bad=lambda r: (-r.uniform(0.1, 900),), good=lambda r: (r.uniform(0, 900),)),
    Fault(name="positive", types=("integer",),
          code=("if {x} <= 0:", "    raise ValueError('too few')"),
          bad=lambda r: (-r.randint(0, 9),), good=lambda r: (r.randint(1, 900),)),
    Fault(name="range", types=("integer",), code=("price = (3, 5, 8, 13)[{x}]",),
          bad=lambda r: (r.randint(4, 900),), good=lambda r: (r.randint(0, 3),)),
    Fault(name="band", types=("integer",),
          code=("if not 1 <= {x} <= 99:", "    raise ValueError('from 1 to 99')"),
          bad=lambda r: (r.choice((0, r.randint(100, 999))),), good=lambda r: (r.randint(1, 99),)),
    Fault(name="type", types=("any",), code=("flag = {x}.lower() in ('yes', 'true')",),
          bad=lambda r: (r.choice((0, 1, 7, 2.5, True)),), good=lambda r: (_word(r),)),
    Fault(name="member of a constant", types=("string",),
          code=("price = {{'low': 3, 'mid': 5, 'high': 8}}[{x}]",),
          bad=lambda r: (r.choice(("", _word(r))),),
          good=lambda r: (r.choice(("low", "mid", "high")),)),
    Fault(name="member of the state", types=("string",), state="STORE",
          code=("price = STORE[{x}]",), bad=lambda r: (r.choice(("", _word(r))),),
          good=lambda r: (r.choice(("k-17", "k-18")),)),
    Fault(name="form: date", types=("string",), code=("day = dt.date.fromisoformat({x})",),
          bad=lambda r: (r.choice(("", _word(r))),), good=lambda r: (_day(r),)),
    Fault(name="form: number", types=("string",), code=("count = int({x})",),
          bad=lambda r: (r.choice(("", _word(r))),), good=lambda r: (str(r.randint(1, 900)),)),
    Fault(name="form: parts", types=("string",), code=("second = {x}.split(',')[1]",),
          bad=lambda r: (r.choice(("", "5", _word(r))),),
          good=lambda r: (f"{r.randint(0, 9)},{r.randint(0, 9)}",)),
    Fault(name="default", types=("string",), code=("loud = {x}.upper()",), optional=True,
          bad=lambda _: (None,), good=lambda r: (_word(r),)),
    Fault(name="order", types=("integer", "integer"),
          code=("if {x} > {y}:", "    raise ValueError('it ends before it begins')"),
          bad=lambda r: (r.randint(1, 9), -r.randint(0, 9)),
          good=lambda r: (r.randint(-9, 0), r.randint(1, 9))),
    Fault(name="difference", types=("integer", "integer"), code=("rate = 10 / ({x} - {y})",),
          bad=lambda r: (n := r.randint(0, 9), n),
          good=lambda r: (r.randint(1, 9), -r.randint(1, 9))),
    Fault(name="index", types=("string", "integer"), code=("part = {x}.split(';')[{y}]",),
          bad=lambda r: ("", r.randint(1, 9)), good=lambda r: (f"{_word(r)};{_word(r)}", 1)),
    Fault(name="either form", types=("string", "string"), code=("total = int({x}) + int({y})",),
          bad=lambda _: ("", ""), good=lambda r: (str(r.randint(1, 9)), str(r.randint(1, 9)))),
    Fault(name="in one mode", types=("string", "integer"),
          code=("if {x} == 'divide':", "    share = 7 // {y}"),
          bad=lambda _: ("divide", 0), good=lambda r: (_word(r), r.randint(1, 9))),
)  # fmt: skip


class Use(msgspec.Struct, frozen=True, kw_only=True):
    """What the code does with an argument that is not at fault; some of it may hide the fault."""

    kind: str
    code: tuple[str, ...]
    good: Callable[[random.Random], Json]


USES = (
    *(Use(kind=kind, code=("seen.append(str({x}))",),
          good=lambda rng, kind=kind: fresh_value(kind, rng)) for kind in _TYPES),
    Use(kind="string", code=("if {x} not in ('red', 'blue'):", "    raise ValueError('colour')"),
        good=lambda rng: rng.choice(("red", "blue"))),
    Use(kind="string", code=("seen.append(int({x}))",), good=lambda rng: str(rng.randint(1, 99))),
    Use(kind="string", code=("if {x} == '':", "    return 'done without'"),
        good=_word),
    Use(kind="string", code=("if len({x}) > 20:", "    raise OverflowError('too long')"),
        good=_word),
    Use(kind="integer", code=("if not 0 <= {x} < 400:", "    raise OverflowError('too many')"),
        good=lambda rng: rng.randint(0, 399)),
    Use(kind="integer", code=("seen.append(500 / {x})",), good=lambda rng: rng.randint(1, 900)),
)  # fmt: skip


class GeneratedTool(msgspec.Struct, frozen=True, kw_only=True):
    """One drawn tool."""

    tool: ToolUnderTest
    fault: str
    source: str
    culprits: tuple[str, ...]
    finding: Finding
    normal: tuple[dict[str, Json], ...]
    """Calls that work."""
    call: Callable[[dict[str, Json]], CallOutcome]
    good: Callable[[random.Random], dict[str, Json]]
    """Draws the arguments of a call that works."""


def fresh_value(kind: str, rng: random.Random, *, plain: bool = True) -> Json:
    """A value of a type of JSON, neither empty nor zero.

    Args:
        plain: as a person would give it; otherwise negative numbers, too.
    """
    sign = 1 if plain else rng.choice((-1, 1))
    match kind:
        case "integer":
            return sign * rng.choice((rng.randint(1, 9), rng.randint(1, 5_000)))
        case "number":
            return sign * round(rng.choice((rng.uniform(0.1, 9), rng.uniform(1, 5_000))), 2)
        case "boolean":
            return rng.random() < 0.5
        case "array":
            return [_word(rng) for _ in range(rng.randint(1, 3))]
        case "object":
            return {_word(rng): rng.randint(1, 9)}
        case _:
            words = " ".join(_word(rng) for _ in range(rng.randint(1, 3)))
            return rng.choice((words, words.title(), str(rng.randint(1, 5_000)), _day(rng)))


def draw_tool(rng: random.Random, *, fault: str = "") -> GeneratedTool:
    """Draw one tool.

    Args:
        fault: name of its fault; drawn, too, without one.
    """
    chosen = rng.choice([each for each in FAULTS if fault in ("", each.name)])
    names = rng.sample(("note", "size", "town", "rate", "mode", "item"), rng.randint(2, 5))
    places = rng.sample(range(len(names)), len(chosen.types))
    culprits = tuple(names[place] for place in places)
    uses = {name: rng.choice(USES) for name in names if name not in culprits}
    types = {name: use.kind for name, use in uses.items()}
    types |= dict(zip(culprits, chosen.types, strict=True))
    if chosen.optional:
        names.sort(key=lambda name: name in culprits)
    given = dict(zip(("x", "y"), culprits, strict=False))
    parts = [[line.format(x=name) for line in use.code] for name, use in uses.items()]
    parts.insert(rng.randint(0, len(parts)), [line.format(**given) for line in chosen.code])
    body = ["seen = []", *(line for part in parts for line in part)]
    body.append("return 'done ' + str(len(seen))")
    parameters = [
        f"{name}: {_HINTS[types[name]]}"
        + (" = None" if chosen.optional and name in culprits else "")
        for name in names
    ]
    source = "\n".join(
        [
            "import datetime as dt",
            "STORE = {}",
            "for number in (17, 18):",
            "    STORE[f'k-{number}'] = number",
            f"def tool({', '.join(parameters)}):",
            *(f"    {line}" for line in body),
            "",
        ]
    )
    call = in_process(source)

    def good(rng: random.Random) -> dict[str, Json]:
        own = dict(zip(culprits, chosen.good(rng), strict=True))
        return {name: own[name] if name in own else uses[name].good(rng) for name in names}

    tool = ToolUnderTest(
        name="tool",
        target="generated:tool",
        documentation="Do something.",
        schema={
            "type": "object",
            "properties": {n: {} if t == "any" else {"type": t} for n, t in types.items()},
            "required": [n for n in names if not (chosen.optional and n in culprits)],
        },
    )
    bad = dict(zip(culprits, chosen.bad(rng), strict=True))
    failing = {**good(rng), **bad}
    failing = {name: value for name, value in failing.items() if value is not None}
    return GeneratedTool(
        tool=tool,
        fault=chosen.name,
        source=source,
        culprits=culprits,
        finding=_finding(call, failing),
        normal=tuple(good(rng) for _ in range(rng.randint(0, 3))),
        call=call,
        good=good,
    )


def _finding(call: Callable[[dict[str, Json]], CallOutcome], failing: dict[str, Json]) -> Finding:
    """The finding of a failing call, made smaller as a campaign does."""
    verdict = judge(call(failing), failing, roots=("generated",))
    assert verdict is not None

    def fails(arguments: dict[str, Json]) -> bool:
        again = judge(call(arguments), arguments, roots=("generated",))
        return again is not None and again.id == verdict.id

    smallest = minimise(failing, fails=fails, budget=100)
    outcome = call(smallest)
    verdict = judge(outcome, smallest, roots=("generated",)) or verdict
    return Finding(
        id=verdict.id, kind=verdict.kind, exception=verdict.exception, frame=verdict.frame,
        message=verdict.message, arguments=smallest, call=1, origin=verdict.origin,
        standing=verdict.standing, reason=verdict.reason,
    )  # fmt: skip


def in_process(source: str) -> Callable[[dict[str, Json]], CallOutcome]:
    """Calls of the function ``tool`` of a source, each in a namespace of its own."""
    name = f"<generated {hash(source)}>"
    compiled = compile(source, name, "exec")
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)

    def call(arguments: dict[str, Json]) -> CallOutcome:
        namespace: dict[str, Any] = {}
        exec(compiled, namespace)
        try:
            text = str(namespace["tool"](**arguments))
        except Exception as error:  # noqa: BLE001 - what it raises is what is looked for
            last = traceback.extract_tb(error.__traceback__)
            own = [frame for frame in last if frame.filename == name]
            if not own:  # arguments that do not fit the signature
                return CallOutcome(status="rejected", message=str(error))
            line = own[-1].line or ""
            frame = StackFrame(
                file="generated", line=own[-1].lineno or 0, source=line, function=own[-1].name
            )
            by = "tool" if line.startswith("raise") else "operation"
            return CallOutcome(
                status="raised", exception=type(error).__name__, message=str(error), frame=frame,
                origin=ExceptionOrigin(by=by, bases=(type(error).__name__,)),
            )  # fmt: skip
        return CallOutcome(status="ok", text=text)

    return call
