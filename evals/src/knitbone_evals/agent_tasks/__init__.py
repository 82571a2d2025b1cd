"""End-to-end tasks for agents: FMB over files, GHB on GitHub (ToolFuzz, §5.3 and appendix F).

::

    for task in load_tasks("FMB", "test"):
        with open_environment(task, "terminal") as environment:
            act(environment, my_agent)        # my_agent(request, functions)
            verdict = succeeded(task, environment)  # true or false; verdict.reason says why

Every task has a reference that solves it, and three attempts that are wrong in a known way:
``python -m knitbone_evals.agent_tasks`` holds the judge against all of them.
"""

from knitbone_evals.agent_tasks.loading import domains, load_tasks
from knitbone_evals.agent_tasks.records import (
    KITS,
    Attempt,
    Benchmark,
    Call,
    Kit,
    Split,
    Task,
    Verdict,
)
from knitbone_evals.agent_tasks.running import (
    Environment,
    act,
    open_environment,
    run_calls,
    succeeded,
)
from knitbone_evals.agent_tasks.tools.tool import Tool

__all__ = [
    "KITS",
    "Attempt",
    "Benchmark",
    "Call",
    "Environment",
    "Kit",
    "Split",
    "Task",
    "Tool",
    "Verdict",
    "act",
    "domains",
    "load_tasks",
    "open_environment",
    "run_calls",
    "succeeded",
]
