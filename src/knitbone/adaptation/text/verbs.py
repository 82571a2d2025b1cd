"""The verbs of a sentence: when it is so, and turns of speech that are a verb of their own.

For ``paraphrase.py``. Who reads this module asks one thing: which words say no more than when
(``will open``, ``is charging``, ``has been``), so that they may be compared as that.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from knitbone.adaptation.text.facts import BREAK
from knitbone.adaptation.text.inflection import read_form
from knitbone.adaptation.text.rewording import (
    ADVERBS,
    AUXILIARIES,
    NO_ADVERBS,
    class_of,
    classes_of,
    turns,
)
from knitbone.adaptation.text.wording import MOVABLE, NEGATIONS

__all__ = [
    "BE",
    "DENYING",
    "OPENING",
    "WILL",
    "Times",
    "Word",
    "is_adverb",
    "read_verbs",
    "read_word",
]

OPENING = classes_of((*MOVABLE, "about"))
"""Words that open a phrase, in base form."""
DENYING = classes_of(NEGATIONS)
BE = frozenset({"be", "was", "been"})
WILL = classes_of(("will", "shall"))
_HAVE = classes_of(("have", "has", "had"))
_CAUSING = classes_of(("have", "get"))
_GETTING = classes_of(("get",))
_LINKING = classes_of(
    ("that", "if", "whether", "because", "and", "or", "but", "though", "after", "before", "when",
     "while", "until", "since", "as", "so", "unless")
)  # fmt: skip
_ANY = dict(
    zip(
        map(class_of, ("any", "anybody", "anything", "ever", "anywhere")),
        ("no", "nobody", "nothing", "never", "nowhere"),
        strict=True,
    )
)


class Word(NamedTuple):
    """A word of a sentence."""

    base: str
    """The base form of its class (``rewording.py``)."""
    past: bool = False
    participle: bool = False
    progressive: bool = False


class Times(NamedTuple):
    """When a sentence is so: how often it says that it was, has been, will be or is a state."""

    past: int = 0
    perfect: int = 0
    coming: int = 0
    """``will be open``, which ``is open`` is not."""
    state: int = 0


@lru_cache(maxsize=8_192)
def read_word(token: str) -> Word:
    """Return a token of a claim."""
    bare, tag, ending = token.rpartition("+")
    if tag and ending in ("ed", "ing") and bare.isalpha():
        form = read_form(bare)
        done = ending == "ed"
        return Word(class_of(form.base), done, done, not done)
    form = read_form(token.replace("-", "") if token.replace("-", "").isalpha() else token)
    return Word(class_of(form.base), form.past, form.participle, form.progressive)


def read_verbs(words: list[Word]) -> tuple[Times, list[Word]]:
    """When it is so, and the words without those that say only that."""
    words = _denied(_turned(words))
    caused = _caused(words)
    return _without_times(caused or words, timeless=caused is not None)


def _turned(words: list[Word]) -> list[Word]:
    """Turns of speech (``takes place``) as one word."""
    known = turns()
    words = _with_particle(words)
    done: list[Word] = []
    place = 0
    while place < len(words):
        for said, plain in known.get(words[place].base, ()):
            if tuple(word.base for word in words[place : place + len(said)]) == said:
                first = Word("") if said[0] == "be" else words[place]
                done.extend(first._replace(base=base) for base in plain)
                place += len(said)
                break
        else:
            done.append(words[place])
            place += 1
    return done


def _with_particle(words: list[Word]) -> list[Word]:
    """``Set the server up`` as ``Set up the server``, where the two words are a turn of speech."""
    if len(words) < 3:
        return words
    first, *between, last = words
    split = any(said == (first.base, last.base) for said, _ in turns().get(first.base, ()))
    plain = not any(word.base in OPENING or word.base == BREAK for word in between)
    return [first, last, *between] if split and plain else words


def _denied(words: list[Word]) -> list[Word]:
    """``not ... by anybody`` as ``by nobody``; not across clauses, where it is another denial."""
    found = [place for place, word in enumerate(words) if word.base == "not"]
    anyone = [place for place, word in enumerate(words) if word.base in _ANY]
    several = any(word.base in _LINKING for word in words)
    if len(found) != 1 or len(anyone) != 1 or found[0] > anyone[0] or several:
        return words
    words = [*words]
    words[anyone[0]] = Word(_ANY[words[anyone[0]].base])
    start = found[0] - (found[0] > 0 and words[found[0] - 1].base in ("do", "does", "did"))
    past = words[start].base == "did"
    del words[start : found[0] + 1]
    if past and start < len(words):
        words[start] = words[start]._replace(past=True)
    return words


def _caused(words: list[Word]) -> list[Word] | None:
    """``Have the fence repaired`` as ``Repair the fence``."""
    if len(words) < 3 or words[0].base not in _CAUSING or words[1].base == "to":
        return None
    for place in range(2, len(words)):
        if words[place].participle:
            rest = words[place + 1 :]
            if rest and rest[0].base not in OPENING and rest[0].base != BREAK:
                return None
            return [Word(words[place].base), *words[1:place], *rest]
    return None


def _without_times(words: list[Word], *, timeless: bool) -> tuple[Times, list[Word]]:
    """When it is so, and the words without those that only say that."""
    found = {"past": 0, "perfect": 0, "coming": 0, "state": 0}
    kept: list[Word] = []
    agent = any(word.base == "by" for word in words)
    helped = ""
    for place, word in enumerate(words):
        following = _verb_after(words, place)
        if word.base in WILL:
            state = following is not None and following.base in BE
            found["coming"] += state and not agent
            helped = "will"
            continue
        if following is not None and word.base in _HAVE and _is_participle(following):
            found["perfect"] += 1
            found["past"] += word.base == "had"
            helped = "have"
            continue
        getting = word.base in _GETTING and following is not None and following.participle
        if word.base in BE or (getting and place > 0):
            found["past"] += word.base == "was" or (getting and word.past)
            if following is not None and following.progressive and following.base != "be":
                helped = "be"
                continue  # "is charging"
            found["state"] += word.base == "be" and not helped and not agent
            helped = "be"
            kept.append(Word("be"))
            continue
        if word.base not in DENYING and not is_adverb(word.base):
            found["past"] += word.past and not helped and not timeless
            helped = word.base if word.base in AUXILIARIES else ""
        kept.append(word)
    return Times(**found), kept


def _verb_after(words: Sequence[Word], place: int) -> Word | None:
    for word in words[place + 1 : place + 4]:
        if word.base not in DENYING and not is_adverb(word.base):
            return word
    return None


def _is_participle(word: Word) -> bool:
    return word.participle or word.base == "been"


def is_adverb(token: str) -> bool:
    """Return whether it may stand anywhere in its sentence."""
    return token in ADVERBS or (len(token) > 4 and token.endswith("ly") and token not in NO_ADVERBS)
