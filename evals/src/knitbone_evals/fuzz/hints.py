"""Whether calls contradict the hints that findings carry.

``python -m knitbone_evals.fuzz.hints`` takes hints of generated tools (``generated_tools.py``), of
the
planted tools (a finding made from what their author wrote down) and of campaigns over the tools of
``knitbone.samples``, and makes 50 fresh calls against each argument that a hint names. The values
are drawn anew; nothing here knows how hints are made, only what their words claim:

- *must not be empty* (zero, negative, null) and *must be a text*: a value that keeps to it and
  fails alike contradicts it, and so does another argument of which a new value alone makes the call
  work: then a call works that does not keep to it;
- any argument named: 50 other values of it alone that all fail alike contradict it; of several
  that are named together, 50 changes of all of them at once, where no single one mends the call.

What is said as *possibly* claims nothing and is counted apart.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import msgspec

from knitbone.config import FuzzConfig
from knitbone.fuzzing.api import fuzz
from knitbone.fuzzing.classification.rules import classify_by_rules
from knitbone.fuzzing.records import CallOutcome, Classification, Finding
from knitbone.fuzzing.returned_errors import reads_as_error
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.trials import Trials
from knitbone.record.events import Json
from knitbone.samples.tools import SAMPLE_TOOLS
from knitbone_evals.fuzz.classification import from_witnesses
from knitbone_evals.fuzz.generated_tools import GeneratedTool, draw_tool, fresh_value
from knitbone_evals.fuzz.planted.registry import planted

__all__ = ["Retested", "contradiction", "main", "retest_generated"]

FRESH = 50
"""Calls against each argument that a hint names."""
_ORDINARY: dict[str, dict[str, Json]] = {
    "seat_party": {"note": "Ann;2;in"},
    "convert_length": {"value": 2.0, "unit": "km", "to": "mile"},
    "count_nights": {"arrival": "2024-05-01", "departure": "2024-05-04"},
    "last_day": {"start": "2024-05-01", "days": 3},
    "column_mean": {"table": "price\n4\n6", "column": 0},
    "room_price": {"kind": "double", "nights": 2},
    "next_opening": {"today": 2},
}
"""Calls of samples whose arguments have a form."""
_NAMED = re.compile(r"`([^`]+)`")
_ENVELOPE = re.compile(r"[{}]|Traceback|File \"")
_KEEPS: tuple[tuple[str, Callable[[Any], bool]], ...] = (
    ("must not be empty", lambda value: value not in ("", [], {}, None)),
    ("must not be null", lambda value: value is not None),
    ("must not be zero", lambda value: value != 0),
    ("must not be negative", lambda value: value >= 0),
    ("must be greater than zero", lambda value: value > 0),
    ("must be given", lambda _: True),
)
_TYPES = {
    "must be a text": "string", "must be a whole number": "integer", "must be a number": "number",
    "must be a list": "array", "must be an object": "object", "must be true or false": "boolean",
}  # fmt: skip


class Retested(msgspec.Struct, frozen=True, kw_only=True):
    """One hint and what fresh calls say to it."""

    tool: str
    hint: str
    arguments: dict[str, Json]
    contradicted: str = ""
    """What speaks against it."""

    @property
    def claims(self) -> bool:
        """Whether it claims something of an argument."""
        return not self.hint.startswith("possibly") and bool(_NAMED.search(self.hint))


def contradiction(
    hint: str,
    finding: Finding,
    schema: dict[str, Any],
    call: Callable[[dict[str, Json]], CallOutcome],
    rng: random.Random,
    good: Callable[[random.Random], dict[str, Json]] | None = None,
) -> str:
    """What 50 fresh calls an argument say against a hint; empty where nothing does.

    Args:
        schema: of the arguments.
        good: draws the arguments of a call that works.
    """
    if _ENVELOPE.search(hint):
        return "it shows the wrapper of an error"
    fields: dict[str, Any] = schema.get("properties", {})
    names = [name for name in _NAMED.findall(hint) if name in fields]
    if hint.startswith("possibly") or not names:
        return ""
    kinds = {name: _kind(fields[name], finding.arguments.get(name)) for name in names}

    def fails(changed: dict[str, Json]) -> bool:
        return _alike(finding, call({**finding.arguments, **changed}))

    def works(name: str, value: Json) -> bool:
        arguments = {**finding.arguments, name: value}
        outcome = call(arguments)
        is_error = outcome.status != "ok" or reads_as_error(" ".join(outcome.text.split()))
        return not is_error and not _alike(finding, outcome)

    def draws(name: str) -> Iterator[Json]:
        if kinds[name] in ("integer", "number"):
            yield from (1, -1, 2, -2)
        for number in range(FRESH):
            known = None if good is None else good(rng).get(name)
            is_known = number % 2 and known is not None and known != finding.arguments.get(name)
            yield known if is_known else fresh_value(kinds[name], rng, plain=False)

    is_universal = any(words in hint for words in (*dict(_KEEPS), *_TYPES))
    for name in set(fields) - set(names) if is_universal else ():
        kinds[name] = _kind(fields[name], finding.arguments.get(name))
        for value in draws(name):
            if name in finding.arguments and works(name, value):
                return f"{name}={value!r} alone mends the call, too"
    for words, keeps in _KEEPS:
        if words in hint:
            drawn = [{n: fresh_value(kinds[n], rng, plain=False) for n in names}
                     for _ in range(FRESH)]  # fmt: skip
            drawn = [each for each in drawn if all(map(keeps, each.values()))]
            failing = [each for each in drawn if fails(each)]
            return f"{failing[0]} fails alike" if failing else ""
    for words, kind in _TYPES.items():
        if hint.endswith(words):
            values = [fresh_value(kind, rng) for _ in range(FRESH)]
            failing = [value for value in values if fails({names[0]: value})]
            return f"{failing[0]!r} fails alike" if failing else ""
    mending = [n for n in names if any(not fails({n: value}) for value in draws(n))]
    if len(mending) == len(names):
        return ""
    if mending:
        idle = [name for name in names if name not in mending]
        return f"{idle} makes no difference, {mending} does"
    together = zip(*(draws(name) for name in names), strict=False)
    if any(not fails(dict(zip(names, values, strict=True))) for values in together):
        return ""
    return f"no value of {names} mends the call"


def _kind(field: Any, value: Json) -> str:
    named = field.get("type") if isinstance(field, dict) else None
    if isinstance(named, str):
        return named
    types = {str: "string", int: "integer", float: "number", list: "array", dict: "object"}
    return types.get(type(value), "string") if value is not None else "string"


def _alike(finding: Finding, outcome: CallOutcome) -> bool:
    """Whether a call fails at the place and in the way of the finding."""
    if finding.kind != "raised":
        told = re.findall(r"[A-Za-z]{3,}", finding.message)[:4]
        return outcome.status == "ok" and re.findall(r"[A-Za-z]{3,}", outcome.text)[:4] == told
    if outcome.status != "raised" or outcome.exception != finding.exception:
        return False
    mine, other = finding.frame, outcome.frame
    return (mine and (mine.file, mine.line)) == (other and (other.file, other.line))


def retest_generated(count: int, seed: int = 0, *, fault: str = "") -> Iterator[Retested]:
    """Hints of generated tools."""
    for number in range(count):
        rng = random.Random(f"{seed}:{number}")
        made = draw_tool(rng, fault=fault)
        said = classified(made)
        wrong = contradiction(said.lack, made.finding, made.tool.schema, made.call, rng, made.good)
        yield Retested(
            tool=made.fault, hint=said.lack, arguments=made.finding.arguments, contradicted=wrong
        )


def classified(made: GeneratedTool) -> Classification:
    """The classification of a generated tool's finding."""
    trials = Trials(
        made.call, roots=("generated",), most=FuzzConfig().minimise_calls, taken=made.normal
    )
    return classify_by_rules(made.tool, made.finding, trials=trials)


def _retest_planted(rng: random.Random) -> Iterator[Retested]:
    tools = [tool for tool in planted() if not tool.before and not tool.steps]
    for tool in tools:
        with Sandbox(tool.target) as sandbox:
            (judged,) = from_witnesses([tool])
            if judged.finding is None or judged.finding.kind not in ("raised", "returned"):
                continue
            wrong = contradiction(
                judged.lack,
                judged.finding,
                sandbox.tools[0].schema,
                lambda arguments, box=sandbox: box.call(0, arguments, timeout_s=1.0, fresh=True),
                rng,
                lambda rng, normal=(tool.normal, *tool.more): rng.choice(normal),
            )
        name = tool.target.rpartition(":")[2]
        yield Retested(tool=name, hint=judged.lack, arguments=judged.arguments, contradicted=wrong)


def _retest_samples(rng: random.Random, calls: int) -> Iterator[Retested]:
    for target in SAMPLE_TOOLS:
        campaign = fuzz(target, calls=calls)
        name = target.rpartition(":")[2]
        with Sandbox(target) as sandbox:
            for finding in campaign.findings:
                said = finding.classification
                if said is None or finding.kind not in ("raised", "returned") or finding.before:
                    continue
                wrong = contradiction(
                    said.lack,
                    finding,
                    sandbox.tools[0].schema,
                    lambda arguments, box=sandbox: box.call(
                        0, arguments, timeout_s=1.0, fresh=True
                    ),
                    rng,
                    partial(_ordinary, name),
                )
                yield Retested(
                    tool=name, hint=said.lack, arguments=finding.arguments, contradicted=wrong
                )


def _ordinary(name: str, _: random.Random) -> dict[str, Json]:
    return _ORDINARY.get(name, {})


def table(title: str, retested: Sequence[Retested]) -> Iterator[str]:
    """Counts, and every hint that was contradicted."""
    claiming = [one for one in retested if one.claims]
    possible = sum(one.hint.startswith("possibly") for one in retested)
    wrong = [one for one in retested if one.contradicted]
    yield (
        f"{title:12}{len(retested):>6} hints  {len(claiming):>6} name an argument  "
        f"{possible:>6} possibly  {len(wrong):>6} contradicted"
    )
    for (tool, hint), times in Counter((one.tool, one.hint) for one in wrong).items():
        first = next(one for one in wrong if (one.tool, one.hint) == (tool, hint))
        yield f"  {times:>4} {tool}: {hint} | {str(first.arguments)[:80]} | {first.contradicted}"


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m knitbone_evals.fuzz.hints", description=__doc__
    )
    parser.add_argument("--tools", type=int, default=3_000, help="generated tools")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--calls", type=int, default=200, help="of a campaign over a sample")
    parser.add_argument("--only", choices=["generated", "planted", "samples"])
    options = parser.parse_args()
    rng = random.Random(options.seed)
    parts: dict[str, Callable[[], Iterator[Retested]]] = {
        "generated": lambda: retest_generated(options.tools, options.seed),
        "planted": lambda: _retest_planted(rng),
        "samples": lambda: _retest_samples(rng, options.calls),
    }
    for title, part in parts.items():
        if options.only in (None, title):
            print("\n".join(table(title, list(part()))), flush=True)


if __name__ == "__main__":
    main()
