"""Texts on their way to their consumers: what was done to a text, and which operations read it.

String methods that only trim, change case or replace lead on to the next operation; whatever else
the code does with the text is a ``Consumer``. For ``int(text.strip())`` the consumer is ``int``,
and its text has one step, ``strip``. The families of readers look at all consumers of one text
together, because several operations on it may form one requirement.
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
    "FamilyResult",
    "ReadOn",
    "Text",
    "are_near",
    "consumers_of",
    "first_on_violation",
    "first_text",
    "items_of",
    "leaves_text",
    "lowest_confidence",
    "lowest_with_texts",
    "make_step",
    "unknown",
]

NEAR = 15
"""Lines within which operations on one text belong together (ours)."""
_LEVELS: tuple[Confidence, ...] = ("low", "medium", "high")
"""From the least to the most sure."""

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
"""String methods whose result is still the text."""
_CUTS = frozenset({"split", "rsplit", "partition", "rpartition"})
_SUBSTITUTIONS = frozenset({"re.sub", "re.subn", "regex.sub"})


class Text(NamedTuple):
    """A text where code reads it: the steps that led from the output to it, and what is known."""

    steps: tuple[Step, ...] = ()
    confidence: Confidence = "high"
    lines: bool = False
    """True if it is one of several lines."""
    ignore_case: bool = False
    nested: bool = False
    """True if it is a field of structured data: conversions and comparisons belong to the field."""
    passed_over: int = 0
    """Of a line: how many before the first the code passes over by their place; -1 where it may
    pass over some."""
    item: bool = False
    """True if it is one of the items that the text was cut into."""
    exact: bool = True
    """True if all steps can be replayed on the output."""
    lost: str = ""
    """Why nothing is known of it any more."""
    alternative: str = ""
    """The name that this text shares with others of which only one is read; empty for most."""
    when: str = ""
    """The state of the program in which the code reads it, as ``knitbone learn`` saw it."""

    def then(self, name: str, *arguments: Any, **changes: Any) -> Text:
        """Return the text after one more step."""
        step = make_step(name, arguments)
        return self._replace(steps=(*self.steps, step), **changes)

    @property
    def replayable(self) -> bool:
        """Return whether the reader of a repair can take the same steps."""
        return self.exact and not self.lost


class Consumer(NamedTuple):
    """One operation on a text."""

    use: Use
    text: Text
    """As it stands before the operation."""
    core: bool = True
    """True if it stands on the way to the core work, or is one of several alternatives."""
    passing: bool = False
    """True if it only cuts something off, and what reads the result is listed as well."""

    @property
    def name(self) -> str:
        """Return the name of the operation."""
        return self.use.operation.name


class FamilyResult(NamedTuple):
    """The requirements that a family has read, and the consumers that it claims."""

    requirements: tuple[Requirement, ...] = ()
    claimed: frozenset[int] = frozenset()
    """Indices into the consumers."""


ReadOn = Callable[[Sequence[Consumer]], list[Requirement]]
"""Reads the consumers of a text inside the text, with all families from the first on. Each family
gets it, so that it can hand on what it does not read itself (``engine.py`` supplies it)."""


def make_step(name: str, arguments: Iterable[Any] = ()) -> Step:
    """Return a step with the arguments that can be written down."""
    kept = tuple(a for a in arguments if a is None or isinstance(a, str | int | float | bool))
    return Step(name.removeprefix("."), kept)


def has_only_constants(operation: Operation) -> bool:
    """Return whether all arguments are constants."""
    values = (*operation.arguments, *(value for _, value in operation.keywords))
    return not any(isinstance(value, Computed) for value in values)


def lowest_confidence(*levels: Confidence) -> Confidence:
    """Return the lowest confidence."""
    return min(levels, key=_LEVELS.index)


def first_on_violation(uses: Iterable[Use]) -> OnViolation:
    """Return what happens to a record that does not fit: the first that the analysis could tell."""
    for use in uses:
        if use.on_violation != "unknown":
            return use.on_violation
    return "unknown"


def lowest_with_texts(level: Confidence, consumers: Iterable[Consumer]) -> Confidence:
    """Return the lowest of a level and those of the texts."""
    for consumer in consumers:
        level = lowest_confidence(level, consumer.text.confidence)
    return level


def items_of(value: object) -> tuple[object, ...]:
    """Return the members of a tuple; the value itself where it is none."""
    return cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)


def first_text(operation: Operation) -> str | None:
    """Return the first argument where it is a constant string with more than blanks in it."""
    value = operation.arguments[0] if operation.arguments else None
    return value if isinstance(value, str) and value.strip() else None


def leaves_text(name: str) -> bool:
    """Return whether an operation leaves a text a text."""
    return (
        name in _STRINGS
        or name in _PASSING
        or name in FUNCTIONS
        or name in _SUBSTITUTIONS
        or name == "slice"
    )


def consumers_of(node: Use, text: Text) -> list[Consumer]:
    """Return what is done with the text at ``node``, in the order of the source."""
    return list(_consumers(node.uses, text, core=True))


_AFFIX_CUTS = frozenset({".removeprefix", ".removesuffix", ".replace", "slice"})
"""Operations that are consumers, too, because a mark may be taken away by them."""


def _consumers(uses: Sequence[Use], text: Text, *, core: bool) -> Iterator[Consumer]:
    """Find the consumers below some uses; ``core`` says that these are on the way to
    the core work."""
    for use in uses:
        here = text._replace(
            alternative=use.alternative or text.alternative, when=use.when or text.when
        )
        on_the_way = core and (use.branch == "core" or bool(here.alternative))
        passed = _text_behind(_as_affix_removal(use, uses) or use.operation, here)
        if passed is None:
            yield Consumer(use, here, on_the_way)
            continue
        if use.operation.name in _AFFIX_CUTS:
            yield Consumer(use, here, on_the_way, passing=True)
        yield from _consumers(use.uses, passed, core=on_the_way)


def _as_affix_removal(use: Use, beside: Sequence[Use]) -> Operation | None:
    """Read ``if text.startswith(mark): text = text[len(mark):]`` as ``text.removeprefix(mark)``,
    where the same code continues with the text as it is; ``None`` for any other operation."""
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
        below = {_identity(each) for each in use.walk()} - {_identity(use)}
        if any(
            _identity(each) in below
            for other in beside
            if other is not use
            for each in other.walk()
        ):
            return Operation(name, (mark,))
    return None


def _identity(use: Use) -> object:
    """Return what identifies a use."""
    return use.evidence, use.operation.name


_OPENING, _CLOSING = frozenset("{[(<"), frozenset("}])>")


def _text_behind(operation: Operation, text: Text) -> Text | None:
    """Return the text behind an operation that changes it only a little; ``None`` for a
    consumer."""
    name = operation.name
    if name in _STRINGS:
        known = has_only_constants(operation) and name in {f".{step}" for step in STEPS}
        return text.then(
            name,
            *operation.arguments,
            ignore_case=text.ignore_case or name in _CASE,
            exact=text.exact and known,
            confidence=text.confidence
            if has_only_constants(operation)
            else lowest_confidence(text.confidence, "medium"),
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
        return _joined_with(text, operation)
    return None


def _joined_with(text: Text, operation: Operation) -> Text:
    """Return the text with other text before or behind it."""
    name = operation.name
    pieces = [a for a in operation.arguments if isinstance(a, str)]
    if len(pieces) == len(operation.arguments):
        added = "".join(pieces).strip()
        if not added:
            return text
        # What a cut took away is put back: ``"{" + text + "}"``.
        restored = set(added) <= _cut_at(text)
        if restored or (name == "concat" and len(pieces) == 2 and _adds_brackets(*pieces)):
            return text.then(name, *pieces, exact=False)
    lost = "it is joined with other text before"
    return text.then(name, *operation.arguments, exact=False, lost=lost)


def _adds_brackets(before: str, after: str) -> bool:
    """Return whether the code writes an outermost bracket itself, as where it has given the model
    the first characters of the answer: ``"{" + text``."""
    return before.lstrip()[:1] in _OPENING or after.rstrip()[-1:] in _CLOSING


def _cut_at(text: Text) -> set[str]:
    """Return the single characters at which the text has been cut on its way."""
    marks = (step.arguments[0] for step in text.steps if step.name in _CUTS and step.arguments)
    return {mark for mark in marks if isinstance(mark, str) and len(mark) == 1}


def are_near(one: Consumer, other: Consumer) -> bool:
    """Return whether two operations stand together in the code."""
    here, there = one.use.evidence, other.use.evidence
    return here.file == there.file and abs(here.line - there.line) <= NEAR


def unknown(consumer: Consumer, reason: str) -> Unknown:
    """Return a record that says what could not be read."""
    return Unknown(reason=reason, evidence=consumer.use.evidence)
