"""What a sentence of documentation grants, and what it demands, as far as its words tell.

Each reader looks for one way in which documentations state what an argument may be: a range, a
list of values, a grammar of digits and letters, a sign, a permission, a universal word. A reader
answers whether the sentence grants *this* value; what it does not understand it does not grant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, cast

__all__ = [
    "demands",
    "examples",
    "grants_by_range",
    "has_grammar",
    "is_demand",
    "leaves",
    "lists_value",
    "number_in_words",
    "permits",
    "promises_fallback",
    "promises_one_result",
    "quotation",
    "quoted",
    "range_around",
    "relaxed",
    "shape",
]

_NUMBER = r"[-+\u2212]?\d[\d,_]*(?:\.\d+)?(?:[eE][-+]?\d+)?"
_BOTH = re.compile(
    rf"(?:within|between|from)?\s*(?<![\w.])({_NUMBER})\s*(?:and|(?:up\s+)?to|through|-|\.\.\.?|\u2013)"
    rf"\s*({_NUMBER})(?![\w-])",
    re.IGNORECASE,
)
_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|sixteen|twenty"
_GRAMMAR = re.compile(
    rf"\b(?:{_WORDS}|\d+|each|hexadecimal|hex|decimal|capital|upper-?case|lower-?case|small|an?|the)"
    r"\s+(?:[\w-]+\s+){0,2}(?:digits?|letters?)\b"
    r"|\b(?:digits?|letters?)\s+(?:only|from)\b",
    re.IGNORECASE,
)
_LETTER_RANGE = re.compile(r"\bfrom\s+[A-Z]{1,20}\s+to\s+[A-Z]{1,20}\b")


def quotation(longest: int) -> str:
    """The expression of a text of so many characters in quotation marks; one of its groups is what
    stands between them."""
    inside = rf"{{1,{longest}}}"
    return (
        rf"(?:\"([^\"\n]{inside})\"|\u201c([^\u201d\n]{inside})\u201d"
        rf"|`{{1,2}}([^`\n]{inside})`{{1,2}}|(?<!\w)'([^'\n]{inside})'(?!\w))"
    )


_QUOTED = re.compile(quotation(300))
_EXAMPLE = re.compile(
    r"\b(?:such as|as in|for example|for instance|e\.?g\.?|examples?(?: is| are|:)|like|written)"
    r"[:,]?\s*",
    re.IGNORECASE,
)
_BARE = re.compile(r"[\w][\w./:+@-]{0,80}[\w]|\d")
_MAY = re.compile(
    r"\b(?:may|can|could)\b|\b(?:is|are) (?:also )?(?:allowed|permitted|accepted|supported|"
    r"optional|possible|fine|ignored|understood)\b|\b(?:when|if|for|means)\b",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\b(?:if|for|when|where|in case)\b[^.]{0,60}\b(?:not|no|none|un\w+|an?other|other|missing|"
    r"empty|nothing)\b|\botherwise\b",
    re.IGNORECASE,
)
_DEMAND = re.compile(
    r"\b(?:must|has to|have to|needs? to|only|always|exactly|required|requires?|mandatory|never|"
    r"do not|don't|make sure|be sure|ensure|strictly|needs)\b"
    r"|^(?:always )?(?:write|give|use|enter|put|pass|include|provide|specify|start|begin|prefix|"
    r"quote|wrap|append|add|state|spell)\b",
    re.IGNORECASE,
)
_FORMS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"\babsolute\b", re.IGNORECASE), re.compile(r"(?:/|[A-Za-z]:\\|https?:)")),
    (
        re.compile(r"\bupper[- ]?case|capital letters\b", re.IGNORECASE),
        re.compile(r"[^a-z]*[A-Z][^a-z]*\Z"),
    ),
    (
        re.compile(r"\blower[- ]?case|small letters\b", re.IGNORECASE),
        re.compile(r"[^A-Z]*[a-z][^A-Z]*\Z"),
    ),
    (re.compile(r"\bISO\b|\bYYYY\b", re.IGNORECASE), re.compile(r"\d{4}-\d\d-\d\d")),
    (re.compile(r"\bURLs?\b|\bhttps?\b", re.IGNORECASE), re.compile(r"[a-z]+://", re.IGNORECASE)),
    (re.compile(r"\bJSON\b"), re.compile(r"\s*[\[{\"]")),
    (
        re.compile(r"\bquot(?:es|ed|ation)\b", re.IGNORECASE),
        re.compile(r"\s*[\"'].*[\"']\s*\Z", re.DOTALL),
    ),
)
_NO_TRAIT = re.compile(r"\b(?:not|never|no|except|without)\b", re.IGNORECASE)
_READ = 2_000
"""Characters of one sentence or value that are looked at."""


def leaves(value: Any, depth: int = 0) -> Iterator[Any]:
    """The single values within an argument."""
    if depth < 8 and isinstance(value, dict):
        for item in cast("dict[str, Any]", value).values():
            yield from leaves(item, depth + 1)
    elif depth < 8 and isinstance(value, list):
        for item in cast("list[Any]", value)[:50]:
            yield from leaves(item, depth + 1)
    else:
        yield value


def grants_by_range(sentence: str, value: Any) -> bool:
    """Whether a number lies in a range that the sentence states on both sides."""
    return range_around(sentence, value) is not None


def range_around(sentence: str, value: Any) -> tuple[float, float] | None:
    """The range, stated on both sides, in which a number lies; ``None`` where it lies in none."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    for match in _BOTH.finditer(sentence[:_READ]):
        low, high = (number_in_words(group) for group in match.groups())
        if low is not None and high is not None and low <= value <= high:
            return low, high
    return None


def has_grammar(sentence: str) -> bool:
    """Whether it spells out a text by its digits and letters."""
    text = sentence[:_READ]
    return bool(_GRAMMAR.search(text) or _LETTER_RANGE.search(text))


def lists_value(sentence: str, value: str) -> bool:
    """Whether the sentence names this very value, in quotation marks or in a list of values."""
    word = value.strip().casefold()
    text = sentence[:_READ]
    if not word or len(word) > 80:
        return False
    if any(word == each.casefold() for each in quoted(text)):
        return True
    place = rf"(?<![\w-]){re.escape(word)}(?![\w-])"
    listed = rf"(?:{place}\s*(?:,|\bor\b|\band\b)|(?:,|\bor\b|\band\b|:|\bis\b)\s*{place})"
    if len(word) == 1 and word.isalnum():
        # "a digit or X" names X, but the article "a" is no value.
        listed = rf"(?:,|\bor\b|\band\b)\s*(?-i:{re.escape(value.strip().upper())})(?![\w-])"
    return re.search(listed, text, re.IGNORECASE) is not None


def permits(sentence: str, value: Any) -> bool:
    """Whether it permits in words a trait that the value has, such as to be negative or empty."""
    text = _QUOTED.sub('""', sentence[:_READ])  # what a tool says permits nothing
    if not _MAY.search(text) or _NO_TRAIT.search(text):
        return False
    return any(said.search(text) and has(value) for said, has in _TRAITS)


def promises_fallback(sentence: str) -> bool:
    """Whether it says what comes of a value that is not known."""
    return _OTHERWISE.search(_QUOTED.sub('""', sentence[:_READ])) is not None


def promises_one_result(sentence: str) -> bool:
    """Whether it says that the result is the same each time, or has an order."""
    return _ONE_RESULT.search(sentence[:_READ]) is not None


def is_demand(sentence: str) -> bool:
    """Whether it demands something."""
    return _DEMAND.search(sentence[:_READ]) is not None


def demands(sentence: str, value: Any) -> bool:
    """Whether the sentence demands a form, and the value has it."""
    text = sentence[:_READ]
    if not isinstance(value, str) or not _DEMAND.search(text):
        return False
    for literal in quoted(text):
        bare = literal.strip()
        if len(bare) > 1 and bare.casefold() in value.casefold():
            return True
        if shape(literal) == shape(value) and shape(value):
            return True
    return any(said.search(text) and form.match(value[:_READ]) for said, form in _FORMS)


def relaxed(sentence: str, value: str) -> Iterator[str]:
    """The value in forms that a demanding sentence rules out: without the words it demands, parts
    of it, in the other case, relative, without quotation marks."""
    text = sentence[:_READ]
    for literal in quoted(text):
        bare = literal.strip()
        if len(bare) > 1 and bare in value and bare != value.strip():
            yield value.replace(bare, "", 1).strip()
    for form in (value.strip(" \"'"), value.lower(), value.upper(), value.lstrip("/")):
        if form not in (value, ""):
            yield form
    parts = re.findall(r"[^\W_]+", value)[:20]
    if len(parts) > 1:
        yield parts[0]
        yield parts[-1]
        yield "".join(parts)
        yield " ".join(parts)


def examples(sentence: str) -> Iterator[str]:
    """The values that a sentence gives as examples."""
    text = sentence[:_READ]
    for match in _EXAMPLE.finditer(text):
        rest = text[match.end() :]
        if _QUOTED.match(rest) is not None:
            yield from quoted(rest)
        elif (bare := _BARE.match(rest)) is not None and _looks_like_a_value(bare.group()):
            yield bare.group()


def shape(text: str) -> str:
    """Letters as ``a``, digits as ``0``, runs of them as one; other characters stay."""
    plain = re.sub(r"[^\W\d_]+", "a", text[:_READ].strip())
    return re.sub(r"\d+", "0", plain)


def quoted(text: str) -> Iterator[str]:
    """What stands in quotation marks."""
    for match in _QUOTED.finditer(text):
        yield next(group for group in match.groups() if group)


def _looks_like_a_value(word: str) -> bool:
    return any(c.isdigit() for c in word) or word.isupper() or any(c in word for c in "/:@_")


def number_in_words(text: str) -> float | None:
    """The number that digits among words write, with marks between thousands or without."""
    try:
        return float(re.sub(r"[,_](?=\d)", "", text).replace("\u2212", "-").rstrip(",_"))
    except ValueError:
        return None


_ONE_RESULT = re.compile(
    r"\b(?:same|always|stable|determin\w+|repeat\w*|sorted|order(?:ed)?|alphabetical(?:ly)?|"
    r"reproducib\w+|first|last|oldest|newest|smallest|largest|ascending|descending)\b",
    re.IGNORECASE,
)


def _is_negative(value: Any) -> bool:
    if isinstance(value, str):
        return re.search(r"(?<![\w.])[-\u2212]\s?\d", value) is not None
    return isinstance(value, (int, float)) and value < 0


def _has(pattern: str) -> Callable[[Any], bool]:
    compiled = re.compile(pattern)
    return lambda value: isinstance(value, str) and compiled.search(value[:_READ]) is not None


def _is_blank(value: Any) -> bool:
    if isinstance(value, str):
        return not any(character.isalnum() for character in value)
    return value is None or value in ([], {})


def _is_zero(value: Any) -> bool:
    return value in (0, "0")


def _is_fraction(value: Any) -> bool:
    return isinstance(value, float)


_WORDED: tuple[tuple[str, Callable[[Any], bool]], ...] = (
    (r"\bnegative\b", _is_negative),
    (r"\b(?:empty|blank|left out|omitted)\b", _is_blank),
    (r"\bzero\b", _is_zero),
    (r"\b(?:spaces?|blanks|several words)\b", _has(r"\S\s+\S")),
    (r"\b(?:umlauts?|accents?|non-ascii|unicode)\b", _has(r"[^\x00-\x7f]")),
    (r"\bhyphens?\b", _has("-")),
    (r"\bdigits?\b", _has(r"\d")),
    (r"\b(?:fractions?|decimals?)\b", _is_fraction),
    (r"\b(?:lower[- ]?case|small letters)\b", _has(r"[a-z]")),
)
_TRAITS = tuple((re.compile(said, re.IGNORECASE), has) for said, has in _WORDED)
"""What a permission may be about, and whether a value makes use of it."""
