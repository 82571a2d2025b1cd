"""What a term of untrusted code asks for is refused where it would take for ever or fill memory."""

from __future__ import annotations

import ipaddress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from knitbone.fuzzing.solve.evaluate import apply
from knitbone.fuzzing.solve.limits import UndefinedError, bounded_list

_HUGE = 2**31
_LONG = "a" * 20_000


def _named(value: Any) -> str | None:
    return value if isinstance(value, str) else None


REFUSED: list[tuple[str, list[Any]]] = [
    ("math.factorial", [_HUGE]),
    ("math.comb", [_HUGE, 2**30]),
    ("operator.sub", [10**30_000, 1]),
    ("operator.lshift", [1, _HUGE]),
    ("operator.mul", ["ab", 10**11]),
    ("operator.mul", [10**11, b"ab"]),
    ("operator.mul", [(1, 2), 10**11]),
    ("operator.mod", ["%1000000000d", 1]),
    ("operator.add", [Fraction(10**30_000), 1]),
    ("pow", [10, _HUGE]),
    ("round", [10, -_HUGE]),
    ("bytes", [_HUGE]),
    ("items", [range(10**11)]),
    ("sum", [range(10**30)]),
    ("sorted", [range(0, -(10**11), -1)]),
    ("sorted_of", [ipaddress.ip_network("10.0.0.0/8")]),
    ("int", [Decimal("1e999999999")]),
    ("fractions.Fraction", ["1e999999999"]),
    ("format", [1, "1000000000d"]),
    (".str.format", ["{:1000000000}", 1]),
    (".str.format", ["{:{}}", 1, _HUGE]),
    (".str.ljust", ["a", _HUGE]),
    (".bytes.zfill", [b"a", _HUGE]),
    (".int.to_bytes", [1, _HUGE, "big"]),
    (".str.replace", [_LONG, "a", _LONG]),
    (".str.join", [_LONG, list(_LONG)]),
    ("xml.fromstring", ["<!DOCTYPE a><a/>"]),
]


@pytest.mark.parametrize(("op", "values"), REFUSED, ids=_named)
def test_an_operation_that_would_not_end_is_refused(op, values):
    with pytest.raises(UndefinedError):
        apply(op, values)


ALLOWED: list[tuple[str, list[Any], Any]] = [
    ("math.factorial", [20], 2432902008176640000),
    ("math.comb", [10, 3], 120),
    ("operator.mul", [10**11, 10**11], 10**22),
    ("operator.mul", ["ab", 3], "ababab"),
    ("round", [10**20, -2], 10**20),
    ("range", [3], range(3)),
    ("items", [range(3)], [0, 1, 2]),
    ("int", [Decimal("1e30")], 10**30),
    (".str.format", ["{} in {}", "spring", 2024], "spring in 2024"),
    (".str.replace", ["a-b", "-", "+"], "a+b"),
    (".str.join", [", ", ["a", "b"]], "a, b"),
    ("getattr", [ipaddress.ip_network("::/0"), "num_addresses"], 2**128),
]


@pytest.mark.parametrize(("op", "values", "worth"), ALLOWED, ids=_named)
def test_an_operation_of_common_size_is_computed(op, values, worth):
    assert apply(op, values) == worth


def test_what_never_ends_is_not_listed():
    with pytest.raises(UndefinedError):
        bounded_list(iter(int, 1))
