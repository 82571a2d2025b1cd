"""What adapt costs: ``python -m benchmarks.adapt_latency``.

Values go through the whole hook (``deliver_answer``), as an instrumented application sends them;
the consumer's own reader runs in the same rounds, in turn, and ratios are medians of the rounds'
own ratios. Answers are about 2 KB, one list has exactly 1,400 characters. ``default`` is what a
site costs at default settings, ``all`` with all scenario requirements switched on (one language
and spelling, nothing said twice). The embedder is the embedded
one; texts that are embedded are new in every call. A second machine gives other times, not other
ratios.
"""

from __future__ import annotations

import argparse
import json
import logging
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.adapt_latency_cases import KINDS, Kind, adversarial, essay, source_of
from benchmarks.adapt_latency_tables import render
from benchmarks.structured import DENSITIES, SIZES
from benchmarks.structured import row as broken_json
from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.repair.engine import MAX_TEXT, judge
from knitbone.adaptation.repair.plan import CheckPlan
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.delivery import deliver_answer
from knitbone.adaptation.runtime.instrument.plans import plan_of_unit
from knitbone.adaptation.runtime.registry import forget_counts, number_site
from knitbone.adaptation.runtime.summary import SUMMARY
from knitbone.common.similarity import TextEmbedder
from knitbone.config import AdaptConfig, EmbedderConfig
from knitbone.models.embedders import create_embedder

RESULT = Path(__file__).parent / "results" / "adapt_latency.json"
DEFAULT = AdaptConfig()
ALL = AdaptConfig(scenario=("all",))
MODEL_CALL_US = 1e6
"""A simulated model call of one second."""
PROSE = Kind(
    name="prose for a reader",
    consumer="return text",
    read=str,
    conforming=essay(0, reworded=0),
    faulty=essay(0),
    parses=False,
)


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument(
        "--repeat", type=int, default=1, help="on a busy machine: the quietest of so many"
    )
    parser.add_argument("--quick", action="store_true", help="few rounds; nothing is written")
    parser.add_argument("--memory", choices=_MEMORY, help=argparse.SUPPRESS)
    options = parser.parse_args()
    logging.getLogger("knitbone").setLevel(logging.CRITICAL)
    if options.memory:
        print(_MEMORY[options.memory]())
        return
    rounds = 12 if options.quick else options.rounds
    result = measure(rounds, size=10_000_000, repeat=options.repeat)
    print(render(result))
    if not options.quick:
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        RESULT.with_suffix(".md").write_text(render(result), encoding="utf-8")


def measure(rounds: int, size: int, *, repeat: int = 1) -> dict[str, Any]:
    """All figures.

    Args:
        repeat: how often each row is measured; the figures with the least median are kept.
        size: characters of the longer adversarial texts; the shorter ones have the most that is
            looked at.
    """
    with tempfile.TemporaryDirectory() as folder:
        sites = {kind.name: _site(kind, Path(folder)) for kind in (*KINDS, PROSE)}
        again = [[_row(kind, sites[kind.name], rounds) for kind in KINDS] for _ in range(repeat)]
        rows = [_quietest(of) for of in zip(*again, strict=True)]
        few = max(12, rounds // 10)
        found = {
            "title": "adapt: what it costs, on two shared cores",
            "rounds": rounds,
            "repeated": repeat,
            "versions": {
                "python": platform.python_version(),
                "json-repair": version("json-repair"),
                "onnxruntime": version("onnxruntime"),
            },
            "kinds": rows,
            "prose": _prose(sites[PROSE.name], few),
            "broken json": [
                broken_json(faults, length, max(3, few // 4), 0)
                for faults in DENSITIES
                for length in SIZES
            ],
            "adversarial": [row for length in (MAX_TEXT, size) for row in _hostile(sites, length)],
        }
    found["memory"] = _memory()
    return found


def _site(kind: Kind, folder: Path) -> Site:
    path = folder / f"{kind.name.split()[0].lower()}_{len(list(folder.iterdir()))}.py"
    path.write_text(source_of(kind), encoding="utf-8")
    (site,) = (site for site in plan_of_unit([path]).sites if site.form == "text")
    return site


def _row(kind: Kind, site: Site, rounds: int) -> dict[str, Any]:
    row: dict[str, Any] = {
        "kind": kind.name,
        "characters": len(kind.conforming),
        "reader us": 0.0,
        "parses": kind.parses,
    }
    for name, config in (("default", DEFAULT), ("all", ALL)):
        number = number_site(site, config)
        assert deliver_answer(kind.conforming, number) is kind.conforming, kind.name
        ours, reader = _paired(
            lambda number=number: deliver_answer(kind.conforming, number),
            lambda: kind.read(kind.conforming),
            rounds,
        )
        row["reader us"] = _quantiles(reader)["p50"]
        row[name] = _quantiles(ours) | {"ratio": _ratio(ours, reader)}
    number = number_site(site, DEFAULT)
    mended = deliver_answer(kind.faulty, number)
    repair, reader = _paired(
        lambda: deliver_answer(kind.faulty, number),
        lambda: kind.read(kind.conforming),
        max(12, rounds // 4),
    )
    beyond = statistics.median(a - b for a, b in zip(repair, reader, strict=True))
    row["repair"] = _quantiles(repair) | {
        "beyond the reader": round(beyond, 1),
        "repaired": mended != kind.faulty,
    }
    forget_counts()
    return row


def _quietest(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Of several measurements of one row the least disturbed figures."""
    quiet = {name: min((row[name] for row in rows), key=_median) for name in _MEASURED}
    return rows[0] | quiet | {"reader us": min(row["reader us"] for row in rows)}


_MEASURED = ("default", "all", "repair")


def _median(found: dict[str, float]) -> float:
    return found["p50"]


def _prose(site: Site, rounds: int) -> dict[str, Any]:
    """Forty sentences, ten of them said before in another order; with the embedder and without,
    and the most that embedding can take: every sentence, which no check does."""
    embedder = _Counted(create_embedder(EmbedderConfig(cache=False)))
    groups = CheckPlan(site, ALL).groups
    found: dict[str, Any] = {"sentences": 40}
    for name, load in (("with embeddings", lambda: embedder), ("without", None)):
        times: list[float] = []
        said: set[str] = set()
        for number in range(rounds):
            text = essay(number)
            invocation = Invocation(ALL, embedder=load)
            started = time.perf_counter()
            decision = judge(text, groups, invocation)
            times.append((time.perf_counter() - started) * 1e6)
            said.add(decision.disposition)
        found[name] = _quantiles(times[2:]) | {"dispositions": sorted(said)}
    found["texts embedded in a call"] = round(embedder.texts / rounds, 1)
    times = []
    for number in range(rounds):
        sentences = essay(number + rounds).split(". ")
        started = time.perf_counter()
        embedder.embed(sentences)
        times.append((time.perf_counter() - started) * 1e6)
    found["every sentence embedded"] = _quantiles(times[2:])
    return found


class _Counted:
    """An embedder that counts the texts it is given."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self.texts = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def embed(self, texts: Sequence[str]) -> Any:
        self.texts += len(texts)
        return self._embedder.embed(texts)


def _hostile(sites: dict[str, Site], size: int) -> list[dict[str, Any]]:
    """The slowest of all kinds for each text, and whether it came back as it was."""
    rows: list[dict[str, Any]] = []
    numbers = {name: number_site(site, ALL) for name, site in sites.items()}
    for name, text in adversarial(size):
        times: dict[str, float] = {}
        changed: list[str] = []
        for kind, number in numbers.items():
            started = time.perf_counter()
            delivered = deliver_answer(text, number)
            times[kind] = time.perf_counter() - started
            if delivered is not text:
                changed.append(kind)
        slowest = max(times, key=times.__getitem__)
        rows.append(
            {
                "text": name,
                "characters": len(text),
                "seconds": round(times[slowest], 3),
                "slowest kind": slowest,
                "changed": changed,
            }
        )
        SUMMARY.clear()
    return rows


def _paired(
    ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int
) -> tuple[list[float], list[float]]:
    """Microseconds of both, in turn; the first tenth is left out."""
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds + rounds // 10):
        for times, action in zip(found, (ours, theirs), strict=True):
            started = time.perf_counter_ns()
            action()
            times.append((time.perf_counter_ns() - started) / 1e3)
    return found[0][rounds // 10 :], found[1][rounds // 10 :]


def _ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    return round(statistics.median(a / b for a, b in zip(ours, theirs, strict=True)), 2)


def _quantiles(times: Sequence[float]) -> dict[str, float]:
    ordered = sorted(times)
    at = {name: ordered[int(len(ordered) * share)] for name, share in _SHARES.items()}
    return {name: round(value, 1) for name, value in at.items()} | {
        "of a model call": round(at["p50"] / MODEL_CALL_US, 6)
    }


_SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


def _memory() -> dict[str, int]:
    """Peak resident megabytes of a process that does this, and nothing else."""
    command = [sys.executable, "-m", "benchmarks.adapt_latency", "--memory"]
    return {
        name: int(subprocess.check_output([*command, name], text=True).split()[-1])
        for name in _MEMORY
    }


def _peak() -> int:
    # Not getrusage: it keeps the peak of the process that started this one.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def _hooks_only() -> int:
    return _peak()


def _rules() -> int:
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            number = number_site(_site(kind, Path(folder)), DEFAULT)
            for text in (kind.conforming, kind.faulty):
                deliver_answer(text, number)
    return _peak()


def _meaning() -> int:
    _rules()
    with tempfile.TemporaryDirectory() as folder:
        number = number_site(_site(PROSE, Path(folder)), ALL)
        for each in range(3):
            deliver_answer(essay(each), number)
    return _peak()


_MEMORY: dict[str, Callable[[], int]] = {
    "imported": _hooks_only,
    "every kind checked and repaired": _rules,
    "and prose compared by meaning": _meaning,
}

if __name__ == "__main__":
    main()
