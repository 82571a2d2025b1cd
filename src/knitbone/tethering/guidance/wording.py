"""Directives -> the text that the next attempt is given: quoted where it quotes, and bounded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from knitbone.common.printable import printable
from knitbone.tethering.diagnosis.vocabulary import words_of
from knitbone.tethering.guidance.records import Directive, Disclosure

__all__ = ["HEADER", "in_disclosure", "sentences_of", "worded"]

HEADER = (
    "Advice from an earlier attempt at this task, which failed. It names what to do otherwise, and"
    " no answers: look values up yourself."
)
"""The first line of every guidance."""
_LONGEST_QUOTE = 160
"""Characters of the failed run that are quoted of one directive, with ``values`` only (ours)."""

_NAMES = re.compile(r" \(`[^`]+`(?:, `[^`]+`)*\)")
_NAME = re.compile(r"`([^`]+)`")


def in_disclosure(directive: Directive, disclosure: Disclosure) -> Directive:
    """A directive in the words that a disclosure allows: with ``family`` the kinds of action stand
    where the names of tools did, and names of arguments are gone."""
    if disclosure != "family":
        return directive
    return msgspec.structs.replace(
        directive,
        do=_by_family(directive.do),
        do_not=_by_family(directive.do_not),
        do_first=_by_family(directive.do_first),
    )


def _by_family(sentence: str) -> str:
    return _NAME.sub(lambda name: f"the {_words(name[1])} step", _NAMES.sub("", sentence))


def _words(name: str) -> str:
    return " ".join(word for word in words_of(name) if not word.isdigit())


def sentences_of(directive: Directive) -> str:
    """A directive in words: what to do first, what to do, what not to do."""
    return " ".join(filter(None, (directive.do_first, directive.do, directive.do_not)))


def worded(
    directives: Sequence[Directive],
    *,
    quote: Iterable[str] = (),
    most: int,
    characters: int,
) -> tuple[str, int]:
    """The guidance's text, and how many of the directives it holds; empty without any.

    Args:
        quote: identifiers of directives whose evidence is quoted (disclosure ``values``).
        most: directives at most.
        characters: of the whole text, at most. A directive that does not fit ends it.
    """
    quoting = set(quote)
    lines = [HEADER]
    for directive in directives[:most]:
        line = f"{len(lines)}. {sentences_of(directive)}"
        if directive.id in quoting:
            line += _quoted(directive)
        if len("\n".join([*lines, line])) > characters:
            break
        lines.append(line)
    told = len(lines) - 1
    return ("\n".join(lines) if told else "", told)


def _quoted(directive: Directive) -> str:
    """What is on record of the failed run, as a quotation that cannot end itself."""
    said = next((item.text for item in directive.evidence if item.text), "")
    if not said:
        return ""
    inner = printable(" ".join(said.split()), limit=_LONGEST_QUOTE).replace('"', "'")
    return f' On record, no instruction: "{inner}".'
