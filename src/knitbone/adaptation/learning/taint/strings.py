"""The tainted string: it records what application code does with it, and otherwise is that string.

Every result and every exception is what ``str`` itself gives; results that are strings, or hold
strings, record in turn. What C code does with the characters (``int``, ``json.loads``,
regular expressions) no string can see; ``call_watch`` sees those calls where they are written.
``type(value) is str`` is false: the one difference that a subclass cannot hide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from knitbone.adaptation.learning.taint.marks import Mark, Varying, application_frame
from knitbone.adaptation.learning.taint.tainted_kinds import (
    bounds,
    kind_of,
    mark_of,
    register_kind,
    taint,
)

__all__ = ["TaintStr", "plain_str"]

_MAX_CHARACTERS = 10_000
"""Characters of an iteration that record; the rest are plain."""

plain_str: Callable[[str], str] = str.__str__
"""The exact ``str`` with the same characters."""


class TaintStr(str):
    """A tainted string; made by ``taint``."""

    __slots__ = ("_mark",)
    _mark: Mark | None

    def __new__(cls, value: Any = "", *rest: Any) -> TaintStr:
        made = super().__new__(cls, value, *rest)
        made._mark = None
        return made

    # A copy is the string itself; what is pickled is plain, so that other processes and later
    # versions can read it.
    def __copy__(self) -> TaintStr:
        return self

    def __deepcopy__(self, memo: Any) -> TaintStr:
        return self

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return (str, (plain_str(self),))

    def __str__(self) -> str:
        # ``str(text)`` of a library asks for an exact ``str``; that of the application does not.
        mark = self._mark
        if mark is not None and application_frame(mark.answer.tree.scope) is not None:
            return self
        return str.__str__(self)

    __hash__ = str.__hash__

    def __format__(self, specification: str) -> str:
        result = str.__format__(self, specification)
        return self if not specification else _child(self, result, "format", ("", ""))

    def __bool__(self) -> bool:
        _record(self, "truth")
        return str.__len__(self) > 0

    def __len__(self) -> int:
        _record(self, "len")
        return str.__len__(self)

    def __contains__(self, other: Any) -> bool:
        found = str.__contains__(self, other)
        _record(self, "contains", (other,), live=found)
        return found

    def __getitem__(self, key: Any) -> str:
        try:
            result = str.__getitem__(self, key)
        except IndexError:
            _record(self, "getitem", (key,), raised=True)
            raise
        if type(key) is slice:
            return _child(self, result, "slice", bounds(key))
        return _child(self, result, "getitem", (key,))

    def __iter__(self) -> Iterator[str]:
        mark = _record(self, "iterate", live=True)
        characters = str.__iter__(self)
        return characters if mark is None else _characters(characters, mark)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, str):
            return _joined(self, self, other, first=True)
        reflected = getattr(kind_of(other), "__radd__", None)
        result = NotImplemented if reflected is None else reflected(other, self)
        if result is not NotImplemented:
            return result
        return str.__add__(self, other)  # raises what a plain string would raise

    def __radd__(self, other: Any) -> Any:
        if isinstance(other, str):
            return _joined(self, other, self, first=False)
        return NotImplemented

    def __mod__(self, other: Any) -> Any:
        return _child(self, str.__mod__(self, other), "format", (Varying("..."), ""))

    def __rmod__(self, other: Any) -> Any:
        if isinstance(other, str):
            before, _, after = plain_str(other).partition("%s")
            return _child(self, str.__mod__(plain_str(other), self), "format", (before, after))
        return NotImplemented


def _characters(characters: Iterator[str], mark: Mark) -> Iterator[str]:
    """Yield the characters, tainted."""
    for number, character in enumerate(characters):
        yield taint(character, mark) if number < _MAX_CHARACTERS else character


def _record(
    value: TaintStr,
    name: str,
    arguments: tuple[Any, ...] = (),
    keywords: tuple[tuple[str, Any], ...] = (),
    *,
    live: bool = False,
    raised: bool = False,
) -> Mark | None:
    """Record an operation on the string; return the mark of its result."""
    mark = value._mark  # pyright: ignore[reportPrivateUsage]
    if mark is None:
        return None
    result_mark = mark.record(name, tuple(_known(a) for a in arguments), keywords)
    if result_mark is not None and live:
        result_mark.note_live()
    if result_mark is not None and raised:
        result_mark.note_raised()
    return result_mark


def _known(argument: Any) -> Any:
    """Return an argument; one that comes from an answer is no constant."""
    return Varying("...") if type(argument) is TaintStr else argument


def _child(
    value: TaintStr,
    result: Any,
    name: str,
    arguments: tuple[Any, ...] = (),
    keywords: tuple[tuple[str, Any], ...] = (),
) -> Any:
    """Record an operation and return its result, tainted."""
    return taint(result, _record(value, name, arguments, keywords))


def _joined(value: TaintStr, before: str, after: str, *, first: bool) -> str:
    """Return two texts put together, of which one is tainted."""
    result = str.__add__(before, after)
    other = after if first else before
    mark, beside = value._mark, mark_of(other)  # pyright: ignore[reportPrivateUsage]
    if mark is not None and (not other or _same_answer(mark, beside)):
        # Pieces of a streamed answer put together are the answer; so is one joined with nothing.
        return taint(result, mark)
    arguments = ("", _known(other)) if first else (_known(other), "")
    return _child(value, result, "concat", arguments)


def _same_answer(mark: Mark, beside: Mark | None) -> bool:
    """Return whether two texts are pieces of one answer."""
    return (
        beside is not None
        and mark.answer is beside.answer
        and mark.node is beside.node
        and mark.node.depth == 0
    )


def _method(name: str) -> Callable[..., Any]:
    """Return a method of ``str`` that records."""
    original = getattr(str, name)

    def method(self: TaintStr, *args: Any, **kwargs: Any) -> Any:
        try:
            result = original(self, *args, **kwargs)
        except ValueError:
            # ``index`` and ``rindex``: the text does not hold what it should.
            _record(self, f".{name}", args, tuple(kwargs.items()), raised=True)
            raise
        result_mark = _record(self, f".{name}", args, tuple(kwargs.items()))
        if result_mark is not None and type(result) in (bool, int):
            # ``find`` says -1, ``startswith`` False: the code has nothing to go on with.
            if result is not False and result != -1:
                result_mark.note_live()
            return result
        # A method that changes nothing returns the string itself: an exact copy records as well.
        return taint(plain_str(result) if result is self else result, result_mark)

    method.__name__ = name
    method.__qualname__ = f"str.{name}"
    method.__doc__ = original.__doc__
    return method


def _comparison(name: str) -> Callable[..., Any]:
    """Return a comparison of ``str`` that records."""
    original = getattr(str, f"__{name}__")

    def compare(self: TaintStr, other: Any) -> Any:
        result = original(self, other)
        if result is not NotImplemented:
            _record(self, name, (other,), live=result is True)
        return result

    compare.__name__ = f"__{name}__"
    return compare


_METHODS = (
    "capitalize", "casefold", "center", "count", "encode", "endswith", "expandtabs", "find",
    "format", "format_map", "index", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit",
    "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper",
    "join", "ljust", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace",
    "rfind", "rindex", "rjust", "rpartition", "rsplit", "rstrip", "split", "splitlines",
    "startswith", "strip", "swapcase", "title", "translate", "upper", "zfill",
)  # fmt: skip

for _name in _METHODS:
    setattr(TaintStr, _name, _method(_name))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(TaintStr, f"__{_name}__", _comparison(_name))
# Error messages and code that looks at type names see what they see for any string.
TaintStr.__name__ = TaintStr.__qualname__ = "str"


def _make(value: str, mark: Mark) -> TaintStr:
    """Return a tainted string."""
    made = TaintStr(value)
    made._mark = mark  # pyright: ignore[reportPrivateUsage]
    return made


register_kind(str, TaintStr, _make, plain_str)
