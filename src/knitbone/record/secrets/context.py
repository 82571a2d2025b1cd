"""Where a value stands, in a few figures: the words that announce a secret and how far they are,
and what stands right before and behind it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from knitbone.record.secrets.names import Strength, strength_of, word_set, words_of

__all__ = ["NEVER", "distance", "is_public", "place_of"]

NEVER = 5
"""The farthest distance: nothing announces."""
_NEXT_TO = 4
"""Characters between a name and what stands right beside it (ours)."""
_LINE = 6
"""How many words a new line counts for (ours)."""
_STEPS = (2, 6, 15, 45)
"""Words up to which something is near, in steps (ours)."""
_WINDOW = 64
"""Characters before a value that say how it stands."""

_BACKWARDS = re.compile(r"[\w.$@\[\]-]+")
_PASSWORD_OPTIONS = frozenset({"-p", "-P", "-w", "-a", "-k", "-pw"})
_TAG = re.compile(r"<[\w:]+")
_SHORTEST_DIGEST = 32
_FAR = 120
"""Characters before a digest in which its name stands."""
_DIGEST = re.compile(r"(?i:sha-?\d|md5|hash|digest|checksum|commit|etag|fingerprint|blob)")
"""Words before a digest."""
_PROMPT = re.compile(r"(?:\A|\n)[^\n]{0,60}?(?:[$%#>]|\w:) [^\n]*\n[ \t]*\Z")
_PUBLIC_BLOCK = re.compile(r"-----BEGIN (?![A-Z ]{0,20}PRIVATE)")
_LONGEST_BLOCK = 8_000
_ID_IS = re.compile(r"(?i:\b(?:id|number|name)\b(?: is|:\**) |\buser )\Z")
"""Words right before who or what is meant."""
_PHONE = re.compile(r"(?:\+\d{1,3}|\(0\d{1,4}\))[ ./()\d-]{0,16}\Z")
_LONGEST_ADDRESS = 1_500
_ADDRESS = re.compile(r"[^\s\"'`<>@/?#,]{1,250}[/?#][^\s\"'`<>,]*\Z")
_PARAMETER = re.compile(r"[?&][\w.%~-]{1,40}=\Z")
_GPG = re.compile(r"(?i:gpg: key|signingkey|key ?id:?|recv-keys?|keyserver) \Z")
_KEY_OF_VALUE = re.compile(r"[\w\])]\[[\"']\Z")
_KNOWN_BY = re.compile(
    r"(?i:\b(?:commit|blob|tree|parent|index|object|build|release|version|revision|rev|sha1|sha256"
    r"|hash|digest|order|invoice|trace|span|request|tracking|id|number))\Z"
)
"""Words right before what diagnosis needs."""
_HEADED = re.compile(r"\n[ \t|]*:?-{3,}[-:| \t]*\n")
_PUBLIC_KEY = ("public key", "peer key", "public-key")
_LONGEST_TABLE = 1_000
_JOINTS = ":=>"
_QUOTES = "\"'`"
_ORDINARY_OWNERS = word_set("""
    commit sha sha1 sha256 sha512 md5 hash digest checksum integrity etag revision rev uuid guid
    trace span request order invoice tracking version fingerprint public pub id ids ref image
    branch tag model name path file url host email date time size count status build parcel tx
    txid block address transaction thumbprint modulus kid issuer subject nonce hostname user
    username login uid h1 digests resolved resource account region bucket port timestamp created
    updated number no blob tree parent object index head serial jti
""")
"""Names of values that are no secrets, and that diagnosis needs."""
_PUBLIC = word_set("public pub pubkey peer integrity checksum digest fingerprint msvalidate")
"""Names with one of these are of what everybody may know."""
_VALUES = word_set("""
    value val values default text result results content contents data list fill string plain out
    output input answer body arg args argument arguments p x it line stdout stderr note detail
    payload event said is lautet est es equals to now
""")
"""Names that say no more than that this is the value, and words that say so."""
_SAYS_USER = re.compile(r"(?i:user|login|mail|account|name|admin|uid)")


def is_public(text: str, start: int, end: int) -> bool:
    """Whether a value is a part of what everybody may see: a certificate, a signature, a picture,
    a call."""
    if text[end : end + 1] in ("(", "["):
        return True
    if text.find("arn:", max(0, start - _FAR), start) >= 0 and text[start - 1] == ":":
        return True  # the parts of a name of a resource
    if text[start - 1 : start] == "<" and text[end : end + 1] == ">" and "@" in text[start:end]:
        return True  # the address or the number of a message
    if _PHONE.search(text, max(0, start - 24), start):
        return True
    if _ID_IS.search(text, max(0, start - 16), start) or text.endswith('File "', 0, start):
        return True
    if _GPG.search(text, max(0, start - 16), start):
        return True  # the number of a public key
    if _KEY_OF_VALUE.search(text, max(0, start - 4), start) and text[end + 1 : end + 2] == "]":
        return True  # the name by which a value is looked up
    if text.startswith(("sha256-", "sha384-", "sha512-", "sha1-", "data:"), start):
        return True
    before = text[max(0, start - 8) : start].lower()
    if before.endswith(("base64,", "sha256:", "sha512:", "sha1:", "md5:", "h1:")):
        return True
    if before and (before[-1] in "+/" or (before[-1].isascii() and before[-1].isalnum())):
        return True  # the middle of something long
    begin = text.rfind("-----BEGIN ", max(0, start - _LONGEST_BLOCK), start)
    if begin < 0 or _PUBLIC_BLOCK.match(text, begin) is None:
        return False
    return text.find("-----END ", begin, start) < 0


def distance(text: str, start: int, end: int) -> int:
    """How far apart two places are: 0 right beside each other, up to 4; ``NEVER`` beyond."""
    if end - start <= _NEXT_TO:
        return 0 if "\n" not in text[start:end] else 1
    words = text.count(" ", start, end) + _LINE * text.count("\n", start, end)
    for step, most in enumerate(_STEPS, 1):
        if words <= most:
            return step
    return NEVER


def place_of(text: str, start: int, end: int) -> Sequence[str] | None:
    """How a value stands between what is around it, in words (see ``weights.py``);
    ``None`` where it is under a name of what everybody may know."""
    before = text[max(0, start - _WINDOW) : start]
    bare = before.rstrip(_QUOTES + "\\")
    quoted = len(bare) < len(before) and text[end : end + 1] in ("'", '"', "`", "\\")
    stripped = bare.rstrip(" \t([{" + _QUOTES)
    if _is_ordinary_in_address(text, start, stripped):
        return None
    said = _said_before(text, start, end, before, bare, stripped, quoted=quoted)
    if said is None:
        return None
    if end - start >= _SHORTEST_DIGEST and _DIGEST.search(text, max(0, start - _FAR), start):
        said.append("digest near")
    following = text[end : end + 1]
    said.append("ends" if following in ("", "\n", "\r") else f"then {_kind(following)}")
    return said


def _said_before(
    text: str, start: int, end: int, before: str, bare: str, stripped: str, *, quoted: bool
) -> list[str] | None:
    """Describe what stands before a value; ``None`` where it names what everybody may know.

    Args:
        before: the text before the value, up to a limit.
        bare: without the quotes at its end.
        stripped: without brackets and spaces at its end, too.
    """
    said = ["quoted"] if quoted else []
    sign = stripped[-1:]
    if not stripped or bare.rstrip(" \t")[-1:] == "\n":
        said.append("begins line")
        if text[end : end + 1] in ("", "\n", "\r"):
            said.append("alone")
        if _PROMPT.search(text, max(0, start - 200), start):
            said.append("answers prompt")
    elif sign in _JOINTS:
        said.append(f"after {sign}")
        owner = _owner(stripped)
        if owner in ("public", "ordinary"):
            return None
        said.append(f"owner {owner}")
    elif sign == ",":
        said.append("after ,")
        if quoted and bare[-2:] == ", " and _SAYS_USER.search(before):
            said.append("argument beside user")
    elif sign == "|" and _HEADED.search(text, max(0, start - _LONGEST_TABLE), start):
        return None  # in a table with heads these say what it is
    elif sign in "/|;-*\\":
        said.append(f"after {sign}")
        if sign in "-*" and stripped[:-1].rstrip(" \t")[-1:] in ("", "\n"):
            said.append("begins line")
    else:
        word = "public" if stripped.lower().endswith(_PUBLIC_KEY) else _word(stripped)
        if word == "public" or (word == "ordinary" and _KNOWN_BY.search(stripped)):
            return None
        said.append(f"word {word}")
    return said


def _is_ordinary_in_address(text: str, start: int, stripped: str) -> bool:
    """Whether a value is a part of an address, where a parameter says by its name what it is."""
    is_parameter = stripped[-1:] == "=" and _PARAMETER.search(stripped) is not None
    if not is_parameter and not _in_address(text, start):
        return False
    return stripped[-1:] != "=" or not _owner(stripped).startswith("strength")


def _in_address(text: str, start: int) -> bool:
    """Whether a place is behind the host of an address, in its path or its parameters."""
    begin = text.rfind("://", max(0, start - _LONGEST_ADDRESS), start)
    return begin >= 0 and _ADDRESS.match(text, begin + 3, start) is not None


def _kind(character: str) -> str:
    if character in _QUOTES or character == "\\":
        return "quote"
    return character if character in ",:=/@(<" else "other"


def _last_name(text: str) -> str:
    """The name with which a text ends."""
    found = _BACKWARDS.match(text[::-1])
    return found.group()[::-1] if found else ""


def _owner(stripped: str) -> str:
    """What kind of name stands before a joint."""
    if stripped[-1] == ">" and (opened := stripped.rfind("<")) >= 0:
        found = _TAG.match(stripped, opened)
        return _kind_of(found.group()[1:]) if found else "none"
    before = stripped.rstrip(_JOINTS + " \t" + _QUOTES + ")]")
    if before.lower().endswith(_PUBLIC_KEY):
        return "public"
    name = _last_name(before)
    return _kind_of(name) if name else "none"


def _word(stripped: str) -> str:
    """What kind of word stands before a value without a joint."""
    name = _last_name(stripped)
    if not name:
        return "sign"
    if name[0] == "-":
        if strength_of(name) >= Strength.POSSIBLE:
            return "strong option"
        return "password option" if name in _PASSWORD_OPTIONS else "option"
    return _kind_of(name)


@lru_cache(maxsize=4_096)
def _kind_of(name: str) -> str:
    strength = strength_of(name)
    if strength:
        return f"strength {strength.value}"
    words = words_of(name)
    if not words:
        return "none"
    if words[-1] in _VALUES:
        return "value"
    if not _PUBLIC.isdisjoint(words):
        return "public"
    return "ordinary" if words[-1] in _ORDINARY_OWNERS else "other"
