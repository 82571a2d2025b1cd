"""Catastrophic expressions as consumers: ``python -m knitbone_evals.adapt.catastrophic``.

For each expression of public lists (``catastrophic_patterns``) one application with every kind of
consumer: the methods of ``re``, lines, a labelled field, a fence before it, a model of pydantic
with ``python-re``. Answers that conform, that are broken near the expression, attacks, and answers
whose *repair* would be an attack: wrapped in a lead-in, a fence, a bullet, quotes, emphasis, with a
wrong mark behind a label. Each runs plain and adapted, each in a forked child of its own that is
ended after a hard limit; both have run on the conforming answer before. Times are of the thread's
own work.

The rule: adapted takes at most twice as long as plain, plus the budget. Where plain itself is
ended, nothing can be compared, and it is counted apart.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from knitbone_evals.adapt.catastrophic_patterns import PATTERNS, Catastrophic
from knitbone_evals.modules import load_module
from knitbone_evals.paths import RESULTS, write_result

__all__ = ["BUDGET_S", "Case", "Times", "cases", "measure", "run"]

RESULT = RESULTS / "adapt_catastrophic.json"
BUDGET_S = 0.05
"""Of one value (``adapt.budget_ms``)."""
PLAIN_S = 0.2
"""Seconds after which the plain application is ended."""
_GRACE_S = 1.0
"""Seconds beyond the rule after which the adapted application is ended, too."""
SLOW_S = 0.01
"""Seconds that an attack is to take at least, where it can."""
_SIZES = (16, 20, 22, 24, 26, 28, 64, 256, 1_024, 4_096)
_LARGE = 2_000
"""Repetitions in an attack that nothing but an anchor keeps away."""

_CONSUMERS = {
    "match": "return re.match(PATTERN, text).group()",
    "search": "return re.search(PATTERN, text).group()",
    "fullmatch": "return re.fullmatch(PATTERN, text).group()",
    "findall": "found = re.findall(PATTERN, text)\n    return [str(each) for each in found]",
    "sub": 'return re.sub(PATTERN, "", text)',
    "split": "return [part for part in re.split(PATTERN, text) if part]",
    "lines": "return [m.group() for line in text.splitlines() if (m := re.match(PATTERN, line))]",
    "label": (
        'm = re.search(r"Answer: (.*)", text)\n    return re.match(PATTERN, m.group(1)).group()'
    ),
    "fence": (
        'm = re.search(r"```json\\n(.*?)\\n```", text, re.DOTALL)\n'
        '    return re.match(PATTERN, json.loads(m.group(1))["value"]).group()'
    ),
    "field": 'return re.match(PATTERN, json.loads(text)["value"]).group()',
    "pydantic": "return Model.model_validate_json(text).value",
}
_ANCHORED = frozenset({"match", "fullmatch", "lines", "label", "fence", "field", "pydantic"})


class Case(NamedTuple):
    """One answer for one consumer."""

    consumer: str
    kind: str
    answer: str


class Times(NamedTuple):
    """Seconds of the thread's own work; ``None``: it was ended."""

    plain: float | None
    adapted: float | None

    @property
    def over(self) -> bool:
        """Whether it breaks the rule."""
        if self.plain is None:
            return False
        return self.adapted is None or self.adapted > 2 * self.plain + BUDGET_S


def main() -> int:
    """Measure, print, write; 1 where an adapted call had to be ended and the plain one had not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--every", type=int, default=1, help="of the expressions, each n-th")
    parser.add_argument("--consumer", action="append", choices=_CONSUMERS, help="only this one")
    parser.add_argument("--verbose", action="store_true", help="print what breaks the rule")
    options = parser.parse_args()
    consumers = options.consumer or tuple(_CONSUMERS)
    result = measure(PATTERNS[:: options.every], consumers, verbose=options.verbose)
    print(_table(result))
    if options.every == 1 and not options.consumer:
        write_result(RESULT, result)
        RESULT.with_suffix(".md").write_text(_table(result), encoding="utf-8")
    return int(any(case["adapted s"] is None for case in result["over"]))


def measure(
    patterns: Sequence[Catastrophic],
    consumers: Sequence[str] = tuple(_CONSUMERS),
    *,
    verbose: bool = False,
) -> dict[str, Any]:
    """All figures."""
    rows: dict[str, dict[str, Any]] = {}
    over: list[dict[str, Any]] = []
    own: list[float] = []
    for number, catastrophic in enumerate(patterns):
        for case, times in run(catastrophic, consumers):
            row = rows.setdefault(
                case.kind, {"cases": 0, "plain ended": 0, "over": 0, "worst ms": 0.0}
            )
            row["cases"] += 1
            row["plain ended"] += times.plain is None
            row["over"] += times.over
            if times.plain is not None and times.adapted is not None:
                beyond = 1_000 * (times.adapted - times.plain)
                own.append(beyond)
                row["worst ms"] = max(row["worst ms"], round(beyond, 1))
            if times.over:
                over.append(
                    {
                        "source": catastrophic.source,
                        "name": catastrophic.name,
                        "consumer": case.consumer,
                        "kind": case.kind,
                        "plain s": times.plain,
                        "adapted s": times.adapted,
                    }
                )
                if verbose:
                    print(over[-1], case.answer[:200], flush=True)
        print(f"{number + 1}/{len(patterns)} {catastrophic.name}", file=sys.stderr, flush=True)
    return {
        "title": "adapt: catastrophic expressions as consumers",
        "patterns": len(patterns),
        "python": sys.version.split()[0],
        "kinds": rows,
        "over": over,
        "beyond plain ms": {
            "p50": round(statistics.median(own), 2),
            "p99": round(statistics.quantiles(own, n=100)[98], 1),
            "max": round(max(own), 1),
        },
    }


def run(catastrophic: Catastrophic, consumers: Sequence[str]) -> Iterator[tuple[Case, Times]]:
    """Every case of one expression, with its times."""
    with tempfile.TemporaryDirectory() as folder:
        plain = _load(catastrophic, Path(folder), adapted=False)
        adapted = _load(catastrophic, Path(folder), adapted=True)
        slow = _slow_attack(catastrophic, plain)
        for case in cases(catastrophic, consumers, slow):
            first = _timed(getattr(plain, case.consumer), case.answer, PLAIN_S)
            second = None
            if first is not None:
                limit = 2 * first + _GRACE_S
                second = _timed(getattr(adapted, case.consumer), case.answer, limit)
            yield case, Times(first, second)


def cases(catastrophic: Catastrophic, consumers: Sequence[str], slow: str) -> Iterator[Case]:
    """The answers for each consumer.

    Args:
        slow: an attack that takes some time, but not too much.
    """
    for consumer in consumers:
        good = _written(consumer, catastrophic.good)
        large = catastrophic.attack(_LARGE) if consumer in _ANCHORED else slow
        attack = _written(consumer, large)
        yield Case(consumer, "conforming", good)
        for name in _WRAPPED.get(consumer, ("lead-in", "fence", "bullet", "quotes", "emphasis")):
            yield Case(consumer, "broken near it", _WRAPPERS[name](good))
            yield Case(consumer, f"repair is an attack: {name}", _WRAPPERS[name](attack))
        yield Case(consumer, "attack", _written(consumer, slow))


def _written(consumer: str, value: str) -> str:
    """The value as the consumer expects it around."""
    if consumer == "label":
        return f"Answer: {value}"
    data = json.dumps({"value": value})
    if consumer == "fence":
        return f"```json\n{data}\n```"
    return data if consumer in ("field", "pydantic") else value


_WRAPPERS: dict[str, Callable[[str], str]] = {
    "lead-in": lambda text: f"Here is the answer:\n\n{text}",
    "fence": lambda text: f"```\n{text}\n```",
    "bullet": lambda text: f"- {text}",
    "quotes": lambda text: f'"{text}"',
    "emphasis": lambda text: f"**{text}**",
    "label": lambda text: text.replace("Answer: ", "**Answer** - ").replace("Answer", "answer"),
    "comma": lambda text: text.replace('"}', '",}'),
}
_WRAPPED = {
    "label": ("label", "lead-in", "emphasis"),
    "fence": ("comma", "lead-in"),
    "field": ("comma", "lead-in", "fence"),
    "pydantic": ("comma", "lead-in", "fence"),
}


def _load(catastrophic: Catastrophic, folder: Path, *, adapted: bool) -> ModuleType:
    """The application, imported; its functions have run on what conforms."""
    mark = "@knitbone.adapt\n" if adapted else ""
    functions = "\n\n".join(
        f"{mark}def {name}(prompt):\n    text = answer(prompt)\n    {body}"
        for name, body in _CONSUMERS.items()
    )
    source = (
        "import json, re\nimport knitbone\nfrom pydantic import BaseModel, Field\n\n"
        f"class Model(BaseModel):\n"
        f"    model_config = {{'regex_engine': 'python-re'}}\n"
        f"    value: str = Field(pattern={catastrophic.pattern!r})\n\n"
        "@knitbone.source\ndef answer(prompt):\n    return prompt\n\n\n"
        + functions.replace("PATTERN", repr(catastrophic.pattern))
    )
    name = f"catastrophic_{'adapted' if adapted else 'plain'}_{folder.name}"
    path = folder / f"{name}.py"
    path.write_text(source, encoding="utf-8")
    module = load_module(path)
    for consumer in _CONSUMERS:
        _seconds(getattr(module, consumer), _written(consumer, catastrophic.good))
    return module


def _slow_attack(catastrophic: Catastrophic, plain: ModuleType) -> str:
    """The first attack that takes some time."""
    for times in _SIZES:
        attack = catastrophic.attack(times)
        spent = _timed(plain.search, attack, PLAIN_S)
        if spent is None or spent > SLOW_S:
            return attack if spent is not None else catastrophic.attack(max(times - 4, 4))
    return catastrophic.attack(_SIZES[-1])


def _seconds(function: Callable[[str], Any], answer: str) -> float:
    started = time.thread_time()
    with contextlib.suppress(Exception):  # an answer that does not fit raises, as it may
        function(answer)
    return time.thread_time() - started


def _timed(function: Callable[[str], Any], answer: str, limit: float) -> float | None:
    """Seconds of a call in a forked child; ``None`` where it was ended after ``limit`` of work."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.write(write, repr(_seconds(function, answer)).encode())
        os._exit(0)
    os.close(write)
    ended = time.monotonic() + limit
    try:
        # The machine may be busy: what counts is how long the child has worked.
        while not select.select([read], [], [], max(0.01, ended - time.monotonic()))[0]:
            worked = _worked(child)
            if worked >= limit:
                os.kill(child, signal.SIGKILL)
                return None
            ended = time.monotonic() + limit - worked
        said = os.read(read, 100)
        return float(said) if said else None
    finally:
        os.close(read)
        os.waitpid(child, 0)


def _worked(process: int) -> float:
    """Seconds of work of a process since it began."""
    with open(f"/proc/{process}/stat", encoding="ascii") as stream:  # noqa: PTH123
        fields = stream.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _table(result: dict[str, Any]) -> str:
    lines = [
        f"{result['patterns']} expressions, Python {result['python']}",
        "",
        "| answers | cases | plain ended | over the rule | most beyond plain, ms |",
        "| --- | --- | --- | --- | --- |",
    ]
    for kind, row in result["kinds"].items():
        lines.append(
            f"| {kind} | {row['cases']} | {row['plain ended']} | {row['over']} "
            f"| {row['worst ms']} |"
        )
    beyond = result["beyond plain ms"]
    lines.append(
        f"\nAdapted beyond plain: p50 {beyond['p50']} ms, p99 {beyond['p99']} ms, most "
        f"{beyond['max']} ms."
    )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
