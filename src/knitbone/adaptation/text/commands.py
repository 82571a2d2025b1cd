"""Sentences that say what to do, in the ways in which that is said.

For ``paraphrase.py``: ``You should place it there``, ``It should be placed there`` and
``Place it there``; ``Never open it`` and ``Do not open it``; ``Take a swim in the bath`` and
``Swim in the bath``. Whatever is read here may be said shorter; two sentences say the same only
where the other one has it the short way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from knitbone.adaptation.text.rewording import classes_of

__all__ = ["briefly", "commanded", "told"]

_TELLING = frozenset({"should", "must"})
_ADDRESSED = "you"
_NEVER = classes_of(("never",))
_LIGHT = classes_of(
    ("take", "have", "make", "do", "give", "perform", "conduct", "run", "hold", "provide", "go")
)  # fmt: skip
"""Verbs that leave what is done to their noun: ``perform a test``."""
_JOINED = classes_of(("of", "for", "on", "to"))
"""What joins that noun to what was the verb's object: ``a test of the service``."""
_AFTER_GO = classes_of(("for", "on"))
_LONGEST_NAME = 3
"""Words of the noun: ``a load test``."""


def told(tokens: Sequence[str]) -> list[str]:
    """Return the tokens of a sentence without the ``do`` of a command that forbids: ``Do not
    open``."""
    return list(tokens[1:] if tuple(tokens[:2]) == ("do", "not") else tokens)


def commanded(core: Sequence[str], anyone: str) -> Iterator[tuple[str, ...]]:
    """Yield what stays in order of the command that a sentence amounts to, where it is none
    itself.

    Args:
        anyone: stands for who is to do it, where a passive does not say.
    """
    rest: Sequence[str] = ()
    if len(core) > 2 and core[0] in (anyone, _ADDRESSED) and core[1] in _TELLING:
        rest = core[2:]
    elif len(core) > 1 and core[0] == _ADDRESSED:
        rest = core[1:]
    elif core and core[0] in _NEVER:
        rest = core
    if rest and rest[0] in _NEVER:
        yield ("not", *rest[1:])
    if rest and rest is not core:
        yield tuple(rest)


def briefly(tokens: Sequence[str]) -> Iterator[list[str]]:
    """Yield a command without its light verb, as the noun's own verb says it."""
    if len(tokens) < 3 or tokens[0] not in _LIGHT:
        return
    rest = list(tokens[1:])
    if tokens[0] == "go" and rest[0] in _AFTER_GO:
        rest = rest[1:]
    if len(rest) < 2:
        return
    yield rest
    for place in range(1, min(_LONGEST_NAME + 1, len(rest) - 1)):
        if rest[place] in _JOINED:
            yield [*rest[:place], *rest[place + 1 :]]
            return
