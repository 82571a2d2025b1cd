"""A task's environment: where its tools work, and what came of it."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knitbone.fuzzing.agents import ToolReply
from knitbone_evals.agent_tasks.files.judging import judge
from knitbone_evals.agent_tasks.github.repository import Repository, differences
from knitbone_evals.agent_tasks.github.server import GitHubServer
from knitbone_evals.agent_tasks.records import KITS, Call, Kit, Task, Verdict
from knitbone_evals.agent_tasks.tools.tool import Tool

__all__ = ["Environment", "act", "open_environment", "run_calls", "succeeded"]


@dataclass(frozen=True)
class Environment:
    """Where one attempt at one task is made.

    Attributes:
        tools: the kit, working here.
        state: the folder of FMB, the repository of GHB.
    """

    task: Task
    kit: Kit
    tools: tuple[Tool, ...]
    state: Path | Repository

    def tool(self, name: str) -> Tool:
        """The tool of a name.

        Raises:
            KeyError: the kit has none.
        """
        return {tool.name: tool for tool in self.tools}[name]


@contextmanager
def open_environment(
    task: Task, kit: Kit, *, confined: bool = True, parent: Path | None = None
) -> Generator[Environment]:
    """The task's initial state, with tools; gone when the block ends.

    Args:
        confined: commands of the terminal are kept in their folder by the kernel (Landlock), and
            refused where it cannot. They may read everything.
        parent: the folder is ``parent/NAME_OF_TASK``, which must not exist, so that messages that
            name it are the same in every run; by default it has a name of its own.

    Raises:
        ValueError: the task's benchmark has no such kit.
    """
    if kit not in KITS[task.benchmark]:
        raise ValueError(f"{task.benchmark} has the kits {KITS[task.benchmark]}, not {kit!r}")
    with ExitStack() as stack:
        if kit == "github":
            yield _github(task, stack)
        else:
            yield _files(task, kit, confined, parent, stack)


def _files(
    task: Task, kit: Kit, confined: bool, parent: Path | None, stack: ExitStack
) -> Environment:
    # The kits import LangChain, which takes seconds, and warns of its community's end.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from knitbone_evals.agent_tasks.tools.file_toolkit import file_kit  # noqa: PLC0415
        from knitbone_evals.agent_tasks.tools.terminal import Terminal, terminal_kit  # noqa: PLC0415

    if parent is None:
        root = Path(tempfile.mkdtemp(prefix="agent-task-"))
    else:
        root = parent / task.name
        root.mkdir()
    stack.callback(shutil.rmtree, root, ignore_errors=True)
    folder, scratch = root / "work", root / "scratch"
    scratch.mkdir()
    folder.mkdir()
    for path, text in task.initial.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    if kit == "terminal":
        tools = terminal_kit(Terminal(folder, scratch, confined=confined))
    else:
        tools = file_kit(folder)
    return Environment(task, kit, tools, folder)


def _github(task: Task, stack: ExitStack) -> Environment:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from knitbone_evals.agent_tasks.tools.github import connect, github_kit  # noqa: PLC0415

    state = task.initial.copy()
    server = stack.enter_context(GitHubServer(state))
    client = connect(server.url)
    stack.callback(client.close)
    return Environment(task, "github", github_kit(client, state.name), state)


def run_calls(environment: Environment, calls: Sequence[Call]) -> list[ToolReply]:
    """Make the calls, in order; a call that fails is told and the next one made."""
    return [environment.tool(call.tool).call(call.arguments) for call in calls]


def act(environment: Environment, agent: Callable[[str, Sequence[Callable[..., str]]], Any]) -> Any:
    """Let an agent act: it is given the request and the tools as plain functions.

    Agents of ``knitbone.fuzzing.agents`` take ``environment.tools`` themselves.
    """
    return agent(environment.task.request, [tool.function for tool in environment.tools])


def succeeded(task: Task, environment: Environment) -> Verdict:
    """Whether the environment is now as the task wants it, and if not, what differs."""
    if isinstance(environment.state, Repository):
        wrong = differences(environment.state, task.initial, task.expected)
        return Verdict(not wrong, "\n".join(wrong))
    return judge(environment.state, task.initial, task.expected)
