"""Tasks of ``agentdojo`` (MIT): user tasks with environments and success checks, no attacks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from knitbone.tethering.diagnosis.vocabulary import intent_of_tool
from knitbone_evals.extras import import_extra
from knitbone_evals.training.plans import (
    PlannedCall,
    SimulatedReply,
    SolvedTask,
    TaskEnvironment,
    Turn,
)

__all__ = ["SOURCE", "VERSION", "tasks"]

SOURCE = "agentdojo"
VERSION = "v1.2.2"
"""Version of agentdojo's task suites, not of the package."""

_CLOCK = re.compile(r"20\d\d-\d\d-\d\d[ T]\d\d:\d\d:\d\d\.\d{6}")
"""A time that the environment took from the computer's clock; its own data has no fractions."""
_THEN = "2024-05-26 12:00:00"


def tasks() -> Iterator[SolvedTask]:
    """All user tasks of all suites, by name.

    Raises:
        MissingExtraError: agentdojo is not installed.
    """
    loading: Any = import_extra("agentdojo.task_suite.load_suites", purpose="The training corpus")
    for name, suite in sorted(loading.get_suites(VERSION).items()):
        for identity, user_task in sorted(suite.user_tasks.items()):
            yield _task(name, suite, identity, user_task)


def _task(name: str, suite: Any, identity: str, user_task: Any) -> SolvedTask:
    defaults = suite.get_injection_vector_defaults()
    initial = user_task.init_environment(suite.load_and_inject_default_environment(defaults))

    def fresh() -> Any:
        return initial.model_copy(deep=True)

    def start() -> TaskEnvironment:
        return _Suite(suite, fresh())

    calls = tuple(
        PlannedCall(key=f"0.{place}", tool=call.function, arguments=dict(call.args))
        for place, call in enumerate(user_task.ground_truth(fresh()))
    )
    reply = user_task.GROUND_TRUTH_OUTPUT or None
    return SolvedTask(
        id=f"{SOURCE}/{name}/{identity}", source=SOURCE, domains=(name,), start=start,
        turns=(Turn(message=user_task.PROMPT, calls=calls, reply=reply),),
    )  # fmt: skip


class _Suite:
    """One environment and the tools over it."""

    def __init__(self, suite: Any, environment: Any) -> None:
        runtime: Any = import_extra("agentdojo.functions_runtime", purpose="The training corpus")
        self._show: Any = import_extra(
            "agentdojo.agent_pipeline.tool_execution", purpose="The training corpus"
        ).tool_result_to_str
        self._tools = suite.tools
        self._runtime = runtime.FunctionsRuntime(suite.tools)
        self._environment = environment

    def call(self, tool: str, arguments: dict[str, Any]) -> SimulatedReply:
        try:
            result, error = self._runtime.run_function(self._environment, tool, arguments)
            text = self._show(result)
        except Exception as failure:  # noqa: BLE001 - untrusted code; the failure is the answer
            return SimulatedReply(text=f"{type(failure).__name__}: {failure}", error=str(failure))
        return SimulatedReply(text=error or _CLOCK.sub(_THEN, text), error=error)

    def state(self) -> str:
        return _CLOCK.sub(_THEN, str(self._environment.model_dump_json()))

    def reads(self) -> Sequence[str]:
        return [
            tool.name
            for tool in self._tools
            if intent_of_tool(tool.name) == "read"
            and not tool.parameters.model_json_schema().get("required")
        ]
