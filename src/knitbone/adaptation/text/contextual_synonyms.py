"""Synonyms that hold where the other words of two sentences agree; tables for ``paraphrase.py``.

More generous than ``synonyms.py``, whose words may replace one another anywhere: here the rest of
the sentence agrees, and an embedder is asked as well. Antonyms and parts or kinds of one another
(``buy``/``rent``, ``hand``/``arm``, ``car``/``vehicle``) never share a line.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from knitbone.adaptation.text.inflection import read_form
from knitbone.adaptation.text.synonyms import same_word

__all__ = [
    "ADVERBS",
    "AUXILIARIES",
    "GENERIC_SUBJECTS",
    "NOT_ADVERBS",
    "TIME_WORDS",
    "class_of",
    "classes_of",
    "phrasal_synonyms",
]

_GROUPS = (
    "buy purchase acquire", "call phone ring telephone", "check inspect verify", "test try",
    "hire rent", "collect gather", "cut reduce lower decrease lessen", "shop store",
    "quick brisk fast rapid speedy", "reject decline", "postpone delay defer",
    "happen occur", "brief instruct", "hang mount", "photo photograph", "email mail",
    "broken defective faulty", "roughly approximately about regarding concerning",
    "below under beneath underneath",
    "until till", "among amongst", "while whilst", "towards toward", "bin dustbin",
    "begin start commence", "end finish", "shift move", "tell inform notify",
    "answer reply respond", "make create produce", "build construct", "repair fix mend",
    "choose select pick", "explain clarify", "show display", "improve enhance",
    "advertise promote", "book reserve", "hide conceal", "find locate", "join merge",
    "permit allow", "forbid prohibit", "need require", "seem appear", "speak talk", "shout yell",
    "trip journey", "holiday vacation", "film movie", "sick ill", "glad happy", "rich wealthy",
    "big large", "huge enormous gigantic", "small little", "correct right", "wrong incorrect",
    "hard difficult", "easy simple", "cheap inexpensive", "costly expensive", "enough sufficient",
    "empty clear", "whole entire", "main chief principal primary", "strange odd weird",
    "smart clever", "scared afraid", "noisy loud", "silent quiet", "colleague coworker",
    "client customer", "guest visitor", "child kid", "flat apartment", "lift elevator",
    "rubbish garbage trash", "petrol gasoline", "lorry truck", "car automobile",
    "bike bicycle", "sofa couch", "cellar basement", "biscuit cookie", "doctor physician",
    "lawyer attorney", "author writer", "leaflet flyer brochure", "microphone mic",
    "remove delete", "send dispatch", "get obtain fetch", "whisk beat", "toast roast",
    "repair fix mend resolve", "gather collect compile", "review examine", "outage downtime",
    "taste sample", "stroll walk", "arrange organize", "establish create",
    "conduct perform", "adequate sufficient enough", "participant attendee",
    "fridge refrigerator", "television tv", "boost increase", "assess evaluate", "drink beverage",
    "regularly routinely", "yearly annually", "often frequently",
    "usually generally typically normally", "rarely seldom", "immediately instantly",
    "almost nearly", "mostly mainly", "soon shortly",
    "anyone anybody", "everyone everybody", "someone somebody", "every each",
    "programme program", "licence license", "theatre theater", "tyre tire", "kerb curb",
    "jewellery jewelry", "harbour harbor", "labour labor", "cheque check", "analyse analyze",
    "catalogue catalog", "dialogue dialog", "defence defense", "aluminium aluminum",
)  # fmt: skip

_TURNS = {
    "take place": "happen", "be hold": "happen", "pick up": "collect", "put off": "postpone",
    "turn down": "reject", "try out": "test", "fill in": "complete", "fill out": "complete",
    "put up": "hang", "hang up": "hang", "set up": "install", "carry out": "perform",
    "find out": "learn", "throw away": "discard", "give up": "quit", "look for": "seek",
    "hand in": "submit", "talk about": "discuss", "point out": "mention", "call off": "cancel",
    "set out": "lay out", "switch on": "turn on", "switch off": "turn off",
    "put in": "insert", "get rid of": "remove", "cut down": "cut",
    "lock up": "lock", "clean up": "clean", "clean out": "clean", "fill up": "fill",
    "write down": "write", "note down": "note", "wind up": "wind", "tidy up": "tidy",
    "use up": "use", "finish off": "finish", "print out": "print", "send off": "send",
    "send out": "send", "clear out": "clear", "heat up": "heat", "warm up": "warm",
    "cool down": "cool", "slow down": "slow", "chop up": "chop", "count up": "count",
    "open up": "open", "sort out": "sort", "save up": "save", "empty out": "empty",
    "take photo of": "photograph", "take picture of": "photograph", "take photograph of":
    "photograph", "make list of": "list", "make copy of": "copy", "have look at": "inspect",
    "take look at": "inspect", "give call to": "call", "make decision on": "decide on",
    "reply to": "answer", "respond to": "answer", "ask for": "request", "search for": "seek",
    "in order to": "to", "so as to": "to", "as well as": "and", "need to": "must",
    "have to": "must", "be require to": "must", "be able to": "can", "be allow to": "may",
    "due to": "because of", "owing to": "because of", "on account of": "because of",
    "in spite of": "despite", "prior to": "before", "next to": "beside", "with regard to":
    "about", "with respect to": "about", "a lot of": "many", "lot of": "many", "every day":
    "daily", "every week": "weekly", "every month": "monthly", "every year": "yearly",
    "at moment": "now", "for free": "free", "free of charge": "free", "at no cost": "free",
"no one": "nobody", "to do": "todo", "get in touch with": "contact",
    "reach out to": "contact", "go over": "review", "look over": "review", "take part in": "join",
    "participate in": "join", "listen to": "hear", "hand out": "distribute", "give out":
    "distribute", "turn in": "submit", "keep track of": "track", "keep eye on": "watch",
    "plenty of": "many", "each day": "daily", "each week": "weekly", "each month": "monthly",
    "each year": "yearly", "make sure that": "ensure", "make sure": "ensure", "ensure that":
    "ensure", "check that": "ensure", "let know": "inform", "refrain from": "avoid",
    "stay away from": "avoid", "be going to": "will", "double check": "check",
    "out of date": "outdated", "pay visit to": "visit",
}  # fmt: skip
"""Phrasal expressions and their synonym, in base forms and without articles."""


@lru_cache(maxsize=1)
def _classes() -> dict[str, str]:
    classes: dict[str, str] = {}
    for group in _GROUPS:
        bases = [_base(word) for word in group.split()]
        leader = classes.get(bases[0], bases[0])
        for base in bases:
            classes.setdefault(base, leader)
    return classes


def _base(word: str) -> str:
    return read_form(same_word(word)).base


def class_of(base: str) -> str:
    """Return the word that stands for all synonyms of a base form; the first group with the word
    decides."""
    return _classes().get(base, base)


def classes_of(words: Iterable[str]) -> frozenset[str]:
    """Return the classes of written words."""
    return frozenset(class_of(_base(word)) for word in words)


AUXILIARIES = classes_of(
    (
     "be", "was", "can", "could", "may", "might", "must", "should", "would", "have", "has", "had",
     "do", "does", "did")
)  # fmt: skip
"""A phrase that stands before one of them is over."""
GENERIC_SUBJECTS = classes_of(("you", "we", "one", "people"))
"""Subjects that a passive leaves out."""
TIME_WORDS = classes_of(
    (
     "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "january",
     "february", "march", "april", "may", "june", "july", "august", "september", "october",
     "november", "december", "spring", "summer", "autumn", "winter", "morning", "noon",
     "afternoon", "evening", "night", "midnight", "weekend", "weekday", "today", "tomorrow",
     "yesterday", "tonight", "future", "meantime")
)  # fmt: skip
"""A phrase that says when ends with one of them, comma or not."""
ADVERBS = classes_of(
    (
     "always", "often", "sometimes", "usually", "rarely", "now", "today", "tomorrow", "tonight",
     "yesterday", "soon", "online", "later")
)  # fmt: skip
"""Words, beside those in ``-ly``, that may stand anywhere in a sentence."""
NOT_ADVERBS = classes_of(
    (
     "only", "early", "daily", "weekly", "monthly", "yearly", "hourly", "family",
     "supply", "apply", "reply", "likely", "friendly", "july", "italy",
     "assembly", "fly", "rely", "multiply", "comply", "ally", "belly", "jelly", "lonely", "lovely",
     "elderly", "ugly", "silly", "holy", "bully", "rally", "tally", "exactly", "merely", "solely",
     "partly", "nearly", "almost", "hardly", "barely", "simply", "mostly", "mainly",
     "approximately",
     "roughly", "equally", "especially", "particularly", "firstly", "secondly", "finally", "fully")
)  # fmt: skip
"""Words in ``-ly`` that are no adverbs, or whose position matters."""


@lru_cache(maxsize=1)
def phrasal_synonyms() -> dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]]:
    """Return phrasal expressions and their synonyms by their first word, longer ones first: ``take
    place`` is ``happen``."""
    by_first_word: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for expression, plain in sorted(_TURNS.items(), key=lambda turn: -len(turn[0].split())):
        words = tuple(class_of(_base(word)) for word in expression.split())
        leader = tuple(class_of(_base(word)) for word in plain.split())
        by_first_word.setdefault(words[0], []).append((words, leader))
    return by_first_word
