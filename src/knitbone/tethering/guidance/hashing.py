"""Values that guidance must tell apart and may not tell: as keyed hashes.

A directive says that an argument has to carry another value than the one that failed. Whoever
watches the next run compares hashes, so that neither the guidance nor the repair memory holds the
value. The key is the task's: the same value has another hash in another task. It keeps a value from
being read, not from being guessed by somebody who has the store and tries candidates.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from decimal import Decimal, InvalidOperation
from typing import Any, cast

from knitbone.record.events import Json

__all__ = ["task_key", "value_hash"]

_BYTES = 12
"""Length of a hash: two different values of one task meet once in 10^14 pairs (ours)."""
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@#-]{0,99}")
"""What is taken for a key already, such as ``retail-17``."""
_NUMBER = re.compile(r"[+-]?\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,2})?")
_DEEPEST = 40
"""Levels of a value that are told apart (ours)."""


def task_key(task: str) -> str:
    """The key of a task: itself where it is one word, such as an identifier, else a hash of its
    words, whatever their white space.

    The key of a key is the key.
    """
    if _KEY.fullmatch(task):
        return task
    words = " ".join(unicodedata.normalize("NFC", task).split())
    digest = hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=_BYTES)
    return f"task-{digest.hexdigest()}"


def value_hash(task: str, value: Json) -> str:
    """A hash of a value, keyed by the task.

    Equal are values that a tool can hardly tell apart: 250, 250.0 and "250"; texts but for white
    space around them and their Unicode form; objects whatever the order of their fields.

    Args:
        task: the task, or its key.
    """
    key = hashlib.blake2b(task_key(task).encode("utf-8", "surrogatepass")).digest()
    text = json.dumps(_canonical(value, _DEEPEST))  # ASCII, whatever half a character it holds
    return hashlib.blake2b(text.encode("ascii"), key=key, digest_size=_BYTES).hexdigest()


def _canonical(value: Any, levels: int) -> Any:
    """A value in the one spelling of all that count as equal; what is deeper is its text."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float)):
        # Python writes no integer of thousands of digits in decimals.
        return _number(
            hex(value) if isinstance(value, int) and value.bit_length() > 2_000 else repr(value)
        )
    if isinstance(value, str):
        text = unicodedata.normalize("NFC", value.strip())
        return _number(text) if _NUMBER.fullmatch(text) else text
    if levels == 0:
        return repr(value)[:1_000]
    if isinstance(value, dict):
        fields = cast("dict[Any, Any]", value)
        pairs = [[str(name), _canonical(of, levels - 1)] for name, of in fields.items()]
        return sorted(pairs, key=lambda pair: pair[0])
    if isinstance(value, (list, tuple)):
        return ["list", *(_canonical(item, levels - 1) for item in cast("list[Any]", value))]
    return str(value)


def _number(text: str) -> str:
    try:
        number = Decimal(text)
    except InvalidOperation:  # infinity is one, a number of a million digits is none
        return text
    if not number.is_finite():
        return text
    return format(number.normalize(), "f") if abs(number.adjusted()) < 60 else str(number)
