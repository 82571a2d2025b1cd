"""Tags that do not match, brought to match with the fewest edits; and the tree that they make.

The content is never touched but for characters that must be written as references. What may have
been cut off in the middle is not closed.

Source: Comfrey §4.3.1 (structured templates: minimum edits to structure).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

import msgspec

from knitbone.common.structured.names import plain_name
from knitbone.common.structured.xml_tokens import XmlToken, escaped, tokens_of

__all__ = ["ESCAPED", "Edit", "Mended", "XmlElement", "mend_xml"]

_MAX_DEPTH = 200
"""Elements in one another (ours)."""
_TORN_TAG = re.compile(
    r"</?([A-Za-z_][\w.:-]*)(?=[\s/>=<]|\Z)(\s+[\w.:-]+\s*=)?|/?\b([A-Za-z_][\w.:-]*)>"
)
"""The beginning of a tag, and of its first attribute."""
ESCAPED = "special character escaped"
"""The only rule that changes no tag."""
Edit = tuple[int, int, str, str]
"""Start and end of what is replaced, what is written, and the rule for people."""


class XmlElement(msgspec.Struct):
    """One element, and where its tags stand in the text; reads like an ``ElementTree`` one."""

    tag: str
    attrib: dict[str, str]
    start: int
    inside: int
    end: int = -1
    """Where its content ends."""
    after: int = -1
    """Behind its closing tag."""
    children: list[XmlElement] = []
    text: str = ""
    """Its content before the first child."""
    has_closing_tag: bool = True

    def __iter__(self) -> Iterator[XmlElement]:
        return iter(self.children)

    def iter(self) -> Iterator[XmlElement]:
        """The element and all below it, in the order of the text."""
        pending: list[XmlElement] = [self]
        while pending:
            element = pending.pop()
            yield element
            pending.extend(reversed(element.children))


class Mended(msgspec.Struct):
    """A text whose tags match once the edits are made."""

    roots: list[XmlElement]
    edits: list[Edit]
    loose: list[tuple[int, int]]
    """Text between the roots that is not blank."""

    @property
    def is_guessed(self) -> bool:
        """Tell whether a tag was wrong: where an element ends is then not known for sure."""
        return any(rule != ESCAPED for *_, rule in self.edits)


def mend_xml(text: str, nests: Callable[[str, str], bool | None]) -> Mended | None:
    """The elements of a text, and the edits that make their tags match.

    Args:
        nests: whether the second element may stand in the first; ``None`` where that is open.

    Returns:
        ``None`` where the text may be cut off, or nests too deeply.
    """
    tokens = tokens_of(text)
    if tokens is None:
        return None
    return _TagMender(text, tokens, nests).run()


def _is_list(element: XmlElement) -> bool:
    """Tell whether an element holds a list, of which nobody knows whether it is complete."""
    names = [child.tag for child in element.children]
    return len(set(names)) < len(names) or len(names) < 2 or element.tag.startswith(names[0])


class _TagMender:
    def __init__(
        self, text: str, tokens: list[XmlToken], nests: Callable[[str, str], bool | None]
    ) -> None:
        self.text = text
        self.tokens = tokens
        self.nests = nests
        self.closing = Counter(t.name for t in tokens if t.kind == "close")
        """Closing tags that are still to come."""
        self.known = self._known()
        self.names = self.known | {token.name for token in tokens if token.kind == "close"}
        self.torn = False
        """Whether what stands in the content is a tag that cannot be read: as text it would be
        lost."""
        self.begun: set[str] = set()
        """Names of the elements so far."""
        self.stack: list[XmlElement] = []
        self.result = Mended([], [], [])

    def _known(self) -> set[str]:
        """Names of opening tags that are tags: closed somewhere, asked for, or at the start of a
        line or behind a tag and directly before another one. The rest is content."""
        closed = {plain_name(name) for name in self.closing}
        known: set[str] = set()
        pieces = [t for t in self.tokens if t.kind != "text" or not self._is_blank(t)]
        for index, token in enumerate(pieces):
            if token.kind != "open" or token.name in known:
                continue
            following = pieces[index + 1].kind if index + 1 < len(pieces) else ""
            leads = following in ("open", "empty") and (
                self.text[max(token.start - 1, 0) : token.start] in ("", "\n", ">")
            )
            if leads or plain_name(token.name) in closed or self.nests("", token.name):
                known.add(token.name)
        return known

    def _is_blank(self, token: XmlToken) -> bool:
        return self.text[token.start : token.end].isspace()

    def run(self) -> Mended | None:
        for token in self.tokens:
            if token.kind in ("open", "empty"):
                if not self._open(token):
                    self._content(token)
            elif token.kind == "close":
                self.closing[token.name] -= 1
                self._close(token)
            elif token.kind == "text":
                self._content(token)
            if len(self.stack) > _MAX_DEPTH:
                return None
        return self.result if self._end() and not self.torn else None

    def _open(self, token: XmlToken) -> bool:
        """Tell whether it is a tag: one that is never closed, and that nobody asks for, is
        content."""
        if token.kind == "open" and token.name not in self.known:
            return False
        while self.stack and self.nests(self.stack[-1].tag, token.name) is False:
            # A sibling begins: the element before it was not closed.
            if all(self.nests(e.tag, token.name) is False for e in self.stack[:-1]):
                break
            self._add_closing(token.start)
        self.begun.add(token.name)
        element = XmlElement(token.name, dict(token.attributes), token.start, token.end)
        (self.stack[-1].children if self.stack else self.result.roots).append(element)
        if token.written:
            self._edit(token.start, token.end, token.written, "attribute quoted")
            # Offsets of what is inside count in the text as it was.
        if token.kind == "empty":
            element.end = element.after = token.end
            element.has_closing_tag = False
        else:
            self.stack.append(element)
        return True

    def _close(self, token: XmlToken) -> None:
        if not self.stack:
            self._leave_out(token)
            return
        top = self.stack[-1]
        if token.name != top.tag:
            names = [element.tag for element in self.stack]
            if token.name in names:
                while self.stack[-1].tag != token.name:
                    self._add_closing(token.start)
            elif self.closing[top.tag] < names.count(top.tag):
                if self.nests("", token.name) and not self.nests("", top.tag):
                    self.torn = True  # the opening tag is misspelt: nobody would read it
                rule = f"</{token.name[:40]}> -> </{top.tag[:40]}>"
                self._edit(token.start, token.end, f"</{top.tag}>", rule)
            else:
                self._leave_out(token)
                return
        self._pop(token.start, token.end)

    def _leave_out(self, token: XmlToken) -> None:
        """Take a closing tag out, without gluing the words on both sides together."""
        beside = self.stack[-1].children if self.stack else self.result.roots
        if beside and (token.name in self.begun or self.nests("", token.name)):
            last = beside[-1]
            doubled = last.tag == token.name and not self.text[last.after : token.start].strip()
            self.torn |= not doubled  # its opening tag was lost: nobody would read what it held
        sides = self.text[token.start - 1 : token.start] + self.text[token.end : token.end + 1]
        written = " " if len(sides) == 2 and sides.isalnum() else ""
        rule = "closing tag without its opening one removed"
        self._edit(token.start, token.end, written, rule)

    def _add_closing(self, place: int) -> None:
        """Close the innermost element behind its last word before ``place``."""
        element = self.stack[-1]
        if len(self.stack) > 1 and not self.nests("", element.tag):
            # Its tag may be misspelt: nobody would read what stands in it.
            self.torn |= any(self.nests("", child.tag) for child in element.children)
        end = place
        while end > element.inside and self.text[end - 1].isspace():
            end -= 1
        self._edit(end, end, f"</{element.tag}>", f"</{element.tag[:40]}> added")
        self._pop(end, end)

    def _pop(self, end: int, after: int) -> None:
        element = self.stack.pop()
        element.end, element.after = end, after
        if not element.children:
            element.text = self.text[element.inside : end]

    def _content(self, token: XmlToken) -> None:
        content = self.text[token.start : token.end]
        if not self.stack:
            if content.strip():
                self.result.loose.append((token.start, token.end))
            return
        torn = _TORN_TAG.finditer(content)
        if any((found[1] or found[3]) in self.names or found[2] for found in torn):
            self.torn = True
        written = escaped(content)
        if written != content:
            self._edit(token.start, token.end, written, ESCAPED)

    def _end(self) -> bool:
        """Close what is open at the end; ``False`` where the last element may be cut off."""
        if not self.stack:
            return True
        top = self.stack[-1]
        last = top.children[-1].after if top.children else top.inside
        if not top.children or self.text[last:].strip():
            return False
        if any(_is_list(element) for element in self.stack) or len(self.stack) > 1:
            return False  # more elements may have followed
        while self.stack:
            self._add_closing(len(self.text))
        return True

    def _edit(self, start: int, end: int, written: str, rule: str) -> None:
        self.result.edits.append((start, end, written, rule))
