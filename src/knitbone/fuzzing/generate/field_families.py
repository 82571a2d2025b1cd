"""What a text field seems to hold, by its format, its name and the words about it."""

from __future__ import annotations

import re

__all__ = ["family_of"]

_HINTS = (
    ("path", r"path|file|folder|dir\b|directory"),
    ("url", r"url|uri\b|link|website|endpoint"),
    ("email", r"e-?mail"),
    ("date", r"date|day\b|\bfrom\b|until|deadline|birthday"),
    ("time", r"time\b|hour|clock"),
    ("json", r"json|payload|\bbody\b"),
    ("graphql", r"graphql"),
    ("sql", r"sql"),
    ("table", r"csv|tables?\b(?! name)|rows?\b|column"),
    ("regex", r"regex|regular expression|pattern"),
    ("code", r"code\b|script|python|expression|formula"),
    ("language", r"language|locale"),
    ("money", r"currency|price|amount|money|cost"),
    ("unit", r"units?\b|measure"),
    ("colour", r"colou?r"),
    ("address", r"\bip\b|host\b|hostname|address"),
    ("place", r"city|country|place|location|town|region|where"),
    ("person", r"name\b|person|guest|author|user\b|customer"),
    ("identifier", r"\bid\b|_id\b|identifier|reference|code\b|key\b|token|sku|ticket"),
    ("number", r"number|count|quantity|age\b|size|limit|score|percent"),
    ("query", r"query|search|question|keyword|text|topic"),
)
_LANGUAGES = frozenset({"json", "graphql", "sql", "table", "regex", "code"})
"""What a query or a text may be written in."""
_FORMATS = {
    "date": "date",
    "date-time": "date",
    "time": "time",
    "email": "email",
    "uri": "url",
    "uuid": "identifier",
    "ipv4": "address",
    "ipv6": "address",
    "path": "path",
    "file-path": "path",
    "directory-path": "path",
}
_VAGUE = re.compile(r"\b(?:input|query|text|command|content|arg\w*)\b")
"""Names of fields that say nothing of what is in them."""
_INPUT = re.compile(r"\binputs?\b(?:[ \n]+\w+){1,12}")
"""What a documentation says of the one input that its tool has."""


def family_of(
    name: str, description: str, format_name: str | None, *, documentation: str = ""
) -> str | None:
    """What a text field seems to hold: by its format, its name, its description, or the words next
    to its name in the tool's documentation; the first that says anything. A query or a text may be
    in a language that only the others name."""
    if format_name in _FORMATS:
        return _FORMATS[format_name]
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).lower()
    first: str | None = None
    for text in (
        name.lower() + " " + words,
        description.lower()[:300],
        *_around(name, documentation),
        *(_INPUT.findall(documentation[:20_000].lower()) if _VAGUE.search(words) else ()),
    ):
        for family, hint in _HINTS:
            if re.search(r"(?:^|\b|_)(?:" + hint + ")", text):
                first = first or family
                if first != "query" or family in _LANGUAGES:
                    return family
                break
    return first


def _around(name: str, documentation: str) -> list[str]:
    found = re.finditer(
        r"(?:\w+\W+)?\b" + re.escape(name.lower()) + r"\b(?:\W+\w+)?",
        documentation[:20_000].lower(),
    )
    return [match.group() for match in found][:5]
