"""Tools of agent frameworks, each with the real library; docs/how-to/fuzz_targets.md says
which versions.

The libraries that are no development requirement are too heavy for one: their tests run where they
are installed and are skipped elsewhere.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from knitbone.fuzzing.tools.resolve import load_tools
from knitbone.fuzzing.tools.types import ArgumentsRejectedError, Tool

BODY = """
def _forecast(city, days):
    if city == "Nowhere":
        return [][len(city)]
    return f"{city} {days + 1}"
"""

MODULES: dict[str, tuple[str, str]] = {}
"""Framework -> the library that it needs, and a module with four tools: ``plain`` and ``later``
made of functions, ``OfClass`` a class, ``toolkit`` or a list that holds several."""

MODULES["langchain"] = (
    "langchain_core",
    '''
from typing import Annotated
from langchain_core.tools import BaseTool, StructuredTool, tool
from pydantic import BaseModel, Field

class Fields(BaseModel):
    city: str = Field(description="Name of the city.", examples=["Oslo"])
    days: int = Field(3, description="Days from now.")

@tool("forecast", args_schema=Fields)
def plain(city, days=3):
    """Forecast the weather."""
    return _forecast(city, days)

async def _later(city, days=3):
    return _forecast(city, days)

later = StructuredTool.from_function(
    coroutine=_later, name="forecast", description="Forecast the weather.", args_schema=Fields
)

class OfClass(BaseTool):
    name: str = "forecast"
    description: str = "Forecast the weather."
    args_schema: type = Fields

    def _run(self, city, days=3):
        return _forecast(city, days)

class Kit:
    def get_tools(self):
        return [plain, later]

toolkit = Kit()
''',
)

MODULES["llamaindex"] = (
    "llama_index.core",
    '''
from llama_index.core.tools import FunctionTool, ToolMetadata, ToolOutput
from llama_index.core.tools.types import BaseTool
from llama_index.core.tools.tool_spec.base import BaseToolSpec
from pydantic import BaseModel, Field

class Fields(BaseModel):
    city: str = Field(description="Name of the city.", examples=["Oslo"])
    days: int = Field(3, description="Days from now.")

def _plain(city, days=3):
    return _forecast(city, days)

async def _later(city, days=3):
    return _forecast(city, days)

given = dict(name="forecast", description="Forecast the weather.", fn_schema=Fields)
plain = FunctionTool.from_defaults(_plain, **given)
later = FunctionTool.from_defaults(async_fn=_later, **given)

class OfClass(BaseTool):
    metadata = ToolMetadata(**given)

    def __call__(self, city, days=3):
        text = _forecast(city, days)
        return ToolOutput(content=text, tool_name="forecast", raw_input={}, raw_output=text)

class Kit(BaseToolSpec):
    spec_functions = ["forecast", "other"]

    def forecast(self, city: str, days: int = 3) -> str:
        """Forecast the weather."""
        return _forecast(city, days)

    def other(self, city: str) -> str:
        """Nothing."""
        return city

toolkit = Kit()
''',
)

MODULES["crewai"] = (
    "crewai",
    '''
from crewai.tools import BaseTool, tool
from pydantic import BaseModel, Field

class Fields(BaseModel):
    city: str = Field(description="Name of the city.", examples=["Oslo"])
    days: int = Field(3, description="Days from now.")

@tool("forecast")
def plain(city: str, days: int = 3) -> str:
    """Forecast the weather."""
    return _forecast(city, days)

plain.args_schema = Fields

@tool("forecast")
async def later(city: str, days: int = 3) -> str:
    """Forecast the weather."""
    return _forecast(city, days)

later.args_schema = Fields

class OfClass(BaseTool):
    name: str = "forecast"
    description: str = "Forecast the weather."
    args_schema: type[BaseModel] = Fields

    def _run(self, city: str, days: int = 3) -> str:
        return _forecast(city, days)

toolkit = [plain, later]
''',
)

MODULES["autogen"] = (
    "autogen_core",
    """
from typing import Annotated
from autogen_core import CancellationToken
from autogen_core.tools import BaseTool, FunctionTool
from pydantic import BaseModel, Field

class Fields(BaseModel):
    city: str = Field(description="Name of the city.", examples=["Oslo"])
    days: int = Field(3, description="Days from now.")

City = Annotated[str, "Name of the city."]
Days = Annotated[int, "Days from now."]

def _plain(city: City, days: Days = 3) -> str:
    return _forecast(city, days)

async def _later(city: City, days: Days = 3) -> str:
    return _forecast(city, days)

plain = FunctionTool(_plain, name="forecast", description="Forecast the weather.")
later = FunctionTool(_later, name="forecast", description="Forecast the weather.")

class OfClass(BaseTool[Fields, str]):
    def __init__(self):
        super().__init__(Fields, str, "forecast", "Forecast the weather.")

    async def run(self, args: Fields, cancellation_token: CancellationToken) -> str:
        return _forecast(args.city, args.days)

toolkit = [plain, later]
""",
)

MODULES["ag2"] = (
    "ag2",
    '''
from typing import Annotated
from ag2.tools import Toolkit, tool
from pydantic import Field

City = Annotated[str, Field(description="Name of the city.", examples=["Oslo"])]
Days = Annotated[int, Field(description="Days from now.")]

@tool(name="forecast", description="Forecast the weather.")
def plain(city: City, days: Days = 3) -> str:
    return _forecast(city, days)

@tool(name="forecast", description="Forecast the weather.")
async def later(city: City, days: Days = 3) -> str:
    return _forecast(city, days)

@tool(name="forecast", description="Forecast the weather.", sync_to_thread=False)
def OfClass(city: City, days: Days = 3) -> str:
    return _forecast(city, days)

@tool
def other(city: City) -> str:
    """Nothing."""
    return city

toolkit = Toolkit(plain, other)
''',
)

MODULES["ag2_classic"] = (
    "autogen.tools",
    """
from typing import Annotated
from autogen.tools import Tool, tool

City = Annotated[str, "Name of the city."]
Days = Annotated[int, "Days from now."]

@tool(name="forecast", description="Forecast the weather.")
def plain(city: City, days: Days = 3) -> str:
    return _forecast(city, days)

@tool(name="forecast", description="Forecast the weather.")
async def later(city: City, days: Days = 3) -> str:
    return _forecast(city, days)

class OfClass(Tool):
    def __init__(self):
        super().__init__(
            name="forecast", description="Forecast the weather.", func_or_tool=self.forecast
        )

    def forecast(self, city: City, days: Days = 3) -> str:
        return _forecast(city, days)

toolkit = [plain, later]
""",
)

MODULES["smolagents"] = (
    "smolagents",
    '''
from smolagents import Tool, tool

@tool
def forecast(city: str, days: int | None = 3) -> str:
    """Forecast the weather.

    Args:
        city: Name of the city.
        days: Days from now.
    """
    return _forecast(city, days)

plain = forecast

class OfClass(Tool):
    name = "forecast"
    description = "Forecast the weather."
    inputs = {
        "city": {"type": "string", "description": "Name of the city."},
        "days": {"type": "integer", "description": "Days from now.", "nullable": True},
    }
    output_type = "string"

    def forward(self, city: str, days: int | None = 3) -> str:
        return _forecast(city, days)

later = plain  # smolagents has no asynchronous tools

toolkit = [plain, OfClass()]
''',
)

MODULES["schema"] = (
    "jsonschema",
    """
schema = {
    "type": "function",
    "function": {
        "name": "forecast",
        "description": "Forecast the weather.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Name of the city."},
                "days": {"type": "integer", "description": "Days from now.", "default": 3},
            },
            "required": ["city"],
        },
    },
}

def forecast(city, days=3):
    return _forecast(city, days)

async def forecast_later(city, days=3):
    return _forecast(city, days)

class Service:
    def forecast(self, city, days=3):
        return _forecast(city, days)

plain = (schema, forecast)
later = {**schema, "callable": forecast_later}
OfClass = {"schema": schema, "function": Service().forecast}
toolkit = [plain, later]
""",
)


@pytest.fixture(params=sorted(MODULES))
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """A framework, and a file of tools written for it."""
    library, module = MODULES[request.param]
    pytest.importorskip(library)
    path = tmp_path / f"of_{request.param}_tools.py"
    path.write_text(module + BODY)
    path_before = list(sys.path)
    yield request.param, str(path)
    sys.path[:] = path_before
    sys.modules.pop(path.stem, None)


def load(place: str, name: str) -> list[Tool]:
    return load_tools(f"{place}:{name}", directory=str(Path(place).parent))


def outcome(tool: Tool, arguments: dict[str, Any]) -> Any:
    """What a worker makes of a call: ``None`` for a rejection, the exception that was raised."""
    try:
        return tool.call(tool.prepare(arguments))
    except ArgumentsRejectedError:
        return None
    except Exception as error:
        return None if tool.rejects(error) else error


@pytest.mark.parametrize("name", ["plain", "later", "OfClass"])
def test_a_tool_is_called_validated_and_fails_as_in_its_framework(
    place: tuple[str, str], name: str
) -> None:
    framework, path = place
    (tool,) = load(path, name)
    described = tool.describe()
    assert described["name"] == "forecast"
    assert described["framework"] == framework.removesuffix("_classic")
    assert "Forecast the weather." in described["documentation"]
    assert described["schema"]["properties"]["city"]["description"] == "Name of the city."
    assert described["schema"]["required"] == ["city"]
    assert tool.owns(path)

    assert outcome(tool, {"city": "Oslo", "days": 2}) == "Oslo 3"
    assert outcome(tool, {"city": "Oslo"}) == "Oslo 4"
    assert outcome(tool, {"city": ["Oslo"]}) is None
    assert outcome(tool, {"days": 2}) is None
    error = outcome(tool, {"city": "Nowhere"})
    assert isinstance(error, LookupError)
    assert path in {frame.filename for frame in inspect.getinnerframes(error.__traceback__)}


@pytest.mark.parametrize("name", ["plain", "later", "OfClass"])
def test_what_is_attached_gets_the_arguments(place: tuple[str, str], name: str) -> None:
    _, path = place
    (tool,) = load(path, name)
    seen: list[str] = []

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            seen.append(repr((args, kwargs)))
            return function(*args, **kwargs)

        @functools.wraps(function)
        async def recorded_later(*args: Any, **kwargs: Any) -> Any:
            seen.append(repr((args, kwargs)))
            return await function(*args, **kwargs)

        return recorded_later if inspect.iscoroutinefunction(function) else recorded

    tool.attach(wrap)
    assert outcome(tool, {"city": ["Oslo"]}) is None
    assert not seen
    assert outcome(tool, {"city": "Oslo", "days": 2}) == "Oslo 3"
    (arguments,) = seen
    assert "Oslo" in arguments
    assert "2" in arguments


def test_a_toolkit_gives_its_tools(place: tuple[str, str]) -> None:
    _, path = place
    tools = load(path, "toolkit")
    assert len(tools) == 2
    assert "forecast" in [tool.describe()["name"] for tool in tools]
