"""What is attached to a tool sees the arguments after the framework's own parsing."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from knitbone.fuzzing.tools.resolve import load_tools

MODULE = '''
from datetime import date

from langchain_core.callbacks import CallbackManagerForToolRun
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool, Tool, tool
from pydantic import BaseModel


class Guest(BaseModel):
    name: str


def plain(when: date, guests: list[int]) -> str:
    return f"{when:%Y} {guests}"


async def later(when: date, guests: list[int]) -> str:
    return f"{when:%Y} {guests}"


class Inn:
    def book(self, when: date, guests: list[int]) -> str:
        return f"{when:%Y} {guests}"


book = Inn().book


@tool
def decorated(when: date, guests: list[int], config: RunnableConfig) -> str:
    """Book."""
    return f"{when:%Y} {guests}"


asynchronous = StructuredTool.from_function(coroutine=later, name="later", description="Book.")


class Fields(BaseModel):
    when: date
    guests: list[int]


class OfClass(BaseTool):
    name: str = "of_class"
    description: str = "Book."
    args_schema: type = Fields

    def _run(self, when, guests, run_manager: CallbackManagerForToolRun | None = None) -> str:
        return f"{when:%Y} {guests}"


class OfAsyncClass(BaseTool):
    name: str = "of_async_class"
    description: str = "Book."
    args_schema: type = Fields

    def _run(self, when, guests):
        raise NotImplementedError

    async def _arun(self, when, guests) -> str:
        return f"{when:%Y} {guests}"


class Both(StructuredTool):
    def _run(self, *args, config=None, **kwargs) -> str:
        return super()._run(*args, config=config, **kwargs)


both = Both.from_function(plain, name="both", description="Book.")
'''


def _recording(seen: list[dict[str, Any]]) -> Callable[..., Any]:
    """Records the named arguments of each call, as the taint does."""

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            seen.append(kwargs)
            return function(*args, **kwargs)

        @functools.wraps(function)
        async def recorded_later(*args: Any, **kwargs: Any) -> Any:
            seen.append(kwargs)
            return await function(*args, **kwargs)

        return recorded_later if inspect.iscoroutinefunction(function) else recorded

    return wrap


@pytest.mark.parametrize(
    "name",
    ["plain", "later", "book", "decorated", "asynchronous", "OfClass", "OfAsyncClass", "both"],
)
def test_what_is_attached_sees_validated_arguments(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"attached_{name}_tools.py"
    path.write_text(MODULE)
    (tool,) = load_tools(f"{path}:{name}", directory=str(tmp_path))
    seen: list[dict[str, Any]] = []
    tool.attach(_recording(seen))
    for _ in range(2):
        prepared = tool.prepare({"when": "2024-02-29", "guests": [1, 2]})
        assert prepared is not None
        assert tool.call(prepared) == "2024 [1, 2]"
    assert [(call["when"], call["guests"]) for call in seen] == [(date(2024, 2, 29), [1, 2])] * 2


def test_arguments_that_are_refused_do_not_arrive(tmp_path: Path) -> None:
    path = tmp_path / "attached_refusing_tools.py"
    path.write_text(MODULE)
    (tool,) = load_tools(f"{path}:decorated", directory=str(tmp_path))
    seen: list[dict[str, Any]] = []
    tool.attach(_recording(seen))
    with pytest.raises(Exception, match="valid date") as caught:
        tool.call({"when": "soon", "guests": []})
    assert tool.rejects(caught.value)
    assert not seen
