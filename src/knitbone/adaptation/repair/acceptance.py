"""The rule above all repairs: what the application reads already is not changed.

Where a check would repair or refuse an answer, the application's own code is rehearsed on it. An
answer from which it makes something, without an error, conforms; a repair may then add to that,
and change nothing. Where the code cannot be rehearsed, the analysis decides: code that goes on
with an answer that it does not name has a default, and a default is an answer.
"""

from __future__ import annotations

import inspect
import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

import msgspec

from knitbone.adaptation.consumers.focus import without_reasoning
from knitbone.adaptation.consumers.rehearsal import (
    Ending,
    RehearsedEndings,
    chain_behind,
    continuation_of,
    is_same,
    keeps_what_was_read,
    reads_alike,
)
from knitbone.adaptation.consumers.rehearsal.machine import Opaque
from knitbone.adaptation.repair.beside import odd_word
from knitbone.adaptation.repair.objections import (
    Content,
    find_objection,
    overrules_selection,
    without_marks,
)
from knitbone.adaptation.requirements import PositionalTemplate, Requirement
from knitbone.adaptation.requirements.records import (
    Confidence,
    FencedTemplate,
    ParserSyntax,
    StructuredTemplate,
)
from knitbone.adaptation.requirements.sites import Site
from knitbone.parsing.documents import ADDED_BRACKETS

if TYPE_CHECKING:
    from knitbone.adaptation.repair.conversions import Rehearse
    from knitbone.adaptation.repair.decision import Decision

__all__ = ["prepare_rehearsal", "says_the_same", "spare_accepted"]

_MAX_DEFAULTED = 16
_MAX_NAME = 400
"""Answers that are kept, and characters of one (ours)."""
_MAX_NAMING = 3
"""Functions, from the one that reads the answer outwards, whose names are looked at (ours)."""
_MAX_CALLERS = 8
"""Functions whose variables are looked at (ours)."""
_COMPLETED = (*ADDED_BRACKETS, "missing bracket", "</")
"""The beginnings of the rules by which brackets and tags are added."""
_NOTHING = "\u2042"
"""A text that no code reads: what becomes of it is what becomes of no answer."""
_SAID = re.compile(r"[^\W_]+|[^\s\w*_`\"'“”‘’«».!:,;]")  # noqa: RUF001 - the quotes of models
"""Words, and the marks that carry meaning."""
_WORDS = re.compile(r"[-+−<>≤≥~≈$€£#]?\d(?:[\d.,]*\d)?%?|[^\W\d_]+")  # noqa: RUF001
"""Words, and numbers with what belongs to them."""
_FRAME = re.compile(
    r"^[^\S\n]*(?:```.*|[-*•](?=\s)|[(\[#*_`]{1,3}\d{1,3}[)\].:*_`]{0,4}(?=\s)"
    r"|\d{1,3}\s?[.):–-][*_`]{0,3}(?=\s))",  # noqa: RUF001
    re.MULTILINE,
)
"""The marks before a line, or around all of them: fences, numbers and bullets of a list."""


def spare_accepted(
    decision: Decision,
    text: str,
    site: Site,
    check: Callable[[], None],
    whole: Callable[[str], Any] = str,
    *,
    mend: Callable[[str, Rehearse, Decision], Decision | None],
    strict: bool = False,
    prompts: Callable[[], Iterable[str]] = tuple,
) -> Decision:
    """Return the decision without repairs and refusals of an answer that the application reads.

    Args:
        mend: writes the texts of an answer that the code stumbles over as it takes them; ``None``
            where it does not read the answer then, either.
        check: raises ``TimeoutError`` where the time is spent.
        whole: the value that the application gets, with such a text in it.
        strict: whether what is refused raises: then only where the code comes to grief itself, or
            a list surely lacks something.
        prompts: returns what the answer was asked for with.

    Raises:
        TimeoutError: ``check`` said so: whether the code reads the answer is not known.
    """
    if decision.outcomes and not any(outcome.demanded for outcome in decision.outcomes):
        return decision
    frame = _frame_of(site)
    rehearse = _remembered(_rehearsal(site, frame, check, whole))
    spared = _spare(decision, text, frame, rehearse, mend=mend, strict=strict)
    if spared.text == text or rehearse is None:
        return spared
    plain = rehearse(without_reasoning(text))
    kind = _kind_of(spared)
    rules = [rule for outcome in spared.outcomes for rule in outcome.rules]
    completed = any(rule.startswith(_COMPLETED) for rule in rules)
    reason = find_objection(
        text, plain, spared.text, rehearse, kind=kind, check=check, completed=completed
    )
    if not reason and kind == "template":
        reason = _beside(text, spared.text, rehearse(spared.text), prompts, frame)
    if not reason:
        return spared
    bare = _unmarked(text, plain, spared, rehearse, check) if kind == "template" else None
    return spared.withdrawn(text, reason) if bare is None else bare


def _beside(
    text: str,
    repaired: str,
    ending: Ending | None,
    prompts: Callable[[], Iterable[str]],
    frame: FrameType | None,
) -> str:
    """Return the objection to a value that is taken out of a sentence; empty: there is none."""
    if ending is None or ending.kind != "returned":
        return ""
    names = _names_around(frame)
    odd = odd_word(text, repaired, prompts(), names=names, result=ending.value)
    return f"{odd!r} beside the value may make another one of it" if odd else ""


def _names_around(frame: FrameType | None) -> Iterator[str]:
    """Yield what the code calls the value, perhaps: its functions, variables and keys."""
    for _ in range(_MAX_NAMING):
        if frame is None or frame.f_globals.get("__name__", "").startswith("knitbone."):
            return
        code = frame.f_code
        yield from (code.co_name, *code.co_varnames)
        constants = [each for each in code.co_consts if isinstance(each, str)]
        yield from (each for each in constants if each.isidentifier())
        frame = frame.f_back


def _kind_of(decision: Decision) -> Content:
    """Return what the code reads the repaired answer as."""
    requirements = [outcome.requirement for outcome in decision.outcomes]
    if all(isinstance(each, FencedTemplate | ParserSyntax) for each in requirements):
        return "code"
    structured = all(isinstance(each, StructuredTemplate) for each in requirements)
    return "document" if structured else "template"


def _unmarked(
    text: str,
    plain: Ending | None,
    spared: Decision,
    rehearse: Rehearse,
    check: Callable[[], None],
) -> Decision | None:
    """Return the decision without emphasis and heading signs, where those alone spoke against it
    and the code reads the same without them."""
    bare = without_marks(spared.text)
    if bare == spared.text:
        return None
    if find_objection(text, plain, bare, rehearse, kind="template", check=check):
        return None
    marked, read = rehearse(spared.text), rehearse(bare)
    if marked is None or read is None or read.kind != "returned":
        return None
    if without_marks(repr(marked.value)) != without_marks(repr(read.value)):
        return None
    outcomes = (
        *spared.outcomes[:-1],
        msgspec.structs.replace(
            spared.outcomes[-1],
            after=bare,
            rules=(*spared.outcomes[-1].rules, "emphasis and heading signs left out"),
        ),
    )
    return msgspec.structs.replace(spared, text=bare, outcomes=outcomes)


def _spare(
    decision: Decision,
    text: str,
    frame: FrameType | None,
    rehearse: Rehearse | None,
    *,
    mend: Callable[[str, Rehearse, Decision], Decision | None],
    strict: bool,
) -> Decision:
    """Return the decision as ``spare_accepted`` does, before the last look at what is delivered."""
    accepted = msgspec.structs.replace(decision, text=text, outcomes=())
    # What a model thinks before it answers is no part of the answer.
    said = without_reasoning(text)
    plain = rehearse(said) if rehearse is not None else None
    if rehearse is None or plain is None or _hands_on(plain, said):
        if not decision.outcomes:
            return msgspec.structs.replace(decision, checked=False)
        if _fits_unrehearsed(decision, said):
            return decision
        _DEFAULTED.note(said)
        return accepted
    if plain.kind != "returned" or plain.is_empty:
        if plain.kind == "raised" and _DEFAULTED.holds_any_of(frame):
            return decision.withdrawn(text, "an answer before it was nothing that the code names")
        return _of_unread(decision, text, said, plain, rehearse, mend)
    if not decision.outcomes:
        return decision
    nothing = rehearse(_NOTHING)
    if decision.text == text:
        reads = _has_read(plain, nothing, decision) or (strict and _goes_on(plain, decision))
        if reads and any(_compared_texts(outcome.requirement) for outcome in decision.outcomes):
            _DEFAULTED.note(said)
        return accepted if reads else decision
    after = rehearse(decision.text)
    if after is None:
        return decision if _fits_unrehearsed(decision, said) else accepted
    reading = RehearsedEndings(
        plain=plain,
        mended=after,
        nothing=nothing,
        defaults=(plain.handled and not after.handled) or _may_replace_default(decision, said),
        interpreted=_is_interpreted(decision),
        answer=said,
        repaired=decision.text,
    )
    if said == text and not reading.interpreted and reads_alike(reading):
        return accepted
    if overrules_selection(said, decision.text):
        return accepted
    return decision if keeps_what_was_read(reading) else accepted


def _of_unread(
    decision: Decision,
    text: str,
    said: str,
    plain: Ending,
    rehearse: Rehearse,
    mend: Callable[[str, Rehearse, Decision], Decision | None],
) -> Decision:
    """Return the decision on an answer of which the code makes nothing: a repair that it reads."""
    starts = [said]
    if decision.text != text:
        after = rehearse(decision.text)
        if not _is_futile(plain, after, decision):
            if plain.kind == "raised" and _takes_default(after, text):
                reason = "the code has only a default for a part of the answer"
                return decision.withdrawn(text, reason)
            return decision
        starts = [decision.text, said]
    for start in starts:
        if (mended := mend(start, rehearse, decision)) is not None:
            return mended
    return decision.withdrawn(text, "the code does not read the repaired answer either")


def prepare_rehearsal(site: Site) -> None:
    """Read the code behind a site ahead, which takes a while in a large file."""
    continuation_of(site)


class _DefaultedAnswers(threading.local):
    """The last answers of a thread for which its code has only a default.

    A later answer that raises an error, which somebody sees, would be repaired into a result of
    which the default is a part.
    """

    def __init__(self) -> None:
        self._texts: deque[str] = deque(maxlen=_MAX_DEFAULTED)

    def note(self, text: str) -> None:
        if len(text) <= _MAX_NAME:
            self._texts.append(text.strip().casefold())

    def holds_any_of(self, frame: FrameType | None) -> bool:
        """Return whether a variable of a function, or of its callers, holds one of them."""
        for _ in range(_MAX_CALLERS if self._texts else 0):
            if frame is None:
                break
            held = [value for value in frame.f_locals.values() if isinstance(value, str)]
            if any(value.strip().casefold() in self._texts for value in held):
                return True
            frame = frame.f_back
        return False


_DEFAULTED = _DefaultedAnswers()


def _frame_of(site: Site) -> FrameType | None:
    """Return the running frame of the function that a site stands in; ``None``: there is none."""
    continuation = continuation_of(site)
    return None if continuation is None else continuation.frame(inspect.currentframe())


def _rehearsal(
    site: Site, frame: FrameType | None, check: Callable[[], None], whole: Callable[[str], Any]
) -> Rehearse | None:
    """Return the function that rehearses the code behind a site on a text; ``None``: it cannot be
    followed."""
    if frame is None:
        steps = chain_behind(inspect.currentframe())
        return None if steps is None else lambda answer: steps.rehearse(whole(answer), check)
    continuation = continuation_of(site)
    if continuation is None:
        return None
    return lambda answer: continuation.rehearse(whole(answer), frame, check)


def _remembered(rehearse: Rehearse | None) -> Rehearse | None:
    """Return the function with what it has said of each text of this answer."""
    if rehearse is None:
        return None
    ask, known = rehearse, dict[str, Ending | None]()

    def again(answer: str) -> Ending | None:
        if answer not in known:
            known[answer] = ask(answer)
        return known[answer]

    return again


def _is_interpreted(decision: Decision) -> bool:
    """Return whether the answer is code for an interpreter: its effect there is not rehearsed."""
    return all(isinstance(outcome.requirement, ParserSyntax) for outcome in decision.outcomes)


def _is_futile(plain: Ending, after: Ending | None, decision: Decision) -> bool:
    """Return whether the code does not read the repaired answer either."""
    if after is None:
        return False
    if after.kind == "raised":
        # What a rehearsal does not know of an object may look like these.
        return not isinstance(after.value, TypeError | AttributeError | NameError)
    return (
        not _is_interpreted(decision)
        and after.kind == plain.kind
        and is_same(plain.value, after.value)
        and is_same(plain.effects, after.effects)
    )


def _takes_default(after: Ending | None, text: str) -> bool:
    """Return whether the code replaces a part of the answer by a default of one of its tables.

    As it stands, the answer raises an error, which somebody sees; repaired in another part, it
    would become a default without a word.
    """
    if after is None:
        return False
    said = text.casefold()
    parts = (key.strip().casefold() for key in after.unknown)
    return any(part and part in said and part != said.strip() for part in parts)


def _hands_on(plain: Ending, text: str) -> bool:
    """Return whether the code only hands the answer on.

    That is: nobody knows to whom, or it returns what something made of it that is not followed.
    """
    if isinstance(plain.value, Opaque):
        return True
    handed = isinstance(plain.value, str) and plain.value.strip() == text.strip()
    return handed and not plain.complete


def says_the_same(text: str, other: str) -> bool:
    """Return whether two texts differ in case, blanks, quotes, emphasis and end marks alone."""
    return _words_and_marks(text) == _words_and_marks(other)


def _words_and_marks(text: str) -> list[str]:
    return [found.casefold() for found in _SAID.findall(text)]


def _word_set(text: str) -> set[str]:
    return set(_WORDS.findall(_FRAME.sub("", text.casefold())))


def _may_replace_default(decision: Decision, text: str) -> bool:
    """Return whether a repair may replace a default of the code.

    Where the code compares the answer, only a repaired text that the code names, apart from what
    stands around it; of records that bear a mark, only the same words, in any order and with other
    marks.
    """
    named = [name for outcome in decision.outcomes for name in _compared_texts(outcome.requirement)]
    if named:
        return any(says_the_same(text, name) for name in named)
    marked = all(_is_marked(outcome.requirement) for outcome in decision.outcomes)
    return marked and _word_set(text) == _word_set(decision.text)


def _fits_unrehearsed(decision: Decision, text: str) -> bool:
    """Return whether a repair may be delivered where the code cannot be rehearsed.

    It may where no comparison in the code goes on with an answer that it does not name, or where
    the repair may replace that default.
    """
    goes_on = any(
        _compared_texts(outcome.requirement)
        and getattr(outcome.requirement, "on_violation", "") in ("unknown", "handled")
        for outcome in decision.outcomes
    )
    return not goes_on or _may_replace_default(decision, text)


def _compared_texts(requirement: Requirement) -> tuple[str, ...]:
    """Return the texts that a comparison names; none where the text is cut or matched."""
    return requirement.compared_texts if isinstance(requirement, PositionalTemplate) else ()


def _has_read(plain: Ending, nothing: Ending | None, decision: Decision) -> bool:
    """Return whether the code made something of a refused answer all the same.

    What a list has lost does not show. That a template found nothing does, and a default behind a
    comparison is as good an answer as any.
    """
    requirements = [outcome.requirement for outcome in decision.outcomes]
    if any(_is_list(requirement) for requirement in requirements):
        return False
    if nothing is None or not is_same(plain.value, nothing.value):
        return True
    return not plain.handled and all(_compared_texts(requirement) for requirement in requirements)


def _goes_on(plain: Ending, decision: Decision) -> bool:
    """Return whether the code goes on with a value of its own after a refused answer, be it a
    default, and nothing that it surely wants is known to be lost."""
    requirements = [outcome.requirement for outcome in decision.outcomes]
    return not plain.handled and not any(_is_list(each, "high") for each in requirements)


def _is_marked(requirement: Requirement) -> bool:
    """Return whether records are told by words, numbers or bullets of their own."""
    return isinstance(requirement, PositionalTemplate) and requirement.marker != "none"


def _is_list(requirement: Requirement, confidence: Confidence | None = None) -> bool:
    if not isinstance(requirement, PositionalTemplate):
        return False
    if confidence is not None and requirement.confidence != confidence:
        return False
    return requirement.repeated and requirement.marker != "words"
