"""Signs of a language that are cheap to look for: common words, letters, scripts.

They decide whether the detection of languages is worth its time; they never decide a language.
"""

from __future__ import annotations

import re

__all__ = [
    "asks_for_translation",
    "has_english",
    "has_foreign_signs",
    "letters_only",
    "looks_english",
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

_LANGUAGES = """
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
    rf"\b{_VARIETY}(?:{'|'.join((*_LANGUAGES.split(), *_TOPICS.split()))})"
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
