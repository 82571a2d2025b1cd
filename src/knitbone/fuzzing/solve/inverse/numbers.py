"""Back through arithmetic and through what makes numbers of texts."""

from __future__ import annotations

import math
from typing import Any

from knitbone.fuzzing.solve.inverse.view import Changes, Step, TermView

__all__ = ["STEPS"]


def _whole(value: Any) -> Any:
    """A float without a fraction as an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _add(view: TermView, value: Any) -> Changes:
    if isinstance(value, str):
        if view.is_term(0):
            other = view[1]
            yield 0, value[: -len(other)] if other and value.endswith(other) else value
        if view.is_term(1):
            yield 1, value.removeprefix(view[0])
        return
    if view.is_term(0):
        yield 0, value - view[1]
    if view.is_term(1):
        yield 1, value - view[0]


def _sub(view: TermView, value: Any) -> Changes:
    if view.is_term(0):
        yield 0, view[1] + value
    if view.is_term(1):
        yield 1, view[0] - value


def _mul(view: TermView, value: Any) -> Changes:
    for mine, other in ((0, 1), (1, 0)):
        if view.is_term(mine):
            factor: Any = view[other]
            if isinstance(value, str) and isinstance(factor, int):
                yield mine, value
            elif factor:
                yield mine, _whole(value / factor)
                if isinstance(value, int) and isinstance(factor, int):
                    yield mine, value // factor  # exact also where floats are not
            elif not value:
                yield mine, view[mine]


def _truediv(view: TermView, value: Any) -> Changes:
    if view.is_term(0):
        yield 0, _whole(value * view[1])
    if view.is_term(1) and value:
        yield 1, _whole(view[0] / value)


def _floordiv(view: TermView, value: Any) -> Changes:
    if view.is_term(0):
        yield 0, value * view[1]
        yield 0, value * view[1] + abs(view[1]) - 1
    if view.is_term(1) and value:
        yield 1, view[0] // value


def _mod(view: TermView, value: Any) -> Changes:
    left, right = view[0], view[1]
    if isinstance(left, str):
        return
    if view.is_term(0) and right:
        base = left - left % right + value
        for times in (0, 1, -1, 2, 5, 10, 100):
            yield 0, base + times * right
        yield 0, value
    if view.is_term(1) and left > value:
        yield 1, left - value


def _and(view: TermView, value: Any) -> Changes:
    for mine, other in ((0, 1), (1, 0)):
        if view.is_term(mine):
            mask = view[other]
            yield mine, (view[mine] & ~mask) | (value & mask)


def _or(view: TermView, value: Any) -> Changes:
    for mine, other in ((0, 1), (1, 0)):
        if view.is_term(mine):
            yield mine, value & ~view[other]
            yield mine, value


def _xor(view: TermView, value: Any) -> Changes:
    for mine, other in ((0, 1), (1, 0)):
        if view.is_term(mine):
            yield mine, value ^ view[other]


def _shifted_left(view: TermView, value: Any) -> Changes:
    yield 0, value >> view[1]


def _shifted_right(view: TermView, value: Any) -> Changes:
    yield 0, value << view[1]


def _power(view: TermView, value: Any) -> Changes:
    if view.is_term(0) and view[1]:
        root = abs(value) ** (1 / view[1])
        yield 0, round(root) if isinstance(view[0], int) else root
    if view.is_term(1) and view[0] > 1 and value > 0:
        yield 1, round(math.log(value, view[0]))


def _negative(_: TermView, value: Any) -> Changes:
    yield 0, -value


def _absolute(view: TermView, value: Any) -> Changes:
    now = view[0]
    yield 0, -value if now < 0 else value
    yield 0, value if now < 0 else -value


def _to_int(view: TermView, value: Any) -> Changes:
    now = view[0]
    if isinstance(now, str):
        base = view[1] if len(view) > 1 else 10
        text = str(value) if base == 10 else {2: bin, 8: oct, 16: hex}[base](value)
        digits = now.strip().lstrip("+-")
        if digits.isdigit() and len(str(abs(value))) <= len(digits):
            sign = "-" if value < 0 else ""
            yield 0, sign + str(abs(value)).zfill(len(digits))
        yield 0, text
    else:
        yield 0, float(value) if isinstance(now, float) else value


def _to_float(view: TermView, value: Any) -> Changes:
    now = view[0]
    if isinstance(now, str):
        yield 0, str(_whole(float(value)))
        yield 0, repr(float(value))
    else:
        yield 0, _whole(value) if isinstance(now, int) else value


def _to_text(view: TermView, value: Any) -> Changes:
    now = view[0]
    if isinstance(now, bool):
        return
    if isinstance(now, int):
        yield 0, int(value)
    elif isinstance(now, float):
        yield 0, float(value)
    else:
        yield 0, value


def _same(_: TermView, value: Any) -> Changes:
    """What leaves a value as it is, where nothing speaks against it."""
    yield 0, value


def _root(_: TermView, value: Any) -> Changes:
    yield 0, value * value


def _sum(view: TermView, value: Any) -> Changes:
    items = list(view[0])
    if not items:
        yield 0, [value]
        return
    short = value - sum(items)
    for index in (len(items) - 1, 0):
        made = list(items)
        made[index] = _whole(made[index] + short)
        yield 0, made


def _ordinal(_: TermView, value: Any) -> Changes:
    yield 0, chr(value)


def _character(_: TermView, value: Any) -> Changes:
    yield 0, ord(value)


def _shown(_: TermView, value: Any) -> Changes:
    yield 0, str(value)


STEPS: dict[str, Step] = {
    "operator.add": _add, "operator.sub": _sub, "operator.mul": _mul, "operator.mod": _mod,
    "operator.truediv": _truediv, "operator.floordiv": _floordiv, "pow": _power,
    "operator.and_": _and, "operator.or_": _or, "operator.xor": _xor,
    "operator.lshift": _shifted_left, "operator.rshift": _shifted_right,
    "operator.neg": _negative, "operator.pos": _same, "abs": _absolute, "math.fabs": _absolute,
    "int": _to_int, "float": _to_float, "str": _to_text, "format": _to_text, "round": _same,
    "math.floor": _same, "math.ceil": _same, "math.trunc": _same, "math.sqrt": _root,
    "math.isqrt": _root, "decimal.Decimal": _shown, "fractions.Fraction": _shown, "sum": _sum,
    "bool": _same, "ord": _ordinal, "chr": _character, ".Decimal.quantize": _same,
}  # fmt: skip
