"""Directives -> the text that the next attempt is given: quoted where it quotes, and bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from knitbone.tethering.diagnosis.vocabulary import words_of
from knitbone.tethering.guidance.records import Directive, Disclosure

__all__ = ["HEADER", "in_disclosure", "sentences_of", "worded"]

HEADER = (
    "Advice from an earlier attempt at this task: what to do otherwise. It gives no answers; look"
    " values up yourself."
)
"""The first line of every guidance."""
_NAMES = re.compile(r" \(`[^`]+`(?:, `[^`]+`)*\)")
_NAME = re.compile(r"`([^`]+)`")
_CARE = re.compile(r"Before (`[^`]+`|the [\w ]+ step), check need[^.]*\.")
_SAID = re.compile(r': "[^"]*"')


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
    bare = _SAID.sub("", _NAMES.sub("", sentence))
    return _NAME.sub(lambda name: f"the {_words(name[1])} step", bare)


def _words(name: str) -> str:
    return " ".join(word for word in words_of(name) if not word.isdigit())


def sentences_of(directive: Directive) -> str:
    """A directive in words: what to do first, what to do, what not to do."""
    return " ".join(filter(None, (directive.do_first, directive.do, directive.do_not)))


def worded(
    directives: Sequence[Directive],
    *,
    values: Mapping[str, str] | None = None,
    most: int,
    characters: int,
) -> tuple[str, int]:
    """The guidance's text, and how many of the directives it holds; empty without any.

    Args:
        values: by identifier of a directive what is told of the failed run beside it
            (disclosure ``values``).
        most: directives at most.
        characters: of the whole text, at most. A directive that does not fit ends it.
    """
    told: list[Directive] = []
    text = ""
    for directive in directives[:most]:
        longer = "\n".join([HEADER, *_lines([*told, directive], values or {})])
        if len(longer) > characters:
            break
        told.append(directive)
        text = longer
    return text, len(told)


def _lines(directives: Sequence[Directive], values: Mapping[str, str]) -> Iterator[str]:
    """One line a directive; several that only ask for care with different steps share one."""
    careful = [
        one for one in directives if _CARE.fullmatch(sentences_of(one)) and not values.get(one.id)
    ]
    number = 0
    for directive in directives:
        said = sentences_of(directive)
        if directive in careful:
            if directive is not careful[0]:
                continue
            steps = [_step_of(one) for one in careful]
            listed = " and ".join(filter(None, [", ".join(steps[:-1]), steps[-1]]))
            said = said.replace(steps[0], listed, 1)
        number += 1
        yield f"{number}. {said}{values.get(directive.id, '')}"


def _step_of(directive: Directive) -> str:
    found = _CARE.fullmatch(sentences_of(directive))
    return found[1] if found else ""
