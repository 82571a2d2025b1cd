"""LangChain's file toolkit, rooted in a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from langchain_community.agent_toolkits.file_management.toolkit import FileManagementToolkit
from langchain_core.tools import BaseTool

from knitbone_evals.agent_tasks.tools.tool import Tool, langchain_tool

__all__ = ["file_kit"]


def file_kit(folder: Path) -> tuple[Tool, ...]:
    """All tools of the toolkit, as LangChain documents them."""
    tools = FileManagementToolkit(root_dir=str(folder)).get_tools()
    return tuple(langchain_tool(tool, tool.name, _runner(tool)) for tool in tools)


_LISTING = {"list_directory", "file_search"}


def _runner(tool: BaseTool) -> Callable[..., str]:
    def run(**arguments: Any) -> str:
        told = str(tool.invoke(arguments))
        # The operating system lists in no order; equal runs are to be told equal things.
        return "\n".join(sorted(told.split("\n"))) if tool.name in _LISTING else told

    return run
