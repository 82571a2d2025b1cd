"""200 questions to a real small model: which of four calls comes next, with and without a sentence.

``python -m knitbone_evals.recover.requests`` writes ``data/requests.jsonl``. The sentences are
written here, in plain words, by somebody who had not seen how the guidance builder words its own.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from knitbone_evals.lines import keep
from knitbone_evals.recover.candidates import Candidate, Pool, candidates, same, sentence_of
from knitbone_evals.recover.environments import Call, RecoveryTask, canonical, tasks_of

__all__ = ["OPTION", "REQUESTS", "write"]

REQUESTS = Path(__file__).parent / "data" / "requests.jsonl"
_SEED = 2911
_SITUATIONS = 80
"""Each asked twice, with and without a sentence on it; half of them once more with another one."""
_TASK = 420
OPTION = 110
"""Characters, so that a question stays under 350 tokens."""
_FOCI = ("omission", "value", "order", "repeat", "end", "other")

_SENTENCES = {
    "omission": (
        "When you call {tool}, also give {argument}.",
        "Last time {tool} was called without {argument}; give it this time.",
        "Do not call {tool} without {argument}.",
    ),
    "value": (
        "Last time {tool} got a wrong {argument}. Take {argument} from the task or from what an "
        "earlier call returned.",
        "Check {argument} before you call {tool}.",
        "Do not guess {argument}: look it up.",
    ),
    "order": (
        "First call {tool}, and only then {wrong}.",
        "{tool} was missing last time. Make sure that you call it.",
        "Do not call {wrong} before {tool}.",
    ),
    "repeat": (
        "{wrong} has already answered. Go on with {tool}.",
        "Do not call {wrong} again with the same arguments.",
        "Last time the same call was made several times. The next step is {tool}.",
    ),
    "end": (
        "The work is not finished until {tool} has been called.",
        "Do not answer the user before {tool} is done.",
        "Last time you stopped too early; {tool} was still to do.",
    ),
    "other": (
        "{wrong} is not needed for this task; use {tool}.",
        "Do not call {wrong}.",
        "Keep to the task: it needs {tool}.",
    ),
}
_GENERAL = (
    "Work carefully and think about every step before you take it.",
    "An earlier attempt at this task failed. Do better this time.",
    "Please pay attention to details, stay calm, and make sure that the user is happy in the end.",
)


def write() -> int:
    """Write the questions; how many there are."""
    rng = random.Random(_SEED)
    lines: list[dict[str, Any]] = []
    situations = _situations(rng)
    for place, situation in enumerate(situations):
        number = f"s{place:02d}"
        lines.append(_question(f"{number}-none", situation, None))
        lines.append(_question(f"{number}-told", situation, _told(situation, rng)))
        if place % 4 == 0:
            lines.append(_question(f"{number}-general", situation, rng.choice(_GENERAL)))
        elif place % 4 == 2:
            other = situations[(place + 17) % len(situations)]
            lines.append(_question(f"{number}-foreign", situation, _told(other, rng)))
    REQUESTS.parent.mkdir(exist_ok=True)
    drawn = rng.sample(lines, len(lines))  # so that a part of the answers is of all sorts
    keep(REQUESTS, (json.dumps(line, ensure_ascii=False) for line in drawn))
    return len(lines)


def _situations(rng: random.Random) -> list[dict[str, Any]]:
    """Points in gold runs, with the call that is needed and three that are not."""
    made: list[dict[str, Any]] = []
    grounds = {name: tasks_of(name) for name in ("agentdojo", "retail", "airline")}
    pools = {
        suite: Pool([task for task in tasks if task.suite == suite])
        for tasks in grounds.values()
        for suite in {task.suite for task in tasks}
    }
    shares = {"agentdojo": 44, "retail": 24, "airline": 12}
    for ground, wanted in shares.items():
        tasks = [task for task in grounds[ground] if len(task.gold) > 1]
        count = 0
        while count < wanted:
            focus = _FOCI[len(made) % len(_FOCI)]
            situation = _situation(rng.choice(tasks), pools, focus, rng)
            if situation is not None:
                made.append(situation)
                count += 1
    return made


def _situation(
    task: RecoveryTask, pools: dict[str, Pool], focus: str, rng: random.Random
) -> dict[str, Any] | None:
    place = rng.randrange(len(task.gold))
    done, pending = task.gold[:place], task.gold[place:]
    found = candidates(
        task, pools[task.suite], pending=pending, settled=(), last=done[-1] if done else None,
        seen="", seed=f"{_SEED}",
    )  # fmt: skip
    found = [Candidate(c.call, "order") if c.kind == "skip" else c for c in found]
    wrong = next((c for c in found if c.kind == focus), None)
    if wrong is None or any(same(c.call, d) for c in found[:1] for d in done):
        return None
    rest = [c for c in found[1:] if c is not wrong]
    if len(rest) < 2:
        return None
    options = [found[0], wrong, *rng.sample(rest, 2)]
    rng.shuffle(options)
    return {"task": task, "done": done, "options": options, "focus": focus, "wrong": wrong}


def _told(situation: dict[str, Any], rng: random.Random) -> str:
    needed: Call = next(c.call for c in situation["options"] if c.kind == "needed")
    wrong: Call | None = situation["wrong"].call
    changed = [
        name
        for name, value in needed.arguments.items()
        if wrong is None or canonical(wrong.arguments.get(name)) != canonical(value)
    ]
    argument = (changed or list(needed.arguments) or ["every argument"])[0]
    sentence = rng.choice(_SENTENCES[situation["focus"]])
    return sentence.format(tool=needed.tool, argument=argument, wrong=wrong.tool if wrong else "")


def _question(identity: str, situation: dict[str, Any], note: str | None) -> dict[str, Any]:
    task, done = situation["task"], situation["done"]
    options = [sentence_of(candidate.call, done) for candidate in situation["options"]]
    words = " ".join(task.words.split())[:_TASK]
    made = ", ".join(call.tool for call in done[-6:]) or "nothing"
    parts = [
        f"Task: {words}",
        f"Calls made so far: {made}",
        *([f"Note: {note}"] if note else []),
        "Which step comes next?",
        *(f"{letter}) {text[:OPTION]}" for letter, text in zip("ABCD", options, strict=True)),
        "Answer with one letter.",
    ]
    return {
        "id": identity, "task": task.id, "note": note, "focus": situation["focus"],
        "kinds": [candidate.kind for candidate in situation["options"]], "options": options,
        "prompt": "\n".join(parts),
    }  # fmt: skip


if __name__ == "__main__":
    print(f"{write()} questions in {REQUESTS}")
