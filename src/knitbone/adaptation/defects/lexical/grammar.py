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

__all__ = ["MAX_WORDS", "checker", "has_candidates", "is_candidate", "suggested"]

MAX_WORDS = 40
"""Different words of one answer that are asked about; one takes a third of a millisecond."""
_BUILT: dict[Side, re.Pattern[str]] = {
    # By the side that the word would have to be brought to.
    "US": re.compile(
        r"[a-z]{3,20}[iy]s(?:e|es|ed|er|ers|ing|ation|ations|able)"
        r"|[a-z]{2,20}our(?:s|ed|ing|able|ful|less|ist|ists|hood)?"
        r"|[a-z]{2,20}ll(?:ed|ing|ers?)"
    ),
    "UK": re.compile(
        r"[a-z]{3,20}yz(?:e|es|ed|er|ers|ing)"
        r"|[a-z]{2,20}[^aeiou]or(?:s|ed|ing|able|ful|less|ist|ists|hood)?"
        r"|[a-z]{2,20}[aeiou]l(?:ed|ing|ers?)"
    ),
}
_lock = threading.Lock()

Suggest = Callable[[str, Side], str]


def has_candidates(text: str, standard: Standard) -> bool:
    """Whether there is any word to ask about."""
    return any(is_candidate(word, standard) for word in set(letters_only(text)))


def is_candidate(word: str, standard: Standard) -> bool:
    """Whether a word is built like one on the wrong side, and is not in the table."""
    return bool(_sides(word, standard))


def suggested(word: str, standard: Standard) -> Spelling | None:
    """What the word should be in the standard; ``None``: it is as it should be, or unknown.

    Raises:
        MissingExtraError: ``harper-py`` is not installed.
    """
    for side in _sides(word, standard):
        other = checker()(word, side)
        axis = _axis(word, other, side) if other else None
        if axis is not None and standard.get(axis) == side:
            return Spelling(axis=axis, side="UK" if side == "US" else "US", other=other)
    return None


def _sides(word: str, standard: Standard) -> list[Side]:
    """The sides that the word may have to be brought to."""
    if word in spellings():
        return []
    return [side for side in sorted(set(standard.values())) if _BUILT[side].fullmatch(word)]


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
    only_spelling = dict.fromkeys(linters["US"].get_lint_config(), False) | {"SpellCheck": True}
    for linter in linters.values():
        linter.set_lint_config(only_spelling)

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
