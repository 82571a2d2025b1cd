"""What an error said, without what it was about: the plain words of a tool's refusal.

That the amounts do not add up is what the next attempt has to know; which amounts, it may not be
told. So an error is quoted word by word, and a word is kept only where it cannot be a value: it
stands in the list below, is a name or a word of one, or such a word with an English ending. All
others are an ellipsis. An order to whoever reads it is no refusal: nothing is quoted that begins
with what to do, goes on after its first sentence, or has less than half of its words plain.
"""

from __future__ import annotations

import builtins
import re

from knitbone.tethering.diagnosis.units import UnitCall
from knitbone.tethering.diagnosis.vocabulary import WRITING
from knitbone.tethering.guidance.disclosure import RunNames

__all__ = ["error_words", "is_common"]

_LONGEST_ANSWER = 400
"""Characters of a tool's answer up to which it is an error and nothing else (ours): what a page or
a mail says somewhere inside is no refusal of the tool's."""
_LONGEST = 120
"""Characters of a quoted error (ours)."""
_FEWEST = 2
"""Plain words of an error that is quoted, one of them no small one (ours)."""
_GAP = "…"
_MOST_GAPS = 3
"""Gaps of an error that is quoted (ours): a refusal names two or three things."""
_SHORTEST_ROOT, _LONGEST_PHRASE = 2, 25
"""Letters of a word without its ending; words of a value that is looked for (ours)."""

_SMALL = frozenset([
    "a", "all", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "cannot", "could", "did", "do", "does", "each", "either", "for", "from", "had", "has",
    "have", "if", "in", "into", "is", "it", "its", "least", "less", "more", "most", "neither",
    "no", "non", "none", "nor", "not", "of", "on", "or", "other", "out", "over", "per", "so",
    "some", "than", "that", "the", "their", "them", "then", "there", "they", "this", "those",
    "to", "too", "up", "via", "was", "were", "when", "which", "while", "will", "with",
    "within", "without", "would",
])  # fmt: skip
"""Words that say nothing alone."""
_PLAIN = frozenset([
    "able", "accept", "access", "account", "action", "active", "add", "allow", "already",
    "amount", "another", "argument", "attribute", "available", "balance", "below", "beyond",
    "blocked", "bound", "busy", "call", "cancel", "change", "character", "check",
    "close", "closed", "code", "column", "complete", "condition", "conflict", "connect",
    "contain", "convert", "correct", "create", "current", "data", "date", "decimal", "decode",
    "defined", "delete", "denied", "different", "directory", "disabled", "divide", "down",
    "duplicate", "during", "element", "eligible", "email", "empty", "enabled", "end", "enough",
    "entry", "equal", "error", "exceed", "except", "exhausted", "exist", "expect", "expire",
    "fail", "field", "file", "find", "first", "forbidden", "format", "found", "full",
    "function", "greater", "held", "hold", "identical", "image", "import", "incorrect",
    "indent", "index", "installed", "insufficient", "integer", "internal", "invalid", "item",
    "iterable", "key", "keyword", "known", "last", "left", "length", "letter", "limit", "line",
    "list", "literal", "locked", "long", "low", "lower", "match", "maximum", "message",
    "method", "minimum", "mismatch", "missing", "mode", "modify", "module", "must", "name",
    "named", "need", "negative", "nothing", "null", "number",
    "object", "off", "old", "once", "only", "open", "opened", "operation", "order", "outside",
    "owner", "page", "paid", "parameter", "parse", "pass", "past", "path", "pay", "payment",
    "pending", "permission", "permitted", "place", "position", "positive", "possible",
    "posted", "present", "previous", "price", "process", "provided", "quantity", "range",
    "read", "readable", "record", "refund", "reject", "remove", "request", "require",
    "required", "resource", "response", "result", "return", "row", "rule", "same", "schema",
    "server", "session", "set", "short", "size", "small", "source", "space", "start",
    "started", "state", "status", "still", "string", "subscript", "such", "support", "syntax",
    "table", "target", "temporary", "text", "time", "timeout", "token", "total", "true",
    "twice", "type", "unable", "unauthorized", "unavailable", "under", "unexpected", "unique",
    "unit", "unknown", "unreachable", "unsupported", "unterminated", "until", "update", "use",
    "used", "user", "valid", "validation", "value", "version", "wait", "wrong", "year", "zero",
])  # fmt: skip
"""Words of error messages, of no domain: how often each stands in the errors that runtimes and
tools report was not counted; a word that lacks is an ellipsis, and nothing worse (ours)."""
_ERRORS = frozenset(
    name
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException)
)
_QUOTES = "\"'`\u201c\u2018"
_WORD = re.compile(r"[A-Za-z]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_START = re.compile(r"^\W*(?:error|failed|failure)\b\W*", re.IGNORECASE)
_NUMBERED = re.compile(r"\[[A-Za-z]+ \d+\]\s*")


def error_words(error: str | None, names: RunNames, call: UnitCall | None = None) -> str:
    """An error's plain words, an ellipsis for all others, on one line; empty where too little is
    plain.

    Args:
        call: whose error it is; nothing is quoted of an answer that holds more than its error.
    """
    if not error or (call is not None and len(call.result) > _LONGEST_ANSWER):
        return ""
    said = _START.sub("", error[: 3 * _LONGEST])
    tokens = _NUMBERED.sub("", _SENTENCE.split(said, maxsplit=1)[0]).split()
    begins = [k == 0 or tokens[k - 1].endswith(":") for k in range(len(tokens))]
    kept = [_plain_token(token, names, first=b) for token, b in zip(tokens, begins, strict=True)]
    _leave_out_values(kept, names)
    words = [word.lower() for token in kept for word in _WORD.findall(token)]
    words = [word for word in words if not word.endswith("error")]
    if len(words) < _FEWEST or _SMALL.issuperset(words) or words[0] in WRITING:
        return ""
    text = " ".join(token or _GAP for token in kept)
    text = re.sub(rf"{_GAP}(?: {_GAP})+", _GAP, text)
    if 2 * sum(map(bool, kept)) < len(kept) or text.count(_GAP) > _MOST_GAPS:
        return ""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} {_GAP}"


def _plain_token(token: str, names: RunNames, *, first: bool) -> str:
    """A token, where all of it is plain; else nothing. A capital letter inside a sentence is of a
    name of somebody or something."""
    core = token.strip("\"'`()[]{}<>.,;:!?")
    ending = token[-1] if token[-1] in ",;:" else ""
    if core in _ERRORS or ("_" in core and names.is_known(core)):
        return core + ending
    if (
        not core
        or token[0] in _QUOTES
        or (core != core.lower() and not (first and core == core.capitalize()))
    ):
        return ""
    parts = core.lower().split("-")
    if all(part.isascii() and part.isalpha() and is_common(part, names) for part in parts):
        return core.lower() + ending
    return ""


def is_common(word: str, names: RunNames) -> bool:
    """Whether a word in lower case is one of error messages, a small one, or one of names; in some
    English form."""
    return any(root in words for words in (_SMALL, _PLAIN, names.words) for root in _roots(word))


def _roots(word: str) -> set[str]:
    """The word, and what it may be an English form of."""
    roots = {word, word + "s"}
    for ending in ("s", "es", "d", "ed", "ing", "ly"):
        if word.endswith(ending) and len(word) - len(ending) > _SHORTEST_ROOT:
            stem = word[: -len(ending)]
            roots |= {stem, stem + "e"}
            if stem[-1] == stem[-2]:
                roots.add(stem[:-1])
    return roots


def _leave_out_values(kept: list[str], names: RunNames) -> None:
    """Drop plain words that make up a value of the run, such as those of ``gift_card``."""
    words = [" ".join(_WORD.findall(token)).lower() for token in kept]
    for length in range(1, _LONGEST_PHRASE + 1):
        for start in range(len(kept) - length + 1):
            phrase = words[start : start + length]
            small = length == 1 and phrase[0] in _SMALL
            if all(phrase) and not small and names.is_value(" ".join(phrase)):
                kept[start : start + length] = [""] * length
