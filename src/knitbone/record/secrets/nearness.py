"""Secrets that stand near words which announce them, whatever stands between.

One decision for every value: how much it looks like a secret (``shape.py``), which words announce
one and how far they are, and between what it stands (``context.py``). Each of these counts for so
much as it told secrets from other values (``weights.py``, fitted by
``python -m knitbone_evals.redact.fit``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from knitbone.record.secrets.candidates import SecretCandidate, candidates, score_of
from knitbone.record.secrets.cues import Announcement, Cue
from knitbone.record.secrets.marks import Marks, announcements
from knitbone.record.secrets.names import Strength, strength_of, word_set, words_of
from knitbone.record.secrets.sequences import secrets_in_sequence
from knitbone.record.secrets.values import is_chosen
from knitbone.record.secrets.weights import THRESHOLD

__all__ = ["NEVER", "SuspectedValue", "distance", "place_of", "secrets_near", "values_near"]


# Where a value stands, in a few figures: the words that announce a secret and how far they are, and
# what stands right before and behind it.

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


# Secrets in the columns of tables whose heads announce them.

_ROWS = 50
"""Rows below the head of a table that are read."""
_LONGEST_ROW = 1_000
_BREAK = re.compile(r"\r?\n|\\+r\\+n|\\+n|\r")
_RULE = re.compile(r"[\s|:+-]*\Z")
_CELLS = re.compile(r"[\w \"/-]{1,40}(?:(?P<sign>[,;\t|])[\w \"/-]{1,40})+\Z")


class _Head(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


def secrets_below_heads(text: str, names: Iterable[_Head]) -> Iterator[tuple[int, int]]:
    """Places of secrets in the columns of tables that have a name for their head."""
    for name in names:
        yield from _below_head(text, name.start, name.end)


def _below_head(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Secrets in the column of a table that has the name for its head."""
    head = max(
        text.rfind("\n", max(0, start - _LONGEST_ROW), start) + 1,
        text.rfind("\\n", max(0, start - _LONGEST_ROW), start) + 2
        if "\\n" in text[max(0, start - _LONGEST_ROW) : start]
        else 0,
    )
    stop = end + _LONGEST_ROW
    # Most texts have none, which an expression takes long to say.
    if all(text.find(sign, end, stop) < 0 for sign in "\n\r\\"):
        return
    found = _BREAK.search(text, end, stop)
    if found is None:
        return
    sign = _separator(text[head : found.start()])
    if not sign:
        return
    column = text.count(sign, head, start)
    for _ in range(_ROWS):
        if found is None:
            return
        row = found.end()
        found = _BREAK.search(text, row, row + _LONGEST_ROW)
        line = text[row : found.start() if found else row + _LONGEST_ROW]
        cells = line.split(sign)
        if len(cells) <= max(column, 1):
            return
        value = cells[column].strip(" \t\"'\\")
        if not _RULE.match(line) and is_chosen(value, plain=True):
            place = row + sum(len(cell) + 1 for cell in cells[:column])
            place += cells[column].index(value)
            yield place, place + len(value)


def _separator(line: str) -> str:
    """The sign between the heads of the columns of a table, or none."""
    if "|" in line:
        return "|"
    found = _CELLS.match(line.strip())
    return found["sign"] if found and line.count(found["sign"]) > 1 else ""


class SuspectedValue(NamedTuple):
    """What may be a secret: where it stands, and what is known of it."""

    start: int
    end: int
    features: tuple[str, ...]


_NEAR = 400
"""Characters after a word in which its value is looked for (ours)."""
_BEFORE = 60
"""Characters before it: ``hunter2 (password)``."""
_LIKENESS = 12
"""Characters between the values of a list."""


def secrets_near(
    text: str,
    named: Sequence[Announcement],
    marks: Marks,
) -> Iterator[tuple[int, int]]:
    """Places of secrets that belong to an announcement but do not stand beside it.

    Args:
        named: names of secrets, in order.
        marks: what the text bears.
    """
    yield from secrets_below_heads(
        text, [one for one in named if one.cue in (Cue.NAME, Cue.SECRET)]
    )
    found = candidates(text, named, marks.kinds | {one.cue for one in named})
    sequences = list(secrets_in_sequence(text, has_phrase=marks.has_phrase))
    if not found and not sequences:
        return
    words = announcements(text, marks, named)
    for start, end, cue in sequences:
        if any(one.cue in cue and 0 <= start - one.end <= _NEAR for one in words):
            yield start, end
    last, shape = -1, ""
    for value in values_near(text, found, words):
        start, end = value.start, value.end
        listed = 0 <= start - last <= _LIKENESS and _outline(text[start:end]) == shape
        if listed or score_of(value.features) >= THRESHOLD or _is_one_of_codes(value.features):
            last, shape = end, _outline(text[start:end])
            yield start, end


def values_near(
    text: str, found: Sequence[SecretCandidate], announced: Sequence[Announcement]
) -> Iterator[SuspectedValue]:
    """The candidates that are near an announcement, with all that is known of them."""
    latest: dict[Cue, int] = {}
    index, count, newest = 0, len(announced), -_NEAR - 1
    for number, (start, end, shape) in enumerate(found):
        while index < count and _is_before(announced[index], start):
            newest = announced[index].end
            latest[announced[index].cue] = newest
            index += 1
        following = announced[index] if index < count else None
        if following is not None and not 0 <= following.start - end <= _BEFORE:
            following = None
        if (start - newest > _NEAR and following is None) or is_public(text, start, end):
            continue
        place = place_of(text, start, end)
        if place is None:
            continue
        far = _distances(text, start, latest)
        if following is not None:
            step = min(2, distance(text, end, following.start))
            far.append(f"{following.cue.name} follows {step}")
        if "digits" in shape and (
            not _is_code(far, place) or _OTHER_CODES.search(text, max(0, start - _NEAR), start)
        ):
            continue
        if shape[0] == "uuid" and _BESIDE.isdisjoint(far):
            continue
        if "digest near" in place and _is_digest(shape, far):
            continue
        features = [*shape, *far, *place, *_together(shape, far, place)]
        if _is_listed(text, found, number):
            features.append("listed")
            features += [f"listed {one}" for one in far if one.startswith(("CODE", "CRYPTO"))]
        yield SuspectedValue(start, end, tuple(features))


_OF_CODES = frozenset(
    {f"CODE {far}" for far in range(3)}
    | {f"CODE follows {far}" for far in range(3)}
    | {"NAME 0", "NAME 1"}
)
"""How near digits alone are a code."""
_LISTED = frozenset({"digit groups", "groups", "look 2", "look 3", "look 4", "look 5"})
_OTHER_CODES = re.compile(
    r"(?i:(?:exit|status|error|return|source|zip|postal|country|area|http|python|airport) ?code"
    r"|code output)[^\n]{0,80}\Z"
)
"""Codes that are no secrets."""
_OTHERS = frozenset({"owner other", "owner none", "after ,"})


def _is_code(far: Sequence[str], place: Sequence[str]) -> bool:
    """Whether digits alone are announced as a code, and are not the number of something else."""
    return not _OF_CODES.isdisjoint(far) and _OTHERS.isdisjoint(place)


_BESIDE = frozenset({"NAME 0", "SECRET 0"})
"""How near a uuid is a secret: all others are what diagnosis knows runs and calls by."""
_OF_DIGESTS = tuple(f"hexadecimal {digits}" for digits in (32, 40, 64, 128))
_OF_KEYS = frozenset(f"{cue.name} {far}" for cue in (Cue.NAME, Cue.SECRET) for far in range(2))


def _is_digest(shape: Sequence[str], far: Sequence[str]) -> bool:
    """Whether a value is as long as a digest, and no name of a secret is beside it."""
    return shape[0] in _OF_DIGESTS and _OF_KEYS.isdisjoint(far)


def _is_one_of_codes(features: Sequence[str]) -> bool:
    """Whether it stands in a list below ``recovery codes``; too few sets have such for the fit."""
    if "listed" not in features or not any(f"NAME {far}" in features for far in range(NEVER)):
        return False
    return features[0] in _LISTED


def _is_before(one: Announcement, start: int) -> bool:
    """Whether it stands before a value, or is an option with its value: ``-pVALUE``."""
    return one.end <= start or (one.cue is Cue.OPTION and one.start < start)


_STRONG = tuple(
    (f"{cue.name} {far}", far) for far in range(NEVER) for cue in (Cue.NAME, Cue.SECRET)
)


def _together(shape: Sequence[str], far: Sequence[str], place: Sequence[str]) -> Iterator[str]:
    """What a look counts for at this distance from a name, and digits right beside one."""
    nearest = next((step for name, step in _STRONG if name in far), NEVER)
    yield f"{shape[0]} at {nearest}"
    for said in place:
        if said.startswith(("owner strength", "word strength")):
            digits = next((one[-1] for one in shape if one.startswith("case")), "-")
            yield f"{said} digits {digits}"


def _distances(text: str, start: int, latest: dict[Cue, int]) -> list[str]:
    """How far the announcements before a value are."""
    said: list[str] = []
    for cue, place in latest.items():
        if start - place <= 2 * _NEAR:
            far = distance(text, place, start)
            if far < NEVER:
                said.append(f"{cue.name} {far}")
                if cue in (Cue.NAME, Cue.SECRET) and text.find(". ", place, start) >= 0:
                    said.append("sentence ends")
    return said


def _is_listed(text: str, found: Sequence[SecretCandidate], number: int) -> bool:
    """Whether the value before or behind this one has its outline."""
    start, end, _ = found[number]
    for beside in (number - 1, number + 1):
        if 0 <= beside < len(found):
            first, last, _ = found[beside]
            gap = start - last if beside < number else first - end
            if 0 <= gap <= _LIKENESS and last - first == end - start:
                return _outline(text[first:last]) == _outline(text[start:end])
    return False


def _outline(value: str) -> str:
    """The length of a value and where its signs stand."""
    return "".join("a" if character.isalnum() else character for character in value)
