"""A model whose answers come by file: what is asked is written down, what was answered is replayed.

A request is recognised by its material (the user's message), so that an answer holds while the
wording of the instructions is polished. Nothing is made up: a request without an answer fails.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from knitbone.errors import ModelServerError
from knitbone.models.chat import Completion, ToolSpec
from knitbone.models.structured import parse_structured
from knitbone.record.events import ChatMessage, Json, Usage
from knitbone_evals.lines import lines_of

__all__ = ["ByHand", "key_of"]


_OF_THE_RUN = re.compile(r"\d{4}-\d\d-\d\d [0-2]\d:[0-5]\d:[0-5]\d\.\d+|\bT-[0-9a-f]{12}\b")
"""Times and identifiers that two of the tools make anew in every run."""


def key_of(material: str) -> str:
    """What a request is recognised by."""
    return hashlib.sha256(_OF_THE_RUN.sub("·", material).encode()).hexdigest()[:16]


class ByHand:
    """A chat model that answers from a file, and collects what the file lacks.

    Args:
        paths: JSON lines of ``key`` and ``answer``; one that is not there holds none.
    """

    def __init__(self, *paths: Path, name: str) -> None:
        self.name = name
        self.pending: dict[str, dict[str, str]] = {}
        """What was asked and is not answered, by key."""
        lines = [line for path in paths for line in lines_of(path)]
        self._answers = {each["key"]: each["answer"] for each in map(json.loads, lines)}

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[ToolSpec] | None = None,  # noqa: ARG002
        schema: Mapping[str, Json] | None = None,
    ) -> Completion:
        """The answer that the file holds.

        Raises:
            ModelServerError: it holds none, or one that is no such record.
        """
        instructions, material = messages[0].content, messages[-1].content
        key = key_of(material)
        answer = self._answers.get(key)
        if answer is None:
            self.pending[key] = {"instructions": instructions, "material": material}
            raise ModelServerError(
                f"Nobody answered request {key} yet.",
                next_step="See evals/src/knitbone_evals/fuzz_docs.",
            )
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        completion = Completion(
            message=ChatMessage(role="assistant", content=text),
            finish_reason="stop",
            usage=Usage(input_tokens=len(material) // 4, output_tokens=len(text) // 4),
            model=self.name,
        )
        return parse_structured(completion, schema, self.name)
