"""What a documentation leaves unsaid of a failure: a supposition that calls test before it is said.

An argument is named where changing it alone mends the call. Where several do, they are named
together, as a relation; where only changing them at once does, too. What an argument must be (not
empty, not zero, a text) is said where every plain value of that sort works. Supposed but not tested
(no calls left, or the failure does not repeat) is said as *possibly*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, cast

import msgspec

from knitbone.fuzzing.classification.documentation import Documentation
from knitbone.fuzzing.classification.failure import SIZES, Failure, is_raised_on_purpose
from knitbone.fuzzing.classification.promises import examples
from knitbone.fuzzing.generate.refusal_hints import new_suggestions
from knitbone.fuzzing.generate.shapes import properties_of
from knitbone.fuzzing.places import Codec, places, replaced
from knitbone.fuzzing.reasons import WordedFailure, same_reason, spoken
from knitbone.fuzzing.records import Finding, ToolUnderTest
from knitbone.fuzzing.returned_errors import reads_as_error
from knitbone.fuzzing.trials import Trials
from knitbone.record.events import Json

__all__ = ["Hint", "hint_of"]

_VALUES = 8
"""Other values that one argument gets until one mends the call (ours; bounds the calls)."""
_OFFERED = 3
"""Values taken from one source: calls that worked, the documentation, the message."""
_PAIRED = 6
"""Calls in which several arguments are changed at once."""
_LEFT_OUT = object()

_PLAIN: dict[str, tuple[Json, ...]] = {
    "string": ("a", "Ann", "plain text", "5", "2024-05-17", "x-1", "True", "k" * 40),
    "integer": (1, 2, 3, 7, 10, 100, 1_000, 12_345),
    "number": (1.0, 2.5, 0.5, 3.0, 10.0, 100.0, 1_000.5, 12_345.0),
    "boolean": (True, False),
    "array": (["a"], [1], ["a", "b"], [1, 2, 3]),
    "object": ({"a": "b"}, {"a": 1}),
}
"""Values as anybody would give them, of each type of JSON; none is empty or zero."""
_WORDS = {
    "string": "a text", "integer": "a whole number", "number": "a number",
    "boolean": "true or false", "array": "a list", "object": "an object",
}  # fmt: skip
_NOTHING: tuple[Json, ...] = ("", [], {})
_NEGATIVE: dict[str, tuple[Json, ...]] = {
    "integer": (-1, -2, -7, -100, -1_000), "number": (-1.0, -0.5, -2.5, -100.0, -1_000.5),
}  # fmt: skip

_COSTLY = frozenset({"hang", "memory", "disk", "output", "crash"})
"""Ends of a call after which no other is made: each would cost as much waiting."""

Effect = Literal["same", "later", "other", "works"]
"""Of a changed call: it fails alike, or further on in the same function, or otherwise, or works."""


class Hint(msgspec.Struct, frozen=True, kw_only=True):
    """What the documentation does not say."""

    text: str
    arguments: tuple[str, ...] = ()
    """Those that it names."""
    tested: bool = False
    """Whether calls agree with it."""


class _NoCallsLeftError(Exception):
    """The budget of trials is spent, or a trial cost too much."""


def hint_of(
    tool: ToolUnderTest,
    finding: Finding,
    failure: Failure,
    written: Documentation,
    *,
    trials: Trials | None,
) -> Hint:
    """The hint of one finding.

    Args:
        trials: calls the tool; without it nothing is tested.
    """
    if finding.kind == "nondeterminism":
        return Hint(text="that results differ from call to call", tested=True)
    if trials is None or not finding.replays:
        return _supposed(finding, failure)
    try:
        return _Experiment(tool, finding, failure, written, trials).hint()
    except _NoCallsLeftError:
        return _supposed(finding, failure)


def _supposed(finding: Finding, failure: Failure) -> Hint:
    names = tuple(failure.blamed)
    text = _plainly(finding, failure, names)
    return Hint(text=f"possibly {text}" if text else "", arguments=names)


def _listed(names: Sequence[str]) -> str:
    quoted = [f"`{name}`" for name in names]
    return " and ".join([*([", ".join(quoted[:-1])] if quoted[1:] else []), *quoted[-1:]])


def _plainly(finding: Finding, failure: Failure, names: Sequence[str]) -> str:
    """What is unsaid of arguments by how the call failed; of none only what the tool said."""
    said = spoken(finding.says) if is_raised_on_purpose(finding) else ""
    if not names:
        return f"the condition behind: {said}" if said else ""
    if len(names) > 1:
        return f"which values of {_listed(names)} work together"
    name = _listed(names)
    if finding.kind in ("hang", "memory", "output", "disk"):
        return f"a limit on {name}"
    if failure.key is not None and failure.key_is_given:
        return f"which values of {name} there are"
    if failure.exception == "ZeroDivisionError":
        return f"that no divisor made of {name} may be zero"
    if failure.exception in SIZES or failure.exception == "IndexError":
        return f"the limits of {name}"
    if said:
        return f"the condition on {name} behind: {said}"
    is_text = isinstance(finding.arguments.get(names[0]), str)
    return f"the form of {name}" if is_text else f"what {name} may be"


class _Experiment:
    """The calls that test one hint."""

    def __init__(
        self,
        tool: ToolUnderTest,
        finding: Finding,
        failure: Failure,
        written: Documentation,
        trials: Trials,
    ) -> None:
        self._finding = finding
        self._failure = failure
        self._given = finding.arguments
        self._context = finding.arguments
        """The call in which one argument is changed: that of the finding, or one that works but for
        this argument."""
        self._written = written
        self._trials = trials
        self._normal = trials.taken[:_OFFERED]
        self._fields = properties_of(tool.schema)
        self._ids = {finding.id, *(variant.id for variant in finding.variants)}
        self._said = _worded(finding, finding.says, finding.arguments)

    def hint(self) -> Hint:
        """The hint that calls agree with.

        Raises:
            _NoCallsLeftError: they did not suffice.
        """
        finding, failure = self._finding, self._failure
        if self._effect(self._given) != "same":
            return _supposed(finding, failure)
        order = sorted(self._given, key=lambda name: name not in failure.blamed)
        # What is left out has its default, which may be what fails.
        left_out = [name for name in self._fields if name not in order]
        names = self._mending([*order, *left_out]) or self._together(order)
        names = self._with_others(names[0]) if len(names) == 1 else names
        names = [name for name in {**self._given, **self._fields} if name in names]
        text = self._exactly(names[0]) if len(names) == 1 else ""
        text = text or _plainly(finding, failure, names)
        return Hint(text=text, arguments=tuple(names), tested=True)

    # -- one argument changed ---------------------------------------------------------------------

    def _mending(self, names: Sequence[str]) -> list[str]:
        """The arguments of which a change alone mends the call, or at least this failure of it."""
        effects = {name: self._tried(name) for name in names}
        if mending := [name for name in names if "works" in effects[name]]:
            return mending
        gone: list[str] = []
        for name in names:
            carrying = self._carrying(name) if set(effects[name]) - {"same"} else None
            if carrying is not None:
                self._context = carrying
            if carrying is not None or "later" in effects[name]:
                gone.append(name)
        if not gone and len(self._fields) == 1:
            return [name for name in names if set(effects[name]) - {"same"}]
        return gone

    def _with_others(self, name: str) -> list[str]:
        """An argument, and those of which a change lifts the failure while it stays as it is, as a
        call shows that the tool took."""
        current = self._given.get(name, _LEFT_OUT)
        for call in self._nearest(lambda call: call.get(name, _LEFT_OUT) == current):
            if self._effect(call) != "works":
                continue
            lifting = call
            for other in {**call, **self._given}:
                moved = {key: value for key, value in lifting.items() if key != other}
                if other in self._given:
                    moved[other] = self._given[other]
                if moved != lifting and self._effect(moved) == "works":
                    lifting = moved
            return [name, *(o for o in {**call, **self._given} if self._differs(lifting, o))]
        return [name]

    def _nearest(self, fits: Callable[[dict[str, Json]], bool]) -> list[dict[str, Json]]:
        """Calls that the tool took, those first that differ least from this one."""
        found = [call for call in self._trials.taken if fits(call)]
        found.sort(key=lambda call: sum(self._differs(call, name) for name in self._fields))
        return found[:_OFFERED]

    def _differs(self, call: dict[str, Json], name: str) -> bool:
        return call.get(name, _LEFT_OUT) != self._given.get(name, _LEFT_OUT)

    def _tried(self, name: str) -> list[Effect]:
        """What comes of other values of one argument, until one works."""
        effects: list[Effect] = []
        for value in self._others(name):
            effects.append(self._with(name, value))
            if effects[-1] == "works":
                break
        return effects

    def _with(self, name: str, value: Any) -> Effect:
        return self._effect({**self._context, name: value})

    def _effect(self, arguments: dict[str, Json]) -> Effect:
        tried = self._trials.tried(arguments)
        if tried is None or tried.outcome.status in _COSTLY:
            raise _NoCallsLeftError
        verdict, mine = tried.verdict, self._finding.frame
        if verdict is None:
            # A text that only may be an error is none that shows that the call was mended.
            text = " ".join(tried.outcome.text.split())
            return "works" if tried.works and reads_as_error(text) is False else "other"
        said = _worded(verdict, verdict.reason or verdict.message, arguments)
        if verdict.id in self._ids or same_reason(self._said, said):
            return "same"
        frame = verdict.frame
        if (
            frame is None
            or mine is None
            or (frame.file, frame.function) != (mine.file, mine.function)
        ):
            return "other"
        return "later" if frame.line > mine.line else "other"

    def _others(self, name: str) -> Iterator[Json]:
        """Plain values of an argument, the likeliest to work first."""
        current = self._given.get(name, _LEFT_OUT)
        seen = {repr(current)}
        count = 0
        for value in self._offered(name, current):
            # What is left empty often means to do without: that mends nothing.
            if repr(value) in seen or value in _NOTHING or value is None:
                continue
            seen.add(repr(value))
            yield value
            count += 1
            if count >= _VALUES:
                return

    def _offered(self, name: str, current: Any) -> Iterator[Json]:
        allowed = _types(self._fields.get(name))
        own = _type(current)
        # A call that the tool took shows most where it differs in this argument alone.
        near = self._nearest(lambda call: name in call and call[name] != current)
        yield from [call[name] for call in near]
        # What another argument has may be what this one is held against.
        yield from [v for o, v in self._given.items() if o != name and _type(v) == own][:_OFFERED]
        yield from _shown_in(self._fields.get(name))
        shown = [value for s in self._written.about(name) for value in examples(s.text)]
        if own == "string" or (own is None and "string" in allowed):
            yield from shown[:_OFFERED]
            yield from new_suggestions(self._finding.message, self._given)[:_OFFERED]
        if isinstance(current, dict | list | str):
            yield from _filled(current)
        kinds = [own] if own is not None else []
        kinds += [kind for kind in _PLAIN if kind in allowed and kind != own]
        if len(kinds) > 1:  # a value of each type before a second of any
            yield from (_PLAIN[kind][0] for kind in kinds)
        for kind in kinds:
            # Of numbers the signs in turn: a relation may want the other one.
            first, *rest = _PLAIN[kind]
            yield first
            yield from _NEGATIVE.get(kind, ())[:2]
            yield from (0,) if kind in _NEGATIVE else ()
            yield from rest

    # -- other contexts ---------------------------------------------------------------------------

    def _carrying(self, name: str) -> dict[str, Json] | None:
        """A call that works, and fails alike with the value that one argument has here."""
        if name not in self._given:
            return None
        for call in self._normal:
            moved = {**call, name: self._given[name]}
            if self._effect(call) == "works" and self._effect(moved) == "same":
                return moved
        return None

    def _together(self, names: Sequence[str]) -> list[str]:
        """The fewest arguments found that mend the call when they are changed at once."""
        offers = {name: list(self._others(name)) for name in names if name in self._given}
        offers = {name: values for name, values in offers.items() if values}
        for place in range(_PAIRED if len(offers) > 1 else 0):
            made = {name: values[place % len(values)] for name, values in offers.items()}
            if self._effect({**self._given, **made}) != "works":
                continue
            # What another argument fails of behind it is another failure.
            needed = {
                name: value for name, value in made.items() if self._without(name, made) == "same"
            }
            is_enough = needed and self._effect({**self._given, **needed}) != "same"
            return list(needed if is_enough else made)
        return []

    def _without(self, name: str, made: dict[str, Json]) -> Effect:
        """What comes of the changes but for one."""
        fewer = {other: value for other, value in made.items() if other != name}
        return self._effect({**self._given, **fewer})

    # -- what the one argument must be ------------------------------------------------------------

    def _exactly(self, name: str) -> str:
        """What one argument must be, where every plain value agrees; or nothing."""
        said, failure = f"`{name}`", self._failure
        if name not in self._given:
            return f"that {said} must be given"
        if failure.key is not None and not failure.key_is_given:
            wanted = failure.key
            return f'that {said} needs "{wanted}"' if self._needs(name, wanted) else ""
        value = self._given[name]
        own = _type(value)
        if value is None:
            plain = [v for kind in _types(self._fields.get(name))[:1] for v in _PLAIN[kind]]
            return f"that {said} must not be null" if self._all(name, "works", plain) else ""
        if value in _NOTHING and own is not None:
            works = self._all(name, "works", _PLAIN[own])
            return f"that {said} must not be empty" if works else self._other_type(name, own)
        if own in _NEGATIVE and isinstance(value, int | float):
            return self._sign(name, value, own) or self._other_type(name, own)
        return "" if own is None else self._other_type(name, own)

    def _sign(self, name: str, value: float, own: str) -> str:
        positive = self._all(name, "works", _PLAIN[own])
        negative = _NEGATIVE[own]
        if not positive or value > 0:
            return ""
        zero: Json = 0 if own == "integer" else 0.0
        if value == 0 and self._all(name, "works", negative):
            return f"that `{name}` must not be zero"
        if not self._all(name, "same", negative):
            return ""
        if self._with(name, zero) == "works":
            return f"that `{name}` must not be negative"
        return (
            f"that `{name}` must be greater than zero" if self._with(name, zero) == "same" else ""
        )

    def _other_type(self, name: str, own: str) -> str:
        """That the argument must be of another type than it is."""
        allowed = _types(self._fields.get(name))
        for kind in (kind for kind in _PLAIN if kind in allowed and not _is_like(kind, own)):
            if self._all(name, "works", _PLAIN[kind]) and self._all(name, "same", _PLAIN[own]):
                return f"that `{name}` must be {_WORDS[kind]}"
        return ""

    def _all(self, name: str, effect: Effect, values: Sequence[Json]) -> bool:
        current = self._given.get(name)
        others = [value for value in values if value != current or type(value) is not type(current)]
        return bool(others) and all(self._with(name, value) == effect for value in others)

    def _needs(self, name: str, key: str) -> bool:
        """Whether the failure goes away with a field of this name in the object."""
        if not key.replace("_", "").replace("-", "").isalnum():
            return False
        value = self._given[name]
        for path, part in [((), value), *places(value)]:
            if not isinstance(part, dict):
                continue
            for filler in ("a", 1, ["a"], {"a": 1}):
                made = replaced(value, path, {**cast("dict[str, Any]", part), key: filler})
                if self._with(name, made) in ("works", "later"):
                    return True
        return False


def _worded(failed: Any, reason: str, arguments: dict[str, Json]) -> WordedFailure:
    """A finding, or the verdict of a call, as failures are compared."""
    return WordedFailure(
        kind=failed.kind,
        exception=failed.exception,
        frame=failed.frame,
        by=None if failed.origin is None else failed.origin.by,
        reason=reason,
        arguments=arguments,
    )


def _type(value: Any) -> str | None:
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case dict():
            return "object"
        case _:
            return None


def _types(field: Any) -> list[str]:
    """The types that a schema allows of an argument; all of them where it names none."""
    if not isinstance(field, dict):
        return list(_PLAIN)
    schema = cast("dict[str, Any]", field)
    named: Any = schema.get("type")
    found: list[str] = [named] if isinstance(named, str) else []
    found += cast("list[str]", named) if isinstance(named, list) else []
    if not found:
        for options in (schema.get("anyOf"), schema.get("oneOf")):
            for option in cast("list[Any]", options) if isinstance(options, list) else []:
                found += _types(option)
    kinds = [kind for kind in _PLAIN if kind in found]
    return kinds or ([] if "null" in found else list(_PLAIN))


def _is_like(kind: str, own: str) -> bool:
    return kind == own or {kind, own} == {"integer", "number"}


def _shown_in(field: Any) -> list[Json]:
    """Values that the schema itself shows."""
    if not isinstance(field, dict):
        return []
    schema = cast("dict[str, Any]", field)
    found: list[Json] = [schema[key] for key in ("default", "const") if key in schema]
    for key in ("enum", "examples"):
        if isinstance(schema.get(key), list):
            found += schema[key][:_OFFERED]
    return found


def _filled(value: Any) -> Iterator[Json]:
    """A structure, or a document in a text, with plain values in place of all of its own."""
    paths = [(path, part) for path, part in places(value) if path]
    if isinstance(value, str):
        paths = [(path, part) for path, part in paths if isinstance(path[0], Codec)]
    inner = [(path, part) for path, part in paths if not isinstance(part, dict | list)]
    for number in range(_OFFERED if inner else 0):
        made = value
        for path, part in inner:
            kind = _type(part)
            plain = _PLAIN["string"][number] if kind is None else _PLAIN[kind][number % 2]
            try:
                made = replaced(made, path, plain)
            except (LookupError, TypeError, ValueError):
                continue
        yield made
