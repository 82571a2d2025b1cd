"""Secrets that stand beside a name which announces them, however the two are joined: settings, JSON
within JSON, headers, XML, command lines, tables, pairs of name and value, and plain words."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterator, Sequence

from knitbone.record.secrets.cues import Announcement, Cue
from knitbone.record.secrets.names import FOREIGN, Strength, strongest_name, words_of
from knitbone.record.secrets.values import (
    Style,
    is_chosen,
    is_placeholder,
    is_random,
    is_secret_value,
)

__all__ = ["HINTS", "secrets_by_name"]

_CUES = {
    Strength.NONE: Cue.PART,
    Strength.FAINT: Cue.KEY,
    Strength.POSSIBLE: Cue.TOKEN,
    Strength.CERTAIN: Cue.SECRET,
    Strength.PASSWORD: Cue.NAME,
}

HINTS = (
    b"pass", b"pw", b"secret", b"token", b"key", b"auth", b"cred", b"cookie", b"bearer", b"basic",
    b"otp", b"psk", b"phrase", b"mnemonic", b"identified by", b"curl", b"contrase", b"senha",
    b"signature", b"sig=", b"_pat",
    b"ry code", b"up code", b"assw",
)  # fmt: skip
"""Without one of these, in small letters, no name announces a secret (in ASCII)."""

_NAME_BACKWARDS = re.compile(r"(?:[\w.$\[\]-]|(?<![^A-Za-z]) (?=[a-z]))*")
_NAME_REST = re.compile(r"[\w-]*(?:[ ]key\b|[ ]phrase\b|[ ]token\b|[ ]secret\b|[ ]codes?\b)?")
_WORD_NEXT = re.compile(
    r"[ ](?!(?:for|of|on|to|is|was|are|set|equals|ist|lautet|est|es|value|content)\b)"
    r"[A-Za-z]{1,40}(?:[ ,]|\Z)"
)
"""A plain word after a name: no value, and nothing that joins it to one."""
_UNSPACED = "\u3000"
"""From this character on, words are written without spaces between them."""
_UNSPACED_WORD = re.compile("|".join(word for word in FOREIGN if word[0] >= _UNSPACED))
_BEFORE = 64
"""Characters before a hint that may belong to its name."""
_LONGEST_PART = 24
"""Characters of a word of which a part names a secret (ours)."""
_LONGEST_VALUE = 8_192
_LONGEST_BARE = 1_024
"""Characters of a value without quotes by which it is judged; one that is a secret goes whole."""
_SHORTEST_COOKIE = 4
_TAG = 200
"""Characters between the beginning of a tag and a name in it."""
_QUOTE = r"(?:\\*[\"'`]|[\u201c\u2018\u00ab])"
_JOINT = re.compile(
    rf"""(?:[ ](?:for|of|on|to)[ ][\w'. -]{{1,40}}?(?=[ ](?:is|was)[ :]|:[ ]))?
    (?P<close>{_QUOTE})?(?P<bracket>\]|\))?\*{{0,2}}\s{{0,8}}
    (?:[ ]\#?\d{{1,2}}(?=:)|[ ]\([^()\n]{{1,40}}\)(?=:))?
    (?:
      (?P<assign> =>|:=|[!=]==?|->|[:=|](?![:=])\*{{0,2}}|\uff1a)
    | (?P<pair> ,\s{{0,16}}(?:\\*["'](?:value|Value|val|content|default)\\*["']\s{{0,4}}[:=]
        |(?=\\*["'\[])) | (?<=\s)(?:value|content)\s{{0,2}}=)
    | (?P<element> (?:[^<>=:]{{0,200}}=[^<>]{{0,200}})?>|</[\w:]{{1,64}}>\s{{0,64}}<[\w:]{{1,64}}>)
    | (?P<words> \s{{0,4}}(?:is|was|are|set\s+to|equals|to|is\s+set\s+to|is\s+now|ist|lautet|est|es)
        (?=[\s:])[\s:]{{1,4}}|[\u662f\u4e3a])
    )\s{{0,64}}""",
    re.VERBOSE,
)
_SEED = re.compile(r"(?:[a-z]{3,8}[ ,]{1,2}){11,24}[a-z]{3,8}\b")
_LOGIN_BEFORE = re.compile(r"\b(?:login|user|username|account)\s+\S+?,?[\s+>]+\Z")
"""``login ann`` of a netrc file, before its ``password``."""
_BARE_JOINT = re.compile(r"[ \t]{1,8}")
_QUOTED = re.compile(r"[a-zA-Z]{0,2}(?P<quote>\\*[\"'`]|[\u201c\u2018\u00ab])")
_CLOSING = {"\u201c": "\u201d", "\u2018": "\u2019", "\u00ab": "\u00bb"}
_UNQUOTED = re.compile(r"[^\s\"'<>`|\\]*(?:\\(?![nrt\"'\\u])[^\s\"'<>`|\\]*)*")
_NEXT = re.compile(r"[,;&)}\]]+(?:[\w.%-]{1,64}[=:]|\Z)")
"""What ends an unquoted value: the next name, or closing brackets."""
_KEY_END = re.compile(r"\\*[\"']\s{0,4}:")
_LINE = re.compile(r"[^\n\r]*")
_SCHEME = re.compile(
    r"(?i:(bearer|basic|token|apikey|negotiate|ntlm|digest|key|aws4-hmac-sha256))[ =]+"
)
_ANY_SCHEME = re.compile(r"([A-Za-z][\w-]{1,24})[ =]+(?=[^\s=:]{8})")
_COOKIES = re.compile(
    r"[\w.$%!#-]{1,128}=[^\s;,\"'<>\\]*(?:;\s{0,2}[\w.$%!#-]{1,128}(?:=[^\s;,\"'<>\\]*)?)*"
)
_USER = re.compile(
    r"curl\b(?:[^\n]|\\\n){0,500}?\s(?:-u|--user|--proxy-user|-U)[ =]{1,2}[\"']?[^\s:\"']{1,128}:"
    r"(?P<value>[^\s\"']{3,256})"
)
_SETTING_LINE = re.compile(
    r"(?:^|[\n\r]|\\n)[ \t]*[+>-]?[ \t]*(?:export +|set +|ENV +|ARG +|SET +|\$env:|setx +)?\Z"
)
_SECTION = re.compile(r"(?:\A|[\n\r]|\\n)[+>-]?\[[\w. :\"'-]{1,64}\]")
"""The head of a section of a settings file, below which nothing is an expression."""
_LINE_END = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\\+n|[\n\r]|\Z)")


def secrets_by_name(
    text: str, hinted: Sequence[int], announced: list[Announcement], *, is_foreign: bool
) -> Iterator[tuple[int, int]]:
    """Places of secrets that a name beside them announces.

    Args:
        hinted: where one of ``HINTS`` stands, in order.
        announced: gets the names beside which there is none.
        is_foreign: whether there are names in other letters than ASCII.
    """
    seen = -1
    for place in _with_foreign(text, hinted) if is_foreign else hinted:
        if place < seen:
            continue
        before = _NAME_BACKWARDS.match(text[max(0, place - _BEFORE) : place][::-1])
        start = place - before.end() if before else place
        rest = (_NAME_REST if text[place] < _UNSPACED else _UNSPACED_WORD).match(text, place)
        end = rest.end() if rest else place
        seen = end
        for span in _at_name(text, start, place, end, announced):
            whole = span
            if span[1] - span[0] >= _LONGEST_BARE - 8:
                rest = _UNQUOTED.match(text, span[1])
                whole = (span[0], rest.end() if rest else span[1])
            seen = max(seen, whole[1])
            yield whole


def _with_foreign(text: str, hinted: Sequence[int]) -> list[int]:
    places = [match.start() for word in FOREIGN for match in re.finditer(word, text)]
    return sorted([*hinted, *places])


def _at_name(
    text: str, start: int, place: int, end: int, announced: list[Announcement]
) -> Iterator[tuple[int, int]]:
    name = text[start:end]
    word = text[place:end].lower()
    if word in ("bearer", "basic"):
        span = _after_scheme(text, place)
        if span:
            yield span
            return
    if word == "curl":
        match = _USER.match(text, place)
        if match and not is_placeholder(match["value"]):
            yield match.span("value")
        return
    if word == "identified":
        strength, end = Strength.PASSWORD, place + len("identified by")
    else:
        name, strength = strongest_name(name)
        start = end - len(name)
    if end - start <= _LONGEST_PART if not strength else not _is_in_run(text, start, end):
        announced.append(Announcement(start, end, _CUES[strength]))
    span = _value_after(text, start, end, strength, name) if strength else None
    if span:
        yield span


def _is_in_run(text: str, start: int, end: int) -> bool:
    """Whether it is no name but a part of random characters."""
    around = text[max(0, start - 1) : start] + text[end : end + 1]
    return "+" in around or around.endswith("/") or is_random(text[start:end])


def _value_after(
    text: str, start: int, end: int, strength: Strength, name: str
) -> tuple[int, int] | None:
    """The place of the secret that belongs to the name."""
    if _WORD_NEXT.match(text, end) and "-" not in text[max(0, start - 1) : start + 1]:
        return None  # what most names in sentences are followed by
    joint = _JOINT.match(text, end)
    if joint is None:
        return _without_joint(text, start, end, strength)
    place = joint.end()
    if joint["element"] is not None and text.rfind("<", max(0, start - _TAG), start) < 0:
        return None
    folded = name.lower()
    if folded.endswith(("cookie", "cookies")):
        cookies = _COOKIES.match(text, _past_quote(text, place))
        if cookies and "=" in cookies.group():
            values = [cookie.partition("=")[2] for cookie in cookies.group().split(";")]
            return cookies.span() if max(map(len, values)) >= _SHORTEST_COOKIE else None
        return _judged(text, place, Strength.POSSIBLE, start, end, joint)
    header = folded.endswith("authorization")
    scheme = (_ANY_SCHEME if header else _SCHEME).match(text, _past_quote(text, place))
    if scheme and (
        folded.endswith(("authorization", "auth")) or scheme[1].lower() in ("bearer", "basic")
    ):
        return _credentials(text, scheme)
    return _judged(text, place, strength, start, end, joint)


def _credentials(text: str, scheme: re.Match[str]) -> tuple[int, int] | None:
    """Find what stands behind the scheme of an authorization: a value, or the rest of its line."""
    value = _bare(text, scheme.end())
    if value is None or is_placeholder(text[slice(*value)]):
        return None
    if not _credential(text[slice(*value)]):
        return None
    of_line = scheme[1].lower() in ("digest", "aws4-hmac-sha256")
    return _line(text, scheme.end()) if of_line else value


def _joins_others(
    text: str,
    place: int,
    start: int,
    end: int,
    joint: re.Match[str],
    quoted: re.Match[str] | None,
) -> bool:
    """Whether what looks like a joint between a name and its value is none."""
    crossed = joint["assign"] and "\n" in text[joint.start("assign") : place]
    if crossed and (quoted is None or joint["assign"] != ":"):
        return True
    if quoted and not joint["close"] and text.endswith(quoted["quote"], 0, start):
        return True  # what looks like the beginning of a value ends a quotation
    if quoted and text[quoted.end() : quoted.end() + 1] in ("\r", "\n"):
        return True  # what begins so stands between two quotations
    # The parts of a name of a resource.
    return text[start - 1 : start] == ":" == joint["assign"] and place - end == 1


def _judged(
    text: str, place: int, strength: Strength, start: int, end: int, joint: re.Match[str]
) -> tuple[int, int] | None:
    """The value at this place, if it is a secret."""
    quoted = _QUOTED.match(text, place)
    if _joins_others(text, place, start, end, joint, quoted):
        return None
    words = _SEED.match(text, quoted.end() if quoted else place)
    if words and text[start:end].lower().endswith(("phrase", "mnemonic", "seed", "words")):
        return words.span()
    listed = bool(joint["pair"]) and not joint["pair"].endswith(("=", ":"))
    if quoted:
        span = _inside_quotes(text, quoted.end(), quoted["quote"])
        if span is None:
            return None
        if listed and not joint["words"]:
            return span if _fits_in_list(text, start, end, span, strength) else None
        value = text[slice(*span)]
        in_words = joint["words"] and " " in value
        return span if not in_words and is_secret_value(value, strength) else None
    if joint["element"] is not None:
        closing = text.find("<", place, place + _LONGEST_VALUE)
        value = text[place:closing].strip() if closing >= 0 else ""
        fits = bool(value) and is_secret_value(value, strength)
        return (place, closing) if fits else None
    if joint["pair"] is not None and not joint["pair"].endswith(("=", ":")):
        return None
    return _unquoted(text, place, strength, start, end, joint)


def _fits_in_list(
    text: str, start: int, end: int, span: tuple[int, int], strength: Strength
) -> bool:
    """Tell a quoted text behind a quoted name for its value: a list of names is no pair, so it
    has to look like a secret."""
    if _KEY_END.match(text, span[1]):
        return False
    value = text[slice(*span)]
    flag = text[max(0, start - 2) : start + 1].find("-") >= 0
    telling = flag or len(words_of(text[start:end])) > 1
    style = Style.LINE if telling else Style.BARE
    fits = is_chosen(value) or is_secret_value(value, strength, style)
    return fits and (telling or not value.isalpha())


def _unquoted(
    text: str, place: int, strength: Strength, start: int, end: int, joint: re.Match[str]
) -> tuple[int, int] | None:
    """The value that begins here without quotes, if it is a secret."""
    span = _bare(text, place)
    if span is None:
        return None
    ends_name = text[span[1] - 1] == "=" and text[span[1] : span[1] + 1] in ('"', "'")
    if ends_name and not is_random(text[slice(*span)]):
        return None  # the next name
    style = Style.PROSE if joint["words"] else _style(text, start, end, span, joint)
    return span if is_secret_value(text[slice(*span)], strength, style) else None


def _style(text: str, start: int, end: int, span: tuple[int, int], joint: re.Match[str]) -> Style:
    sign = joint["assign"]
    tight = span[0] - end == 1
    if tight and sign == "=":
        first = start and text[start - 1] in "?&;"
        if first or text[start:end].isupper() or text.startswith("--", start):
            return Style.SETTING
    if joint["close"] or joint["bracket"]:
        return Style.BARE
    alone = _SETTING_LINE.search(text, max(0, start - 40), start) and _LINE_END.match(text, span[1])
    if alone and sign in ("=", ":"):
        if text[start:end].isupper() or tight:
            return Style.SETTING
        if sign == ":" or _SECTION.search(text, max(0, start - 500), start):
            return Style.LINE
    return Style.BARE


def _without_joint(text: str, start: int, end: int, strength: Strength) -> tuple[int, int] | None:
    """``--password VALUE``, ``PASSWORD 'VALUE'``, ``login x password VALUE``, ``token VALUE``."""
    gap = _BARE_JOINT.match(text, end)
    if gap is None:
        return None
    quoted = _QUOTED.match(text, gap.end())
    flag = text[start : start + 1] == "-" or (start and text[start - 1] == "-")
    span = _inside_quotes(text, quoted.end(), quoted["quote"]) if quoted else _bare(text, gap.end())
    if span is None:
        return None
    value = text[slice(*span)]
    if flag:
        return (
            span
            if not value.startswith("-") and is_secret_value(value, strength, Style.BARE)
            else None
        )
    if quoted:
        upper = text[start:end].isupper() or text[start:end].lower() == "identified by"
        fits = is_secret_value(value, strength) and (upper or any(map(str.isdigit, value)))
        return span if fits and " " not in value else None
    if strength is Strength.FAINT or "/" in value[:1]:
        return None
    netrc = _LOGIN_BEFORE.search(text[max(0, start - 80) : start])
    if netrc and is_secret_value(value, strength, Style.BARE):
        return span
    value = value.rstrip(".,:;!?")
    return (span[0], span[0] + len(value)) if is_random(value, strong=True) else None


def _after_scheme(text: str, place: int) -> tuple[int, int] | None:
    scheme = _SCHEME.match(text, place)
    span = _bare(text, scheme.end()) if scheme else None
    if scheme is None or span is None:
        return None
    value = text[slice(*span)]
    fits = _names_user(value) if scheme[1].lower() == "basic" else _credential(value)
    return span if fits and not is_placeholder(value) else None


def _credential(value: str) -> bool:
    """Whether what follows a scheme is a credential rather than a word of a sentence."""
    if len(value) < 8:
        return False
    varied = any(map(str.isdigit, value)) or value[1:] != value[1:].lower()
    return (varied and not value.rstrip(".,:;").isalpha()) or is_random(value) or _names_user(value)


def _names_user(value: str) -> bool:
    """Whether it is base64 of ``user:password`` (RFC 7617)."""
    try:
        return (
            b":" in b64decode(value.rstrip(".,") + "==", altchars=b"-_", validate=False)
            and len(value) >= 8
        )
    except (Error, ValueError):
        return False


def _past_quote(text: str, place: int) -> int:
    quoted = _QUOTED.match(text, place)
    return quoted.end() if quoted else place


def _bare(text: str, place: int) -> tuple[int, int] | None:
    """What stands here without quotes, as far as it goes."""
    found = _UNQUOTED.match(text, place, place + _LONGEST_BARE)
    if found is None:
        return None
    following = _NEXT.search(text, place, found.end())
    end = following.start() if following else found.end()
    while end - place > 4 and text[end - 1] in ".,:?!" and _LINE_END.match(text, end):
        end -= 1
    return (place, end) if end > place else None


def _line(text: str, place: int) -> tuple[int, int]:
    found = _LINE.match(text, place, place + _LONGEST_VALUE)
    return place, found.end() if found else place


def _inside_quotes(text: str, place: int, quote: str) -> tuple[int, int] | None:
    """What stands between this quote and its like."""
    closing = _CLOSING.get(quote, quote)
    end = place
    while True:
        end = text.find(closing, end, place + _LONGEST_VALUE)
        if end < 0:
            return None
        # A quote behind more backslashes is one inside the value.
        if text[end - 1] != "\\":
            return (place, end) if end > place else None
        end += len(closing)
