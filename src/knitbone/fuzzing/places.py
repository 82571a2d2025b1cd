"""Places within arguments, also within a document that a text holds: what stands there, and the
arguments with something else there."""

from __future__ import annotations

import base64
import copy
import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, cast

__all__ = ["Codec", "Path", "at", "places", "replaced"]

_DEPTH = 8
_MOST = 400
"""Places that are looked at (ours)."""
_SHORTEST_CODED = 8
_LONGEST_DOCUMENT = 20_000


class Codec(NamedTuple):
    """A way in which a text holds something else."""

    read: Callable[[str], Any]
    write: Callable[[Any], str]


Path = tuple["str | int | Codec", ...]


def _json(text: str) -> Any:
    if text.lstrip()[:1] not in ("{", "[") or len(text) > _LONGEST_DOCUMENT:
        raise ValueError
    return json.loads(text)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _of_base64(text: str) -> str:
    if not _SHORTEST_CODED <= len(text) <= _LONGEST_DOCUMENT:
        raise ValueError
    return base64.b64decode(text, validate=True).decode("utf-8")


def _to_base64(value: str) -> str:
    return base64.b64encode(value.encode("utf-8")).decode("ascii")


_CODECS = (Codec(_json, _compact), Codec(_of_base64, _to_base64))


def places(value: Any) -> Iterator[tuple[Path, Any]]:
    """Every place below a value with what stands there, the outermost first."""
    queue: list[tuple[Path, Any]] = [((), value)]
    for number, (path, found) in enumerate(queue):
        if number >= _MOST:
            return
        if path:
            yield path, found
        if len(path) < _DEPTH:
            queue += [((*path, step), part) for step, part in _parts(found)]


def _parts(value: Any) -> Iterator[tuple[str | int | Codec, Any]]:
    if isinstance(value, dict):
        yield from cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        yield from enumerate(cast("list[Any]", value))
    elif isinstance(value, str):
        for codec in _CODECS:
            try:
                yield codec, codec.read(value)
            except (ValueError, RecursionError):
                continue


def at(value: Any, path: Path) -> Any:
    """What stands at a place.

    Raises:
        LookupError, TypeError, ValueError: there is no such place.
    """
    for step in path:
        value = step.read(value) if isinstance(step, Codec) else value[step]
    return value


def replaced(value: Any, path: Path, new: Any) -> Any:
    """A copy with something else at a place.

    Raises:
        LookupError, TypeError, ValueError: there is no such place.
    """
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(step, Codec):
        return step.write(replaced(step.read(value), rest, new))
    copied = copy.copy(value)
    copied[step] = replaced(copied[step], rest, new)
    return copied
