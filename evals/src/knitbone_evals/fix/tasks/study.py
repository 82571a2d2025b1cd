"""What is measured, fixed before it was: the sample, the arms, the endpoint.

In the pilot (``run --pilot``: twelve tasks for validation, 0.5b, documentation as it is) one task
of twelve succeeded, under 10 %. So the endpoint, for both models, is the share of a task's calls
with arguments that the tool accepts: of its different calls, those where nothing was raised and
what was told is no error; a task without a call has 0. Each arm is compared with the original by
the mean of the tasks' differences (bootstrap, 95 %) and, as yes or no (calls were made, and all of
them accepted), by McNemar's exact test. Success is reported beside it. A patch helps where the
interval is above zero.
"""

from __future__ import annotations

import random
from typing import Literal, NamedTuple, get_args

from knitbone_evals.agent_tasks import Kit, Split, Task, load_tasks

__all__ = ["ARMS", "MAX_TOKENS", "MODELS", "PILOT", "SAMPLE", "Arm", "Case", "drawn"]

Arm = Literal["original", "patched", "description", "shuffled", "nothing", "without call"]
"""``patched``: what ``knitbone fix`` proposes; ``description``: written from the documentation
alone, of which nothing is known to be wrong; ``shuffled``: the patched text of another tool;
``nothing``: as many words as ``patched`` has, that state nothing; ``without call``: ``patched``
without the whole calls that it shows. The last was added after the others had been read, since
calls were copied (docs/how-to/fix.md), and fixed before it was run: same tasks, endpoint and
tests."""
ARMS: tuple[Arm, ...] = get_args(Arm)
SAMPLE, PILOT = 40, 12
_SEED = 29
MAX_TOKENS = 160
"""Of one answer; 0.5b repeats one call until it is cut off."""
MODELS = ("qwen2.5-coder-0.5b-instruct", "qwen2.5-coder-1.5b-instruct")


class Case(NamedTuple):
    """A task with the kit it is tried with."""

    task: Task
    kit: Kit


def drawn(split: Split, count: int) -> list[Case]:
    """Tasks of a split, drawn once; the kits take turns."""
    tasks = random.Random(f"{split}:{_SEED}").sample(load_tasks("FMB", split), count)
    kits: tuple[Kit, Kit] = ("terminal", "files")
    return [Case(task, kits[place % 2]) for place, task in enumerate(tasks)]
