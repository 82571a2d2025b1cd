"""Where a value that a step passes had been before: told, returned, passed, or nowhere.

Names and values are compared with each other and then forgotten: what leaves this module are
positions and kinds of agreement, never a word of the run. Linear in the run's length: exact
values are looked up, phrases are searched in the last few messages and answers only.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, Literal

import msgspec

from knitbone.tethering.diagnosis.artifacts import leaves
from knitbone.tethering.diagnosis.units import TransitionUnit
from knitbone.tethering.diagnosis.vocabulary import words_of

__all__ = [
    "MAX_VALUES",
    "NEAR",
    "Memory",
    "PassedValue",
    "Place",
    "ValueKind",
    "ValueOrigin",
    "passed_values",
]

MAX_VALUES = 12
"""Values of one unit that are followed; a bulk upload says no more."""
NEAR = 5
"""Units back whose answers are searched for phrases."""
_MAX_LEAVES = 400
_MAX_PLAIN = 300
_MAX_KIND = 1_000
_MAX_TEXT = 20_000
_MAX_TOKENS = 4_000
_MAX_PARSED = 1_000_000
_ENOUGH = 0.5
"""Share of a phrase's words from which on it counts as drawn from a text."""

Place = Literal["nowhere", "message", "result", "earlier step"]
ValueKind = Literal[
    "empty", "boolean", "digit", "integer", "decimal", "date", "code", "word", "path", "address",
    "phrase", "text",
]  # fmt: skip

_TOKEN = re.compile(r"\d[\d,]{0,30}(?:\.\d{1,12})?|[^\W\d_]{1,60}")
_LINE = re.compile(
    r"^[ \t\-]{0,80}([A-Za-z_][\w \-]{0,60}?)['\"]?:[ \t]+(\S.{0,300})$", re.MULTILINE
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d.{0,20})?|\d\d?:\d\d|\d\d?/\d\d?/\d{2,4}")
_NUMBER = re.compile(r"-?\d{1,30}(\.\d{1,30})?")


class PassedValue(msgspec.Struct, frozen=True, kw_only=True):
    """A value that a unit passes, in what later comparisons need of it."""

    key: str
    """Last word of its name; empty in plain text."""
    plain: str
    """One spelling for one value."""
    tokens: tuple[str, ...]
    kind: ValueKind
    listed: bool
    """One of several under the same name."""


class ValueOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """The most specific earlier place of a value, the latest of equal ones."""

    place: Place
    position: int = 0
    """Number of the message, or ordinal of the unit."""
    agreement: int = 0
    """0 the closest to 3 the loosest, by place. Result: same name, other name, inside a text.
    Message: as it is, words in other places, a part of its words. Earlier step: same tool and
    name, same name, other name."""


def kind_of(value: Any) -> ValueKind:
    """What sort of value it looks like, whatever it means."""
    if isinstance(value, bool):
        return "boolean"
    text = str(value)[:_MAX_KIND].strip() if value is not None else ""
    if not text:
        return "empty"
    if _NUMBER.fullmatch(text):
        return "digit" if len(text) == 1 else "decimal" if "." in text else "integer"
    if _DATE.fullmatch(text):
        return "date"
    if "@" in text or "://" in text or text.startswith("www."):
        return "address"
    words = text.split()
    if len(words) > 1:
        return "phrase" if len(words) <= 6 else "text"
    if "/" in text or re.search(r"\.\w{1,5}$", text):
        return "path"
    return "code" if any(sign.isdigit() for sign in text) else "word"


def passed_values(unit: TransitionUnit) -> tuple[PassedValue, ...]:
    """The values of a unit's calls, or those that its text mentions; at most ``MAX_VALUES``."""
    found: list[PassedValue] = []
    for call in unit.calls:
        for key, leaf, listed in leaves(call.arguments, widest=_MAX_LEAVES):
            found.append(_passed(key, leaf, listed))
            if len(found) >= MAX_VALUES:
                return tuple(found)
    if not unit.calls:
        found = [_passed("", text, True) for text in sorted(unit.used)[:MAX_VALUES]]
    return tuple(found)


def _passed(key: str, value: Any, listed: bool) -> PassedValue:
    return PassedValue(
        key=_tail(key), plain=_plain(value), tokens=tuple(_tokens(str(value)))[:200],
        kind=kind_of(value), listed=listed,
    )  # fmt: skip


class _Text:
    """A message or an answer, indexed for phrases when first asked."""

    def __init__(self, position: int, text: str) -> None:
        self.position = position
        self._text = text

    @functools.cached_property
    def words(self) -> frozenset[str]:
        return frozenset(self._line.split())

    @functools.cached_property
    def _line(self) -> str:
        return f" {' '.join(_tokens(self._text))} "

    def holds(self, value: PassedValue) -> bool:
        return bool(value.tokens) and f" {' '.join(value.tokens)} " in self._line

    def share(self, value: PassedValue) -> float:
        return sum(t in self.words for t in value.tokens) / max(len(value.tokens), 1)


class Memory:
    """What a run has shown up to a step. Feed the units in order."""

    def __init__(self) -> None:
        self._first: _Text | None = None
        self._messages: list[_Text] = []
        self._results: list[_Text] = []
        self._told: dict[str, int] = {}
        self._named: dict[tuple[str, str], int] = {}
        self._returned: dict[str, int] = {}
        self._passed: dict[str, int] = {}
        self._passed_as: dict[tuple[str, str], int] = {}
        self._passed_to: dict[tuple[str, str, str], int] = {}
        self.keys: set[str] = set()
        """Names under which answers so far brought values."""
        self.last_keys: set[str] = set()

    def hear(self, number: int, text: str) -> None:
        """A message from outside."""
        heard = _Text(number, text)
        self._first = self._first or heard
        self._messages = [*self._messages[-1:], heard]
        for token in heard.words:
            self._told[token] = number

    def returned(self, unit: TransitionUnit) -> int:
        """What came back from a unit's calls; the number of its values."""
        texts = [call.result for call in unit.calls]
        if not unit.calls:
            texts = list(unit.produced)
        count = 0
        self.last_keys = set()
        for text in texts:
            for key, leaf in _result_leaves(text):
                count += 1
                plain = _plain(leaf)
                self.last_keys.add(_tail(key))
                self._named[_tail(key), plain] = unit.ordinal
                self._returned[plain] = unit.ordinal
        self.keys |= self.last_keys
        self._results = [
            *self._results,
            _Text(unit.ordinal, "\n".join(text[:_MAX_TEXT] for text in texts)),
        ][-NEAR:]
        return count

    def passed(self, unit: TransitionUnit, values: tuple[PassedValue, ...]) -> None:
        """The values of a step, now known as used."""
        for value in values:
            self._passed[value.plain] = unit.ordinal
            self._passed_as[value.key, value.plain] = unit.ordinal
            self._passed_to[unit.tool or "", value.key, value.plain] = unit.ordinal

    def origin(self, unit: TransitionUnit, value: PassedValue) -> ValueOrigin:
        """Where the value had been before this unit."""
        return next(self._origins(unit, value), ValueOrigin(place="nowhere"))

    def _origins(self, unit: TransitionUnit, value: PassedValue) -> Iterator[ValueOrigin]:
        if value.kind in ("empty", "boolean"):
            return
        specific = value.kind != "digit"
        named = self._named.get((value.key, value.plain))
        if named is not None and value.key:
            yield ValueOrigin(place="result", position=named)
        near = [*reversed(self._messages), *([self._first] if self._first else [])]
        for message in near[:1]:
            if message.holds(value):
                yield ValueOrigin(place="message", position=message.position)
        result = self._returned.get(value.plain)
        if result is not None and specific:
            yield ValueOrigin(place="result", position=result, agreement=1)
        for message in near[1:]:
            if message.holds(value):
                yield ValueOrigin(place="message", position=message.position)
        if len(value.tokens) == 1 and value.tokens[0] in self._told:
            yield ValueOrigin(place="message", position=self._told[value.tokens[0]])
        same = self._passed_to.get((unit.tool or "", value.key, value.plain))
        if same is not None:
            yield ValueOrigin(place="earlier step", position=same)
        if specific:
            yield from self._loose(value, near)

    def _loose(self, value: PassedValue, near: list[_Text]) -> Iterator[ValueOrigin]:
        for result in reversed(self._results):
            if result.holds(value):
                yield ValueOrigin(place="result", position=result.position, agreement=2)
        same = self._passed_as.get((value.key, value.plain))
        if same is not None and value.key:
            yield ValueOrigin(place="earlier step", position=same, agreement=1)
        other = self._passed.get(value.plain)
        if other is not None:
            yield ValueOrigin(place="earlier step", position=other, agreement=2)
        for agreement, least in ((1, 1.0), (2, _ENOUGH)):
            for message in near:
                if len(value.tokens) > 1 and message.share(value) >= least:
                    yield ValueOrigin(
                        place="message", position=message.position, agreement=agreement
                    )
        for result in reversed(self._results):
            if len(value.tokens) > 1 and result.share(value) >= _ENOUGH:
                yield ValueOrigin(place="result", position=result.position, agreement=3)


@functools.lru_cache(maxsize=4_096)
def _tail(key: str) -> str:
    words = words_of(key)
    return words[-1] if words else ""


def _plain(value: Any) -> str:
    text = str(value)[:_MAX_PLAIN].strip().strip("\"'").lower()
    if "." in text and text[-1].isdigit() and _NUMBER.fullmatch(text):
        text = text.rstrip("0").rstrip(".")
    return text


def _tokens(text: str) -> list[str]:
    return [_token(word) for word in _TOKEN.findall(text[:_MAX_TEXT])[:_MAX_TOKENS]]


@functools.lru_cache(maxsize=16_384)
def _token(word: str) -> str:
    return _plain(word.replace(",", ""))


def _result_leaves(text: str) -> Iterator[tuple[str, Any]]:
    """Name and value of what an answer holds: JSON, or lines of ``name: value``."""
    parsed: Any = None
    if len(text) <= _MAX_PARSED and text.lstrip()[:1] in ("{", "["):
        try:
            parsed = json.loads(text)
        except (ValueError, RecursionError):
            parsed = None
    if parsed is None:
        pairs = ((m[1], m[2]) for m in _LINE.finditer(text[:_MAX_TEXT]))
        found = list(pairs) or [("", text[:_MAX_TEXT])]
    else:
        found = [
            (key, leaf) for key, leaf, _ in islice(leaves(parsed, widest=_MAX_LEAVES), _MAX_LEAVES)
        ]
    yield from found[:_MAX_LEAVES]
