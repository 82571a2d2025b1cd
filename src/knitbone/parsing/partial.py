"""The value in a text that is still coming: a scanner that shows what later text cannot change.

The scanner reads JSON and the marks of Python that models write for it (apostrophes, ``True``, keys
without quotes, a comma before a closing bracket) token by token, each character once. It keeps no
alternatives. At the first place that is not plain it stops, and shows no more until the end, when
``repair`` reads the whole text.

A fault is mostly noticed one token too late: the text before it was the one without a closing
quote, the value before it the first one of a list without an opening bracket. So a value is shown
when the next member has begun (a key with its colon, an item), or when its bracket is closed. What
the target does not accept as it is, ``repair`` may convert, rename or move: nothing is shown from
there on.

Faults remain that are noticed later still: a lost bracket before the first of several objects, or
a second fence with the corrected document. The end compares: a value of which what was shown is no
part is refused.
"""

# ruff: noqa: RUF001 - the quotation marks and brackets that models write
from __future__ import annotations

import contextlib
import inspect
import json
import re
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from json.scanner import NUMBER_RE
from typing import Any, Literal, cast

from knitbone.common.source import evaluate_literal
from knitbone.common.structured.json_escapes import escaped
from knitbone.parsing.json_values import is_part
from knitbone.parsing.records import RepairResult
from knitbone.parsing.schema import SchemaPlace
from knitbone.parsing.search import MAX_DEPTH
from knitbone.parsing.targets import RepairTarget

__all__ = ["read_part", "read_stream", "read_stream_async"]

Whole = Callable[[str], RepairResult[Any]]
"""Reads the whole text."""

_SCANNED_FORMATS = (None, "json", "python")
_COPIED = 16
"""Entries of lists and objects that are copied in the time in which one character is read
(``documents.streams`` measures both). A record waits until as many characters as its copy costs
have come, so that copying never takes longer than reading."""

_BLANKS = " \t\n\r"
_TOKEN = re.compile(
    r'[ \t\n\r]*+(?:([{}\[\],:])|"([^"\\\x00-\x1f]*+)"|(["\'])|([\w.+\-$]++)|([^ \t\n\r]))'
)
_WORD = re.compile(r"[\w.+\-$]*+")
_INSIDE = {
    '"': re.compile(r'(?:[^"\\]|\\.)*+', re.DOTALL),
    "'": re.compile(r"(?:[^'\\]|\\.)*+", re.DOTALL),
}
"""What goes on in a text, by its quote."""
_PYTHON_TEXT = re.compile(r"(?:[^\\\n]|\\[\\'\"abfnrtvxuUN])*+")
_DATA = frozenset(('":', "':", "”:", ':"', ":“", '",'))
"""Marks of a document among words: its beginning may have been lost."""
_BARE_KEY = re.compile(r"[A-Za-z_$][\w$.\-]*+")
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}

_Due = Literal["key or end", "key", "colon", "value or end", "value", "after"]
_Lead = Literal[
    "start", "line", "words", "fence", "fenced", "bracket", "document", "end", "stopped"
]
_NOTHING: Any = object()


class _Open:
    """An object or list whose bracket is not closed."""

    __slots__ = ("key", "place", "shown", "value")

    def __init__(self, value: dict[str, Any] | list[Any], place: SchemaPlace | None) -> None:
        self.value = value
        """What is shown of it."""
        self.place = place
        self.key = ""
        """Of the member that is read."""
        self.shown = False
        """Whether what encloses it has it."""


class PartialScanner:
    """The value so far of a text that comes in chunks."""

    def __init__(self, target: RepairTarget) -> None:
        self.value: Any = _NOTHING
        """Shown so far. What is closed in it is never changed again."""
        self.grown = False
        """Whether more is shown than in the last copy."""
        self._schema = target.schema
        self._python = target.format == "python"
        self._state: _Lead = "start" if target.format in _SCANNED_FORMATS else "stopped"
        self._silent = False
        """Whether the target stopped the showing."""
        self._marks = ""
        """Of a fence, at the start of a line."""
        self._before = ""
        """The last character that is no blank."""
        self._bracket = ""
        self._due: _Due = "value"
        self._open: list[_Open] = []
        self._next_key = ""
        self._waiting: Any = _NOTHING
        """A value that is shown when the next member has begun."""
        self._token: list[str] = []
        """Of a token that goes on in the next chunk; a text begins with its quote."""
        self._escapes = False
        """Whether the next character is escaped."""

    @property
    def ended(self) -> bool:
        """Whether the document is closed, and nothing in it was doubtful to the scanner."""
        return self._state == "end"

    def feed(self, chunk: str) -> None:
        """Read on."""
        if self._state == "document":
            self._scan(chunk)
        elif self._state not in ("end", "stopped"):
            self._lead_in(chunk)

    def copy(self) -> Any:
        """What is shown, as it is now: what may still grow is copied."""
        self.grown = False
        copies: list[Any] = []
        for frame in self._open:
            if not frame.shown:
                break
            copies.append(frame.value.copy())
            if len(copies) > 1:
                outer = copies[-2]
                outer[-1 if isinstance(outer, list) else next(reversed(outer))] = copies[-1]
        return copies[0] if copies else self.value

    def copied_entries(self) -> int:
        """How many entries a copy costs."""
        return sum(1 + len(frame.value) for frame in self._open if frame.shown)

    # -- before the document ----------------------------------------------------------------------

    def _lead_in(self, chunk: str) -> None:  # noqa: C901 - one branch for each state
        """Look for where the document begins: at the start, in a fence, or behind words."""
        for index, sign in enumerate(chunk):
            state = self._state
            if state == "fence":
                if sign == "\n":
                    self._state = "fenced"
                elif sign != self._marks[-1:]:
                    self._marks = ""  # the marks of the fence are over
                    if sign == "`":
                        self._state = "stopped"
            elif state == "bracket":
                if sign in _BLANKS:
                    continue
                # In words only what can hardly be a footnote or a place to be filled in.
                if sign in "\"'" or (self._bracket == "[" and sign in "{["):
                    self._state = "document"
                    self._scan(self._bracket + chunk[index:])
                elif self._bracket == "[" and sign.isalpha() and sign not in "tfnN":
                    self._state = "words"
                    continue
                else:
                    self._state = "stopped"
            elif state in ("start", "fenced") and sign in _BLANKS:
                if sign == "\n":
                    self._marks = ""
            elif state in ("start", "fenced") and sign in "{[":
                self._state = "document"
                self._scan(chunk[index:])
            elif (
                state == "fenced"
                or (state == "start" and sign in "\"'“‘«(]")
                or sign == "}"
                or self._before + sign in _DATA
            ):
                self._state = "stopped"
            elif sign == "\n":
                self._state, self._marks = "line", ""
            elif sign in "{[｛［":
                self._state, self._bracket = "bracket", sign
            elif state != "words" and sign in "`~" and sign == (self._marks or sign)[0]:
                self._marks += sign
                self._state = "fence" if len(self._marks) == 3 else state
            elif state == "start" or sign not in " \t" or self._marks:
                self._state = "words"
            if self._state in ("document", "end", "stopped"):
                return
            if sign not in _BLANKS:
                self._before = sign

    # -- tokens -----------------------------------------------------------------------------------

    def _scan(self, chunk: str) -> None:
        at = self._go_on(chunk) if self._token else 0
        end = len(chunk)
        while at < end and self._state == "document":
            found = _TOKEN.match(chunk, at)
            if found is None:
                return
            at = found.end()
            kind = found.lastindex
            if kind == 1:
                self._mark(found[1])
            elif kind == 2:
                self._begins()
                self._text(found[2])
            elif kind == 3:
                self._begins()
                self._token = [found[3]]
                at = self._go_on(chunk, at)
            elif kind == 4:
                self._begins()
                if at == end:
                    self._token = [found[4]]
                else:
                    self._word(found[4])
            else:
                self._state = "stopped"

    def _go_on(self, chunk: str, at: int = 0) -> int:
        """Read on in a token; where it ends, or the end of the chunk."""
        quote = self._token[0]
        if quote not in _INSIDE:
            found = _WORD.match(chunk, at)
            end = cast("re.Match[str]", found).end()
            self._token.append(chunk[at:end])
            if end < len(chunk):
                word, self._token = "".join(self._token), []
                self._word(word)
            return end
        start = at
        if self._escapes and at < len(chunk):
            self._escapes = False
            at += 1
        at = cast("re.Match[str]", _INSIDE[quote].match(chunk, at)).end()
        if at < len(chunk) and chunk[at] == quote:
            pieces, self._token = [*self._token[1:], chunk[start:at]], []
            self._quoted(quote, "".join(pieces))
            return at + 1
        self._escapes = at < len(chunk)
        self._token.append(chunk[start:])
        return len(chunk)

    def _quoted(self, quote: str, content: str) -> None:
        """A text with escapes, line breaks or apostrophes, read as ``repair`` reads it."""
        text = _NOTHING
        if quote == '"' and not self._python:
            with contextlib.suppress(ValueError):
                text = json.loads(f'"{content}"')
        if text is _NOTHING and not self._python:
            written = escaped(content)
            text = _NOTHING if written is None else json.loads(f'"{written.json}"')
        if self._python or (quote == "'" and "\\" in content):
            # Between apostrophes, what both languages read alike.
            literal: Any = _NOTHING
            with contextlib.suppress(ValueError, SyntaxError):
                if _PYTHON_TEXT.fullmatch(content):
                    literal = evaluate_literal(f"{quote}{content}{quote}")
            text = literal if self._python or text == literal else _NOTHING
        if isinstance(text, str):
            self._text(text)
        else:
            self._state = "stopped"

    def _word(self, word: str) -> None:
        if self._due in ("key", "key or end"):
            if not self._python and _BARE_KEY.fullmatch(word):
                self._text(word)
            else:
                self._state = "stopped"
        elif word in _WORDS:
            self._scalar(_WORDS[word])
        elif (number := NUMBER_RE.fullmatch(word)) is not None:
            try:
                self._scalar(json.loads(number[0]))
            except ValueError:  # more digits than Python converts
                self._state = "stopped"
        else:
            self._state = "stopped"

    # -- the grammar ------------------------------------------------------------------------------

    def _mark(self, sign: str) -> None:
        due = self._due
        if sign in "{[":
            if due not in ("value", "value or end"):
                self._state = "stopped"
                return
            self._begins()
            self._enter(sign)
            return
        frame = self._open[-1]
        is_object = isinstance(frame.value, dict)
        if sign == ",":
            self._due = "key" if is_object else "value"
            expected = due == "after"
        elif sign == ":":
            expected = due == "colon"
            if expected:
                self._named(frame)
        else:
            # A comma before the closing bracket is one of another notation.
            before = (
                ("key or end", "key", "after") if is_object else ("value or end", "value", "after")
            )
            expected = sign == ("}" if is_object else "]") and due in before
            if expected:
                self._close()
        if not expected:
            self._state = "stopped"

    def _begins(self) -> None:
        """A token begins: in a list the item before it has ended."""
        if self._due == "value" and self._open and isinstance(self._open[-1].value, list):
            self._confirm()

    def _named(self, frame: _Open) -> None:
        """A key and its colon are read."""
        self._confirm()
        self._due = "value"
        frame.key = self._next_key
        if frame.key in frame.value or (
            frame.place is not None and not frame.place.names(frame.key)
        ):
            self._silent = True

    def _text(self, text: str) -> None:
        if self._due in ("key", "key or end"):
            self._next_key = text
            self._due = "colon"
        else:
            self._scalar(text)

    def _scalar(self, value: Any) -> None:
        if self._due not in ("value", "value or end"):
            self._state = "stopped"
            return
        self._due = "after"
        if not self._silent:
            place = self._place()
            if place is None or place.accepts(value):
                self._waiting = value
            else:
                self._silent = True

    def _enter(self, sign: str) -> None:
        if len(self._open) == MAX_DEPTH:
            self._state = "stopped"
            return
        place = None
        if not self._silent and (outer := self._place()) is not None:
            place = outer.opened("object" if sign == "{" else "array")
            self._silent = place is None
        self._open.append(_Open({} if sign == "{" else [], place))
        self._due = "key or end" if sign == "{" else "value or end"

    def _place(self) -> SchemaPlace | None:
        """What the target says of the value that is due; ``None``: nothing."""
        if self._schema is None:
            return None
        if not self._open:
            return self._schema.place
        frame = self._open[-1]
        if frame.place is None:
            return None
        if isinstance(frame.value, dict):
            return frame.place.member(frame.key)
        return frame.place.item(len(frame.value))

    # -- what is shown ----------------------------------------------------------------------------

    def _confirm(self) -> None:
        """Show the value that waits."""
        value, self._waiting = self._waiting, _NOTHING
        if value is not _NOTHING and not self._silent:
            self._show(len(self._open) - 1)
            _put(self._open[-1], value)
            self.grown = True

    def _close(self) -> None:
        self._confirm()
        if not self._silent and not self._open[-1].shown:
            self._show(len(self._open) - 1)
            self.grown = True
        self._open.pop()
        self._due = "after"
        if not self._open:
            self._state = "end"

    def _show(self, index: int) -> None:
        """Show an open object or list, and what encloses it."""
        first = index
        while first >= 0 and not self._open[first].shown:
            first -= 1
        for frame, outer in zip(
            self._open[first + 1 : index + 1], [None, *self._open][first + 1 :], strict=False
        ):
            frame.shown = True
            if outer is None:
                self.value = frame.value
            else:
                _put(outer, frame.value)


def _put(frame: _Open, value: Any) -> None:
    if isinstance(frame.value, dict):
        frame.value[frame.key] = value
    else:
        frame.value.append(value)


def read_part(text: str, target: RepairTarget, whole: Whole) -> RepairResult[Any]:
    """Read the beginning of a text; the whole of it where the document has ended."""
    scanner = PartialScanner(target)
    scanner.feed(text)
    return whole(text) if scanner.ended else _part(scanner)


def read_stream(
    chunks: Iterable[str], target: RepairTarget, whole: Whole
) -> Iterator[RepairResult[Any]]:
    """Yield a record when more is shown, and the record of the whole text."""
    progress = _Progress(target)
    with contextlib.ExitStack() as stack:
        if inspect.isgenerator(chunks):
            stack.enter_context(contextlib.closing(chunks))
        for chunk in chunks:
            if progress.feed(chunk):
                yield progress.part()
    yield progress.end(whole)


async def read_stream_async(
    chunks: AsyncIterable[str], target: RepairTarget, whole: Whole
) -> AsyncIterator[RepairResult[Any]]:
    """Yield the same of chunks that are awaited."""
    progress = _Progress(target)
    async with contextlib.AsyncExitStack() as stack:
        if inspect.isasyncgen(chunks):
            await stack.enter_async_context(contextlib.aclosing(chunks))
        async for chunk in chunks:
            if progress.feed(chunk):
                yield progress.part()
    yield progress.end(whole)


class _Progress:
    """A stream: its text, and when a record is due."""

    def __init__(self, target: RepairTarget) -> None:
        self._target = target
        self._scanner = PartialScanner(target)
        self._chunks: list[str] = []
        self._unpaid = 0

    def feed(self, chunk: Any) -> bool:
        """Read on; whether a record is due."""
        if not isinstance(chunk, str):
            raise TypeError(
                f"repair() reads an iterator of texts, and it gave {type(chunk).__name__}; "
                "decode or take the text out of each chunk first"
            )
        self._chunks.append(chunk)
        self._unpaid += len(chunk)
        scanner = self._scanner
        scanner.feed(chunk)
        return scanner.grown and scanner.copied_entries() <= _COPIED * self._unpaid

    def part(self) -> RepairResult[Any]:
        self._unpaid = 0
        return _part(self._scanner)

    def end(self, whole: Whole) -> RepairResult[Any]:
        """The record of the whole text; a refusal where what was shown is no part of its value."""
        text = "".join(self._chunks)
        result = whole(text)
        shown = self._scanner.value
        if not result.ok or shown is _NOTHING:
            return result
        value = json.loads(result.text) if self._target.loads else result.value
        if is_part(shown, value):
            return result
        return RepairResult(
            ok=False,
            text=text,
            refusal="what was shown of it is no part of the value that the whole text is read as; "
            "repair() without partial=True gives that",
        )


def _part(scanner: PartialScanner) -> RepairResult[Any]:
    if scanner.value is _NOTHING:
        return RepairResult(
            ok=False, refusal="nothing of the document is certain yet", complete=False
        )
    return RepairResult(ok=True, value=scanner.copy(), complete=False)
