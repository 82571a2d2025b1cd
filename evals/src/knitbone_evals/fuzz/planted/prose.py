"""Text tools for the writing assistant."""

from __future__ import annotations

import re
import unicodedata

_FILTERS = {"upper": str.upper, "lower": str.lower, "title": str.title, "trim": str.strip}
_SLOT = re.compile(r"\{\{\s*(\w+)\s*(?:\|\s*(\w+)\s*)?\}\}")


def _syllables(word: str) -> int:
    return max(len(re.findall(r"[aeiouy]+", word.lower())), 1)


def reading_ease(text: str) -> float:
    """Compute how easy a text is to read (Flesch reading ease).

    Args:
        text: The text.

    Returns:
        The score: around 100 for very easy texts, below 30 for very hard ones, and 0 if there
        is no text.
    """
    if not text.strip():
        return 0.0
    sentences = [part for part in re.split(r"[.!?]+", text) if part.strip()]
    words = re.findall(r"[A-Za-z']+", text)
    syllables = sum(_syllables(word) for word in words)
    score = 206.835 - 1.015 * len(words) / len(sentences) - 84.6 * syllables / len(words)
    return round(score, 1)


def fill_template(template: str, values: dict[str, str]) -> str:
    """Fill in the slots of a letter.

    Args:
        template: The letter. A slot is the name of a value in double braces, as in
            "Dear {{name}}"; a filter may follow after a bar, as in "{{city|upper}}".
        values: The values by name.

    Returns:
        The letter. Slots without a value are left as they are.
    """

    def fill(match: re.Match[str]) -> str:
        name, chosen = match.groups()
        if name not in values:
            return match[0]
        value = str(values[name])
        return _FILTERS[chosen](value) if chosen else value

    return _SLOT.sub(fill, template)


def slugify(title: str, max_length: int = 60) -> str:
    """Turn a title into the last part of a web address.

    Args:
        title: The title, e.g. "Crème brûlée, step by step".
        max_length: Longest slug that is wanted, at least 1.

    Returns:
        The slug, e.g. "creme-brulee-step-by-step".

    Raises:
        ValueError: If `max_length` is below 1, or if the title has neither letters nor digits
            that can be written in ASCII.
    """
    if max_length < 1:
        raise ValueError("max_length must be at least 1")
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode("ascii")
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
    if not slug:
        raise ValueError(f"no slug can be made from {title!r}")
    return slug[:max_length].rstrip("-")
