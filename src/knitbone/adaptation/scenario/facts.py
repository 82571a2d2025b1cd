"""The facts of a sentence, and what one sentence says that another does not.

A repetition is removed only where it says nothing that the kept sentence does not say. Embeddings
cannot tell (``common/similarity.py``), so the proof is lexical and strict: every word, number, name
and sign of one sentence must be in the other, in an order that says the same. What may differ is
listed: articles and fillers, a restating opening, synonyms (``synonyms.py``), contractions, and the
position of a phrase that a preposition opens. Whatever is not listed counts as a difference.

Source: Comfrey §4.5.2 removes what is similar; that facts are compared first is ours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from knitbone.adaptation.scenario.synonyms import (
    EMPTY,
    MARKERS,
    MOVABLE,
    NEGATIONS,
    NUMBER_WORDS,
    same_word,
)

__all__ = [
    "BREAK",
    "MAX_CHARACTERS",
    "Statement",
    "difference",
    "read_statement",
    "read_words",
    "same_words",
]

MAX_CHARACTERS = 4_000
"""A longer passage is no sentence; it equals only itself."""

_CACHED_WORD = 40
_TOKEN = re.compile(
    r"\w+(?:(?:[-'\u2019./@:+#]|(?<=\d),(?=\d))\w+)*(?:[+#]+(?=[\s.,;:!?)]|\Z))?|[^\w\s]"
)
"""A word with the marks inside it (``state-of-the-art``, ``1,000``, ``C++``), or a sign."""
_SILENT = frozenset(".,;:!?\"'()[]{}*`\u2018\u2019\u201c\u201d\u00ab\u00bb\u2026\u2013\u2014-")
"""Signs that say nothing by themselves."""
_BREAKS = frozenset(",;:()\u2013\u2014")
"""Silent signs that end a phrase."""
_CODE = re.compile(r".*[\d_./@+#]|.+[A-Z]", re.DOTALL)
"""A word that is no plain word: with digits, signs, or capitals inside."""
_COUNTED = re.compile(rf"(\d{{1,6}}|{'|'.join(NUMBER_WORDS)})-([a-z]{{3,}})\Z", re.IGNORECASE)
"""``two-minute``, which ``2-minute`` is."""
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+\Z")
_BE = {"is": "be", "are": "be", "am": "be", "were": "was", "can't": "can not", "cannot": "can not",
       "won't": "will not", "shan't": "shall not", "ain't": "be not", "it's": "it be",
       "i'm": "i be", "that's": "that be", "there's": "there be", "let's": "let us"}  # fmt: skip
_ENDINGS = {"n't": "not", "'re": "be", "'ll": "will", "'ve": "have", "'s": "'s", "'m": "be"}
BREAK = "\0"
"""Stands for a comma among the tokens; no text holds it as a token of its own."""
_LEADING = frozenset({"that", "to", "you"})
"""Restating openings that end so need no comma behind them."""
_ADDING = frozenset({"and", "because", "so", "which"})
"""First words of a part that only adds to the sentence before it."""
_LIMITING = NEGATIONS | {"but", "if", "when", "only", "while", "although", "though", "however"}


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """The content of one sentence, list item or line."""

    tokens: tuple[str, ...]
    """The words in order, each as its class, or as it is."""
    marked: tuple[str, ...]
    """The tokens with ``BREAK`` where a comma, a colon or a bracket stands."""
    core: tuple[str, ...]
    """The tokens that no preposition has taken along."""
    phrases: tuple[tuple[str, ...], ...]
    """The phrases that one opens; sorted where they may stand elsewhere."""
    capitals: frozenset[str]
    """Words with a capital that is not due to their place."""
    plain: frozenset[str]
    question: bool


def read_words(text: str) -> tuple[str, ...]:
    """Return the words and signs of a text as written.

    Blanks, quotation marks, emphasis and the case of the first letter are left out, so two texts
    with the same words are the same text.
    """
    words = [word for word in _TOKEN.findall(text) if word not in _SILENT or word == "?"]
    words = [x.replace(",", "") if "," in x and _THOUSANDS.match(x) else x for x in words]
    if words and not _CODE.match(words[0]):
        words[0] = words[0].casefold()
    return tuple(words)


def fold_titles(words: Sequence[str]) -> tuple[str, ...]:
    """Return words in lower case where they have the case of titles: ``Get a Job`` is ``get a
    job``. Codes such as ``iPhone`` keep theirs."""
    return tuple(word.casefold() if word.istitle() else word for word in words)


def same_words(one: str, other: str) -> bool:
    """Return whether two texts differ in blanks and silent punctuation only."""
    return read_words(one) == read_words(other)


def read_statement(text: str) -> Statement:
    """Read the content of a sentence. A text longer than ``MAX_CHARACTERS`` is read as one opaque
    token."""
    if len(text) > MAX_CHARACTERS:
        whole = (text,)
        return Statement(tokens=whole, marked=whole, core=whole, phrases=(), capitals=frozenset(),
                     plain=frozenset(), question=False)  # fmt: skip
    tokens: list[str] = []
    capitals: set[str] = set()
    plain: set[str] = set()
    first = True
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token in _SILENT and not _is_sign(text, match):
            if token in _BREAKS and tokens:  # nothing is parted from nothing: "Please, ..."
                tokens.append(BREAK)
            continue
        written = token.strip("_") or token
        if not first and written[0].isalpha() and written.casefold() not in EMPTY:
            (plain if written.islower() else capitals).add(written.casefold())
        tokens.extend(_classes(written) if len(written) <= _CACHED_WORD else _normalise(written))
        first = False
    tokens = _without_marker(tokens)
    core, phrases = _chunks(tokens)
    without_breaks = [token for token in tokens if token is not BREAK]
    return Statement(
        tokens=tuple(without_breaks),
        marked=tuple(tokens),
        core=core,
        phrases=phrases,
        capitals=frozenset(capitals),
        plain=frozenset(plain),
        question=text.rstrip(" \t\r\n\"')*_\u201d\u2019").endswith("?"),
    )


def difference(removed: Statement, kept: Statement) -> str:
    """Describe a fact of ``removed`` that ``kept`` does not have; empty where there is none.

    Not symmetric: ``Bring water.`` is in ``Bring water and food.``, not the other way round.
    """
    if removed.question != kept.question:
        return "one is a question"
    if removed.capitals & kept.plain or kept.capitals & removed.plain:
        word = min((removed.capitals & kept.plain) | (kept.capitals & removed.plain))
        return f"{word[:40]!r} is a name in one only"
    if removed.tokens == kept.tokens:
        return ""
    if Counter(removed.tokens) == Counter(kept.tokens):
        moved = removed.core == kept.core and removed.phrases == kept.phrases
        return "" if moved else "the order of the words differs"
    if not removed.tokens:
        return "one says nothing"
    size = len(removed.tokens)
    if len(kept.tokens) > size and kept.tokens[:size] == removed.tokens:
        rest = kept.tokens[size:]
        if rest[0] in _ADDING and not _LIMITING.intersection(rest):
            return ""
    return _first_difference(removed, kept)


def _first_difference(removed: Statement, kept: Statement) -> str:
    """Describe the most telling token that only one sentence has: a negation, a number, a name, a
    word."""
    ours, theirs = Counter(removed.tokens), Counter(kept.tokens)
    differing = [*(ours - theirs), *(theirs - ours)]
    for token in differing:
        if token in NEGATIONS:
            return f"{token!r} is in one only"
    for token in differing:
        if token[:1].isdigit():
            return f"the number {token[:40]} is in one only"
    for token in differing:
        if token in removed.capitals | kept.capitals:
            return f"the name {token[:40]!r} is in one only"
    return f"{differing[0][:40]!r} is in one only"


def _is_sign(text: str, match: re.Match[str]) -> bool:
    """Return whether a silent character means something here: a minus before a number, a
    multiplication sign between two."""
    sign, following = match.group(), text[match.end() : match.end() + 2]
    before = text[max(0, match.start() - 1) : match.start()]
    if sign in "-\u2013":
        return following[:1].isdigit() and not before.isalnum()
    return sign == "*" and before == " " and following[:1] == " " and following[1:].strip() != ""


@lru_cache(maxsize=8_192)
def _classes(written: str) -> tuple[str, ...]:
    """Return ``_normalise`` of a word, cached: words come again and again."""
    return tuple(_normalise(written))


def _normalise(written: str) -> list[str]:
    """Return a written word as the classes of the words that it stands for: ``don't`` is ``do
    not``."""
    if _THOUSANDS.match(written):
        return [written.replace(",", "")]
    if counted := _COUNTED.match(written):
        number, noun = counted.group(1).casefold(), counted.group(2)
        return [f"{NUMBER_WORDS.get(number, number)}-{same_word(noun)}"]
    if _CODE.match(written):
        if written.isupper() and written.isalpha():
            return [written.casefold()]
        stem, tick, ending = written.replace("\u2019", "'").rpartition("'")
        return [stem, tick + ending] if tick and ending == "s" else [written]
    word = written.casefold().replace("\u2019", "'")
    if word in _BE:
        return _BE[word].split()
    for ending, says in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return [same_word(word[: -len(ending)]), says]
    if word in EMPTY:
        return []
    if word in NUMBER_WORDS:
        return [NUMBER_WORDS[word]]
    return [same_word(word)]


def _without_marker(tokens: list[str]) -> list[str]:
    """Return the tokens without a restating opening: ``in other words``."""
    for words, whole in _markers().get(tokens[0], ()) if tokens else ():
        if tokens[: len(words)] == words:
            rest = tokens[len(words) :]
            if rest[:1] == [BREAK]:
                return rest[1:]
            if whole:
                return rest
    return tokens


@lru_cache(maxsize=1)
def _markers() -> dict[str, list[tuple[list[str], bool]]]:
    """Return the restating openings by their first word, longer ones first, each with whether it
    needs no comma behind it (``note that``)."""
    by_first: dict[str, list[tuple[list[str], bool]]] = {}
    for marker in sorted(MARKERS, key=len, reverse=True):
        words = [same_word(word) for word in marker if word not in EMPTY]
        by_first.setdefault(words[0], []).append((words, marker[-1] in _LEADING))
    return by_first


def _chunks(tokens: list[str]) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Split tokens into those that stay in order and the phrases that may move.

    A phrase runs from its preposition to the next one, or to a comma.
    """
    core: list[str] = []
    phrases: list[tuple[str, ...]] = []
    phrase: list[str] | None = None
    for token in [*tokens, BREAK]:
        if token is BREAK or token in MOVABLE:
            if phrase is not None:
                phrases.append(tuple(phrase))
            phrase = [token] if token is not BREAK else None
        elif phrase is not None:
            phrase.append(token)
        else:
            core.append(token)
    # "at 9 on Monday and at 10 on Friday": which belongs to which is told by the order alone.
    openings = {phrase[0] for phrase in phrases}
    free = len(openings) == len(phrases) or not {"and", "or"}.intersection(tokens)
    return tuple(core), tuple(sorted(phrases) if free else phrases)
