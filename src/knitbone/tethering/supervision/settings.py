"""The figures of supervision, each with its origin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import msgspec

__all__ = ["SupervisionSettings"]

_Count = Annotated[int, msgspec.Meta(ge=0)]
_Positive = Annotated[int, msgspec.Meta(ge=1)]


class SupervisionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """When a check speaks, and what holds it back."""

    loop_rounds: Annotated[int, msgspec.Meta(ge=2)] = 3
    """Times that a call, or a cycle of calls, comes with equal results until it is a loop. Ours:
    AgentTether §III.D.1 gives none; one repetition is how agents check what they read."""
    loop_cycle: _Positive = 4
    """Calls of the longest cycle that is looked for (issue: 4)."""
    loop_polling: Annotated[int, msgspec.Meta(ge=2)] = 10
    """The same for a result that says that work is under way, for which an agent has to wait
    (ours)."""
    loop_limits: Mapping[str, _Count] = {}
    """Tool → times in place of ``loop_rounds``; 0: repeating this tool is never a loop."""
    drift_window: _Positive = 5
    """Tool returns that the moving average of drift goes over (AgentTether §IV.A: five steps)."""
    drift_alpha: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.3
    """Weight of the newest one (AgentTether §IV.A)."""
    structural_steps: _Count = 5
    """Steps before the first reminder (AgentTether §IV.A)."""
    structural_calls: _Count = 5
    """Tool calls before the first reminder (AgentTether §IV.A)."""
    structural_fires: _Count = 3
    """Reminders in one run (AgentTether §IV.A)."""
    structural_repeats: _Count = 1
    """How often one reminder may be repeated (AgentTether §IV.A)."""
    cooldown_steps: _Count = 3
    """Steps from one intervention to the next (ours)."""
    reroutes: _Count = 2
    """Texts of one run that are sent back (ours)."""
    around_one_action: _Positive = 2
    """Interventions of one check around one required action; from then on it is only observed.
    Ours, after AgentTether §IV.D: in the runs that intervention hurt, a guard fired again and again
    around a required action, and the agent planned anew in place of doing it."""
    loops_without_guidance: bool = False
    """Whether a loop is said also where there is neither guidance nor memory. *Departure* when
    set: AgentTether §III.D.2 intervenes only with one of them."""
    verifier_s: Annotated[float, msgspec.Meta(gt=0)] = 5.0
    """Seconds that the verifier has; no answer in them is no verdict (ours)."""
