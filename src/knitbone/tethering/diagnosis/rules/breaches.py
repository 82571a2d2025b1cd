"""The steps that break a rule: one pass over the units, each judged by what stood before it."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from knitbone.record.events import Message, ModelCall, Run
from knitbone.tethering.diagnosis.drafts import new_messages
from knitbone.tethering.diagnosis.rules.records import RuleKind, StepRule, Violation
from knitbone.tethering.diagnosis.rules.schemas import broken_by
from knitbone.tethering.diagnosis.shown import Shown
from knitbone.tethering.diagnosis.units import TransitionUnit, UnitCall
from knitbone.tethering.diagnosis.vocabulary import intent_of_tool
from knitbone.wire.fields import object_of

__all__ = ["MADE_UP", "NOT_ASKED", "NO_RECORD", "UNSHOWN", "confirms", "consents", "violations"]


# Whether a person's reply confirms what an agent had proposed: by saying yes, or by taking the
# proposal up in words of its own ("Cancel the two that are pending", "I'll go with the first one").
#
# The words of the reply are held against those of the proposal, so that nothing here knows a
# subject. A request that the agent had not spoken of confirms nothing, however friendly it begins.

_YES = re.compile(
    r"\b(?:yes|yeah|yep|yup|sure|ok(?:ay)?|confirm(?:ed)?|correct|proceed|go ahead|go for it|"
    r"please do|do it|do so|agreed?|approved?|sounds (?:good|great|right|fine|perfect)|"
    r"looks (?:good|great|right|fine|perfect)|(?:that|this|it)(?:'s| is) (?:fine|right|good|great|"
    r"perfect|ok|all right)|all right|alright|absolutely|definitely|certainly|of course|by all "
    r"means|exactly|that works|works for me|fine (?:with|by) me|happy with that|let'?s (?:do|go|"
    r"proceed)|you (?:may|can) (?:go|proceed|continue|book|cancel|do)|"
    r"ja|oui|s[ií]|sim|d'accord|einverstanden|vale|certo)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"\b(?:i'?ll|i will|i'?d like to|i would|let'?s|we'?ll) (?:go (?:with|for)|take|have|choose|"
    r"pick|use|keep)\b|\bthe (?:\w+ ){1,2}(?:one|option)\b|\boption \w+\b",
    re.IGNORECASE,
)
"""A choice among what was offered."""
_NEW = re.compile(
    r"\b(?:also|another|additionally|in addition|one more|instead|besides|before (?:we|you) "
    r"(?:finish|go|end))\b",
    re.IGNORECASE,
)
"""What begins something that had not been spoken of."""
_NO = re.compile(r"^\W*(?:no|nope|not|don'?t|wait|stop|hold on)\b", re.IGNORECASE)
_BEFOREHAND = re.compile(
    r"\b(?:go ahead|no need to (?:ask|confirm|check)|without asking|don'?t (?:ask|wait)|"
    r"just (?:do|go|book|cancel|take)|you (?:may|can) decide|up to you)\b",
    re.IGNORECASE,
)
"""Consent that is given with the request."""
_TOKEN = re.compile(r"#?\w*\d[\w.]*|[^\W\d_]{4,}")
_COMMON = {
    "please", "would", "could", "that", "this", "these", "those", "thank", "thanks", "want",
    "like", "need", "just", "with", "from", "them", "then", "than", "have", "will", "your",
    "mine", "only", "make", "great", "good", "perfect", "here", "there", "about", "into",
}  # fmt: skip
_SHARED = 0.5
"""Share of a reply's words that the proposal holds, from which on the reply takes it up (ours;
looked at on half of the recorded runs)."""
_LONGEST = 2_000
_STEM = 5
"""Letters by which two words are the same."""


def consents(request: str) -> bool:
    """Whether a person who was not asked has agreed beforehand, in the request itself."""
    return _BEFOREHAND.search(request[:_LONGEST]) is not None


def confirms(reply: str, proposal: str) -> bool:
    """Whether a reply agrees to what had been proposed.

    Args:
        proposal: the agent's last words before the reply.
    """
    reply, proposal = reply[:_LONGEST], proposal[:_LONGEST]
    if _YES.search(reply):
        return True
    if _NO.match(reply) or not proposal:
        return False
    words, offered = _words(reply), _words(proposal)
    named = {word for word in words if not word.isalpha()}
    if not words or _NEW.search(reply) or not named <= offered:
        return False  # a record or an amount that had not been spoken of
    if _CHOICE.search(reply):
        return True
    if named and (words - named) & offered:
        return True  # the records that had been spoken of, and what to do with them
    return len(words & offered) >= _SHARED * len(words)


def _words(text: str) -> set[str]:
    tokens = (token.lower().rstrip(".") for token in _TOKEN.findall(text))
    return {token[:_STEM] if token.isalpha() else token for token in tokens if token not in _COMMON}


NOT_ASKED = "the user was not asked"
UNSHOWN = "holds a value found nowhere before it"
_DIGIT = re.compile(r"\d")
NO_RECORD = {"plan", "compute", "finish", "communicate"}
"""Intents of tools that touch nobody's record."""

MADE_UP = StepRule(
    kind="argument never observed",
    source="run",
    evidence="an identifier in an argument has to come from the task, the user or a tool",
)


class _Heard(NamedTuple):
    """The user's latest words, and what the agent had said before them."""

    user: str | None
    proposal: str | None


class _Story:
    """What had happened before the unit at hand."""

    def __init__(self, shown: Shown) -> None:
        self.shown = shown
        self.succeeded: set[str] = set()
        """Tools that were called without an error."""
        self.done: dict[tuple[str, str], int] = {}
        """The first step that called a tool on a record, without an error."""
        self.records: dict[tuple[str, str], dict[str, Any]] = {}
        """The latest record that a tool returned, by name and value of each of its fields."""
        self.heard = _Heard(None, None)

    def after(self, unit: TransitionUnit) -> None:
        for call in unit.calls:
            record = _record(call.result)
            for name, value in record.items():
                if isinstance(value, (str, int)):
                    self.records[name, str(value).lower()] = record
        if unit.error and unit.failed_tool is None:
            return  # the model call itself failed
        for call in unit.calls:
            if not call.error:
                self.succeeded.add(call.tool)
                self.done.setdefault((call.tool, _subject(call)), unit.index)


class _Breach(NamedTuple):
    """One call of a step, or the step as a whole (``tool`` is empty), that breaks a rule."""

    text: str
    tool: str = ""
    field: str = ""


def violations(
    run: Run,
    units: Sequence[TransitionUnit],
    rules: Sequence[StepRule],
    schemas: Mapping[str, Mapping[str, Any]],
    shown: Shown,
) -> tuple[Violation, ...]:
    """Every broken rule of every unit, in the order of the run: of calls that break a rule at
    once each, but a tool that breaks it in the same argument again only once.

    Raises:
        MissingExtraError: the run carries tool schemas, and jsonschema is not installed.
    """
    users = _heard(run, units)
    story = _Story(shown)
    found: list[Violation] = []
    for unit in units:
        story.heard = users[unit.ordinal]
        for rule in rules:
            check = _CHECKS.get(rule.kind)
            if check is not None:
                breaches = check(rule, unit, story)
                found.extend(_violations(rule, unit, breaches))
        found.extend(_against_schemas(unit, schemas))
        story.after(unit)
    return tuple(found)


def _violations(
    rule: StepRule, unit: TransitionUnit, breaches: Iterable[_Breach]
) -> Iterator[Violation]:
    said: set[tuple[str, str]] = set()
    for text, tool, field in breaches:
        if (tool, field) not in said:
            said.add((tool, field))
            yield Violation(rule=rule, ordinal=unit.ordinal, text=text, tool=tool, field=field)


def _heard(run: Run, units: Sequence[TransitionUnit]) -> list[_Heard]:
    """What each unit had heard from the user last. In a recorded run a user's words stand in the
    input of the model call that they are told to."""
    by_event = {unit.event: unit for unit in units}
    heard = [_Heard(None, None)] * len(units)
    last: defaultdict[int, _Heard] = defaultdict(lambda: _Heard(None, None))
    proposals: dict[int, str] = {}
    talking = units[0].conversation if units else 0
    for event in run.events:
        unit = by_event.get(event.id)
        talking = unit.conversation if unit is not None else talking
        if isinstance(event, Message) and event.role == "user":
            last[talking] = _Heard(event.content, proposals.get(talking))
        elif isinstance(event, ModelCall):
            for message in new_messages(event):
                if message.role == "user":
                    last[talking] = _Heard(message.content, proposals.get(talking))
        if unit is not None:
            heard[unit.ordinal] = last[talking]
            if not unit.calls:
                proposals[talking] = unit.action
    return heard


def _against_schemas(
    unit: TransitionUnit, schemas: Mapping[str, Mapping[str, Any]]
) -> Iterator[Violation]:
    said: set[StepRule] = set()
    for call in unit.calls:
        schema = schemas.get(call.tool)
        if schema is None:
            continue
        for rule in broken_by(call.tool, schema, call.arguments):
            if rule not in said:
                said.add(rule)
                text = f"step {unit.index} calls {call.tool}: {rule.kind} {rule.field}".rstrip()
                yield Violation(
                    rule=rule, ordinal=unit.ordinal, text=text, tool=call.tool, field=rule.field
                )


def _calls(rule: StepRule, unit: TransitionUnit) -> list[UnitCall]:
    return [call for call in unit.calls if call.tool in rule.tools]


def _unconfirmed(rule: StepRule, unit: TransitionUnit, story: _Story) -> Iterator[_Breach]:
    user, proposal = story.heard
    if user is not None and proposal is not None and confirms(user, proposal):
        return
    if user is not None and consents(user):
        return
    asked = proposal is not None
    why = "the user's last words confirm nothing" if asked else NOT_ASKED
    for call in _calls(rule, unit):
        yield _Breach(f"step {unit.index} calls {call.tool}, and {why}", call.tool)


def _unidentified(rule: StepRule, unit: TransitionUnit, story: _Story) -> Iterator[_Breach]:
    if _calls(rule, unit) or not story.succeeded.isdisjoint(rule.tools):
        return
    for call in unit.calls:
        if intent_of_tool(call.tool) not in NO_RECORD:
            text = f"step {unit.index} calls {call.tool} before anybody was identified"
            yield _Breach(text, call.tool)
            return


def _again(rule: StepRule, unit: TransitionUnit, story: _Story) -> Iterator[_Breach]:
    here: set[tuple[str, str]] = set()
    for call in _calls(rule, unit):
        done = call.tool, _subject(call)
        step = unit.index if done in here else story.done.get(done)
        if step is not None:
            when = f"after step {step}" if step != unit.index else "in the same step"
            yield _Breach(f"step {unit.index} calls {call.tool} a second time, {when}", call.tool)
        if not call.error:
            here.add(done)


def _several(rule: StepRule, unit: TransitionUnit, story: _Story) -> Iterator[_Breach]:
    del rule, story
    if len(unit.calls) > 1:
        yield _Breach(f"step {unit.index} makes {len(unit.calls)} calls at once")


def _beside(rule: StepRule, unit: TransitionUnit, story: _Story) -> Iterator[_Breach]:
    del rule, story
    if unit.calls and unit.belief.strip():
        what = unit.tool if len(unit.calls) == 1 else "tools"
        yield _Breach(f"step {unit.index} calls {what} and answers at the same time")


def _wrong_state(rule: StepRule, unit: TransitionUnit, story: _Story) -> Iterator[_Breach]:
    for call in _calls(rule, unit):
        for name, value in _plain_values(call.arguments).items():
            record = story.records.get((name, value.lower())) if _DIGIT.search(value) else None
            if record is not None and isinstance(record.get(rule.field), str):
                # "pending (item modified)" is still pending
                if not record[rule.field].lower().startswith(rule.allowed):
                    text = (
                        f"step {unit.index} calls {call.tool} although the {rule.field} forbids it"
                    )
                    yield _Breach(text, call.tool, name[:60])
                break


def _not_allowed(rule: StepRule, unit: TransitionUnit, story: _Story) -> Iterator[_Breach]:
    del story
    for call in _calls(rule, unit):
        for name, value in _plain_values(call.arguments).items():
            if name.lower() == rule.field and value.lower() not in rule.allowed:
                text = f"step {unit.index} gives {call.tool} a {name[:60]} that is not allowed"
                yield _Breach(text, call.tool, name[:60])


def _made_up(rule: StepRule, unit: TransitionUnit, story: _Story) -> Iterator[_Breach]:
    del rule
    for passed in story.shown.unshown_arguments(unit):
        if intent_of_tool(passed.tool) not in NO_RECORD:
            name = passed.name[:60]
            text = f"{name or 'an argument'} of {passed.tool} {UNSHOWN}"
            yield _Breach(text, passed.tool, name)


def _subject(call: UnitCall) -> str:
    """The record that a call works on: the first of its arguments that looks like an identifier."""
    values = _plain_values(call.arguments).values()
    return next((value.lower() for value in values if _DIGIT.search(value)), "")


def _plain_values(arguments: Any) -> dict[str, str]:
    """Top-level arguments that are texts or whole numbers, and texts in lists of them."""
    found: dict[str, str] = {}
    if not isinstance(arguments, dict):
        return found
    for name, value in cast("dict[str, Any]", arguments).items():
        if isinstance(value, list):
            for at, item in enumerate(cast("list[Any]", value)[:50]):
                if isinstance(item, str):
                    found[f"{name}[{at}]"] = item
        elif isinstance(value, (str, int)) and not isinstance(value, bool):
            found[name] = str(value)
    return found


def _record(result: str) -> dict[str, Any]:
    if not result.lstrip().startswith("{") or len(result) > 1_000_000:
        return {}
    try:
        value = json.loads(result)
    except (ValueError, RecursionError):
        return {}
    return object_of(value)


_CHECKS: dict[RuleKind, Callable[[StepRule, TransitionUnit, _Story], Iterator[_Breach]]] = {
    "write before confirmation": _unconfirmed,
    "write before identification": _unidentified,
    "called again": _again,
    "several calls at once": _several,
    "call beside an answer": _beside,
    "wrong state": _wrong_state,
    "value not allowed": _not_allowed,
    "argument never observed": _made_up,
}
