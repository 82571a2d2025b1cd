"""Artifacts: the values that steps produce and use (identifiers, numbers, quoted texts, ...).

Sharing one is what ties two steps of a run together (AgentTether §III.C.1), so it has to be a
value that means something: not a word, not a digit, not a boolean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

__all__ = ["MAX_ARTIFACTS", "MAX_TEXT", "artifacts_of_text", "artifacts_of_value", "leaves"]

MAX_TEXT = 20_000
"""Characters of one text that are looked at; beyond it, a page of a web site says no more."""

MAX_ARTIFACTS = 400
"""Artifacts kept of one text."""

_TEXT = re.compile(
    r"(?P<url>https?://[^\s<>\"')\]]{3,300})"
    r"|(?P<file>\b[\w\-]{1,80}\.(?:csv|docx?|html?|ipynb|jpe?g|json|md|mp[34]|pdf|png|pptx?|py|sh|"
    r"sql|txt|xlsx?|xml|ya?ml|zip)\b)"
    r"|(?P<quoted>\"[^\"\n]{3,80}\"|(?<!\w)'[^'\n]{3,80}'(?!\w))"
    r"|(?P<id>\#?\b(?=[\w\-@.]{0,60}\d)[A-Za-z_][\w\-@.]{3,60}\b)"
    r"|(?P<number>(?<![\w.])\d[\d,]{0,30}(?:\.\d{1,12})?(?![\w]))"
)
_SIGN = re.compile(r"[\d\"']|\.\w|://")
"""What every artifact of a text holds; plain prose has none."""
_TRIVIAL_NUMBER = re.compile(r"[\d]{1}|10|100|0\.0|1\.0")


def artifacts_of_text(text: str) -> frozenset[str]:
    """The artifacts that a text mentions."""
    found: dict[str, None] = {}
    text = text[:MAX_TEXT]
    if _SIGN.search(text) is None:
        return frozenset()
    for match in _TEXT.finditer(text):
        value = _canonical(match[0])
        if value:
            found[value] = None
            if len(found) >= MAX_ARTIFACTS:
                break
    return frozenset(found)


def artifacts_of_value(value: Any) -> frozenset[str]:
    """The artifacts in a JSON value: its leaves; a text that is JSON is read as JSON."""
    found: dict[str, None] = {}
    for _, leaf, _ in leaves(_as_json(value)):
        if leaf is None or isinstance(leaf, bool):
            continue
        if isinstance(leaf, str) and len(leaf) > 80:
            found.update(dict.fromkeys(artifacts_of_text(leaf)))
        else:
            artifact = _canonical(str(leaf))
            if artifact:
                found[artifact] = None
        if len(found) >= MAX_ARTIFACTS:
            break
    return frozenset(list(found)[:MAX_ARTIFACTS])


def _as_json(value: Any) -> Any:
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[") or len(value) > 1_000_000:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def leaves(value: Any, *, widest: int | None = None) -> Iterator[tuple[str, Any, bool]]:
    """The plain values in a JSON value, in order: the name of each, the value, and whether it
    stands in a list; not recursive.

    Args:
        widest: of a longer list, so many entries are looked at.
    """
    stack: list[tuple[str, Any, bool]] = [("", value, False)]
    while stack:
        key, item, listed = stack.pop()
        if isinstance(item, dict):
            entries = cast("dict[str, Any]", item).items()
            stack.extend((str(k), v, listed) for k, v in reversed(list(entries)))
        elif isinstance(item, (list, tuple)):
            entries = cast("list[Any]", item)[:widest]
            stack.extend((key, v, True) for v in reversed(entries))
        else:
            yield key, item, listed


def _canonical(text: str) -> str | None:
    """One spelling for one value, or ``None`` where it says nothing."""
    value = text.strip().strip("\"'").strip(".,;").strip()
    plain = value.replace(",", "")
    if plain.replace(".", "", 1).isdigit() and plain.isascii():
        plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
        return None if not plain or _TRIVIAL_NUMBER.fullmatch(plain) else plain
    return value.lower() if 3 <= len(value) <= 300 else None
