"""What the replies are made of: every source is one function with several variants."""

from __future__ import annotations

from dataclasses import dataclass, field
from textwrap import dedent, indent

_FRAME = '''\
def attempt(text: str) -> str:
    """Answer."""
    import {imports}

{body}

    names = sorted(kinds)
    choice = zlib.crc32(text.encode("utf-8", "replace")) % len(names)
    return kinds[text if text in kinds else names[choice]]()
'''


@dataclass(frozen=True)
class Reply:
    name: str
    attack: str
    # A text of these chooses the variant; any other text chooses one by its checksum.
    variants: tuple[str, ...]
    source: str = field(repr=False)


def reply(name: str, attack: str, variants: str, imports: str, body: str) -> Reply:
    words = tuple(variants.split())
    kinds = ", ".join(f'"{word}": {word}' for word in words)
    modules = ", ".join(sorted({"zlib", *imports.split()}))
    body = indent(dedent(body).strip("\n") + f"\n\nkinds = {{{kinds}}}", "    ")
    return Reply(name, attack, words, _FRAME.format(imports=modules, body=body))
