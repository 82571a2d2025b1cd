"""The classification without a model: what the documentation's own words say of the failing call.

In this order: the documentation announces the failure (``documented``); it demands the very form
that fails, and less works (``over``); it promises what fails: the kind of result, an example, a
listed value, a range, a grammar, a permission (``ill``); nothing written forbids the call
(``under``).

The rules were made on one half of the planted tools of ``benchmarks/fuzz`` and measured on both:
``python -m benchmarks.fuzz.classification``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from knitbone.core.events import Json
from knitbone.core.printable import printable
from knitbone.fuzzing.records import Classification, Finding, ToolSpec
from knitbone.fuzzing.specification.documentation import (
    Documentation,
    Sentence,
    read_documentation,
)
from knitbone.fuzzing.specification.promises import (
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
    relaxed,
    shape,
)

__all__ = ["Probe", "classify_by_rules"]

_SAID = 300
_LOOK_UP = frozenset({"KeyError", "ValueError", "LookupError", "StopIteration"})
"""A look-up that fails with a value of the arguments: the values are the matter, not their form."""
_NOT_FOUND = frozenset({"AttributeError", "IndexError", "StopIteration", "TypeError"})
"""What comes of going on with nothing found; of ``KeyError`` the list of values decides."""
_SIZES = frozenset({"AssertionError", "BufferError", "MemoryError", "OverflowError"})
"""Errors of a size that is too large. A grammar says nothing of it."""
_RAISE = re.compile(r"\s*(?:raise|sys\.exit|exit)\b")
_KEY = re.compile(r"\A['\"](.{0,200})['\"]\Z", re.DOTALL)
_REFERS = re.compile(
    r"\b(?:(?:an)?other (?:one|of)|(?:one|any|each|either) of (?:them|these|those)|the same as|"
    r"same (?:form|format|values|units?|names?)|as (?:for|above|before)|likewise)\b",
    re.IGNORECASE,
)
"""An argument that is described through another one."""
_ENTRANCES = frozenset({"_run", "_arun", "run", "forward", "call", "__call__", "invoke", "func"})
_NAME = re.compile(r"[A-Za-z_]\w*")
_QUOTED = re.compile(r"\"([^\"]{3,300})\"|'([^']{3,300})'|\u201c([^\u201d]{3,300})\u201d")


Probe = Callable[[dict[str, Json]], "str | None"]
"""Calls the tool: the id of the failure, ``rejected``, or ``None`` where the call works."""

_PROBED = frozenset({"raised", "returned", "output_type"})
"""Failures that cost no waiting and no process, so that the tool may be called again."""
_PROBES = 6
"""Calls that one question may take."""


def classify_by_rules(
    tool: ToolSpec, finding: Finding, *, probe: Probe | None = None
) -> Classification:
    """Judge one finding by the documentation's own words.

    Args:
        probe: tries the documentation's own examples, and less than what it demands. Without it
            only the failing arguments themselves are held against the words.
    """
    written = read_documentation(tool)
    announced = _announcement(finding, written)
    if announced is not None:
        return _classification(
            "documented", announced.text, reason="the documentation announces this failure"
        )
    quick = finding.kind in _PROBED
    case = _Case(tool, finding, written, probe if quick else None)
    if (demand := case.over_demanding()) is not None:
        return _classification(
            "over-specified",
            demand,
            reason="the form that it demands fails"
            + (", and less than it demands works" if probe is not None and quick else ""),
        )
    found = case.contradiction()
    if found is not None:
        sentence, reason = found
        return _classification("ill-specified", sentence, reason=reason)
    return _classification("under-specified", lack=case.lack(), reason="nothing written forbids it")


def _classification(
    verdict: Any, sentence: str = "", *, lack: str = "", reason: str
) -> Classification:
    return Classification(
        verdict=verdict,
        sentence=printable(sentence, limit=_SAID),
        lack=printable(lack, limit=_SAID),
        reason=reason,
    )


def _announcement(finding: Finding, written: Documentation) -> Sentence | None:
    """The sentence that announces the failure: its exception, raised on purpose, or its text."""
    if finding.kind == "returned":
        for sentence in written.sentences:
            for groups in _QUOTED.findall(sentence.text):
                quoted = next(group for group in groups if group)
                if finding.message.strip().startswith(quoted.rstrip(" .…")):
                    return sentence
        return None
    if finding.exception is None or finding.frame is None:
        return None
    name = finding.exception.rpartition(".")[2]
    if not _RAISE.match(finding.frame.source):
        return None  # it was not raised on purpose: something else failed
    for sentence in written.sentences:
        if sentence.exception is not None and sentence.exception.rpartition(".")[2] == name:
            return sentence
        if sentence.exception is None and re.search(rf"\b{re.escape(name)}\b", sentence.text):
            return sentence
    return None


class _Case:
    """One finding beside the documentation."""

    def __init__(
        self, tool: ToolSpec, finding: Finding, written: Documentation, probe: Probe | None
    ) -> None:
        self._tool = tool
        self._finding = finding
        self._written = written
        self._probe = probe
        self._exception = (finding.exception or "").rpartition(".")[2]
        self._key = self._missing_key()
        self._blamed = self._blame()

    def over_demanding(self) -> str | None:
        """The sentence that demands the form that fails, where less would do."""
        for name, value in self._blamed.items():
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
        if self._key is not None and not self._holds(self._key):
            return None  # what was looked up is the tool's own word: nothing speaks of it
        if (example := self._failing_example()) is not None:
            return example, "its own example fails"
        # A call is promised to work only where each value that may be to blame is.
        granted = [
            self._granted(name, leaf)
            for name, value in self._blamed.items()
            for leaf in (list(leaves(value)) or [value])
        ]
        found = [grant for grant in granted if grant is not None]
        return found[0] if found and len(found) == len(granted) else None

    def _granted(self, name: str, value: Json) -> tuple[str, str] | None:
        """What grants an argument's value: a list, range, grammar or permission it falls under."""
        if (listed := self._listed(name, value)) is not None:
            return listed
        if self._key is not None:
            return None  # a form that is described does not say which values there are
        stated = [(sentence, leaf) for sentence in self._stated(name) for leaf in leaves(value)]
        for sentence, leaf in stated:
            if grants_by_range(sentence.text, leaf):
                return sentence.text, "the value lies within the range that it states"
        if any(self._within(name, leaf) for leaf in leaves(value)):
            low, high = self._written.bounds[name]
            return f"{name}: {low:g} to {high:g}", "the value lies within the schema's range"
        for sentence, leaf in stated:
            is_text = isinstance(leaf, str) and self._exception not in _SIZES
            if is_text and has_grammar(sentence.text) and self._fits(name, leaf):
                return sentence.text, "the value has the form that it describes"
        for sentence, leaf in stated:
            if permits(sentence.text, leaf):
                return sentence.text, "it permits what fails"
        if self._exception in _NOT_FOUND:
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
        if self._probe is None or not isinstance(value, str):
            return self._probe is None
        if self._finding.arguments.get(name) != value:
            return False  # within a list or an object: not tried
        for less in list(relaxed(sentence.text, value))[:_PROBES]:
            if self._probe({**self._finding.arguments, name: less}) is None:
                return True
        return False

    def _demanded_example(self) -> str | None:
        """The demanding sentence whose example fails where less than it demands works."""
        if self._probe is None or len(self._blamed) != 1:
            return None
        for name, value in self._finding.arguments.items():
            for sentence in self._written.about(name):
                if name not in self._blamed or not is_demand(sentence.text):
                    continue
                for example in list(examples(sentence.text))[:_PROBES]:
                    call = {**self._finding.arguments, name: example}
                    if isinstance(value, str) and self._probe(call) == self._finding.id:
                        less = list(relaxed(sentence.text, example))[:_PROBES]
                        if any(self._probe({**call, name: form}) is None for form in less):
                            return sentence.text
        return None

    def _failing_example(self) -> str | None:
        """The sentence whose example fails: every argument that may be to blame has a value that
        the documentation gives, and the call fails as in the finding."""
        given: dict[str, list[tuple[Any, str]]] = {}
        for name in self._blamed:
            values = [(v, s.text) for s in self._written.about(name) for v in examples(s.text)]
            allowed = self._written.enumerations.get(name, ())
            values += [(v, f"{name}: {', '.join(map(str, allowed))}") for v in allowed]
            current = self._finding.arguments[name]
            values = [v for v in values if isinstance(v[0], type(current))]
            if not values:
                return None
            given[name] = values
        if not given:
            return None
        for number in range(min(max(map(len, given.values())), _PROBES)):
            chosen = {name: values[number % len(values)] for name, values in given.items()}
            call = {**self._finding.arguments, **{n: v for n, (v, _) in chosen.items()}}
            same = call == self._finding.arguments
            if same or (self._probe is not None and self._probe(call) == self._finding.id):
                return next(text for _, text in chosen.values())
        return None

    def lack(self) -> str:
        """What the documentation does not say."""
        names = " and ".join(f"`{name}`" for name in self._blamed) or "the arguments"
        if self._key is not None:
            if self._holds(self._key):
                return f"which values of {names} there are"
            return f'that {names} needs "{self._key}"'
        if self._finding.kind == "nondeterminism":
            return "that results differ from call to call"
        if self._finding.kind in ("hang", "memory", "output", "disk"):
            return f"a limit on {names}"
        if any(value in ("", None, [], {}) for value in self._blamed.values()):
            return f"that {names} must not be empty"
        if self._exception == "ZeroDivisionError":
            return f"that nothing in {names} may come to zero"
        if self._exception in _SIZES or self._exception == "IndexError":
            return f"the limits of {names}"
        if _RAISE.match(self._finding.frame.source if self._finding.frame else ""):
            return f"the condition on {names} behind: {self._finding.message}"
        return f"the form of {names}"

    def _missing_key(self) -> str | None:
        """What a failed look-up looked for."""
        if self._exception not in _LOOK_UP:
            return None
        if self._exception == "KeyError":
            said = self._finding.message.strip()
            match = _KEY.match(said)
            return match.group(1) if match else said or None
        return None

    def _blame(self) -> dict[str, Json]:
        """The arguments that the failure is about; all of them where nothing tells."""
        given = self._finding.arguments
        if len(given) <= 1:
            return dict(given)
        if self._key is not None:
            holding = {n: v for n, v in given.items() if _contains(v, self._key)}
            return holding or dict(given)
        message = self._finding.message
        told = {n: v for n, v in given.items() if _is_told(v, message)}
        if told:
            return told
        if self._exception == "ZeroDivisionError":
            zero = {n: v for n, v in given.items() if any(_is_nothing(x) for x in leaves(v))}
            if zero:
                return zero
        frame = self._finding.frame
        # The names in a helper are the helper's own.
        own = frame is not None and frame.function in {self._tool.name, *_ENTRANCES}
        words = set(_NAME.findall(frame.source)) if own and frame is not None else set[str]()
        named = {n: v for n, v in given.items() if n in words}
        return named or dict(given)

    def _listed(self, name: str, value: Json) -> tuple[str, str] | None:
        reason = "it lists the value that fails"
        allowed = self._written.enumerations.get(name, ())
        for leaf in leaves(value):
            if leaf in allowed and self._key in (None, str(leaf)):
                return f"{name}: {', '.join(map(str, allowed))}", reason
        for sentence in self._stated(name):
            for leaf in leaves(value):
                text = self._key if self._key is not None else leaf
                if not isinstance(text, str) or sentence.section == "returns":
                    continue
                if lists_value(sentence.text, text):
                    return sentence.text, reason
        return None

    def _holds(self, key: str) -> bool:
        """Whether what was looked up came with the arguments; nothing comes with any."""
        return not key.strip() or any(
            _contains(value, key) for value in self._finding.arguments.values()
        )

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


def _contains(value: Any, text: str) -> bool:
    wanted = text.casefold().strip()
    return bool(wanted) and any(wanted in str(leaf).casefold() for leaf in leaves(value))


def _is_told(value: Any, message: str) -> bool:
    """Whether an error message repeats an argument's value."""
    for leaf in leaves(value):
        text = str(leaf)
        if isinstance(leaf, str) and text and (repr(leaf) in message or f'"{text}"' in message):
            return True
        if len(text) > 2 and re.search(rf"(?<!\w){re.escape(text[:500])}(?!\w)", message):
            return True
    return False


def _is_nothing(value: Any) -> bool:
    if isinstance(value, str):
        return not value.strip() or "0" in value
    return value in (0, None, [], {})
