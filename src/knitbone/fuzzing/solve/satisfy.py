"""Arguments for which a condition comes out as wanted, an operation raises, or no longer does."""

from __future__ import annotations

import datetime as dt
import random
import re
from collections.abc import Iterator
from typing import Any, cast
from xml.etree import ElementTree as ET

from knitbone.core.events import Json
from knitbone.fuzzing.solve.evaluate import FailedError, Point, UndefinedError
from knitbone.fuzzing.solve.put import put
from knitbone.fuzzing.solve.texts import draw_matching
from knitbone.fuzzing.trace.terms import UNKNOWN, Term

__all__ = ["satisfy"]

Inputs = dict[str, Json]
_SAMPLES = 6
_MEMBERS = 12


def satisfy(
    kind: str, term: Term, wanted: bool, point: Point, rng: random.Random
) -> Iterator[Inputs]:
    """Arguments for which an event of this kind should have the wanted outcome."""
    try:
        if kind == "branch":
            yield from _condition(term, wanted, point, rng)
        elif wanted:
            yield from _succeed(term, point, rng)
        else:
            yield from _fail(term, point)
    except Exception:  # noqa: BLE001 - no way: any outcome can be asked of any operation
        return


def _condition(term: Term, wanted: bool, point: Point, rng: random.Random) -> Iterator[Inputs]:
    op = term.op
    if op == "operator.truth" and type(term.args[0]) is Term:
        yield from _truth(term.args[0], wanted, point, rng)
    elif op == "operator.not_":
        yield from _condition(term.args[0], not wanted, point, rng)
    elif op == "in":
        yield from _membership(term, wanted, point)
    elif op == "isinstance":
        names = cast("tuple[str, ...]", term.args[1])
        for name, value in _OF_TYPE.items():
            if (name in names) == wanted:
                yield from put(term.args[0], value, point)
    elif op in _ORDER:
        yield from _comparison(term, op if wanted else _OPPOSITE[op], point)
    else:
        yield from _truth(term, wanted, point, rng)


_OF_TYPE: dict[str, Any] = {
    "str": "x", "int": 1, "float": 1.5, "list": [1], "dict": {"x": 1}, "bool": True,
    "NoneType": None,
}  # fmt: skip


# -- comparisons ------------------------------------------------------------------------------

_ORDER = frozenset(f"operator.{name}" for name in ("eq", "ne", "lt", "le", "gt", "ge"))
_OPPOSITE = {
    "operator.eq": "operator.ne", "operator.ne": "operator.eq", "operator.lt": "operator.ge",
    "operator.ge": "operator.lt", "operator.gt": "operator.le", "operator.le": "operator.gt",
}  # fmt: skip
_MIRRORED = {
    "operator.lt": "operator.gt", "operator.gt": "operator.lt", "operator.le": "operator.ge",
    "operator.ge": "operator.le",
}  # fmt: skip


def _comparison(term: Term, op: str, point: Point) -> Iterator[Inputs]:
    for mine, other in ((0, 1), (1, 0)):
        if type(term.args[mine]) is not Term:
            continue
        relation = op if mine == 0 else _MIRRORED.get(op, op)
        for value in _related(point.value(term.args[other]), relation, point, term.args[mine]):
            yield from put(term.args[mine], value, point)


def _related(value: Any, op: str, point: Point, mine: Term) -> Iterator[Any]:
    """Values that stand in a relation to one: the nearest first."""
    step = _step(value)
    if op in ("operator.eq", "operator.le", "operator.ge"):
        yield value
    if op == "operator.ne":
        yield from _different(value)
        return
    if step is None:
        if isinstance(value, str) and op in ("operator.lt", "operator.gt"):
            yield "" if op == "operator.lt" else value + "z"
        elif isinstance(value, set | frozenset):
            held = set(cast("set[Any]", value))
            yield held | {"zz"} if op == "operator.gt" else held
        return
    sign = {"operator.lt": -1, "operator.le": -1, "operator.gt": 1, "operator.ge": 1}.get(op)
    if sign is not None:
        for times in (1, 10, 1000):
            yield value + step * (sign * times)
        if isinstance(value, float) or isinstance(_now(point, mine), float):
            yield value + 0.5 * sign


def _now(point: Point, term: Term) -> Any:
    try:
        return point.value(term)
    except (UndefinedError, FailedError):
        return None


def _step(value: Any) -> Any:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return 1
    if isinstance(value, dt.datetime | dt.date):
        return dt.timedelta(days=1)
    return value if isinstance(value, dt.timedelta) and value else None


def _different(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, str):
        yield value + "x"
        # What is often made alike before it is used.
        yield from (value.upper(), value.title(), value.lower(), value + " ", " " + value)
        yield "x"
        yield ""
    elif isinstance(value, list | tuple):
        yield list(value[:-1])
        yield [*value, *(value[-1:] or ["x"])]
    elif (step := _step(value)) is not None:
        yield value + step
        yield value - step


def _membership(term: Term, wanted: bool, point: Point) -> Iterator[Inputs]:
    item, holder = term.args
    held = point.value(holder)
    if wanted:
        if type(item) is Term:
            members = [m for m in held if m is not UNKNOWN]
            for member in members[:_MEMBERS]:
                yield from put(item, member, point)
        if type(holder) is Term:
            value = point.value(item)
            if isinstance(held, str):
                for made in (value, held + value, value + held, f"{held} {value}"):
                    yield from put(holder, made, point)
            elif isinstance(held, dict):
                filler = next(iter(cast("Any", held).values()), "1")
                yield from put(holder, {**cast("Any", held), value: filler}, point)
            else:
                yield from put(holder, [value, *list(held)[1:]], point)
                yield from put(holder, [*held, value], point)
        return
    if type(item) is Term:
        for other in _different(point.value(item)):
            yield from put(item, other, point)
    if type(holder) is Term:
        value = point.value(item)
        if isinstance(held, str):
            yield from put(holder, held.replace(value, "") if value else "", point)
        elif isinstance(held, dict):
            rest = {k: v for k, v in cast("Any", held).items() if k != value}
            yield from put(holder, rest, point)
        else:
            yield from put(holder, [other for other in held if other != value], point)


# -- truth ------------------------------------------------------------------------------------


def _truth(term: Term, wanted: bool, point: Point, rng: random.Random) -> Iterator[Inputs]:
    """A condition that is no comparison: what a test of a text says, or an empty value."""
    op = term.op
    if op == "bool" and type(term.args[0]) is Term:
        yield from _truth(term.args[0], wanted, point, rng)
    elif op in ("re.match", "re.fullmatch", "re.search"):
        yield from _expression(term, wanted, point, rng)
    elif op == ".Element.find":
        value = ET.Element("x") if wanted else None
        yield from put(term, value, point)
    elif op == "getattr" and isinstance(_now(point, term), str) and not wanted:
        for value in ("", None):
            yield from put(term, value, point)
    elif op == ".Match.group" and not wanted:
        yield from _without_group(term, point, rng)
    elif op in (".str.startswith", ".str.endswith"):
        yield from _affix(term, wanted, point)
    elif op.startswith(".str.is"):
        texts = _OF_KIND.get(op.removeprefix(".str.is"), ("a", "1", " ")) if wanted else _ODD
        for text in texts:
            yield from put(term.args[0], text, point)
    elif op in ("math.isnan", "math.isinf") and wanted:
        yield from put(term.args[0], float(op.removeprefix("math.is")), point)
    else:
        for value in _values(_now(point, term), wanted):
            yield from put(term, value, point)


_OF_KIND = {
    "digit": ("7", "123"), "decimal": ("7", "123"), "numeric": ("7", "123"), "alpha": ("abc",),
    "alnum": ("abc1",), "upper": ("ABC",), "lower": ("abc",), "space": (" ",), "title": ("Abc",),
    "ascii": ("abc",), "identifier": ("abc",), "printable": ("abc",),
}  # fmt: skip
_ODD = ("", "a-1", "-", "\u00b2", "Ab c", "1.5", "\x00")


def _values(now: Any, wanted: bool) -> tuple[Any, ...]:
    if isinstance(now, bool):
        return (wanted,)
    if isinstance(now, str):
        return ("x", "1") if wanted else ("",)
    if isinstance(now, int | float):
        return (1, -1) if wanted else (0,)
    if isinstance(now, list | tuple | set):
        return (["x"], [1]) if wanted else ([],)
    if isinstance(now, dict):
        return ({"x": 1},) if wanted else ({},)
    return ()


def _expression(term: Term, wanted: bool, point: Point, rng: random.Random) -> Iterator[Inputs]:
    pattern: Any = term.args[0]
    flags = term.args[2] if len(term.args) > 2 and isinstance(term.args[2], int) else 0
    if isinstance(pattern, re.Pattern):
        pattern, flags = cast("Any", pattern).pattern, cast("Any", pattern).flags
    if not isinstance(pattern, str) or len(term.args) < 2:
        return
    now = point.value(term.args[1])
    if not wanted:
        for text in ("", now[:-1], now + "!", "x"):
            yield from put(term.args[1], text, point)
        return
    for _ in range(_SAMPLES):
        text = draw_matching(pattern, rng, flags)
        if text is not None:
            yield from put(term.args[1], text, point)


def _without_group(term: Term, point: Point, rng: random.Random) -> Iterator[Inputs]:
    """Texts that match without a part that may be missing."""
    match: Any = term.args[0]
    if type(match) is not Term or not match.op.startswith("re.") or len(match.args) < 2:
        return
    pattern: Any = match.args[0]
    text = pattern.pattern if isinstance(pattern, re.Pattern) else pattern
    group: Any = term.args[1] if len(term.args) > 1 else 0
    for _ in range(_SAMPLES * 3):
        made = draw_matching(text, rng)
        found = None if made is None else re.match(text, made)
        if found is not None and not found.group(group):
            yield from put(match.args[1], made, point)


def _affix(term: Term, wanted: bool, point: Point) -> Iterator[Inputs]:
    text, parts = point.value(term.args[0]), point.value(term.args[1])
    start = term.op.endswith("startswith")
    for part in [parts] if isinstance(parts, str) else parts:
        if wanted:
            yield from put(term.args[0], part + text if start else text + part, point)
            yield from put(term.args[0], part, point)
            if len(text) >= len(part):
                made = part + text[len(part) :] if start else text[: len(text) - len(part)] + part
                yield from put(term.args[0], made, point)
        else:
            rest = text.removeprefix(part) if start else text.removesuffix(part)
            yield from put(term.args[0], rest, point)
            yield from put(term.args[0], "x" + text if start else text + "x", point)


# -- operations that raise, or give a value -----------------------------------------------------

_HUGE = 10**12


def _fail(term: Term, point: Point) -> Iterator[Inputs]:
    """Arguments for which an operation raises."""
    op = term.op
    if op in ("operator.getitem", "unpack"):
        yield from _fail_at_part(term, point)
        return
    for index, values in _BREAKING.get(op, ()):
        for value in values:
            if index < len(term.args):
                yield from put(term.args[index], value, point)
    if op in (".str.index", ".str.rindex", ".list.index"):
        yield from _membership(Term("in", (term.args[1], term.args[0])), False, point)
    if op == "member":
        yield from put(term.args[1], "nope", point)
        yield from put(term.args[1], "", point)
    if op in ("datetime.date", "datetime.datetime"):
        for index, value in ((1, 13), (2, 31), (2, 0), (1, 0), (0, 0), (3, 24)):
            if index < len(term.args):
                yield from put(term.args[index], value, point)
    if op in ("operator.add", "operator.sub"):
        for mine in (0, 1):
            if isinstance(_now(point, term.args[mine]), dt.timedelta):
                yield from put(term.args[mine], dt.timedelta(days=3_000_000), point)


_BREAKING: dict[str, tuple[tuple[int, tuple[Any, ...]], ...]] = {
    "int": ((0, ("x", "", "1.5", float("inf"))), (1, (1, 40))),
    "float": ((0, ("x", "")),),
    "operator.truediv": ((1, (0,)),),
    "operator.floordiv": ((1, (0,)),),
    "operator.mod": ((1, (0,)),),
    "divmod": ((1, (0,)),),
    "pow": ((0, (0, 10**6)), (1, (-1, 1e6))),
    "operator.lshift": ((1, (-1,)),),
    "operator.rshift": ((1, (-1,)),),
    "math.sqrt": ((0, (-1,)),),
    "math.isqrt": ((0, (-1,)),),
    "math.log": ((0, (0, -1)), (1, (0, 1))),
    "math.log2": ((0, (0, -1)),),
    "math.log10": ((0, (0, -1)),),
    "math.exp": ((0, (1000,)),),
    "math.factorial": ((0, (-1,)),),
    "math.fmod": ((1, (0,)),),
    "math.acos": ((0, (2,)),),
    "math.asin": ((0, (2,)),),
    "math.floor": ((0, (float("inf"),)),),
    "math.ceil": ((0, (float("inf"),)),),
    "math.trunc": ((0, (float("inf"),)),),
    "round": ((0, (float("inf"),)),),
    "chr": ((0, (-1, 0x110000)),),
    "ord": ((0, ("", "ab")),),
    "xml.fromstring": ((0, ("", "<", "x")),),
    "json.loads": ((0, ("", "{", "x", '{"a": 1} x')),),
    "decimal.Decimal": ((0, ("x", "")),),
    "fractions.Fraction": ((0, ("x", "1/0")),),
    "datetime.datetime.strptime": ((0, ("x", "", "2023-02-30", "24:00", "99:99")),),
    "datetime.date.fromisoformat": ((0, ("x", "", "2023-02-30")),),
    "datetime.datetime.fromisoformat": ((0, ("x", "", "2023-02-30")),),
    "datetime.time.fromisoformat": ((0, ("x", "", "24:01")),),
    "datetime.timedelta": ((0, (_HUGE,)), (1, (_HUGE**2,))),
    "ipaddress.ip_address": ((0, ("x", "999.1.1.1")),),
    "ipaddress.ip_network": ((0, ("x", "10.0.0.1/8")),),
    "uuid.UUID": ((0, ("x", "")),),
    "base64.b64decode": ((0, ("a", "\u00e4")),),
    "bytes.fromhex": ((0, ("x",)),),
    "binascii.unhexlify": ((0, ("x", "a")),),
    "statistics.mean": ((0, ([],)),),
    "statistics.fmean": ((0, ([],)),),
    "statistics.median": ((0, ([],)),),
    "statistics.mode": ((0, ([],)),),
    "statistics.stdev": ((0, ([1],)),),
    "statistics.variance": ((0, ([1],)),),
    "unicodedata.name": ((0, ("\x00", "")),),
    "unicodedata.numeric": ((0, ("x",)),),
    "urllib.parse.urlparse": ((0, ("http://[",)),),
    "urllib.parse.urlsplit": ((0, ("http://[",)),),
    "shlex.split": ((0, ('"',)),),
    ".str.encode": ((0, ("\ud800",)),),
    ".bytes.decode": ((0, (b"\xff",)),),
    ".str.split": ((1, ("",)),),
    ".str.partition": ((1, ("",)),),
    ".date.replace": ((1, (0, 32)), (2, (0, 32)), (3, (0, 32))),
    ".datetime.replace": ((1, (0, 32)), (2, (0, 32)), (3, (0, 32))),
}
"""By operation: which argument makes it raise, with which values."""


def _fail_at_part(term: Term, point: Point) -> Iterator[Inputs]:
    """Take something apart that is not there."""
    holder, key = term.args
    held = point.value(holder)
    if term.op == "unpack":
        for length in (key - 1, key + 1, 0):
            if length >= 0:
                made = held[:length] if length <= len(held) else [*held, *(held[-1:] or ["a"])]
                yield from put(holder, list(made), point)
        return
    if type(holder) is Term:
        name = point.value(key)
        if isinstance(held, dict):
            rest = {k: v for k, v in cast("Any", held).items() if k != name}
            yield from put(holder, rest, point)
        elif isinstance(name, int):
            short = name if name >= 0 else -name - 1
            for length in dict.fromkeys((short, 0)):
                yield from put(holder, held[:length], point)
    if type(key) is Term:
        if isinstance(held, dict):
            for other in ("nope", "", -1, _HUGE):
                yield from put(key, other, point)
        else:
            for other in (len(held), -len(held) - 1):
                yield from put(key, other, point)


def _succeed(term: Term, point: Point, rng: random.Random) -> Iterator[Inputs]:
    """Arguments for which an operation that raised gives a value."""
    op = term.op
    if op == "operator.getitem":
        holder, key = term.args
        held, name = point.value(holder), point.value(key)
        if type(holder) is Term and isinstance(name, int) and not isinstance(held, dict):
            length = name + 1 if name >= 0 else -name
            filler = list(held[-1:]) or ["1"]
            yield from put(holder, [*held, *filler * (length - len(held))], point)
        elif type(holder) is Term and isinstance(held, dict):
            for value in ("1", 1, "2024-05-06", [1], {"a": 1}):
                yield from put(holder, {**cast("Any", held), name: value}, point)
        if type(key) is Term:
            names = list(cast("Any", held)) if isinstance(held, dict) else range(len(held))
            for other in list(names)[:_MEMBERS]:
                yield from put(key, other, point)
    elif op == "unpack":
        held = list(point.value(term.args[0]))
        filler = held[-1:] or ["1"]
        made = (held + filler * term.args[1])[: term.args[1]]
        yield from put(term.args[0], made, point)
    elif op == "member":
        for value in term.args[0][:_MEMBERS]:
            yield from put(term.args[1], value, point)
    elif op == "datetime.datetime.strptime":
        moment = dt.datetime(2024, 5, 6, 7, 8, 9)  # noqa: DTZ001 - as the tool's own
        yield from put(term.args[0], moment.strftime(point.value(term.args[1])), point)
    elif op in _MENDING:
        for index, value in _MENDING[op]:
            if index < len(term.args):
                yield from put(term.args[index], value, point)
    elif op in (".str.index", ".list.index", ".str.rindex"):
        yield from _membership(Term("in", (term.args[1], term.args[0])), True, point)
    elif op == "operator.sub" or op == "operator.add":
        for index in (0, 1):
            yield from put(term.args[index], rng.randint(1, 9), point)


_DOCUMENTS = ("{}", "[]", '{"a": 1}', "[1, 2]", '[{"a": 1}]', '"a"', "1")
_MENDING: dict[str, tuple[tuple[int, Any], ...]] = {
    "int": ((0, "7"), (0, "12"), (0, 7)),
    "float": ((0, "7.5"), (0, "12")),
    "decimal.Decimal": ((0, "7.5"), (0, "12")),
    "fractions.Fraction": ((0, "1/2"),),
    "xml.fromstring": ((0, "<a>1</a>"), (0, '<a><b c="1">2</b></a>')),
    "json.loads": tuple((0, text) for text in _DOCUMENTS),
    "operator.truediv": ((1, 2), (1, 1)),
    "operator.floordiv": ((1, 2), (1, 1)),
    "operator.mod": ((1, 7), (1, 2)),
    "math.sqrt": ((0, 4),),
    "math.log": ((0, 2),),
    "datetime.date.fromisoformat": ((0, "2024-05-06"),),
    "datetime.datetime.fromisoformat": ((0, "2024-05-06T07:08:09"), (0, "2024-05-06")),
    "datetime.time.fromisoformat": ((0, "07:08"),),
    "datetime.date": ((0, 2024), (1, 5), (2, 6)),
    "datetime.datetime": ((0, 2024), (1, 5), (2, 6)),
    "ipaddress.ip_address": ((0, "10.0.0.1"), (0, "::1")),
    "ipaddress.ip_network": ((0, "10.0.0.0/24"),),
    "uuid.UUID": ((0, "12345678-1234-5678-1234-567812345678"),),
    "base64.b64decode": ((0, "aGVsbG8="), (0, "eyJhIjogMX0=")),
    "bytes.fromhex": ((0, "00ff"),),
    "shlex.split": ((0, "a b"),),
    "ord": ((0, "a"),),
    "chr": ((0, 97),),
    ".bytes.decode": ((0, b"a"),),
}
"""By operation: which argument makes it give a value."""
