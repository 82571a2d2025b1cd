"""The plane of the rules, top to bottom: run -> rules -> violations -> evidence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

import msgspec

from knitbone.record.events import Run
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence, ranks
from knitbone.tethering.diagnosis.rules.breaches import MADE_UP, violations
from knitbone.tethering.diagnosis.rules.records import FORM, RuleKind, StepRule, Violation
from knitbone.tethering.diagnosis.rules.schemas import tool_schemas
from knitbone.tethering.diagnosis.shown import Shown
from knitbone.tethering.diagnosis.units import TransitionUnit, system_texts
from knitbone.tethering.diagnosis.vocabulary import intent_of_tool, is_state_changing, words_of

__all__ = ["PLANE", "RuleReport", "mine_policy", "score_run"]


# Rules from policy text: sentences that say what has to hold before a tool is called.
#
# Each pattern stands for a way in which policies are phrased, not for a policy: the tools a
# sentence speaks of are found by the words that their names share with it, so that nothing here
# knows a tool or a domain. A sentence that no pattern reads gives no rule: a rule that is not
# certain is none.

MAX_POLICY = 200_000
"""Characters of policy text that are read."""
MAX_SENTENCE = 600
MAX_RULES = 200
"""Rules kept of one run, the first ones: every step is held against each (ours)."""

_BREAK = re.compile(r"\n\s*\n|\n\s*(?:[-*#]|\d+[.)])\s*|(?<=[.!?])\s+(?=[A-Z#*-])")
_WORD = re.compile(r"[a-z]{3,30}")

_DEMAND = re.compile(r"\b(?:must|should|have to|has to|need(?:s)? to|required?|always|never|do not|"
                     r"only|before)\b", re.IGNORECASE)  # fmt: skip
_CONFIRM = re.compile(
    r"\b(?:obtain|get|ask|receive|require|explicit|wait)\w*\b[^.]{0,60}"
    r"\b(?:confirm\w*|consent|approv\w*|permission|agree\w*)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"\b(?:before|prior to|until|first)\b", re.IGNORECASE)
_IDENTIFY = re.compile(
    r"\b(?:authenticat\w*|verif\w*|identif\w*)\b[^.]{0,40}"
    r"\b(?:identity|user|customer|caller|account|patient|member)\b",
    re.IGNORECASE,
)
_AT_FIRST = re.compile(r"\b(?:at the (?:beginning|start)|first|before)\b", re.IGNORECASE)
_ONCE = re.compile(r"\b(?:only be (?:called|used|done|made) once|at most once|only once|"
                   r"not be (?:called|used|done) (?:again|twice))\b", re.IGNORECASE)  # fmt: skip
_ONE_CALL = re.compile(r"\b(?:one|single) (?:tool|function) call at a time\b|"
                       r"\bmore than one (?:tool|function) call\b", re.IGNORECASE)  # fmt: skip
_NO_ANSWER = re.compile(
    r"\b(?:tool|function) call\b[^.]{0,40}\b(?:should|must|do|may|can) ?not "
    r"(?:respond|reply|answer)"
    r"|\b(?:not|never) (?:respond|reply|answer)[^.]{0,60}\bsame time\b",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"\b(?:only|must|not)\b[^.]{0,80}\bits (?P<field>[a-z][a-z_ ]{1,30}?) (?:is|are) "
    r"(?P<values>['\"“][^.]{1,120})",
    re.IGNORECASE,
)
_ALTERNATIVES = re.compile(
    r"\b(?P<field>[a-z][a-z_]{2,30})s?\b ?[:(,]? ?\(?(?:must be |is |are |has to be |should be )?"
    r"(?:either|one of)[: ]{1,3}(?P<values>['\"“][^.]{1,200})",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"(?<!\w)['\"“]([^'\"“”\n]{1,60})['\"”](?!\w)")
_NOUN = {"tool", "tools", "action", "actions", "call", "calls", "database"}


def mine_policy(texts: Sequence[str], tools: Sequence[str]) -> tuple[StepRule, ...]:
    """The rules that policy texts state about the tools that a run uses.

    Args:
        texts: system prompts and policies, as they stand in the run.
        tools: names of the tools that the run's steps call.
    """
    found: dict[tuple[object, ...], StepRule] = {}
    for sentence in _sentences(texts):
        if not _DEMAND.search(sentence):
            continue
        for rule in _rules_of(sentence, tools):
            found.setdefault((rule.kind, rule.tools, rule.field, rule.allowed), rule)
        if len(found) >= MAX_RULES:
            break
    return tuple(found.values())


def _sentences(texts: Sequence[str]) -> Iterator[str]:
    for text in texts:
        for piece in _BREAK.split(text[:MAX_POLICY]):
            line = " ".join(piece.split())
            if 12 <= len(line) <= MAX_SENTENCE:
                yield line


def _rules_of(sentence: str, tools: Sequence[str]) -> Iterator[StepRule]:
    writes = tuple(tool for tool in tools if is_state_changing(intent_of_tool(tool)))
    named = _named(sentence, writes)

    def rule(kind: RuleKind, of: Sequence[str], **more: object) -> StepRule:
        fields: dict[str, object] = {"kind": kind, "evidence": sentence[:300], "source": "policy"}
        return StepRule(tools=tuple(of), **fields, **more)  # pyright: ignore[reportArgumentType]

    if _CONFIRM.search(sentence) and _BEFORE.search(sentence) and writes:
        # A sentence that names no tool speaks of every one that changes state.
        yield rule("write before confirmation", named or writes)
    if _IDENTIFY.search(sentence) and _AT_FIRST.search(sentence):
        lookups = _lookups(sentence, tools)
        if lookups:
            yield rule("write before identification", lookups)
    once = _ONCE.search(sentence)
    if once:
        # What comes after the demand tells its consequences, and may name other tools.
        subjects = _named(sentence[: once.start()], writes)
        if subjects:
            yield rule("called again", subjects)
    if _ONE_CALL.search(sentence):
        yield rule("several calls at once", ())
    if _NO_ANSWER.search(sentence):
        yield rule("call beside an answer", ())
    state = _STATE.search(sentence)
    if state and named and "not" not in state[0].lower().split():
        named = _about(sentence[: state.start()], named)
        values = tuple(value.lower() for value in _QUOTED.findall(state["values"]))
        if values and named:
            name = state["field"].strip().replace(" ", "_").lower()
            yield rule("wrong state", named, field=name, allowed=values)
    either = _ALTERNATIVES.search(sentence)
    if either:
        values = tuple(value.lower() for value in _QUOTED.findall(either["values"]))
        if len(values) > 1:
            yield rule(
                "value not allowed", named or writes, field=either["field"].lower(), allowed=values
            )


def _named(sentence: str, tools: Sequence[str]) -> tuple[str, ...]:
    """The tools whose verb stands in the sentence."""
    words = {_stem(word) for word in _WORD.findall(sentence.lower())} - _NOUN
    return tuple(tool for tool in tools if words_of(tool) and _stem(words_of(tool)[0]) in words)


def _about(subject: str, tools: Sequence[str]) -> tuple[str, ...]:
    """Of the tools, those whose name holds a noun of the subject: that an *order* can only be
    modified if ... says nothing of modifying an address."""
    words = {_stem(word) for word in _WORD.findall(subject.lower())}
    return tuple(t for t in tools if words & {_stem(word) for word in words_of(t)[1:]})


def _lookups(sentence: str, tools: Sequence[str]) -> tuple[str, ...]:
    """The reading tools that do what the sentence says: most of their name stands in it."""
    words = {_stem(word) for word in _WORD.findall(sentence.lower())}
    found: list[str] = []
    for tool in tools:
        if intent_of_tool(tool) != "read":
            continue
        name = [_stem(word) for word in words_of(tool)[1:] if len(word) > 2]
        shared = sum(word in words for word in name)
        if len(name) >= 2 and shared / len(name) >= 0.6:
            found.append(tool)
    return tuple(found)


def _stem(word: str) -> str:
    """A crude stem, enough to tell ``cancelled`` and ``cancel``, ``modifying`` and ``modify``."""
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            break
    if len(word) > 4 and word[-1] == word[-2]:
        word = word[:-1]
    return word.rstrip("eiy") or word


PLANE = "rules"


class RuleReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the application demands, which steps do not meet it, and the plane that follows."""

    rules: tuple[StepRule, ...]
    violations: tuple[Violation, ...]
    evidence: tuple[PlaneEvidence, ...]
    """One record a unit, in order; ``score`` is ``1 - 0.5 ** kinds of broken rules``, 0 for none;
    demands on the form (``FORM``) stand in the signals only."""


def score_run(
    run: Run, units: Sequence[TransitionUnit], *, shown: Shown | None = None
) -> RuleReport:
    """The rules plane of one run.

    A rule is mined from what stands in this run and nowhere else: its system texts, and the tool
    definitions under ``gen_ai.tool.definitions``. No label, reward or other run is read.

    Args:
        shown: what the recording had shown up to each step, where ``run`` is a part of it.

    Raises:
        MissingExtraError: the run carries tool schemas, and jsonschema is not installed.
    """
    tools = tuple(dict.fromkeys(call.tool for unit in units for call in unit.calls))
    rules = (*mine_policy(system_texts(run), tools), MADE_UP) if tools else ()
    broken: tuple[Violation, ...] = ()
    if tools:
        broken = violations(run, units, rules, tool_schemas(run), shown or Shown(run))
    of: dict[int, list[RuleKind]] = defaultdict(list)
    for violation in broken:
        of[violation.ordinal].append(violation.rule.kind)
    scores = [1.0 - 0.5 ** len(set(of[unit.ordinal]) - FORM) for unit in units]
    evidence = tuple(
        PlaneEvidence(
            plane=PLANE, ordinal=ordinal, score=scores[ordinal], rank=rank,
            signals=tuple(dict.fromkeys(of[ordinal])),
        )
        for ordinal, rank in enumerate(ranks(scores))
    )  # fmt: skip
    return RuleReport(rules=rules, violations=broken, evidence=evidence)
