"""What came out, from the results that were written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scipy.stats import binomtest

from knitbone_evals.recover.arms import ARMS

__all__ = ["print_tables"]

_Key = tuple[str, int]
_PAIRS = (
    ("full", "post-run"), ("full", "blind"), ("post-run", "outcome"), ("post-run", "blind"),
    ("outcome", "blind"), ("wrong", "blind"), ("shuffled", "blind"), ("empty", "blind"),
    ("full, no decay", "post-run, no decay"), ("full, no decay", "blind"),
    ("post-run, no decay", "blind"), ("full", "full, no memory"),
)  # fmt: skip
_STEPS = (0, 1, 2, 3, 5, 8, 13)
_FAULTY = ("omission", "value", "skip", "repeat", "other")


def print_tables(lines: Sequence[dict[str, Any]], ground: str) -> None:
    """All tables of one ground."""
    lines = [line for line in lines if line["ground"] == ground]
    firsts = [line for line in lines if line["what"] == "first"]
    if not lines:
        return
    if not firsts:
        print(f"\n## {ground}\n")
        _fault_free(lines)
        return
    failed = sum(not line["success"] for line in firsts)
    seeds = sorted({line["seed"] for line in firsts})
    print(f"\n## {ground}: {len(firsts)} first attempts (seeds {seeds}), {failed} fail\n")
    arms = {name: {_key(x): x for x in lines if x["what"] == name} for name in ARMS}
    arms = {name: made for name, made in arms.items() if made}
    _repairs(arms)
    _pairs(arms)
    _interventions(arms)
    _adherence(arms)
    _fault_free(lines)


def _key(line: Mapping[str, Any]) -> _Key:
    return line["task"], line["seed"]


def _repaired(line: Mapping[str, Any]) -> bool:
    return line["ending"] == "succeeded"


def _repairs(arms: Mapping[str, Mapping[_Key, dict[str, Any]]]) -> None:
    print(
        "| arm | repaired | 95 % | iteration 1 | 2 | 3 | steps a repair | calls with an error "
        "| other endings |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    for name, made in arms.items():
        done = [line for line in made.values() if _repaired(line)]
        low, high = binomtest(len(done), len(made)).proportion_ci(method="wilson")
        at = Counter(len(line["attempts"]) - 1 for line in done)
        again = [attempt for line in made.values() for attempt in line["attempts"][1:]]
        steps = sum(attempt["steps"] for attempt in again) / max(len(made), 1)
        errors = sum(call[2] for attempt in again for call in attempt["path"]) / max(len(made), 1)
        others = Counter(
            line["ending"]
            for line in made.values()
            if line["ending"] not in ("succeeded", "repairs spent")
        )
        print(
            f"| {name} | {len(done)}/{len(made)} = {len(done) / len(made):.1%} | "
            f"{low:.1%} to {high:.1%} | {at[1]} | {at[2]} | {at[3]} | {steps:.1f} | {errors:.2f} | "
            f"{dict(others) or ''} |"
        )


def _pairs(arms: Mapping[str, Mapping[_Key, dict[str, Any]]]) -> None:
    print(
        "\n| first | second | pairs | only the first repairs | only the second | McNemar exact p | "
        "by task, sign test p |\n| --- | --- | --- | --- | --- | --- | --- |"
    )
    for first, second in _PAIRS:
        if first not in arms or second not in arms:
            continue
        keys = arms[first].keys() & arms[second].keys()
        gains = {key: _repaired(arms[first][key]) - _repaired(arms[second][key]) for key in keys}
        better, worse = (sum(gain == sign for gain in gains.values()) for sign in (1, -1))
        tasks: Counter[str] = Counter()
        for (task, _), gain in gains.items():
            tasks[task] += gain
        plus, minus = sum(n > 0 for n in tasks.values()), sum(n < 0 for n in tasks.values())
        print(
            f"| {first} | {second} | {len(keys)} | {better} | {worse} | {_sign(better, worse)} | "
            f"{_sign(plus, minus)} |"
        )


def _sign(better: int, worse: int) -> str:
    return f"{binomtest(better, better + worse).pvalue:.4f}" if better + worse else "-"


def _interventions(arms: Mapping[str, Mapping[_Key, dict[str, Any]]]) -> None:
    full, plain = arms.get("full", {}), arms.get("post-run", {})
    if not full:
        return
    attempts = [attempt for line in full.values() for attempt in line["attempts"][1:]]
    said: Counter[str] = Counter(
        f"{trigger}: {signal}" for attempt in attempts for trigger, signal in attempt["signals"]
    )
    print(f"\nInterventions in {len(attempts)} supervised attempts of {len(full)} tasks:")
    print(", ".join(f"{name} {count}" for name, count in said.most_common()) or "none")
    groups: dict[str, list[int]] = {"helped": [], "hurt": [], "same": []}
    for key in full.keys() & plain.keys():
        gain = _repaired(full[key]) - _repaired(plain[key])
        name = "helped" if gain > 0 else "hurt" if gain < 0 else "same"
        groups[name].append(sum(a["interventions"] for a in full[key]["attempts"][1:]))
    for name, counts in groups.items():
        mean = sum(counts) / len(counts) if counts else 0.0
        print(f"- {name} by supervision: {len(counts)} tasks, {mean:.2f} interventions a task")


def _adherence(arms: Mapping[str, Mapping[_Key, dict[str, Any]]]) -> None:
    """Share of first repairs that have not yet made a faulty step of the failed attempt again."""
    names = [name for name in ("blind", "post-run", "full", "post-run, no decay") if name in arms]
    print(
        "\n| first repairs that repeat no faulty step up to step | " + " | ".join(map(str, _STEPS))
    )
    print("| --- " * (len(_STEPS) + 1) + "|")
    for name in names:
        fallen = [_fallen(line["attempts"]) for line in arms[name].values()]
        shares = [
            f"{sum(at is None or at > step for at in fallen) / len(fallen):.0%}" for step in _STEPS
        ]
        print(f"| {name} (n = {len(fallen)}) | " + " | ".join(shares) + " |")


def _fallen(attempts: Sequence[Mapping[str, Any]]) -> int | None:
    """The step of the first repair that repeats a fault of the first attempt."""
    if len(attempts) < 2:
        return None
    faults = {tuple(call[:2]) for call in attempts[0]["path"] if call[0] in _FAULTY}
    again = attempts[1]["path"]
    return next((step for step, call in enumerate(again) if tuple(call[:2]) in faults), None)


def _fault_free(lines: Sequence[Mapping[str, Any]]) -> None:
    print("\n| fault-free runs | runs | without an intervention | 95 % |")
    print("| --- | --- | --- | --- |")
    for name, silent in _silences(lines):
        low, high = binomtest(sum(silent), len(silent)).proportion_ci(method="wilson")
        share = f"{sum(silent)}/{len(silent)} = {sum(silent) / len(silent):.1%}"
        print(f"| {name} | {len(silent)} | {share} | {low:.1%} to {high:.1%} |")


def _silences(lines: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[bool]]]:
    for name in ("gold", "gold, polling", "gold, guided"):
        made = [not line["interventions"] for line in lines if line["what"] == name]
        if made:
            yield name, made
