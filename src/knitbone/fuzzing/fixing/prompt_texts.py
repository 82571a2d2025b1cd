"""What a model is told: one Markdown file a task in ``prompts``, with its version in its head."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["prompt_text", "prompt_version"]


def prompt_text(name: str) -> str:
    """What the model is told for a task."""
    return _file(name)[1]


def prompt_version(name: str) -> str:
    """The version of that text, for reports."""
    return _file(name)[0]


@cache
def _file(name: str) -> tuple[str, str]:
    source = files("knitbone.fuzzing.fixing") / "prompts" / f"{name}.md"
    head, _, text = source.read_text(encoding="utf-8").partition("\n---\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    return fields["version"], text.strip()
