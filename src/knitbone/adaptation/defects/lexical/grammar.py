"""Words of the wrong variety that the table of spellings does not know, through a grammar checker.

Asked only about an answer that is already known to mix varieties, and only about words that are
built like the pairs of the table (``tokenisation``). Its first suggestion is taken where the two
differ by a rule of spelling and by nothing else; any other is a guess at another word.

Source: Comfrey §4.4.2 (the first repairing suggestion of a grammar checker).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import lru_cache

from knitbone.adaptation.defects.lexical.signs import letters_only
from knitbone.adaptation.defects.lexical.varieties import (
    Axis,
    Side,
    Spelling,
    Standard,
    pair_by_rule,
    spellings,
)
from knitbone.errors import import_extra

__all__ = ["MAX_WORDS", "checker", "has_candidates", "suggested"]

MAX_WORDS = 40
"""Different words of one answer that are asked about; one takes a third of a millisecond."""
_BUILT = re.compile(
    r"[a-z]{3,20}(?:i[sz]|y[sz])(?:e|es|ed|er|ers|ing|ation|ations|able)"
    r"|[a-z]{1,20}ou?r(?:s|ed|ing|able|ful|less|ist|ists|hood)?"
    r"|[a-z]{2,20}ll?(?:ed|ing|er|ers)|[a-z]{2,20}(?:tre|ter|bre|ber)s?|[a-z]{2,20}en[sc]es?"
)
_lock = threading.Lock()

Suggest = Callable[[str, Side], str]


def has_candidates(text: str) -> bool:
    """Whether any word is built like a word that takes a side and is not in the table."""
    known = spellings()
    return any(_BUILT.fullmatch(word) and word not in known for word in set(letters_only(text)))


def suggested(word: str, standard: Standard) -> Spelling | None:
    """What the word should be in the standard; ``None``: it is as it should be, or unknown.

    Raises:
        MissingExtraError: ``harper-py`` is not installed.
    """
    if _BUILT.fullmatch(word) is None or word in spellings():
        return None
    for side in sorted(set(standard.values())):
        other = checker()(word, side)
        axis = _axis(word, other, side) if other else None
        if axis is not None and standard.get(axis) == side:
            return Spelling(axis=axis, side="UK" if side == "US" else "US", other=other)
    return None


def _axis(word: str, other: str, side: Side) -> Axis | None:
    return pair_by_rule(other, word) if side == "US" else pair_by_rule(word, other)


@lru_cache(maxsize=1)
def checker() -> Suggest:
    """The grammar checker: its first suggestion for a word in a dialect, empty where it has none.

    Raises:
        MissingExtraError: ``harper-py`` is not installed.
    """
    harper = import_extra("harper", extra="language", purpose="Checking the spelling variety")
    linters = {
        "US": harper.Linter(harper.Dialect.AMERICAN),
        "UK": harper.Linter(harper.Dialect.BRITISH),
    }

    @lru_cache(maxsize=4_096)
    def suggest(word: str, side: Side) -> str:
        with _lock:
            found = [
                lint.suggestions[0].replacement_text
                for lint in linters[side].lint(word)
                if lint.problem_text == word and lint.lint_kind == "Spelling" and lint.suggestions
            ]
        return found[0] if found else ""

    return suggest
