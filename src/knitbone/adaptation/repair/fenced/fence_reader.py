"""The consumer's way of finding a fenced block: its own expression, or one that does the same."""

from __future__ import annotations

import re
from typing import NamedTuple

from knitbone.adaptation.consumers.readers import Reader
from knitbone.adaptation.requirements.records import FencedTemplate

__all__ = ["FenceReader", "fence_reader"]


class FenceReader(NamedTuple):
    """The consumer's reader of fenced blocks."""

    reader: Reader
    own: bool
    """Whether it is the application's own expression."""

    def accepts(self, text: str) -> bool:
        """Return whether the code finds a block with content."""
        return any(any(part.strip() for part in record) for record in self.reader.read(text))

    def finds(self, text: str, contents: list[str]) -> bool:
        """Return whether everything that the code finds is one of the contents."""
        wanted = {self.reader.transform(content).strip() for content in contents}
        records = self.reader.read(text)
        return bool(records) and all(
            any(_content_of(part) in wanted for part in record) for record in records
        )


def _content_of(part: str) -> str:
    """Return the content of what the code takes of a block, where it takes the fences with it."""
    stripped = part.strip()
    if stripped.startswith(("```", "~~~")) and stripped.endswith(stripped[:3]):
        stripped = stripped.partition("\n")[2][:-3].strip()
    return stripped


def fence_reader(template: FencedTemplate) -> FenceReader:
    """Return the template's own reader, or an equal one for code that cuts the text at the
    marks."""
    if template.reader is not None:
        return FenceReader(template.reader, own=True)
    mark = re.escape(template.mark)
    named = "|".join(re.escape(tag) for tag in template.languages if tag)
    if not template.languages:
        tags = r"[\w+#-]+"
    elif template.languages == ("",):
        # Code that cuts at a bare mark may well take a tag off in a way that was not seen.
        tags = r"[\w+#-]*"
    else:
        tags = f"(?:{named})" + ("?" if "" in template.languages else "")
    pattern = rf"{mark}{tags}[^\S\n]*\n(.*?){mark}"
    return FenceReader(
        Reader(kind="regex", method="finditer", pattern=pattern, flags=int(re.DOTALL)), own=False
    )
