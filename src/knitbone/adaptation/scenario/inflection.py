"""The base form of an English word, for telling whether two sentences use the same word.

It works without a dictionary: regular endings by rule, frequent irregular verbs by a table. Two
forms of one word must get the same base form, and two words different ones. A base form that is no
word (``delet``) does no harm, since both sentences get it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

__all__ = ["Form", "read_form"]


class Form(NamedTuple):
    """The base form of a word, and what its ending may mean."""

    base: str
    past: bool = False
    """It may be a past tense."""
    participle: bool = False
    """It may be a past participle."""
    progressive: bool = False
    """It ends in ``-ing``."""


_IRREGULAR = (
    "arise arose arisen", "beat beat beaten", "become became become", "begin began begun",
    "bend bent bent", "bite bit bitten", "blow blew blown", "break broke broken",
    "bring brought brought", "build built built", "burn burnt burnt", "buy bought bought",
    "catch caught caught", "choose chose chosen", "come came come", "cost cost cost",
    "cut cut cut", "deal dealt dealt", "dig dug dug", "draw drew drawn", "drink drank drunk",
    "drive drove driven", "eat ate eaten", "fall fell fallen", "feed fed fed", "feel felt felt",
    "fight fought fought", "find found found", "fly flew flown", "forget forgot forgotten",
    "freeze froze frozen", "get got gotten", "give gave given", "go went gone", "grow grew grown",
    "hang hung hung", "hear heard heard", "hide hid hidden", "hit hit hit", "hold held held",
    "keep kept kept", "know knew known", "lay laid laid", "lead led led", "learn learnt learnt",
    "leave left left", "lend lent lent", "light lit lit", "lose lost lost",
    "make made made", "mean meant meant", "meet met met", "pay paid paid", "put put put",
    "read read read", "ride rode ridden", "ring rang rung", "rise rose risen", "run ran run",
    "say said said", "see saw seen", "sell sold sold", "send sent sent", "set set set",
    "shake shook shaken", "shine shone shone", "shoot shot shot", "show showed shown",
    "shut shut shut", "sing sang sung", "sink sank sunk", "sit sat sat", "sleep slept slept",
    "speak spoke spoken", "spend spent spent", "split split split", "spread spread spread",
    "stand stood stood", "steal stole stolen", "stick stuck stuck", "strike struck struck",
    "sweep swept swept", "swim swam swum", "take took taken", "teach taught taught",
    "tear tore torn", "tell told told", "think thought thought", "throw threw thrown",
    "understand understood understood",
    "agree agreed agreed", "free freed freed", "die died died", "lie lied lied", "tie tied tied",
    "use used used", "wake woke woken", "wear wore worn", "weave wove woven",
    "win won won", "wind wound wound", "withdraw withdrew withdrawn", "write wrote written",
    "rewrite rewrote rewritten", "undo undid undone", "redo redid redone",
)  # fmt: skip
_NOUNS = {"children": "child", "men": "man", "women": "woman", "people": "people", "feet": "foot",
          "teeth": "tooth", "mice": "mouse", "knives": "knife", "leaves": "leaf", "lives": "life",
          "wives": "wife", "shelves": "shelf", "halves": "half", "loaves": "loaf",
          "buses": "bus", "gases": "gas"}  # fmt: skip
_WHOLE = frozenset(
    {"during", "evening", "morning", "nothing", "something", "anything", "everything", "spring",
     "string", "thing", "king", "ceiling", "wedding", "bring", "sing", "ring", "need", "seed",
     "feed", "speed", "hundred", "red", "bed", "shed", "indeed", "news", "always", "this", "its",
     "his", "was", "has", "does", "as", "us", "is", "thus", "plus", "gas", "bus", "yes", "less",
     "mathematics", "physics", "series", "species", "perhaps", "besides", "towards", "afterwards"}
)  # fmt: skip
"""Words that look as if they had an ending and have none."""
_VOWELS = frozenset("aeiouy")


@lru_cache(maxsize=1)
def _table() -> dict[str, Form]:
    table: dict[str, Form] = {form: Form(base) for form, base in _NOUNS.items()}
    for line in _IRREGULAR:
        base, past, participle = line.split()
        for form in (past, participle):
            old = table.get(form, Form(base))
            if form != base and old.base == base:
                table[form] = Form(
                    base, old.past or form == past, old.participle or form == participle
                )
        if participle == base:  # "cut", "come": both the base form and a participle
            table[base] = Form(base, participle=True)
    return table


@lru_cache(maxsize=8_192)
def read_form(word: str) -> Form:
    """Return the base form of a word in small letters, and which endings it has."""
    if word in _WHOLE or not word.isascii() or not word.isalpha():
        return Form(word)
    known = _table().get(word)
    if known is not None:
        return known._replace(base=_base(known.base))
    if word.endswith("ing") and _is_stem(word[:-3]):
        return Form(_base(word[:-3], cut=True), progressive=True)
    if word.endswith("ied") and len(word) > 4:
        return Form(word[:-3] + "y", past=True, participle=True)
    if word.endswith("ed") and not word.endswith("eed") and _is_stem(word[:-2]):
        return Form(_base(word[:-2], cut=True), past=True, participle=True)
    return Form(_base(_singular(word)))


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "sses", "xes", "zzes")) else word[:-1]


def _is_stem(stem: str) -> bool:
    return len(stem) > 2 and any(letter in _VOWELS for letter in stem)


def _base(stem: str, *, cut: bool = False) -> str:
    """Return one spelling for a stem with and without its mute ``e`` and its doubled consonant:
    ``delete`` and ``delet-ed``, ``stop`` and ``stopp-ed``. Only short stems, where the ``e`` tells
    words apart (``hope``, ``hop``), have it, and get it back after an ending was cut."""
    if stem[-1:] == stem[-2:-1] and stem[-1:] not in _VOWELS:
        return stem[:-1]
    if cut:
        return stem + "e" if _short(stem) else stem
    if len(stem) > 3 and stem.endswith("e") and stem[-2] != "e" and not _short(stem[:-1]):
        return stem[:-1]
    return stem


def _short(stem: str) -> bool:
    """Return whether a stem is one syllable of consonant, vowel, consonant: ``hop`` of
    ``hoped``."""
    vowels = [letter in "aeiou" or (letter == "y" and index > 0) for index, letter in
              enumerate(stem)]  # fmt: skip
    groups = sum(now and not before for before, now in zip([False, *vowels], vowels, strict=False))
    return groups == 1 and vowels[-3:] == [False, True, False] and stem[-1] not in "wx"
