"""The reason in an error: what it says without its wrapper, and whether two say the same.

``Error executing tool weather: no such city`` and ``... : no such day`` are two reasons behind one
wrapper; ``no such city: Oslo`` and ``no such city: Rome`` are one, whatever it names.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any, cast

from knitbone.fuzzing.normalise import normalise
from knitbone.fuzzing.records import StackFrame
from knitbone.record.events import Json

__all__ = ["WordedFailure", "reason_in", "same_reason", "spoken"]

_LONGEST = 64 * 1024
_DEPTH = 4
_TELLING = (
    "error", "errors", "error_message", "errormessage", "err", "exception", "message", "detail",
    "details", "reason", "content", "text", "description", "title",
)  # fmt: skip
"""Fields of an error object, the most telling first."""
_WRAPPER = re.compile(
    r"""\A\W*(?:
      error\ (?:while\ )?(?:executing|calling|running|invoking|in)\ (?:the\ )?
        tool\b\ ?['"`]?[\w./-]*['"`]?(?:\ with\ arguments\ \{[^\n]{0,2000}\})?
    | (?:the\ )?(?:tool|function)\ (?:execution|call)\ (?:failed|error)
    | (?:mcp\ error|error\ code)\ ?-?\d+
    | (?:an?\ )?(?:unexpected\ |internal\ |unknown\ |tool\ )?(?:error|exception)
        (?:\ (?:has\ )?occurred)?
    | [A-Za-z_][\w.]{0,100}(?:Error|Exception)
    )\s*(?:[:\u2014]|\ -)\s*(?=\S)""",
    re.VERBOSE | re.IGNORECASE,
)
_TRACEBACK = "Traceback (most recent call last)"
_ENVELOPE = re.compile(r"[{}\[\]<>\\]|Traceback|\bFile \"|\bline \d+, in ")
_WORD = re.compile(r"\w+|[^\w\s]")
_LITERAL = re.compile(r"\"[^\"]*\"|'[^']*'")
_CODEC = re.compile(r"(\bcodec can't (?:de|en)code) (?:byte|character)[^\n]*")
"""Which byte it was, and what is wrong with it, is one reason to whoever mends it."""
_MOST_WORDS = 60
_TYPES = frozenset({"bool", "bytes", "dict", "float", "int", "list", "set", "str", "tuple"})
"""What an operation was given instead: ``must be a mapping, not int``."""
_SHARED = 3
"""Characters from which a word that is a part of an argument is taken for a value."""
_TEXTS = 200


def reason_in(text: str) -> str:
    """What an error says, without the object and the words that a framework puts around it."""
    told = _told(text, 0) if text.lstrip()[:1] in ("{", "[") else None
    told = (text if told is None else told).strip()
    if _TRACEBACK in told:
        lines = [line for line in told.splitlines() if line.strip() and not line.startswith(" ")]
        told = lines[-1].strip() if lines else told
    while (match := _WRAPPER.match(told)) is not None:
        told = told[match.end() :]
    return told


def spoken(text: str) -> str:
    """What an error says in words, such as may stand in a sentence of ours; nothing where that is
    an object, a list of them, markup or a line of a traceback."""
    said = reason_in(text).strip().partition("\n")[0].strip()
    return "" if _ENVELOPE.search(said) else said


def _told(text: str, depth: int) -> str | None:
    value = _parsed(text)
    return None if value is None else _telling(value, depth)


def _parsed(text: str) -> Any:
    if len(text) > _LONGEST:
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    return None


def _telling(value: Any, depth: int) -> str | None:
    """The text in an error object that tells most."""
    if isinstance(value, str):
        inner = value.strip()
        if depth < _DEPTH and inner[:1] in ("{", "["):
            return _told(inner, depth + 1) or value
        return value
    if depth >= _DEPTH:
        return None
    if isinstance(value, list):
        found = (_telling(item, depth + 1) for item in cast("list[Any]", value)[:3])
        return next((text for text in found if text), None)
    if isinstance(value, dict):
        fields = {str(k).lower(): v for k, v in cast("dict[Any, Any]", value).items()}
        for key in _TELLING:
            if isinstance(fields.get(key), (str, dict, list)):
                text = _telling(fields[key], depth + 1)
                if text:
                    return text
    return None


class WordedFailure:
    """One failure as it is compared with others: where it happened, and in which words."""

    def __init__(
        self,
        *,
        kind: str,
        exception: str | None,
        frame: StackFrame | None,
        by: str | None,
        reason: str,
        arguments: dict[str, Json],
    ) -> None:
        self.kind = kind
        self.exception = exception
        self.place = None if frame is None else (frame.file, frame.line, frame.function)
        self.source = "" if frame is None else frame.source
        self.by = by
        self.reason = reason
        self._arguments = arguments
        self._words: list[str] | None = None
        self._given: str | None = None

    @property
    def words(self) -> list[str]:
        """The reason word by word, the values that are plain to see taken out."""
        if self._words is None:
            line = _CODEC.sub(r"\1", self.reason.partition("\n")[0])
            text = normalise(line, self._arguments)
            self._words = _WORD.findall(text)[:_MOST_WORDS]
        return self._words

    def is_value(self, word: str) -> bool:
        """Whether a word may be a value: no plain word, or one that the arguments hold."""
        if not word.isalpha() or not word.isascii():
            return True
        if self._given is None:
            texts = list(_texts(self._arguments))[:_TEXTS]
            self._given = "\n".join(texts).casefold()
        if word in _TYPES or word in ("N", "PATH", "SANDBOX", "value"):
            return True
        wanted = word.casefold()
        return wanted in self._given if len(word) >= _SHARED else wanted in self._given.split()


def same_reason(first: WordedFailure, second: WordedFailure) -> bool:
    """Whether two failures of one tool are one to whoever mends it."""
    if (first.kind, first.exception, first.place) != (second.kind, second.exception, second.place):
        return False
    if first.kind not in ("raised", "returned"):
        return first.words == second.words
    if first.place is not None and first.kind == "raised" and _is_one_statement(first, second):
        return True
    return _same_words(first, second)


def _is_one_statement(first: WordedFailure, second: WordedFailure) -> bool:
    """Whether the place alone tells the reason: an operation (whatever it found wrong with the
    argument), or a ``raise`` that words its message itself."""
    if first.by != second.by:
        return False
    if first.by == "operation":
        return True
    return first.by == "tool" and _words_of_its_own(first, second)


def _words_of_its_own(first: WordedFailure, second: WordedFailure) -> bool:
    """Whether the source of the ``raise`` holds words, in quotation marks, that both share."""
    shared = {word for word in first.words if word.isalpha()} & set(second.words)
    worded = " ".join(_LITERAL.findall(first.source))
    return bool(shared & {word for word in _WORD.findall(worded) if len(word) > _SHARED})


def _same_words(first: WordedFailure, second: WordedFailure) -> bool:
    if first.words == second.words:
        return True
    matcher = SequenceMatcher(None, first.words, second.words, autojunk=False)
    return all(
        action == "equal"
        or (
            all(map(first.is_value, first.words[a:b]))
            and all(map(second.is_value, second.words[c:d]))
        )
        for action, a, b, c, d in matcher.get_opcodes()
    )


def _texts(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif depth < _DEPTH and isinstance(value, dict):
        for key, item in cast("dict[Any, Any]", value).items():
            if depth:
                yield str(key)
            yield from _texts(item, depth + 1)
    elif depth < _DEPTH and isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _texts(item, depth + 1)
    else:
        yield str(value)
