"""The check of lexical features: an answer's language, spelling and structure, against its session.

Each feature is a pass: a cheap test that leaves most answers as they are, detection, repair, and
the proof that nothing but the repaired spans changed. An answer in which a feature cannot be
repaired safely keeps it; a foreign language without a translator is reported.

Source: Comfrey §4.4.2.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import msgspec

from knitbone.adaptation.repair.checks import (
    Check,
    Deadline,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
    unread,
)
from knitbone.adaptation.repair.missing import note_missing
from knitbone.adaptation.requirements.records import ScenarioRequirement
from knitbone.adaptation.scenario.lexical.headings import align_headings
from knitbone.adaptation.scenario.lexical.language import (
    asks_for_translation,
    detector,
    foreign_spans,
    has_foreign_signs,
    letters_only,
    looks_english,
    speaks_of_languages,
)
from knitbone.adaptation.scenario.lexical.list_structure import (
    SettledLayout,
    align_bullets,
    align_indents,
    align_numbers,
    find_lists,
    follows,
    has_items,
    has_layout,
    may_be_uneven,
)
from knitbone.adaptation.scenario.lexical.spans import (
    Replacement,
    Spans,
    apply_replacements,
    only_edits,
    protected_spans,
)
from knitbone.adaptation.scenario.lexical.spelling import (
    MAJORITY,
    Standard,
    about_spelling,
    clear_sides,
    consistent,
    count_votes,
    expected_ize,
    find_words,
    mixed_axes,
    respell,
    sides_taken,
    spellings,
    words_on_wrong_side,
)
from knitbone.adaptation.scenario.lexical.standard import (
    LexicalStandard,
    prompt_spelling,
    source_text,
)
from knitbone.adaptation.scenario.lexical.translation import translations
from knitbone.errors import MissingExtraError

__all__ = ["HEURISTICS", "MAX_TEXT", "load", "prepare"]


# Words in a foreign script amid the sentences of an answer: ``it is 非常 good``.
#
# Models that were trained on several languages slip into another one for a word or two. That is too
# short for the detection of languages, but plain by its script. A name or a quoted word is set off:
# by parentheses, quotation marks, a colon, a capital, or by what introduces it.
#
# Source: Comfrey §4.4.2 (language usage: Unicode script detection).

MIN_LETTERS = 2
"""Letters of a run (ours): a single one is a symbol or a variable."""
MAX_RUNS = 1_000
"""Runs of an answer that are looked at."""
MAX_GAP = 64
"""Blanks around a run that are skipped."""

_SCRIPTS = {
    "han": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
    "kana": "\u3041-\u3096\u30a1-\u30fa\u30fc",
    "hangul": "\uac00-\ud7af\u1100-\u11ff",
    "cyrillic": "\u0400-\u04ff",
    "arabic": "\u0620-\u064a\u066e-\u06d3",
    "hebrew": "\u05d0-\u05ea",
    "thai": "\u0e01-\u0e3a\u0e40-\u0e4e",
    "devanagari": "\u0904-\u0939\u093e-\u094d\u0958-\u0961",
}
_LANGUAGES = {
    "han": "zh wuu yue ja ko",
    "kana": "ja",
    "hangul": "ko",
    "cyrillic": "ru uk bg sr mk be kk ky mn tg",
    "arabic": "ar arz azb fa ur ckb ps",
    "hebrew": "he yi",
    "thai": "th",
    "devanagari": "hi mr ne sa bh mai",
}
"""The languages that a script is of."""
_RUNS = {
    name: re.compile(rf"[{signs}]+(?:[ \u3001,]{{1,2}}[{signs}]+)*")
    for name, signs in _SCRIPTS.items()
}
_ANY = re.compile(f"[{''.join(_SCRIPTS.values())}]")
_SENTENCE_CHARACTER = re.compile(r"[\w,.;!?\u3001\u3002\uff0c\uff01\uff1f]")
"""A character beside a word of the sentence; any other sets the word off."""
_INTRODUCTION = re.compile(
    r"\b(?:words?|terms?|names?|named|called|characters?|kanji|signs?|reads?|says?|means?|symbols?"
    r"|letters?|said|written|phrases?|spelled|spelt|titled?|type|enter|search|tap|click|press"
    r"|wort|begriff|hei\u00dft|namens|genannt|palabra|llamad[oa]|dice|mot|appel\u00e9e?|dit"
    r"|parola|chiamat[oa]|palavra|chamad[oa])\W*$",
    re.IGNORECASE,
)


def script_runs(
    text: str, language: str, told: Iterable[str], protected: Spans, deadline: Deadline
) -> list[tuple[int, int]]:
    """Find the runs of words in a script that is not the language's and stands nowhere in the
    ``told`` texts.

    Raises:
        TimeoutError: the deadline has passed.
    """
    if text.isascii() or _ANY.search(text) is None:
        return []
    known = "\n".join(told)
    found: list[tuple[int, int]] = []
    for name, pattern in _RUNS.items():
        if language in _LANGUAGES[name].split() or pattern.search(known) is not None:
            continue
        for match in pattern.finditer(text):
            deadline.check()
            start, end = match.span()
            if len(found) >= MAX_RUNS:
                break
            if not protected.touches(start, end) and _is_amid(text, start, end):
                found.append((start, end))
    return sorted(found)


def _is_amid(text: str, start: int, end: int) -> bool:
    """Return whether a run stands in a sentence like any of its words."""
    if sum(map(str.isalpha, text[start:end])) < MIN_LETTERS or text[start].isupper():
        return False
    before = text[max(0, start - MAX_GAP) : start].rstrip(" ")
    after = text[end : end + MAX_GAP].lstrip(" ")
    if not before or before.endswith("\n") or _SENTENCE_CHARACTER.match(before[-1]) is None:
        return False
    if after and not after[0].isspace() and _SENTENCE_CHARACTER.match(after) is None:
        return False
    return _INTRODUCTION.search(before) is None


HEURISTICS: tuple[str, ...] = (
    "lexical.language",
    "lexical.spelling",
    "lexical.bullets",
    "lexical.numbering",
    "lexical.indentation",
    "lexical.headings",
)
MAX_TEXT = 200_000
"""Characters; a longer answer is passed on with a record (ours): about 50,000 tokens."""
MAX_ROUNDS = 8
"""Passes over the spelling: one side that becomes clear can make another clear."""

MAX_GLANCE = 2_000
"""Characters of the question that are looked at for signs of English."""

MAX_PROMPT = 20_000
"""Characters of a prompt that are looked at for a request to translate."""

_loaded: dict[Callable[[], object], bool] = {}
"""Loaders of libraries that were called, and whether the library was there."""


class _Pass(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one pass over an answer."""

    text: str
    rules: tuple[str, ...] = ()
    edits: int = 0
    reason: str = ""
    """The drift that it found and could not repair."""


def load(_: ScenarioRequirement) -> None:
    """Load, ahead of the first answer, what a check would load with it.

    Raises:
        MissingExtraError: a library is not installed.
    """
    spellings()
    detector()


def prepare(requirement: ScenarioRequirement) -> Check | None:
    """Compile the requirement into a check; ``None`` for another scenario's."""
    if requirement.name != "consistent_lexical_features":
        return None
    declared = requirement.standard
    spelling = _is_installed(spellings)

    @FunctionCheck
    def check(text: str, invocation: Invocation, /) -> Verdict:
        if len(text) > MAX_TEXT:
            return unread(text, f"the answer has {len(text)} characters; the bound is {MAX_TEXT}")
        told = [message.text[:MAX_PROMPT] for message in invocation.messages]
        others_words = any(map(asks_for_translation, told))
        if others_words and any(map(has_items, told)):
            return conforming(text)
        standard = invocation.session.state(LexicalStandard)
        words = letters_only(text)
        changes: list[_Pass] = []
        current = text
        if not others_words and invocation.uses("lexical.language"):
            signs = has_foreign_signs(text, words)
            if signs or not _asked_in_english(invocation):
                changes.append(_translate_foreign(current, standard, invocation, signs=signs))
                current = changes[-1].text
        speller = spelling and not others_words and invocation.uses("lexical.spelling")
        if speller and (taken := sides_taken(words)):
            settled = standard.spelling(invocation, declared)
            if settled is not None and not consistent(taken, settled):
                stated = standard.stated_spelling(invocation, declared) or {}
                changes.append(_respell(current, settled, stated, invocation))
                current = changes[-1].text
            standard.use_spelling(current)
        laid_out = has_layout(current)
        layout = standard.layout(invocation) if laid_out else SettledLayout()
        if laid_out and (may_be_uneven(current) or not follows(current, layout)):
            changes.append(_align_layout(current, layout, invocation))
            current = changes[-1].text
        if laid_out:
            standard.use_layout(current)
        return _verdict(text, current, changes)

    return check


def _verdict(text: str, current: str, changes: Sequence[_Pass]) -> Verdict:
    reason = "; ".join(change.reason for change in changes if change.reason)
    edits = sum(change.edits for change in changes)
    if edits:
        rules = (rule for change in changes for rule in change.rules)
        return repaired(current, *rules, edits=edits, reason=reason)
    return refused(text, reason) if reason else conforming(text)


def _asked_in_english(invocation: Invocation) -> bool:
    """Return whether the text that sets the standard is plainly English: the cheap test."""
    return looks_english(letters_only(source_text(invocation)[:MAX_GLANCE]))


def _is_installed(load: Callable[[], object], invocation: Invocation | None = None) -> bool:
    """Return whether the library of a feature is installed; what is not is reported once.

    Loading takes up to half a second, once in a process, which is not the answer's fault: its
    budget begins anew behind it.
    """
    if load in _loaded:
        return _loaded[load]
    try:
        load()
        _loaded[load] = True
    except MissingExtraError as error:
        note_missing(error)
        _loaded[load] = False
    if invocation is not None:
        invocation.deadline.extend(invocation.config.budget_ms / 1000)
    return _loaded[load]


def _translate_foreign(
    text: str, standard: LexicalStandard, invocation: Invocation, *, signs: bool
) -> _Pass:
    """Translate sentences in another language than the session's, where there is a translator.

    Args:
        signs: whether the text shows signs of another language. Without any the answer is English,
            which may be the other language.
    """
    deadline = invocation.deadline
    language = standard.language(invocation) if _is_installed(detector, invocation) else None
    if (
        language is None
        or (language == "en" and not signs)
        or speaks_of_languages(invocation.query)
    ):
        return _Pass(text=text)
    protected = protected_spans(text)
    spans = foreign_spans(text, language, protected, deadline)
    runs = script_runs(text, language, _texts_by_others(invocation), protected, deadline)
    if (
        not (spans or runs)
        or speaks_of_languages(text)
        or standard.answers_in(invocation) != language
    ):
        return _Pass(text=text)
    change = _apply_safely(text, translations(text, spans, language, deadline))
    reasons: list[str] = []
    if left := len(spans) - change.edits:
        others = ", ".join(sorted({span.language for span in spans}))
        reasons.append(
            f"{left} passage{'s' if left > 1 else ''} in {others}, the session is in {language}; "
            f"first at character {spans[0].start}; no translator did it"
        )
    elif not spans:
        # A word or two may be a name: that is for people to see.
        reasons.append(
            f"{len(runs)} run{'s' if len(runs) > 1 else ''} of words in another script amid "
            f"{language}; first at character {runs[0][0]}"
        )
    return msgspec.structs.replace(change, reason="; ".join(reasons))


def _texts_by_others(invocation: Invocation) -> list[str]:
    """Return the texts of the call that others than the model wrote."""
    return [message.text for message in invocation.messages if message.role != "assistant"]


def _respell(text: str, settled: Standard, stated: Standard, invocation: Invocation) -> _Pass:
    """Respell the words of the other variety of English.

    Other than that of the standard; without one, than the answer's own clear majority; in an
    answer of both varieties, than that of the prompt.
    """
    if about_spelling(text):
        return _Pass(text=text)
    current, rules = text, Counter[str]()
    prompt: Standard | None = None
    own = find_words(text, protected_spans(text), invocation.deadline)
    settled = {**expected_ize(own, stated), **settled}
    for _ in range(MAX_ROUNDS):
        words = find_words(current, protected_spans(current), invocation.deadline)
        counts = count_votes(words)
        sides: Standard = {**clear_sides(counts, at_least=MAJORITY), **settled}
        if undecided := mixed_axes(counts) - sides.keys():
            prompt = prompt_spelling(invocation) if prompt is None else prompt
            sides = {**{axis: prompt[axis] for axis in undecided & prompt.keys()}, **sides}
        edits = respell(current, words_on_wrong_side(words, sides))
        if not edits:
            return _Pass(text=current, rules=_counted_rules(rules), edits=rules.total())
        following = apply_replacements(current, edits)
        if not only_edits(current, following, edits):
            break
        rules.update(edit.rule for edit in edits)
        current = following
    return _Pass(text=text)  # does not come to rest


def _align_layout(text: str, layout: SettledLayout, invocation: Invocation) -> _Pass:
    """Align markers, numbers, indentation and headings that stand out from their siblings."""
    changes: list[_Pass] = []
    current, deadline, query = text, invocation.deadline, invocation.query
    heading = layout.heading
    aligners: tuple[tuple[str, Callable[[str, Spans], list[Replacement]]], ...] = (
        ("lexical.indentation", lambda text, spans: align_indents(text, spans, deadline)),
        ("lexical.bullets", lambda text, spans: align_bullets(text, spans, deadline, layout)),
        (
            "lexical.numbering",
            lambda text, spans: align_numbers(text, spans, deadline, layout, query),
        ),
        ("lexical.headings", lambda text, spans: align_headings(text, spans, deadline, heading)),
    )
    for heuristic, align in aligners:
        if not invocation.uses(heuristic):
            continue
        change = _apply_safely(current, align(current, protected_spans(current)))
        if _same_lists(current, change.text, deadline):
            changes.append(change)
            current = change.text
    rules = tuple(rule for change in changes for rule in change.rules)
    return _Pass(text=current, rules=rules, edits=sum(change.edits for change in changes))


def _apply_safely(text: str, edits: Sequence[Replacement]) -> _Pass:
    """Return the text with the edits made; with none of them where anything else would change."""
    new = apply_replacements(text, edits)
    if not edits or not only_edits(text, new, edits):
        return _Pass(text=text)
    rules = Counter(edit.rule for edit in edits)
    return _Pass(text=new, rules=_counted_rules(rules), edits=len(edits))


def _counted_rules(rules: Counter[str]) -> tuple[str, ...]:
    return tuple(
        f"{rule} in {times} place{'s' if times > 1 else ''}" for rule, times in rules.items()
    )


def _same_lists(text: str, repaired_text: str, deadline: Deadline) -> bool:
    """Return whether every list item has kept its text and its place in the nesting."""
    if text == repaired_text:
        return True
    before, after = (
        [
            [(item.level, item.kind, item.text) for item in items]
            for items in find_lists(candidate, protected_spans(candidate), deadline)
        ]
        for candidate in (text, repaired_text)
    )
    return before == after
