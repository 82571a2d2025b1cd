"""What a real model did, as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
from scipy.stats import binomtest

__all__ = ["ArmResult", "TaskResult", "print_results"]


class ArmResult(msgspec.Struct, frozen=True, kw_only=True):
    """One repair."""

    success: bool
    reason: str
    tokens: int
    steps: int
    seconds: float
    """Of the model, when it was recorded."""
    guidance: str
    expected: int
    """Directives of ``full``'s guidance whose being followed shows in calls."""
    followed: int
    """Of them, those that this run followed, whether or not it was told."""
    said: list[str]
    """Interventions, by trigger and check."""


class TaskResult(msgspec.Struct, frozen=True, kw_only=True):
    """A task in all arms."""

    task: str
    ground: str
    first: bool
    first_reason: str
    tokens: int
    steps: int
    arms: dict[str, ArmResult]


def print_results(results: Sequence[TaskResult]) -> None:
    """First attempts by ground, the repairs of those that failed, and what full did in them."""
    if not results:
        print("nothing is recorded")
        return
    print("| tasks | done at first | 95 % |\n| --- | --- | --- |")
    for ground in [*dict.fromkeys(each.ground for each in results), "all"]:
        mine = [each for each in results if ground in (each.ground, "all")]
        print(f"| {ground} | {_share(sum(each.first for each in mine), len(mine))} |")
    failed = [each for each in results if not each.first]
    if not failed:
        return
    print(
        "\n| arm | repaired | 95 % | steps | tokens | model seconds | expected actions done |\n"
        "| --- | --- | --- | --- | --- | --- | --- |"
    )
    for arm in failed[0].arms:
        made = [each.arms[arm] for each in failed]
        means = [
            sum(values) / len(made)
            for values in zip(*((r.steps, r.tokens, r.seconds) for r in made), strict=True)
        ]
        done, wanted = sum(r.followed for r in made), sum(r.expected for r in made)
        print(
            f"| {arm} | {_share(sum(r.success for r in made), len(made))} | {means[0]:.1f} | "
            f"{means[1]:.0f} | {means[2]:.0f} | {done} of {wanted} |"
        )
    _pair(failed)
    _supervision([each.arms["full"] for each in failed])


def _share(count: int, of: int) -> str:
    low, high = binomtest(count, of).proportion_ci(method="wilson")
    return f"{count} of {of} = {count / of:.1%} | {low:.1%} to {high:.1%}"


def _pair(failed: Sequence[TaskResult]) -> None:
    alone = Counter((each.arms["full"].success, each.arms["blind"].success) for each in failed)
    full, blind = alone[True, False], alone[False, True]
    p = binomtest(full, full + blind).pvalue if full + blind else 1.0
    print(f"\nfull alone {full}, blind alone {blind}: McNemar exact p = {p:.2f}")


def _supervision(made: Sequence[ArmResult]) -> None:
    said = Counter(each for result in made for each in result.said)
    told = sum(bool(result.guidance) for result in made)
    checked = sum(bool(result.expected) for result in made)
    print(
        f"full: {told} of {len(made)} repairs were told something, {checked} something that calls "
        f"can show; {sum(said.values())} interventions in "
        f"{sum(bool(result.said) for result in made)} of them"
    )
    for kind, count in said.most_common():
        print(f"- {count} {kind}")
