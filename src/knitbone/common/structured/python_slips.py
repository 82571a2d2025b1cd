"""A Python literal whose commas, colons, brackets or quotation marks are not as Python wants them.

One pass over the tokens. Each edit follows from what stands beside it: in a dictionary keys and
values take turns, and a key can stand nowhere else. What has several readings is left alone, and
content stays as it is: only the quotation marks around it change.

Source: Comfrey §4.3.1 (minimum edits to structure).
"""

# ruff: noqa: RUF001 - typographic quotation marks, as models write them
from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal

import msgspec

from knitbone.common.structured.drafts import DocumentDraft

__all__ = ["mend_literal"]

_SCALAR = (
    r"""(?:"[^"\\\n]*(?:\\.[^"\\\n]*)*+"|'[^'\\\n]*(?:\\.[^'\\\n]*)*+'"""
    r"""|[\w.+\-]++)(?=[\s,:)\]}])\s*"""
)
_PAIR = rf"{_SCALAR}:\s*{_SCALAR}"


def _flat(opening: str, one: str, closing: str) -> str:
    return rf"{opening}\s*(?:{one},\s*)*(?:{one})?{closing}"


_FLAT = "|".join(
    (
        _flat(r"\(", _SCALAR, r"\)"),
        _flat(r"\[", _SCALAR, r"\]"),
        _flat(r"\{", _SCALAR, r"\}"),
        _flat(r"\{", _PAIR, r"\}"),
    )
)
"""A tuple, list, set or dictionary of texts, numbers and words, in which nothing but a word can be
wrong: one token, since a literal consists of them."""
_TOKEN = re.compile(
    rf"""(?P<flat>{_FLAT})"""
    r"""|(?P<blank>\s+|\#[^\n]*)"""
    r"""|(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.|(?<=\w)'(?=\w))*')"""
    r"""|(?P<curly>“[^“”\n]*”|‘[^‘’\n]*’)"""
    r"""|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<comma>,)|(?P<colon>:)"""
    r"""|(?P<atom>[^\s,:()\[\]{}"'“”‘’#]+)|(?P<other>.)""",
    re.DOTALL,
)
_WORD = r"(?<![\w.+\-])(?:true|false|null)(?![\w.+\-])"
_CLOSER = {"(": ")", "[": "]", "{": "}"}
_WORDS = {"true": "True", "false": "False", "null": "None"}
_TEXTS = frozenset({"text", "curly"})
_VALUES = frozenset({"flat", "text", "curly", "open", "atom"})
_OPENING = frozenset({"flat", "open"})
_NO_WORD = (
    r"""(?:[^"'\w]|"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'"""
    rf"""|(?!{_WORD})[\w.+\-]+)*"""
)
_WORD_INSIDE = re.compile(rf"(?>{_NO_WORD})(?P<word>{_WORD})", re.DOTALL)
"""The next word of JSON in what is flat."""
_BRACKET = re.compile(r"[()\[\]{}]")
_MAX_DEPTH = 100
"""Open brackets at a time; CPython itself refuses 200 (ours)."""
_APOSTROPHE = re.compile(r"(?<!\\)'")
_QUOTE = re.compile(r'(?<!\\)"')


class _NotSureError(Exception):
    """The literal is left alone."""


class _Token(msgspec.Struct, frozen=True, gc=False):
    kind: str
    start: int
    end: int
    said: str


class _OpenBracket:
    """A bracket that is open."""

    def __init__(self, closer: str, *, is_dictionary: bool) -> None:
        self.closer = closer
        self.is_dictionary = is_dictionary
        self.last: Literal["", "comma", "key", "colon", "value"] = ""
        """What was read in it last."""
        self.comma = -1
        """Place of the last comma."""
        self.holds_alike = False
        """Whether a bracket of its own kind stands in it behind a comma."""


def mend_literal(text: str, names: frozenset[str]) -> DocumentDraft | None:
    """The literal with its punctuation put right; it need not be one then. ``None`` where that is
    not sure, where a text in it is not closed, or where nothing is to be mended."""
    del names
    try:
        mender = _LiteralMender(text)
        end = mender.read()
    except _NotSureError:
        return None
    return mender.written(end) if mender.rules else None


def _tokens(text: str) -> Iterator[_Token]:
    """Up to the first that is none: where a quotation mark is not closed, each that follows would
    be looked at to the end of the text."""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        if kind != "blank":
            yield _Token(kind, match.start(), match.end(), match[0])
        if kind == "other":
            return


class _LiteralMender:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(_tokens(text))
        self.dictionaries = _dictionaries(self.tokens)
        self.levels: list[_OpenBracket] = []
        self.pieces: dict[tuple[int, int], str] = {}
        self.rules: Counter[str] = Counter()

    def read(self) -> int:
        """Go through the tokens; the place behind the literal."""
        self._look_at_quotes()
        for index, token in enumerate(self.tokens):
            if token.kind in _VALUES:
                self._value(index, token)
            elif not self.levels or token.kind == "other":
                raise _NotSureError
            elif token.kind == "close":
                self._close(index, token)
            else:
                self._mark(token, self.levels[-1])
            if not self.levels:
                return self._rest(index + 1)
        return self._end()

    def written(self, end: int) -> DocumentDraft:
        """The literal up to ``end`` with all edits."""
        parts: list[str] = []
        place = 0
        for (start, stop), new in sorted(self.pieces.items()):
            parts += (self.text[place:start], new)
            place = stop
        told = (f"{rule} in {n} places" if n > 1 else rule for rule, n in self.rules.items())
        return DocumentDraft("".join((*parts, self.text[place:end])), tuple(told))

    def _look_at_quotes(self) -> None:
        """Where typographic marks stand around texts, those inside of other texts may have been
        straight ones: what they said is not known."""
        around = {
            mark for t in self.tokens if t.kind == "curly" for mark in (t.said[0], t.said[-1])
        }
        if around and any(
            around & set(token.said) for token in self.tokens if token.kind in ("flat", "text")
        ):
            raise _NotSureError

    # Tokens

    def _value(self, index: int, token: _Token) -> None:
        following = self.tokens[index + 1] if index + 1 < len(self.tokens) else None
        bracketed = token.kind in _OPENING
        joins = following and following.kind in _TEXTS and following.start == token.end
        if joins and not bracketed:
            raise _NotSureError  # a text with a prefix, or of several lines
        names_value = token.kind != "flat" and following is not None and following.kind == "colon"
        if self.levels:
            before = self.tokens[index - 1]
            if names_value and not self.levels[-1].is_dictionary:
                self._leave(before)
            self._place(before, token, names_value=names_value)
        if token.kind == "atom":
            self._rename(token)
        elif token.kind in _TEXTS:
            self._requote(token)
        elif bracketed:
            self._nest(self.tokens[index - 1], token)
        if token.kind == "flat":
            place = token.start
            while (word := _WORD_INSIDE.match(self.text, place, token.end)) is not None:
                place = word.end()
                self._rename(_Token("atom", word.start("word"), place, word["word"]))
        elif token.kind == "open":
            inside = token.start in self.dictionaries
            self.levels.append(_OpenBracket(_CLOSER[token.said], is_dictionary=inside))

    def _nest(self, before: _Token, token: _Token) -> None:
        """Where an inner ``(1, (2`` loses its bracket, the next may be its neighbour as well."""
        if len(self.levels) > 1 and before.kind != "open":
            level = self.levels[-1]
            same = level.closer == _CLOSER[token.said[0]] and not level.is_dictionary
            level.holds_alike = level.holds_alike or same

    def _place(self, before: _Token, token: _Token, *, names_value: bool) -> None:
        """Tell what the value is where it stands, and the mark that is missing before it."""
        level = self.levels[-1]
        joined = before.kind in _TEXTS and token.kind in _TEXTS and not names_value
        if level.last == "value" and not joined:
            apart = before.kind != "atom" or token.kind != "atom"
            if not apart and "\n" not in self.text[before.end : token.start]:
                raise _NotSureError  # one number in two pieces, perhaps
            self._insert(before.end, ",", "missing comma added")
            level.last, level.comma = "comma", before.end
        elif level.last == "key" and not names_value:
            if before.kind not in _TEXTS:
                raise _NotSureError
            self._insert(before.end, ":", "missing colon added")
            level.last = "colon"
        if level.last in ("", "comma"):
            level.last = "key" if level.is_dictionary else "value"
        elif level.last == "colon":
            level.last = "value"

    def _mark(self, token: _Token, level: _OpenBracket) -> None:
        """A comma or colon."""
        if token.kind == "comma" and level.last == "value":
            level.last, level.comma = "comma", token.start
        elif token.kind == "comma" and level.last == "comma":
            self._edit(token, "", "doubled comma removed")
        elif token.kind == "colon" and level.last == "key":
            level.last = "colon"
        else:
            raise _NotSureError

    def _close(self, index: int, token: _Token) -> None:
        closers = [level.closer for level in self.levels]
        if self.levels[-1].last in ("key", "colon"):
            raise _NotSureError
        if closers[-1] != token.said:
            goes_on = index + 1 < len(self.tokens) and self.tokens[index + 1].kind == "comma"
            if token.said not in closers[goes_on:]:
                # No such bracket is open, or the literal goes on behind: it is the wrong one.
                self._edit(token, closers[-1], f'"{token.said}" -> "{closers[-1]}"')
            else:
                self._add_closers(self.tokens[index - 1].end, closers[::-1].index(token.said))
        self.levels.pop()

    def _leave(self, before: _Token) -> None:
        """A key where none can stand: what is open in the dictionary ends before it."""
        inner = self.levels[-1]
        depth = next((n for n, v in enumerate(reversed(self.levels)) if v.is_dictionary), 0)
        if not depth or inner.last not in ("comma", "value"):
            raise _NotSureError
        self._add_closers(inner.comma if inner.last == "comma" else before.end, depth)
        outer = self.levels[-1]
        outer.last = inner.last
        outer.comma = inner.comma if inner.last == "comma" else outer.comma

    # The end

    def _rest(self, index: int) -> int:
        """Judge what stands behind the literal: nothing, brackets too many, or prose below it."""
        end = self.tokens[index - 1].end
        rest = self.text[end:]
        kinds = {token.kind for token in self.tokens[index:]}
        if not kinds:
            return len(self.text)
        if kinds == {"close"}:
            self.rules["closing bracket too many removed"] += 1
        elif rest.lstrip(" \t")[:1] == "\n" and not _BRACKET.search(rest):
            self.rules["text around the literal removed"] += 1
        else:
            raise _NotSureError
        return end

    def _end(self) -> int:
        """Brackets are open. Behind a number or a word the end may be missing, not only they."""
        last = self.tokens[-1] if self.tokens else None
        if last is None or last.kind not in ("flat", "text", "curly", "close"):
            raise _NotSureError
        if any(level.last != "value" for level in self.levels):
            raise _NotSureError
        if not all(level.is_dictionary for level in self.levels):
            raise _NotSureError  # more items may have followed
        self._add_closers(last.end, len(self.levels))
        return len(self.text)

    # Edits

    def _rename(self, token: _Token) -> None:
        """A word of JSON."""
        if token.said in _WORDS:
            self._edit(token, _WORDS[token.said], "true, false, null -> True, False, None")

    def _requote(self, token: _Token) -> None:
        """Straight marks around the text, and nothing inside that they would end at."""
        content = token.said[1:-1]
        single, double = _APOSTROPHE.search(content), _QUOTE.search(content)
        if token.kind == "text" and (token.said[0] == '"' or not single):
            return  # as it should be
        wants_double = token.said[0] in '"“'
        if single and double:
            written = '"' + _QUOTE.sub(r"\"", content) + '"'
        elif single or (wants_double and not double):
            written = f'"{content}"'
        else:
            written = f"'{content}'"
        curly = token.kind == "curly"
        rule = (
            "curly quotation marks -> straight ones" if curly else "text with an apostrophe quoted"
        )
        self._edit(token, written, rule)

    def _edit(self, token: _Token, new: str, rule: str) -> None:
        self.pieces[token.start, token.end] = new
        self.rules[rule] += 1

    def _insert(self, place: int, new: str, rule: str) -> None:
        self.pieces[place, place] = self.pieces.get((place, place), "") + new
        self.rules[rule] += 1

    def _add_closers(self, place: int, number: int) -> None:
        for _ in range(number):
            level = self.levels.pop()
            if level.holds_alike:
                raise _NotSureError
            self._insert(place, level.closer, "missing bracket added")


def _dictionaries(tokens: list[_Token]) -> set[int]:
    """Where the braces of dictionaries open: a colon can belong to nothing else.

    Raises:
        _NotSureError: the brackets are nested too deeply for a parser.
    """
    opened: list[_Token] = []
    found: set[int] = set()
    for token in tokens:
        kind = token.kind
        if kind == "colon":
            brace = next((one for one in reversed(opened) if one.said == "{"), None)
            found.update((brace.start,) if brace else ())
        elif kind == "close":
            depth = next(
                (n for n, one in enumerate(opened[::-1]) if _CLOSER[one.said] == token.said), None
            )
            if depth is not None:
                del opened[len(opened) - 1 - depth :]
        elif kind in _OPENING:
            if len(opened) == _MAX_DEPTH:
                raise _NotSureError
            if kind == "open":
                opened.append(token)
    return found
