"""The functions decorated with ``@knitbone.adapt`` in this process, and a warning for idle ones.

A function in which nothing is adapted gets one line on standard error. Nothing here takes a lock,
which a fork could leave held: every step is one operation on a dictionary.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
from collections.abc import Collection, Sequence

import msgspec

from knitbone.common.printable import printable

__all__ = [
    "UNTOUCHED",
    "DecoratedFunction",
    "decorated_functions",
    "forget_functions",
    "hold_lines",
    "in_class",
    "note_adapted",
    "note_function",
    "note_unchecked",
    "say_held_lines",
]

_SAID = "_KNITBONE_SAID"
"""Environment variable with the lines that were said, so that child processes that import the same
modules (``spawn``, a reloader) do not say them again."""
_REMEMBERED = 500
"""Lines that it holds; they are eight characters each, and an environment is small (ours)."""
UNTOUCHED = "it runs untouched"
"""How the reason of a function begins that could not be instrumented."""
_LONGEST = 1_000
"""Characters of a line (ours)."""


class DecoratedFunction(msgspec.Struct, frozen=True, kw_only=True):
    """A function or class that carries ``@knitbone.adapt``, and what is adapted in it."""

    name: str
    """The name with its module."""
    location: str = ""
    """``file:line`` of its first decorator; empty where it has no source."""
    outputs: tuple[str, ...] = ()
    """Places (``file:line:column``) that it reaches at which an output of a model, retriever or
    splitter is recognised."""
    required: tuple[str, ...] = ()
    """Those of them of which something is required that the settings let adapt look at."""
    reason: str = ""
    """Why nothing is adapted in it; empty where something is."""
    next_step: str = ""
    """The next step for a person; empty where somebody decided it so, which needs no line."""


_functions: dict[tuple[str, str], DecoratedFunction] = {}
_held: dict[tuple[str, str], None] = {}
"""The functions whose lines wait for the end of the process."""
_holding: list[bool] = []


def note_function(function: DecoratedFunction, *, quiet: bool) -> None:
    """Remember a decorated function; warn once where nothing is adapted in it.

    "Once" holds for this process and those that it starts.

    Args:
        quiet: ``adapt.quiet``: print nothing.
    """
    _functions[function.name, function.location] = function
    if function.reason and function.next_step and not quiet:
        if _holding:
            _held[function.name, function.location] = None
        else:
            _warn(function)


def hold_lines() -> None:
    """Print no line before ``say_held_lines``: ``knitbone run`` adapts whole files, so that what a
    decorator cannot do does not matter before it is known whether answers were repaired."""
    _holding[:] = [True]


def say_held_lines(repaired: Collection[str]) -> None:
    """Print the lines that wait, but for functions in files where answers were repaired.

    Args:
        repaired: files with a site that had an answer repaired.
    """
    held = [_functions[key] for key in list(_held) if key in _functions]
    _held.clear()
    for function in held:
        if function.reason and function.location.rpartition(":")[0] not in repaired:
            _warn(function)


def note_unchecked(place: str, *, quiet: bool) -> None:
    """Warn that no check could be made of what is required at a place, which shows with its first
    value.

    Nothing is said where something else is adapted in the function.

    Args:
        place: ``file:line:column`` of the site.
        quiet: ``adapt.quiet``: print nothing.
    """
    for function in decorated_functions():
        if place in function.required:
            remaining = tuple(other for other in function.required if other != place)
            noted = msgspec.structs.replace(function, required=remaining)
            if not remaining:
                file, line, _ = place.rsplit(":", 2)
                shown = _relative_location(file)
                reason = f"nothing checks what is required of the output at {shown}:{line}"
                step = f"see: knitbone check {shown}"
                noted = msgspec.structs.replace(noted, reason=reason, next_step=step)
            note_function(noted, quiet=quiet)


def note_adapted(place: str) -> None:
    """Note that an answer was repaired at a place: what reaches it is adapted, whatever was thought
    of it before.

    Args:
        place: ``file:line:column`` of the site.
    """
    for function in decorated_functions():
        if function.reason and place in function.outputs:
            required = (*function.required, place)
            noted = msgspec.structs.replace(function, required=required, reason="", next_step="")
            _functions[function.name, function.location] = noted


def in_class(name: str, methods: Sequence[DecoratedFunction]) -> DecoratedFunction:
    """Sum up the methods of a decorated class: it need not be read in every one."""
    reason, next_step = "it defines no function of its own", "decorate the class that does"
    # The one that came nearest says why: silenced on purpose, then an output, then any source.
    for method in sorted(methods, key=lambda each: (bool(each.next_step), -len(each.outputs))):
        reason, next_step = method.reason, method.next_step
        if method.outputs or not next_step or not method.reason.startswith(UNTOUCHED):
            break
    active = any(not method.reason for method in methods)
    return DecoratedFunction(
        name=name,
        location=next((method.location for method in methods if method.location), ""),
        outputs=tuple(dict.fromkeys(each for method in methods for each in method.outputs)),
        required=tuple(dict.fromkeys(each for method in methods for each in method.required)),
        reason="" if active else reason,
        next_step="" if active else next_step,
    )


def decorated_functions() -> tuple[DecoratedFunction, ...]:
    """Return the decorated functions of this process, in the order of their decoration."""
    return tuple(_functions.values())


def forget_functions() -> None:
    """Forget all functions; for tests."""
    _functions.clear()
    _held.clear()
    _holding.clear()
    os.environ.pop(_SAID, None)


def _warn(function: DecoratedFunction) -> None:
    """Print the line for a function in which nothing is adapted."""
    where = _relative_location(function.location)
    text = (
        f"knitbone: {where} {function.name}: nothing is adapted: {function.reason}; "
        f"{function.next_step} (KNITBONE_ADAPT_QUIET=1 silences this)"
    )
    line = printable(text.replace(":  ", ": "), limit=_LONGEST)
    # Fail open: there may be no standard error, or one that nobody reads any more.
    with contextlib.suppress(Exception):
        # Its module has another name where a child process imports it.
        what = f"{where or function.name} {function.reason}"
        mark = hashlib.blake2b(what.encode(), digest_size=4).hexdigest()
        said = [known for known in os.environ.get(_SAID, "").split(",") if known]
        if mark in said:
            return
        os.environ[_SAID] = ",".join([*said[1 - _REMEMBERED :], mark])
        sys.stderr.write(line + "\n")
        sys.stderr.flush()


def _relative_location(location: str) -> str:
    """Return a location as seen from the current folder, where it lies below."""
    with contextlib.suppress(OSError, ValueError):
        relative = os.path.relpath(location) if os.path.isabs(location) else location  # noqa: PTH117
        return location if relative.startswith("..") else relative
    return location
