"""What a search for misleading documentation is asked for."""

from __future__ import annotations

import shlex
from typing import Annotated

import msgspec

from knitbone.config import FuzzConfig
from knitbone.fuzzing.documentation.oracle import Rated
from knitbone.fuzzing.documentation.records import CHECKS, Check, PromptSet
from knitbone.fuzzing.records import ToolUnderTest

__all__ = ["DocumentationSearch"]


class DocumentationSearch(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for, besides the target and who plays which part."""

    config: FuzzConfig = FuzzConfig()
    """``sets``, ``prompts``, ``normalise``, ``prompt_folder``, the budgets and the limits of the
    sandbox."""
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.0
    """ToolFuzz §5.2 (0), App. H.1 (0, 0.4, 0.8 and 1): temperature of the writer."""
    humanise: bool = False
    """ToolFuzz, App. J.2: have the prompts of a set put into a person's words."""
    seed: int = 0
    """Of the agent, where it draws by one; only named in the record of the search."""
    checks: tuple[Check, ...] = CHECKS
    """A set is faulty where all of these fail; ``("input", "output")`` is the paper's CC,
    ``("oracle",)`` its LLM."""
    exhaustive: bool = False
    """Make every check of every set, also after one that does not fail."""
    rated: Rated = "answer"
    """What the oracle rates."""
    context: str = ""
    """What else the writer is to know of the tools."""
    together: bool = False
    """Give the agent all tools of the target, in place of the one under test."""
    prompt_sets: dict[str, tuple[PromptSet, ...]] | None = None
    """Sets to use in place of written ones, by name of the tool."""

    def command(self, tool: ToolUnderTest) -> str:
        """What searches the documentation of one tool in the same way."""
        config = self.config
        options = f"--sets {config.sets} --prompts {config.prompts}"
        return f"knitbone fuzz-docs {shlex.quote(tool.target)} {options}"
