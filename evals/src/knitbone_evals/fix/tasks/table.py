"""The study's figures from recorded answers: ``python -m knitbone_evals.fix --tasks``.

No server is needed. A task in an arm whose answers are not all recorded is left out.
"""

from __future__ import annotations

from typing import Any

from knitbone_evals.fix.tasks.attempts import Attempt
from knitbone_evals.fix.tasks.run import HERE, attempts, replay_of, words_of_arms
from knitbone_evals.fix.tasks.scoring import figures
from knitbone_evals.fix.tasks.study import ARMS, MODELS, SAMPLE, drawn
from knitbone_evals.lines import are_kept

__all__ = ["replayed", "table"]

_HEAD = (
    "| model | arm | tasks | succeeded | calls accepted | share accepted, mean of tasks "
    "| against the original: pairs | difference | all accepted: won, lost | McNemar p |"
)


def replayed() -> dict[str, Any]:
    """Model -> figures, with what came of every attempt; models without answers are left out."""
    found: dict[str, Any] = {}
    for name in MODELS:
        if not are_kept(HERE / "answers" / f"{name}.jsonl"):
            continue
        model = replay_of(name)
        made = list(attempts(drawn("test", SAMPLE), model, words_of_arms()))
        found[name] = figures(made) | {
            "of each kit": {
                kit: figures([each for each in made if each.kit == kit])
                for kit in ("terminal", "files")
            },
            "answers to requests that were others": model.stale,
            "attempts": [_short(each) for each in made],
        }
    return found


def _short(made: Attempt) -> str:
    passed = "passed" if made.passed else "failed"
    return f"{made.task} {made.arm}: {made.accepted} of {made.calls}, {passed}, {made.ended}"


def table(found: dict[str, Any]) -> str:
    """What is compared, as Markdown."""
    lines = [_HEAD, "| --- " * _HEAD.count(" | ") + "| --- |"]
    for model, of in found.items():
        lines += [_row(model, arm, of) for arm in ARMS if of["arms"][arm]["tasks"]]
    return "\n".join(lines)


def _row(model: str, arm: str, of: dict[str, Any]) -> str:
    alone = of["arms"][arm]
    cells = [
        model, arm, alone["tasks"], alone["success"]["hits"],
        f"{alone['accepted']} of {alone['different calls']}",
        _interval(alone["share of calls accepted, mean"]),
    ]  # fmt: skip
    other = of["against the original"].get(arm, {"pairs": 0})
    if other["pairs"]:
        clean = other["all accepted"]
        cells += [
            other["pairs"], _interval(other["difference of the share"]),
            f"{clean['won']}, {clean['lost']}", clean["McNemar p"],
        ]  # fmt: skip
    else:
        cells += [""] * 4
    return "| " + " | ".join(map(str, cells)) + " |"


def _interval(values: list[float]) -> str:
    mean, low, high = values
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]"
