"""Echoes: parts of the prompt that the answer says again (contextual redundancy).

Three forms are certain: an answer that opens with the whole question, or the whole prompt, as a
unit of its own; one that opens with lines of the prompt up to the question and the label of the
answer; and one that goes on behind its end with the next question of a prompt of examples.
Sentences of the prompt inside an answer are how one answers from a context: they stay.

Source: Comfrey §4.5.2, which removes whatever is similar to the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from knitbone.adaptation.repair.checks import PromptMessage
from knitbone.adaptation.scenario.facts import read_words
from knitbone.adaptation.text.wrappers.labels import answer_start, question_start

__all__ = ["Echo", "find_continuation", "find_echo", "wants_echo"]

MAX_PROMPT = 65_536
"""Characters; of a longer prompt no echo is looked for."""
MIN_WORDS = 4
"""A shorter question may be the title of its answer."""
_MIN_PROMPT_WORDS = 8
_MIN_SAME_LINE = 6
"""Words of a question that is followed by its answer in the same line."""
_MIN_ANSWER_WORDS = 3
_MIN_VERBATIM = 40

_ECHO_WANTED = re.compile(
    r"\b(?:repeat|restate|echo|quote|cite|copy|translat\w*|proofread|rewrit\w*|rephras\w*|"
    r"paraphras\w*|continue|complete the|finish the|fill in|verbatim|word for word|transcrib\w*|"
    r"(?:begin|start|starting|beginning) with|the question (?:and|first|itself|again)|"
    r"(?:include|state|give) the (?:question|prompt)|q ?(?:&|and) ?a|faq|flash ?cards?|quiz\w*|"
    r"question.answer)\b",
    re.IGNORECASE,
)
"""Wherever it stands, the answer may open with the question."""
_TEXT_WANTED = re.compile(
    r"\b(?:correct|edit|summar\w*|format|convert|extract|highlight|annotat\w*|spell|grammar|"
    r"markdown|type|write down|the following (?:text|sentence|paragraph|passage)|improve|fix|"
    r"expand|shorten|classify|heading|title|complete|finish|fill)\b",
    re.IGNORECASE,
)
"""Requests in the user's own words that may be about the words themselves."""
_ASKED_LINE = re.compile(
    r"^[*_#>]{0,4}(?:(?:the )?(?:user(?:'s)? )?(?:question|query|q))[*_]{0,2}:[*_]{0,2}[ \t]+",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of a composed prompt that labels the user's question."""
_LINE_LABEL = re.compile(r"^(\w[\w ]{0,30}):[ \t]?", re.MULTILINE)


class Echo(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of the answer that is the prompt's."""

    start: int
    end: int
    what: str
    """The echoed part of the prompt, for people: ``the question``."""


def wants_echo(said: Sequence[PromptMessage], query: str) -> bool:
    """Return whether the answer to such a task may be the prompt's text."""
    if _TEXT_WANTED.search(query[:MAX_PROMPT]):
        return True
    texts = [query, *(message.text for message in said if message.role != "assistant")]
    return any(_ECHO_WANTED.search(text[:MAX_PROMPT]) for text in texts)


def find_echo(text: str, said: Sequence[PromptMessage], query: str) -> Echo | None:
    """Find the question, or a whole message, at the start of an answer and closed off from the
    rest."""
    start = len(text) - len(text.lstrip())
    begin = question_start(text)
    begin = start if begin is None else begin
    if (stop := _end_of_prompt_lines(text, said)) > 0:
        return Echo(start=start, end=stop, what="the prompt")
    sources = [(query, "the question", MIN_WORDS)]
    sources += [(asked, "the question", MIN_WORDS) for asked in _labelled_question(said)]
    sources += [
        (message.text, f"the {message.role or 'prompt'} message", _MIN_PROMPT_WORDS)
        for message in said
        if message.role in ("user", "human", "system", "")
    ]
    for source, what, least in sources:
        if len(source) > MAX_PROMPT:
            continue
        words = read_words(source)
        if len(words) < least:
            continue
        end = _end_of_same_words(text, begin, words) or _end_of_verbatim(text, begin, source)
        if end and text[end:].strip():
            stop = answer_start(text, end)
            if stop is None:
                stop = end + len(text[end:]) - len(text[end:].lstrip())
            if text[stop:].strip():
                return Echo(start=start, end=stop, what=what)
    return None


def _labelled_question(said: Sequence[PromptMessage]) -> list[str]:
    """Return the question in the last message, where it is labelled as one."""
    prompt = said[-1].text if said else ""
    if len(prompt) > MAX_PROMPT:
        return []
    found = [prompt[label.end() :].partition("\n")[0] for label in _ASKED_LINE.finditer(prompt)]
    return [asked.strip() for asked in found[-1:] if asked.rstrip().endswith("?")]


def _end_of_prompt_lines(text: str, said: Sequence[PromptMessage]) -> int:
    """Return where the answer starts behind lines of the last message; 0 where it does not open so.

    The last of these lines is a question, and the answer's label follows it. What is quoted from
    the prompt before an answer is no question.
    """
    prompt = said[-1].text if said else ""
    if len(prompt) > MAX_PROMPT:
        return 0
    known = {"", *(line.strip() for line in prompt.splitlines())}
    position, last = 0, ""
    while (end := text.find("\n", position)) >= 0:
        line = text[position:end].strip()
        if line not in known:
            break
        position, last = end + 1, line or last
    begin = answer_start(text, position) if last.endswith("?") else None
    asks = begin is not None and len(read_words(last)) >= MIN_WORDS
    return begin if begin and asks and text[begin:].strip() else 0


def _end_of_same_words(text: str, begin: int, words: Sequence[str]) -> int:
    """Return where the source with these words ends in the answer.

    0 if the answer does not open with all of it, or goes on in the same line: then the line is a
    sentence of the answer.
    """
    wanted = [word.casefold() for word in words]
    matched = 0
    position = begin
    while matched < len(wanted):
        line_end = text.find("\n", position)
        if line_end < 0:
            return 0
        found = [word.casefold() for word in read_words(text[position:line_end])]
        if wanted[matched : matched + len(found)] != found:
            return 0
        matched += len(found)
        position = line_end + 1
    return position - 1


def _end_of_verbatim(text: str, begin: int, source: str) -> int:
    """Return where the source ends in an answer that opens with it, letter by letter, and goes on
    in that line.

    That is behind a whole question, or behind the label of the answer to come.
    """
    bare = source.strip()
    end = begin + len(bare)
    if not text.startswith(bare, begin) or not text[end : end + 1].isspace():
        return 0
    closed = bare.endswith("?") or (bare.endswith(":") and len(bare) >= _MIN_VERBATIM)
    goes_on = len(read_words(text[end : end + 200])) >= _MIN_ANSWER_WORDS
    return end if closed and goes_on and len(read_words(bare)) >= _MIN_SAME_LINE else 0


def find_continuation(text: str, said: Sequence[PromptMessage]) -> Echo | None:
    """Find the next example that the model wrote after its answer, as the prompt's examples go on.

    Only where the prompt ends with an answer's empty label and its examples open with another
    label: ``Q: ... A: ... Q: ... A:``. A program that sends such a prompt means to stop there.
    """
    if not said:
        return None
    prompt = said[-1].text
    if len(prompt) > MAX_PROMPT:
        return None
    labels = [found.group(1) for found in _LINE_LABEL.finditer(prompt)]
    last = prompt.rstrip().rpartition("\n")[2]
    if len(labels) < 4 or not last.endswith(":") or last[:-1] != labels[-1]:
        return None
    opening = labels[0]
    if opening == labels[-1] or labels.count(opening) < 2:
        return None
    if labels.count(labels[-1]) != labels.count(opening):
        return None
    found = re.search(rf"\n\s*{re.escape(opening)}:", text)
    if found is None or not text[: found.start()].strip():
        return None
    return Echo(start=found.start(), end=len(text.rstrip()), what="a further example")
