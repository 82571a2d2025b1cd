"""Expressions whose evaluation fails in Python itself, one or more for each type of exception that
it raises on its own. What each says is found out by evaluating it, so the messages are those of the
Python that runs the tests."""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import itertools
import json
import math
import operator
import random
import statistics
from collections import deque, namedtuple
from typing import Any

__all__ = ["EXPRESSIONS", "FORMS", "raised_by_evaluating"]

_NAMES: dict[str, Any] = {
    "datetime": dt, "decimal": decimal, "fractions": fractions, "itertools": itertools,
    "json": json, "math": math, "operator": operator, "random": random, "statistics": statistics,
    "deque": deque, "Point": namedtuple("Point", "x y"),
}  # fmt: skip

EXPRESSIONS = (
    # ZeroDivisionError
    "1 / 0", "1.0 / 0", "1 // 0", "1 % 0", "1.5 // 0.0", "1.5 % 0.0", "divmod(1, 0)", "1j / 0",
    "divmod(1.5, 0.0)", "0 ** -1", "0.0 ** -1", "pow(0, -2)", "fractions.Fraction(1, 2) / 0",
    "fractions.Fraction(1, 0)", "decimal.Decimal(1) / 0", "decimal.Decimal(0) / 0",
    "decimal.Decimal(1) % 0",
    # OverflowError
    "10.0 ** 400", "math.exp(1e4)", "int(1e400)", "float(10 ** 400)", "'a' * (1 << 70)",
    "[0] * (1 << 63)", "(1).to_bytes(0, 'big') or (300).to_bytes(1, 'big')",
    "(-1).to_bytes(1, 'big')", "datetime.date.max + datetime.timedelta(days=1)",
    "datetime.timedelta(days=10 ** 10)", "datetime.timedelta(days=1) * 10 ** 10",
    "math.factorial(1 << 70)", "len(range(1 << 70))", "1e300 * 1e10 ** 300", "round(1e400)",
    "math.floor(float('inf'))", "math.cosh(1e4)", "1 << (1 << 70)", "(1e200 + 0j) ** 3",
    "datetime.datetime.fromtimestamp(1e18)", "decimal.Decimal(10) ** 10 ** 18",
    # ValueError of operations: not of a text that has not the form
    "math.sqrt(-1)", "math.log(0)", "math.log(-1.5)", "math.acos(2)", "math.comb(-1, 2)",
    "math.factorial(-1)", "math.gamma(-1)", "int(float('nan'))", "max([])", "min(())",
    "max([], key=len)", "range(1, 2, 0)", "[1, 2][::0]", "'abc'[::0]", "1 << -1", "1 >> -1",
    "chr(-1)", "chr(1 << 21)", "bytes([256])", "bytes(-1)", "[1].index(2)", "(1, 2).index(3)",
    "[1].remove(2)", "''.split('')", "random.sample([1], 2)",
    "random.sample([1, 2], -1)", "random.randrange(0)", "random.randint(3, 1)",
    "round(float('nan'))", "pow(2, -1, 4)", "pow(2, 3, 0)", "math.fmod(1, 0)",
    "math.remainder(1, 0)",
    "math.isqrt(-1)", "math.perm(-1, 1)", "operator.index(2) and deque(maxlen=-1)",
    "deque([1]).index(2)", "deque([1]).remove(2)", "list(itertools.islice([1], -1))",
    "list(zip([1], [], strict=True))", "[a for a, b in [(1,)]]", "[a for a, b in [(1, 2, 3)]]",
    "int('9' * 5000)", "str(10 ** 5000)", "'x' + '{'.format()", "'}'.format()", "'%'  % ()",
    "'{} {1}'.format(1, 2)", "'%d %q' % (1, 2)", "dict([(1, 2, 3)])", "'a'.center(3, 'b') and "
    "slice(1).indices(-1)", "float('nan').as_integer_ratio()", "memoryview(b'abc')[::0]",
    "statistics.mode([])", "statistics.mean([])", "statistics.median([])", "statistics.stdev([1])",
    "statistics.variance([])", "statistics.quantiles([], n=4)", "statistics.harmonic_mean([-1])",
    "statistics.linear_regression([1], [1])",
    "statistics.correlation([1, 2], [1, 1])", "statistics.fmean([])", "random.choices([], k=1)",
    "decimal.Decimal('nan') < 1", "decimal.Decimal(-1).sqrt()", "decimal.Decimal(-1).ln()",
    "json.dumps(float('nan'), allow_nan=False)",
    # IndexError, KeyError
    "[][0]", "()[0]", "''[0]", "[].pop()", "[1].pop(3)", "set().pop()", "deque().pop()",
    "deque()[0]", "bytearray().pop()", "range(1)[2]", "random.choice([])", "'{}'.format()",
    "memoryview(b'a')[2]", "operator.itemgetter(3)([1])", "[1].__setitem__(2, 1)",
    "[1].__delitem__(4)", "bytearray(b'a').__setitem__(3, 1)",
    "{}['place']", "{}.pop('place')", "{}.popitem()", "'{a}'.format()", "'%(a)s' % {}",
    "set().remove('a')", "{1: 2}['x y']", "operator.itemgetter('k')({})",
    # AttributeError
    "None.split", "(1).x", "''.x", "[].add(1)", "{}.append(1)", "math.nothing", "int.nothing",
    "Point(1, 2).z", "object().x", "type('A', (), {})().b", "type('A', (), {}).b",
    "operator.attrgetter('a')(1)", "(lambda: 1).nothing", "setattr(1, 'a', 2)", "delattr([], 'a')",
    "setattr(Point(1, 2), 'x', 3)",
    # TypeError
    "1 + 'a'", "'a' + 1", "[] + ()", "None + 1", "'a' * 'b'", "[] * 1.5", "1 < 'a'", "None > 0",
    "{} < {}", "len(1)", "len(None)", "1[0]", "None['a']", "[]['a']", "''['a']", "()[1.5]",
    "int(None)", "int([])", "float(None)", "float([])", "iter(1)", "list(None)", "sum(['a'])",
    "sum([[1]])", "''.join([1])", "'a'.join(1)", "b''.join(['a'])", "{[]: 1}", "{[]}", "hash({})",
    "sorted([1, 'a'])", "max([1, 'a'])", "max(1)", "min(None)", "None()", "(1)()", "'a'()",
    "len()", "len(1, 2)", "(lambda x: x)()", "(lambda: 1)(2)", "(lambda x: x)(y=1)",
    "(lambda *, x: x)()", "(lambda x: x)(1, x=2)", "int('1', None)", "int(1, 2)", "abs('a')",
    "round('a')", "divmod('a', 1)", "pow('a', 2)", "-'a'", "~1.5", "+[]", "not_iterable in 1 "
    "if False else 1 in 1", "'a' in 1", "1 in 'abc'", "None in 'abc'", "range('a')", "range(1.5)",
    "range(None)", "chr('a')", "ord('ab')", "ord(1)", "ord('')", "'a'.split(1)", "'a'.replace('a')",
    "'a'.replace('a', 1)", "'a'.startswith(1)", "'%d' % 'a'", "'%s %s' % 'a'", "'%s' % (1, 2)",
    "'%c' % 'ab'", "'{:d}'.format('a')", "'{:x}'.format(1.5)", "'{:5}'.format(None)",
    "format([], '5')", "isinstance(1, 1)", "issubclass(1, int)", "dict(1)", "dict([1])", "set(1)",
    "tuple(None)", "reversed(1)", "enumerate(1)", "zip(1)", "map(1)", "list(map(1, [1]))",
    "next([])", "math.sqrt('a')", "math.sqrt(None)", "math.floor('a')", "math.gcd(1.5, 2)",
    "math.factorial(1.5)", "bytes('a')", "bytes(1.5)", "b'a' + 'a'", "'a' + b'a'", "open(None)",
    "json.loads(None)", "json.dumps(object())", "json.dumps({1, 2})", "json.dumps({(1,): 2})",
    "datetime.date('a', 1, 1)", "datetime.date(2024)", "datetime.date.fromisoformat(1)",
    "datetime.date.today() - 1", "datetime.datetime.now() < 1", "datetime.timedelta('a')",
    "datetime.datetime.now() - datetime.datetime.now(datetime.timezone.utc)",
    "decimal.Decimal([])", "decimal.Decimal(1) + 1.5", "fractions.Fraction('a', 1)",
    "fractions.Fraction(1.5, 2)", "[*None]", "{**None}", "(lambda **k: k)(**1)",
    "(lambda *a: a)(*1)", "object(1)", "Point(1)", "Point(1, 2, 3)", "type('A', (1,), {})",
    "[a for a, b in [1]]", "[1].sort(1)", "[].index()", "sorted(None)", "sum(1)", "any(1)",
    "slice()", "complex('a', 1)", "int.from_bytes('a', 'big')", "super()", "__import__(1)",
    "getattr(1, 1)", "type(1, 2)", "memoryview('a')", "'a'.encode(1)", "bytes.fromhex(1)",
    "random.sample(1, 1)", "random.choice(1)", "statistics.mean(1)", "statistics.mean(['a'])",
    "itertools.repeat()", "deque(1)", "[].extend(1)", "{}.update(1)", "(1).bit_length(2)",
    # NameError, RecursionError, StopIteration, RuntimeError, UnicodeError, AssertionError ...
    "not_defined", "not_defined()", "(lambda f: f(f))(lambda f: f(f))",
    "[d.update({k + 1: 0}) for d in [{1: 2}] for k in d]",
    "[s.add(k + 1) for s in [{1}] for k in s]", "[d.append(1) for d in [deque([1])] for k in d]",
    "'\\ud800'.encode()", "'\\xe9'.encode('ascii')", "b'\\xff'.decode()",
    "b'\\xe9'.decode('ascii')",
    "'\\u20ac'.encode('latin-1')", "b'a'.decode('utf-16')", "b'\\xff\\xff\\xff'.decode('utf-32')",
    "'a'.encode('nothing')", "list(x for x in [1] for _ in [next(iter([]))])",
    "memoryview(bytearray(b'a')).cast('I')", "open('a\\0b')",
    "[(a.extend(b'x'), m) for a in [bytearray(b'a')] for m in [memoryview(a)]]",
)  # fmt: skip
"""What a caller cannot make sense of."""

FORMS = (
    "int('a')", "int('')", "int('1.5')", "int('z', 2)", "float('a')", "float('')", "complex('a')",
    "json.loads('')", "json.loads('{')", "json.loads('[1,]')", "json.loads('1 2')",
    "json.loads('\"a')", "json.loads('{a: 1}')", "json.loads('{\"a\" 1}')",
    "json.loads('{\"a\": 1 2}')", "json.loads('\"\\n\"')", "json.loads('\"\\\\x\"')",
    "datetime.date.fromisoformat('a')", "datetime.datetime.fromisoformat('a')",
    "datetime.time.fromisoformat('a')", "datetime.date(2024, 13, 1)", "datetime.date(2024, 2, 30)",
    "datetime.date(0, 1, 1)", "datetime.datetime(2024, 1, 1, 25)",
    "datetime.datetime.strptime('a', '%Y')",
    "datetime.datetime.strptime('2024-01-01x', '%Y-%m-%d')",
    "bytes.fromhex('x')", "__import__('uuid').UUID('x')", "__import__('base64').b64decode('a')",
    "__import__('ipaddress').ip_address('x')", "__import__('zoneinfo').ZoneInfo('Nowhere/X')",
    "fractions.Fraction('a')", "'a'.index('b')", "decimal.Decimal('a')",
)  # fmt: skip
"""A text has not the form that is read: a caller who is told so knows what to do."""


def raised_by_evaluating(expression: str) -> Exception:
    """What evaluating an expression raises."""
    try:
        eval(expression, dict(_NAMES))
    except Exception as error:
        return error
    raise AssertionError(f"{expression} raises nothing")
