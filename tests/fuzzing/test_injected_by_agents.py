"""Parameters that LangChain's tool node fills in get a stand-in, or the tool is refused: no call
ends in a validation that no agent would meet."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from knitbone.config import FuzzConfig
from knitbone.errors import TargetError
from knitbone.fuzzing.api import fuzz
from knitbone.fuzzing.findings import judge
from knitbone.fuzzing.records import Campaign
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.fuzzing.tools.resolve import load_tools
from knitbone.report.fuzz import campaign_lines, got_nowhere, news

pytest.importorskip("langgraph.prebuilt")
pytest.importorskip("langchain_core")

HEAD = """
from typing import Annotated, Any
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, InjectedToolArg, InjectedToolCallId, tool
from langgraph.prebuilt import InjectedState, InjectedStore, ToolRuntime
from pydantic import BaseModel
from typing_extensions import TypedDict

class State(TypedDict, total=False):
    files: dict

class Strict(TypedDict):
    messages: list
    files: dict

class Odd(BaseModel):
    x: int
"""
FILLED = {
    "runtime": "runtime: ToolRuntime",
    "state": "state: Annotated[dict, InjectedState]",
    "made state": "state: Annotated[dict, InjectedState()]",
    "typed state": "state: Annotated[State, InjectedState]",
    "any state": "state: Annotated[Any, InjectedState]",
    "store": "store: Annotated[Any, InjectedStore()]",
    "call": "call: Annotated[str, InjectedToolCallId]",
    "config": "config: RunnableConfig",
    "default": "user: Annotated[str, InjectedToolArg] = 'ann'",
}
REFUSED = {
    "field": "messages: Annotated[list, InjectedState('messages')]",
    "typed": "state: Annotated[Strict, InjectedState]",
    "model": "state: Annotated[Odd, InjectedState]",
    "own": "user: Annotated[str, InjectedToolArg]",
}
STYLES = {
    "function": """
@tool
def split(text: str, {injected}) -> str:
    \"\"\"Split a note such as 'a:b'.\"\"\"
    return text.split(":")[1]
""",
    "async function": """
@tool
async def split(text: str, {injected}) -> str:
    \"\"\"Split a note such as 'a:b'.\"\"\"
    return text.split(":")[1]
""",
    "class": """
class Split(BaseTool):
    name: str = "split"
    description: str = "Split a note such as 'a:b'."

    def _run(self, text: str, {injected}) -> str:
        return text.split(":")[1]

split = Split()
""",
}


def module(folder: Path, source: str, name: str) -> str:
    path = folder / f"{name}.py"
    path.write_text(HEAD + source)
    return str(path)


_TOGETHER = ("runtime", "store", "call", "config", "default")
CASES = [
    *itertools.product(STYLES, [(name,) for name in FILLED if name != "config"]),
    # A class that takes a configuration shows it to the model, in this version of LangChain.
    *itertools.product(["function", "async function"], [("config",)]),
    *itertools.product(
        ["function"], itertools.combinations(list(FILLED)[:1] + list(FILLED)[5:], 2)
    ),
]


@pytest.mark.parametrize(("style", "kinds"), CASES)
def test_a_stand_in_is_injected_and_the_tool_is_reached(
    tmp_path: Path, style: str, kinds: tuple[str, ...]
) -> None:
    injected = ", ".join(sorted((FILLED[kind] for kind in kinds), key=lambda each: "=" in each))
    place = module(tmp_path, STYLES[style].format(injected=injected), "agent_tools")
    (tool,) = load_tools(f"{place}:split", directory="/")
    assert list(tool.describe()["schema"]["properties"]) == ["text"]
    assert tool.call(tool.prepare({"text": "a:b"})) == "b"
    with pytest.raises(IndexError):
        tool.call(tool.prepare({"text": "a"}))
    if style != "class":  # of a class without a schema of its own LangChain validates nothing
        with pytest.raises(ValidationError) as caught:
            tool.call(tool.prepare({"text": 1}))
        assert tool.rejects(caught.value)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("kind", REFUSED)
def test_what_nothing_can_stand_for_is_refused(tmp_path: Path, style: str, kind: str) -> None:
    place = module(tmp_path, STYLES[style].format(injected=REFUSED[kind]), "agent_tools")
    with pytest.raises(TargetError, match="which its framework injects"):
        load_tools(f"{place}:split", directory="/")


ASKS = """
@tool
def ask(text: str, runtime: ToolRuntime, state: Annotated[dict, InjectedState]) -> str:
    \"\"\"Ask for something.\"\"\"
    {body}
"""


@pytest.mark.parametrize(
    ("body", "standing"),
    [
        ("return runtime.state['files'][text]", "not run"),
        ("return state['files'][text]", "not run"),
        ("return runtime.context.user", "not run"),
        ("return runtime.config['configurable']['thread_id']", "not run"),
        ("return state.get('files', {})[text]", "unhandled"),
        ("return str(len(state['messages']) + len(runtime.tool_call_id))", None),
        ("runtime.store.put(('a',), text, {'a': 1}); return 'kept'", None),
        ("runtime.stream_writer(text); return 'told'", None),
        ("return str(getattr(runtime.context, 'user', 'nobody'))", None),
        (
            "try:\n        return runtime.state['files'][text]\n"
            "    except Exception as error:\n        return f'Error: {error}'",
            "refused",
        ),
    ],
)
def test_what_a_stand_in_lacks_is_no_failure_of_the_tool(
    private: Path, tmp_path: Path, body: str, standing: str | None
) -> None:
    place = module(tmp_path, ASKS.format(body=body), "asking_tools")
    with Sandbox(f"{place}:ask") as sandbox:
        outcome = sandbox.call(0, {"text": "xyz"}, timeout_s=20.0)
        verdict = judge(outcome, {"text": "xyz"}, roots=sandbox.tools[0].roots)
    assert (None if verdict is None else verdict.standing) == standing, outcome


def campaign_of(place: str) -> Campaign:
    return fuzz(place, calls=20, config=FuzzConfig(minimise_calls=10))


def test_a_fault_behind_an_injected_parameter_is_found(private: Path, tmp_path: Path) -> None:
    source = STYLES["function"].format(injected=FILLED["runtime"])
    campaign = campaign_of(module(tmp_path, source, "faulty_tools") + ":split")
    assert [finding.exception for finding in news(campaign)] == ["IndexError"]
    assert not got_nowhere(campaign)


NEVER: dict[str, Any] = {
    "langchain": """
from pydantic import field_validator

class Fields(BaseModel):
    text: str

    @field_validator("text")
    @classmethod
    def known(cls, text: str) -> str:
        raise ValueError("no text is good enough")

@tool(args_schema=Fields)
def never(text: str) -> str:
    \"\"\"Never runs.\"\"\"
    return text
""",
    "function": """
from pydantic import AfterValidator

def refuse(text: str) -> str:
    raise ValueError("no text is good enough")

def never(text: Annotated[str, AfterValidator(refuse)]) -> str:
    return text
""",
}


@pytest.mark.parametrize("kind", NEVER)
def test_where_no_call_got_past_validation_the_report_says_so_and_why(
    private: Path, tmp_path: Path, kind: str
) -> None:
    campaign = campaign_of(module(tmp_path, NEVER[kind], "never_tools") + ":never")
    assert got_nowhere(campaign)
    lines = [line for line, _ in campaign_lines(campaign)]
    assert "no call got past argument validation" in lines[0]
    assert "as they should be" not in lines[0]
    assert any("the first message: 1 validation error" in line for line in lines), lines
