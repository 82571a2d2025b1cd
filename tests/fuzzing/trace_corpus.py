# ruff: noqa: E501 - the programs are as people write them
"""Small functions as people write them, one a block, each called ``f``: what tracing is held
against. Parameters are drawn by their annotations."""

from __future__ import annotations

import ast
from typing import NamedTuple

__all__ = ["PROGRAMS", "Program"]


class Program(NamedTuple):
    """One function, with whatever it needs beside it."""

    source: str
    parameters: dict[str, str]
    """Annotations by name."""


_OPERATORS = """
def f(n: int, m: int):
    return n + m, n - m, n * m, n / m, n // m, n % m

def f(n: int, m: int):
    return n & m, n | m, n ^ m, ~n, -n, +n, abs(n), n << (m % 8), n >> (m % 8), n ** (m % 5)

def f(x: float, n: int):
    return x + n, x * n, x // n, x % n, divmod(x, n), round(x, 2), int(x), x == n, x < n

def f(s: str, n: int):
    return s + n

def f(s: str, t: str):
    return s + t, s * 2, s < t, s == t, s in t, s not in t, s != t

def f(n: int, s: str):
    return n < s

def f(n: int, x: float):
    return 0 < n < 10, -5 <= n <= x < 1e6, 1 < x != 3 < 7, n == x == 0

def f(n: int, words: list[str]):
    return 0 <= n < len(words) and words[n] or "nothing"

def f(s: str, words: list[str]):
    return s in words in [words], s == s.strip() != ""

def f(n: int):
    seen = []
    def g(k):
        seen.append(k)
        return k
    return g(n) < g(3) < g(n * 2) < g(100), seen

def f(n: int, nums: list[int]):
    n += 1
    nums += [n]
    n *= 2
    n -= len(nums)
    nums[0] += n
    return n, nums

def f(s: str, n: int):
    s += "!"
    s *= n % 3
    s %= ()
    return s

def f(n: int, m: int):
    return not n, n and m, n or m, (n and m) or (m and "m"), not (n or m)

def f(x: float):
    if x != x:
        return "nan"
    return x if x > 0 else -x if x < -1 else None

def f(n: int):
    assert n > 0, f"not {n}"
    assert n < 1000, ("too large", n)
    return n

def f(nums: list[int], n: int):
    return nums * (n % 3), nums + [n], [n] + nums, nums == [n], nums < [n, 2], (n,) < tuple(nums)

def f(n: int, m: int):
    return pow(n, m % 7, 13), n.bit_length(), n.real, n.numerator, int.__add__(n, m), n.__class__

def f(b: bytes, n: int):
    return b + b"x", b[0], b[1:], b.hex(), list(b), bytes(b), b == b"", b in b"abc", b * (n % 3)

def f(x: float):
    return x.is_integer(), x.hex(), x.as_integer_ratio(), x.__class__ is float, type(x) is float
"""

_TEXTS = """
def f(s: str, n: int):
    return s[0], s[n], s[-1], s[1:], s[:n], s[::-1], s[n:2], s[::2]

def f(s: str):
    return s.upper(), s.lower(), s.title(), s.strip(), s.split(), s.casefold(), s.swapcase()

def f(s: str, t: str):
    return s.split(t), s.partition(t), s.rpartition(t), s.replace(t, "-"), s.count(t), s.find(t)

def f(s: str, t: str):
    return s.index(t), s.rindex(t)

def f(s: str, t: str):
    return s.startswith(t), s.endswith((t, "x")), s.removeprefix(t), s.removesuffix(t)

def f(s: str):
    return s.isdigit(), s.isalpha(), s.isspace(), s.isupper(), s.isidentifier(), s.isnumeric()

def f(s: str, n: int):
    return s.ljust(n % 20), s.center(n % 20, "*"), s.zfill(n % 20), s.expandtabs(4), len(s)

def f(s: str):
    key, _, value = s.partition("=")
    name, number = s.split(";")
    return key, value, name, int(number)

def f(s: str):
    first, *rest = s.split(",")
    *head, last = s
    return first, rest, head, last

def f(s: str):
    a, b = s
    (c, d), e = s, a
    return a + b, c + d + e

def f(s: str):
    a = b, c = s
    return a, b, c

def f(s: str):
    first, *rest = whole = s
    return first, rest, whole, type(whole)

def f(s: str, n: int, x: float):
    return f"{s}|{s!r}|{s!a}|{n:05d}|{x:.2f}|{n:>{10}}|{s:^{n % 9}}|{n=}|{x!s:>8}|{{}}"

def f(n: int, nums: list[int]):
    return f"{nums} {nums.pop()} {nums} {n} {len(nums)!r:>4}"

def f(s: str):
    return f"{s:d}"

def f(x: float):
    return f"{x:,.3f} {x:e} {x:+.1%} {x:g}"

def f(s: str, n: int):
    return "%s is %d or %5.1f%%" % (s, n, n), "%r" % s, "%(a)s" % {"a": n}, "%s" % n

def f(s: str, n: int):
    return "{} {n} {0!r:>10}".format(s, n=n), "{0[0]}".format(s), "{a}".format_map({"a": s})

def f(s: str, n: int):
    return s % n

def f(s: str):
    return s.format(1, a=2)

def f(words: list[str], s: str):
    return s.join(words), ",".join(w for w in words), "".join([s]), "-".join(map(str, range(3)))

def f(words: list[str]):
    return "".join(words + [1])

def f(s: str):
    return s.encode(), s.encode("ascii", "replace"), s.encode("latin-1")

def f(b: bytes):
    return b.decode(), b.decode("ascii", errors="ignore")

def f(b: bytes):
    return b.split(b","), b.strip(), b.startswith(b"a"), b.find(b"b"), b.upper(), b.join([b, b])

def f(s: str):
    return str.upper(s), str.join(s, ["a", "b"]), str(s), repr(s), ascii(s), ord(s[0]), chr(len(s))

def f(s: str):
    return s.translate({97: "b", 98: None}), s.translate(str.maketrans("ab", "cd")), s.splitlines()

def f(s: str):
    return int(s), float(s)

def f(s: str, n: int):
    return int(s, 16), int(s, base=n % 37)

def f(s: str):
    return [c for c in s if c.isalpha()], {c: s.count(c) for c in s}, sorted({c for c in s})

def f(s: str):
    out = []
    for i, c in enumerate(s):
        if c == "a":
            continue
        if i > 5:
            break
        out.append(c + str(i))
    else:
        out.append("end")
    return out

def f(s: str):
    total = 0
    for c in reversed(s):
        total = total * 31 + ord(c)
    return total % 97

def f(s: str, t: str):
    return [(a, b) for a, b in zip(s, t)], all(a == b for a, b in zip(s, t)), any(c in t for c in s)

def f(s: str):
    return max(s), min(s, key=ord), sorted(s), sorted(s, key=lambda c: -ord(c)), set(s) == set(s)

def f(s: str):
    i = 0
    while i < len(s) and s[i] != " ":
        i += 1
    return s[:i], i

def f(s: str):
    while (part := s[:3]) and not part.isspace():
        s = s[3:]
    return part, s

def f(s: str):
    return (lambda t: t[::-1])(s), [g(s) for g in (str.upper, len, repr)]

def f(s: str):
    return hash(s) == hash(str(s)), s is s, id(s) == id(s), hasattr(s, "term"), hasattr(s, "upper")

def f(n: int):
    return hasattr(n, "__dict__"), hasattr(n, "real"), getattr(n, "imag"), getattr(n, "nothing", 7)

def f(n: int):
    return n.nothing

def f(s: str):
    return s.year

def f(s: str):
    return vars(s)

def f(n: int):
    return sorted(name for name in dir(n) if not name.startswith("_"))

def f(s: str):
    return type(s), type(s) is str, type(s)("a"), s.__class__("b"), s.__class__.__name__, type(s)(s)

def f(s: str):
    return isinstance(s, str), isinstance(s, (int, str)), isinstance(s, int | float), issubclass(type(s), str)

def f(s: str, n: int):
    print(s, n, sep="-", end="")
    return callable(s), bool(s), eval("s + 'x'"), len(locals())

def f(n: int):
    for i in n:
        pass

def f(n: int):
    gen = (i for i in n)
    return 1

def f(n: int):
    a, b = n

def f(n: int):
    first, *rest = n

def f(n: int):
    return n()

def f(n: int):
    return n[0]

def f(s: str, n: int):
    return s(n), n(*s)

def f(n: int):
    return print(*n)

def f(s: str):
    return max(s, **s)

def f(s: str):
    return sorted(s, key=len, **{"key": 1})

def f(s: str, n: int):
    return len(s, n)

def f(s: str):
    return s.split(1)

def f(s: str, n: int):
    return s.split(maxsplit=n % 3), s.split(",", n % 2), s.rsplit(None, 1)
"""

_CONTAINERS = """
def f(words: list[str], n: int):
    return words[n], words[:n], words[-1]

def f(words: list[str], s: str):
    words.append(s)
    words.extend([s, s])
    words.insert(0, "x")
    words.reverse()
    words.remove(s)
    return words, words.index(s), words.count(s), words.copy(), words.pop(), len(words)

def f(words: list[str]):
    words.sort()
    del words[0]
    words[0:1] = ["a", "b"]
    return words, sorted(words, key=len, reverse=True), list(reversed(words)), sum(map(len, words))

def f(words: list[str]):
    for w in words:
        if len(w) > 2:
            words.remove(w)
    return words

def f(nums: list[int]):
    return sum(nums), max(nums), min(nums), sum(nums) / len(nums), sum(x * x for x in nums)

def f(nums: list[int]):
    return max(nums, default=0), sum(nums, 10), sum([[n] for n in nums], []), any(nums), all(nums)

def f(nums: list[int], n: int):
    return [a for a in nums if a > n], [a / n for a in nums if a], {a % 3: a for a in nums}

def f(nums: list[int]):
    a, b, *rest = nums
    [c, d] = nums[:2]
    return a - b, rest, c * d

def f(nums: list[int]):
    nums[0], nums[-1] = nums[-1], nums[0]
    nums[1:2] = []
    return nums, len(nums) == 2, nums == sorted(nums)

def f(nums: list[int]):
    nums[0] = 5
    return sum(nums), nums[0] == 5, nums == [5], str(nums), len(nums), nums

def f(nums: list[int]):
    total = 0
    for n in nums:
        if n < 0:
            raise ValueError(f"negative: {n}", n)
        total += 10 // n
    return total

def f(table: dict[str, int], s: str):
    return table[s]

def f(table: dict[str, int], s: str):
    return table.get(s), table.get(s, 5), s in table, table.get("a", s), list(table), len(table)

def f(table: dict[str, int], s: str):
    table[s] = table.get(s, 0) + 1
    table.setdefault("new", s)
    table.update(extra=s)
    del table["extra"]
    return table, table.pop(s), sorted(table.items()), list(table.values())[:2], table.popitem()

def f(table: dict[str, int]):
    out = {}
    for key, value in table.items():
        out.setdefault(value, []).append(key)
    return out, {v: k for k, v in table.items()}, {**table, "z": 1}, table | {"y": 2}

def f(table: dict[str, int]):
    for key in table:
        if key == "a":
            del table[key]
    return table

def f(table: dict[str, int]):
    return table["a"] + table["b"], table.keys() == {"a"}, max(table, key=table.get)

def f(s: str):
    return {"red": 1, "green": 2}[s]

def f(s: str, n: int):
    prices = {"a": [1, 2], "b": [3]}
    return prices.get(s, [n])[0], prices[s][n]

def f(s: str):
    return ("a", "b", "c").index(s), ["x", "y"].index(s)

def f(n: int):
    return ("a", "b", "c")[n], "abc"[n], [1, 2, 3][n], range(5)[n]

def f(data):
    return data["items"][0]["name"]

def f(data):
    total = 0
    for item in data:
        total += item["price"] * item.get("count", 1)
    return total

def f(data):
    if isinstance(data, dict):
        return sorted(map(str, data))
    if isinstance(data, (list, tuple)):
        return len(data)
    if data is None or data is True:
        return str(data)
    return type(data).__name__

def f(data):
    def depth(value):
        if isinstance(value, dict):
            return 1 + max((depth(v) for v in value.values()), default=0)
        if isinstance(value, list):
            return 1 + max(map(depth, value), default=0)
        return 0
    return depth(data)

def f(data):
    return str(data), repr(data), bool(data), data == data, [data] == [data], f"{data}"

def f(data):
    data.append(data)
    return len(data), data[-1] is data

def f(data):
    data["self"] = data
    return len(data)

def f(words: list[str], nums: list[int]):
    pairs = list(zip(words, nums))
    return dict(pairs), [w * n for w, n in pairs if n < 5], [*words, *nums], {*nums} == set(nums)

def f(nums: list[int]):
    seen = set()
    out = []
    for n in nums:
        if n in seen:
            return "again", n
        seen.add(n)
        out.append(n not in out)
    return sorted(seen), out, seen & {1, 2}, seen.issubset({1}), frozenset(seen) == seen

def f(nums: list[int], n: int):
    s = set(nums)
    return len(s), n in s, s.union([n]) == s, s - {n} == s, sorted(s ^ {n, 1})

def f(words: list[str]):
    return [[c for c in w] for w in words], [(i, w) for i, w in enumerate(words, 1) if i % 2]

def f(words: list[str]):
    parts = [w.split("=") for w in words]
    return {p[0]: p[1] for p in parts}

def f(words: list[str]):
    return tuple(int(w) for w in words) > (3, 8), [int(w) for w in words]

def f(s: str):
    numbers = [int(p) for p in s.split(".") if p]
    return len(numbers), numbers, max(numbers), numbers[:2] == [1, 2], tuple(numbers) < (2,)

def f(nums: list[int]):
    it = iter(nums)
    return next(it), next(it, None), list(it), next(it)

def f(nums: list[int]):
    def pairs():
        for a in nums:
            got = yield a
            if got:
                yield got * 2
        return "done"
    g = pairs()
    first = next(g)
    return first, g.send(first), list(g)

def f(nums: list[int]):
    def inner():
        return (yield from nums)
    return list(inner()), sum(n for n in inner()), [*inner()]

def f(nums: list[int]):
    yield len(nums)
    for n in nums:
        yield 100 // n

def f(words: list[str]):
    index = {w: i for i, w in enumerate(words)}
    return index, [index[w] for w in words], list(index.keys()) == words

def f(nums: list[int], n: int):
    matrix = [[a * b for a in nums] for b in nums[:3]]
    return matrix, [row[n] for row in matrix], [sum(col) for col in zip(*matrix)]

def f(nums: list[int]):
    try:
        return sum(nums) / len(nums)
    except ZeroDivisionError as error:
        raise ValueError("no numbers", *error.args) from error

def f(words: list[str]):
    return sum(len(w) for w in words if w) // len([w for w in words if w])

def f(words: list[str]):
    return sum(words)

def f(nums: list[int]):
    calls = []
    def noted(n):
        calls.append(n)
        return n if len(calls) < 3 else "x"
    try:
        return sum(noted(n) for n in nums)
    except TypeError as error:
        return calls, str(error)
"""

_STATEMENTS = """
def f(s: str, n: int):
    match s:
        case "":
            return "empty"
        case "a" | "b":
            return "letter"
        case str() if len(s) > 5:
            return "long"
        case _:
            return "other"

def f(data):
    match data:
        case {"name": str(name), **rest}:
            return name, rest
        case [first, *others]:
            return first, others
        case int(n) if n > 3:
            return n + 1
        case None | True:
            return "constant"
        case x:
            return type(x)

def f(n: int):
    match n:
        case 0:
            return "none"
        case 1 | 2 | 3:
            return "few"
        case -1:
            return "minus"
    return n

def f(s: str):
    match s.split():
        case ["go", where]:
            return where
        case ["say", *words]:
            return words
        case [one]:
            return one

def f(s: str, n: int):
    try:
        return int(s) // n
    except ValueError:
        return "no number"
    except ZeroDivisionError as error:
        return str(error)
    finally:
        n = 0

def f(s: str):
    try:
        int(s)
    except ValueError as error:
        raise KeyError(s) from error
    else:
        raise RuntimeError("a number", s)

def f(s: str):
    class Problem(Exception):
        def __init__(self, text, code):
            super().__init__(text)
            self.code = code
    raise Problem(s, len(s))

def f(n: int):
    try:
        try:
            return 1 / n
        finally:
            if n == 0:
                raise LookupError(n)
    except LookupError as error:
        return repr(error), error.__context__.__class__.__name__

def f(s: str):
    from contextlib import contextmanager, suppress
    log = []
    @contextmanager
    def open_it(name):
        log.append(name)
        try:
            yield name.upper()
        finally:
            log.append("closed")
    with open_it(s) as a, suppress(ValueError):
        log.append(a)
        int(s)
        log.append("number")
    return log

def f(n: int):
    counter = 0
    def up(by=1):
        nonlocal counter
        counter += by
        return counter
    up(), up(n), up(by=n * 2)
    return counter

LAST = []
def f(s: str):
    global LAST
    LAST = LAST[-1:] + [s]
    return s

CACHE = {}
def f(s: str):
    if s not in CACHE:
        CACHE[s] = s.upper() + "!"
    return CACHE[s]

def twice(function):
    import functools
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs), function(*args, **kwargs)
    return inner
@twice
def helper(s, *, times=2):
    return s * times
def f(s: str, n: int):
    return helper(s), helper(s, times=n % 3), helper.__name__

class Account:
    rate = 2
    def __init__(self, owner, balance=0):
        self.owner = owner
        self._balance = balance
    @property
    def balance(self):
        return self._balance
    @balance.setter
    def balance(self, value):
        if value < 0:
            raise ValueError("overdrawn by %d" % -value)
        self._balance = value
    @classmethod
    def named(cls, text):
        return cls(*text.split(":", 1))
    @staticmethod
    def check(n):
        return n % 2 == 0
    def __repr__(self):
        return f"Account({self.owner!r}, {self._balance})"
    def __eq__(self, other):
        return isinstance(other, Account) and self.owner == other.owner
    def __lt__(self, other):
        return self._balance < other._balance
    def __len__(self):
        return len(self.owner)
    def __getitem__(self, key):
        return self.owner[key]
    def __add__(self, other):
        return Account(self.owner, self._balance + other)
    __radd__ = __add__
    def __contains__(self, part):
        return part in self.owner
    def __bool__(self):
        return self._balance > 0
    def __call__(self, n):
        return n * self.rate
class Savings(Account):
    __slots__ = ("extra",)
    def __init__(self, owner, balance):
        super().__init__(owner, balance)
        self.extra = balance * self.rate
    def total(self):
        return super().balance + self.extra
def f(s: str, n: int):
    a = Account(s, n)
    b = a + n
    b.balance -= 10
    c = Savings(s, n)
    return repr(a), a == b, a < b, len(a), a[0:2], "x" in a, bool(a), a(n), c.total(), n + a, Account.check(n)

class Node:
    def __init__(self, value, after=None):
        self.value, self.after = value, after
    def __iter__(self):
        node = self
        while node is not None:
            yield node.value
            node = node.after
def f(nums: list[int]):
    head = None
    for n in nums:
        head = Node(n, head)
    return list(head or ()), max(head), head.value if head else None, [*head]

from dataclasses import dataclass, field, asdict, replace
@dataclass(order=True)
class Item:
    name: str
    price: float = 0.0
    tags: list = field(default_factory=list)
    def __post_init__(self):
        if self.price < 0:
            raise ValueError(f"price of {self.name}")
def f(s: str, x: float):
    item = Item(s, x, [s])
    return item, asdict(item), replace(item, name="b"), item == Item(s, x, [s]), item < Item("m", 1.0)

@__import__("dataclasses").dataclass(frozen=True)
class Point:
    x: int
    y: int
def f(n: int, m: int):
    p = Point(n, m)
    return p, hash(p) == hash(Point(n, m)), {p: 1}, p.x / p.y

from enum import Enum, IntEnum, Flag
class Colour(Enum):
    RED = "red"
    GREEN = "green"
    @classmethod
    def _missing_(cls, value):
        return cls.RED if value == "rouge" else None
def f(s: str):
    return Colour(s), Colour[s.upper()].value

class Level(__import__("enum").IntEnum):
    LOW = 1
    HIGH = 5
def f(n: int):
    return Level(n) > Level.LOW, Level(n).name, Level.HIGH + n

from collections import namedtuple
from typing import NamedTuple
Pair = namedtuple("Pair", "left right")
class Row(NamedTuple):
    name: str
    size: int = 3
def f(s: str, n: int):
    p, r = Pair(s, n), Row(s)
    return p, p.left + "x", p._replace(right=0), p == (s, n), r, r.size * n, p._asdict()

def f(s: str, n: int):
    Made = type("Made", (), {"size": n, "name": lambda self: s})
    return Made().size, Made().name(), Made.__name__, Made.__module__ == __name__

async def f(n: int):
    import asyncio
    async def part(k):
        await asyncio.sleep(0)
        return 10 // k
    return await part(n), await asyncio.gather(part(1), part(2)), [await part(k) for k in (1, 5)]

async def f(nums: list[int]):
    for n in nums:
        yield n * 2
        if n > 100:
            raise ValueError(n)

async def f(words: list[str]):
    class Manager:
        async def __aenter__(self):
            return words
        async def __aexit__(self, *stuff):
            return False
    async def each():
        for w in words:
            yield w
    async with Manager() as got:
        return [w.upper() async for w in each() if w], got[0]

def f(n: int):
    def fact(k):
        return 1 if k <= 1 else k * fact(k - 1)
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)
    return fact(n % 20), fib(n % 12)

def f(n: int):
    def even(k):
        return True if k == 0 else odd(k - 1)
    def odd(k):
        return False if k == 0 else even(k - 1)
    return even(abs(n) % 50)

def f(a: str, *rest: str, b: int = 3, **more: int):
    return a, rest, b, more

def f(s: str, n: int = 5, /, *, x: float = 1.5):
    return s, n, x

def f(n: int):
    functions = [lambda x, k=k: x + k for k in range(3)]
    return [g(n) for g in functions], (lambda *a, **k: (a, k))(n, z=n)

def f(s: str):
    if not s:
        return None
    elif s[0].isupper() and (s[-1] == "." or len(s) > 4):
        return "sentence"
    return "x" if s.islower() else ("y", s)

def f(n: int):
    slice = max
    len = lambda x: 7
    return "abc"[1:], [1, 2, 3][:n], len("a"), slice(n, 1)

def f(self: int, function: str):
    def g(site, self, function):
        return site, self, function
    import functools
    h = functools.partial(g, function=function)
    return g(site=1, self=self, function=function), h(1, self), dict(self=self, function=function)

def f(n: int):
    x: int = n
    y: "list[int]" = [x] * (x % 3)
    del x
    return y, [z for z in y if (w := z) > 2]

def f(data):
    out = []
    for key, (a, b) in {"k": (data, 1)}.items():
        out.append((key, a, b))
    for i, out_of in enumerate([data]):
        pass
    return out, i

import warnings
def f(s: str):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn(s or "empty", stacklevel=1)
    return str(caught[0].message), caught[0].lineno, caught[0].filename == __file__

def f(s: str):
    import sys, inspect
    return sys._getframe().f_code.co_name, inspect.currentframe().f_code.co_name, inspect.stack()[0].function
"""

_LIBRARY = r"""
import re
def f(s: str):
    found = re.match(r"(\w+)-(\d+)", s)
    if not found:
        return None
    return found.group(1), int(found[2]), found.groups(), found.span(), found.start(1), found.string

import re
WORD = re.compile(r"[a-z]+", re.I)
def f(s: str):
    return WORD.findall(s), WORD.sub("_", s), WORD.split(s), WORD.search(s) is not None, [m.group() for m in WORD.finditer(s)]

import re
def f(s: str, t: str):
    return re.search(t, s), re.escape(t), re.sub("a", lambda m: m.group().upper(), s), re.compile("b").match(s, 1)

import re
def f(s: str):
    m = re.fullmatch(r"(?P<h>\d{1,2}):(?P<m>\d\d)", s)
    return int(m["h"]) * 60 + int(m.groupdict()["m"])

import json
def f(s: str):
    got = json.loads(s)
    return got, got["a"], got.get("b")

import json
def f(data, s: str, n: int):
    return json.dumps(data), json.dumps([s, {s: n}], indent=1, sort_keys=True), json.loads(json.dumps(data)) == data

import json
def f(s: str):
    try:
        return json.loads(s)["items"][0]
    except json.JSONDecodeError as error:
        return error.msg, error.pos
    except (KeyError, IndexError, TypeError) as error:
        return type(error).__name__, error.args

import csv, io
def f(s: str):
    rows = list(csv.reader(io.StringIO(s)))
    return rows, len(rows), rows[1][0]

import csv, io
def f(s: str):
    reader = csv.DictReader(io.StringIO(s))
    return reader.fieldnames, [row for row in reader], reader.line_num

import csv, io
def f(s: str):
    source = io.StringIO(s)
    header = next(source)
    rows = csv.reader(source, delimiter=";")
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return header, out.getvalue()

import csv
def f(s: str):
    rows = csv.reader(s.splitlines())
    return next(rows), [r for r in rows if r], isinstance(rows, csv.DictReader), type(rows).__name__

import csv
def f(s: str):
    return csv.reader([s])[0]

from datetime import date, datetime, timedelta, time, timezone
def f(s: str):
    d = date.fromisoformat(s)
    return d.year, d.month, d + timedelta(days=1), d.weekday(), (date(2024, 3, 1) - d).days, d > date(2024, 1, 1), f"{d:%d.%m.%Y}"

from datetime import date, datetime, timedelta, time, timezone
def f(s: str):
    d = datetime.strptime(s, "%Y-%m-%d")
    return d, d.isoformat(), d.date(), d.replace(year=2000), d.strftime("%j"), d.timestamp() > 0

from datetime import date, datetime, timedelta, time, timezone
def f(n: int, m: int):
    return date(2000 + n, m, 1), timedelta(days=n, hours=m).total_seconds(), time(n % 30), str(timedelta(n))

from decimal import Decimal, InvalidOperation
def f(s: str, n: int):
    d = Decimal(s)
    return d, d * n, d.quantize(Decimal("0.01")), d > 5, int(d), str(d), d.is_nan(), round(d, 1), -d, d % 7

from decimal import Decimal
from fractions import Fraction
def f(n: int, m: int, s: str):
    return Decimal(n) / Decimal(m), Fraction(n, m), Fraction(n, m) + 1, Fraction(s)

from urllib.parse import urlparse, parse_qs, urlencode, quote, unquote, urljoin, urlsplit
def f(s: str):
    u = urlparse(s)
    return u, u.scheme, u.netloc, u.port, parse_qs(u.query), quote(s), unquote(s), urlencode({"q": s}), urljoin("http://a/b", s), u._replace(scheme="x").geturl()

import struct
def f(n: int, x: float, b: bytes):
    return struct.pack("<if", n, x), struct.unpack("<H", b[:2]), n.to_bytes(4, "big"), int.from_bytes(b, "big")

import itertools
def f(nums: list[int], s: str):
    return list(itertools.accumulate(nums)), list(itertools.chain(nums, s)), [(k, len(list(g))) for k, g in itertools.groupby(s)], list(itertools.islice(s, 2)), list(itertools.product(s[:2], nums[:2])), list(itertools.takewhile(lambda n: n > 0, nums))

import functools, operator
@functools.lru_cache(maxsize=None)
def slow(s):
    return s.upper(), len(s)
def f(s: str, nums: list[int]):
    return functools.reduce(operator.mul, nums, 1), slow(s), slow(s), functools.partial(int, base=16)(s[:1] or "f"), operator.itemgetter(0)(nums), operator.attrgetter("real")(nums[0])

import functools
@functools.singledispatch
def kind(value):
    return "object"
@kind.register
def _(value: str):
    return "text"
@kind.register(int)
def _(value):
    return "number"
def f(s: str, n: int, nums: list[int]):
    return kind(s), kind(n), kind(nums), kind(nums[0])

from collections import Counter, defaultdict, deque, OrderedDict, ChainMap
def f(s: str, words: list[str]):
    c = Counter(s)
    d = defaultdict(list)
    for w in words:
        d[w[:1]].append(w)
    q = deque(words, maxlen=3)
    q.append(s)
    q.rotate(1)
    return c.most_common(1), c["a"], dict(d), list(q), OrderedDict(a=s), ChainMap({s: 1}, {"b": 2})["b"], q[0]

import copy, pickle
def f(data, s: str):
    two = copy.deepcopy(data)
    return two == data, copy.copy(data), pickle.loads(pickle.dumps([data, s])), len(pickle.dumps([s + "long", [s]]))

import marshal
def f(s: str, n: int):
    return marshal.loads(marshal.dumps([s, n, (s, [n]), {'k': s}]))

from string import Template, Formatter, capwords
def f(s: str, n: int):
    return Template("$a is ${b}").substitute(a=s, b=n), Template(s).safe_substitute(x=1), capwords(s), Formatter().format("{0}", s)

from string import Template
def f(s: str):
    return Template(s).substitute({"a": 1})

import textwrap
def f(s: str, n: int):
    return textwrap.wrap(s, max(n % 30, 1)), textwrap.dedent(s), textwrap.indent(s, "  "), textwrap.shorten(s, 10), textwrap.fill(s, 12)

import statistics
def f(nums: list[int]):
    return statistics.mean(nums), statistics.median(nums), statistics.mode(nums), statistics.pstdev(nums)

import statistics
def f(nums: list[int]):
    return statistics.stdev(nums), statistics.mean(n for n in nums), statistics.quantiles(nums, n=4)

import math
def f(x: float, n: int):
    return math.floor(x), math.ceil(x), math.trunc(x), math.gcd(n, 12), math.isclose(x, n), math.hypot(x, n), math.copysign(1, x), math.prod([n, 2])

import math
def f(x: float, n: int):
    return math.sqrt(x), math.log(x), math.factorial(min(n, 30)), math.comb(10, n)

import bisect, heapq
def f(nums: list[int], n: int):
    ordered = sorted(nums)
    bisect.insort(ordered, n)
    heapq.heapify(nums)
    heapq.heappush(nums, n)
    return ordered, bisect.bisect_left(ordered, n), heapq.heappop(nums), heapq.nlargest(2, nums), nums

import hashlib, base64, binascii, zlib, hmac
def f(s: str, b: bytes):
    return hashlib.sha256(s.encode()).hexdigest()[:8], base64.b64encode(b), zlib.crc32(b), binascii.hexlify(b), hmac.new(b, b"x", "sha1").hexdigest(), hashlib.md5(b).digest()

import base64, binascii
def f(s: str):
    return base64.b64decode(s), bytes.fromhex(s)

import xml.etree.ElementTree as ET
def f(s: str):
    root = ET.fromstring(s)
    for child in root:
        if child.tag == "a":
            root.remove(child)
    return root.tag, [c.text for c in root], root.find("a") is None, root.findtext("b"), len(root), root.attrib, root.get("k")

import xml.etree.ElementTree as ET
def f(s: str):
    root = ET.Element("r", {"k": s})
    child = ET.SubElement(root, "c")
    child.text = s
    return ET.tostring(root), [e.tag for e in root.iter()], int(child.text)

import sqlite3
def f(s: str, n: int, x: float):
    with sqlite3.connect(":memory:") as db:
        db.execute("create table t (a text, b integer, c real)")
        db.execute("insert into t values (?, ?, ?)", (s, n, x))
        db.executemany("insert into t values (:a, :b, 1.5)", [{"a": s, "b": n}])
        rows = db.execute("select a, b, c, typeof(a), typeof(b) from t where a = ?", [s]).fetchall()
        count = db.execute(f"select count(*) from t where b > {n}").fetchone()
    db.close()
    return rows, count

import sqlite3
def f(s: str):
    db = sqlite3.connect(":memory:")
    try:
        return db.execute(f"select '{s}'").fetchall()
    finally:
        db.close()

from pathlib import Path, PurePosixPath
import os.path
def f(s: str):
    p = PurePosixPath("/base") / s
    return p, p.name, p.suffix, p.parent, p.parts, p.with_suffix(".x"), os.path.join("/a", s), os.path.splitext(s), os.path.basename(s)

import shlex, fnmatch, glob, html, unicodedata, difflib
def f(s: str, t: str):
    return shlex.quote(s), fnmatch.fnmatch(s, t), html.escape(s), unicodedata.normalize("NFC", s), difflib.get_close_matches(s, [t, "abc"]), difflib.SequenceMatcher(None, s, t).ratio()

import shlex
def f(s: str):
    return shlex.split(s)

import ipaddress, uuid
def f(s: str):
    try:
        a = ipaddress.ip_address(s)
        return str(a), a.is_private, a.version, a in ipaddress.ip_network("10.0.0.0/8")
    except ValueError:
        return uuid.UUID(s).version

import pprint, reprlib, configparser, io
def f(data, s: str):
    config = configparser.ConfigParser()
    config.read_dict({"part": {"key": s.replace("%", "")}})
    return pprint.pformat(data), reprlib.repr(data), config["part"]["key"]

import threading, queue, concurrent.futures
def f(nums: list[int], s: str):
    q, out = queue.Queue(), []
    def work():
        out.append(s.upper())
        q.put(s)
    t = threading.Thread(target=work)
    t.start()
    t.join()
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return out, q.get(), list(pool.map(lambda n: n * 2, nums)), pool.submit(len, s).result()

import types, typing
def f(s: str, n: int):
    space = types.SimpleNamespace(a=s, b=[n])
    return space.a, vars(space), typing.cast(int, n), types.MappingProxyType({"k": s})["k"]

import random
def f(n: int, words: list[str]):
    r = random.Random(n)
    return r.random(), r.randint(0, 5), r.choice(words), r.sample(words, 1)

import array, ctypes
def f(nums: list[int], n: int, b: bytes):
    return array.array("q", nums), memoryview(b).tolist(), bytearray(b) + b"x", bytes(nums[:2])

import time, calendar
def f(n: int, m: int):
    return time.gmtime(abs(n)).tm_year, calendar.monthrange(2000 + n, m), calendar.isleap(n)

import io
def f(s: str):
    stream = io.StringIO(s)
    lines = [line for line in stream]
    stream.seek(0)
    stream.write("new")
    return lines, stream.getvalue(), stream.read(2), io.BytesIO(s.encode()).read()

import ast
def f(s: str):
    return ast.literal_eval(s)

import email.utils, mimetypes
def f(s: str):
    return email.utils.parseaddr(s), mimetypes.guess_type(s)

import logging
def f(s: str, n: int):
    records = []
    class Keep(logging.Handler):
        def emit(self, record):
            records.append((record.getMessage(), record.funcName, record.lineno))
    log = logging.Logger("x")
    log.addHandler(Keep())
    log.warning("got %s and %d", s, n)
    return records
"""


def _programs() -> list[Program]:
    made: list[Program] = []
    for text in (_OPERATORS, _TEXTS, _CONTAINERS, _STATEMENTS, _LIBRARY):
        for block in text.strip().split("\n\n"):
            tree = ast.parse(block)
            function = next(
                node
                for node in tree.body
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == "f"
            )
            given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
            annotations = {
                one.arg: ast.unparse(one.annotation) if one.annotation else "data" for one in given
            }
            made.append(Program(block, annotations))
    return made


PROGRAMS = _programs()
