"""Guards: reasons why a repetition is needed and must stay.

Exact repetition is often right: a refrain, a step of a procedure that comes again, ``It is free.``
under two museums. Only what passes all of these rules may be removed. They are tuned for precision
on real answers, not for recall.

Source: ours; Comfrey §4.5.2 removes whatever is similar.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.scenario.semantics.atoms import AnswerAtoms, Atom

__all__ = [
    "MIN_ITEM_WORDS",
    "MIN_WORDS",
    "Guards",
    "asks_for_procedure",
    "asks_for_repetition",
    "asks_for_verse",
    "is_on_record",
    "request_text",
    "states",
]

MIN_WORDS = 5
"""Shorter sentences (``Stir well.``, ``It depends.``) repeat on purpose."""
MIN_ITEM_WORDS = 4
_OPENING_WORDS = 4
_LONG = 10
"""Words: a sentence this long tells by itself what it is about."""
_SELF_STANDING = 8
_CLEAR = 16
"""Words: nobody writes so long a sentence twice, of whatever it is."""
_IMPERSONAL = frozenset(
    {
        "important",
        "essential",
        "recommended",
        "possible",
        "necessary",
        "best",
        "crucial",
        "vital",
        "to",
        "always",
        "advisable",
        "worth",
    }
)
"""Words behind ``it is`` with which the ``it`` stands for nothing: ``It is important to``."""

_PRONOUNS = frozenset(
    {"it", "its", "it's", "they", "their", "them", "they're", "he", "she", "his", "her", "him",
     "this", "that", "these", "those", "such", "here", "both", "each", "another", "former",
     "latter", "same", "he's", "she's"}
)  # fmt: skip
"""Among the first words of a sentence: it speaks of what stands before it."""
_REFERRING = _PRONOUNS | {
    "the",
    "there",
    "then",
    "so",
    "other",
    "others",
    "one",
    "ones",
    "him",
    "his",
}
"""Anywhere in a sentence: it may."""
_CONNECTIVES = frozenset(
    {"for", "however", "therefore", "thus", "hence", "then", "but", "and", "or", "so", "instead",
     "otherwise", "consequently", "similarly", "likewise", "meanwhile", "finally", "next",
     "afterwards", "later", "first", "second", "third", "conversely", "nevertheless", "still",
     "yet", "else", "because", "also", "repeat", "again", "once", "now", "after", "until", "as"}
)  # fmt: skip
"""First words of a sentence that continues the one before it."""
_OBJECTS = frozenset(
    {"a", "an", "the", "your", "it", "them", "this", "these", "that", "with", "in", "on", "for",
     "to", "until", "one", "two", "three", "four", "five", "well", "all", "any", "some", "each",
     "every", "into", "from", "up", "down", "out", "off", "through", "over", "back", "again",
     "around", "sure", "together", "carefully", "gently", "slowly"}
)  # fmt: skip
"""Second words of an instruction, after a first that opens no statement."""
_STATING = frozenset(
    {"the", "a", "an", "this", "that", "these", "those", "it", "he", "she", "they", "we", "you",
     "i", "my", "your", "our", "his", "her", "their", "its", "some", "many", "most",
     "all", "each", "every", "no", "if", "when", "while", "in", "on", "at", "by", "for", "with",
     "from", "to", "as", "and", "but", "or", "so", "what", "who", "how", "why", "where", "there"}
)  # fmt: skip
"""First words of a statement, which is no instruction."""
_ASKED = 2_000
"""Characters of a message that are looked at."""
_MESSAGES = 4
_NO_NAMES = frozenset(
    {"i", "i'm", "i've", "i'll", "i'd", "monday", "tuesday", "wednesday", "thursday", "friday",
     "saturday", "sunday", "january", "february", "march", "april", "may", "june", "july", "august",
     "september", "october", "november", "december", "spring", "summer", "autumn", "winter"}
)  # fmt: skip
"""Words with a capital that name nobody."""
_PROCEDURE = re.compile(
    r"\b(?:how[ -](?:do|to|can|should|would)|steps?|instructions?|recipes?|cook|bake|tutorial|"
    r"guides? (?:to|for|on)|procedure|routine|workout|exercises?|schedule|itinerary|install|"
    r"set ?up|assemble|build|sew|knit|fold|program|plan|walk me through|configure)\b",
    re.IGNORECASE,
)
"""Words of a request for steps to follow."""
_SEQUENCE = re.compile(r"\bstep \d|\b(?:repeat|ingredients)\b", re.IGNORECASE)
"""Signs in an answer that it is a procedure."""
_VERSE = re.compile(
    r"\b(?:write|compose|create|make|generate|give|tell|sing|continue|draft|style|produce)\b.{0,80}?"
    r"\b(?:poems?|songs?|lyrics|raps?|verses?|haikus?|sonnets?|limericks?|ballads?|chants?|"
    r"rhymes?|prayers?|hymns?|scripts?|dialogues?|interviews?|plays?|stor(?:y|ies)|novel|scene|"
    r"variations?|flash ?cards?|quiz\w*)\b",
    re.IGNORECASE | re.DOTALL,
)
"""A request for a form that lives on repetition."""
_REPETITION = re.compile(
    r"\b(?:repeat(?:ed|edly|ing)?|repetitions?|over and over|again and again|\d+ times|thrice|"
    r"copies of|drills?|mantras?|affirmations?|paraphras\w+|rephras\w+)\b",
    re.IGNORECASE,
)
"""A request to say something again and again."""


_RECORD = re.compile(
    r"[^\S\n]*(?:[-*+\u2022][^\S\n]+)?(?:"
    r"\[[ xX\u2713]\]|"  # a box to tick
    r"[\[(]?(?:\d{4}-\d\d-\d\d|\d{1,2}:\d\d(?::\d\d)?\b|[A-Z][a-z]{2}[^\S\n]+\d{1,2}[^\S\n]+\d\d:)|"
    r"<[^<>\n]{1,40}>[^\S\n]|"  # who speaks
    r"[A-Z][A-Z. ]{2,30}:\s|"
    r"\()"
)
"""How a line of a log, a transcript or a check list begins (ours)."""
_SOURCE = re.compile(r"[^\n]*\n[^\S\n]*(?:--|\u2014|\u2013)[^\S\n]*\S")
"""A line below which stands who said it."""


def is_on_record(answer: AnswerAtoms, indices: Sequence[int]) -> bool:
    """Return whether one of these atoms records what was said or done, each time anew.

    That is a line with its time, its speaker or its box, words of somebody who is named below, or
    the rest of a sentence that only looks like one.
    """
    text, atoms = answer.text, answer.atoms
    for index in indices:
        atom = atoms[index]
        line = text.rfind("\n", 0, atom.start) + 1
        rest = index > 0 and atoms[index - 1].block == atom.block and atom.text[0].islower()
        if rest or _RECORD.match(text, line) or _SOURCE.match(text, atom.end):
            return True
    return False


def request_text(invocation: Invocation) -> str:
    """Return what the model was asked: by the user, and by the messages that are not its own."""
    texts = [message.text for message in invocation.messages if message.role != "assistant"]
    query = invocation.query
    return "\n".join(text[:_ASKED] for text in dict.fromkeys([query, *texts[-_MESSAGES:]]))


def asks_for_procedure(invocation: Invocation, answer: AnswerAtoms) -> bool:
    """Return whether a step that comes twice may have to be done twice."""
    return bool(_PROCEDURE.search(request_text(invocation)) or _SEQUENCE.search(answer.text))


def asks_for_repetition(query: str) -> bool:
    """Return whether the user asked for the same again and again."""
    return bool(_REPETITION.search(query[:2_000]))


def asks_for_verse(query: str) -> bool:
    """Return whether the user asked for a form that lives on repetition, or for repetition
    itself."""
    return asks_for_repetition(query) or bool(_VERSE.search(query[:2_000]))


class Guards:
    """The rules for one answer.

    Args:
        procedure: what comes twice may have to be done twice.
    """

    def __init__(self, answer: AnswerAtoms, *, procedure: bool) -> None:
        self._answer = answer
        self._atoms = answer.atoms
        self._claims = answer.claims
        self._procedure = procedure
        self._arrivals: list[int] | None = None

    def why_kept(self, kept: int, gone: Sequence[int]) -> str:
        """Return the reason why atoms that repeat others must stay; empty where they may go.

        Args:
            kept: the first atom that says it first.
            gone: the atoms that repeat it.
        """
        atoms = self._atoms
        first, again = atoms[kept], atoms[gone[0]]
        for index in gone:
            if reason := _reason_unfit(atoms[index]):
                return reason
        same = len(gone) == 1 and first.words == again.words
        alone = same and _stands_alone(again)
        if first.scope != again.scope and not (alone and self._falls_behind(kept, gone[0])):
            return "it stands under another heading or item"
        if gone[0] == kept + len(gone):
            return ""
        if self._procedure and any(instructs(atoms[index].words) for index in gone):
            return "a step may come twice"
        hangs = _leans_on_previous(again)
        if hangs and len(again.words) < _LONG:
            return "it speaks of what stands before it"
        following = gone[-1] + 1
        beside = following < len(atoms) and atoms[following].block == again.block
        if beside and _leans_on_previous(atoms[following]):
            return "what follows speaks of it"
        if (hangs or not self._names(first)) and not alone and self._moved_on(kept, gone[0]):
            return "another name has come up in between"
        return ""

    def _falls_behind(self, kept: int, gone: int) -> bool:
        """Return whether the later atom is a paragraph of the text behind items and titles,
        without a heading.

        What is said behind items is said of no item.
        """
        blocks = self._answer.blocks
        block = blocks[self._atoms[gone].block]
        between = blocks[self._atoms[kept].block : self._atoms[gone].block + 1]
        return (
            block.kind == "paragraph"
            and block.start == block.body
            and self._atoms[gone].start == block.start
            and blocks[self._atoms[kept].block].kind == "paragraph"
            and not any(other.kind in ("heading", "rule", "dialogue") for other in between)
        )

    def _moved_on(self, kept: int, gone: int) -> bool:
        """Return whether a name comes up for the first time between the two."""
        if self._arrivals is None:
            first_seen: dict[str, int] = {}
            for index, atom in enumerate(self._atoms):
                for name in self._names(atom):
                    first_seen.setdefault(name, index)
            self._arrivals = sorted(first_seen.values())
        following = bisect_right(self._arrivals, kept)
        return following < len(self._arrivals) and self._arrivals[following] < gone

    def _names(self, atom: Atom) -> frozenset[str]:
        return self._claims[atom.text].capitals - _NO_NAMES


def instructs(words: Sequence[str]) -> bool:
    """Return whether a sentence looks like an instruction: ``Pull the thread``, ``Finish with``."""
    if len(words) < 2 or states(words):
        return False
    return words[1].casefold() in _OBJECTS or words[1][0].isdigit()


def states(words: Sequence[str]) -> bool:
    """Return whether a sentence opens as a statement does: ``The``, ``You``, ``If``."""
    return words[0].casefold() in _STATING


def _reason_unfit(atom: Atom) -> str:
    if atom.kind != "sentence":
        return "it is no sentence"
    if len(atom.words) < MIN_WORDS:
        return "it is short"
    if not atom.closed:
        return "it is no whole statement"
    if atom.text.count('"') % 2 or any(mark in atom.text for mark in "\u201c\u201d\u00ab\u00bb"):
        return "it quotes"
    if '"' in atom.text and len(atom.words) < _LONG:
        return "it quotes"
    return ""


def _stands_alone(atom: Atom) -> bool:
    """Return whether a sentence says by itself what it is about.

    It refers to nothing before it, or says so much that it is clear.
    """
    words = [word.casefold() for word in atom.words]
    if _leans_on_previous(atom) or words[0] == "the":
        return len(words) >= _CLEAR
    return len(words) >= _SELF_STANDING or _REFERRING.isdisjoint(words)


def _leans_on_previous(atom: Atom) -> bool:
    """Return whether a sentence leans on the one before it. ``It is important to`` does not."""
    opening = [word.casefold() for word in atom.words[:_OPENING_WORDS]]
    if not opening or not opening[0][0].isalnum():
        return True
    if opening[0] == "it" and opening[1:3] and opening[-1] in _IMPERSONAL:
        return False
    return opening[0] in _CONNECTIVES or opening[0] in _PRONOUNS
