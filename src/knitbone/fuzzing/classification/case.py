"""One failure beside the documentation: what of it demands, or promises, the call that fails."""

from __future__ import annotations

import re
from typing import Any, cast

from knitbone.fuzzing.classification.documentation import Documentation, Sentence
from knitbone.fuzzing.classification.failure import SIZES, Failure
from knitbone.fuzzing.classification.promises import (
    demands,
    examples,
    grants_by_range,
    has_grammar,
    is_demand,
    leaves,
    lists_value,
    permits,
    promises_fallback,
    promises_one_result,
    range_around,
    relaxed,
    shape,
)
from knitbone.fuzzing.records import Finding, ToolUnderTest
from knitbone.fuzzing.trials import Trials
from knitbone.record.events import Json

__all__ = ["EXAMPLE_FAILS", "RANGE_IS_NARROWER", "DocumentedFinding"]

EXAMPLE_FAILS = "its own example fails"
"""Why a finding contradicts the documentation: the surest of the reasons, since it was tried."""

RANGE_IS_NARROWER = "it refuses a part of the range that it states"
"""Why a finding contradicts the documentation: the message names a bound within the stated range,
and the tool takes a value on the other side of it."""

_PROBES = 6
"""Calls that one question may take."""
_NOT_FOUND = frozenset({"AttributeError", "IndexError", "StopIteration", "TypeError"})
"""What comes of going on with nothing found; of ``KeyError`` the list of values decides."""
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w]|\.\d)")
_FILE = re.compile(
    r"(?:\b|_)(?:files?|file_?names?|file_?paths?|paths?|folders?|director(?:y|ies)|dirs?)(?:\b|_)",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?!\w+://)[^\n]*(?:[/\\][^\n]*|\.[A-Za-z]\w{0,9})\Z")
_REFERS = re.compile(
    r"\b(?:(?:an)?other (?:one|of)|(?:one|any|each|either) of (?:them|these|those)|the same as|"
    r"same (?:form|format|values|units?|names?)|as (?:for|above|before)|likewise)\b",
    re.IGNORECASE,
)
"""An argument that is described through another one."""


class DocumentedFinding:
    """One finding beside the documentation."""

    def __init__(
        self,
        tool: ToolUnderTest,
        finding: Finding,
        failure: Failure,
        written: Documentation,
        trials: Trials | None,
    ) -> None:
        self._tool = tool
        self._finding = finding
        self._written = written
        self._trials = trials
        self._failure = failure

    def over_demanding(self) -> str | None:
        """The sentence that demands the form that fails, where less would do."""
        for name, value in self._failure.blamed.items():
            for sentence in self._stated(name):
                for leaf in leaves(value):
                    if demands(sentence.text, leaf) and self._less_works(name, sentence, leaf):
                        return sentence.text
        return self._demanded_example()

    def contradiction(self) -> tuple[str, str] | None:
        """The sentence that the failure proves wrong, and how."""
        if self._finding.kind == "output_type":
            return self._returns(), "the result is of another type than is declared"
        if self._finding.kind == "nondeterminism":
            told = [s.text for s in self._written.sentences if promises_one_result(s.text)]
            return (told[0], "the result differs from call to call") if told else None
        if not self._finding.replays:
            return None  # it depends on more than the arguments, of which the words are
        if self._failure.key is not None and not self._failure.key_is_given:
            return None  # what was looked up is the tool's own word: nothing speaks of it
        if (example := self._failing_example()) is not None:
            return example, EXAMPLE_FAILS
        if (stated := self._narrower_range()) is not None:
            return stated, RANGE_IS_NARROWER
        # A call is promised to work only where each value that may be to blame is.
        granted = [
            self._granted(name, leaf)
            for name, value in self._failure.blamed.items()
            for leaf in (list(leaves(value)) or [value])
        ]
        found = [grant for grant in granted if grant is not None]
        return found[0] if found and len(found) == len(granted) else None

    def _narrower_range(self) -> str | None:
        """What states a range of which the tool refuses a part, and says so: its message names a
        bound within the range, and with a value on the other side of it the same call works."""
        if self._trials is None or len(self._failure.blamed) != 1:
            return None
        ((name, value),) = self._failure.blamed.items()
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        low, high = self._written.bounds.get(name, (None, None))
        told_of = [s.text for s in self._written.about(name)]
        told_of += [f"{name}: {low:g} to {high:g}"] if low is not None and high is not None else []
        for told in told_of:
            if (stated := range_around(told, value)) is None:
                continue
            for bound in map(float, _NUMBER.findall(self._finding.message)):
                beyond = 1 if value > bound else -1
                if stated[0] < bound < stated[1] and bound != value:
                    near = [bound, bound - beyond]
                    calls = [{**self._finding.arguments, name: type(value)(n)} for n in near]
                    if any(self._trials.failure(call) is None for call in calls):
                        return told
        return None

    def _granted(self, name: str, value: Json) -> tuple[str, str] | None:
        """What grants an argument's value: a list, range, grammar or permission it falls under."""
        if self._is_missing(name, value):
            return None
        if (listed := self._listed(name, value)) is not None:
            return listed
        if self._failure.key is not None:
            return None  # a form that is described does not say which values there are
        stated = [(sentence, leaf) for sentence in self._stated(name) for leaf in leaves(value)]
        for sentence, leaf in stated:
            if grants_by_range(sentence.text, leaf):
                return sentence.text, "the value lies within the range that it states"
        if any(self._within(name, leaf) for leaf in leaves(value)):
            low, high = self._written.bounds[name]
            return f"{name}: {low:g} to {high:g}", "the value lies within the schema's range"
        for sentence, leaf in stated:
            is_text = isinstance(leaf, str) and self._failure.exception not in SIZES
            if is_text and has_grammar(sentence.text) and self._fits(name, leaf):
                return sentence.text, "the value has the form that it describes"
        for sentence, leaf in stated:
            if permits(sentence.text, leaf):
                return sentence.text, "it permits what fails"
        if self._failure.exception in _NOT_FOUND:
            for sentence in self._stated(name):
                if promises_fallback(sentence.text):
                    return sentence.text, "it says what comes of a value that is not known"
        return None

    def _stated(self, name: str) -> list[Sentence]:
        """What is written of an argument, and of the whole tool."""
        own = self._written.about(name)
        general = [s for s in self._written.general() if s.section != "raises"]
        others: list[Sentence] = []
        if any(_REFERS.search(sentence.text) for sentence in own):
            others = [s for s in self._written.sentences if s.argument not in (None, name)]
        return [*own, *others, *general]

    def _less_works(self, name: str, sentence: Sentence, value: Any) -> bool:
        if self._trials is None or not isinstance(value, str):
            return self._trials is None
        if self._finding.arguments.get(name) != value:
            return False  # within a list or an object: not tried
        for less in list(relaxed(sentence.text, value))[:_PROBES]:
            if self._trials.failure({**self._finding.arguments, name: less}) is None:
                return True
        return False

    def _demanded_example(self) -> str | None:
        """The demanding sentence whose example fails where less than it demands works."""
        if self._trials is None or len(self._failure.blamed) != 1:
            return None
        for name, value in self._finding.arguments.items():
            for sentence in self._written.about(name):
                if name not in self._failure.blamed or not is_demand(sentence.text):
                    continue
                for example in list(examples(sentence.text))[:_PROBES]:
                    call = {**self._finding.arguments, name: example}
                    if isinstance(value, str) and self._trials.failure(call) == self._finding.id:
                        less = list(relaxed(sentence.text, example))[:_PROBES]
                        if any(self._trials.failure({**call, name: form}) is None for form in less):
                            return sentence.text
        return None

    def _failing_example(self) -> str | None:
        """The sentence whose example fails: a call in which every argument has a value that the
        documentation gives fails as in the finding. Optional arguments without one are left out."""
        given: dict[str, list[tuple[Json, str]]] = {}
        kept: dict[str, Json] = {}
        listed = self._tool.schema.get("required")
        required = cast("list[Json]", listed) if isinstance(listed, list) else []
        for name, value in self._finding.arguments.items():
            if values := self._documented_values(name, value):
                given[name] = values
            elif name in required:
                if any(self._granted(name, leaf) is None for leaf in leaves(value)):
                    return None  # this argument may be what the call fails of
                kept[name] = value
        if not given:
            return None
        for number in range(min(max(map(len, given.values())), _PROBES)):
            chosen = {name: values[number % len(values)] for name, values in given.items()}
            call = {**kept, **{name: value for name, (value, _) in chosen.items()}}
            same = call == self._finding.arguments
            if same or (
                self._trials is not None and self._trials.failure(call) == self._finding.id
            ):
                return next((t for n, (_, t) in chosen.items() if n in self._failure.blamed), None)
        return None

    def _documented_values(self, name: str, current: Json) -> list[tuple[Json, str]]:
        """Values of an argument that the documentation gives, with the sentence each is from."""
        values: list[tuple[Json, str]] = [
            (value, s.text) for s in self._written.about(name) for value in examples(s.text)
        ]
        values = [(value, text) for value, text in values if not self._is_missing(name, value)]
        allowed = self._written.enumerations.get(name, ())
        values += [(value, f"{name}: {', '.join(map(str, allowed))}") for value in allowed]
        return [(value, text) for value, text in values if isinstance(value, type(current))]

    def _is_missing(self, name: str, value: Json) -> bool:
        """Whether the failure is that something is not there, and an argument's value is a file:
        that a file has a name does not promise that it exists."""
        if not self._failure.is_of_absence:
            return False
        told = (name, *(sentence.text for sentence in self._written.about(name)))
        looks = isinstance(value, str) and _PATH.match(value) is not None
        return looks or any(map(_FILE.search, told))

    def _listed(self, name: str, value: Json) -> tuple[str, str] | None:
        reason = "it lists the value that fails"
        allowed = self._written.enumerations.get(name, ())
        for leaf in leaves(value):
            if leaf in allowed and self._failure.key in (None, str(leaf)):
                return f"{name}: {', '.join(map(str, allowed))}", reason
        for sentence in self._stated(name):
            for leaf in leaves(value):
                text = self._failure.key if self._failure.key is not None else leaf
                if not isinstance(text, str) or sentence.section == "returns":
                    continue
                if lists_value(sentence.text, text):
                    return sentence.text, reason
        return None

    def _within(self, name: str, value: Any) -> bool:
        low, high = self._written.bounds.get(name, (None, None))
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        return low is not None and high is not None and low <= value <= high

    def _fits(self, name: str, value: str) -> bool:
        """Whether a text has the described form: it is shaped like the example, or, without one, a
        tool that announces how it refuses other forms did not refuse this one."""
        about = self._written.about(name)
        shapes = {shape(example) for s in about for example in examples(s.text)}
        if shapes:
            return shape(value) in shapes
        return any(s.section == "raises" for s in self._written.sentences)

    def _returns(self) -> str:
        told = [s.text for s in self._written.sentences if s.section == "returns"]
        return told[0] if told else "the declared type of the result"
