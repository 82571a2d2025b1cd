"""The rule above all repairs: what the application reads, adapt does not change.

Where a check would repair or refuse an answer, the application's own code is rehearsed on it. An
answer from which it makes something, without an error, conforms; a repair may then add to that,
and change nothing. Where the code cannot be rehearsed, what the analysis tells of it decides: code
that goes on with an answer that it does not know has a default, and a default is an answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from knitbone.adaptation.requirements.records import PositionalTemplate
from knitbone.adaptation.sites import Site

if TYPE_CHECKING:
    from knitbone.adaptation.engine import Decision
    from knitbone.adaptation.rehearsal import Ending

__all__ = ["spare_accepted"]

_NOTHING = "\u2042"
"""A text that no code reads: what becomes of it is what becomes of no answer."""
_SAID = re.compile(r"[^\W_]+|[^\s\w*_`\"'“”‘’«».!:,;]")
"""Words, and the marks that carry meaning."""


def spare_accepted(
    decision: Decision, text: str, site: Site, check: Callable[[], None]
) -> Decision:
    """The decision, without what would change an answer that the application reads.

    Args:
        check: raises ``TimeoutError`` where the time is spent.
    """
    if not any(outcome.demanded for outcome in decision.outcomes):
        return decision
    accepted = msgspec.structs.replace(decision, text=text, outcomes=())
    mended = decision.text
    rehearse = _rehearsal(site, check)
    plain = rehearse(text) if rehearse is not None else None
    if rehearse is None or plain is None:
        return _without_rehearsal(decision, text, accepted)
    if plain.kind != "returned" or plain.is_empty:
        return decision
    nothing = rehearse(_NOTHING)
    if mended == text:
        return accepted if _has_read(plain, nothing, decision) else decision
    after = rehearse(mended)
    if after is None:
        return _without_rehearsal(decision, text, accepted)
    # The readers are loaded for those who need them.
    from knitbone.adaptation.rehearsal import Reading, keeps_what_was_read  # noqa: PLC0415
    from knitbone.adaptation.rehearsal.comparison import is_same  # noqa: PLC0415

    if is_same(plain.value, after.value) and is_same(plain.effects, after.effects):
        return accepted
    reading = Reading(
        plain=plain,
        mended=after,
        nothing=nothing,
        defaults=(plain.handled and not after.handled) or _may_replace_default(decision, text),
        parts=_takes_parts(decision),
        answer=text,
        repaired=mended,
    )
    return decision if keeps_what_was_read(reading) else accepted


def _without_rehearsal(decision: Decision, text: str, accepted: Decision) -> Decision:
    keeps = not _has_default(decision) or _may_replace_default(decision, text)
    return decision if keeps else accepted


def says_the_same(text: str, mended: str) -> bool:
    """Whether two texts differ in case, blanks, quotes, emphasis and end marks alone."""
    return _said(text) == _said(mended)


def _said(text: str) -> list[str]:
    return [found.casefold() for found in _SAID.findall(text)]


def _rehearsal(site: Site, check: Callable[[], None]) -> Callable[[str], Ending | None] | None:
    from knitbone.adaptation.rehearsal import continuation_of  # noqa: PLC0415 - repairs are rare

    continuation = continuation_of(site)
    frame = continuation.frame() if continuation is not None else None
    if continuation is None or frame is None:
        return None
    return lambda answer: continuation.rehearse(answer, frame, check)


def _may_replace_default(decision: Decision, text: str) -> bool:
    """Whether a repair may take the place of a default: where it says the same as the answer, which
    is nothing else than a text that the code names."""
    if not says_the_same(text, decision.text):
        return False
    named = [name for outcome in decision.outcomes for name in _compared(outcome.requirement)]
    return not named or any(says_the_same(text, name) for name in named)


def _has_default(decision: Decision) -> bool:
    """Whether code goes on with a text that no comparison of it names, as far as is known."""
    return any(
        outcome.requirement.on_violation in ("unknown", "handled")
        for outcome in decision.outcomes
        if isinstance(outcome.requirement, PositionalTemplate) and _compared(outcome.requirement)
    )


def _compared(requirement: object) -> tuple[str, ...]:
    """The texts that a comparison names; none of what is cut or matched."""
    if not isinstance(requirement, PositionalTemplate) or requirement.reader is not None:
        return ()
    if requirement.repeated or requirement.separator:
        return ()
    words = [element for element in requirement.elements if element.kind == "words"]
    return tuple(option for each in words for option in each.options or (each.text,))


def _has_read(plain: Ending, nothing: Ending | None, decision: Decision) -> bool:
    """Of a refused answer: whether the code made something of it all the same. What a list has
    lost does not show."""
    lists = (
        isinstance(outcome.requirement, PositionalTemplate) and outcome.requirement.repeated
        for outcome in decision.outcomes
    )
    from knitbone.adaptation.rehearsal.comparison import is_same  # noqa: PLC0415

    return not any(lists) and (nothing is None or not is_same(plain.value, nothing.value))


def _takes_parts(decision: Decision) -> bool:
    """Whether a marked place in the answer is what is mended: the code may then have read more
    than was meant."""
    return all(isinstance(o.requirement, PositionalTemplate) for o in decision.outcomes)
