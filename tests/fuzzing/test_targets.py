"""Targets: what a name may stand for, and what is said when it stands for nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from knitbone.errors import TargetError
from knitbone.fuzzing.sandbox.client import Sandbox

FILES = "langchain_community.tools.file_management"

MODULE = '''
import functools
from dataclasses import dataclass

from langchain_core.tools import BaseTool, StructuredTool, tool


def plain(text: str, /, *, count: int = 1) -> str:
    """Repeats a text."""
    return text * count


partial = functools.partial(plain, count=2)


class Object:
    def method(self, text: str) -> str:
        return text

    def __call__(self, text: str) -> str:
        return text


thing = Object()


@tool
def decorated(city: str, days: int = 3) -> str:
    """Forecast the weather of a city."""
    raise LookupError(city)


async def fetch(url: str) -> str:
    return "got " + url


asynchronous = StructuredTool.from_function(coroutine=fetch, name="fetch", description="Fetch.")


def make():
    return decorated


class NeedsKey(BaseTool):
    name: str = "needs_key"
    description: str = "Needs a key."
    key: str

    def _run(self, text: str) -> str:
        return text


many = [plain, decorated]
number = 3
'''


@pytest.fixture
def place(private: Path, tmp_path: Path) -> str:
    path = tmp_path / "some_tools.py"
    path.write_text(MODULE)
    return str(path)


@pytest.mark.parametrize(
    ("name", "tools"),
    [
        ("plain", ["plain"]),
        ("partial", ["partial"]),
        ("thing", ["thing"]),
        ("thing.method", ["method"]),
        ("decorated", ["decorated"]),
        ("asynchronous", ["fetch"]),
        ("make()", ["decorated"]),
        ("many", ["plain", "decorated"]),
        ("many#decorated", ["decorated"]),
    ],
)
def test_everything_that_is_a_tool_can_be_named(place: str, name: str, tools: list[str]) -> None:
    with Sandbox(f"{place}:{name}") as sandbox:
        assert [tool.name for tool in sandbox.tools] == tools
        for index, tool in enumerate(sandbox.tools):
            fields = dict.fromkeys(tool.schema.get("required", ["text"]), "a")
            outcome = sandbox.call(index, fields, timeout_s=5)
            assert outcome.status == ("raised" if tool.name == "decorated" else "ok")
            assert sandbox.call(index, {"none": []}, timeout_s=5).status == "rejected"


def test_a_toolkit_gives_all_its_tools_each_with_a_name_of_its_own(private: Path) -> None:
    target = "langchain_community.agent_toolkits:FileManagementToolkit"
    with Sandbox(target) as sandbox:
        names = [tool.target for tool in sandbox.tools]
    assert f"{target}#read_file" in names
    assert len(set(names)) == len(names) == 7


def test_the_schema_is_the_one_the_agent_sees(place: str) -> None:
    with Sandbox(f"{place}:decorated") as sandbox:
        (tool,) = sandbox.tools
    assert tool.documentation == "Forecast the weather of a city."
    assert tool.schema["required"] == ["city"]
    assert tool.schema["properties"]["days"]["default"] == 3
    assert tool.framework == "langchain"


def test_a_frame_lies_in_the_tool_and_not_in_the_framework(place: str) -> None:
    with Sandbox(f"{place}:decorated") as sandbox:
        outcome = sandbox.call(0, {"city": "Oslo"}, timeout_s=5)
    assert outcome.frame is not None
    assert outcome.frame.source == "raise LookupError(city)"
    assert outcome.frame.file == place


@pytest.mark.parametrize(
    ("target", "message", "hint"),
    [
        (FILES + ":ReadFileTol", "has no 'ReadFileTol'", "ReadFileTool"),
        ("langchain_comunity.tools:X", "no module 'langchain_comunity'", "langchain_community"),
        (FILES, "not a tool", "Name one of its tools"),
        ("nonsense:", "'nonsense'", ""),
        (":x", "not a target", "package.module:name"),
        ("no/such/file.py:x", "no file", "Check the path"),
        ("json:decoder", "a module, which is not a tool", "Name a function"),
        ("collections:OrderedDict", "class OrderedDict", "Name a function"),
    ],
)
def test_what_cannot_be_named_is_explained(
    private: Path, target: str, message: str, hint: str
) -> None:
    with pytest.raises(TargetError) as caught:
        Sandbox(target)
    assert message in caught.value.message
    assert hint in (caught.value.next_step or "")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("plan", "has no 'plan'"),
        ("NeedsKey", "Making the tool"),
        ("number", "an object of type int"),
        ("many#none", "There is no tool 'none'"),
    ],
)
def test_what_is_no_tool_is_explained(place: str, name: str, message: str) -> None:
    with pytest.raises(TargetError) as caught:
        Sandbox(f"{place}:{name}")
    assert message in caught.value.message
    if name == "plan":
        assert "plain" in (caught.value.next_step or "")
