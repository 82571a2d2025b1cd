"""Whether what a diagnosis says holds: ``python -m knitbone_evals.diagnose.claims.facts --data
DIR``.

Every public run below DIR and 300 simulated ones are diagnosed, as they are and without a verdict,
with a claim asked for and without. What is said is then checked against the record by rules that
share no code with the product:

- a value "found nowhere before it" must not stand in what came before, whatever its
  spelling (letters and digits alone are compared; dates and numbers by what they mean);
- the first line must not say "nothing on record" above a line that tells a failure, a loop or a
  broken rule;
- a turning point is no repeated call whose result changed, and no error of a tool that works later;
- a call that nothing answered changes no state.

The command ends with 1 where one of them fails.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from rich.console import Console

from knitbone.errors import KnitboneError
from knitbone.record.events import ModelCall, Outcome, Run, ToolCall
from knitbone.report.diagnosis import show_diagnosis
from knitbone.tethering.diagnosis.engine import Examined, examine
from knitbone.tethering.interchange.importers import import_file
from knitbone_evals.diagnose.claims.simulated import simulated
from knitbone_evals.paths import RESULTS, write_result

SIMULATED = 300
FOLDERS = ("who_and_when", "agentrx", "tau_airline", "agent_traces")
RESULT = RESULTS / "claims_facts.json"
_UNSHOWN = re.compile(r"(?P<names>.*?) of (?P<tool>\S+) holds a value found nowhere before it")
_STATED = re.compile(r"states (?P<values>\".*?), found nowhere before it")
_NOTHING = re.compile(r"^nothing on record|; nothing on record", re.IGNORECASE)
_TROUBLE = re.compile(
    r" fails? at step|\brepeats? the|never made good|found nowhere before it"
    r"|goes on with something else|\bfailed \(\d|\bloop \(\d|error passed over|rule broken"
    r"|value never observed|argument missing \(|open error|first trouble|was refused for what"
)
_MENDED = re.compile(r"\S+(?: code)? fails at step \d+: [^\n]*?, and works at step \d+")
_FORMS = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%m/%d/%Y", "%d/%m/%Y", "%m/%d/%y", "%d.%m.%y",
          "%B %d, %Y", "%d %B %Y", "%b %d, %Y", "%d %b %Y", "%Y%m%d")  # fmt: skip
_DATES = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|[A-Z][a-z]+ \d{1,2}, \d{4}|"
                    r"\d{1,2} [A-Z][a-z]+ \d{4}|\b\d{8}\b")  # fmt: skip


class Wrong(NamedTuple):
    """Something that was said and does not hold."""

    run: str
    what: str
    said: str


def before(run: Run, step: int) -> str:
    """All that stands in a run before one of its steps, and what was asked."""
    kept: list[Any] = [run.task, run.attributes]
    for number, event in enumerate(run.events):
        place = event.position.index if event.position else number
        if place < step:
            kept.append(msgspec.to_builtins(event))
        elif place == step:
            kept.append(event.attributes)
            kept.append(msgspec.to_builtins(event.input) if isinstance(event, ModelCall) else "")
            break
    return json.dumps(kept, ensure_ascii=False)


def held(value: str, text: str) -> bool:
    """Whether every word of a value that has a digit stands in a text, in whatever spelling."""
    plain = _plain(text)
    if _in_plain(_plain(value), plain):
        return True
    words = [word for word in value.split() if any(char.isdigit() for char in word)]
    dates = _dates_of(text)
    return all(
        _in_plain(_plain(word), plain) or _number(word) in _numbers_of(text)
        or (_dates_of(word) and _dates_of(word) <= dates)
        for word in words
    )  # fmt: skip


def _plain(text: str) -> str:
    return "".join(char for char in text if char.isalnum()).lower()


def _in_plain(value: str, text: str) -> bool:
    """Containment; a number is not held by a longer one."""
    left = r"(?<!\d)" if value[:1].isdigit() else ""
    right = r"(?!\d)" if value[-1:].isdigit() else ""
    return bool(value) and re.search(left + re.escape(value) + right, text) is not None


def _number(word: str) -> float | None:
    try:
        return float(word.strip("$€£%").replace(",", ""))
    except ValueError:
        return None


def _numbers_of(text: str) -> set[float]:
    found = (_number(word) for word in re.findall(r"\d[\d,]*(?:\.\d+)?", text))
    return {number for number in found if number is not None}


def _dates_of(text: str) -> set[datetime]:
    found: set[datetime] = set()
    for word in _DATES.findall(text):
        for form in _FORMS:
            try:
                found.add(datetime.strptime(word, form))  # noqa: DTZ007 - a day
            except ValueError:
                continue
    return found


def arguments_at(run: Run, step: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The calls that a step asks for, each with its arguments."""
    for number, event in enumerate(run.events):
        if (event.position.index if event.position else number) != step:
            continue
        if isinstance(event, ModelCall) and event.output is not None:
            for call in event.output.tool_calls:
                if isinstance(call.arguments, dict):
                    yield call.name, call.arguments
        elif isinstance(event, ToolCall) and isinstance(event.arguments, dict):
            yield event.name, event.arguments


def wrong_in(examined: Examined) -> Iterator[Wrong]:
    """What of a diagnosis does not hold."""
    case, diagnosis = examined.case, examined.diagnosis
    run = case.run
    said = [(c.step, c.text) for c in (*diagnosis.on_record, *filter(None, [diagnosis.claim]))]
    said += [(f.steps[0], f.text) for f in diagnosis.findings if f.steps]
    for step, text in dict.fromkeys(said):
        if _says_what_is_held(run, step, text):
            yield Wrong(run.id, "value that the record holds", text)
    printed = _printed(examined).splitlines()
    later = _MENDED.sub("", "\n".join(printed[1:]))
    if _NOTHING.search(diagnosis.headline) and (
        _TROUBLE.search(later) or (diagnosis.on_record and diagnosis.claim is None)
    ):
        yield Wrong(run.id, "first line against the rest", f"{diagnosis.headline} | {later[:600]}")
    yield from _wrong_turning(examined)
    answered = _answered(run)
    for change in diagnosis.changed:
        if change.step not in answered:
            yield Wrong(run.id, "state changed by a call that never ran", str(change))


def _says_what_is_held(run: Run, step: int, text: str) -> bool:
    found = _UNSHOWN.search(text)
    if found:
        names = found["names"].split(": ")[-1].split(", ")
        values = [
            str(leaf)
            for tool, arguments in arguments_at(run, step) if tool == found["tool"]
            for name in names
            for leaf in _leaves(arguments.get(re.sub(r"\[\d+\]$", "", name)))
            if any(char.isdigit() for char in str(leaf))
        ]  # fmt: skip
        return bool(values) and all(held(value, before(run, step)) for value in values)
    found = _STATED.search(text)
    values = re.findall(r"\"([^\"]*)\"", found["values"]) if found else []
    return any(held(value, before(run, step)) for value in values)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif value is not None:
        yield value


def _wrong_turning(examined: Examined) -> Iterator[Wrong]:
    """A turning point that was mended, or a repetition that brought something new."""
    diagnosis, run = examined.diagnosis, examined.case.run
    if diagnosis.claim is None or diagnosis.turning_point is None:
        return
    calls = list(_returned(run))
    text = diagnosis.claim.text
    step = diagnosis.turning_point
    if re.search(
        r" fails at step| fails; | goes on with something|^step \d+ calls \S+ without ", text
    ):
        failed = re.match(
            r"(?:step \d+: |step \d+ calls )?(\S+?),? (?:which fails|fails|without)", text
        )
        tool = failed[1] if failed else ""
        good = [at for at, name, _, result in calls if name == tool and not _bad(result)]
        if any(at > step for at in good):
            yield Wrong(run.id, "error that was mended", text)
    if re.search(r"\brepeats?\b", text):
        steps = diagnosis.claim.steps
        results: dict[tuple[str, str], set[str]] = {}
        for at, name, arguments, result in calls:
            if at in steps:
                results.setdefault((name, arguments), set()).add(result)
        if any(len(told) > 1 for told in results.values()):
            yield Wrong(run.id, "repetition whose result changed", text)


def _bad(result: str) -> bool:
    return re.search(r"error|fail|exception|rejected", result[:400], re.IGNORECASE) is not None


def _returned(run: Run) -> Iterator[tuple[int, str, str, str]]:
    """Step, tool, arguments and result of each call that a tool answered."""
    steps = {e.id: e.position.index if e.position else n for n, e in enumerate(run.events)}
    for event in run.events:
        if isinstance(event, ToolCall):
            step = steps.get(event.parent or event.id, steps[event.id])
            arguments = json.dumps(event.arguments, sort_keys=True, default=str)
            yield step, event.name, arguments, " ".join(str(event.result).split())


def _answered(run: Run) -> set[int]:
    known = {step for step, _, _, result in _returned(run) if "rejected" not in result}
    if not any(isinstance(event, ToolCall) for event in run.events):
        known |= {n for n, event in enumerate(run.events) if isinstance(event, ModelCall)}
    return known


def _printed(examined: Examined) -> str:
    screen = Console(file=io.StringIO(), width=2_000, soft_wrap=True, markup=False)
    show_diagnosis(screen, examined, many=False)
    return screen.file.getvalue()  # pyright: ignore[reportAttributeAccessIssue]


def unjudged(run: Run) -> Run:
    """The run without its verdict."""
    events = tuple(event for event in run.events if not isinstance(event, Outcome))
    return msgspec.structs.replace(run, events=events)


def check(run: Run) -> Iterator[Wrong]:
    """Everything wrong that is said of one run, with and without its verdict."""
    failed = msgspec.structs.replace(
        run, events=(*unjudged(run).events, Outcome(id="verdict", success=False))
    )
    for version, claim in ((run, False), (unjudged(run), False), (unjudged(run), True),
                           (failed, False)):  # fmt: skip
        yield from wrong_in(examine(version, claim=claim))


def public_runs(data: Path) -> Iterator[Run]:
    """Every run of the public sets that can be read."""
    for folder in FOLDERS:
        for file in sorted(path for path in (data / folder).rglob("*") if path.is_file()):
            try:
                items = import_file(file)
            except KnitboneError as error:
                print(f"left out: {file.name}: {error}"[:160], file=sys.stderr)
                continue
            yield from (item.run for item in items)


def main() -> None:
    """Check, write the result, print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args()
    result: dict[str, Any] = {}
    examples: list[Wrong] = []
    for name, runs in (
        ("public runs", public_runs(arguments.data)),
        ("simulated runs", (simulated(seed) for seed in range(SIMULATED))),
    ):
        count, kinds = 0, Counter[str]()
        for run in runs:
            count += 1
            found = list(dict.fromkeys(check(run)))
            kinds.update({one.what for one in found})
            examples += found[:1]
        result[name] = {"runs": count, "runs with": dict(kinds)}
        print(f"{name}: {count}; runs of which something wrong is said: {dict(kinds) or 'none'}")
    for one in examples[:40]:
        print(f"- {one.run[:12]} {one.what}: {one.said[:700]}")
    write_result(arguments.out, result)
    sys.exit(1 if examples else 0)


if __name__ == "__main__":
    main()
