"""Whether what stands under a name that announces a secret is one, or is about one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum

from knitbone.record.secrets.names import Strength, strength_of, word_set, words_of

__all__ = [
    "Style",
    "is_chosen",
    "is_placeholder",
    "is_random",
    "is_secret_value",
    "says_nothing",
    "secrets_of",
    "strip_quotes",
]


class Style(Enum):
    """How a value stands beside its name."""

    QUOTED = "quoted"
    BARE = "bare"
    """``name = value`` or ``name: value`` in the middle of something."""
    SETTING = "setting"
    """``NAME=value``, ``?name=value&``, a line of a settings file: a literal though unquoted."""
    LINE = "line"
    """``name: value`` alone on a line."""
    PROSE = "prose"
    """``the name is value``, ``name value``."""


_LOOKED_AT = 256
"""Characters of a value by which it is judged."""
RANDOM_FROM = 12
"""Characters from which a text can be told to be random (ours: below, version numbers and short
identifiers look the same)."""
_WORDLIKE = 0.5
"""A text is made of words when so much of it stands in runs of four small letters or more (ours:
of 10,000 random texts of letters and digits, 20 characters long, 2 are)."""

_LONG = 32
"""Characters of letters and digits in a row from which a tenth of digits tells a random text."""
_PLACEHOLDER = re.compile(
    r"""^(?:
      [*x•.#?_-]{3,} | [xX]{3,}[-_xX]* | \W*
    | \[?<?\(?\[?(?:redacted|masked|hidden|removed|filtered|omitted|scrubbed|sensitive)\b.*
    | [$%]?[{(<\[].*[})>\]] | \$\{?\w+ | %\w+% | \{\{.*
    | (?:your|my|the|an?|some|insert|enter|put|add|replace|example|sample|dummy|fake|placeholder
       |change|todo|tbd|paste)(?:[-_ ].*|me)?
    | .{0,12}\.{2,} | [\w/-]{0,24}(?:[-_/])[xX*.0]{4,}
    )$""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_ABOUT = word_set("""
    true false null none nil undefined yes no on off str string text int integer float number
    bool boolean bytes object array list dict any void optional required missing invalid
    incorrect wrong expired empty unset set provided given valid changed updated reset hidden
    masked redacted secret password token key auth bearer basic digest value default unknown
    disabled enabled enable disable char varchar secretstr nullable unique type field input
    output error and or not is are was the of for in to with must should may can cannot will has
    have needed failed denied granted required. n/a na never always strong weak short long
    forgotten header headers cookie query body env file vault manual auto automatic new old
    current forbidden unauthorized ok
    obligatoria obligatorio requerida requerido incorrecta incorrecto obrigatória inválida
    obligatoire requis incorrect erforderlich falsch ungültig obbligatoria richiesta errata
    wymagane povinné verplicht påkrævet обязателен неверный
""")
"""Words that say something about a value in its place."""
_EXPRESSION = re.compile(
    r"(?:(?:await|new|not|lambda|return|f|async)\s|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?:\(|\[|::|->|\?\.)"
    r"|(?:self|this|os|process|settings|config|conf|cfg|env|args|request|req|ctx|context|options|opts|data"
    r"|user|params|secrets|var|local|module|values|Values|\$\w+|app|cls|event|state|kwargs|form|body)\.[A-Za-z_])"
)
_CALL = re.compile(r"[A-Za-z_$][\w.$]*[(\[]")
_PATH = re.compile(r"(?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*\Z")
_SMALL_RUN = re.compile(r"[a-z]{4,}|[A-Z][a-z]{3,}|[A-Z]{4,}")
_RANDOM = re.compile(r"[A-Za-z0-9+/=_.~!@#$%^&*:|-]+\Z")
_HEXADECIMAL = re.compile(r"[0-9a-f]+\Z|[0-9A-F]+\Z")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_SHORTEST_CHOSEN = 8
"""Characters of a password that most rules for passwords ask for."""
_SHORTEST_DIGITS = 16
"""Digits of the shortest hexadecimal number that is taken for a key."""
_ORDINARY = re.compile(
    r"""(?:
      \d[\d.:T/+Z-]*\w? | [vV]\d[\w.+-]*                        # numbers, times, versions
    | [^@]+@[\w-]+(?:\.[\w-]+)+ | \w+://.*                       # addresses
    | [\w$-]*(?:[./\\(\[{][\w$ -]*)+[)\]}]*                     # paths, calls
    | [0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}        # UUID
    | (?:sha|md)\d.* | [0-9a-f]{40} | [0-9a-f]{64}                # digests
    | \#[0-9a-fA-F]{6,8} | %.* | \$.*
    )\Z""",
    re.VERBOSE | re.DOTALL,
)
"""Texts of letters and digits that are known for something else."""
_KNOWN = re.compile(
    r"""(?:
      \d[\d.:T/+Z-]*\w? | [vV]\d[\w.+-]* | [^@]+@[\w-]+(?:\.[\w-]+)+ | \w+://.* | [./~].*
    | [0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12} | (?:sha|md)\d.* | [\w-]+\.[a-z]{2,4}
    )\Z""",
    re.VERBOSE | re.DOTALL,
)
"""Those of them that no password in a table looks like."""
_FUNCTION_WORDS = word_set("""
    a an the your my is are be must to of in on for with and or not enter please here de la le
    du el das ein por un una it this that at from
""")


def is_placeholder(value: str) -> bool:
    """Whether a value stands for one: stars, ``${NAME}``, ``<your key>``, ``[redacted]``."""
    return _PLACEHOLDER.match(value) is not None


def says_nothing(value: str) -> bool:
    """Whether a value stands for one, or is a word about one."""
    return is_placeholder(value) or value.lower().rstrip(".,;:!?") in _ABOUT


def strip_quotes(text: str, start: int, end: int) -> tuple[int, int]:
    """A place without the quotes around what stands there."""
    while start < end and text[start] in "\\\"'`":
        start += 1
    while start < end and text[end - 1] in "\\\"'`":
        end -= 1
    return start, end


def is_random(value: str, *, strong: bool = False) -> bool:
    """Whether a text looks as if a machine had drawn it.

    Args:
        strong: it has to be longer, of letters of both cases and digits.
    """
    length = len(value)
    if length < (20 if strong else RANDOM_FROM) or not _RANDOM.match(value):
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    upper = value != value.lower()
    lower = value != value.upper()
    if strong:
        if not (digits and upper and lower) or _HEXADECIMAL.match(value) or _UUID.match(value):
            return False
    elif not letters or not (digits or (upper and lower)):
        return False
    if length >= 16 and len(set(value)) < 8:
        return False
    if not digits and not _mixed_inside(value):
        return False
    if length >= _LONG and digits * 10 >= length and value.isalnum():
        return True
    wordlike = sum(len(run) for run in _SMALL_RUN.findall(value))
    return wordlike < _WORDLIKE * length


def is_chosen(value: str, *, plain: bool = False) -> bool:
    """Whether a text looks like a password that somebody or something made up: ``V10l1n^990Pe``,
    digits of a hexadecimal number, ``panama42MANGO73``.

    Args:
        plain: two words and a number are enough (``violin-18-pepper``, ``Januar2025``).
    """
    ordinary = _KNOWN if plain else _ORDINARY
    if not _SHORTEST_CHOSEN <= len(value) <= _LOOKED_AT or ordinary.match(value):
        return False
    digits = sum(map(str.isdigit, value))
    upper, lower = value != value.lower(), value != value.upper()
    if not digits or not (upper or lower):
        return False
    if plain:
        return (upper and lower) or not value.isalpha()
    if _HEXADECIMAL.match(value):
        return len(value) >= _SHORTEST_DIGITS
    return upper and lower and digits > 1 and (len(value) < _LONG or is_random(value))


def _mixed_inside(value: str) -> bool:
    """Whether capitals stand in it otherwise than at the beginning of words."""
    changes = re.findall(r"[a-z][A-Z]|[A-Z][a-z]", value)
    return len(changes) * 4 >= len(value)


def is_secret_value(value: str, strength: Strength, style: Style = Style.QUOTED) -> bool:
    """Whether a value under a name of this strength is a secret."""
    value = value[:_LOOKED_AT]
    if not value or is_placeholder(value):
        return False
    if strength is Strength.FAINT:
        return is_random(value, strong=True)
    if strength is Strength.POSSIBLE:
        return is_random(value) or (len(value) >= 16 and _HEXADECIMAL.match(value) is not None)
    if value.lower().rstrip(".,;:!?") in _ABOUT:
        return False
    if style is Style.QUOTED:
        return not _is_label(value)
    return _is_literal(value, strength, style)


def _is_literal(value: str, strength: Strength, style: Style) -> bool:
    """Whether an unquoted value is a literal, not an expression or a word of a sentence."""
    if value[0] in "{[" or value.startswith(("&[", "&mut", "&'")) or _names_place(value):
        return False
    expression = _CALL if style is Style.SETTING else _EXPRESSION
    if len(value) < 4 or expression.match(value):
        return False
    if is_random(value):
        return True
    if value.isdigit():
        return strength is Strength.PASSWORD and style is not Style.PROSE
    if style not in (Style.SETTING, Style.LINE) and _PATH.match(value):
        return False
    digit = any(map(str.isdigit, value))
    letter = any(map(str.isalpha, value))
    inner = value.strip("'\u2019.,-_:;!?/()")
    symbol = re.search(r"[^\w\s.,'\u2019/:;?()<>-]", inner) is not None
    if _about_itself(value) and not (digit and (symbol or style in (Style.SETTING, Style.LINE))):
        return False
    if style is Style.SETTING:
        return len(value) >= 5 and (letter or digit)
    if style is Style.LINE and strength is Strength.PASSWORD:
        return len(value) >= 5 and (letter or digit)
    if style is Style.PROSE:
        return letter and len(inner) >= 5 and (digit or (symbol and "@" not in inner[:1]))
    return letter and (digit or symbol)


def _names_place(value: str) -> bool:
    """Whether it is a path: parts between slashes, most of them words."""
    parts = [part for part in value.split("/") if part]
    if len(parts) < 2 and not value.startswith(("/", "~/", "./")):
        return False
    wordlike = sum(
        part.replace("-", "").replace("_", "").isalpha() and part[1:].islower() for part in parts
    )
    return wordlike * 2 >= len(parts) and not is_random(parts[-1], strong=True)


def _is_label(value: str) -> bool:
    """Whether a quoted value is a sentence, a label, a reference or an expression."""
    if " " not in value.strip():
        if "://" in value or value.startswith(("/", "./", "~/", "$.", "#/")):
            return not is_random(value.rpartition("/")[2], strong=True)
        return _about_itself(value) and not any(map(str.isdigit, value))
    words = value.lower().split()
    plain = [word.strip(".,:;!?'\"()*") for word in words]
    if len(words) >= 2 and any(word in _FUNCTION_WORDS or word in _ABOUT for word in plain):
        return not any(is_random(word) for word in value.split())
    # A passphrase is small letters; a label begins with a capital.
    letters = all(word.isalpha() for word in plain if word)
    return letters and value[:1].isupper()


def _about_itself(value: str) -> bool:
    """Whether a value names a secret itself (``password=new_password``, ``secret: db-secret``)."""
    if strength_of(value) >= Strength.POSSIBLE:
        return True
    found = words_of(value)
    nouns = {
        "password",
        "passwd",
        "secret",
        "secrets",
        "token",
        "credentials",
        "passphrase",
        "apikey",
        "pwd",
    }
    return len(found) <= 6 and any(word in nouns for word in found)


def secrets_of(environ: Mapping[str, str]) -> list[str]:
    """The secrets of an environment: values of variables whose names announce one. Only those that
    look random: ``postgres`` may be a password, and is a word of many texts."""
    return [
        value
        for name, value in environ.items()
        if (strength := strength_of(name)) >= Strength.POSSIBLE
        and is_random(value)
        and is_secret_value(value, strength)
    ]
