"""The common flow of YAML, TOML and Python literals, whose documents are trees of objects and
lists.

Read as the consumer does; where that fails, try the drafts that the answer holds, mended where
needed; fit the nearest into the shape by edits in its text; read it again.

Source: Comfrey §4.3.1 (structured templates: minimum edits to structure, then type conversion).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain
from typing import Any, NamedTuple, cast

from knitbone.adaptation.repair.checks import (
    Check,
    FunctionCheck,
    Invocation,
    Verdict,
    conforming,
    refused,
    repaired,
    unread,
)
from knitbone.adaptation.text.wrappers.remarks import says_revised
from knitbone.common.structured.changes import ValueChange
from knitbone.common.structured.conformance import conform, fits
from knitbone.common.structured.drafts import DocumentDraft, fenced_parts
from knitbone.common.structured.shape import Shape, dates_as_texts, key_names

__all__ = ["TreeFormat", "tree_check"]

_TRUTH = frozenset({"true", "false", "yes", "no", "on", "off"})
"""Truth values as YAML writes them."""


class TreeFormat(NamedTuple):
    """The functions of one format."""

    name: str
    """``yaml``: of its heuristics, ``structured.yaml_region`` and ``structured.yaml_syntax``."""
    max_text: int
    """Characters of an answer that is looked at."""
    read: Callable[[str], tuple[Any] | None]
    """The value as the consumer's parser gives it, in a tuple; ``None`` where it raises."""
    spelled: Callable[[str], tuple[Any] | None]
    """The value with numbers that keep their spelling."""
    parts: Callable[[str, frozenset[str]], Iterable[DocumentDraft]]
    """Parts of the answer that may be the document, the nearest first."""
    mend: Callable[[str, frozenset[str]], DocumentDraft | None]
    """A part that does not parse, with its syntax mended; it need not parse."""
    write: Callable[[str, tuple[ValueChange, ...]], str | None]
    """The changes to the value written into the text; ``None`` where that cannot be done."""


def tree_check(shape: Shape, begin: Callable[[], TreeFormat]) -> Check:
    """Build the check of documents of a format against a shape.

    Args:
        begin: gives the format for one answer: what its functions remember ends with it.
    """
    names = key_names(shape)
    texts = dates_as_texts(shape)

    @FunctionCheck
    def check(text: str, invocation: Invocation, /) -> Verdict:
        if invocation.proven.get(check) == text:
            return conforming(text)
        verdict = look(text, invocation)
        if verdict.disposition == "repaired":
            invocation.proven[check] = verdict.text
        return verdict

    def look(text: str, invocation: Invocation) -> Verdict:
        form = begin()
        if len(text) > form.max_text:
            return unread(
                text, f"the answer has {len(text)} characters; the bound is {form.max_text}"
            )
        # A part of the answer may be all of it, and a repair is read as it is written.
        read = cache(form.read)
        value = read(text)
        if value is not None and fits(value[0], shape):
            return conforming(text)
        found: list[tuple[Verdict, Any]] = []
        reasons: list[str] = []
        for draft in _drafts(text, names, form._replace(read=read), invocation):
            invocation.deadline.check()
            verdict = _fit_draft(text, draft, texts, form, invocation)
            if verdict.disposition != "repaired":
                reasons.append(verdict.reason)
                continue
            value = read(verdict.text)
            if value is None or not fits(value[0], shape):
                reasons.append("the repair is not what the code reads")
            elif not draft.beside:
                single = not found and not _has_other(text, value[0], shape, read)
                return verdict if single else refused(text, "several documents fit")
            else:
                found.append((verdict, value[0]))
        if found and all(_same_value(value, found[0][1]) for _, value in found[1:]):
            return found[0][0]
        return refused(text, "several documents fit" if found else reasons[0])

    return check


def _has_other(
    text: str, chosen: Any, shape: Shape, read: Callable[[str], tuple[Any] | None]
) -> bool:
    """Return whether another fence holds another document that fits, and nothing says that it was
    revised."""
    values = [value for part in fenced_parts(text) if (value := read(part)) is not None]
    fitting = [value[0] for value in values if fits(value[0], shape)]
    others = any(type(v) is type(chosen) and not _same_value(v, chosen) for v in fitting)
    return others and not says_revised(text)


def _drafts(
    text: str, names: frozenset[str], form: TreeFormat, invocation: Invocation
) -> Iterator[DocumentDraft]:
    """Yield the answer and its parts, each as it is if it parses, else mended."""
    region = invocation.uses(f"structured.{form.name}_region")
    syntax = invocation.uses(f"structured.{form.name}_syntax")
    for part in chain([DocumentDraft(text)], form.parts(text, names) if region else ()):
        if form.read(part.text) is not None or not syntax:
            yield part
            continue
        invocation.deadline.check()
        mended = form.mend(part.text, names)
        if mended is None:
            yield part
        else:
            yield DocumentDraft(mended.text, part.rules + mended.rules, part.beside)


def _fit_draft(
    text: str, draft: DocumentDraft, shape: Shape, form: TreeFormat, invocation: Invocation
) -> Verdict:
    """Fit the draft into the shape, and prove the result."""
    value = form.spelled(draft.text)
    if value is None:
        return refused(text, "the parser does not accept the answer")
    if fits(value[0], shape):
        if draft.text == text:
            return refused(text, "a value has another type than the code expects")
        return repaired(draft.text, *draft.rules, edits=max(len(draft.rules), 1))
    if not _has_text_keys(value[0]):
        return refused(text, "a key is not a text")
    done = conform(
        value[0],
        shape,
        tau=invocation.config.tau_element,
        uses=lambda name: invocation.uses(f"structured.{name}"),
        pause=invocation.deadline.check,
    )
    if not done.fits:
        return refused(text, done.reason)
    candidate = form.write(draft.text, done.changes)
    if candidate is None or candidate == text:
        return refused(text, "the change cannot be written into the answer")
    read = form.spelled(candidate)
    if read is None or not _same_value(read[0], done.value):
        return refused(text, "the change cannot be written into the answer")
    rules = (*draft.rules, *done.rules)
    return repaired(candidate, *rules, edits=len(draft.rules) + done.edits)


def _has_text_keys(value: Any) -> bool:
    """Return whether all objects in a value have texts for keys."""
    pending: list[Any] = [value]
    while pending:
        inner = pending.pop()
        if isinstance(inner, dict):
            members = cast("dict[Any, Any]", inner)
            if not all(isinstance(key, str) for key in members):
                return False
            pending.extend(members.values())
        elif isinstance(inner, list | tuple):
            pending.extend(cast("Iterable[Any]", inner))
    return True


def _same_value(said: Any, meant: Any) -> bool:
    """Return whether two values are equal, type by type; a truth value that became a text may be
    spelled as the text spells it."""
    pending = [(said, meant)]
    while pending:
        one, other = pending.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            first, second = cast("dict[Any, Any]", one), cast("dict[Any, Any]", other)
            if list(first) != list(second):
                return False
            pending.extend((first[key], second[key]) for key in first)
        elif isinstance(one, list | tuple) and isinstance(other, list | tuple):
            items, others = cast("list[Any]", one), cast("list[Any]", other)
            if len(items) != len(others):
                return False
            pending.extend(zip(items, others, strict=True))
        elif isinstance(one, str) and isinstance(other, str):
            if one != other and not {one.lower(), other} <= _TRUTH:
                return False
        elif isinstance(one, bool) != isinstance(other, bool) or (
            one != other and not (one != one and other != other)  # noqa: PLR0124 - NaN
        ):
            return False
    return True
