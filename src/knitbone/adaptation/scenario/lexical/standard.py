"""The lexical standard of a session: its language, its spelling, its bullets.

It is set once, by the first of these that shows the feature: a variety that is named (by the user,
the requirement, or a message to the model); the user's first text; where there is no user's text,
the prompt; and for spelling and bullets, the first answer of the session. Beside a user's text the
prompt's spelling counts only for an answer that is itself spelt in two ways. A later call whose
first text is another is another conversation, and its language and spelling are read anew.

Source: Comfrey §4.4.2 (requirements).
"""

from __future__ import annotations

from knitbone._forks import new_rlock
from knitbone.adaptation.repair.checks import Invocation
from knitbone.adaptation.scenario.lexical.language import (
    has_english,
    has_foreign_signs,
    language_of,
    letters_only,
    same_language,
    speaks_of_languages,
)
from knitbone.adaptation.scenario.lexical.list_structure import (
    SettledLayout,
    about_layout,
    layout_of,
)
from knitbone.adaptation.scenario.lexical.spans import protected_spans
from knitbone.adaptation.scenario.lexical.spelling import (
    AXES,
    Standard,
    about_spelling,
    clear_sides,
    consistent,
    count_votes,
    find_words,
    named_variety,
    sides_taken,
)

__all__ = ["LexicalStandard", "prompt_spelling", "source_text"]

MAX_SOURCE = 20_000
"""Characters of a text that sets the standard; what is longer is mostly quoted material."""
MIN_EARLIER = 2
"""Words with which an earlier answer settles a side (ours): one may be a slip."""


class LexicalStandard:
    """The standard of one session, shared by all of its threads."""

    def __init__(self) -> None:
        self._lock = new_rlock()
        self._spelling: dict[tuple[str, str], Standard | None] = {}
        self._language: dict[str, str | None] = {}
        self._earlier: Standard = {}
        self._unread = ""
        self._layout = SettledLayout()
        self._unread_layout = ""

    def spelling(self, invocation: Invocation, declared: str) -> Standard | None:
        """Return the side of every axis that is settled; ``None`` where spelling itself is the
        topic."""
        with self._lock:
            stated = self.stated_spelling(invocation, declared)
            if named_variety(invocation.query[:MAX_SOURCE]) is not None:
                return stated
            if self._unread:
                words = find_words(self._unread, protected_spans(self._unread), invocation.deadline)
                later: Standard = {
                    **clear_sides(count_votes(words), at_least=MIN_EARLIER),
                    **self._earlier,
                }
                # An answer that takes both sides settles nothing: it would not pass by itself.
                if consistent(sides_taken(letters_only(self._unread)), later):
                    self._earlier = later
                self._unread = ""
            return None if stated is None else {**self._earlier, **stated}

    def stated_spelling(self, invocation: Invocation, declared: str) -> Standard | None:
        """Return the spelling without what earlier answers have settled."""
        query = invocation.query[:MAX_SOURCE]
        named = named_variety(query)
        if named is not None:
            return named
        if about_spelling(query):
            return None
        source = source_text(invocation)
        key = (declared, source)
        with self._lock:
            if key not in self._spelling:
                self._spelling = {key: _spelling_of(source, declared, invocation)}
            return self._spelling[key]

    def language(self, invocation: Invocation) -> str | None:
        """Return the language of the session; ``None`` where it is not known, or there are
        several."""
        source = source_text(invocation)
        with self._lock:
            if source not in self._language:
                self._language = {
                    source: language_of(source) or _english_by_prompt(source, invocation)
                }
            return self._language[source]

    def answers_in(self, invocation: Invocation) -> str | None:
        """Return the language of the answer that is expected now.

        It is the session's, unless the user went on in another one.
        """
        settled, query = self.language(invocation), invocation.query[:MAX_SOURCE]
        asked_in = language_of(query)
        if settled is None or asked_in is None or same_language(settled, asked_in):
            return settled
        return asked_in

    def use_spelling(self, text: str) -> None:
        """Keep a delivered text, which settles the spelling that it is clear about.

        It is read when the next answer needs it, which most sessions of one answer never do.
        """
        with self._lock:
            if len(self._earlier) < len(AXES):
                self._unread = text

    def layout(self, invocation: Invocation) -> SettledLayout:
        """Return the layout of the session's first answers; nothing is known of an answer about
        layout."""
        with self._lock:
            if about_layout(invocation.query[:MAX_SOURCE]):
                self._layout, self._unread_layout = SettledLayout(), ""
            elif self._unread_layout:
                protected = protected_spans(self._unread_layout)
                later = layout_of(self._unread_layout, protected, invocation.deadline)
                self._layout = self._layout.completed(later)
                self._unread_layout = ""
            return self._layout

    def use_layout(self, text: str) -> None:
        """Keep a delivered text that has lists or headings; it is read when needed."""
        with self._lock:
            if not self._layout.complete:
                self._unread_layout = text


def source_text(invocation: Invocation) -> str:
    """Return the text that sets the standard: the user's first, else the messages to the model.

    Data that the application sends in the user's place sets nothing.
    """
    first = invocation.first_input.strip()
    if first and not (first[0] in "{[" and first[-1] in "}]"):
        return first[:MAX_SOURCE]
    told = (message.text for message in invocation.messages if message.text.strip() != first)
    return "\n\n".join(told)[:MAX_SOURCE]


def _english_by_prompt(source: str, invocation: Invocation) -> str | None:
    """Return English, where a text too short to tell has a word of it and nothing else, and the
    application's own messages are in English."""
    words = letters_only(source)
    if speaks_of_languages(source) or not has_english(words) or has_foreign_signs(source, words):
        return None
    told = "\n".join(m.text for m in invocation.messages if m.role == "system")[:MAX_SOURCE]
    return "en" if named_variety(told) is not None or language_of(told) == "en" else None


def prompt_spelling(invocation: Invocation) -> Standard:
    """Return the spelling of the application's own messages to the model.

    Weaker than the user's text: it settles an answer that is spelt in two ways, and no other.
    """
    told = "\n".join(m.text for m in invocation.messages if m.role == "system")[:MAX_SOURCE]
    if not told or about_spelling(told):
        return {}
    return clear_sides(count_votes(find_words(told, protected_spans(told), invocation.deadline)))


def _spelling_of(source: str, declared: str, invocation: Invocation) -> Standard | None:
    told = "\n".join(message.text[:MAX_SOURCE] for message in invocation.messages)
    for text in (source, declared, told):
        named = named_variety(text)
        if named is not None:
            return named
    if about_spelling(source):
        return None
    if not sides_taken(letters_only(source)):
        return {}
    return clear_sides(
        count_votes(find_words(source, protected_spans(source), invocation.deadline))
    )
