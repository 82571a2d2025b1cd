"""What is kept of a record that is too large to keep whole: a beginning, an end, and a note of how
much stood between them.

Nothing here looks for secrets: texts that have to be cut are only marked (:class:`BoundedText`),
since a cut through a secret would hide it from the redactor.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import islice
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from knitbone.record.events import ChatMessage, Document, EventBase, Message, ToolCallRequest
from knitbone.record.plain import plain
from knitbone.record.plain_records import mro_of

__all__ = ["MARGIN", "VALUE", "BoundedText", "ends", "is_record", "trim", "trim_messages"]

_Item = TypeVar("_Item")

VALUE = 100
"""Characters that a value counts as, whatever it is: to redact one takes about as long as 100
characters of text (0.6 µs and 6 ns on one core; ours)."""
MARGIN = 4_096
"""Characters beside a cut that are searched for secrets, so that one which the cut would split is
seen whole. Longer than any credential but the largest private keys."""
_SMALLEST = 2 * VALUE
"""What is worth beginning another item for."""
_DEEPEST = 128
"""Containers below this are left for the redactor, which stores them as text."""


class BoundedText(NamedTuple):
    """A text of which ``limit`` characters may be kept."""

    text: str
    limit: int


def trim(value: Any, limit: int) -> Any:
    """A value that counts as ``limit`` characters or little more: :class:`BoundedText` stands for
    texts that are too long, and a note for items left out. Records keep their types. Takes time in
    proportion to the limit, not to the value."""
    return _trimmed(value, limit, 0)[0]


def _trimmed(value: Any, limit: int, depth: int) -> tuple[Any, int]:
    """What is kept of a value, and how many characters it counts as."""
    if is_record(value):
        return _trimmed_record(value, limit, depth)
    value = plain(value)
    kind = cast("type[Any]", type(value))
    if value is None or kind in (bool, int, float) or depth > _DEEPEST:
        return value, VALUE
    if kind is not str:
        try:
            if kind is dict:
                return _trimmed_mapping(value, limit, depth)
            return _trimmed_items(value, limit, depth)
        except RuntimeError:  # another thread writes to it
            value = f"[{kind.__name__}, which changed meanwhile]"
    text = cast("str", value)
    if len(text) + VALUE <= limit:
        return text, len(text) + VALUE
    kept = limit - VALUE - 2 * MARGIN
    return (BoundedText(text, kept), limit) if kept > 0 else (BoundedText(text, 0), VALUE)


def _trimmed_record(record: msgspec.Struct, limit: int, depth: int) -> tuple[Any, int]:
    changed: dict[str, Any] = {}
    left = limit
    for name in record.__struct_fields__:
        item = getattr(record, name)
        # Half of what is left at most, so that something is left for the fields after it.
        kept, cost = _trimmed(item, max(left // 2, _SMALLEST), depth + 1)
        left -= cost
        if kept is not item:
            changed[name] = kept
    return msgspec.structs.replace(record, **changed), limit - left


def _trimmed_items(items: Collection[Any], limit: int, depth: int) -> tuple[list[Any], int]:
    def cost_of(item: Any, left: int) -> tuple[Any, int]:
        return _trimmed(item, max(left // 2, _SMALLEST), depth + 1)

    ordered = isinstance(items, (list, tuple))  # a set has no end
    backwards: Iterable[Any] = reversed(cast("list[Any]", items)) if ordered else ()
    head, tail, used = ends(items, backwards, len(items), limit - VALUE, cost_of)
    left_out = len(items) - len(head) - len(tail)
    if left_out:
        note = f"[{left_out:,} of {len(items):,} items not recorded]"
        head.append(_note_beside(next(iter(items)), note))
    return [*head, *tail], used + VALUE


def _trimmed_mapping(mapping: dict[Any, Any], limit: int, depth: int) -> tuple[dict[Any, Any], int]:
    def cost_of(entry: tuple[Any, Any], left: int) -> tuple[tuple[Any, Any], int]:
        key, item = entry
        key, name = _trimmed(key, left // 2, _DEEPEST) if type(key) is str else (key, VALUE)
        kept, cost = _trimmed(item, max((left - name) // 2, _SMALLEST), depth + 1)
        return (key, kept), cost + name

    backwards = reversed(mapping.items())
    head, tail, used = ends(mapping.items(), backwards, len(mapping), limit - VALUE, cost_of)
    left_out = len(mapping) - len(head) - len(tail)
    if left_out:
        head.append(("[not recorded]", f"{left_out:,} of {len(mapping):,} entries"))
    return dict([*head, *tail]), used + VALUE


def ends(
    forwards: Iterable[_Item],
    backwards: Iterable[_Item],
    count: int,
    limit: int,
    cost_of: Callable[[_Item, int], tuple[_Item, int]],
) -> tuple[list[_Item], list[_Item], int]:
    """The first and the last of ``count`` items, as many as the limit allows for, and what they
    count as.

    Args:
        cost_of: of an item and of what is left, what is kept of it and what that counts as.
    """
    head: list[_Item] = []
    tail: list[_Item] = []
    left = limit
    for item in forwards:
        if left - limit // 2 < _SMALLEST:
            break
        kept, cost = cost_of(item, left)
        head.append(kept)
        left -= cost
    for item in islice(backwards, count - len(head)):
        if left < _SMALLEST:
            break
        kept, cost = cost_of(item, left)
        tail.append(kept)
        left -= cost
    return head, tail[::-1], limit - left


def trim_messages(
    messages: tuple[ChatMessage, ...], limit: int, longest: int
) -> tuple[ChatMessage, ...]:
    """The first and the last messages of a conversation that is too long, a note between them.

    Args:
        longest: characters that will be kept of one message.
    """

    if sum([len(message.content) for message in messages]) + len(messages) * VALUE <= limit:
        return messages

    def cost_of(message: ChatMessage, _left: int) -> tuple[ChatMessage, int]:
        return message, min(len(message.content), longest) + VALUE

    if sum([cost_of(message, 0)[1] for message in messages]) <= limit:
        return messages
    head, tail, _ = ends(messages, reversed(messages), len(messages), limit, cost_of)
    left_out = len(messages) - len(head) - len(tail)
    if not left_out:
        return messages
    note = f"[{left_out:,} of {len(messages):,} messages not recorded]"
    return (*head, ChatMessage(role="user", content=note), *tail)


def _note_beside(item: Any, note: str) -> Any:
    """A note as an item of the same list, whose items may have to be of one type."""
    if isinstance(item, ChatMessage):
        return ChatMessage(role="user", content=note)
    if isinstance(item, Document):
        return Document(text=note)
    if isinstance(item, ToolCallRequest):
        return ToolCallRequest(name=note)
    if isinstance(item, EventBase):
        return Message(id=f"{item.id}-note", role="environment", content=note)
    return note


def is_record(value: object) -> bool:
    """Whether it is a record of our own; a struct of the application's is a value like others."""
    kind = type(value)
    return msgspec.Struct in mro_of(kind) and kind.__module__.startswith("knitbone.")
