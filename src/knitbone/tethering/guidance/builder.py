"""Build guidance, top to bottom: a diagnosis and its run -> directives, one a fact -> without
overlaps, with those that the repair memory carries along -> their words, within the disclosure ->
the text that the next attempt is given (AgentTether §III.C.3).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from knitbone.common.printable import printable
from knitbone.record.events import Run, encode_json
from knitbone.tethering.diagnosis.claims import speaks_against
from knitbone.tethering.diagnosis.findings import RunFinding
from knitbone.tethering.diagnosis.reader_instructions import addressed_texts
from knitbone.tethering.diagnosis.records import Claim, ClaimKind, Diagnosis
from knitbone.tethering.diagnosis.units import (
    CUT_OFF,
    TransitionUnit,
    asked,
    build_units,
    system_texts,
)
from knitbone.tethering.diagnosis.vocabulary import words_of
from knitbone.tethering.guidance.disclosure import RunNames, leaves
from knitbone.tethering.guidance.error_words import is_common
from knitbone.tethering.guidance.failed_run import FailedRun, expected
from knitbone.tethering.guidance.finding_directives import (
    CONFIRM,
    checked_first,
    ended,
    failed_call,
    made_up,
    of_finding,
    ordered,
)
from knitbone.tethering.guidance.hashing import task_key
from knitbone.tethering.guidance.records import (
    ConstraintClass,
    Directive,
    Disclosure,
    ExpectedCall,
    Guidance,
    InjectionPlace,
    InjectionPlan,
    RepairEntry,
)
from knitbone.tethering.guidance.request import request_of
from knitbone.tethering.guidance.wording import in_disclosure, worded
from knitbone.wire.fields import object_of

__all__ = ["build_guidance", "carried_along", "merged", "told_values"]


# What a call of the failed run was given, for the disclosure ``values``.
#
# What tools said is told in no disclosure: it may hold an order to whoever reads it. A value that
# the agent itself had put into a call is short, or left out.

_MOST, _LONGEST, _WORDS = 3, 40, 4
"""Values of one call; characters and words of one (ours): what is longer may be a sentence."""


def told_values(failed: FailedRun, directive: Directive) -> str:
    """The values that the call had which a directive is about, as they stand behind its sentence;
    empty without one."""
    for item in directive.evidence:
        unit = failed.unit(item.step)
        suspect = unit is not None and addressed_texts([unit])
        for call in () if unit is None or suspect else unit.calls:
            if directive.id.split(":")[1] != call.tool.replace(":", "."):
                continue
            given = object_of(call.arguments)
            wanted = directive.expectation.arguments if directive.expectation else ()
            names = [name for name in wanted if name in given] or list(given)
            told = [
                f"`{name}` {_value(given[name])}"
                for name in names
                if failed.names.argument(name) and _is_short(given[name])
            ]
            if told:
                return f" Last time: {', '.join(told[:_MOST])}."
    return ""


def _is_short(value: Any) -> bool:
    if not isinstance(value, str):
        return isinstance(value, (int, float))
    return len(value) <= _LONGEST and len(value.split()) <= _WORDS and printable(value) == value


def _value(value: Any) -> str:
    return encode_json(value).decode("utf-8")


# Directives that overlap become one, and the nearest to the turning point come first.
#
# Overlapping are those on one tool that do not contradict each other: that an argument is missing
# and that the call shall not be repeated is one thing to do otherwise, said in one line. General
# advice (read the error, check first) is said by the special one on the same tool.

_SPECIAL: tuple[ConstraintClass, ...] = (
    "call not asked for", "required argument", "argument value", "order", "missing step", "rule",
    "unresolved error", "unread value", "repetition", "completion", "check first",
)  # fmt: skip
"""What says more comes first; of two equally near directives, too."""
_OF_ARGUMENTS: frozenset[ConstraintClass] = frozenset({"required argument", "argument value"})
"""They say what the error of the call said."""


def merged(directives: Iterable[Directive]) -> list[Directive]:
    """The directives without overlaps, the nearest to the turning point first."""
    ordered = sorted(directives, key=lambda one: (_SPECIAL.index(one.constraint), one.distance))
    kept: list[Directive] = []
    for directive in ordered:
        place = next((k for k, one in enumerate(kept) if _overlap(one, directive)), None)
        if place is None:
            kept.append(directive)
        else:
            kept[place] = _joined(kept[place], directive)
    return sorted(kept, key=lambda one: (one.distance, _SPECIAL.index(one.constraint)))


def _subject(directive: Directive) -> str:
    """The tool, or the kind of action, that a directive is about: the second part of its name."""
    return directive.id.split(":")[1]


def _overlap(one: Directive, other: Directive) -> bool:
    """Whether ``other``, which is no more special, can be said together with ``one``."""
    if one.id == other.id:
        return True
    if _subject(one) != _subject(other) or "completion" in (one.constraint, other.constraint):
        return False
    free = not any(
        mine and its and mine != its
        for mine, its in zip(_sentences(one), _sentences(other), strict=True)
    )
    return free or _is_said_by(one, other)


def _is_said_by(one: Directive, other: Directive) -> bool:
    """Whether ``other`` is general advice, which ``one`` makes unnecessary: an error that is not
    quoted, or that is about the arguments that ``one`` names; repetition; care."""
    if other.constraint == "unresolved error":
        return not other.do_first or one.constraint in _OF_ARGUMENTS
    return other.constraint in ("repetition", "check first")


def _sentences(directive: Directive) -> tuple[str, str, str]:
    return directive.do_first, directive.do, directive.do_not


def _joined(one: Directive, other: Directive) -> Directive:
    """Two directives in the words of the first, and those of the second that add something."""
    general = other.constraint != "repetition" and _is_said_by(one, other)
    more = Directive(id="", family="", constraint="check first") if general else other
    return msgspec.structs.replace(
        one,
        do_first=one.do_first or more.do_first,
        do=one.do or more.do,
        do_not=one.do_not or more.do_not,
        expectation=_both(one.expectation, other.expectation),
        evidence=tuple(dict.fromkeys((*one.evidence, *other.evidence))),
        distance=min(one.distance, other.distance),
    )


def _both(one: ExpectedCall | None, other: ExpectedCall | None) -> ExpectedCall | None:
    if one is None or other is None or one.tool != other.tool:
        return one or other
    return ExpectedCall(
        tool=one.tool,
        arguments=tuple(dict.fromkeys((*one.arguments, *other.arguments))),
        changed={**other.changed, **one.changed},
        after=tuple(dict.fromkeys((*one.after, *other.after))),
        changes_state=one.changes_state or other.changes_state,
    )


def carried_along(fresh: Sequence[Directive], memory: Iterable[RepairEntry]) -> list[Directive]:
    """The directives of this run and, behind them, those of earlier attempts: first what came back
    or was never put right, then what was, so that it stays right."""
    known = {directive.id for directive in fresh}
    left = [entry for entry in memory if entry.directive.id not in known]
    order = {"regressed": 0, "unresolved": 1, "fixed": 2}
    left.sort(key=lambda entry: (order[entry.state], entry.directive.distance))
    return [*fresh, *(entry.directive for entry in left)]


# Claims of a run -> what to do otherwise. Each claim says itself at which step.


def of_claim(failed: FailedRun, claim: Claim) -> Iterator[Directive]:
    """The directives that a claim gives. One that rests on a finding is said by that finding, the
    analyst's by its hints."""
    maker, unit = _MAKERS.get(claim.kind), failed.unit(claim.step)
    return iter(()) if maker is None or unit is None else maker(failed, unit, claim)


def _crash(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    if unit.failed_tool:  # else the program broke: nothing for the agent to do otherwise
        yield from failed_call(failed, unit, fact)


def _loop(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    tool = unit.failed_tool or unit.tool
    worked = tool is not None and failed.worked(tool)
    yield failed.directive(
        unit, fact, "repetition", tool=tool,
        do_not=f"Do not repeat {failed.step(unit, tool)} after it failed for the same reason:"
        " change the call, or find out more first.",
        expectation=None if worked else expected(tool),
    )  # fmt: skip


def _broken_schema(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    tool = unit.failed_tool or unit.tool
    yield failed.directive(
        unit, fact, "argument value", tool=tool,
        do=f"Give {failed.step(unit, tool)} exactly the arguments that its schema asks for.",
        expectation=expected(tool),
    )  # fmt: skip


def _in_the_way(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    refused = failed.unit(fact.steps[-1])
    if unit.wrote and refused is not None and refused.failed_tool:
        yield ordered(failed, unit, fact, early=unit.wrote, late=refused.failed_tool)


def _refused(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    tool = unit.failed_tool
    yield failed.directive(
        unit, fact, "rule", tool=tool,
        do_not=f"When {failed.step(unit, tool)} is refused, do not try other values on your own:"
        " say why it was refused, and ask.",
    )  # fmt: skip


def _unconfirmed(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    tool = unit.wrote or unit.tool
    sentence = CONFIRM
    yield failed.directive(
        unit, fact, "rule", tool=tool,
        do_first=sentence.format(step=failed.step(unit, tool)),
    )  # fmt: skip


def _made_up(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    tool = unit.wrote or unit.tool
    if tool is not None and failed.need(tool) == "unclear":
        yield made_up(failed, unit, fact)
        return
    yield failed.directive(
        unit, fact, "unread value", tool=tool,
        do=f"Use in {failed.step(unit, tool)} only values that were read or told before.",
    )  # fmt: skip


def _said_done(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    tool = unit.failed_tool
    yield failed.directive(
        unit, fact, "completion", tool=tool,
        do_not=f"Do not report {failed.step(unit, tool)} as done unless it returned without an"
        " error.",
    )  # fmt: skip


def _said_again(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    yield failed.directive(
        unit, fact, "repetition",
        do_not="Do not say the same again: do something new, or find out more first.",
    )  # fmt: skip


def _cut_off(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    if unit.error == CUT_OFF["length"]:
        yield failed.directive(
            unit, fact, "completion", about=("brief",),
            do="Answer more briefly: the last answer was cut off at its greatest length.",
        )  # fmt: skip


def _stopped(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    yield failed.directive(
        unit, fact, "completion", about=("limit",),
        do="Go straight to what the request needs: the last attempt was stopped at a limit before"
        " it was done.",
    )  # fmt: skip


def _gave_up(failed: FailedRun, unit: TransitionUnit, fact: Claim) -> Iterator[Directive]:
    yield failed.directive(
        unit, fact, "completion", about=("answer",),
        do_not="Do not end without an answer before another way to it was tried.",
    )  # fmt: skip


_Maker = Callable[[FailedRun, TransitionUnit, Claim], Iterator[Directive]]
_MAKERS: Mapping[ClaimKind, _Maker] = {
    "crash": _crash, "loop": _loop, "fails for one reason": _loop, "broken schema": _broken_schema,
    "refused, then changed": _refused, "change in the way": _in_the_way,
    "rule broken": _unconfirmed, "made-up value": _made_up, "error never mended": failed_call,
    "said to be done": _said_done, "says the same again": _said_again, "answer cut off": _cut_off,
    "stopped by a limit": _stopped, "gave up": _gave_up,
}  # fmt: skip


# A sentence that a model wrote, without values of the run.
#
# A *value* is, in free text: whatever holds a digit; quoted words, addresses of pages, files and
# mails, words with underscores, unless they are names of tools or arguments; a word with a capital
# letter inside a sentence; numbers, months and days in words; and every text or number that some
# call or answer of the run held as a whole, unless it consists of words of names or of those that
# stand in our own sentences (``error_words.is_common``), which tell nothing.

_LONGEST_VALUE, _MOST_VALUES = 200, 5_000
"""Characters and number of values that are looked for (ours)."""

_BRACKETS = re.compile(r"\s?\([^()]*\)")
_MARKS = "\"`'\u201c\u201d\u2018\u2019"
_QUOTED = re.compile(rf"(?<!\w)[{_MARKS}]([^{_MARKS}\n]{{1,200}})[{_MARKS}]")
_TOKEN = re.compile(r"[^\s,;:!?()\"\u201c\u201d`]+")
_SET = "\0"
"""Stands around a name that was set in place of a value, until the line was looked at."""
_OURS = re.compile(rf"the {_SET}[^{_SET}]*{_SET}")
_LETTERS = re.compile(r"[^\W_]+")
_IN_WORDS = frozenset([
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "dozen", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
    "hundred", "thousand", "million", "january", "february", "april", "june", "july", "august",
    "september", "october", "november", "december", "monday", "tuesday", "wednesday", "thursday",
    "friday", "saturday", "sunday",
])  # fmt: skip
_ACRONYMS = frozenset(["API", "CSV", "HTTP", "ID", "IDs", "I", "JSON", "SQL", "URL", "XML"])


def value_free(text: str, run: Run, units: Sequence[TransitionUnit], names: RunNames) -> str | None:
    """The sentence without values: brackets that hold one go, and the value of an argument is said
    by the argument's name; ``None`` where a value is left."""
    line = " ".join(text.replace(_SET, "").split())
    line = _BRACKETS.sub(lambda found: "" if _holds_form(found[0], names) else found[0], line)
    given = _given_values(units, names)
    for value in sorted(given, key=len, reverse=True):
        line = re.sub(_whole(value), f"the {_SET}{given[value]}{_SET}", line, flags=re.IGNORECASE)
    line = re.sub(rf"\b(?:the|an|a) the {_SET}", f"the {_SET}", line, flags=re.IGNORECASE)
    rest = _OURS.sub("it", line)
    if _holds_form(rest, names) or _holds_value(rest, run, units, names):
        return None
    line = line.replace(_SET, "`")
    return line[:1].upper() + line[1:] if line else None


def _whole(value: str) -> str:
    return rf"(?<![\w.])[\"'`]?{re.escape(value)}[\"'`]?(?!\w)"


def _words(text: str) -> str:
    return f" {' '.join(_LETTERS.findall(text.lower()))} "


def _given_values(units: Sequence[TransitionUnit], names: RunNames) -> dict[str, str]:
    """Values that calls were given, with the name of their argument, where that may be told."""
    found: dict[str, str] = {}
    for unit in units:
        for call in unit.calls:
            for name, value in object_of(call.arguments).items():
                if isinstance(value, (str, int, float)) and not isinstance(value, bool):
                    told, said = names.argument(name), str(value).strip()
                    plain = all(is_common(word, names) for word in said.lower().split())
                    if told and 2 < len(said) <= _LONGEST_VALUE and not plain:
                        found.setdefault(said, told)
    return dict(list(found.items())[:_MOST_VALUES])


def _holds_form(text: str, names: RunNames) -> bool:
    """Whether a text has a word whose form alone says that it is a value."""
    for found in _QUOTED.finditer(text):
        inner = found[1].strip()
        if not (names.is_known(inner) or all(is_common(w, names) for w in inner.lower().split())):
            return True
    begins = True
    for found in _TOKEN.finditer(text.replace("`", " ")):
        token = found[0].strip("'\u2019.")
        if not names.is_known(token) and _is_value_form(token, begins=begins):
            return True
        begins = found[0].endswith(".")
    return False


def _is_value_form(token: str, *, begins: bool) -> bool:
    if any(character.isdigit() for character in token) or "_" in token or "@" in token:
        return True
    if "/" in token or "\\" in token or "." in token:
        return True
    if token.lower() in _IN_WORDS:
        return True
    capital = token[:1].isupper() and token not in _ACRONYMS and not begins
    return capital or any(c.isupper() for c in token[1:] if token not in _ACRONYMS)


def _holds_value(text: str, run: Run, units: Sequence[TransitionUnit], names: RunNames) -> bool:
    """Whether some value of the run stands in a text as a whole."""
    said = _words(text)
    sources = [(call.arguments, call.result) for unit in units for call in unit.calls]
    for leaf in leaves(*(part for pair in sources for part in pair)):
        words = _words(leaf) if len(leaf) <= _LONGEST_VALUE else ""
        if words.strip() and words in said and not all(is_common(w, names) for w in words.split()):
            return True
    # What people said holds names of theirs at the beginning of a sentence, too.
    first = text.split(" ", 1)[0].strip(".,;:")
    told = " ".join([asked(run), *system_texts(run), *(unit.observation for unit in units)])
    return re.search(rf"(?<=[a-z,] ){re.escape(first)}\b", told) is not None and first[:1].isupper()


# The analyst's hints -> directives, without values and without anybody else's instructions.
#
# A hint is free text of a model that has read the run: the one place where words that are not ours
# enter a guidance. What of it is a value (``value_free``) is left out or said by the name of its
# argument; a hint that cannot do without is dropped. So is one that says what a tool's answer says:
# a text in the environment that gives orders is not to give them to the next run as well.

_LONGEST_HINT = 240
"""Characters of a hint (ours)."""
_SHARED = 0.6
"""Share of a hint's telling words that may stand together in a tool's answer (ours)."""
_WINDOW = 60
"""Words that count as together (ours)."""
_ROOT = 5
"""Letters by which two words are compared, whatever their ending (ours)."""

_WORD = re.compile(r"[a-z]{4,}")
_KINDS: Mapping[ConstraintClass, re.Pattern[str]] = {
    "order": re.compile(r"\b(?:before|after|first|until|prior|order)\b", re.IGNORECASE),
    "rule": re.compile(r"\b(?:confirm\w*|rule|policy|permission|ask)\b", re.IGNORECASE),
    "repetition": re.compile(r"\b(?:repeat\w*|again|retry\w*|loop)\b", re.IGNORECASE),
    "required argument": re.compile(r"\b(?:argument|parameter|field|required)s?\b", re.IGNORECASE),
    "unresolved error": re.compile(r"\b(?:error|fail\w*|exception)s?\b", re.IGNORECASE),
    "completion": re.compile(r"\b(?:end|finish\w*|complete\w*|done)\b", re.IGNORECASE),
}


def hint_directives(failed: FailedRun, reference: TransitionUnit) -> Iterator[Directive]:
    """The hints of an analyst whose answer was accepted; none of a run in which a text speaks to
    its reader, for the analyst read it, too."""
    diagnosis = failed.diagnosis
    if diagnosis.analysis.state != "accepted" or addressed_texts(failed.units):
        return
    answers = _answers(failed.run, failed.units)
    units = (reference, *failed.units)  # its own names of arguments go first
    for hint in diagnosis.recovery_hints:
        said = value_free(hint, failed.run, units, failed.names)
        if not said or len(said) > _LONGEST_HINT or _is_repeated(said, answers, failed):
            continue
        tool = _tool_in(hint, failed)
        kinds: list[ConstraintClass] = [k for k, pattern in _KINDS.items() if pattern.search(said)]
        words = " ".join(sorted(set(_WORD.findall(said.lower()))))
        digest = hashlib.blake2b(words.encode("utf-8"), digest_size=4).hexdigest()
        fact = Claim(kind="named by the analyst", text=hint, step=reference.index)
        yield failed.directive(
            reference, fact, kinds[0] if kinds else "check first", tool=tool, about=(digest,),
            do=said if said.endswith((".", "!")) else f"{said}.",
        )  # fmt: skip


def _tool_in(hint: str, failed: FailedRun) -> str | None:
    """The tool that a hint names, of those that the run called: by its name, or its words."""
    words = f" {' '.join(words_of(hint))} "
    called = dict.fromkeys(call.tool for unit in failed.units for call in unit.calls)
    named = [tool for tool in called if f" {' '.join(words_of(tool))} " in words]
    return next((tool for tool in named if failed.names.tool(tool)), None)


def _answers(run: Run, units: Sequence[TransitionUnit]) -> list[list[str]]:
    """What came from the environment, as the roots of its telling words; not what was asked."""
    known = {*_roots(asked(run)), *(root for text in system_texts(run) for root in _roots(text))}
    texts = dict.fromkeys(call.result for unit in units for call in unit.calls)
    return [[root for root in _roots(text) if root not in known] for text in texts]


def _is_repeated(said: str, answers: Sequence[Sequence[str]], failed: FailedRun) -> bool:
    """Whether a hint says what some answer of a tool says."""
    own = {word[:_ROOT] for word in failed.names.words}
    wanted = set(_roots(said)) - own
    if not wanted:
        return False
    for answer in answers:
        for start in range(0, max(1, len(answer)), _WINDOW // 2):
            if len(wanted.intersection(answer[start : start + _WINDOW])) / len(wanted) >= _SHARED:
                return True
    return False


def _roots(text: str) -> list[str]:
    return [word[:_ROOT] for word in _WORD.findall(text[:20_000].lower())]


# A failed run -> directives, one a finding, claim or hint; not yet merged or bounded.


def directives_of(failed: FailedRun) -> list[Directive]:
    """What to do otherwise, of each finding, claim and hint that an agent can act on; where none
    says more, what calls for care."""
    diagnosis, reference = failed.diagnosis, failed.reference
    if reference is None:
        return []
    claims = [*filter(None, [diagnosis.claim]), *diagnosis.on_record]
    distinct = {(claim.kind, claim.step, claim.text): claim for claim in claims}
    found = [directive for claim in distinct.values() for directive in of_claim(failed, claim)]
    against = diagnosis.outcome == "failed" and any(map(speaks_against, diagnosis.findings))
    if diagnosis.turning_point is not None or against:
        for finding in diagnosis.findings:
            found += of_finding(failed, reference, finding)
    found += hint_directives(failed, reference)
    telling = any(one.constraint not in ("check first", "completion") for one in found)
    return found if telling else [*found, *_with_care(failed)]


def _with_care(failed: FailedRun) -> Iterator[Directive]:
    """What can be said of a run that failed where nothing on record says why: how it ended, and
    what it changed, in the order of suspicion."""
    if failed.diagnosis.outcome != "failed" or not failed.units:
        return
    last = failed.units[-1]
    text = f"step {last.index} ends the work"
    yield from ended(failed, last, RunFinding(kind="ended here", text=text, steps=(last.index,)))
    changed: set[str] = set()
    for step in failed.diagnosis.ranking:
        unit = failed.unit(step)
        if unit is not None and unit.wrote and unit.wrote not in changed:
            changed.add(unit.wrote)
            text = f"step {step} changes state through {unit.wrote}"
            fact = RunFinding(kind="state change", steps=(step,), text=text)
            yield from checked_first(failed, unit, fact)


DIRECTIVES = 5
"""Directives that the next attempt is given at most (ours)."""
CHARACTERS = 900
"""Longest guidance; about four characters are one token (ours)."""


def build_guidance(
    diagnosis: Diagnosis,
    run: Run,
    *,
    task: str,
    memory: Sequence[RepairEntry] = (),
    disclosure: Disclosure = "constraint",
    place: InjectionPlace = "first user turn",
) -> Guidance:
    """What the next attempt at a task is told after a run of it.

    Deterministic; no model is asked. In the disclosures ``family`` and ``constraint`` the text
    consists of sentences of ours and of names of tools and arguments: of two runs that differ in
    values alone it is the same. Nothing is said of a run that did not fail and shows nothing.

    Source: AgentTether §III.C.3 (disclosure control, prominence, concision).

    Args:
        diagnosis: of ``run``.
        task: the task, or its key in the repair memory.
        memory: what the repair memory has of the task; what is not put right comes along.
    """
    units = build_units(run)
    failed = FailedRun(
        task=task_key(task),
        run=run,
        diagnosis=diagnosis,
        units=units,
        by_step={unit.index: unit for unit in units},
        names=RunNames(run, units),
        request=request_of(run),
    )
    fresh = merged(directives_of(failed))
    directives = [in_disclosure(one, disclosure) for one in carried_along(fresh, memory)]
    text, told = worded(
        directives,
        values={one.id: told_values(failed, one) for one in fresh}
        if disclosure == "values"
        else None,
        most=DIRECTIVES,
        characters=CHARACTERS,
    )
    return Guidance(
        task=failed.task,
        run=run.id,
        calls=sum(len(unit.calls) for unit in units),
        disclosure=disclosure,
        directives=tuple(directives[:told]),
        left_out=len(directives) - told,
        text=text,
        plan=InjectionPlan(place=place),
    )
