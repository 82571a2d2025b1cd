"""Secrets that stand beside a name which announces them, whatever joins the two.

From a mark of a name (``HINTS``) to the span of its secret: the name around the mark, the *joint*
behind it, the value behind that, and then one question, which ``values.is_secret_value`` answers
by the name's strength and by the ``Style`` in which the value stands.

| form | judged by |
| --- | --- |
| ``"api_key": "..."``, ``password = '...'`` | ``_quoted_secret`` |
| ``("password", "...")``, ``{"name": "password", "value": "..."}`` | ``_quoted_secret`` |
| ``PASSWORD=...``, ``?token=...&``, ``password: ...``, ``the password is ...`` | ``_unquoted_secret`` |
| ``<password>...</password>`` | ``_element_secret`` |
| ``Cookie: sid=...; theme=dark`` | ``_cookie_secret`` |
| ``Authorization: Bearer ...`` | ``secret_after_scheme`` |
| ``--password ...``, ``IDENTIFIED BY '...'``, ``login ann password ...`` | ``_secret_without_joint`` |
| ``seed phrase: twelve plain words ...`` | ``_SEED_WORDS`` |
| ``curl -u ann:...`` | ``_CURL_USER`` |
"""  # noqa: E501 - a table

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from knitbone.record.secrets.cues import Announcement, Cue
from knitbone.record.secrets.names import FOREIGN, Strength, strongest_name, words_of
from knitbone.record.secrets.values import (
    Style,
    is_chosen,
    is_placeholder,
    is_random,
    is_secret_value,
)

__all__ = [
    "HINTS",
    "Span",
    "rest_of_line",
    "secrets_by_name",
    "span_in_quotes",
    "span_without_quotes",
    "whole_unquoted",
]


# The end of a value that begins at a place of a text: a quoted one, one without quotes, a line.
#
# A span is the offsets of a value's first character and of the one behind its last.

Span: TypeAlias = "tuple[int, int]"

LONGEST_VALUE = 8_192
LONGEST_UNQUOTED = 1_024
"""Characters of a value without quotes by which it is judged; one that is a secret goes whole."""

OPENING_QUOTE = re.compile(r"[a-zA-Z]{0,2}(?P<quote>\\*[\"'`]|[\u201c\u2018\u00ab])")
r"""A quote, with the letters of a literal before it and the backslashes of JSON within JSON:
``"``, ``rb'``, ``\\"``."""
_CLOSING = {"\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}

_UNQUOTED = re.compile(r"[^\s\"'<>`|\\]*(?:\\(?![nrt\"'\\u])[^\s\"'<>`|\\]*)*")
"""Up to a blank, a quote, a tag or a pipe; a backslash may belong to it, an escape does not."""
_NEXT_NAME = re.compile(r"[,;&)}\]]+(?:[\w.%-]{1,64}[=:]|\Z)")
"""``&user=`` or ``,b:`` behind an unquoted value, or brackets that close at the end of the text."""
LINE_END = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\\+n|[\n\r]|\Z)")
"""The end of a line, be it written ``\\n``, with a remark before it or without."""
_LINE = re.compile(r"[^\n\r]*")
_SHORTEST_PART = 4
"""Characters of an unquoted value that are never taken for the end of a sentence (ours)."""


def skip_quote(text: str, place: int) -> int:
    """Return the place behind a quote that stands here; the place itself without one."""
    quoted = OPENING_QUOTE.match(text, place)
    return quoted.end() if quoted else place


def span_in_quotes(text: str, place: int, quote: str) -> Span | None:
    """Return the span from here to the quote that closes; ``None`` where none does, or at once."""
    closing = _CLOSING.get(quote, quote)
    end = place
    while True:
        end = text.find(closing, end, place + LONGEST_VALUE)
        if end < 0:
            return None
        # A quote behind more backslashes is one inside the value.
        if text[end - 1] != "\\":
            return (place, end) if end > place else None
        end += len(closing)


def span_without_quotes(text: str, place: int) -> Span | None:
    """Return the span of an unquoted value: without the next name, and at the end of a line
    without the marks that end a sentence."""
    found = _UNQUOTED.match(text, place, place + LONGEST_UNQUOTED)
    if found is None:
        return None
    following = _NEXT_NAME.search(text, place, found.end())
    end = following.start() if following else found.end()
    while end - place > _SHORTEST_PART and text[end - 1] in ".,:?!" and LINE_END.match(text, end):
        end -= 1
    return (place, end) if end > place else None


def whole_unquoted(text: str, span: Span) -> Span:
    """Return the span to its very end, where it was judged by its first characters."""
    rest = _UNQUOTED.match(text, span[1])
    return span[0], rest.end() if rest else span[1]


def rest_of_line(text: str, place: int) -> Span:
    """Return the span from here to the end of the line."""
    found = _LINE.match(text, place, place + LONGEST_VALUE)
    return place, found.end() if found else place


# Credentials behind an authentication scheme: ``Authorization: Bearer ...``, ``Basic ...``.
#
# Source: RFC 9110 section 11.6 (the header), RFC 7617 (``Basic``).

_SCHEME = re.compile(
    r"(?i:(bearer|basic|token|apikey|negotiate|ntlm|digest|key|aws4-hmac-sha256))[ =]+"
)
_ANY_SCHEME = re.compile(r"([A-Za-z][\w-]{1,24})[ =]+(?=[^\s=:]{8})")
"""A scheme of somebody's own, which only a header of that name makes one."""
_ALWAYS = ("bearer", "basic")
"""Schemes that announce a credential whatever the name before them is."""
_OF_A_LINE = ("digest", "aws4-hmac-sha256")
"""Schemes whose credentials are several fields."""
_SHORTEST = 8
"""Characters of the shortest credential (ours)."""


def scheme_at(text: str, place: int, name: str) -> re.Match[str] | None:
    """Return the scheme at the place of a value, where it makes the value a credential.

    Args:
        name: of the value, in small letters.
    """
    pattern = _ANY_SCHEME if name.endswith("authorization") else _SCHEME
    scheme = pattern.match(text, skip_quote(text, place))
    if scheme is None:
        return None
    announced = name.endswith(("authorization", "auth")) or scheme[1].lower() in _ALWAYS
    return scheme if announced else None


def credentials_of_scheme(text: str, scheme: re.Match[str]) -> Span | None:
    """Return the span of what a named scheme is given: a value, or the rest of its line."""
    value = span_without_quotes(text, scheme.end())
    if value is None or is_placeholder(text[slice(*value)]):
        return None
    if not _is_credential(text[slice(*value)]):
        return None
    return rest_of_line(text, scheme.end()) if scheme[1].lower() in _OF_A_LINE else value


def secret_after_scheme(text: str, place: int) -> Span | None:
    """Return the span of a credential behind ``Bearer`` or ``Basic`` without a name before it."""
    scheme = _SCHEME.match(text, place)
    span = span_without_quotes(text, scheme.end()) if scheme else None
    if scheme is None or span is None:
        return None
    value = text[slice(*span)]
    fits = _names_user(value) if scheme[1].lower() == "basic" else _is_credential(value)
    return span if fits and not is_placeholder(value) else None


def _is_credential(value: str) -> bool:
    """Return whether it is a credential rather than a word of a sentence."""
    if len(value) < _SHORTEST:
        return False
    varied = any(map(str.isdigit, value)) or value[1:] != value[1:].lower()
    return (varied and not value.rstrip(".,:;").isalpha()) or is_random(value) or _names_user(value)


def _names_user(value: str) -> bool:
    """Return whether it is base64 of ``user:password``."""
    if len(value) < _SHORTEST:
        return False
    try:
        return b":" in b64decode(value.rstrip(".,") + "==", altchars=b"-_", validate=False)
    except (Error, ValueError):
        return False


HINTS = (
    b"pass", b"pw", b"secret", b"token", b"key", b"auth", b"cred", b"cookie", b"bearer", b"basic",
    b"otp", b"psk", b"phrase", b"mnemonic", b"identified by", b"curl", b"contrase", b"senha",
    b"signature", b"sig=", b"_pat",
    b"ry code", b"up code", b"assw",
)  # fmt: skip
"""Without one of these, in small letters, no name announces a secret (in ASCII)."""

_CUES = {
    Strength.NONE: Cue.PART,
    Strength.FAINT: Cue.KEY,
    Strength.POSSIBLE: Cue.TOKEN,
    Strength.CERTAIN: Cue.SECRET,
    Strength.PASSWORD: Cue.NAME,
}

# --- the name around a hint
_BEFORE = 64
"""Characters before a hint that may belong to its name."""
_NAME_BACKWARDS = re.compile(r"(?:[\w.$\[\]-]|(?<![^A-Za-z]) (?=[a-z]))*")
"""The name up to the hint, read from right to left; a blank belongs to it between two words."""
_NAME_REST = re.compile(r"[\w-]*(?:[ ]key\b|[ ]phrase\b|[ ]token\b|[ ]secret\b|[ ]codes?\b)?")
_UNSPACED = "\u3000"
"""From this character on, words are written without spaces between them."""
_UNSPACED_WORD = re.compile("|".join(word for word in FOREIGN if word[0] >= _UNSPACED))
_LONGEST_PART = 24
"""Characters of a word of which a part names a secret (ours)."""

# --- the joint behind it
_WORD_NEXT = re.compile(
    r"[ ](?!(?:for|of|on|to|is|was|are|set|equals|ist|lautet|est|es|value|content)\b)"
    r"[A-Za-z]{1,40}(?:[ ,]|\Z)"
)
"""A plain word after a name: no value, and nothing that joins it to one."""
_QUOTE = r"(?:\\*[\"'`]|[\u201c\u2018\u00ab])"
_JOINT = re.compile(
    rf"""
    (?:[ ](?:for|of|on|to)[ ][\w'. -]{{1,40}}?(?=[ ](?:is|was)[ :]|:[ ]))?  # "... for the router is"
    (?P<close>{_QUOTE})?(?P<bracket>\]|\))?\*{{0,2}}\s{{0,8}}  # what closes around the name
    (?:[ ]\#?\d{{1,2}}(?=:)|[ ]\([^()\n]{{1,40}}\)(?=:))?  # "password 2:", "token (read only):"
    (?:
      (?P<assign> =>|:=|[!=]==?|->|[:=|](?![:=])\*{{0,2}}|\uff1a)
    | (?P<pair> ,\s{{0,16}}(?:\\*["'](?:value|Value|val|content|default)\\*["']\s{{0,4}}[:=]
        |(?=\\*["'\[])) | (?<=\s)(?:value|content)\s{{0,2}}=)  # the next field, the next in a list
    | (?P<element> (?:[^<>=:]{{0,200}}=[^<>]{{0,200}})?>|</[\w:]{{1,64}}>\s{{0,64}}<[\w:]{{1,64}}>)
    | (?P<words> \s{{0,4}}(?:is|was|are|set\s+to|equals|to|is\s+set\s+to|is\s+now|ist|lautet|est|es)
        (?=[\s:])[\s:]{{1,4}}|[\u662f\u4e3a])
    )\s{{0,64}}""",  # noqa: E501 - a remark a line
    re.VERBOSE,
)
"""What joins a value to the name before it; its end is where the value begins."""
_BARE_JOINT = re.compile(r"[ \t]{1,8}")
_TAG = 200
"""Characters between the beginning of a tag and a name in it."""

# --- the value behind that
_KEY_END = re.compile(r"\\*[\"']\s{0,4}:")
"""The quote and colon that make a quoted text a key."""
_SEED_WORDS = re.compile(r"(?:[a-z]{3,8}[ ,]{1,2}){11,24}[a-z]{3,8}\b")
"""The words of a wallet's recovery phrase (BIP 39: 12 to 24)."""
_SEED_NAMES = ("phrase", "mnemonic", "seed", "words")
_COOKIES = re.compile(
    r"[\w.$%!#-]{1,128}=[^\s;,\"'<>\\]*(?:;\s{0,2}[\w.$%!#-]{1,128}(?:=[^\s;,\"'<>\\]*)?)*"
)
_SHORTEST_COOKIE = 4
_CURL_USER = re.compile(
    r"curl\b(?:[^\n]|\\\n){0,500}?\s(?:-u|--user|--proxy-user|-U)[ =]{1,2}[\"']?[^\s:\"']{1,128}:"
    r"(?P<value>[^\s\"']{3,256})"
)
_LOGIN_BEFORE = re.compile(r"\b(?:login|user|username|account)\s+\S+?,?[\s+>]+\Z")
"""``login ann`` of a netrc file, before its ``password``."""
_SETTING_LINE = re.compile(
    r"(?:^|[\n\r]|\\n)[ \t]*[+>-]?[ \t]*(?:export +|set +|ENV +|ARG +|SET +|\$env:|setx +)?\Z"
)
"""The beginning of a line of settings, up to the name."""
_SECTION = re.compile(r"(?:\A|[\n\r]|\\n)[+>-]?\[[\w. :\"'-]{1,64}\]")
"""The head of a section of a settings file, below which nothing is an expression."""


class _Name(NamedTuple):
    """A name that announces a secret, and where it stands."""

    text: str
    """The whole text."""
    start: int
    end: int
    strength: Strength

    @property
    def written(self) -> str:
        """The name itself."""
        return self.text[self.start : self.end]

    @property
    def before(self) -> str:
        """The character before it; empty at the beginning of the text."""
        return self.text[self.start - 1 : self.start]

    @property
    def is_option(self) -> bool:
        """True for ``--name``."""
        return "-" in self.before + self.text[self.start : self.start + 1]


def secrets_by_name(
    text: str, hinted: Sequence[int], announced: list[Announcement], *, is_foreign: bool
) -> Iterator[Span]:
    """Yield the spans of secrets that a name beside them announces.

    Args:
        hinted: where one of ``HINTS`` stands, in order.
        announced: gets the names beside which there is none.
        is_foreign: whether there are names in other letters than ASCII.
    """
    seen = -1
    for place in _with_foreign(text, hinted) if is_foreign else hinted:
        if place < seen:
            continue
        start, end = _words_around(text, place)
        seen = end
        span = _secret_at(text, start, place, end, announced)
        if span is None:
            continue
        # A value that fills the window by which it was judged goes on behind it.
        whole = whole_unquoted(text, span) if span[1] - span[0] >= LONGEST_UNQUOTED - 8 else span
        seen = max(seen, whole[1])
        yield whole


def _with_foreign(text: str, hinted: Sequence[int]) -> list[int]:
    """Return the places of all names, those in other letters among them."""
    places = [match.start() for word in FOREIGN for match in re.finditer(word, text)]
    return sorted([*hinted, *places])


def _words_around(text: str, place: int) -> Span:
    """Return the span of the words that a hint is a part of."""
    before = _NAME_BACKWARDS.match(text[max(0, place - _BEFORE) : place][::-1])
    rest = (_NAME_REST if text[place] < _UNSPACED else _UNSPACED_WORD).match(text, place)
    return place - before.end() if before else place, rest.end() if rest else place


def _secret_at(
    text: str, start: int, place: int, end: int, announced: list[Announcement]
) -> Span | None:
    """Return the span of the secret that a hint announces.

    Args:
        start: of the words around it.
        place: of the hint.
        end: of the words around it.
        announced: gets the name that the hint is a part of.
    """
    word = text[place:end].lower()
    if word in ("bearer", "basic") and (span := secret_after_scheme(text, place)):
        return span
    if word == "curl":
        user = _CURL_USER.match(text, place)
        return user.span("value") if user and not is_placeholder(user["value"]) else None
    if word == "identified":
        name = _Name(text, start, place + len("identified by"), Strength.PASSWORD)
    else:
        last_words, strength = strongest_name(text[start:end])
        name = _Name(text, end - len(last_words), end, strength)
    if not name.strength:
        if name.end - name.start <= _LONGEST_PART:
            announced.append(Announcement(name.start, name.end, _CUES[name.strength]))
        return None
    if not _is_in_run(name):
        announced.append(Announcement(name.start, name.end, _CUES[name.strength]))
    return _value_after(name)


def _is_in_run(name: _Name) -> bool:
    """Return whether it is no name but a part of random characters."""
    around = name.before + name.text[name.end : name.end + 1]
    return "+" in around or around.endswith("/") or is_random(name.written)


def _value_after(name: _Name) -> Span | None:
    """Return the span of the secret that belongs to a name."""
    text = name.text
    if _WORD_NEXT.match(text, name.end) and not name.is_option:
        return None  # what most names in sentences are followed by
    joint = _JOINT.match(text, name.end)
    if joint is None:
        return _secret_without_joint(name)
    if joint["element"] is not None and text.rfind("<", max(0, name.start - _TAG), name.start) < 0:
        return None
    place = joint.end()
    folded = name.written.lower()
    if folded.endswith(("cookie", "cookies")):
        cookies = _COOKIES.match(text, skip_quote(text, place))
        if cookies and "=" in cookies.group():
            return _cookie_secret(cookies)
        return _joined_secret(name._replace(strength=Strength.POSSIBLE), joint)
    scheme = scheme_at(text, place, folded)
    return credentials_of_scheme(text, scheme) if scheme else _joined_secret(name, joint)


def _cookie_secret(cookies: re.Match[str]) -> Span | None:
    """Return the span of cookies, of which one is long enough to be a session's."""
    values = [cookie.partition("=")[2] for cookie in cookies.group().split(";")]
    return cookies.span() if max(map(len, values)) >= _SHORTEST_COOKIE else None


def _joined_secret(name: _Name, joint: re.Match[str]) -> Span | None:
    """Return the span of the value behind a joint, if it is a secret."""
    place = joint.end()
    quoted = OPENING_QUOTE.match(name.text, place)
    if _joins_others(name, joint, quoted):
        return None
    words = _SEED_WORDS.match(name.text, quoted.end() if quoted else place)
    if words and name.written.lower().endswith(_SEED_NAMES):
        return words.span()
    if quoted:
        return _quoted_secret(name, joint, quoted)
    if joint["element"] is not None:
        return _element_secret(name, place)
    return None if _is_list(joint) else _unquoted_secret(name, joint)


def _joins_others(name: _Name, joint: re.Match[str], quoted: re.Match[str] | None) -> bool:
    """Return whether what looks like a joint between a name and its value is none."""
    text, place = name.text, joint.end()
    crossed = joint["assign"] and "\n" in text[joint.start("assign") : place]
    if crossed and (quoted is None or joint["assign"] != ":"):
        return True
    if quoted and not joint["close"] and text.endswith(quoted["quote"], 0, name.start):
        return True  # what looks like the beginning of a value ends a quotation
    if quoted and text[quoted.end() : quoted.end() + 1] in ("\r", "\n"):
        return True  # what begins so stands between two quotations
    # The parts of a name of a resource: ``arn:aws:secret:region``.
    return name.before == ":" == joint["assign"] and place - name.end == 1


def _is_list(joint: re.Match[str]) -> bool:
    """Return whether name and value only stand side by side: ``"password", "..."``."""
    return bool(joint["pair"]) and not joint["pair"].endswith(("=", ":"))


def _quoted_secret(name: _Name, joint: re.Match[str], quoted: re.Match[str]) -> Span | None:
    """Return the span of a value in quotes, if it is a secret."""
    span = span_in_quotes(name.text, quoted.end(), quoted["quote"])
    if span is None:
        return None
    if _is_list(joint):
        return span if _fits_in_list(name, span) else None
    value = name.text[slice(*span)]
    quotes_sentence = joint["words"] and " " in value
    return span if not quotes_sentence and is_secret_value(value, name.strength) else None


def _fits_in_list(name: _Name, span: Span) -> bool:
    """Return whether a quoted text behind a quoted name is its value: a list of names is no pair,
    so it has to look like a secret."""
    text = name.text
    if _KEY_END.match(text, span[1]):
        return False
    value = text[slice(*span)]
    is_option = "-" in text[max(0, name.start - 2) : name.start + 1]
    telling = is_option or len(words_of(name.written)) > 1
    style = Style.LINE if telling else Style.BARE
    fits = is_chosen(value) or is_secret_value(value, name.strength, style)
    return fits and (telling or not value.isalpha())


def _element_secret(name: _Name, place: int) -> Span | None:
    """Return the span of the content of an element of XML, if it is a secret."""
    closing = name.text.find("<", place, place + LONGEST_VALUE)
    value = name.text[place:closing].strip() if closing >= 0 else ""
    return (place, closing) if value and is_secret_value(value, name.strength) else None


def _unquoted_secret(name: _Name, joint: re.Match[str]) -> Span | None:
    """Return the span of a value without quotes, if it is a secret."""
    text = name.text
    span = span_without_quotes(text, joint.end())
    if span is None:
        return None
    value = text[slice(*span)]
    ends_name = value.endswith("=") and text[span[1] : span[1] + 1] in ('"', "'")
    if ends_name and not is_random(value):
        return None  # the next name
    style = Style.PROSE if joint["words"] else _style_without_quotes(name, joint, span)
    return span if is_secret_value(value, name.strength, style) else None


def _style_without_quotes(name: _Name, joint: re.Match[str], span: Span) -> Style:
    """Return how an unquoted value stands beside its name."""
    text, sign = name.text, joint["assign"]
    is_tight = span[0] - name.end == 1
    if is_tight and sign == "=":
        first = name.start and text[name.start - 1] in "?&;"
        if first or name.written.isupper() or text.startswith("--", name.start):
            return Style.SETTING
    if joint["close"] or joint["bracket"]:
        return Style.BARE
    begins_line = _SETTING_LINE.search(text, max(0, name.start - 40), name.start)
    if begins_line and LINE_END.match(text, span[1]) and sign in ("=", ":"):
        if name.written.isupper() or is_tight:
            return Style.SETTING
        if sign == ":" or _SECTION.search(text, max(0, name.start - 500), name.start):
            return Style.LINE
    return Style.BARE


def _secret_without_joint(name: _Name) -> Span | None:
    """Return the span of a value that only a blank parts from its name, if it is a secret:
    ``--password VALUE``, ``PASSWORD 'VALUE'``, ``login x password VALUE``, ``token VALUE``."""
    text = name.text
    gap = _BARE_JOINT.match(text, name.end)
    if gap is None:
        return None
    quoted = OPENING_QUOTE.match(text, gap.end())
    if quoted:
        span = span_in_quotes(text, quoted.end(), quoted["quote"])
    else:
        span = span_without_quotes(text, gap.end())
    if span is None:
        return None
    value = text[slice(*span)]
    if name.is_option:
        fits = not value.startswith("-") and is_secret_value(value, name.strength, Style.BARE)
        return span if fits else None
    if quoted:
        is_keyword = name.written.isupper() or name.written.lower() == "identified by"
        fits = is_secret_value(value, name.strength) and (
            is_keyword or any(map(str.isdigit, value))
        )
        return span if fits and " " not in value else None
    if name.strength is Strength.FAINT or "/" in value[:1]:
        return None
    is_login = _LOGIN_BEFORE.search(text[max(0, name.start - 80) : name.start])
    if is_login and is_secret_value(value, name.strength, Style.BARE):
        return span
    value = value.rstrip(".,:;!?")
    return (span[0], span[0] + len(value)) if is_random(value, strong=True) else None
