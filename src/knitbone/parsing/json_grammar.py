"""The grammar of JSON, its relatives and Python literals for the least-cost reader.

One grammar for all: what JSON5, Python and JavaScript write otherwise, and what models do, are
tokens of their own at small costs (``_odd``). ``try_edits`` has the edits: a mark that was lost,
doubled, exchanged or put in a wrong place.

Source: RFC 8259; JSON5; the Python language reference, chapter 2; edits and their conditions are
ours.
"""

# ruff: noqa: RUF001 - the quotation marks and brackets that models write
from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import islice
from typing import ClassVar

from knitbone.common.edit_distance import distance_within
from knitbone.common.structured.json_escapes import (
    BACKSLASH,
    IN_DOUBT,
    doubtful_beside_literal,
)
from knitbone.common.structured.json_literals import BARE_TEXT, LEFT_OUT, Bare, read_bare
from knitbone.parsing.costs import COSTS, Costs
from knitbone.parsing.search import (
    CLOSED_AT_END,
    MAX_DEPTH,
    DocumentEdit,
    Enclosure,
    PlaceSchema,
    Search,
    SearchNode,
)

__all__ = ["JsonSearch", "doubt_of_texts"]

_LONGEST_TEXT = 20_000
"""Characters behind a quotation mark in which a lost one is looked for."""
_MOST_QUOTES = 12
_MOST_BOUNDS = 8

# What is due at a node.
_START, _KEY0, _KEY, _COLON, _VALUE0, _VALUE, _AFTER, _END = range(8)


_BEFORE = {_KEY0: "", _KEY: '"":0,', _COLON: '""', _VALUE0: "", _VALUE: "", _AFTER: "0"}
"""What stands before the rest of a text for the compiled parser."""


_S = r"[ \t\n\r]*+"
_PLAIN = r'[^"\\\x00-\x1f]*+'
_STRING = rf'"{_PLAIN}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{{4}}){_PLAIN})*+"'
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+"
_ENDS = r"(?![\w.$+\-])"
_VALUE_TOKEN = re.compile(
    rf"{_S}(?:({_STRING})|({_NUMBER}{_ENDS})|((?:true|false|null){_ENDS})|([{{\[]))"
)
_FLAT = rf"(?:{_STRING}|{_NUMBER}{_ENDS}|(?:true|false|null){_ENDS})"
_LIST = rf"\[{_S}(?:{_FLAT}{_S}(?:,{_S}{_FLAT}{_S})*+)?+\]"
_MEMBERS = rf"{_S}{_STRING}{_S}:{_S}(?:{_FLAT}|{_LIST}){_S}"
_OBJECT = rf"\{{(?:{_MEMBERS}(?:,{_MEMBERS})*+|{_S})\}}"
_LONG = 8_000
"""Characters from which intact stretches are passed over."""
_RUN = 64
_KEY_RUN = re.compile(rf"(?:{_MEMBERS},){{{_RUN}}}+")
_ITEM_RUN = re.compile(rf"(?:{_S}(?:{_FLAT}|{_LIST}|{_OBJECT}){_S},){{{_RUN}}}+")
"""So many intact members or items, each with its comma."""
_KEY_TOKEN = re.compile(rf"{_S}({_STRING})")
_BLANK = re.compile(r"[ \t\n\r\ufeff\xa0\u2000-\u200d\u2028\u2029\u202f\u3000]*+")
_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
_PY_STRING = re.compile(
    r"[uU]?(?:'(?P<one>[^'\\\n]*+(?:\\[^\n][^'\\\n]*+)*+)'|\"(?P<two>[^\"\\\n]*+(?:\\[^\n][^\"\\\n]*+)*+)\")"
)
_DOTS = re.compile(r"(?://|#|/\*)[ \t]*(?:\.{3}|…)")
"""The beginning of a comment that stands for what was left out."""
_BARE_KEY = re.compile(r"[A-Za-z_$][\w$.\-]{0,98}")
_ASSIGNS = re.compile(r"=>|->|[=：]")
_WORD = re.compile(r"[A-Za-z_$+\-.0-9][\w$+\-.]{0,60}")
_QUOTES = {
    '"': '"',
    "'": "'",
    "“": "”",
    "”": "”",
    "‘": "’",
    "’": "’",
    "`": "`",
    "«": "»",
    "„": "“",
    "「": "」",
    "『": "』",
}
_SAME_QUOTES = {
    '"': '"',
    "'": "'",
    "“": '”“"',
    "”": '”"',
    "‘": "’",
    "’": "’",
    "`": "`'",
    "«": "»",
    "„": '“”"',
    "「": "」",
    "『": "』",
}
_CLOSER = {"{": "}", "[": "]", "(": ")"}
_OPENERS = "{["
_ODD_BRACKETS = {"｛": "{", "［": "[", "｝": "}", "］": "]", "，": ",", "、": ",", "：": ":"}
_BEFORE_DELIMITER = re.compile(r"(?=[ \t\r\n]*[,:}\]])|(?=\n)")
_MARKS = frozenset("{}[],:")
_STRUCTURAL = frozenset("{}[],:\"'")
_NEAR = 200
"""Characters in which the next mark is looked for."""
_PYTHON_MARKS = _MARKS | frozenset("()\"'")
_PARTNERS = {"(": "()", ")": "()", "{": "{}", "}": "{}", "[": "[]", "]": "[]"}
_FOLLOWS_VALUE = re.compile(r"[ \t\n\r]*(?:[,}\])]|\Z)")
_FOLLOWS_BARE_KEY = re.compile(r"[ \t\n\r]*(?:=>|[:=：])")
_FOLLOWS_KEY = re.compile(r"[ \t\n\r]*:")
_INNER_STRUCTURE = re.compile(r'"\s*[,:\]}"]|[,:\[{]\s*"')
_SWALLOWED = {
    quote: re.compile(
        rf"""(?<!\\){quote}\s*[,:}}\]](?:\s*[}}\]])*\s*,?\s*(?:["'{{\[\d]|true|false|null)"""
        rf"""|[{{\[,:]\s*(?<!\\){quote}\s*[}}\],:]|(?<!\\){quote}(?:\s*\+\s*|\s+){quote}"""
    )
    for quote in "\"'"
}
"""Quotes with marks between them: several members of a document, and not one text."""
_OPENED = re.compile(r"[\[{]\s*[\"']")
_PLAIN_VALUE = r"""(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[\w.+\-]{1,40})"""
_ONLY_PAIR = re.compile(rf":\s*(?:{_PLAIN_VALUE}\s*\]|[\[{{])")
"""The second half of a list that has one colon and no comma: a dictionary, rather."""
_ONLY_TWO = re.compile(rf",\s*{_PLAIN_VALUE}\s*\}}")
"""The second half of braces around two values: a set, rather."""
_ONE_IN_PARENTHESES = re.compile(r"\([^(),\[\]{}]{0,200}\)")
"""One value in parentheses is no tuple."""
_THOUSANDS = re.compile(r"(?<![\d.])\d{1,3}\Z")
_THOUSAND = re.compile(r"\d{3}(?!\d)")
_INCHES = re.compile(r"[\s\"']\d{1,3}(?:[.,]\d{1,2})?\Z")
"""A number behind which a quotation mark may be one of the text: ``lamp 5"``."""
_UNESCAPED = {quote: re.compile(rf"(?<!\\){quote}") for quote in "\"'"}
_PLUS = re.compile(r"\+\s*")
_SHORT_WORD = re.compile(r"[^\s,:\[\]{}\"']{1,12}")
_VALUE_AHEAD = re.compile(r"[ \t\n\r]*[\"'{\[(\-0-9tfnTFN“‘]")
_CLOSES_AHEAD = re.compile(r"[ \t\n\r]*(?:[,\]})]|\Z)")
_KEY_AHEAD = r"""(?:"[^"\n]{0,100}"|'[^'\n]{0,100}'|[A-Za-z_$“][^:"'\n]{0,60}?)[ \t\r\n]*[:=：]"""
_GOES_ON = {
    _START: re.compile(r"[ \t\n\r]*[\[{(]"),
    _KEY0: re.compile(rf"[ \t\n\r]*(?:\}}|{_KEY_AHEAD})"),
    _KEY: re.compile(rf"[ \t\n\r]*{_KEY_AHEAD}"),
    _COLON: re.compile(r"[ \t\n\r]*[:=：]"),
    _VALUE0: re.compile(r"[ \t\n\r]*[\]\"'{\[(\-0-9tfnTFN“‘]"),
    _VALUE: _VALUE_AHEAD,
    _AFTER: _CLOSES_AHEAD,
}
"""What may follow without another edit, by what is due."""
_STRUCTURE = re.compile(
    r',$|[\[{]\s*"|"\s*[}\]]|"\s*[:,]\s*"|^\s*[,:}\]]+\s*[\[{]?\s*$|[,:]\s+$|^[,:]\s*$'
)
_TORN_TEXT = re.compile(r"(?:[\s{(\[]\".\"|.\".\"[\s:)}\]])", re.DOTALL)
"""A mark between two quotes inside of which no text begins or ends: they are one text."""
_WORDS = {
    "true": "true",
    "false": "false",
    "null": "null",
    "True": "true",
    "False": "false",
    "None": "null",
    "TRUE": "true",
    "FALSE": "false",
    "NULL": "null",
    "Null": "null",
    "undefined": "null",
    "nil": "null",
}
_PY_WORDS = {"true": "True", "false": "False", "null": "None"}
_LOOSE_NUMBER = re.compile(
    r"\+?(?P<sign>-?)(?P<whole>0|[1-9][0-9]*(?:_[0-9]+)*)?(?P<point>\.(?P<part>[0-9]+))?"
    r"(?P<power>[eE][+-]?[0-9]+)?"
)
_OPENER = re.compile(r"[\[{｛［]")
_OPENS = re.compile(
    r"[{｛]\s*(?:[\"'“}｝]|\w[\w .\-]{0,60}\s*:)"
    r"|[\[［]\s*(?:[\"'“{\[\]］\-0-9]|true|false|null|None)"
)
_WRAPS_DOCUMENT = re.compile(r"\(\s*(?:[\[{]|[^(),\[\]{}]{0,200}\))")
_REFERENCE = re.compile(r"\[\d{1,3}\]")
_MOST_OPENERS = 8
_DATA = re.compile(r"""["'”]\s*:|:\s*["“{\[]|^\s*[\]}]|[}\]]\s*$|",""", re.MULTILINE)
"""Marks of a document."""
_WORDS_FOLLOW = re.compile(r"[\w(*_#>\-–—.!?`~<☺-🫿]", re.UNICODE)
_ANOTHER = re.compile(r"\s*+(,?)\s*+[\[{]")
"""Another document follows."""
_GO_ON = frozenset(",]})\"'，、：］｝")
"""Marks behind a document that may be one of several, which belong to none of them."""
_COMMENTS = re.compile(r"\s*(?:(?://|#)[^\n]*\s*|/\*.*?\*/\s*)*", re.DOTALL)
_CLOSES_CALL = re.compile(r"\)?;?")


class JsonSearch(Search):
    """The readings of a text as a document of JSON or, with ``python``, as a Python literal."""

    member_end = _AFTER
    expected: ClassVar = {
        _KEY0: "a key",
        _KEY: "a key",
        _COLON: '":"',
        _VALUE0: "a value",
        _VALUE: "a value",
        _AFTER: '"," or a closing bracket',
    }

    def __init__(
        self,
        text: str,
        start: int = 0,
        end: int | None = None,
        *,
        python: bool = False,
        slot: PlaceSchema | None = None,
        several: bool = False,
        costs: Costs = COSTS,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        self.python = python
        self._is_long = len(text) > _LONG
        super().__init__(
            text, start, end, start_due=_START, slot=slot, several=several, costs=costs, pause=pause
        )

    # -- tokens -----------------------------------------------------------------------------------

    def step(self, node: SearchNode) -> SearchNode | None:  # noqa: C901 - one branch for each thing due
        """Read the token at a node. The next node where that costs nothing; ``None`` where other
        edges were pushed, or where the chain breaks."""
        text, at, due = self.text, node.at, node.due
        frame = node.frame
        if self._is_long and (leap := self._leap(node)):
            return leap
        if due in (_VALUE, _VALUE0):
            found = _VALUE_TOKEN.match(text, at)
            if found is not None:
                kind = found.lastindex
                if kind == 4:
                    return self._open(node, found.end(), found[4])
                if self.python and kind == 3:
                    return self._odd(node)
                return self.relax(node, 0.0, found.end(), _AFTER, frame, None, None)
            return self._odd(node)
        if due == _AFTER:
            while at < self.end and text[at] in " \t\n\r":
                at += 1
            sign = text[at] if at < self.end else ""
            if sign == ",":
                due = _KEY if frame.kind == "{" else _VALUE
                slot = None if frame.kind == "{" or frame.slot is None else frame.slot.items
                return self.relax(node, 0.0, at + 1, due, frame, slot, None)
            if sign and sign == _CLOSER[frame.kind] and (self.python or sign != ")"):
                return self._close(node, at + 1)
            return self._odd(node)
        if due in (_KEY, _KEY0):
            found = _KEY_TOKEN.match(text, at)
            if found is not None:
                if frame.slot is None:
                    return self.relax(node, 0.0, found.end(), _COLON, frame, None, None)
                name = found[1][1:-1]
                name = json.loads(found[1]) if "\\" in name else name
                return self._known_key(node, found.end(), name, 0.0, None)
            return self._odd(node)
        if due == _COLON:
            while at < self.end and text[at] in " \t\n\r":
                at += 1
            if at < self.end and text[at] == ":":
                return self.relax(node, 0.0, at + 1, _VALUE, frame, node.slot, None)
            return self._odd(node)
        return self._odd(node)

    def _leap(self, node: SearchNode) -> SearchNode | None:
        """Pass over intact members or items, where as many follow them: what comes shortly before
        a break is read token by token."""
        due, frame = node.due, node.frame
        if due in (_KEY, _KEY0):
            run = _KEY_RUN
        elif due in (_VALUE, _VALUE0) and frame.kind == "[":
            run = _ITEM_RUN
        else:
            return None
        found = run.match(self.text, node.at)
        if found is None or run.match(self.text, found.end()) is None:
            return None
        due = _KEY if due == _KEY0 else _VALUE if due == _VALUE0 else due
        return self.relax(node, 0.0, found.end(), due, frame, node.slot, None)

    def _open(
        self,
        node: SearchNode,
        behind: int,
        kind: str,
        cost: float = 0.0,
        edit: DocumentEdit | None = None,
    ) -> SearchNode | None:
        frame = node.frame
        slot = node.slot
        if frame.depth >= MAX_DEPTH:
            self.problem = f"it is nested deeper than {MAX_DEPTH} levels"
            return None
        if (
            slot is not None
            and slot.kinds
            and kind not in slot.kinds
            and not (kind == "(" and "[" in slot.kinds)
        ):
            cost += self.costs.unlikely
            if edit is None:
                self.broken(node)
        inner = frame.opened(kind, slot)
        due = _KEY0 if kind == "{" else _VALUE0
        below = None if kind == "{" or slot is None else slot.items
        if cost:
            self.edge(node, cost, behind, due, inner, below, edit)
            return None
        return self.relax(node, 0.0, behind, due, inner, below, edit)

    def _close(
        self, node: SearchNode, behind: int, cost: float = 0.0, edit: DocumentEdit | None = None
    ) -> SearchNode | None:
        outer = node.frame.parent
        if outer is None:
            return None
        due = _AFTER if outer.parent is not None else _END
        if cost:
            self.edge(node, cost, behind, due, outer, None, edit)
            return None
        return self.relax(node, 0.0, behind, due, outer, None, edit)

    def _known_key(
        self, node: SearchNode, end: int, name: str, cost: float, edit: DocumentEdit | None
    ) -> SearchNode | None:
        """Go on behind a key that the target knows, or does not."""
        slot = node.frame.slot
        below = None
        if slot is not None:
            if name in slot.keys:
                below = slot.keys[name]
            elif slot.closed:
                cost += self.costs.unlikely
            else:
                below = slot.others
        if cost:
            self.edge(node, cost, end, _COLON, node.frame, below, edit)
            if edit is None:
                self.broken(node)
            return None
        return self.relax(node, 0.0, end, _COLON, node.frame, below, edit)

    def is_intact(self, node: SearchNode) -> bool:
        """Whether what follows is JSON that closes what is open: the compiled parser tells."""
        opened: list[str] = []
        frame = node.frame
        while frame.parent is not None:
            opened.append(frame.kind if frame.kind == "[" else '{"":')
            frame = frame.parent
        before = _BEFORE.get(node.due)
        if before is None or self.python or "(" in opened:
            return False
        if node.due in (_KEY, _KEY0, _COLON):
            opened[0] = "{"
        elif node.due == _VALUE and opened[0] == "[":
            before = "0,"  # the comma was read: one of the brackets may not follow it
        try:
            json.loads("".join(reversed(opened)) + before + self.text[node.at :])
        except (ValueError, RecursionError):
            return False
        end = self.relax(node, 0.0, self.end, _END, self.outermost, None)
        if end is not None:
            self.goal(end)
        return True

    # -- dialects -----------------------------------------------------------------------------

    def _odd(self, node: SearchNode) -> SearchNode | None:  # noqa: C901 - one branch for each thing due
        """What is not strict JSON: tokens of a dialect, at small costs. Where there is none, the
        chain breaks and a window is opened."""
        text = self.text
        blank = _BLANK.match(text, node.at)
        at = blank.end() if blank else node.at
        sign = text[at] if at < self.end else ""
        due, frame = node.due, node.frame
        dialect = self.costs.dialect
        self.broken(node)
        if due not in (_START, _END) and text[node.at : at].strip(" \t\n\r"):
            edit = DocumentEdit(node.at, at, " ", "white space of another kind replaced")
            self.edge(node, self.habit(node, "blank"), at, due, frame, node.slot, edit)
            return None
        if due == _START:
            self._starts(node, at, sign)
            return None
        if due == _END:
            self._ends(node, at, sign)
            return None
        if not sign:
            self._stops(node, at)
            return None
        if sign in "/#" and (comment := _COMMENT.match(text, at)):
            if _DOTS.match(comment[0]):
                self.problem = LEFT_OUT
                return None
            end = comment.end()
            self.edge(
                node,
                self.habit(node, "comment"),
                end,
                due,
                frame,
                node.slot,
                DocumentEdit(node.at, end, "", "comment removed"),
            )
        if sign in _ODD_BRACKETS:
            self._odd_bracket(node, at, _ODD_BRACKETS[sign])
            return None
        if due in (_KEY, _KEY0):
            if sign == "}":
                if due == _KEY0:
                    return self._close(node, at + 1)
                self._trailing_comma(node, at)
            elif sign == "," and due == _KEY:
                self.edge(
                    node,
                    2 * dialect,
                    at + 1,
                    due,
                    frame,
                    None,
                    DocumentEdit(at, at + 1, "", "doubled comma removed"),
                )
            elif sign in _QUOTES:
                return self._quoted(node, at, sign)
            elif (key := _BARE_KEY.match(text, at)) and _FOLLOWS_BARE_KEY.match(text, key.end()):
                edit = DocumentEdit(at, key.end(), "", "quotes around a key added", key[0])
                self._known_key(node, key.end(), key[0], self.habit(node, "key"), edit)
            return None
        if due == _COLON:
            if _VALUE_AHEAD.match(text, at):
                edit = DocumentEdit(node.at, node.at, ":", '":" added')
                self.edge(node, self.habit(node, ":", 10), at, _VALUE, frame, node.slot, edit)
            if sets := _ASSIGNS.match(text, at):
                self.edge(
                    node,
                    self.habit(node, "assigns", 2),
                    sets.end(),
                    _VALUE,
                    frame,
                    node.slot,
                    DocumentEdit(at, sets.end(), ":", f'"{sets[0]}" -> ":"'),
                )
            return None
        if due == _AFTER:
            self._odd_after(node, at, sign)
            return None
        if (sign == "]" and frame.kind == "[") or (sign == ")" and frame.kind == "("):
            if due == _VALUE0:
                return self._close(node, at + 1)
            if self.python and frame.kind == "(":
                return self._close(node, at + 1)
            self._trailing_comma(node, at)
        elif sign == "," and frame.kind != "{" and due == _VALUE:
            self.edge(
                node,
                2 * dialect,
                at + 1,
                due,
                frame,
                node.slot,
                DocumentEdit(at, at + 1, "", "doubled comma removed"),
            )
        elif sign == "(" and (self.python or not _ONE_IN_PARENTHESES.match(text, at)):
            edit = None if self.python else DocumentEdit(at, at + 1, "[", "tuple -> array")
            return self._open(node, at + 1, "(", 0.0 if self.python else dialect, edit)
        elif sign in _QUOTES:
            return self._quoted(node, at, sign)
        else:
            return self._word(node, at)
        return None

    def _starts(self, node: SearchNode, at: int, sign: str) -> None:
        """The opening bracket, or the first ones behind words."""
        plain = _ODD_BRACKETS.get(sign, sign)
        wraps = sign == "(" and not self.python and _WRAPS_DOCUMENT.match(self.text, at)
        if plain and plain in "{[(" and not wraps:
            edit = None
            if plain != sign:
                edit = DocumentEdit(at, at + 1, plain, f'"{sign}" -> "{plain}"')
            elif sign == "(" and not self.python:
                edit = DocumentEdit(at, at + 1, "[", "tuple -> array")
            if (other := self._open(node, at + 1, plain, 0.0, edit)) is not None:
                self.push(other)
            return
        if sign and sign in "\"'":
            return
        for found in islice(_OPENER.finditer(self.text, at), _MOST_OPENERS):
            place = found.start()
            if self._is_lead_in(at, place) and _OPENS.match(self.text, place):
                # As a beginning of its own: what comes before is not a part of the document.
                self.begin(place, _START, node.slot, node.cost)

    def _ends(self, node: SearchNode, at: int, sign: str) -> None:
        """What follows a document: nothing, words, or another one."""
        closed = not node.came or node.came[0][0].due != _END
        if self.several and closed and sign not in _GO_ON:
            self.goal(node)
            return
        rest = self.text[at:]
        if self.several and (other := _OPENS.search(rest)) and other.start():
            rest = rest[: other.start()]
        if not rest or self._is_prose(rest):
            self.goal(node)
        elif another := _ANOTHER.match(rest):
            if self.several:
                self.goal(node)
            else:
                # Documents that follow one another have no comma between them.
                cost = self.costs.slip * (1.5 if another[1] else 0.5)
                self.another = min(self.another, node.cost + cost)
        elif closed and (place := _document_in(rest)) and self._is_prose(rest[:place]):
            self.another = min(self.another, node.cost + self.costs.slip / 2)

    def _is_lead_in(self, start: int, end: int) -> bool:
        """Whether words come before a document, and not a part of it."""
        words = self.text[start:end].rstrip(" \t(")
        return _DATA.search(words) is None and _document_in(words) is None

    def _is_prose(self, rest: str) -> bool:
        """Whether what follows the document says nothing of it."""
        rest = _COMMENTS.sub("", rest, count=1)
        return _CLOSES_CALL.fullmatch(rest) is not None or (
            _WORDS_FOLLOW.match(rest) is not None
            and rest[0] not in _ODD_BRACKETS
            and _DATA.search(rest) is None
            and _document_in(rest) is None
        )

    def _odd_bracket(self, node: SearchNode, at: int, sign: str) -> None:
        due, frame = node.due, node.frame
        dialect = self.habit(node, self.text[at])
        edit = DocumentEdit(at, at + 1, sign, f'"{self.text[at]}" -> "{sign}"')
        if sign in "{[" and due in (_VALUE, _VALUE0, _START):
            self._open(node, at + 1, sign, dialect, edit)
        elif sign == "," and due == _AFTER:
            slot = None if frame.kind == "{" or frame.slot is None else frame.slot.items
            self.edge(
                node, dialect, at + 1, _KEY if frame.kind == "{" else _VALUE, frame, slot, edit
            )
        elif sign == ":" and due == _COLON:
            self.edge(node, dialect, at + 1, _VALUE, frame, node.slot, edit)
        elif due == _AFTER and frame.kind and sign == _CLOSER[frame.kind]:
            self._close(node, at + 1, dialect, edit)

    def _trailing_comma(self, node: SearchNode, at: int) -> None:
        """A comma before a closing bracket goes."""
        # A comment behind the comma may stand for what was left out.
        comma = self.text.rfind(",", 0, node.at)
        if comma < 0 or self.text[comma + 1 : at].strip(" \t\n\r"):
            return
        free = self.python
        edit = None if free else DocumentEdit(comma, comma + 1, "", "trailing comma removed")
        other = self._close(node, at + 1, 0.0 if free else self.habit(node, "trailing"), edit)
        if other is not None:
            self.push(other)

    def _odd_after(self, node: SearchNode, at: int, sign: str) -> None:
        frame = node.frame
        due = _KEY if frame.kind == "{" else _VALUE
        slot = None if frame.kind == "{" or frame.slot is None else frame.slot.items
        tripled = self.text[max(node.at - 2, 0) : at + 1] in ('"""', "'''")
        if tripled:
            return
        if _GOES_ON[due].match(self.text, at) and not self._may_be_one_number(node.at, at):
            # A line break in place of a comma is a notation of its own; a lost one is a slip.
            breaks = "\n" in self.text[node.at : at]
            cost = (
                self.habit(node, "line for comma", 4)
                if breaks
                else self.habit(node, "lost comma", 10)
            )
            edit = DocumentEdit(node.at, node.at, ",", "missing comma added")
            self.edge(node, cost, at, due, frame, slot, edit)
        if sign in '"+' and frame.kind == "{":
            self._joined(node, at)
        if sign == ";":
            edit = DocumentEdit(at, at + 1, ",", '";" -> ","')
            self.edge(node, self.habit(node, ";", 2), at + 1, due, frame, slot, edit)
        elif self.python and sign in "'\"" and self.text[node.at - 1] in "'\"":
            # Texts beside one another are one in Python.
            if (another := _PY_STRING.match(self.text, at)) is not None:
                edge = self.relax(node, 0.0, another.end(), _AFTER, frame, None, None)
                if edge is not None:
                    self.push(edge)
        elif sign == ")" and frame.kind == "(":
            edit = None if self.python else DocumentEdit(at, at + 1, "]", "tuple -> array")
            self._close(node, at + 1, 0.0 if self.python else self.habit(node, ")"), edit)

    def _may_be_one_number(self, end: int, start: int) -> bool:
        """Whether digits on both sides of a blank may be one number: ``1 234``."""
        text = self.text
        return (
            start == end + 1
            and _THOUSAND.match(text, start) is not None
            and _THOUSANDS.search(text, max(0, end - 5), end) is not None
        )

    def _joined(self, node: SearchNode, at: int) -> None:
        """A text in two parts, with or without a plus sign between them."""
        text = self.text
        plus = _PLUS.match(text, at)
        next_text = _KEY_TOKEN.match(text, plus.end() if plus else at)
        if next_text is None or text[node.at - 1] != '"' or node.came[0][2] is not None:
            return
        if plus is None and (_FOLLOWS_KEY.match(text, next_text.end()) or node.at == at):
            return  # a key, or a quote that CSV would double
        edit = DocumentEdit(node.at - 1, next_text.start(1) + 1, "", "parts of a text joined")
        self.edge(
            node, self.habit(node, "joined", 3), next_text.end(), _AFTER, node.frame, None, edit
        )

    def _stops(self, node: SearchNode, at: int) -> None:
        """The text ends while brackets are open: they are closed only where nothing more was to
        come."""
        slip = self.costs.slip
        tail = self.text[:at].rstrip()
        self.ends_early(node.cost, ended=self.is_closed or tail[-1:] in ("}", "]", ")"))
        frames: list[Enclosure] = []
        frame = node.frame
        while frame.parent is not None:
            frames.append(frame)
            frame = frame.parent
        # A list may go on, and so may a number, unless a fence closes behind it.
        ends = tail[-1:] in "\"'}]el)" or (self.is_closed and tail[-1:].isdigit())
        if node.due != _AFTER or any(f.kind != "{" for f in frames) or not ends:
            return
        closers = "".join(_CLOSER[f.kind] for f in frames)
        place = len(tail)
        edit = DocumentEdit(place, place, closers, CLOSED_AT_END)
        cost = slip * (1 + len(frames)) / 2
        self.edge(node, cost, self.end, _END, self.outermost, None, edit)

    def _word(self, node: SearchNode, at: int) -> SearchNode | None:
        """A number or literal in another spelling, or a text without quotes."""
        text = self.text
        if text[at] in "uU" and text[at + 1 : at + 2] in ('"', "'"):
            edit = DocumentEdit(at, at + 1, "", "prefix of a text removed")
            self.edge(
                node, self.habit(node, "prefix"), at + 1, node.due, node.frame, node.slot, edit
            )
            return None
        word = _WORD.match(text, at)
        if word is None:
            return None
        said = word[0]
        end = word.end()
        known = _WORDS.get(said)
        if known is not None:
            written = _PY_WORDS.get(known, known) if self.python else known
            if written == said:
                return self.relax(node, 0.0, end, _AFTER, node.frame, None, None)
            self.edge(
                node,
                self.habit(node, "word"),
                end,
                _AFTER,
                node.frame,
                None,
                DocumentEdit(at, end, written, f"{said} -> {written}"),
            )
            return None
        if said in ("NaN", "Infinity", "-Infinity") and not self.python:
            return self.relax(node, 0.0, end, _AFTER, node.frame, None, None)
        number = _LOOSE_NUMBER.fullmatch(said)
        if number is not None and (number["whole"] or number["part"]):
            point = f".{number['part']}" if number["point"] else ""
            whole = (number["whole"] or "0").replace("_", "")
            written = number["sign"] + whole + point + (number["power"] or "")
            self.edge(
                node,
                self.habit(node, "number", 2),
                end,
                _AFTER,
                node.frame,
                None,
                DocumentEdit(at, end, written, "number of another spelling rewritten"),
            )
            return None
        bare = read_bare(
            text,
            at,
            in_array=node.frame.kind != "{",
            keys=node.frame.slot.keys if node.frame.slot is not None else (),
        )
        if (
            isinstance(bare, Bare)
            and bare.rule == BARE_TEXT
            and (text[at].isalpha() or _wants_text(node.slot))
            and not set(text[at : bare.end]) & set(_QUOTES)
        ):
            edit = DocumentEdit(at, bare.end, bare.json, BARE_TEXT)
            cost = self.costs.bare_text
            if "=" in bare.json:
                cost += 3 * self.costs.unlikely  # what follows a comma may belong to it
            self.edge(node, cost, bare.end, _AFTER, node.frame, None, edit)
        return None

    def _quoted(self, node: SearchNode, at: int, sign: str) -> SearchNode | None:
        """A text in quotes of any kind, to the first quote that can close it."""
        end = self._closing(at, sign)
        if end is None:
            self._stops(node, self.end)
            return None
        return self._take_text(
            node,
            at,
            at + 1,
            end,
            end + 1,
            0.0 if sign == '"' or (self.python and sign == "'") else self.habit(node, sign),
            "",
        )

    def _closing(self, at: int, sign: str) -> int | None:
        """The first quote behind an opening one that no backslash escapes."""
        closers = _SAME_QUOTES[sign]
        text, place = self.text, at + 1
        last = min(self.end, at + 1_000_000)
        while place < last:
            here = text[place]
            if here == "\\":
                place += 2
                continue
            if here in closers and not (here == "'" and self._is_apostrophe(place)):
                return place
            place += 1
        return None

    def _is_apostrophe(self, place: int) -> bool:
        return self.text[place - 1].isalpha() and self.text[place + 1 : place + 2].isalpha()

    def _take_text(
        self, node: SearchNode, start: int, inner: int, last: int, end: int, cost: float, rule: str
    ) -> SearchNode | None:
        """Read ``text[inner:last]`` as a text, which stands in ``text[start:end]``."""
        text = self.text
        content = text[inner:last]
        quoted = inner == start + 1 and end == last + 1
        quote = text[start] if quoted and text[start] == text[last : last + 1] else ""
        edit: DocumentEdit | None = None
        plain = _PY_STRING if self.python else _KEY_TOKEN
        if not (quote and plain.fullmatch(text, start, end)):
            rules = [rule] if rule else []
            if quoted and text[start] in _QUOTES and text[start] != '"':
                rules.append("quotes of another kind -> double quotes")
            edit = DocumentEdit(start, end, "", ", ".join(rules), content)
            if "\n" in content:
                # No notation has a line break in a text; a lost quote makes one.
                cost += self.costs.unlikely if self.python else self.habit(node, "line break")
            mark = "'" if "'" in (text[start], text[last : last + 1]) else '"'
            if mark in content and (
                (rule and len(_UNESCAPED[mark].findall(content)) % 2)
                or _SWALLOWED[mark].search(content)
                or (rule and _OPENED.search(content))
                or (node.due in (_KEY, _KEY0) and _UNESCAPED[mark].search(content))
            ):
                return None
        if _STRUCTURE.search(content):
            cost += self.costs.unlikely
        if node.due in (_KEY, _KEY0):
            return self._known_key(node, end, content, cost, edit)
        if cost:
            self.edge(node, cost, end, _AFTER, node.frame, None, edit)
            return None
        return self.relax(node, 0.0, end, _AFTER, node.frame, None, edit)

    # -- edits ------------------------------------------------------------------------------------

    def try_edits(self, node: SearchNode) -> None:  # noqa: C901 - one branch for each thing due
        text, slip = self.text, self.costs.slip
        blank = _BLANK.match(text, node.at)
        at = blank.end() if blank else node.at
        due, frame = node.due, node.frame
        sign = text[at] if at < self.end else ""
        if due == _END:
            if sign:
                self.edge(
                    node,
                    slip,
                    at + 1,
                    due,
                    frame,
                    None,
                    DocumentEdit(at, at + 1, "", f'"{sign}" removed'),
                )
            return
        goes_on = _GOES_ON[due if due != _AFTER else _AFTER]
        if sign and goes_on.match(text, at + 1):
            lost = self._removal(node, at, sign)
            self.edge(
                node,
                lost,
                at + 1,
                due,
                frame,
                node.slot,
                DocumentEdit(at, at + 1, "", f'"{sign}" removed'),
            )
        if due == _AFTER:
            self._try_after(node, at, sign)
        elif due == _COLON:
            if _VALUE_AHEAD.match(text, at):
                self.edge(
                    node,
                    slip,
                    at,
                    _VALUE,
                    frame,
                    node.slot,
                    DocumentEdit(node.at, node.at, ":", '":" added'),
                )
            is_set = node.bound is None and _ONLY_TWO.match(text, at) is not None
            if sign and sign != ":" and not is_set and _VALUE_AHEAD.match(text, at + 1):
                self.edge(
                    node,
                    self._exchange(sign, at),
                    at + 1,
                    _VALUE,
                    frame,
                    node.slot,
                    DocumentEdit(at, at + 1, ":", f'"{sign}" -> ":"'),
                )
        else:
            if due in (_KEY0, _VALUE0):
                closer = _CLOSER[frame.kind]
                if sign != closer:
                    if _CLOSES_AHEAD.match(text, at):
                        self._close(
                            node,
                            at,
                            slip,
                            DocumentEdit(node.at, node.at, closer, f'"{closer}" added'),
                        )
                    # A letter or digit there is rather the value.
                    if sign and not sign.isalnum() and _CLOSES_AHEAD.match(text, at + 1):
                        self._close(
                            node,
                            at + 1,
                            self._exchange(sign, at),
                            DocumentEdit(at, at + 1, closer, f'"{sign}" -> "{closer}"'),
                        )
            if due in (_VALUE, _VALUE0, _START):
                for kind in _OPENERS:
                    closer = _CLOSER[kind]
                    if due == _START and (
                        sign == closer or text.count(closer, at) <= text.count(kind, at)
                    ):
                        continue
                    ahead = _GOES_ON[_KEY0 if kind == "{" else _VALUE0]
                    if ahead.match(text, at):
                        self._open(
                            node, at, kind, slip, DocumentEdit(at, at, kind, f'"{kind}" added')
                        )
                    if sign and sign != kind and ahead.match(text, at + 1):
                        self._open(
                            node,
                            at + 1,
                            kind,
                            self._exchange(sign, at),
                            DocumentEdit(at, at + 1, kind, f'"{sign}" -> "{kind}"'),
                        )
            if due != _START:
                self._try_texts(node, at, sign)

    def _removal(self, node: SearchNode, at: int, sign: str) -> float:
        """What it costs to take a character away: what may be a part of a value is not."""
        if node.due == _START and sign in "{[":
            return self.costs.slip + 2 * self.costs.unlikely
        if sign in _STRUCTURAL:
            return self.costs.slip
        return float("inf") if sign.isalnum() else self._cost_beside(at)

    def _cost_beside(self, at: int) -> float:
        """What it costs to change a character that is no mark: it must stand between marks, where
        it is no part of a value."""
        text = self.text
        before = text[max(0, at - _NEAR) : at].rstrip()[-1:]
        behind = text[at + 1 : at + _NEAR].lstrip()[:1]
        apart = before in _STRUCTURAL and (behind in _STRUCTURAL or not behind)
        return self.costs.slip if apart else float("inf")

    def _try_after(self, node: SearchNode, at: int, sign: str) -> None:
        text, slip, frame, place = self.text, self.costs.slip, node.frame, node.at
        if not sign:
            return
        closer = _CLOSER[frame.kind]
        due = _KEY if frame.kind == "{" else _VALUE
        slot = None if frame.kind == "{" or frame.slot is None else frame.slot.items
        ahead = _GOES_ON[due]
        if ahead.match(text, at) and not self._may_be_one_number(place, at):
            self.edge(
                node,
                slip,
                at,
                due,
                frame,
                slot,
                DocumentEdit(place, place, ",", "missing comma added"),
            )
        is_key = node.bound is None and _ONLY_PAIR.match(text, at) is not None
        if sign != "," and not is_key and ahead.match(text, at + 1):
            torn = _TORN_TEXT.match(text, at - 2) is not None
            self.edge(
                node,
                self._exchange(sign, at) + torn * 3 * self.costs.unlikely,
                at + 1,
                due,
                frame,
                slot,
                DocumentEdit(at, at + 1, ",", f'"{sign}" -> ","'),
            )
        if _CLOSES_AHEAD.match(text, at):
            self._close(node, at, slip, DocumentEdit(place, place, closer, f'"{closer}" added'))
        if sign != closer and _CLOSES_AHEAD.match(text, at + 1):
            self._close(
                node,
                at + 1,
                self._exchange(sign, at),
                DocumentEdit(at, at + 1, closer, f'"{sign}" -> "{closer}"'),
            )
        outer = frame.parent
        pair = text[at : at + 2]
        if outer is not None and outer.parent is not None and pair == _CLOSER[outer.kind] + closer:
            swapped = pair[::-1]
            if swapped != pair:
                due = _AFTER if outer.parent.parent is not None else _END
                edit = DocumentEdit(at, at + 2, swapped, f'"{pair}" -> "{swapped}"')
                self.edge(node, self.costs.swap, at + 2, due, outer.parent, None, edit)

    def _try_texts(  # noqa: C901 - the ways to lose a quote, one after the other
        self, node: SearchNode, at: int, sign: str
    ) -> None:
        """Texts whose quotes were lost, doubled, exchanged or not escaped."""
        text, costs = self.text, self.costs
        if not sign:
            return
        is_key = node.due in (_KEY, _KEY0)
        follows = _FOLLOWS_KEY if is_key else _FOLLOWS_VALUE
        limit = min(self.end, at + _LONGEST_TEXT)
        if sign in "\"'":
            quotes = self._quote_places(at + 1, sign, limit)
            # Behind a quote that is one of the text.
            for index, place in enumerate(quotes[1:], 1):
                if follows.match(text, place + 1):
                    pairs, odd = divmod(index, 2)
                    facing_away = 0 if odd else _misplaced(text, quotes[:index])
                    if index and facing_away == index:
                        continue  # words between texts, and none in quotes
                    cost = pairs * costs.inner_quotes + odd * costs.inner_quote
                    begins, ends = quotes[0] == at + 1, quotes[index - 1] == place - 1
                    inches = ends and _INCHES.search(text, at, quotes[index - 1]) is not None
                    if is_key or (odd and (begins or ends) and not inches):
                        cost += costs.unlikely  # rather a doubled quote
                    elif not odd:
                        cost += costs.unlikely * (2 * (begins and ends) + facing_away)
                    if _INNER_STRUCTURE.search(text, at + 1, place):
                        cost += costs.unlikely
                    self._take_text(node, at, at + 1, place, place + 1, cost, "")
                    if index == 1 and not is_key:
                        cost = costs.slip
                        if _INNER_STRUCTURE.search(text, at + 1, place):
                            cost += costs.unlikely
                        self._without_quote(node, at, quotes[0], place, cost)
            first = quotes[0] if quotes else limit
            self._try_bounds(node, at, at + 1, first, follows)
            if text.startswith(2 * sign, at):
                end = text.find(2 * sign, at + 2, limit)
                if (
                    end > at + 2
                    and follows.match(text, end + 2)
                    and "\n" not in text[at:end]
                    and not _INNER_STRUCTURE.search(text, at + 2, end)
                ):
                    self._take_content(
                        node, at, end + 2, text[at + 2 : end], "doubled quotes removed"
                    )
            # The quote and the mark behind it have changed places.
            mark = text[first - 1 : first] if quotes else ""
            if first > at + 2 and mark == (":" if is_key else ","):
                self._take_swapped(node, at, first)
            # An escaped quote that closes.
            back = text.find("\\" + sign, at + 1, first)
            if back >= 0 and follows.match(text, back + 2):
                rule = "backslash before the closing quote removed"
                self._take_text(node, at, at + 1, back, back + 2, costs.slip, rule)
        else:
            for kind in "\"'" if self.python else '"':
                self._try_opening(node, at, sign, kind, follows, limit)
            if not is_key:
                self._try_word(node, at)

    def _try_opening(
        self,
        node: SearchNode,
        at: int,
        sign: str,
        quote: str,
        follows: re.Pattern[str],
        limit: int,
    ) -> None:
        """An opening quote that was lost, or exchanged."""
        text = self.text
        quotes = self._quote_places(at, quote, limit)
        place = next((p for p in quotes if follows.match(text, p + 1)), None)
        if place is None:
            return
        added, exchanged = self._quote_costs(sign, text[at:place])
        inner = self.costs.inner_quotes * -(-quotes.index(place) // 2)
        self._take_text(node, at, at, place, place + 1, added + inner, "opening quote added")
        rule = f'"{sign}" -> opening quote'
        self._take_text(node, at, at + 1, place, place + 1, exchanged + inner, rule)

    def _take_content(
        self, node: SearchNode, start: int, end: int, content: str, rule: str
    ) -> None:
        """Read ``text[start:end]`` as a text of other content, a quote of which has moved."""
        edit = DocumentEdit(start, end, "", rule, content)
        if node.due in (_KEY, _KEY0):
            self._known_key(node, end, content, self.costs.swap, edit)
        else:
            self.edge(node, self.costs.swap, end, _AFTER, node.frame, None, edit)

    def _take_swapped(self, node: SearchNode, at: int, quote: int) -> None:
        """Read ``"text,"`` as ``"text",``."""
        content = self.text[at + 1 : quote - 1]
        frame = node.frame
        mark = self.text[quote - 1]
        edit = DocumentEdit(at, quote + 1, mark, f'"{mark}" and a quote exchanged', content)
        cost = self.costs.swap
        if mark == ":":
            below = None
            if frame.slot is not None:
                below = frame.slot.keys.get(content, frame.slot.others)
            self.edge(node, cost, quote + 1, _VALUE, frame, below, edit)
        elif frame.kind == "{":
            self.edge(node, cost, quote + 1, _KEY, frame, None, edit)
        else:
            below = frame.slot.items if frame.slot is not None else None
            self.edge(node, cost, quote + 1, _VALUE, frame, below, edit)

    def _without_quote(self, node: SearchNode, at: int, quote: int, last: int, cost: float) -> None:
        """A single quote within a text that slipped into it."""
        content = self.text[at + 1 : quote] + self.text[quote + 1 : last]
        edit = DocumentEdit(at, last + 1, "", "quote in a text removed", content)
        self.edge(node, cost, last + 1, _AFTER, node.frame, None, edit)

    def _quote_costs(self, beside: str, content: str) -> tuple[float, float]:
        """The cost of a quote that is added beside a character, and of one put in its place.

        Args:
            content: the text with the character: a bracket that has its partner there is its own.
        """
        slip, unlikely = self.costs.slip, self.costs.unlikely
        partners = _PARTNERS.get(beside)
        own = partners is not None and content.count(partners[0]) == content.count(partners[1])
        exchanged = beside in (_PYTHON_MARKS if self.python else _MARKS)
        if exchanged and not own:
            return slip + unlikely, slip
        return slip + (unlikely if beside.isspace() else 0.0), slip + unlikely

    def _exchange(self, sign: str, at: int) -> float:
        """The cost of a mark in the place of another character; never in that of a digit."""
        if sign in _STRUCTURAL:
            return self.costs.slip
        if sign.isdigit():
            return float("inf")
        return self._cost_beside(at) + (self.costs.unlikely if sign.isalnum() else 0.0)

    def _try_bounds(
        self, node: SearchNode, at: int, inner: int, first: int, follows: re.Pattern[str]
    ) -> None:
        """A closing quote that was lost, or exchanged."""
        text = self.text
        places = [
            m.start() for m in _BEFORE_DELIMITER.finditer(text, inner, min(first + 1, self.end))
        ]
        kept = (
            places
            if len(places) <= 2 * _MOST_BOUNDS
            else places[:_MOST_BOUNDS] + places[-_MOST_BOUNDS:]
        )
        for place in kept:
            if place <= first and follows.match(text, place):
                added, exchanged = (
                    self._quote_costs(text[place - 1], text[inner:place])
                    if place > inner
                    else (self.costs.slip, 0)
                )
                self._take_text(node, at, inner, place, place, added, "closing quote added")
                if place > inner:
                    rule = f'"{text[place - 1]}" -> closing quote'
                    self._take_text(node, at, inner, place - 1, place, exchanged, rule)

    def _quote_places(self, start: int, sign: str, limit: int) -> list[int]:
        text = self.text
        places: list[int] = []
        place = start
        while len(places) < _MOST_QUOTES:
            place = text.find(sign, place, limit)
            if place < 0:
                break
            back = place - 1
            while back >= start and text[back] == "\\":
                back -= 1
            if (place - back) % 2 and not (sign == "'" and self._is_apostrophe(place)):
                places.append(place)
            place += 1
        return places

    def _try_word(self, node: SearchNode, at: int) -> None:
        """A literal with a slip in it."""
        word = _SHORT_WORD.match(self.text, at)
        if word is None or not _FOLLOWS_VALUE.match(self.text, word.end()):
            return
        if not _DENIAL.isdisjoint(word[0]):
            return
        written = _PY_WORDS if self.python else {literal: literal for literal in _PY_WORDS}
        known = [w for w in _PY_WORDS if distance_within(word[0], written[w], 1) == 1]
        if len(known) == 1:
            new = written[known[0]]
            self.edge(
                node,
                self.costs.slip,
                word.end(),
                _AFTER,
                node.frame,
                None,
                DocumentEdit(at, word.end(), new, f"{word[0]} -> {new}"),
            )


_DENIAL = frozenset("!~?\u00ac")
"""Signs that deny or doubt what they stand beside."""
_CURLY = ("“”„", "‘’")


def doubt_of_texts(
    document: str, edits: tuple[DocumentEdit, ...], marks: frozenset[str], untouched: str
) -> str:
    """Why it is not sure what a text of a document says; empty where it is.

    Args:
        marks: the characters at which edits begin.
        untouched: the document without the places that are edited.
    """
    if any(BACKSLASH in edit.rule for edit in edits) and doubtful_beside_literal(document):
        return IN_DOUBT
    # Who writes curly marks for straight ones may do so within a text.
    for kind in _CURLY:
        if not marks.isdisjoint(kind) and not set(kind).isdisjoint(untouched):
            return "which quotation marks belong to a text is not sure"
    return ""


def _document_in(text: str) -> int | None:
    """Where a document may begin within words; a reference such as ``[1]`` is none."""
    places = (match.start() for match in _OPENS.finditer(text))
    return next((place for place in places if not _REFERENCE.match(text, place)), None)


def _wants_text(slot: PlaceSchema | None) -> bool:
    """Whether a place holds a text, and nothing else but null."""
    return slot is not None and '"' in slot.kinds and slot.kinds <= {'"', "n"}


def _misplaced(text: str, quotes: list[int]) -> int:
    """How many of the quotes within a text do not stand where words in quotes begin and end."""
    count = 0
    for index, place in enumerate(quotes):
        before, behind = text[place - 1], text[place + 1]
        if index % 2 == 0:
            count += before.isalnum() or behind.isspace()
        else:
            count += before.isspace() or behind.isalnum()
    return count
