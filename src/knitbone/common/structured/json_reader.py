"""A tolerant reader of JSON that keeps an account of what it mends.

One pass over the text, without recursion: intact stretches are taken by one regular expression,
and only where that stops a single token is looked at. The result is the text as it was, with the
fewest edits that make it JSON: content, numbers and layout keep their spelling. What has more than
one reading, or was cut off in the middle of a value, is an ``Unreadable``.

Source: Comfrey §4.3.1 (minimum edits to structure), RFC 8259.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import NamedTuple, TypeAlias

from knitbone.common.structured.json_brackets import CLOSER, continues, meaning_of, reopens
from knitbone.common.structured.json_draft import LEFT_OUT, JsonDraft, Stop
from knitbone.common.structured.json_escapes import BACKSLASH, IN_DOUBT, doubtful_beside_literal
from knitbone.common.structured.json_literals import BARE_TEXT, NotBare, read_bare
from knitbone.common.structured.json_slips import SLIPPED_ITEMS, SLIPPED_MEMBERS, slips
from knitbone.common.structured.json_strings import Context, read_string
from knitbone.common.structured.json_tokens import (
    AFTER,
    BARE_KEY,
    CLOSING,
    COLON,
    ELLIPSIS,
    FENCES,
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

__all__ = ["MAX_DEPTH", "JsonReading", "Unreadable", "read_json"]

MAX_DEPTH = 200
"""Levels of nesting; the strictest common parser stops there (ours)."""
_PAUSE = 256
"""Steps between two looks at the clock (ours)."""


State: TypeAlias = "Callable[[], State | None]"
_GOES_ON = re.compile(r"""["'][\w $.\-]{1,100}["']\s*:|[}\]]\s*[,}\]]""")
"""A key, or brackets behind one another: no prose."""
_BLANK = re.compile(r"[ \t\n\r]*")
_BLANKS = frozenset(" \t\n\r")
_ENDS_PROSE = frozenset(".!?)")
_COMMAS = frozenset(",，")  # noqa: RUF001
_COMMA_LIKE = frozenset(",，、;；")  # noqa: RUF001
_DOTS = frozenset(".…")
_MORE_KEYS = re.compile(r"""[\s\]}]*(?:,\s*)?"[^"\\\n]{0,100}"\s*:""")


class JsonReading(NamedTuple):
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
) -> JsonReading | Unreadable:
    """Read the object or array whose opening bracket is at ``start``.

    Args:
        keys: names of keys that are expected; they decide where an unquoted text ends.
        pause: called now and then; it may raise where the time is spent.
    """
    reader = _JsonReader(text, start, keys)
    try:
        reader.read(pause)
    except Stop as stop:
        return Unreadable(start, reader.position, stop.reason, stop.cut_off)
    return JsonReading(start, reader.position, reader.mended(), dict(reader.account))


class _JsonReader(JsonDraft):
    """One document. ``_key``, ``_value`` and ``_after`` are the states; each returns the next."""

    def __init__(self, text: str, start: int, keys: Collection[str]) -> None:
        super().__init__(text, start)
        self.keys = keys
        self.brackets: list[str] = []
        """What is open, outermost first."""
        self.starts: list[int] = []
        """Where."""
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
            raise Stop("more keys follow where the object has ended")
        if BACKSLASH in self.account and doubtful_beside_literal(self.mended()):
            raise Stop(IN_DOUBT)

    # States

    def _key(self) -> State | None:
        start = self.position
        run = MEMBERS.match(self.text, start)
        if run and run.end() > start:
            if self._run_completes(run):
                return self._after()
            if self.position - start > LONG_RUN:
                return self._key
        if slipped := SLIPPED_MEMBERS.match(self.text, self.position):
            return self._after() if self._mend_slips(slipped) else self._key
        if key := KEY.match(self.text, self.position):
            self.position = key.end()
            return self._value()
        return self._odd_key()

    def _value(self) -> State | None:
        text, start = self.text, self.position
        if self.brackets[-1] == "[":
            run = ITEMS.match(text, start)
            if run and run.end() > start:
                if self._run_completes(run):
                    return self._after()
                if self.position - start > LONG_RUN:
                    return self._value
            if slipped := SLIPPED_ITEMS.match(text, self.position):
                return self._after() if self._mend_slips(slipped) else self._value
        elif text[start : start + 1] != "[" and (value := ONE_VALUE.match(text, start)):
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

    def _mend_slips(self, run: re.Match[str]) -> bool:
        """Take a run with slips; whether it ends in a value, and not in the comma behind one."""
        start, end = run.span(1)
        comma, gap = run.start(2), run.start(3)
        completes = max(comma, gap) < end
        ahead = run.end() + (comma < end)  # with the bracket or the text behind a gap
        pieces, account = self.pieces, self.account
        for place, new, rule in slips(self.text, run.start(), ahead):
            pieces[place] = new
            account[rule] += 1
        self.last = (start, end)
        self.position = run.end()
        if not completes:
            self.comma = max(comma, end)
        return completes

    def _after(self) -> State | None:
        text, brackets = self.text, self.brackets
        position: int = self.position
        while mark := AFTER.match(text, position):
            sign = mark.group(1)
            if sign == ",":
                self.comma, self.position = mark.start(1), mark.end()
                return self._key if brackets[-1] == "{" else self._value
            if sign != CLOSER[brackets[-1]]:
                self.position = mark.start(1)
                return self._mismatch(sign)
            position = self.position = mark.end(1)
            brackets.pop()
            self.last = (self.starts.pop(), position)
            if not brackets:
                return None
        return self._odd_after()

    # What is not as it should be

    def _odd_key(self) -> State | None:
        character = self.skip()
        if character in CLOSING:
            return self._trailing_comma(character)
        if character in _COMMAS:
            return self._extra_comma()
        if character in _DOTS and ELLIPSIS.match(self.text, self.position):
            raise Stop(LEFT_OUT)
        if character in OPENING:
            return self._bracket_for_key(character)
        if character in QUOTES:
            self._take_string("key")
        elif key := BARE_KEY.match(self.text, self.position):
            self.edit(*key.span(1), f'"{key.group(1)}"', "quotes around a key added")
            self.position = key.end(1)
        else:
            raise Stop("no key where one is expected")
        return self._colon()

    def _colon(self) -> State:
        if colon := COLON.match(self.text, self.position):
            if colon.group(1) != ":":
                self.edit(*colon.span(1), ":", f'"{colon.group(1)}" -> ":"')
            self.narrow_blank(self.position, colon.start(1))
            self.narrow_blank(colon.end(1), colon.end())
            self.position = colon.end()
        elif VALUE_AHEAD.match(self.text, self.position):
            self.edit(self.position, self.position, ":", "missing colon added")
        else:
            raise Stop("a key without value", cut_off=not self.text[self.position :].strip())
        return self._value

    def _odd_value(self) -> State | None:
        character = self.skip()
        in_array = self.brackets[-1] == "["
        if character in CLOSING or character in _COMMAS:
            if not in_array:
                raise Stop("a key without value")
            return self._extra_comma() if character in _COMMAS else self._trailing_comma(character)
        if character in OPENING:
            return self._open(character)
        if in_array and character in _DOTS and ELLIPSIS.match(self.text, self.position):
            raise Stop(LEFT_OUT)
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
        text, before = self.text, self.position
        skipped = SKIP.match(text, before)
        place = skipped.end() if skipped else before
        character = text[place : place + 1]
        if character in CLOSING:
            self.pass_over(place)
            return self._close(self.narrow(character))
        if character in _COMMA_LIKE:
            self.pass_over(place)
            if character != ",":
                self.edit(place, place + 1, ",", f'"{character}" -> ","')
            return self._comma(place, place + 1)
        if character == "{" and continues(text, self.starts[-1], before, place):
            return self._next_record(before, place)
        follows = KEY_AHEAD if self.brackets[-1] == "{" else VALUE_AHEAD
        if character and not text.startswith(FENCES, place) and follows.match(text, place):
            self.edit(before, before, ",", "missing comma added")
            self.pass_over(place)
            return self._comma(before, place)
        return self._finish(before, place)

    def _next_record(self, end: int, place: int) -> State | None:
        """An object like the one that is open begins: that one should have been closed."""
        if len(self.brackets) == 1:
            self.insert(end, "}")
            self.position = end
            return None
        if self.brackets[-2] != "[":
            raise Stop("an object where a comma is expected")
        self.insert(end, "}")
        self.brackets.pop()
        self.last = (self.starts.pop(), end)
        self.account["missing comma added"] += 1
        self.pieces[end, end] += ","
        self.pass_over(place)
        return self._comma(end, place)

    def _finish(self, end: int, rest: int) -> None:
        """The text ends, or prose begins, and brackets are open."""
        text = self.text
        blank = rest >= len(text)
        prose = "\n" in text[end:rest] or text[rest : rest + 1] in _ENDS_PROSE
        if not (blank or prose or text.startswith(FENCES, rest)):
            raise Stop("neither a comma nor a bracket follows a value")
        if blank and NUMBER.fullmatch(text, *self.last):
            raise Stop("the text ends in a number, which may be cut off", cut_off=True)
        if not blank and _GOES_ON.search(text, rest):
            raise Stop("a bracket is missing, and more of the document follows")
        if blank and "[" in self.brackets:
            raise Stop("the text ends within a list, which may be cut off", cut_off=True)
        if blank and self.comma >= self.last[1]:
            raise Stop("the text ends behind a comma: more was to come", cut_off=True)
        if not blank and self.account[BARE_TEXT] and self.pieces.get(self.last, "")[:1] == '"':
            raise Stop("the text goes on behind words without quotes, and a bracket is missing")
        self.insert(end, "".join(CLOSER[bracket] for bracket in reversed(self.brackets)))
        self.position = end

    # Tokens

    def _complete(self, start: int, end: int) -> State | None:
        self.last = (start, end)
        self.position = end
        return self._after()

    def _comma(self, place: int, end: int) -> State:
        self.comma = place
        if self.text[end : end + 1] in _BLANKS and (blank := _BLANK.match(self.text, end)):
            end = blank.end()
        self.position = end
        return self._key if self.brackets[-1] == "{" else self._value

    def _take_string(self, context: Context) -> None:
        string = read_string(self.text, self.position, context)
        if string is None:
            end = self.text.find(self.text[self.position], self.position + 1)
            cut_off = end < 0 or not self.text[end + 1 :].strip()
            raise Stop("the end of a text is missing or not sure", cut_off=cut_off)
        for rule in string.rules:
            self.edit(self.position, string.end, string.json, rule)
        self.position = string.end

    def _take_bare(self, *, in_array: bool) -> None:
        bare = read_bare(self.text, self.position, in_array=in_array, keys=self.keys)
        if isinstance(bare, NotBare):
            raise Stop(bare.reason, cut_off=bare.cut_off)
        if bare.rule:
            self.edit(self.position, bare.end, bare.json, bare.rule)
        self.position = bare.end

    def _extra_comma(self) -> State:
        self.edit(self.position, self.position + 1, "", "doubled comma removed")
        before = self.comma
        state = self._comma(self.position, self.position + 1)
        self.comma = before  # the one that stays
        return state

    def _trailing_comma(self, closer: str) -> State | None:
        if self.comma >= 0:
            inserted = self.pieces.pop((self.comma, self.comma), None) is not None
            if not inserted:
                self.edit(self.comma, self.comma + 1, "", "trailing comma removed")
        return self._close(self.narrow(closer))

    # Brackets

    def _open(self, character: str) -> State:
        if len(self.brackets) >= MAX_DEPTH:
            raise Stop(f"nested deeper than {MAX_DEPTH} levels")
        bracket = OPENING[character]
        if character != bracket:
            self.edit(self.position, self.position + 1, bracket, "full-width bracket replaced")
        self.brackets.append(bracket)
        self.starts.append(self.position)
        state = self._comma(self.position, self.position + 1)
        self.comma = -1
        return state

    def _close(self, sign: str) -> State | None:
        if sign != CLOSER[self.brackets[-1]]:
            return self._mismatch(sign)
        self.position += 1
        self.brackets.pop()
        self.last = (self.starts.pop(), self.position)
        return self._after if self.brackets else None

    def _mismatch(self, sign: str) -> State | None:
        brackets = self.brackets
        meaning = meaning_of(sign, self.text, self.position, brackets)
        if meaning is None:
            raise Stop(f'a "{sign}" closes what it does not open')
        opened = [index for index, bracket in enumerate(brackets) if CLOSER[bracket] == sign]
        return self._resolve(meaning, sign, CLOSER[brackets[-1]], opened)

    def _resolve(self, kind: str, sign: str, wanted: str, opened: list[int]) -> State | None:
        place = self.position
        if kind == "missing":
            inner = opened[-1] + 1
            self.insert(place, "".join(CLOSER[b] for b in reversed(self.brackets[inner:])))
            del self.brackets[inner:], self.starts[inner:]
            return self._close(sign)
        if kind == "wrong":
            self.edit(place, place + 1, wanted, f'"{sign}" -> "{wanted}"')
            return self._close(wanted)
        if self.last[1] <= self.starts[-1]:
            raise Stop(f'a "{sign}" where a value is expected')
        self.edit(place, place + 1, "", f'"{sign}" without its opening removed')
        self.position = place + 1
        return self._after

    def _bracket_for_key(self, character: str) -> State:
        """An object or array where a key is expected: the array before it was closed too early,
        or the object that is open should have been closed."""
        start, end = self.last
        early = self.comma >= end and reopens(self.text, start, self.position)
        inside = character == "{" and len(self.brackets) > 1 and self.brackets[-2] == "["
        closes = inside and self.comma >= 0
        if early == closes:
            raise Stop("an object where a key is expected")
        if not early:
            self._close_before_comma()
            return self._value
        self.edit(end - 1, end, "", '"]" before the end of the array removed')
        self.brackets.append("[")
        self.starts.append(start)
        if character != "{":
            self.edit(
                self.position, self.position + 1, "", f'"{character}" inside an array removed'
            )
            self.position += 1
        return self._value

    def _array_is_over(self, key: str) -> State:
        """A key where an item is expected: the array should have been closed."""
        quoted = key.lstrip()[:1] in QUOTES
        if self.comma < 0 or len(self.brackets) < 2 or self.brackets[-2] != "{":
            raise Stop("a key where an item is expected")
        if not quoted and key.strip(" \t\n\r:=>：") not in self.keys:  # noqa: RUF001
            raise Stop("a key where an item is expected")
        self._close_before_comma()
        return self._key

    def _close_before_comma(self) -> None:
        """Close what is open: it ends before the last comma."""
        self.insert(self.comma, CLOSER[self.brackets.pop()], first=True)
        self.last = (self.starts.pop(), self.comma)
