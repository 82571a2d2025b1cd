"""Stuck and not stuck: ``python -m knitbone_evals.recover.supervision.sequences --peers PYTHON``.

60 written sequences (``sequences/README.md``), by somebody who had read no detector. Beside
knitbone's supervision, of which only the loop check speaks without guidance: OpenHands' stuck rules
and, where PYTHON has them installed, the packages ``agent-loop-guard`` and ``agent-vitals``.

An error is a stuck sequence in which nothing is flagged, or more than one lap before the step from
which on the author says that stepping in is right; and any flag in a sequence that is not stuck.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scipy import stats

from knitbone import __version__
from knitbone.config import SupervisionSettings
from knitbone.tethering.supervision.engine import Supervisor
from knitbone.tethering.supervision.records import ReturnedCall
from knitbone_evals.paths import RESULTS, write_result
from knitbone_evals.recover.supervision.openhands_rules import first_stuck

HERE = Path(__file__).parent
RESULT = RESULTS / "supervision_sequences.json"
OURS = "knitbone"
DISPUTED = "polling, same status with a stated wait"
"""The kind that the author counts apart."""
_LAPS = {"two-step cycle": 2, "three-step cycle": 3, "four-step cycle": 4}


def supervised(steps: Sequence[Mapping[str, Any]], task: str) -> int | None:
    """The first step at which the agent is told something."""
    supervisor = Supervisor(task, settings=SupervisionSettings(loops_without_guidance=True))
    for number, step in enumerate(steps):
        if "tool" in step:
            said = supervisor.tool_returned(
                ReturnedCall(
                    tool=step["tool"], arguments=step["arguments"], result=step["result"],
                    error=step["error"],
                )
            )  # fmt: skip
        else:
            said = supervisor.text_answered(step["say"], alone=True)
        if said is not None:
            return number
    return None


def kind_of(sequence: Mapping[str, Any]) -> str:
    """The author's kind."""
    return sequence["note"].removeprefix("Kind: ").split(". ")[0].split(";")[0].strip(" .")


def verdict(sequence: Mapping[str, Any], flagged: int | None) -> str:
    """``right``, ``missed``, ``early`` or ``false``."""
    if sequence["label"] == "not stuck":
        return "right" if flagged is None else "false"
    if flagged is None:
        return "missed"
    lap = _LAPS.get(kind_of(sequence), 1)
    return "early" if flagged < sequence["from_step"] - lap else "right"


def evaluate(sequences: Sequence[Mapping[str, Any]], peers: Path | None) -> dict[str, Any]:
    """By method, the counts, the errors and the kinds in which they lie."""
    flags: dict[str, list[int | None]] = {
        OURS: [supervised(one["steps"], one["task"]) for one in sequences],
        "OpenHands' rules": [first_stuck(one["steps"]) for one in sequences],
    }
    if peers is not None:
        asked = json.dumps([one["steps"] for one in sequences])
        done = subprocess.run(
            [peers, HERE / "peers.py"], input=asked, capture_output=True, text=True, check=True
        )
        flags.update(json.loads(done.stdout))
    methods: dict[str, Any] = {}
    for name, flagged in flags.items():
        found = [verdict(one, flag) for one, flag in zip(sequences, flagged, strict=True)]
        wrong = [
            {"id": one["id"], "kind": kind_of(one), "error": what, "flagged": flag,
             "from_step": one["from_step"]}
            for one, flag, what in zip(sequences, flagged, found, strict=True)
            if what != "right"
        ]  # fmt: skip
        stuck = [w for one, w in zip(sequences, found, strict=True) if one["label"] == "stuck"]
        others = [w for one, w in zip(sequences, found, strict=True) if one["label"] != "stuck"]
        methods[name] = {
            "stuck found": _share(stuck.count("right"), len(stuck)),
            "missed": stuck.count("missed"), "early": stuck.count("early"),
            "falsely flagged": _share(others.count("false"), len(others)),
            "of them disputed": sum(w["kind"].startswith(DISPUTED) for w in wrong),
            "errors": wrong,
        }  # fmt: skip
    return {"title": "Stuck and not stuck", "n": len(sequences), "knitbone": __version__,
            "methods": methods}  # fmt: skip


def _share(hits: int, total: int) -> list[float]:
    """Hits, total, and the exact 95 % interval (Clopper and Pearson)."""
    interval = stats.binomtest(hits, total).proportion_ci()
    return [hits, total, round(float(interval.low), 3), round(float(interval.high), 3)]


def render(result: Mapping[str, Any]) -> str:
    """The result as Markdown."""
    lines = [f"### {result['title']} ({result['n']} written sequences)", "",
             "| method | stuck found | missed | early | falsely flagged | of them disputed |",
             "| --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for name, row in result["methods"].items():
        cells = [_text(row["stuck found"]), row["missed"], row["early"],
                 _text(row["falsely flagged"]), row["of them disputed"]]  # fmt: skip
        lines.append(f"| {name} | " + " | ".join(map(str, cells)) + " |")
    lines += ["", "Exact 95 % intervals (Clopper and Pearson). Errors of knitbone:", ""]
    lines += [
        f"- {one['id']} ({one['kind']}): {one['error']}, flagged {one['flagged']}, right from"
        f" {one['from_step']}"
        for one in result["methods"][OURS]["errors"]
    ] or ["- none"]
    return "\n".join([*lines, ""])


def _text(share: Sequence[float]) -> str:
    hits, total, low, high = share
    return f"{hits} of {total} [{low:.2f}, {high:.2f}]"


def main() -> None:
    """Measure, write the result, print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", type=Path, help="a Python with the two packages")
    parser.add_argument("--sequences", type=Path, default=HERE / "sequences")
    parser.add_argument("--out", type=Path, default=RESULT)
    arguments = parser.parse_args()
    files = sorted(arguments.sequences.glob("*.json"))
    sequences = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    result = evaluate(sequences, arguments.peers)
    write_result(arguments.out, result)
    text = render(result)
    arguments.out.with_suffix(".md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
