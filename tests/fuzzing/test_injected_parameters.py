"""What a framework injects is not fuzzed, and a method without its instance is no target."""

from __future__ import annotations

from pathlib import Path

import pytest

from knitbone.errors import TargetError
from knitbone.fuzzing.tools.resolve import load_tools

MODULE = """
from typing import Annotated, Optional
from fastapi import Depends, Request
from langchain_core.tools import InjectedToolArg
from mcp.server.mcpserver import Context

def session():
    return "session"

def needs(text: str):
    return text

def by_default(key: str, db=Depends(session)) -> str:
    return f"{key} in {db}"

def by_metadata(key: str, db: Annotated[str, Depends(session)]) -> str:
    return f"{key} in {db}"

def optional(key: str, context: Optional[Context] = None) -> str:
    return f"{key} in {context}"

def of_langchain(key: str, user: Annotated[str, InjectedToolArg] = "ann") -> str:
    return f"{key} in {user}"

def required(key: str, request: Request) -> str:
    return key

def deep(key: str, db=Depends(needs)) -> str:
    return key

class Injected:  # of a framework that nobody knows
    def __init__(self, name): self.name = name

def by_unknown(key: str, db: Annotated[dict, Injected("db")]) -> str:
    return key

class Store:
    def __init__(self, path): self.path = path
    def find(self, key: str) -> str:
        return key

class Service:
    def find(self, key: str) -> str:
        return key

    @staticmethod
    def apart(key: str) -> str:
        return key

service = Service()
"""


@pytest.fixture
def module(tmp_path: Path) -> Path:
    for library in ("fastapi", "langchain_core", "mcp"):
        pytest.importorskip(library)
    path = tmp_path / "injected_tools.py"
    path.write_text(MODULE)
    return path


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("by_default", "k in session"),
        ("by_metadata", "k in session"),
        ("optional", "k in None"),
        ("of_langchain", "k in ann"),
        ("service.find", "k"),
        ("Service.find", "k"),
        ("Service.apart", "k"),
    ],
)
def test_what_is_injected_is_no_argument(module: Path, name: str, result: str) -> None:
    (tool,) = load_tools(f"{module}:{name}", directory="/")
    assert list(tool.describe()["schema"]["properties"]) == ["key"]
    prepared = tool.prepare({"key": "k"})
    assert prepared is not None
    assert tool.call(prepared) == result


@pytest.mark.parametrize("name", ["required", "deep", "by_unknown"])
def test_what_cannot_be_injected_here_is_said(module: Path, name: str) -> None:
    with pytest.raises(TargetError, match="injects"):
        load_tools(f"{module}:{name}", directory="/")


def test_a_method_without_its_instance_asks_for_one(module: Path) -> None:
    with pytest.raises(TargetError, match="needs an instance") as raised:
        load_tools(f"{module}:Store.find", directory="/")
    assert "service.find" in str(raised.value.next_step)
