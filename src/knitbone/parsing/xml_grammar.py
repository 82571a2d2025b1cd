"""The grammar of XML for the least-cost reader.

What is open is the stack of elements; the tokens are those of a tag: angle bracket, slash, name,
attribute, equals sign, quotation mark. ``try_edits`` has the edits: one of them that was lost,
doubled or exchanged, and a whole tag that is missing, stray or misspelt. An ``&`` or ``<`` in text
that is not escaped is a dialect.

Source: XML 1.0 §2.4 (markup and content), §3.1 (tags); edits and their conditions are ours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from knitbone.common.edit_distance import distance_within
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
from knitbone.parsing.xml_values import escaped, slot_below

__all__ = ["ESCAPING", "XmlSearch", "known_names", "names_of_tags"]

_ESCAPED = "special character escaped"
_LESS_THAN = '"<" escaped'
ESCAPING = frozenset({_ESCAPED, _LESS_THAN, f"{_ESCAPED}, {_LESS_THAN}"})
"""The rules that change no tag."""

_LONGEST_TEXT = 20_000
"""Characters of content in which a lost angle bracket is looked for."""
_MOST_TAGS = 12
"""Places in one content where a tag may begin."""
_MOST_NAMES = 200
_MOST_OPENERS = 8

# What is due at a node.
_START, _CONTENT, _OPEN_NAME, _CLOSE_NAME, _ATTRIBUTES, _EQUALS, _VALUE, _CLOSE_END, _END = range(9)

_NAME = r"[^\W\d][\w.\-:]{0,127}"
_NAME_TOKEN = re.compile(_NAME)
_BLANK = re.compile(r"[ \t\r\n]*+")
_SPECIAL = re.compile(r"<!--(?:(?!--).)*-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", re.DOTALL)
_PROLOG = re.compile(
    r"(?:[ \t\r\n\ufeff]|<\?.*?\?>|<!--(?:(?!--).)*-->|<!DOCTYPE[^<>\[]*>)*", re.DOTALL
)
_MISC = re.compile(r"(?:[ \t\r\n]|<\?.*?\?>|<!--(?:(?!--).)*-->)*", re.DOTALL)
_QUOTED = re.compile(r"[ \t\r\n]*(\"[^\"<]*\"|'[^'<]*')")
_TYPOGRAPHIC = re.compile("[\u201c\u201d\u201e][^\u201c\u201d\u201e<]*[\u201c\u201d]")
_ATTRIBUTE_AHEAD = re.compile(rf"[ \t\r\n]+{_NAME}[ \t\r\n]*=[^<]*>")
_BARE_VALUE = re.compile(r"[^\s\"'<>=`]+?(?=[\s>]|/>)")
_ATTRIBUTE = rf"[ \t\r\n]+{_NAME}[ \t\r\n]*=[ \t\r\n]*(?:\"[^\"<]*\"|'[^'<]*')"
_TAG_BODY = re.compile(rf"(?P<close>/?)(?P<name>{_NAME})(?:{_ATTRIBUTE})*[ \t\r\n]*/?>")
_END_TAG = re.compile(rf"</({_NAME})")
_TAG = re.compile(rf"<(?P<close>/?)(?P<name>{_NAME})")
_LOOSE_BODY = re.compile(rf"(?P<close>/?)(?P<name>{_NAME})(?=[ \t\r\n/>=])[^<>]{{0,200}}>")
_WHOLE_TAG = re.compile(rf"<{_TAG_BODY.pattern}")
_NAME_OF_TAG = re.compile(rf"</?({_NAME})|(?<![\w.\-:])({_NAME})>")
_CLOSES_AHEAD = re.compile(rf"[^<]{{0,{_LONGEST_TEXT}}}</?({_NAME})")
_MARKS = frozenset("<>/=\"'")
_OPENER = re.compile(r"<(?=[^\W\d]|\?xml|!--)")
_WORDS_FOLLOW = re.compile(r"[\w(*_#>\-–—.!?`~☺-🫿]")  # noqa: RUF001


class XmlSearch(Search):
    """The readings of a text as an XML document."""

    member_end = _CONTENT

    def __init__(
        self,
        text: str,
        start: int = 0,
        end: int | None = None,
        *,
        slot: PlaceSchema | None = None,
        several: bool = False,
        costs: Costs = COSTS,
        pause: Callable[[], None] = lambda: None,
    ) -> None:
        counts = Counter(names_of_tags(text))
        self.known = known_names(slot)
        """Names of elements that the target knows."""
        self.names = self.known | {name for name, count in counts.items() if count > 1}
        """And those of tags that stand twice."""
        self.closed = self.known | {tag[1] for tag in _END_TAG.finditer(text)}
        """And those that an end tag has."""
        self._roots: set[str] = set()
        super().__init__(
            text, start, end, start_due=_START, slot=slot, several=several, costs=costs, pause=pause
        )

    # -- tokens -----------------------------------------------------------------------------------

    def step(self, node: SearchNode) -> SearchNode | None:  # noqa: C901 - one branch for each thing due
        """Read the token at a node."""
        text, at, due, frame = self.text, node.at, node.due, node.frame
        if due == _CONTENT:
            return self._content(node)
        if due == _OPEN_NAME:
            name = _NAME_TOKEN.match(text, at)
            if name is None:
                return self._stops(node, at) if at >= self.end else self.broken(node)
            return self._open(node, name.end(), name[0])
        if due == _CLOSE_NAME:
            name = _NAME_TOKEN.match(text, at)
            if name is not None and name[0] == frame.kind:
                return self.relax(node, 0.0, name.end(), _CLOSE_END, frame, None)
            if frame.kind.startswith(text[at : self.end]):
                self._end_tag_cut(node, frame.kind[self.end - at :] + ">")
            elif name is not None and name[0] not in [one.kind for one in self._frames(node)]:
                # Who closes an element with another name does so again.
                kind, slip = frame.kind, self.costs.slip / self.costs.dialect
                edit = DocumentEdit(at, name.end(), kind, f'"{name[0]}" -> "{kind}"')
                if not self._loses(kind, name[0]):
                    cost = self.habit(node, edit.rule, slip)
                    self.edge(node, cost, name.end(), _CLOSE_END, frame, None, edit)
            return self.broken(node)
        at = _blanks(text, at)
        sign = text[at] if at < self.end else ""
        if due == _CLOSE_END:
            if sign == ">":
                return self._close(node, at + 1)
            if not sign:
                self._end_tag_cut(node, ">")
        elif due == _ATTRIBUTES:
            if sign == ">":
                return self.relax(node, 0.0, at + 1, _CONTENT, frame, None)
            if text.startswith("/>", at):
                return self._close(node, at + 2)
            name = _NAME_TOKEN.match(text, at)
            if name is not None and at > node.at:
                return self.relax(node, 0.0, name.end(), _EQUALS, frame, None)
            if name is not None:
                edit = DocumentEdit(at, at, " ", "blank before an attribute added")
                self.edge(node, self.habit(node, "blank"), name.end(), _EQUALS, frame, None, edit)
        elif due == _EQUALS:
            if sign == "=":
                return self.relax(node, 0.0, at + 1, _VALUE, frame, None)
        elif due == _VALUE:
            return self._value(node, at)
        elif due == _START:
            return self._starts(node)
        elif due == _END:
            return self._ends(node)
        if not sign and due != _CLOSE_END:
            self._stops(node, at)
        return self.broken(node)

    def _content(self, node: SearchNode) -> SearchNode | None:
        """Text up to an angle bracket, and what that begins."""
        text, frame = self.text, node.frame
        place = text.find("<", node.at, self.end)
        if place < 0:
            self._stops(node, self.end)
            return self.broken(node)
        sign = text[place + 1] if place + 1 < self.end else ""
        if sign in ("!", "?") and sign:
            special = _SPECIAL.match(text, place)
            if special is None:
                self._stops(node, self.end)
                return self.broken(node)
            return self._go(node, place, special.end(), _CONTENT)
        if sign == "/":
            return self._go(node, place, place + 2, _CLOSE_NAME)
        if self._is_less_than(place, sign):
            cost, edits = self._text(node, place)
            behind = DocumentEdit(place, place + 1, "&lt;", _LESS_THAN)
            cost += self.habit(node, "<")
            if not (text[place - 1].isspace() or sign.isspace()):
                cost += self.costs.unlikely
            self.edge(node, cost, place + 1, _CONTENT, frame, None, _joined(text, edits, behind))
        return self._go(node, place, place + 1, _OPEN_NAME)

    def _is_less_than(self, place: int, sign: str) -> bool:
        """Whether an angle bracket is rather a sign of the text."""
        if sign.isspace():
            name = _NAME_TOKEN.match(self.text, _blanks(self.text, place + 1))
            known = name is not None and name[0] in self.names
            return not known and self.text[place - 1].isspace()
        return sign.isdigit() or sign == "="

    def _go(
        self,
        node: SearchNode,
        end: int,
        behind: int,
        due: int,
        cost: float = 0.0,
        edit: DocumentEdit | None = None,
        frame: Enclosure | None = None,
    ) -> SearchNode | None:
        """Read the text up to ``end`` as content, and go on at ``behind``."""
        more, written = self._text(node, end)
        frame = frame or node.frame
        is_token = edit is None
        cost += more
        edit = _joined(self.text, written, edit)
        if not cost:
            return self.relax(node, 0.0, behind, due, frame, None, edit)
        self.edge(node, cost, behind, due, frame, None, edit)
        return self.broken(node) if is_token else None

    def _text(self, node: SearchNode, end: int) -> tuple[float, DocumentEdit | None]:
        """What speaks against the text from a node on being content, and how it is written."""
        content = self.text[node.at : end]
        if not content or content.isspace():
            return 0.0, None
        slot, costs = node.frame.slot, self.costs
        cost = 0.0
        behind_element = node.bound is not None and self.text[node.at - 1] == ">"
        if (slot is not None and slot.keys) or behind_element:
            cost += costs.unlikely
        if _ATTRIBUTE_AHEAD.match(content):
            cost += costs.unlikely
        if (">" in content or "=" in content) and any(
            tag["name"] in self.names for tag in _LOOSE_BODY.finditer(content[:_LONGEST_TEXT])
        ):
            cost += costs.unlikely
        written = escaped(content).replace("]]>", "]]&gt;")
        if written == content:
            return cost, None
        # No other reading competes: it costs nothing.
        return cost, DocumentEdit(node.at, end, written, _ESCAPED)

    def _below(self, frame: Enclosure, name: str) -> tuple[PlaceSchema | None, float]:
        """What the target knows of an element in another one, and what speaks against it."""
        slot = frame.slot
        if frame.parent is None or slot is None:
            return slot, self.costs.unlikely if name == frame.kind else 0.0
        below = slot_below(slot, name)
        if name in slot.keys or below is not None:
            return below, 0.0
        if slot.closed or (slot.kinds and not slot.kinds & {"{", "["}):
            return None, self.costs.unlikely
        outer = frame.parent.slot
        beside = outer is not None and name in outer.keys
        return None, self.costs.unlikely if beside or name == frame.kind else 0.0

    def _open(
        self,
        node: SearchNode,
        behind: int,
        name: str,
        cost: float = 0.0,
        edit: DocumentEdit | None = None,
        due: int = _ATTRIBUTES,
    ) -> SearchNode | None:
        frame = node.frame
        if frame.depth >= MAX_DEPTH:
            return None
        if frame.parent is None:
            self._roots.add(name)
        below, against = self._below(frame, name)
        cost += against
        inner = frame.opened(name, below)
        if not cost:
            return self.relax(node, 0.0, behind, due, inner, None, edit)
        self.edge(node, cost, behind, due, inner, None, edit)
        return self.broken(node) if edit is None else None

    def _close(
        self, node: SearchNode, behind: int, cost: float = 0.0, edit: DocumentEdit | None = None
    ) -> SearchNode | None:
        outer = node.frame.parent
        if outer is None:
            return None
        due = _CONTENT if outer.parent is not None else _END
        if not cost:
            return self.relax(node, 0.0, behind, due, outer, None, edit)
        self.edge(node, cost, behind, due, outer, None, edit)
        return None

    def _value(self, node: SearchNode, at: int) -> SearchNode | None:
        """The value of an attribute."""
        text = self.text
        found = _QUOTED.match(text, at)
        if found is None:
            self.broken(node)
            if at >= self.end or (
                text[at] in "\"'" and text.find(text[at], at + 1, at + _LONGEST_TEXT) < 0
            ):
                self._stops(node, self.end)
            if (quoted := _TYPOGRAPHIC.match(text, at)) is not None:
                cost = self.habit(node, "typographic")
                self._write_value(node, at, quoted.end(), quoted[0][1:-1], cost)
            elif (bare := _BARE_VALUE.match(text, at)) is not None:
                self._write_value(node, at, bare.end(), bare[0], self.habit(node, "bare", 2))
            return None
        content = found[1][1:-1]
        edit = None
        cost = 0.0
        if (new := escaped(content)) != content:
            cost = self.habit(node, "&")
            start, end = found.span(1)
            edit = DocumentEdit(start + 1, end - 1, new, _ESCAPED)
        if ">" in content or re.search(r"=\s*$", content):
            cost += self.costs.unlikely
        if not cost:
            return self.relax(node, 0.0, found.end(), _ATTRIBUTES, node.frame, None)
        self.edge(node, cost, found.end(), _ATTRIBUTES, node.frame, None, edit)
        return self.broken(node)

    def _write_value(
        self, node: SearchNode, start: int, end: int, content: str, cost: float
    ) -> None:
        """Write the value of an attribute with the quotation marks that it lacks."""
        mark = "'" if '"' in content else '"'
        edit = DocumentEdit(start, end, f"{mark}{escaped(content)}{mark}", "attribute quoted")
        if not (mark == "'" and "'" in content):
            self.edge(node, cost, end, _ATTRIBUTES, node.frame, None, edit)

    # -- beginning and end ------------------------------------------------------------------------

    def _starts(self, node: SearchNode) -> SearchNode | None:
        text = self.text
        at = _end_of(_PROLOG, text, node.at)
        self.broken(node)
        if text.startswith("<", at) and _NAME_TOKEN.match(text, at + 1):
            return self.relax(node, 0.0, at + 1, _OPEN_NAME, node.frame, node.slot)
        if text.startswith("<!", at):
            return None  # what it declares is not read
        for found in islice(_OPENER.finditer(text, at), _MOST_OPENERS):
            if any(tag[1] in self.names for tag in _NAME_OF_TAG.finditer(text, at, found.start())):
                break
            self.begin(found.start(), _START, node.slot, node.cost)
            tag = _WHOLE_TAG.match(text, found.start())
            if tag is not None and text.startswith("<", _blanks(text, tag.end())):
                break  # what others stand in is no word of a sentence
        return None

    def _ends(self, node: SearchNode) -> None:
        at = _end_of(_MISC, self.text, node.at)
        rest = self.text[at : self.end]
        if self.several and self._another_begins(rest):
            self.goal(node)
            return
        if not rest or (_WORDS_FOLLOW.match(rest) and self.names.isdisjoint(names_of_tags(rest))):
            self.goal(node)
            return
        self.broken(node)
        another = _OPENER.match(rest) and _NAME_TOKEN.match(rest, 1)
        if another and another[0] in self._roots:
            self.another = min(self.another, node.cost + self.costs.slip / 2)

    def _another_begins(self, rest: str) -> bool:
        """Whether the next tag of a known name behind a document begins another one."""
        for tag in _TAG.finditer(rest):
            if tag["name"] in self.names:
                return not tag["close"] and _WHOLE_TAG.match(rest, tag.start()) is not None
        return True

    def _loses(self, kind: str, said: str) -> bool:
        """Whether an element would be lost, if an end tag were changed: its name the target knows,
        and not the name of the start tag, which then is the one that is damaged."""
        return said in self.known and kind not in self.known

    def _frames(self, node: SearchNode) -> Iterator[Enclosure]:
        frame = node.frame
        while frame.parent is not None:
            yield frame
            frame = frame.parent

    def _stops(self, node: SearchNode, at: int) -> None:
        """The text ends while elements are open: they are closed only behind an end tag."""
        tail = self.text[:at].rstrip()
        start = len(tail)
        if node.due == _OPEN_NAME and tail[-1:] == "<":
            tail = tail[:-1].rstrip()
        self.ends_early(node.cost, ended=tail[-1:] == ">")
        closers = "".join(f"</{frame.kind}>" for frame in self._frames(node))
        if node.due not in (_CONTENT, _OPEN_NAME) or tail[-1:] != ">" or not closers:
            return
        last = _TAG.match(tail, tail.rfind("<"))
        if last is None or not (last["close"] or tail.endswith("/>")):
            return  # what was begun is not there
        if not self._are_complete(self._frames(node), last["name"]):
            return
        edit = DocumentEdit(len(tail), start, closers, CLOSED_AT_END)
        self.edge(node, self.costs.slip, self.end, _END, self.outermost, None, edit)

    @staticmethod
    def _are_complete(frames: Iterable[Enclosure], last: str) -> bool:
        """Whether elements within one another, the innermost first, may end behind one of a name:
        of a list nobody knows whether it is all there."""
        for frame in frames:
            keys = frame.slot.keys if frame.slot is not None else {}
            below = keys.get(last)
            if last not in keys or (below is not None and "[" in below.kinds):
                return False
            last = frame.kind
        return True

    def _end_tag_cut(self, node: SearchNode, rest: str) -> None:
        """The text ends in an end tag: nothing but its rest can follow."""
        frames = list(self._frames(node))[1:]
        outer = [frame.kind for frame in frames]
        if outer:
            self.ends_early(node.cost, ended=True)
        if not self._are_complete(frames, node.frame.kind):
            return
        rest += "".join(f"</{kind}>" for kind in outer)
        rule = CLOSED_AT_END if outer else f'"{rest}" added'
        edit = DocumentEdit(self.end, self.end, rest, rule)
        self.edge(node, self.costs.slip, self.end, _END, self.outermost, None, edit)

    # -- edits ------------------------------------------------------------------------------------

    def try_edits(self, node: SearchNode) -> None:
        text, slip, due, frame = self.text, self.costs.slip, node.due, node.frame
        if due == _CONTENT:
            self._try_content(node)
            return
        if due in (_OPEN_NAME, _CLOSE_NAME):
            self._try_name(node)
            return
        at = _blanks(text, node.at)
        sign = text[at] if at < self.end else ""
        if due == _START:
            self._try_start(node, at)
            return
        if not sign:
            return
        if sign != ">" or due != _ATTRIBUTES:
            removed = DocumentEdit(at, at + 1, "", f'"{sign}" removed')
            self.edge(node, slip, at + 1, due, frame, node.slot, removed)
        if due == _END:
            tag = _WHOLE_TAG.match(text, at)
            if tag is not None and tag["close"] and not self.several:
                edit = DocumentEdit(at, tag.end(), "", "stray end tag removed")
                self.edge(node, slip, tag.end(), _END, frame, None, edit)
        elif due in (_ATTRIBUTES, _CLOSE_END):
            if sign != ">":
                self._try_bracket_end(node, at, sign)
        elif due == _EQUALS:
            if _QUOTED.match(text, at):
                edit = DocumentEdit(node.at, node.at, "=", '"=" added')
                self.edge(node, slip, at, _VALUE, frame, None, edit)
            if sign != "=" and _QUOTED.match(text, at + 1):
                edit = DocumentEdit(at, at + 1, "=", f'"{sign}" -> "="')
                self.edge(node, self._exchange(sign), at + 1, _VALUE, frame, None, edit)
        elif due == _VALUE:
            self._try_value(node, at, sign)

    def _try_bracket_end(self, node: SearchNode, at: int, sign: str) -> None:
        """The closing bracket of a tag, or the slash before it."""
        changed = self._exchange(sign)
        for place, cost, edit in (
            (node.at, self.costs.slip, DocumentEdit(node.at, node.at, ">", '">" added')),
            (at + 1, changed, DocumentEdit(at, at + 1, ">", f'"{sign}" -> ">"')),
        ):
            if node.due == _CLOSE_END:
                self._close(node, place, cost, edit)
            else:
                self.edge(node, cost, place, _CONTENT, node.frame, None, edit)
        if node.due == _ATTRIBUTES and self.text.startswith(">", at + 1):
            slash = DocumentEdit(at, at + 1, "/", f'"{sign}" -> "/"')
            self._close(node, at + 2, changed, slash)

    def _try_value(self, node: SearchNode, at: int, sign: str) -> None:
        """An attribute one of whose quotation marks was lost or exchanged."""
        text, slip = self.text, self.costs.slip
        limit = min(self.end, at + _LONGEST_TEXT)
        ends = (text.find(">", at + 1, limit), text.find("<", at + 1, limit))
        stop = min((place for place in ends if place >= 0), default=limit)
        if sign in "\"'":
            inner = at + 1
            # The quotation mark itself may have become the bracket.
            last = min(stop + text.startswith(">>", stop), limit)
            for match in re.finditer(r"(?=[\s>/])|$", text[inner:last]):
                place = inner + match.start()
                content = text[inner:place]
                if sign not in content:
                    self._write_value(node, at, place, content, slip)
                    if content:
                        self._write_value(
                            node, at, place, content[:-1], self._exchange(content[-1])
                        )
                if match.start() > 200:
                    break
            place = stop
            if sign not in text[inner:place]:
                self._write_value(node, at, place, text[inner:place], slip)
            return
        for mark in "\"'":
            place = text.find(mark, at, stop)
            if place > at:
                self._write_value(node, at, place + 1, text[at:place], slip)
                self._write_value(node, at, place + 1, text[at + 1 : place], self._exchange(sign))

    def _exchange(self, sign: str) -> float:
        """The cost of a mark in the place of another character."""
        likely = not (sign.isalnum() or sign.isspace())
        return self.costs.slip + (0.0 if likely else self.costs.unlikely)

    def _try_start(self, node: SearchNode, at: int) -> None:
        """The first angle bracket was lost, doubled or exchanged, or there is no root."""
        text, slip, frame = self.text, self.costs.slip, node.frame
        if at >= self.end:
            return
        for place in (at, at + 1):
            if text[at] == "<" and place > at:
                break
            if _TAG_BODY.match(text, place) or self._closes(text, place):
                new = DocumentEdit(
                    at, place, "<", '"<" added' if place == at else f'"{text[at]}" -> "<"'
                )
                cost = slip if place == at else self._exchange(text[at])
                self.edge(node, cost, place, _OPEN_NAME, frame, node.slot, new)
        if text.startswith("<", at) or text.startswith("<", at + 1):
            removed = DocumentEdit(at, at + 1, "", f'"{text[at]}" removed')
            if text.startswith("<", at + 1):
                self.edge(node, slip, at + 1, _START, frame, node.slot, removed)
            else:  # the name is lost
                self.edge(node, 0.0001, at + 1, _OPEN_NAME, frame, node.slot)

    @staticmethod
    def _closes(text: str, place: int) -> bool:
        name = _NAME_TOKEN.match(text, place)
        return name is not None and f"</{name[0]}" in text

    def _try_name(self, node: SearchNode) -> None:
        text, at, frame, slip = self.text, node.at, node.frame, self.costs.slip
        if at >= self.end:
            return
        sign = text[at]
        opens = node.due == _OPEN_NAME
        word = _NAME_TOKEN.match(text, at)
        said = word[0] if word else ""
        if not said:
            removed = DocumentEdit(at, at + 1, "", f'"{sign}" removed')
            self.edge(node, slip, at + 1, node.due, frame, node.slot, removed)
            if opens and text.startswith("/", at + 1):
                self.edge(node, slip, at + 2, _CLOSE_NAME, frame, None, removed)
        if opens and frame.kind:
            if said == frame.kind:
                edit = DocumentEdit(at, at, "/", '"/" added')
                cost = slip
                if text[at - 2 : at - 1] == "/":
                    cost += self.costs.unlikely  # rather a slash in a wrong place
                self.edge(node, cost, at, _CLOSE_NAME, frame, None, edit)
            if text.startswith(frame.kind, at + 1):
                edit = DocumentEdit(at, at + 1, "/", f'"{sign}" -> "/"')
                self.edge(node, self._exchange(sign), at + 1, _CLOSE_NAME, frame, None, edit)
        elif not opens:
            edit = DocumentEdit(at - 1, at, "", '"/" removed')
            if said:
                self.edge(node, slip, at, _OPEN_NAME, frame, None, edit)
        self._try_other_names(node, said)

    def _try_other_names(self, node: SearchNode, said: str) -> None:
        """The name of a tag that is another one misspelt, lost, or grown together with what
        follows."""
        text, at, slip = self.text, node.at, self.costs.slip
        opens = node.due == _OPEN_NAME
        due = _ATTRIBUTES if opens else _CLOSE_END
        for name, cost in self._wanted_names(node, said):
            for length in {len(said), len(name) - 1, len(name) + 1, len(name)}:
                piece = text[at : at + length]
                whole = length == len(said)
                if piece == name or not (whole or distance_within(piece, name, 1) == 1):
                    continue
                rule = f'"{piece}" -> "{name}"' if piece else f'"{name}" added'
                edit = DocumentEdit(at, at + length, name, rule)
                near = not piece or piece == 2 * name or distance_within(piece, name, 1) == 1
                self._named(node, at + length, name, slip if near else cost, edit, due)
            if said.startswith(name) and len(said) > len(name):
                place = at + len(name)
                edit = DocumentEdit(place, place, ">", '">" added')
                self._named(node, place, name, slip, edit, _CONTENT)
                edit = DocumentEdit(place, place + 1, ">", f'"{text[place]}" -> ">"')
                self._named(node, place + 1, name, self._exchange(text[place]), edit, _CONTENT)
                if opens and re.match(rf"{_NAME}\s*=", text[place : place + 200]):
                    edit = DocumentEdit(place, place, " ", "blank before an attribute added")
                    self._named(node, place, name, slip, edit, _ATTRIBUTES)

    def _named(
        self, node: SearchNode, behind: int, name: str, cost: float, edit: DocumentEdit, due: int
    ) -> None:
        """Go on behind a name that was changed."""
        if node.due == _OPEN_NAME:
            self._open(node, behind, name, cost, edit, due)
        elif due == _CONTENT:
            self._close(node, behind, cost, edit)
        else:
            self.edge(node, cost, behind, due, node.frame, None, edit)

    def _wanted_names(self, node: SearchNode, said: str) -> Iterator[tuple[str, float]]:
        """Names that may be meant at a node, and the cost where it says another one."""
        costs = self.costs
        far = costs.slip + costs.unlikely
        if node.due == _CLOSE_NAME:
            kinds = [frame.kind for frame in self._frames(node)][1:]
            if not self._loses(node.frame.kind, said):
                yield node.frame.kind, far if said in kinds else costs.slip
            return
        ahead = ""
        body = self.text.find(">", node.at, node.at + _LONGEST_TEXT)
        if body >= 0 and (found := _CLOSES_AHEAD.match(self.text, body)):
            ahead = found[1]
            yield ahead, costs.slip
        slot = node.frame.slot
        wanted = slot.keys if slot is not None and node.frame.parent is not None else {}
        for name in islice({**wanted, **dict.fromkeys(self.names)}, _MOST_NAMES):
            if name not in (ahead, said):
                yield name, far

    def _try_content(self, node: SearchNode) -> None:
        text, slip, frame, start = self.text, self.costs.slip, node.frame, node.at
        place = text.find("<", start, self.end)
        end = place if place >= 0 else self.end
        limit = min(end, start + _LONGEST_TEXT)
        first = _blanks(text, start)
        if first < limit and text[first] in _MARKS and not _WHOLE_TAG.match(text, first):
            removed = DocumentEdit(first, first + 1, "", f'"{text[first]}" removed')
            self.edge(node, slip, first + 1, _CONTENT, frame, None, removed)
        tried = 0
        for tag in re.finditer(_LOOSE_BODY, text[start:limit]):
            tried += self._try_bracket(node, start + tag.start(), tag["close"], tag["name"])
            if tried >= _MOST_TAGS:
                break
        for found in re.finditer(r"/([^\W\d][\w.\-:]*)", text[start:limit]):
            if found[1].startswith(frame.kind):  # neither bracket of the next tag is there
                at = start + found.start()
                edit = DocumentEdit(at, at, "<", '"<" added')
                self._go(node, at, at + 1, _CLOSE_NAME, slip, edit)
        if place < 0:
            return
        tag = _WHOLE_TAG.match(text, place)
        name = _NAME_TOKEN.match(text, place + 1 + text.startswith("/", place + 1))
        if name is None or not (name[0] in self.names or name[0] in self.closed):
            # Else what it holds would be lost.
            removed = DocumentEdit(place, place + 1, "", '"<" removed')
            cost = slip + (self.costs.unlikely if tag is not None else 0.0)
            self._go(node, place, place + 1, _CONTENT, cost, removed)
            as_text = DocumentEdit(place, place + 1, "&lt;", _LESS_THAN)
            self._go(node, place, place + 1, _CONTENT, slip, as_text)
        if text[place - 1] == "/" and place > start and text.startswith(frame.kind, place + 1):
            swapped = DocumentEdit(place - 1, place + 1, "</", '"/<" -> "</"')
            self._go(node, place - 1, place + 1, _CLOSE_NAME, slip, swapped)
        if tag is not None:
            kind = "end" if tag["close"] else "start"
            stray = DocumentEdit(place, tag.end(), "", f"stray {kind} tag removed")
            # An element that the target knows would be lost.
            keys = frame.slot.keys if frame.slot is not None else {}
            known = kind == "start" and tag["name"] != frame.kind and tag["name"] in keys
            cost = slip + (self.costs.unlikely if known else 0.0)
            sides = text[place - 1] + text[tag.end() : tag.end() + 1]
            if len(sides) < 2 or not sides.isalnum():
                self._go(node, place, tag.end(), _CONTENT, cost, stray)  # it parts no words
        self._try_missing_tag(node, place, tag)

    def _try_missing_tag(self, node: SearchNode, place: int, tag: re.Match[str] | None) -> None:
        """An element whose end tag is missing before a bracket, or the start tag of a text."""
        text, slip, frame, start = self.text, self.costs.slip, node.frame, node.at
        first = _blanks(text, start)
        last = start + len(text[start:place].rstrip())
        if not text.startswith(f"</{frame.kind}>", place) and frame.parent is not None:
            outer = frame.parent
            due = _CONTENT if outer.parent is not None else _END
            if due == _CONTENT or text.startswith("</", place):
                added = DocumentEdit(last, last, f"</{frame.kind}>", f"</{frame.kind}> added")
                # What is never closed, and known to nobody, is rather a sign in a text.
                cost = slip + (0.0 if frame.kind in self.closed else self.costs.unlikely)
                self._go(node, last, place, due, cost, added, outer)
        if tag is not None and tag["close"] and tag["name"] != frame.kind:
            slot = frame.slot
            if slot is not None and tag["name"] in slot.keys:
                name = tag["name"]
                edit = DocumentEdit(first, first, f"<{name}>", f"<{name}> added")
                inner = frame.opened(name, slot.keys[name])
                self.edge(node, slip + self.costs.unlikely, first, _CONTENT, inner, None, edit)

    def _try_bracket(self, node: SearchNode, at: int, close: str, name: str) -> int:
        """A tag whose first bracket was lost or exchanged."""
        text, slip = self.text, self.costs.slip
        due = _CLOSE_NAME if close else _OPEN_NAME
        behind = at + len(close)
        known = name in self.names
        if known:
            added = DocumentEdit(at, at, "<", '"<" added')
            self._go(node, at, behind, due, slip, added)
            if at > node.at:
                changed = DocumentEdit(at - 1, at, "<", f'"{text[at - 1]}" -> "<"')
                self._go(node, at - 1, behind, due, self._exchange(text[at - 1]), changed)
            if not close and name == node.frame.kind:
                # Bracket and slash are one mark that was exchanged, or both are lost.
                both = DocumentEdit(at, at, "</", '"</" added')
                self._go(node, at, at, _CLOSE_NAME, 2 * slip, both)
            return 1
        if close:
            return 0
        for length in range(1, len(name)):
            if name[length:] in self.names:
                inner = at + length
                added = DocumentEdit(inner, inner, "<", '"<" added')
                self._go(node, inner, inner, due, slip, added)
                changed = DocumentEdit(inner - 1, inner, "<", f'"{text[inner - 1]}" -> "<"')
                cost = self._exchange(text[inner - 1])
                if length == 1:
                    cost = slip
                self._go(node, inner - 1, inner, due, cost, changed)
                return 1
        return 0


def _blanks(text: str, at: int) -> int:
    """Where the blanks at a place end."""
    return _end_of(_BLANK, text, at)


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found is not None else at


def _joined(text: str, one: DocumentEdit | None, other: DocumentEdit | None) -> DocumentEdit | None:
    """Two edits that follow one another, as one."""
    if one is None or other is None:
        return one or other
    new = one.new + text[one.end : other.start] + other.new
    return DocumentEdit(one.start, other.end, new, f"{one.rule}, {other.rule}")


def names_of_tags(text: str) -> list[str]:
    """The names of what looks like a tag, each as often as it does."""
    return [tag[1] or tag[2] for tag in islice(_NAME_OF_TAG.finditer(text), 20_000)]


def known_names(slot: PlaceSchema | None) -> set[str]:
    """The names of elements that the target knows."""
    known: set[str] = set()
    pending, seen = [slot], set[int]()
    while pending and len(seen) < _MOST_NAMES:
        one = pending.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        known |= one.keys.keys()
        pending += [*one.keys.values(), one.items, one.others]
    return known
