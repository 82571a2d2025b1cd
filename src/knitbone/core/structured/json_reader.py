"""A tolerant reader of JSON that keeps an account of what it mends.

One pass over the text, without recursion: intact stretches are taken by one regular expression,
and only where that stops a single token is looked at. The result is the text as it was, with the
fewest edits that make it JSON: content, numbers and layout keep their spelling. What has more than
one reading, or was cut off in the middle of a value, is an ``Unreadable``.

Source: Comfrey §4.3.1 (minimum edits to structure), RFC 8259.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from typing import NamedTuple, TypeAlias

from knitbone.core.structured.json_bare import NotBare, read_bare
from knitbone.core.structured.json_brackets import CLOSER, meaning_of
from knitbone.core.structured.json_strings import Context, read_string
from knitbone.core.structured.json_tokens import (
    AFTER,
    BARE_KEY,
    CLOSING,
    COLON,
    ELLIPSIS,
    FENCE,
    ITEMS,
    KEY,
    KEY_AHEAD,
    LONG_RUN,
    MEMBERS,
    NUMBER,
    ONE_VALUE,
    OPENING,
    QUOTES,
    SKIP,
    VALUE_AHEAD,
)

__all__ = ["MAX_DEPTH", "Reading", "Unreadable", "read_json"]

MAX_DEPTH = 200
"""Levels of nesting; the strictest common parser stops there (ours)."""
_PAUSE = 256
"""Steps between two looks at the clock (ours)."""


State: TypeAlias = "Callable[[], State | None]"
_BLANK = re.compile(r"[ \t\n\r]*")
_ENDS_PROSE = frozenset(".!?)")
_COMMAS = frozenset(",，")  # noqa: RUF001
_COMMA_LIKE = frozenset(",，、;；")  # noqa: RUF001
_THEN = re.compile(r"\s*,")
_NEVER_SKIPPED = frozenset("{}[],\"':")
_MORE_KEYS = re.compile(r"""[\s\]}]*,?\s*"[^"\\\n]{0,100}"\s*:""")


class Reading(NamedTuple):
    """A document that was read."""

    start: int
    end: int
    """Behind its last character in the text it was read from."""
    json: str
    """The document as JSON."""
    edits: dict[str, int]
    """Kind of edit -> how many; empty where the text was JSON."""


class Unreadable(NamedTuple):
    """A document that was not."""

    start: int
    end: int
    """Where reading stopped."""
    reason: str
    cut_off: bool = False
    """Whether the text ends in the middle of it."""


def read_json(
    text: str,
    start: int = 0,
    *,
    keys: Collection[str] = (),
    pause: Callable[[], None] = lambda: None,
) -> Reading | Unreadable:
    """Read the object or array whose opening bracket is at ``start``.

    Args:
        keys: names of keys that are expected; they decide where an unquoted text ends.
        pause: called now and then; it may raise where the time is spent.
    """
    reader = _Reader(text, start, keys)
    try:
        reader.read(pause)
    except _Stop as stop:
        return Unreadable(start, reader.position, stop.reason, stop.cut_off)
    return Reading(start, reader.position, reader.repaired(), dict(reader.account))


class _Stop(Exception):  # noqa: N818 - control flow from a token to the reader's end
    def __init__(self, reason: str, *, cut_off: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.cut_off = cut_off


class _Open(NamedTuple):
    bracket: str
    start: int


class _Reader:
    """One document. ``_key``, ``_value`` and ``_after`` are the states; each returns the next."""

    def __init__(self, text: str, start: int, keys: Collection[str]) -> None:
        self.text = text
        self.start = self.position = start
        self.keys = keys
        self.stack: list[_Open] = []
        self.pieces: dict[tuple[int, int], str] = {}
        """Edits: (from, to) -> what is there instead."""
        self.account: Counter[str] = Counter()
        self.comma = -1
        """Place of the comma before the member or item that is due; -1: there is none."""
        self.last = (start, start)
        """Where the last value that was completed stands."""

    def read(self, pause: Callable[[], None]) -> None:
        state: State | None = self._open(self.text[self.start])
        steps = 0
        while state is not None:
            steps += 1
            if steps % _PAUSE == 0:
                pause()
            state = state()
        if _MORE_KEYS.match(self.text, self.position):
            raise _Stop("more keys follow where the object has ended")

    def repaired(self) -> str:
        parts: list[str] = []
        done = self.start
        for (start, end), new in sorted(self.pieces.items()):
            parts += (self.text[done:start], new)
            done = end
        parts.append(self.text[done : self.position])
        return "".join(parts)

    # States

    def _key(self) -> State | None:
        start = self.position
        run = MEMBERS.match(self.text, start)
        if run and run.end() > start:
            if self._run_completes(run):
                return self._after()
            if self.position - start > LONG_RUN:
                return self._key
        if key := KEY.match(self.text, self.position):
            self.position = key.end()
            return self._value()
        return self._odd_key()

    def _value(self) -> State | None:
        text, start = self.text, self.position
        if self.stack[-1].bracket == "[":
            run = ITEMS.match(text, start)
            if run and run.end() > start:
                if self._run_completes(run):
                    return self._after()
                if self.position - start > LONG_RUN:
                    return self._value
        elif value := ONE_VALUE.match(text, start):
            return self._complete(start, value.end())
        character = text[self.position : self.position + 1]
        return self._open(character) if character in CLOSER else self._odd_value()

    def _run_completes(self, run: re.Match[str]) -> bool:
        """Take a run; whether it ends in a value, and not in the comma behind one."""
        start, end = run.span(1)
        comma = self.text.rfind(",", end, run.end())
        if comma < 0:
            self.last = (start, end)
            self.position = end
            return True
        self.last = (start, end)
        self.comma = comma
        self.position = run.end()
        return False

    def _after(self) -> State | None:
        text, stack = self.text, self.stack
        position: int = self.position
        while mark := AFTER.match(text, position):
            sign = mark.group(1)
            if sign == ",":
                self.comma, self.position = mark.start(1), mark.end()
                return self._key if stack[-1].bracket == "{" else self._value
            if sign != CLOSER[stack[-1].bracket]:
                self.position = mark.start(1)
                return self._mismatch(sign)
            position = self.position = mark.end(1)
            self.last = (stack.pop().start, position)
            if not stack:
                return None
        return self._odd_after()

    # What is not as it should be

    def _odd_key(self) -> State | None:
        character = self._skip()
        if character in CLOSING:
            return self._trailing_comma(character)
        if character in _COMMAS:
            return self._extra_comma()
        if ellipsis := ELLIPSIS.match(self.text, self.position):
            return self._drop_ellipsis(ellipsis.end())
        if character in OPENING:
            return self._object_in_object(character)
        if character in QUOTES:
            self._take_string("key")
        elif key := BARE_KEY.match(self.text, self.position):
            self._edit(*key.span(1), f'"{key.group(1)}"', "quotes around a key added")
            self.position = key.end(1)
        else:
            raise _Stop("no key where one is expected")
        return self._colon()

    def _colon(self) -> State:
        if colon := COLON.match(self.text, self.position):
            if colon.group(1) != ":":
                self._edit(*colon.span(1), ":", f'"{colon.group(1)}" -> ":"')
            self._narrow_blank(self.position, colon.start(1))
            self._narrow_blank(colon.end(1), colon.end())
            self.position = colon.end()
        elif VALUE_AHEAD.match(self.text, self.position):
            self._edit(self.position, self.position, ":", "missing colon added")
        else:
            raise _Stop("a key without value", cut_off=not self.text[self.position :].strip())
        return self._value

    def _odd_value(self) -> State | None:
        character = self._skip()
        in_array = self.stack[-1].bracket == "["
        if character in CLOSING or character in _COMMAS:
            if not in_array:
                raise _Stop("a key without value")
            return self._extra_comma() if character in _COMMAS else self._trailing_comma(character)
        if character in OPENING:
            return self._open(character)
        if in_array and (ellipsis := ELLIPSIS.match(self.text, self.position)):
            return self._drop_ellipsis(ellipsis.end())
        if in_array and (key := KEY_AHEAD.match(self.text, self.position)):
            return self._array_is_over(key.group())
        start = self.position
        if character in QUOTES:
            self._take_string("item" if in_array else "member")
        elif value := ONE_VALUE.match(self.text, start):
            self.position = value.end()
        else:
            self._take_bare(in_array=in_array)
        return self._complete(start, self.position)

    def _odd_after(self) -> State | None:
        before = self.position
        skipped = SKIP.match(self.text, before)
        place = skipped.end() if skipped else before
        character = self.text[place : place + 1]
        follows = KEY_AHEAD if self.stack[-1].bracket == "{" else VALUE_AHEAD
        if character in CLOSING:
            self._skip()
            return self._close(self._narrow(character))
        if character in _COMMA_LIKE:
            self._skip()
            if character != ",":
                self._edit(place, place + 1, ",", f'"{character}" -> ","')
            return self._comma(place, place + 1)
        if character and not FENCE.match(self.text, place) and follows.match(self.text, place):
            self._edit(before, before, ",", "missing comma added")
            self._skip()
            return self._comma(before, self.position)
        return self._finish(before, place)

    def _finish(self, end: int, rest: int) -> None:
        """The text ends, or prose begins, and brackets are open."""
        text = self.text
        blank = rest >= len(text)
        prose = "\n" in text[end:rest] or text[rest : rest + 1] in _ENDS_PROSE
        if not (blank or prose or FENCE.match(text, rest)):
            raise _Stop("neither a comma nor a bracket follows a value")
        if blank and NUMBER.fullmatch(text, *self.last):
            raise _Stop("the text ends in a number, which may be cut off", cut_off=True)
        closers = "".join("}" if one.bracket == "{" else "]" for one in reversed(self.stack))
        for closer in closers:
            self.account[f'missing "{closer}" added'] += 1
        self.pieces[end, end] = self.pieces.get((end, end), "") + closers
        self.position = end

    # Tokens

    def _complete(self, start: int, end: int) -> State | None:
        self.last = (start, end)
        self.position = end
        return self._after()

    def _comma(self, place: int, end: int) -> State:
        self.comma = place
        blank = _BLANK.match(self.text, end)
        self.position = blank.end() if blank else end
        return self._key if self.stack[-1].bracket == "{" else self._value

    def _take_string(self, context: Context) -> None:
        string = read_string(self.text, self.position, context)
        if string is None:
            end = self.text.find(self.text[self.position], self.position + 1)
            cut_off = end < 0 or not self.text[end + 1 :].strip()
            raise _Stop("the end of a text is missing or not sure", cut_off=cut_off)
        for rule in string.rules:
            self._edit(self.position, string.end, string.json, rule)
        self.position = string.end

    def _take_bare(self, *, in_array: bool) -> None:
        bare = read_bare(self.text, self.position, in_array=in_array, keys=self.keys)
        if isinstance(bare, NotBare):
            raise _Stop(bare.reason, cut_off=bare.cut_off)
        if bare.rule:
            self._edit(self.position, bare.end, bare.json, bare.rule)
        self.position = bare.end

    def _extra_comma(self) -> State:
        self._edit(self.position, self.position + 1, "", "doubled comma removed")
        before = self.comma
        state = self._comma(self.position, self.position + 1)
        self.comma = before  # the one that stays
        return state

    def _trailing_comma(self, closer: str) -> State | None:
        if self.comma >= 0:
            inserted = self.pieces.pop((self.comma, self.comma), None) is not None
            if not inserted:
                self._edit(self.comma, self.comma + 1, "", "trailing comma removed")
        return self._close(self._narrow(closer))

    def _drop_ellipsis(self, end: int) -> State:
        comma = _THEN.match(self.text, end)
        end = comma.end() if comma and self.comma >= 0 else end
        self._edit(self.position, end, "", "ellipsis removed")
        before = self.comma
        state = self._comma(self.position, end)
        self.comma = before
        return state

    def _skip(self) -> str:
        """Pass over white space and comments; the character behind them."""
        start = self.position
        if self.text[start : start + 1] in _NEVER_SKIPPED:
            return self.text[start]
        match = SKIP.match(self.text, start)
        end = match.end() if match else start
        self.position = end
        if end > start:
            skipped = self.text[start:end]
            if skipped.strip(" \t\n\r"):
                comment = "/" in skipped or "#" in skipped
                blank = "\n" if "\n" in skipped else " "
                self._edit(start, end, blank, "comment removed" if comment else "odd white space")
        if end >= len(self.text):
            raise _Stop("the text ends where a key or value is expected", cut_off=True)
        return self.text[end]

    def _narrow_blank(self, start: int, end: int) -> None:
        if end > start and self.text[start:end].strip(" \t\n\r"):
            self._edit(start, end, " ", "odd white space")

    def _narrow(self, character: str) -> str:
        """A bracket as JSON has it."""
        plain = CLOSING[character]
        if plain != character:
            self._edit(self.position, self.position + 1, plain, "full-width bracket replaced")
        return plain

    def _edit(self, start: int, end: int, new: str, rule: str) -> None:
        self.pieces[start, end] = new
        self.account[rule] += 1

    # Brackets

    def _open(self, character: str) -> State:
        if len(self.stack) >= MAX_DEPTH:
            raise _Stop(f"nested deeper than {MAX_DEPTH} levels")
        bracket = OPENING[character]
        if character != bracket:
            self._edit(self.position, self.position + 1, bracket, "full-width bracket replaced")
        self.stack.append(_Open(bracket, self.position))
        state = self._comma(self.position, self.position + 1)
        self.comma = -1
        return state

    def _close(self, sign: str) -> State | None:
        if sign != CLOSER[self.stack[-1].bracket]:
            return self._mismatch(sign)
        self.position += 1
        self.last = (self.stack.pop().start, self.position)
        return self._after if self.stack else None

    def _mismatch(self, sign: str) -> State | None:
        brackets = [one.bracket for one in self.stack]
        meaning = meaning_of(sign, self.text, self.position, brackets)
        if meaning is None:
            raise _Stop(f'a "{sign}" closes what it does not open')
        opened = [index for index, bracket in enumerate(brackets) if CLOSER[bracket] == sign]
        return self._resolve(meaning, sign, CLOSER[brackets[-1]], opened)

    def _resolve(self, kind: str, sign: str, wanted: str, opened: list[int]) -> State | None:
        place = self.position
        if kind == "missing":
            missing = [CLOSER[one.bracket] for one in reversed(self.stack[opened[-1] + 1 :])]
            del self.stack[opened[-1] + 1 :]
            for closer in missing:
                self.account[f'missing "{closer}" added'] += 1
            self.pieces[place, place] = "".join(missing)
            return self._close(sign)
        if kind == "wrong":
            self._edit(place, place + 1, wanted, f'"{sign}" -> "{wanted}"')
            return self._close(wanted)
        if self.last[1] <= self.stack[-1].start:
            raise _Stop(f'a "{sign}" where a value is expected')
        self._edit(place, place + 1, "", f'"{sign}" without its opening removed')
        self.position = place + 1
        return self._after

    def _object_in_object(self, character: str) -> State:
        """An object where a key is expected: the array before it was closed too early, or the
        object that is open should have been closed."""
        start, end = self.last
        inside = _BLANK.match(self.text, start + 1)
        reopens = (
            self.comma >= end > start
            and self.text[start] == "["
            and inside is not None
            and self.text[inside.end()] == character
        )
        closes = self.comma >= 0 and len(self.stack) > 1 and self.stack[-2].bracket == "["
        if character != "{" or reopens == closes:
            raise _Stop("an object where a key is expected")
        if reopens:
            self._edit(end - 1, end, "", '"]" before the end of the array removed')
            self.stack.append(_Open("[", start))
        else:
            self._insert_closer("}")
        return self._value

    def _array_is_over(self, key: str) -> State:
        """A key where an item is expected: the array should have been closed."""
        quoted = key.lstrip()[:1] in QUOTES
        if self.comma < 0 or len(self.stack) < 2 or self.stack[-2].bracket != "{":
            raise _Stop("a key where an item is expected")
        if not quoted and key.strip(" \t\n\r:=>：") not in self.keys:  # noqa: RUF001
            raise _Stop("a key where an item is expected")
        self._insert_closer("]")
        return self._key

    def _insert_closer(self, closer: str) -> None:
        """Close what is open before the last comma."""
        place = (self.comma, self.comma)
        self.pieces[place] = closer + self.pieces.get(place, "")
        self.account[f'missing "{closer}" added'] += 1
        self.last = (self.stack.pop().start, self.comma)
