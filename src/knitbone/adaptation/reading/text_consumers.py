"""A text on its way to its consumers: what has been done to it, and who reads it.

String methods that only trim, change case or replace lead on; whatever else the code does with the
text is a consumer, which the families of readers look at together, because several operations on
one text may form one requirement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

from knitbone.adaptation.consumers.readers import FUNCTIONS, STEPS, Step
from knitbone.adaptation.requirements.records import Confidence, OnViolation, Requirement, Unknown
from knitbone.adaptation.requirements.uses import Computed, Operation, Use

__all__ = [
    "NEAR",
    "Consumer",
    "Inner",
    "Read",
    "Text",
    "certainty",
    "constants",
    "consumers_of",
    "fate",
    "first_text",
    "is_plain",
    "items_of",
    "least",
    "make_step",
    "near",
    "unknown",
]

NEAR = 15
"""Lines within which operations on one text belong together (ours)."""
_LEVELS: tuple[Confidence, ...] = ("low", "medium", "high")

_PASSING = frozenset(
    {"str", "typing.cast", "io.StringIO"}
    | {"io.BytesIO", ".encode", ".decode", ".format_map", "bytes", "copy.copy", "copy.deepcopy"}
    | {"codecs.decode", "unicodedata.normalize", "json_repair.repair_json", "await"}
    | {"urllib.parse.unquote", "ftfy.fix_text", "tempfile.NamedTemporaryFile().write"}
    | {"shlex.quote"}
)
"""Functions whose result still is the text."""
_CASE = frozenset({".lower", ".upper", ".casefold"})
_STRINGS = frozenset({f".{name}" for name in STEPS} | {".translate", ".title", ".capitalize"})
_CUTS = frozenset({"split", "rsplit", "partition", "rpartition"})
_SUBSTITUTIONS = frozenset({"re.sub", "re.subn", "regex.sub"})


class Text(NamedTuple):
    """A text where code reads it, as far as it is known."""

    steps: tuple[Step, ...] = ()
    confidence: Confidence = "high"
    lines: bool = False
    """Whether it is one of several lines."""
    ignore_case: bool = False
    nested: bool = False
    """Whether it is a field of structured data: conversions and comparisons belong to the field."""
    passed_over: int = 0
    """Of a line: how many before the first the code passes over by their place; -1 where it may
    pass over some."""
    item: bool = False
    """Whether it is one of the items that the text was cut into."""
    exact: bool = True
    """Whether all steps can be replayed on the output."""
    lost: str = ""
    """Why nothing is known of it any more."""
    alternative: str = ""
    when: str = ""

    def then(self, name: str, *arguments: Any, **changes: Any) -> Text:
        """The text after one more step."""
        step = make_step(name, arguments)
        return self._replace(steps=(*self.steps, step), **changes)

    @property
    def replayable(self) -> bool:
        """Tell whether the reader of a repair can go the same way."""
        return self.exact and not self.lost


class Consumer(NamedTuple):
    """One operation on a text."""

    use: Use
    text: Text
    """As it stands before the operation."""
    core: bool = True
    """Whether it stands on the way to the core work, or is one of several alternatives."""
    passing: bool = False
    """Whether it only cuts something off, and what reads the result is listed as well."""

    @property
    def name(self) -> str:
        return self.use.operation.name


class Read(NamedTuple):
    """The findings of a family, and the consumers that it has explained."""

    requirements: tuple[Requirement, ...] = ()
    claimed: frozenset[int] = frozenset()
    """Indices into the consumers."""


Inner = Callable[[Sequence[Consumer]], list[Requirement]]
"""Reads the consumers of the text that an operation leaves behind."""


def make_step(name: str, arguments: Iterable[Any] = ()) -> Step:
    """A step with the arguments that can be written down."""
    kept = tuple(a for a in arguments if a is None or isinstance(a, str | int | float | bool))
    return Step(name.removeprefix("."), kept)


def constants(operation: Operation) -> bool:
    """Tell whether all arguments are constants."""
    values = (*operation.arguments, *(value for _, value in operation.keywords))
    return not any(isinstance(value, Computed) for value in values)


def least(*levels: Confidence) -> Confidence:
    """The lowest confidence."""
    return min(levels, key=_LEVELS.index)


def fate(uses: Iterable[Use]) -> OnViolation:
    """Find what happens to a record that does not fit: the first that the analysis could tell."""
    for use in uses:
        if use.on_violation != "unknown":
            return use.on_violation
    return "unknown"


def certainty(level: Confidence, consumers: Iterable[Consumer]) -> Confidence:
    """The lowest of a level and those of the texts."""
    for consumer in consumers:
        level = least(level, consumer.text.confidence)
    return level


def items_of(value: object) -> tuple[object, ...]:
    """The members of a tuple; the value itself where it is none."""
    return cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)


def first_text(operation: Operation) -> str | None:
    """The first argument where it is a constant string with more than blanks in it."""
    value = operation.arguments[0] if operation.arguments else None
    return value if isinstance(value, str) and value.strip() else None


def is_plain(name: str) -> bool:
    """Tell whether an operation leaves a text a text."""
    return (
        name in _STRINGS
        or name in _PASSING
        or name in FUNCTIONS
        or name in _SUBSTITUTIONS
        or name == "slice"
    )


def consumers_of(node: Use, text: Text) -> list[Consumer]:
    """Find what is done with the text at ``node``, in the order of the source."""
    return list(_consumers(node.uses, text, core=True))


_CUTTING = frozenset({".removeprefix", ".removesuffix", ".replace", "slice"})


def _consumers(uses: Sequence[Use], text: Text, *, core: bool) -> Iterator[Consumer]:
    for use in uses:
        here = text._replace(
            alternative=use.alternative or text.alternative, when=use.when or text.when
        )
        on_the_way = core and (use.branch == "core" or bool(here.alternative))
        passed = _passed(_taken_off(use, uses) or use.operation, here)
        if passed is None:
            yield Consumer(use, here, on_the_way)
            continue
        if use.operation.name in _CUTTING:
            yield Consumer(use, here, on_the_way, passing=True)
        yield from _consumers(use.uses, passed, core=on_the_way)


def _taken_off(use: Use, beside: Sequence[Use]) -> Operation | None:
    """``if text.startswith(mark): text = text[len(mark):]`` is ``text.removeprefix(mark)``, where
    the same code goes on with the text as it is; ``None`` for any other operation."""
    if use.operation.name != "slice":
        return None
    start, end, step = (*use.operation.arguments, None, None, None)[:3]
    for guard in beside:
        mark = first_text(guard.operation)
        if mark is None or step is not None:
            continue
        if guard.operation.name == ".startswith" and (start, end) == (len(mark), None):
            name = ".removeprefix"
        elif guard.operation.name == ".endswith" and (start, end) == (None, -len(mark)):
            name = ".removesuffix"
        else:
            continue
        below = {_what(each) for each in use.walk()} - {_what(use)}
        if any(
            _what(each) in below for other in beside if other is not use for each in other.walk()
        ):
            return Operation(name, (mark,))
    return None


def _what(use: Use) -> object:
    return use.evidence, use.operation.name


_OPENING, _CLOSING = frozenset("{[(<"), frozenset("}])>")


def _passed(operation: Operation, text: Text) -> Text | None:
    """The text behind an operation that only changes it a little; ``None`` for a consumer."""
    name = operation.name
    if name in _STRINGS:
        known = constants(operation) and name in {f".{step}" for step in STEPS}
        return text.then(
            name,
            *operation.arguments,
            ignore_case=text.ignore_case or name in _CASE,
            exact=text.exact and known,
            confidence=text.confidence
            if constants(operation)
            else least(text.confidence, "medium"),
        )
    if name in FUNCTIONS:
        return text.then(name, exact=False)
    if name in _PASSING:
        return text if name in ("str", "typing.cast", "await") else text._replace(exact=False)
    if name in _SUBSTITUTIONS:
        return text.then(name, *operation.arguments, exact=False)
    if name == "slice" and not any(isinstance(a, Computed) for a in operation.arguments):
        return text.then(name, *operation.arguments, exact=False)
    if name in ("concat", "format"):
        return _added_to(text, operation)
    return None


def _added_to(text: Text, operation: Operation) -> Text:
    """The text with other text before or behind it."""
    name = operation.name
    pieces = [a for a in operation.arguments if isinstance(a, str)]
    if len(pieces) == len(operation.arguments):
        added = "".join(pieces).strip()
        if not added:
            return text
        # What a cut took away is put back: ``"{" + text + "}"``.
        restored = set(added) <= _cut_at(text)
        if restored or (name == "concat" and len(pieces) == 2 and _encloses(*pieces)):
            return text.then(name, *pieces, exact=False)
    lost = "it is joined with other text before"
    return text.then(name, *operation.arguments, exact=False, lost=lost)


def _encloses(before: str, after: str) -> bool:
    """Tell whether the code writes an outermost bracket itself, as where it has given the model the
    first characters of the answer: ``"{" + text``."""
    return before.lstrip()[:1] in _OPENING or after.rstrip()[-1:] in _CLOSING


def _cut_at(text: Text) -> set[str]:
    """The single characters at which the text has been cut on its way."""
    marks = (step.arguments[0] for step in text.steps if step.name in _CUTS and step.arguments)
    return {mark for mark in marks if isinstance(mark, str) and len(mark) == 1}


def near(one: Consumer, other: Consumer) -> bool:
    """Tell whether two operations stand together in the code."""
    here, there = one.use.evidence, other.use.evidence
    return here.file == there.file and abs(here.line - there.line) <= NEAR


def unknown(consumer: Consumer, reason: str) -> Unknown:
    """Say what could not be read."""
    return Unknown(reason=reason, evidence=consumer.use.evidence)
