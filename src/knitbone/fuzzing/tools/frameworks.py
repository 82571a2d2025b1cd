"""Which adapter a value is for: recognised by its class, without importing any framework."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from knitbone.fuzzing.tools.ag2 import Ag2ClassicTool, Ag2Tool
from knitbone.fuzzing.tools.autogen import AutoGenTool
from knitbone.fuzzing.tools.crewai import CrewAITool
from knitbone.fuzzing.tools.langchain import LangChainTool
from knitbone.fuzzing.tools.llamaindex import LlamaIndexTool
from knitbone.fuzzing.tools.smolagents import SmolagentsTool
from knitbone.fuzzing.tools.types import Tool

__all__ = ["adapter_of"]

_FRAMEWORKS: tuple[tuple[str, str, Callable[[Any], Tool]], ...] = (
    ("langchain_core.tools.base", "BaseTool", LangChainTool),
    ("llama_index.core.tools.types", "BaseTool", LlamaIndexTool),
    ("crewai.tools.base_tool", "BaseTool", CrewAITool),
    ("autogen_core.tools._base", "BaseTool", AutoGenTool),
    ("ag2.tools.final.function_tool", "FunctionTool", Ag2Tool),
    ("autogen.tools.tool", "Tool", Ag2ClassicTool),
    ("smolagents.tools", "Tool", SmolagentsTool),
)
"""Module and class of each framework's tools. A value of such a class has imported its module."""


def adapter_of(value: Any) -> Callable[[Any], Tool] | None:
    """The adapter for a tool, or for the tools of a class; ``None`` for anything else."""
    for module, name, adapter in _FRAMEWORKS:
        base = getattr(sys.modules.get(module), name, None)
        if base is None:
            continue
        if isinstance(value, base) or (isinstance(value, type) and issubclass(value, base)):
            return adapter
    return None
