"""Catalogue of what answers a conversation, whichever library it is sent to.

A call with ``messages=[{"role": ..., "content": ...}]`` and a name such as ``generate``, ``chat``
or ``create`` is taken for a call of a model, whatever the library. The text of its answer has one
of a few names, at any depth; the answer may also be a text itself.

``ENTRIES`` and ``RULES`` are empty, for no library is named here; ``tables.py`` asks every module
of the catalogue for them.
"""

from __future__ import annotations

import re
from collections.abc import Set

from knitbone.adaptation.analysis.catalogue.records import ImportedName, Produced, Rule, Type

__all__ = ["ANSWER", "ENTRIES", "REPLY", "RULES", "TEXT_METHODS", "TYPES", "asks_a_model"]

REPLY = "conversation.reply"
_ASKING = re.compile(
    r"_*a?(?:sync_)?(?:generate|chat|complete|completion|create|ask|invoke|predict|respond)"
    r"(?:_(?:text|chat|completion|completions|response|reply|async|message))?"
)
"""Names of functions that ask a model."""
_CONTAINERS = ("choices", "message", "messages", "output", "outputs", "generations", "candidates")
_TEXTS = ("content", "text", "completion", "output_text", "generated_text", "response", "answer")
_METHODS = (
    "strip lstrip rstrip lower upper split rsplit splitlines partition rpartition startswith"
    " endswith find rfind replace removeprefix removesuffix"
)

TYPES: dict[str, Type] = {
    REPLY: Type(
        {
            **dict.fromkeys(_CONTAINERS, REPLY),
            # Lists of parts stand under the same names: what the code does with them says which.
            **dict.fromkeys(_TEXTS, f"text|{REPLY}"),
            "[]": REPLY,
            "str()": "text",
        }
    ),
}
ENTRIES: dict[str, ImportedName] = {}
RULES: tuple[Rule, ...] = ()
ANSWER = Produced(
    kind="chat",
    provider="conversation",
    confidence="medium",
    form="response",
    shape=REPLY,
    streamed=False,
    awaited=False,
    prompt=("messages",),
)
"""The output of such a call."""
TEXT_METHODS = frozenset(_METHODS.split())
"""Methods of a text: an answer that has one is a text itself."""


def asks_a_model(name: str, keywords: Set[str]) -> bool:
    """Return whether a function of this name, given a conversation, asks a model for one whole
    answer."""
    return "stream" not in keywords and _ASKING.fullmatch(name) is not None
