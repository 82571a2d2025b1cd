"""Secrets that are words or numbers in a row: phrases of a dozen words, bytes of a key."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knitbone.record.secrets.cues import Cue
from knitbone.record.secrets.names import word_set

__all__ = ["PHRASES", "secrets_in_sequence"]

PHRASES = ("phrase", "mnemonic", "seed", "wallet")
"""What announces several words in a row."""
_WINDOW = 400
_PHRASE = re.compile(
    r"(?<![\w-])(?:[a-z]{3,8}[ \n]{1,2}){11,23}[a-z]{3,8}(?![\w-])"
    r"|(?:\d{1,2}[.):]?[ \t]{0,4}[a-z]{3,8}\s{1,16}){11,23}\d{1,2}[.):]?[ \t]{0,4}[a-z]{3,8}\b"
    r"|(?<=[\"'])(?:[a-z]{3,10}[ ]){3,10}[a-z]{3,10}(?=\\*[\"'])"
)
_NUMBERS = re.compile(r"\[\s{0,4}((?:\d{1,3}\s{0,4},\s{0,4}){31,63}\d{1,3})\s{0,4}\]")
"""32 or 64 bytes, as programs print a key."""
_LARGEST_BYTE = 255
_SMALL_WORDS = word_set("""
    the and for are with you that this not was from have has but all can its one use when which
    will your our their there been were they would should must than then into only also what who
    how where why does did may might could each per via
""")
"""Words that no phrase of a key is without when it is a sentence."""
_KEYS = frozenset({Cue.CRYPTO, Cue.KEY, Cue.SECRET})


def secrets_in_sequence(
    text: str, *, has_phrase: bool
) -> Iterator[tuple[int, int, frozenset[Cue]]]:
    """Where such secrets may stand, and one of which words has to announce them.

    Args:
        has_phrase: whether the text bears one of ``PHRASES``.
    """
    if "[" in text and "," in text:
        for match in _NUMBERS.finditer(text):
            if all(int(number) <= _LARGEST_BYTE for number in match.group(1).split(",")):
                yield *match.span(1), _KEYS
    folded = text.lower() if has_phrase else ""
    done = 0
    for word in PHRASES if has_phrase else ():
        place = folded.find(word)
        while place >= 0:
            stop = min(len(text), place + _WINDOW)
            for match in _PHRASE.finditer(text, max(done, place + len(word)), stop):
                if not _SMALL_WORDS.intersection(match.group().split()):
                    done = match.end()
                    yield *match.span(), frozenset(Cue)
            place = folded.find(word, stop)
