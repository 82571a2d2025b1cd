"""Arguments for which an operation raises, or no longer does."""

from __future__ import annotations

import bz2
import datetime as dt
import gzip
import lzma
import random
import string
import zlib
from collections.abc import Callable, Iterator, Sized
from typing import Any, cast

from knitbone.fuzzing.solve.evaluate import Point, apply
from knitbone.fuzzing.solve.inversion import put
from knitbone.fuzzing.solve.relations import hold, now
from knitbone.fuzzing.trace.terms import Term
from knitbone.record.events import Json

__all__ = ["fail", "succeed"]

Inputs = dict[str, Json]
_MEMBERS = 12
_HUGE = 10**12


def fail(term: Term, point: Point) -> Iterator[Inputs]:
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
        yield from hold(Term("in", (term.args[1], term.args[0])), False, point)
    if op == "member":
        yield from put(term.args[1], "nope", point)
        yield from put(term.args[1], "", point)
    if op in ("datetime.date", "datetime.datetime"):
        for index, value in ((1, 13), (2, 31), (2, 0), (1, 0), (0, 0), (3, 24)):
            if index < len(term.args):
                yield from put(term.args[index], value, point)
    if op in ("method", "iter"):
        yield from _of_another_type(term, point, fails=True)
    if op in ("operator.add", "operator.sub"):
        for mine in (0, 1):
            if isinstance(now(point, term.args[mine]), dt.timedelta):
                yield from put(term.args[mine], dt.timedelta(days=3_000_000), point)


_BREAKING: dict[str, tuple[tuple[int, tuple[Any, ...]], ...]] = {
    "int": ((0, ("x", "", "1.5", "\u00b2", "\u00bd", float("inf"))), (1, (1, 40))),
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
    "yaml.safe_load": ((0, ("{", "a: b: c")),),
    "ast.literal_eval": ((0, ("", "{", "x")),),
    "tomllib.loads": ((0, ("x", "a = ")),),
    "tomli.loads": ((0, ("x", "a = ")),),
    "configparser": ((0, ("x", "[a]\n[a]", "[a]\nb=1\nb=2")),),
    **{f"{n}.decompress": ((0, (b"", b"x")),) for n in ("gzip", "zlib", "bz2", "lzma")},
    "base64.urlsafe_b64decode": ((0, ("a", "\u00e4")),),
    "base64.b32decode": ((0, ("a", "1")),),
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
            for other in (*_other_keys(cast("Any", held)), "nope", "", -1, _HUGE):
                yield from put(key, other, point)
        else:
            for other in (len(held), -len(held) - 1):
                yield from put(key, other, point)


def _other_keys(held: dict[Any, Any]) -> Iterator[str]:
    """Keys of a single character, where all are such, that are not there."""
    if held and all(isinstance(key, str) and len(key) == 1 for key in held):
        yield from (key for key in "0X9Aa-" + string.ascii_uppercase[1:] if key not in held)


def succeed(term: Term, point: Point, rng: random.Random) -> Iterator[Inputs]:
    """Arguments for which an operation that raised gives a value."""
    op = term.op
    if op == "operator.getitem":
        yield from _fill_part(term, point)
    elif op == "unpack":
        held = point.value(term.args[0])
        held = list(held) if hasattr(held, "__iter__") else []
        filler = held[-1:] or ["1"]
        made = (held + filler * term.args[1])[: term.args[1]]
        yield from put(term.args[0], made, point)
    elif op == "member":
        for value in term.args[0][:_MEMBERS]:
            yield from put(term.args[1], value, point)
    elif op == "datetime.datetime.strptime":
        moment = dt.datetime(2024, 5, 6, 7, 8, 9)  # noqa: DTZ001 - as the tool's own
        yield from put(term.args[0], moment.strftime(point.value(term.args[1])), point)
    elif op in (".str.index", ".list.index", ".str.rindex"):
        yield from hold(Term("in", (term.args[1], term.args[0])), True, point)
    elif op in ("operator.sub", "operator.add"):
        for index in (0, 1):
            yield from put(term.args[index], rng.randint(1, 9), point)
    elif op in ("method", "iter"):
        yield from _of_another_type(term, point, fails=False)
    if op in _OPERATORS and len(term.args) == 2:
        yield from _of_one_type(term, point)
    for index, value in _MENDING.get(op, ()):
        if index < len(term.args):
            yield from put(term.args[index], value, point)


_SAMPLES: tuple[Any, ...] = ([{"a": 1}], {"a": 1}, "1", [1], 1)
"""A value of each type that documents have."""


def _of_another_type(term: Term, point: Point, *, fails: bool) -> Iterator[Inputs]:
    """A value of a type that can, or cannot, do what it is asked."""
    for value in _SAMPLES:
        try:
            apply(term.op, [value, *term.args[1:]])
            can = True
        except (AttributeError, TypeError):
            can = False
        if can != fails:
            yield from put(term.args[0], value, point)


def _of_one_type(term: Term, point: Point) -> Iterator[Inputs]:
    """Two values that are of one type: numbers first, since nearly every operator takes them."""
    left, right = now(point, term.args[0]), now(point, term.args[1])
    if type(left) is type(right):
        yield from (made for mine in (0, 1) for made in put(term.args[mine], 7, point))
        return
    for mine, other in ((0, right), (1, left)):
        if isinstance(other, str | int | float | list):
            yield from put(term.args[mine], other, point)


def _fill_part(term: Term, point: Point) -> Iterator[Inputs]:
    """Put there what is taken apart."""
    holder, key = term.args
    held, name = point.value(holder), point.value(key)
    if type(holder) is Term and isinstance(name, str):
        # Where it is no dictionary yet, it becomes one.
        rest = cast("dict[str, Any]", held) if isinstance(held, dict) else dict[str, Any]()
        for value in ("1", 1, "2024-05-06", [1], {"a": 1}, [{"a": 1}]):
            yield from put(holder, {**rest, name: value}, point)
    elif type(holder) is Term and isinstance(held, str | bytes | int | float | dict | None):
        for value in ("1", 1, {"a": 1}):
            yield from put(holder, [value] * (_index(name) + 1), point)
    elif type(holder) is Term and isinstance(name, int):
        length = name + 1 if name >= 0 else -name
        filler = list(held[-1:]) or ["1"]
        yield from put(holder, [*held, *filler * (length - len(held))], point)
    if type(key) is Term and isinstance(held, Sized):
        names = cast("Any", held) if isinstance(held, dict) else range(len(held))
        for other in list(names)[:_MEMBERS]:
            yield from put(key, other, point)


_DOCUMENTS = ("{}", "[]", '{"a": 1}', "[1, 2]", '[{"a": 1}]', '"a"', "1")


_OPERATORS = frozenset(
    f"operator.{name}"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "le", "gt", "ge")
)
_FURTHEST = 50
"""Items that a list is made to have, so that one of them is there."""


def _index(name: Any) -> int:
    """The position that is asked for, from the front."""
    if not isinstance(name, int):
        return 0
    return min(name if name >= 0 else -name - 1, _FURTHEST)


_PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip.decompress": lambda data: gzip.compress(data, mtime=0),
    "zlib.decompress": zlib.compress,
    "bz2.decompress": bz2.compress,
    "lzma.decompress": lzma.compress,
}
_MENDING: dict[str, tuple[tuple[int, Any], ...]] = {
    "int": ((0, "7"), (0, "12"), (0, 7)),
    "float": ((0, "7.5"), (0, "12")),
    "decimal.Decimal": ((0, "7.5"), (0, "12")),
    "fractions.Fraction": ((0, "1/2"),),
    "xml.fromstring": ((0, "<a>1</a>"), (0, '<a><b c="1">2</b></a>')),
    "json.loads": tuple((0, text) for text in _DOCUMENTS),
    "yaml.safe_load": tuple((0, text) for text in _DOCUMENTS),
    "ast.literal_eval": tuple((0, text) for text in _DOCUMENTS),
    "tomllib.loads": ((0, "a = 1"), (0, "[a]\nb = 1")),
    "tomli.loads": ((0, "a = 1"), (0, "[a]\nb = 1")),
    "configparser": ((0, "[a]\nb = 1\n"),),
    **{name: ((0, pack(b'{"a": 1}')), (0, pack(b"a"))) for name, pack in _PACKED.items()},
    **dict.fromkeys(
        ("base64.urlsafe_b64decode", "base64.standard_b64decode", "binascii.a2b_base64"),
        ((0, "aGVsbG8="), (0, "eyJhIjogMX0=")),
    ),
    "base64.b32decode": ((0, "NBSWY3DP"),),
    "base64.b16decode": ((0, "00FF"),),
    "binascii.unhexlify": ((0, "00ff"),),
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
