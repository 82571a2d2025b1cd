"""The verbs of a sentence: its tenses, and phrasal verbs as one word. For ``paraphrase.py``.

Auxiliaries that only say when (``will open``, ``is charging``, ``has been``) are counted as tenses
and left out, so that sentences can be compared by their other words and by their tenses.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from knitbone.adaptation.text.contextual_synonyms import (
    ADVERBS,
    AUXILIARIES,
    NOT_ADVERBS,
    class_of,
    classes_of,
    phrasal_synonyms,
)
from knitbone.adaptation.text.facts import BREAK
from knitbone.adaptation.text.inflection import read_form
from knitbone.adaptation.text.synonyms import MOVABLE, NEGATIONS

__all__ = [
    "BE",
    "NEGATION_BASES",
    "PHRASE_OPENERS",
    "WILL",
    "Tenses",
    "Word",
    "is_adverb",
    "read_verbs",
    "read_word",
]

PHRASE_OPENERS = classes_of((*MOVABLE, "about"))
"""Words that open a phrase, in base form."""
NEGATION_BASES = classes_of(NEGATIONS)
BE = frozenset({"be", "was", "been"})
WILL = classes_of(("will", "shall"))
_HAVE = classes_of(("have", "has", "had"))
_CAUSATIVE = classes_of(("have", "get"))
_GETTING = classes_of(("get",))
_LINKING = classes_of(
    ("that", "if", "whether", "because", "and", "or", "but", "though", "after", "before", "when",
     "while", "until", "since", "as", "so", "unless")
)  # fmt: skip
_NEGATED_FORMS = dict(
    zip(
        map(class_of, ("any", "anybody", "anything", "ever", "anywhere")),
        ("no", "nobody", "nothing", "never", "nowhere"),
        strict=True,
    )
)


class Word(NamedTuple):
    """A word of a sentence in base form, and what its ending may mean."""

    base: str
    """The base form of its class (``contextual_synonyms.py``)."""
    past: bool = False
    participle: bool = False
    progressive: bool = False


class Tenses(NamedTuple):
    """How often a sentence says that something was, has been or will be so, or is a state."""

    past: int = 0
    perfect: int = 0
    coming: int = 0
    """``will be open``, which ``is open`` is not."""
    state: int = 0


@lru_cache(maxsize=8_192)
def read_word(token: str) -> Word:
    """Read a token of a statement as a word."""
    bare, tag, ending = token.rpartition("+")
    if tag and ending in ("ed", "ing") and bare.isalpha():
        form = read_form(bare)
        done = ending == "ed"
        return Word(class_of(form.base), done, done, not done)
    form = read_form(token.replace("-", "") if token.replace("-", "").isalpha() else token)
    return Word(class_of(form.base), form.past, form.participle, form.progressive)


def read_verbs(words: list[Word]) -> tuple[Tenses, list[Word]]:
    """Return the tenses of a sentence, and its words without those that only express them."""
    words = _join_negation(_replace_phrasal_verbs(words))
    caused = _without_causative(words)
    return _split_tenses(caused or words, timeless=caused is not None)


def _replace_phrasal_verbs(words: list[Word]) -> list[Word]:
    """Replace phrasal expressions by their synonym: ``takes place`` by ``happens``."""
    known = phrasal_synonyms()
    words = _join_particle(words)
    done: list[Word] = []
    index = 0
    while index < len(words):
        for said, plain in known.get(words[index].base, ()):
            if tuple(word.base for word in words[index : index + len(said)]) == said:
                first = Word("") if said[0] == "be" else words[index]
                done.extend(first._replace(base=base) for base in plain)
                index += len(said)
                break
        else:
            done.append(words[index])
            index += 1
    return done


def _join_particle(words: list[Word]) -> list[Word]:
    """Return ``Set the server up`` as ``Set up the server``, where verb and particle are a known
    pair."""
    if len(words) < 3:
        return words
    first, *between, last = words
    split = any(
        said == (first.base, last.base) for said, _ in phrasal_synonyms().get(first.base, ())
    )
    plain = not any(word.base in PHRASE_OPENERS or word.base == BREAK for word in between)
    return [first, last, *between] if split and plain else words


def _join_negation(words: list[Word]) -> list[Word]:
    """Return ``not ... by anybody`` as ``by nobody``; not across clauses, where the denial is
    another."""
    found = [index for index, word in enumerate(words) if word.base == "not"]
    anyone = [index for index, word in enumerate(words) if word.base in _NEGATED_FORMS]
    several = any(word.base in _LINKING for word in words)
    if len(found) != 1 or len(anyone) != 1 or found[0] > anyone[0] or several:
        return words
    words = [*words]
    words[anyone[0]] = Word(_NEGATED_FORMS[words[anyone[0]].base])
    start = found[0] - (found[0] > 0 and words[found[0] - 1].base in ("do", "does", "did"))
    past = words[start].base == "did"
    del words[start : found[0] + 1]
    if past and start < len(words):
        words[start] = words[start]._replace(past=True)
    return words


def _without_causative(words: list[Word]) -> list[Word] | None:
    """Return ``Have the fence repaired`` as ``Repair the fence``; ``None`` for other sentences."""
    if len(words) < 3 or words[0].base not in _CAUSATIVE or words[1].base == "to":
        return None
    for index in range(2, len(words)):
        if words[index].participle:
            rest = words[index + 1 :]
            if rest and rest[0].base not in PHRASE_OPENERS and rest[0].base != BREAK:
                return None
            return [Word(words[index].base), *words[1:index], *rest]
    return None


def _split_tenses(words: list[Word], *, timeless: bool) -> tuple[Tenses, list[Word]]:
    """Count the tenses of a sentence, and return its words without those that only express them."""
    reader = _TenseReader(words, timeless=timeless)
    for index, word in enumerate(words):
        reader.read(word, _verb_after(words, index), is_first=not index)
    return Tenses(**reader.counts), reader.kept


class _TenseReader:
    """What has been read of a sentence, word by word.

    Args:
        words: the sentence.
        timeless: whether its past forms tell no past.
    """

    def __init__(self, words: Sequence[Word], *, timeless: bool) -> None:
        self.counts = {"past": 0, "perfect": 0, "coming": 0, "state": 0}
        self.kept: list[Word] = []
        self._timeless = timeless
        self._has_agent = any(word.base == "by" for word in words)
        self._auxiliary = ""
        """The helping verb before a word: what follows it is no tense of its own."""

    def read(self, word: Word, following: Word | None, *, is_first: bool) -> None:
        """Read the next word.

        Args:
            following: the verb or noun behind it, where one follows soon.
        """
        getting = word.base in _GETTING and following is not None and following.participle
        if word.base in WILL:
            self._read_will(following)
        elif word.base in _HAVE and following is not None and _is_participle(following):
            # "has opened", "had opened"
            self.counts["perfect"] += 1
            self.counts["past"] += word.base == "had"
            self._auxiliary = "have"
        elif word.base in BE or (getting and not is_first):  # "is open", "gets opened"
            self.counts["past"] += word.base == "was" or (getting and word.past)
            self._read_be(word, following)
        else:
            self._read_other(word)

    def _read_will(self, following: Word | None) -> None:
        """``will open``, ``will be open``."""
        is_state = following is not None and following.base in BE
        self.counts["coming"] += is_state and not self._has_agent
        self._auxiliary = "will"

    def _read_be(self, word: Word, following: Word | None) -> None:
        if following is None or not following.progressive or following.base == "be":
            is_state = word.base == "be" and not self._auxiliary
            self.counts["state"] += is_state and not self._has_agent
            self.kept.append(Word("be"))
        # else "is charging": what it does, not what it is
        self._auxiliary = "be"

    def _read_other(self, word: Word) -> None:
        if word.base not in NEGATION_BASES and not is_adverb(word.base):
            self.counts["past"] += word.past and not self._auxiliary and not self._timeless
            self._auxiliary = word.base if word.base in AUXILIARIES else ""
        self.kept.append(word)


def _verb_after(words: Sequence[Word], index: int) -> Word | None:
    for word in words[index + 1 : index + 4]:
        if word.base not in NEGATION_BASES and not is_adverb(word.base):
            return word
    return None


def _is_participle(word: Word) -> bool:
    return word.participle or word.base == "been"


def is_adverb(token: str) -> bool:
    """Return whether a word may stand anywhere in its sentence."""
    return token in ADVERBS or (
        len(token) > 4 and token.endswith("ly") and token not in NOT_ADVERBS
    )
