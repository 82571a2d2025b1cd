"""What a weak analyst does to a diagnosis: ``python -m benchmarks.analyst --data DIR``.

Some thirty labelled runs, drawn once with a seed, are diagnosed by the graph alone and with an
analyst, paired; those for which nothing is recorded are left out. The analysts are small real
models whose answers were recorded (``answers/MODEL.jsonl``) and are replayed; beside the diagnosis
as it is stands the one in which every answer that fits the run replaces the graph's.

``--record URL --model NAME`` asks a model behind the OpenAI protocol for what is not recorded yet,
and writes it down at once. An answer is replayed to the run and attempt for which it was given;
where the request has changed since, that is counted as *stale*.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import random
from collections.abc import AsyncGenerator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from scipy.stats import binomtest

from benchmarks.localization.sets import Labelled, labelled_runs
from knitbone.config import ModelConfig, TetherConfig
from knitbone.errors import KnitboneError
from knitbone.models.chat import ChatModel, Completion, Delta, ToolSpec, complete_sync
from knitbone.models.openai import openai_chat_model
from knitbone.record.events import ChatMessage, Json, Usage, encode_json
from knitbone.tethering.diagnosis import analyst as analyst_module
from knitbone.tethering.diagnosis.engine import diagnose
from knitbone.tethering.diagnosis.records import Diagnosis
from knitbone.tethering.diagnosis.units import build_units

HERE = Path(__file__).parent
RESULT = HERE.parent / "results" / "analyst.json"
DRAWN = {"algorithm-generated": 12, "hand-crafted": 10, "tau-retail": 8}
SEED = 25
CHARACTERS = 6_000
"""Of a packet: what a model with a small context reads in half a minute on two cores."""
CONFIG = TetherConfig(packet_characters=CHARACTERS)


class UnrecordedError(KnitboneError):
    """There is no recorded answer, and no model to ask."""


class Replay:
    """A chat model that answers from a file, and asks a real one for what is not in it."""

    def __init__(self, name: str, real: ChatModel | None) -> None:
        self.name, self._real = name, real
        self._path = HERE / "answers" / f"{name}.jsonl"
        self._known: dict[tuple[str, int], dict[str, Any]] = {}
        if self._path.exists():
            for line in self._path.read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                self._known[record["run"], record["attempt"]] = record
        self.run, self._attempt, self.stale = "", 0, 0

    def knows(self, run: str) -> bool:
        """Whether there is an answer for a run, or somebody to ask for one."""
        return self._real is not None or (run, 1) in self._known

    def begin(self, run: str) -> None:
        self.run, self._attempt = run, 0

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] | None = None,  # noqa: ARG002 - the protocol's
        schema: Mapping[str, Json] | None = None,
    ) -> Completion:
        self._attempt += 1
        key = (self.run, self._attempt)
        request = hashlib.sha256(encode_json(list(messages))).hexdigest()[:16]
        record = self._known.get(key)
        if record is None:
            record = await self._ask(messages, schema, request)
        self.stale += record["request"] != request
        if record["text"] is None:
            raise UnrecordedError(record["error"])
        return Completion(
            message=ChatMessage(role="assistant", content=record["text"]), finish_reason="stop",
            usage=Usage(), model=self.name, parsed=json.loads(record["text"]),
        )  # fmt: skip

    async def _ask(
        self, messages: Sequence[ChatMessage], schema: Mapping[str, Json] | None, request: str
    ) -> dict[str, Any]:
        if self._real is None:
            raise UnrecordedError(f"no answer of {self.name} is recorded for {self.run}")
        record: dict[str, Any] = {"run": self.run, "attempt": self._attempt, "request": request}
        try:
            answer = await asyncio.to_thread(complete_sync, self._real, messages, schema=schema)
            record["text"] = json.dumps(answer.parsed, ensure_ascii=False)
        except KnitboneError as error:
            record |= {"text": None, "error": error.message[:300]}
        self._path.parent.mkdir(exist_ok=True)
        with self._path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
        self._known[self.run, self._attempt] = record
        return record

    def stream(
        self, messages: Sequence[ChatMessage], *, tools: Sequence[ToolSpec] | None = None
    ) -> AsyncGenerator[Delta | Completion, None]:
        raise NotImplementedError


class Measured(NamedTuple):
    run: str
    label: int
    alone: Diagnosis
    helped: Diagnosis
    trusting: Diagnosis


def drawn(data: Path) -> list[tuple[str, Labelled]]:
    """The thirty runs, by name of their set and place in it; the sets take turns."""
    sets: dict[str, list[Labelled]] = labelled_runs(data)
    chosen: list[list[tuple[str, Labelled]]] = []
    for name, count in DRAWN.items():
        usable = [
            (f"{name} {place}", case)
            for place, case in enumerate(sets[name])
            if any(unit.index == case.label for unit in build_units(case.run))
        ]
        found = random.Random(f"{SEED}{name}").sample(usable, min(count, len(usable)))
        chosen.append(sorted(found, key=lambda pair: pair[0]))
    return [pair for turn in zip_longest(*chosen) for pair in turn if pair is not None]


def measure(model: Replay, data: Path) -> list[Measured]:
    """The graph alone, the analyst as it counts, and as it would if each fitting answer did."""
    found: list[Measured] = []
    for name, case in drawn(data):
        if not model.knows(name):
            continue
        alone = diagnose(case.run, config=CONFIG)
        model.begin(name)
        helped = diagnose(case.run, config=CONFIG, analyst=model)
        model.begin(name)
        with mock.patch.object(analyst_module, "_not_borne_out", return_value=None):
            trusting = diagnose(case.run, config=CONFIG, analyst=model)
        found.append(Measured(name, case.label, alone, helped, trusting))
        print(f"  {name}: label {case.label}, graph {named(alone)}, {helped.analysis.state}"
              f" {named(helped)}, trusting {named(trusting)}", flush=True)  # fmt: skip
    return found


def named(diagnosis: Diagnosis) -> int | None:
    """The step that a reader would look at first."""
    if diagnosis.turning_point is not None:
        return diagnosis.turning_point
    return next(iter(diagnosis.ranking), None)


def table(model: str, found: Sequence[Measured], stale: int) -> dict[str, Any]:
    """Exact hits of each, and the paired differences to the graph alone."""

    hits = {
        which: [named(getattr(m, which)) == m.label for m in found]
        for which in ("alone", "helped", "trusting")
    }

    def against_alone(which: str) -> dict[str, float]:
        """Runs won and lost against the graph alone, and McNemar's exact p."""
        pairs = list(zip(hits[which], hits["alone"], strict=True))
        won, lost = pairs.count((True, False)), pairs.count((False, True))
        p = float(binomtest(won, won + lost).pvalue) if won + lost else 1.0
        return {"won": won, "lost": lost, "p": round(p, 3)}

    states = [m.helped.analysis.state for m in found]
    return {
        "model": model,
        "n": len(found),
        "stale answers": stale,
        "states": {state: states.count(state) for state in sorted(set(states))},
        "exact": {which: sum(hit) for which, hit in hits.items()},
        "moved": sum(named(m.helped) != named(m.alone) for m in found),
        "moved if each fitting answer counted": sum(
            named(m.trusting) != named(m.alone) for m in found
        ),
        "against the graph alone": against_alone("helped"),
        "each fitting answer against the graph alone": against_alone("trusting"),
    }


def main() -> None:
    """Replay, or record and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--record", metavar="URL", help="ask the server at this address")
    parser.add_argument("--model", help="which one; without it all that are recorded")
    options = parser.parse_args()
    names = [options.model] if options.model else sorted(
        path.stem for path in (HERE / "answers").glob("*.jsonl")
    )  # fmt: skip
    results = []
    for name in names:
        real = None
        if options.record:
            config = ModelConfig(
                name=name, base_url=options.record, timeout_s=900, max_retries=0, max_tokens=600
            )
            real = openai_chat_model(config, environ={"OPENAI_API_KEY": "none"})
        model = Replay(name, real)
        print(name)
        found = measure(model, options.data)
        results.append(table(name, found, model.stale))
        print(json.dumps(results[-1], indent=1))
    if not options.model:
        RESULT.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
