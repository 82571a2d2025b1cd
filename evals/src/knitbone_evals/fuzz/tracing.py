"""What tracing costs: ``python -m knitbone_evals.fuzz.tracing``.

Ten ordinary small functions, each as it is written, rewritten with nothing recorded, and rewritten
with its call recorded (taint put on, record begun, ended and packed). Each figure is the best of
several rounds: the machine is shared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from knitbone.fuzzing.trace import attach
from knitbone.fuzzing.trace.helpers import install
from knitbone.fuzzing.trace.load import compile_traced

SOURCE = r"""
import csv, io, json, re
from datetime import date

REFERENCE = re.compile(r"([A-Z]{3})-(\d{4})")

def route(text):
    left, _, right = text.partition("->")
    return f"{left.strip()} to {right.strip()}"

def total(numbers):
    result = 0
    for number in numbers:
        if number > 2:
            result += number * 2
    return result

def table(text):
    rows = list(csv.reader(io.StringIO(text)))
    return {row[0]: int(row[1]) for row in rows[1:]}

def reference(text):
    found = REFERENCE.fullmatch(text)
    return int(found.group(2)) % 89 if found else None

def document(text):
    data = json.loads(text)
    return sum(item["price"] * item.get("count", 1) for item in data["items"])

def days(start, end):
    return (date.fromisoformat(end) - date.fromisoformat(start)).days

def words(text):
    counts = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda pair: -pair[1])[:3]

def checksum(text):
    value = 0
    for character in text:
        value = (value * 31 + ord(character)) % 65_521
    return value

def fibonacci(count):
    return count if count < 2 else fibonacci(count - 1) + fibonacci(count - 2)

def unrelated(text):
    primes = [n for n in range(2, 100) if all(n % k for k in range(2, n))]
    return len(primes)
"""
CALLS: dict[str, dict[str, Any]] = {
    "route": {"text": "Ulm -> Bonn"},
    "total": {"numbers": [1, 2, 3, 4, 5, 6, 7, 8]},
    "table": {"text": "name,size\na,1\nb,2\nc,3"},
    "reference": {"text": "ABC-1234"},
    "document": {"text": '{"items": [{"price": 2}, {"price": 3, "count": 4}]}'},
    "days": {"start": "2024-02-01", "end": "2024-03-01"},
    "words": {"text": "the cat and the dog and the bird"},
    "checksum": {"text": "a text of some forty characters, or so it is"},
    "fibonacci": {"count": 10},
    "unrelated": {"text": "nothing of this is looked at"},
}


def microseconds(call: Callable[[], Any], *, rounds: int, times: int) -> float:
    """What one call takes at best."""
    best = float("inf")
    for _ in range(rounds):
        began = time.perf_counter()
        for _ in range(times):
            call()
        best = min(best, (time.perf_counter() - began) / times)
    return best * 1e6


def recorded(function: Callable[..., Any], arguments: dict[str, Any]) -> Callable[[], Any]:
    """A call as the sandbox makes it."""
    traced = attach.traced(function)

    def call() -> None:
        given = {
            name: list(value) if isinstance(value, list) else value
            for name, value in arguments.items()
        }
        attach.begin(given)
        traced(**given)
        attach.end()

    return call


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--times", type=int, default=200)
    options = parser.parse_args()
    install()
    plain: dict[str, Any] = {"__name__": "plain"}
    rewritten: dict[str, Any] = {"__name__": "rewritten"}
    exec(compile(SOURCE, "plain.py", "exec"), plain)
    exec(compile_traced(SOURCE, "rewritten.py"), rewritten)
    print(f"{'µs a call':12}{'plain':>8}{'idle':>10}{'recorded':>12}")
    for name, arguments in CALLS.items():
        calls: list[Callable[[], Any]] = [
            lambda name=name, arguments=arguments: plain[name](**arguments),
            lambda name=name, arguments=arguments: rewritten[name](**arguments),
            recorded(rewritten[name], arguments),
        ]
        figures = [microseconds(call, rounds=options.rounds, times=options.times) for call in calls]
        base = figures[0]
        print(
            f"{name:12}{base:8.1f}{figures[1]:10.1f}{figures[2]:12.1f}"
            f"   x{figures[1] / base:.1f}  x{figures[2] / base:.1f}"
        )


if __name__ == "__main__":
    main()
