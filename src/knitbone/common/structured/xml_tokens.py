"""The tags of a text that means to be XML, and the text between them; one pass, linear.

Only what can be nothing but a tag is one: a ``<`` that no tag follows is content.

Source: XML 1.0 §2.4 (markup and content), §3.1 (tags).
"""

from __future__ import annotations

import html.entities
import re
from typing import NamedTuple

__all__ = ["XmlToken", "escaped", "tokens_of"]

_NAME = r"[A-Za-z_][\w.:-]{0,127}"
_SPECIAL = re.compile(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<!DOCTYPE[^<>\[]*>", re.DOTALL)
_TAG = re.compile(rf"<(?P<close>/?)(?P<name>{_NAME})")
_PLAIN_TAG = re.compile(rf"<(?P<close>/?)(?P<name>{_NAME})(?P<empty>/?)>")
"""Most tags have no attributes: one match for those."""
_ATTRIBUTE = re.compile(
    rf"(?P<gap>\s*)(?P<name>{_NAME})\s*=\s*"
    r"(?P<value>\"[^\"<]*\"|'[^'<]*'|\u201c[^\u201d<]*\u201d|[^\s\"'<>=`]+)"
)
_END = re.compile(r"\s*(?P<empty>/?)>")
_REFERENCE = re.compile(r"&(?:#[0-9]{1,7};|#x[0-9A-Fa-f]{1,6};|(?:amp|lt|gt|quot|apos);)?")
_NAMED = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,30};)")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class XmlToken(NamedTuple):
    """A piece of the text: together they are all of it."""

    kind: str
    """``open``, ``close``, ``empty``, ``text``, or ``other`` (comment, CDATA, instruction)."""
    start: int
    end: int
    name: str = ""
    attributes: tuple[tuple[str, str], ...] = ()
    written: str = ""
    """Of a tag whose attributes are not as XML wants them: the tag as it must be."""


def tokens_of(text: str) -> list[XmlToken] | None:
    """The pieces in order; ``None`` where a comment or the like is not closed, or two attributes
    of a tag have one name and different values."""
    found: list[XmlToken] = []
    place = start = 0
    # Looked for once: where no closing mark is left, looking again at each place is quadratic.
    while (at := text.find("<", place)) >= 0:
        token: XmlToken | None = None
        if text.startswith(("<!", "<?"), at):
            special = _SPECIAL.match(text, at)
            if special is None and text.startswith(("<!--", "<![CDATA[", "<?", "<!DOCTYPE"), at):
                return None
            if special is not None:
                token = XmlToken("other", at, special.end())
        else:
            token = _tag(text, at)
            if token is not None and token.kind == "conflict":
                return None
        if token is None:
            place = at + 1
            continue
        if at > start:
            found.append(XmlToken("text", start, at))
        found.append(token)
        place = start = token.end
    if start < len(text):
        found.append(XmlToken("text", start, len(text)))
    return found


def _tag(text: str, at: int) -> XmlToken | None:
    plain = _PLAIN_TAG.match(text, at)
    if plain is not None and not (plain["close"] and plain["empty"]):
        kind = "close" if plain["close"] else "empty" if plain["empty"] else "open"
        return XmlToken(kind, at, plain.end(), plain["name"])
    match = _TAG.match(text, at)
    if match is None:
        return None
    attributes = _attributes(text, match.end())
    if attributes is None:
        return XmlToken("conflict", at, match.end())
    end = _END.match(text, attributes.end)
    if end is None or (match["close"] and (attributes.values or end["empty"])):
        return None
    kind = "close" if match["close"] else "empty" if end["empty"] else "open"
    written = f"{match.group()}{attributes.written}{end.group()}" if attributes.odd else ""
    values = tuple(attributes.values.items())
    return XmlToken(kind, at, end.end(), match["name"], values, written)


class _Attributes(NamedTuple):
    """The attributes of one tag."""

    values: dict[str, str]
    written: str
    """As they must be."""
    odd: bool
    """Whether they are not written so."""
    end: int


def _attributes(text: str, place: int) -> _Attributes | None:
    """Read the attributes behind a tag's name; ``None`` where two have one name and different
    values."""
    values: dict[str, str] = {}
    pieces: list[str] = []
    odd = False
    while (attribute := _ATTRIBUTE.match(text, place)) is not None:
        name, value = attribute["name"], attribute["value"]
        quoted = value[0] in "\"'" and len(value) > 1
        if not quoted and value.endswith("/") and text[attribute.end() :][:1] == ">":
            value = value[:-1]  # <a href=x/>
        place = attribute.start("value") + len(value)
        bare = value[1:-1] if quoted or value[:1] == "\u201c" else value
        if name in values:
            if values[name] != bare:
                return None
            odd = True
            continue
        values[name] = bare
        if quoted and attribute["gap"] and _valid(bare):
            pieces.append(attribute.group())
        else:
            odd = True
            mark = "'" if '"' in bare else '"'
            pieces.append(f"{attribute['gap'] or ' '}{name}={mark}{escaped(bare)}{mark}")
    return _Attributes(values, "".join(pieces), odd, place)


def _valid(value: str) -> bool:
    return all(m.group() != "&" for m in _REFERENCE.finditer(value))


def escaped(content: str) -> str:
    """The content with what XML would take for markup written as references; the same object
    where there is nothing. Names of HTML become the characters that they stand for."""
    if _CONTROLS.search(content):
        content = _CONTROLS.sub("", content)
    if "<" in content:
        content = content.replace("<", "&lt;")
    if "&" not in content:
        return content
    return _REFERENCE.sub(_reference, _NAMED.sub(_named, content))


def _reference(match: re.Match[str]) -> str:
    return "&amp;" if match.group() == "&" else match.group()


def _named(match: re.Match[str]) -> str:
    if match[1] in ("amp;", "lt;", "gt;", "quot;", "apos;") or match[1] not in html.entities.html5:
        return match.group()
    return "".join(f"&#{ord(character)};" for character in html.entities.html5[match[1]])
