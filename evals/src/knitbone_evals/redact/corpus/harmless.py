"""Texts that a redactor must leave exactly as they are."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from generated import generated

FOLDER = Path(__file__).parent / "harmless"
BLOCK_END = "\n%%%\n"


@dataclasses.dataclass(frozen=True)
class Text:
    """A harmless text and the kind that it belongs to."""

    kind: str
    text: str


def harmless() -> list[Text]:
    """All texts written by hand and by generators, each of them once, always in the same order."""
    texts = {text: kind for kind, text in written()}
    for kind, text in generated():
        texts.setdefault(text, kind)
    return [Text(kind, text) for text, kind in texts.items()]


def written() -> list[tuple[str, str]]:
    """Kind and text of what was written by hand: lines of .txt, blocks of .blocks."""
    found: list[tuple[str, str]] = []
    for file in sorted(FOLDER.iterdir()):
        content = file.read_text(encoding="utf-8").strip("\n")
        if file.suffix == ".blocks":
            passages = content.split(BLOCK_END)
        elif file.suffix == ".txt":
            passages = content.split("\n")
        else:
            continue
        kind = file.stem.replace("_", " ")
        found.extend((kind, passage) for passage in passages if passage.strip())
    return found


def answers(data: Path) -> list[Text]:
    """Answers of language models to harmless questions, out of a folder of JSON lines.

    Each line of each `*.jsonl` file is an object whose `output` is the answer; equal answers
    count once. The kind is "answers".
    """
    texts: dict[str, None] = {}
    for file in sorted(data.glob("*.jsonl")):
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                output = json.loads(line).get("output")
                if isinstance(output, str) and output.strip():
                    texts[output] = None
    return [Text("answers", text) for text in texts]
