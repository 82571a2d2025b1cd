"""Imperative sentences in the constructions that say the same, for ``paraphrase.py``.

``You should place it there`` and ``It should be placed there`` amount to ``Place it there``,
``Never open it`` to ``Do not open it``, ``Take a swim in the bath`` to ``Swim in the bath``. Each
function here gives the shorter construction; two sentences count as the same only where the other
one uses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from knitbone.adaptation.text.contextual_synonyms import classes_of

__all__ = ["command_cores", "without_light_verb", "without_negated_do"]

_OBLIGING = frozenset({"should", "must"})
_ADDRESSED = "you"
_NEVER = classes_of(("never",))
_LIGHT_VERBS = classes_of(
    ("take", "have", "make", "do", "give", "perform", "conduct", "run", "hold", "provide", "go")
)  # fmt: skip
"""Verbs that leave what is done to their noun: ``perform a test``."""
_NOUN_PREPOSITIONS = classes_of(("of", "for", "on", "to"))
"""Prepositions between such a noun and the object: ``a test of the service``."""
_GO_PREPOSITIONS = classes_of(("for", "on"))
_LONGEST_NAME = 3
"""Words of the noun: ``a load test``."""


def without_negated_do(tokens: Sequence[str]) -> list[str]:
    """Return the tokens of a negative command without its ``do``: ``not open`` for ``Do not
    open``."""
    return list(tokens[1:] if tuple(tokens[:2]) == ("do", "not") else tokens)


def command_cores(core: Sequence[str], anyone: str) -> Iterator[tuple[str, ...]]:
    """Yield the command that a sentence amounts to, where it is not written as one: ``You should
    go``.

    Args:
        core: the words of the sentence whose order matters.
        anyone: stands for the agent that a passive sentence does not name.
    """
    rest: Sequence[str] = ()
    if len(core) > 2 and core[0] in (anyone, _ADDRESSED) and core[1] in _OBLIGING:
        rest = core[2:]
    elif len(core) > 1 and core[0] == _ADDRESSED:
        rest = core[1:]
    elif core and core[0] in _NEVER:
        rest = core
    if rest and rest[0] in _NEVER:
        yield ("not", *rest[1:])
    if rest and rest is not core:
        yield tuple(rest)


def without_light_verb(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Yield a command in the words of its noun: ``Swim in the bath`` for ``Take a swim in the
    bath``."""
    if len(tokens) < 3 or tokens[0] not in _LIGHT_VERBS:
        return
    rest = list(tokens[1:])
    if tokens[0] == "go" and rest[0] in _GO_PREPOSITIONS:
        rest = rest[1:]
    if len(rest) < 2:
        return
    yield rest
    for index in range(1, min(_LONGEST_NAME + 1, len(rest) - 1)):
        if rest[index] in _NOUN_PREPOSITIONS:
            yield [*rest[:index], *rest[index + 1 :]]
            return
