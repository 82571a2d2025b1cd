"""What models call the parts of a tool call that they write as JSON into their answer, and what
libraries make of a tool's name.

Sources: the chat templates of Qwen2.5 and Hermes (``name``, ``arguments`` in ``<tool_call>``),
Llama 3.1 (``name``, ``parameters``), Mistral (a list of ``name``, ``arguments``) and OpenAI's wire
format (``function``, ``tool_calls``), which models without a template for tools imitate;
LangChain's structured chat agent (``action``, ``action_input``); answers of small models in
``knitbone_evals.real_model``.
"""

from __future__ import annotations

__all__ = [
    "WRITTEN_ARGUMENTS",
    "WRITTEN_BESIDE",
    "WRITTEN_FENCES",
    "WRITTEN_LISTS",
    "WRITTEN_NAMES",
    "WRITTEN_RESULTS",
    "names_same_tool",
]

WRITTEN_NAMES = (
    "name",
    "tool",
    "tool_name",
    "function",
    "function_name",
    "action",
)
"""Keys of the tool's name, or of the object that holds name and arguments."""
WRITTEN_ARGUMENTS = (
    "arguments",
    "parameters",
    "args",
    "params",
    "kwargs",
    "input",
    "tool_input",
    "action_input",
)
"""Keys of the arguments."""
WRITTEN_BESIDE = (
    "type",
    "id",
    "index",
    "call_id",
    "tool_call_id",
    "thought",
    "thoughts",
    "reason",
    "reasoning",
)
"""Further keys of a call; an object with any other one is something else."""
WRITTEN_LISTS = ("tool_calls", "calls")
"""Keys of an object that holds nothing but a list of calls."""
WRITTEN_FENCES = ("", "json", "json5", "jsonc", "jsonl", "text", "plaintext", "xml", "tool_call")
"""Tags of the code fences that calls stand in."""
WRITTEN_RESULTS = ("<tool_response>", "<|im_start|>", "Observation:")
"""Marks behind which a model makes up what a tool returned."""


def names_same_tool(name: str, bare: str) -> bool:
    """Return whether two names are one tool's: the first may carry its server's name in front."""
    if name == bare:
        return True
    return bool(bare) and name.endswith(bare) and name[-len(bare) - 1] in "_-./:"
