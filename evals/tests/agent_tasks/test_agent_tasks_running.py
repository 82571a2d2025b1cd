"""Environments, tools and judge of FMB and GHB on a sample of the tasks."""

from __future__ import annotations

import inspect
import json

import pytest

from knitbone.config import ModelConfig
from knitbone.fuzzing.agents import run_agent_sync
from knitbone.models import create_chat_model
from knitbone.record.events import ToolCallRequest
from knitbone.testing import ModelServer, Reply
from knitbone_evals.agent_tasks import (
    KITS,
    act,
    load_tasks,
    open_environment,
    run_calls,
    succeeded,
)
from knitbone_evals.agent_tasks.drawing import generator
from knitbone_evals.agent_tasks.files.judging import judge

SAMPLED = 6
TASKS = load_tasks("FMB", "validation")


def sample(benchmark):
    """Some tasks, one of each category of GHB among them."""
    tasks = load_tasks(benchmark)
    generator("sample", benchmark).shuffle(tasks)
    kinds = {(task.category, task.level if benchmark == "FMB" else ""): task for task in tasks}
    return sorted(list(kinds.values())[:SAMPLED], key=lambda task: task.name)


def attempts(benchmark):
    if benchmark == "GHB":
        pytest.importorskip("github", reason="PyGithub is not installed")
    for task in sample(benchmark):
        for kit in KITS[benchmark]:
            for attempt in task.attempts:
                # All is known here, so that kernels without Landlock run it, too.
                with open_environment(task, kit, confined=False) as environment:
                    replies = run_calls(environment, attempt.calls[kit])
                    verdict = succeeded(task, environment)
                yield f"{task.name} {kit} {attempt.name}", attempt.name, replies, verdict


@pytest.mark.parametrize("benchmark", ["FMB", "GHB"])
def test_references_pass_and_what_is_wrong_fails(benchmark):
    seen = 0
    for label, name, replies, verdict in attempts(benchmark):
        seen += 1
        assert bool(verdict) == (name == "reference"), f"{label}: {verdict.reason} {replies}"
        assert bool(verdict.reason) != bool(verdict)
        if name == "reference":
            assert [reply.error for reply in replies] == [None] * len(replies), label
    assert seen == SAMPLED * 5 * len(KITS[benchmark])


def test_the_judge_sees_places_contents_links_and_empty_folders(tmp_path):
    initial, expected = {"a": "1\n", "keep": "x\n"}, {"b/a": "2\n", "keep": "x\n"}
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "a").write_text("2")
    (tmp_path / "keep").write_text("x\n")
    assert judge(tmp_path, initial, expected), "the end of a changed file does not count"
    (tmp_path / "keep").write_text("x")
    assert judge(tmp_path, initial, expected).reason == "wrong contents: keep"
    (tmp_path / "keep").write_text("x\n")
    (tmp_path / "empty").mkdir()
    assert judge(tmp_path, initial, expected).reason == "new folder without files: empty"
    (tmp_path / "empty").rmdir()
    (tmp_path / "b" / "a").rename(tmp_path / "a")
    assert "missing: b/a" in judge(tmp_path, initial, expected).reason
    (tmp_path / "b" / "a").symlink_to(tmp_path / "a")
    assert "wrong contents: b/a" in judge(tmp_path, initial, expected).reason


def test_an_agent_is_given_the_request_and_documented_functions():
    task = next(task for task in TASKS if task.category == "append")
    reference = task.reference.calls["files"]

    def agent(request, tools):
        assert request == task.request
        by_name = {tool.__name__: tool for tool in tools}
        assert by_name["file_delete"].__doc__.startswith("Delete a file\n")
        assert list(inspect.signature(by_name["copy_file"]).parameters) == [
            "source_path",
            "destination_path",
        ]
        for call in reference:
            by_name[call.tool](**call.arguments)
        return "done"

    with open_environment(task, "terminal") as environment:
        (terminal,) = (tool.function for tool in environment.tools)
        assert inspect.signature(terminal).parameters["commands"].annotation == str | list[str]
    with open_environment(task, "files") as environment:
        assert act(environment, agent) == "done"
        assert succeeded(task, environment)


def test_documentation_can_be_exchanged_and_nothing_else(tmp_path):
    task = TASKS[0]
    with open_environment(task, "files", parent=tmp_path) as environment:
        assert environment.state == tmp_path / task.name / "work"
        tool = environment.tool("read_file")
        other = tool.documented("Reads a text.", {"file_path": "Relative to the folder."})
        assert other.spec.description == "Reads a text."
        properties = other.spec.parameters["properties"]
        assert properties["file_path"]["description"] == "Relative to the folder."
        assert other.run is tool.run
        assert tool.spec.description == "Read file from disk"
        with pytest.raises(KeyError):
            tool.documented("x", {"path": "there is no such argument"})
    assert not (tmp_path / task.name).exists()


def test_failures_of_tools_are_replies():
    task = TASKS[0]
    with open_environment(task, "files") as environment:
        reply = environment.tool("write_file").call({"file_path": "a.txt"})
    assert reply.error is not None
    assert reply.text.startswith("Error: ValidationError")


def test_commands_change_their_folder_only(tmp_path):
    with (
        pytest.raises(ValueError, match="FMB has the kits"),
        open_environment(TASKS[0], "github"),
    ):
        pass
    outside = tmp_path / "outside.txt"
    with open_environment(TASKS[0], "terminal") as environment:
        reply = environment.tool("terminal").call({"commands": f"touch inside; touch {outside}"})
        inside = (environment.state / "inside").exists()
    assert not outside.exists()
    if reply.error is None:
        assert inside
    else:
        assert "no Landlock" in reply.error.message, "refused where the kernel cannot confine"


def test_output_and_time_of_commands_are_bounded():
    with open_environment(TASKS[0], "terminal", confined=False) as environment:
        terminal = environment.tool("terminal")
        assert len(terminal.call({"commands": "yes"}).text) == 8000
        assert terminal.call({"commands": "sleep 60 & echo done"}).text == "done\n"


@pytest.mark.parametrize("style", ["react", "tool-calling"])
@pytest.mark.parametrize("kit", ["terminal", "files", "github"])
def test_the_built_in_agents_take_the_tools_as_they_are(style, kit):
    if kit == "github":
        pytest.importorskip("github", reason="PyGithub is not installed")
        task = next(task for task in load_tasks("GHB") if task.category == "delete")
    else:
        task = next(task for task in TASKS if task.level == "several steps")
    calls = task.reference.calls[kit]
    if style == "react":
        said = [f"Action: {c.tool}\nAction Input: {json.dumps(c.arguments)}" for c in calls]
        script = [Reply(text=text) for text in [*said, "Final Answer: done"]]
    else:
        asked = [ToolCallRequest(name=c.tool, arguments=dict(c.arguments)) for c in calls]
        script = [*(Reply(tool_calls=(one,)) for one in asked), Reply(text="done")]
    with ModelServer(script) as server, open_environment(task, kit, confined=False) as environment:
        model = create_chat_model(ModelConfig(name="m", base_url=server.base_url), "agent")
        result = run_agent_sync(
            model, environment.tools, task.request, style=style, max_steps=len(script)
        )
        assert result.answer == "done"
        assert succeeded(task, environment), succeeded(task, environment).reason
        told = str(server.requests[0].body)
        assert all(tool.spec.description.strip()[:25] in told for tool in environment.tools)
