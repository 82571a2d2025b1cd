"""The arms that are compared: the package's strategies, ablations of them, and placebos.

A placebo is the strategy ``post-run`` with another text in the place of its guidance.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec

from knitbone.config import TetherConfig
from knitbone.tethering.recovery.strategies import StrategyParts, strategy_named

__all__ = ["ARMS", "MAIN_ARMS", "Arm", "strategy_of"]

_EMPTY = (
    "Every task deserves care, and this one is no exception. Good work comes from patience and "
    "from a clear head. Take the time that you need, and stay friendly in everything that you say. "
)


class Arm(msgspec.Struct, frozen=True, kw_only=True):
    """How failed tasks are tried again."""

    strategy: str
    fading: bool = True
    """Whether the agent forgets what it read."""
    remember: bool = True
    text: str = ""
    """Placebo: ``wrong``, ``shuffled`` or ``empty``."""


MAIN_ARMS = {
    "blind": Arm(strategy="blind"),
    "outcome": Arm(strategy="outcome"),
    "post-run": Arm(strategy="post-run"),
    "full": Arm(strategy="full"),
}
ARMS = {
    **MAIN_ARMS,
    "wrong": Arm(strategy="post-run", text="wrong"),
    "shuffled": Arm(strategy="post-run", text="shuffled"),
    "empty": Arm(strategy="post-run", text="empty"),
    "post-run, no decay": Arm(strategy="post-run", fading=False),
    "full, no decay": Arm(strategy="full", fading=False),
    "full, no memory": Arm(strategy="full", remember=False),
}


class _Placebo:
    """Guidance with its text exchanged; nothing of it is remembered."""

    supervises = False

    def __init__(self, inner: Any, name: str, exchanged: Callable[[str], str]) -> None:
        self.name = name
        self._inner = inner
        self._exchanged = exchanged

    def guidance(self, failed: Any) -> Any:
        made = self._inner.guidance(failed)
        return msgspec.structs.replace(made, text=self._exchanged(made.text), directives=())

    def shown(self, guidance: Any, run: str) -> None:
        del guidance, run

    def judged(self, guidance: Any, run: Any, *, success: bool) -> None:
        del guidance, run, success


def strategy_of(arm: Arm, *, foreign: str, seed: str) -> Any:
    """What ``knitbone.recover`` is given: a name, or for a placebo an object.

    Args:
        foreign: guidance that was made for another task of the same suite.
    """
    if not arm.text:
        return arm.strategy

    def exchanged(text: str) -> str:
        if arm.text == "wrong":
            return foreign
        if arm.text == "empty":
            return (_EMPTY * 6)[: max(len(text), 300)]
        words = text.split()
        random.Random(seed).shuffle(words)
        return " ".join(words)

    parts = StrategyParts(config=TetherConfig())
    return _Placebo(strategy_named(arm.strategy, parts), arm.text, exchanged)
