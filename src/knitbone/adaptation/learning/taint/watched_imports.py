"""Watch an application's modules as they are imported: their code is rewritten on the way.

Compiled files on disk are neither read nor written: they hold the code as it was.
"""

from __future__ import annotations

import ast
import builtins
import logging
import operator
import re
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType
from typing import Any, cast

from knitbone._logging import get_logger, log
from knitbone.adaptation.learning.taint.call_watch import (
    CONTAINERS,
    LEAVES,
    MAX_LISTED,
    set_scope,
    text_keys,
    track_object,
    tracked,
    watch,
)
from knitbone.adaptation.learning.taint.containers import TaintDict, TaintList, TaintTuple
from knitbone.adaptation.learning.taint.marks import Mark, Varying, Written
from knitbone.adaptation.learning.taint.places import Scope
from knitbone.adaptation.learning.taint.rewrite import rewrite_module
from knitbone.adaptation.learning.taint.strings import TaintStr, plain_str
from knitbone.adaptation.learning.taint.tainted_kinds import TAINTED, kind_of, mark_of, plain, taint
from knitbone.common.source import parse_source
from knitbone.loading.hook import ImportHook, compile_with

__all__ = ["HELPERS", "compile_watched", "start_watching", "watching"]


# Helpers that rewritten code calls: f-strings, unpacking, loops, ``in``, subscripts, attributes.
#
# Each helper does exactly what the expression did; what is not tainted passes at once.

_MAX_VALUES = 64
"""Members of a collection that a text is compared with; more are not constants of the code."""
_COLLECTIONS: frozenset[type[Any]] = frozenset({list, tuple, set, frozenset, dict})


def _join_pieces(*pieces: Any) -> str:
    """Return the f-string of pieces that were formatted one by one."""
    text = "".join(map(plain_str, pieces))
    for index, piece in enumerate(pieces):
        mark = mark_of(piece)
        if mark is not None:
            around = (_around(pieces[:index]), _around(pieces[index + 1 :]))
            return taint(text, mark.record("format", around))
    return text


def _around(pieces: tuple[Any, ...]) -> Any:
    """Return the text of the pieces beside a tainted one."""
    if all(type(piece) is str for piece in pieces):
        return "".join(pieces)
    return Varying("...")


def _unpack(value: Any, count: int) -> Any:
    """Return a value that is unpacked to ``count`` names."""
    if type(value) not in (TaintList, TaintTuple):
        return value
    mark, items = mark_of(value), plain(value)
    if mark is None:
        return items
    if len(items) != count:
        made = mark.record("unpack", (Written(0), Written(count)))
        if made is not None:
            made.note_raised()
        return items
    return tuple(
        taint(item, mark.record("unpack", (Written(index), Written(count))))
        for index, item in enumerate(items)
    )


def _loop(iterable: Any, count: int) -> Any:
    """Return what a loop goes over; each item is unpacked to ``count`` names, or not at
    all for 0."""
    kind = kind_of(iterable)
    if kind is TaintDict:
        mark = mark_of(iterable)
        if mark is not None:
            mark.record("iterate")
        return iterable
    if kind in TAINTED:
        # The iterator is made here, where the place is that of the iterable.
        items = iter(iterable)
        return _unpacked(items, count) if count else items
    mark = tracked(iterable) if kind not in CONTAINERS else None
    if mark is not None:
        return _rows(iterable, mark.record("iterate"), count)
    if count and kind in (list, tuple):
        held = cast("list[Any]", iterable)
        if any(type(item) in (TaintList, TaintTuple) for item in held[:MAX_LISTED]):
            return _unpacked(held, count)
    return iterable


def _unpacked(iterable: Iterable[Any], count: int) -> Iterator[Any]:
    """Yield the items, each unpacked to ``count`` names."""
    for item in iterable:
        yield _unpack(item, count)


def _rows(iterable: Iterable[Any], mark: Mark | None, count: int) -> Iterator[Any]:
    """Yield what comes out of a reader or an iterator of matches."""
    for row in iterable:
        made = taint(row, mark) if kind_of(row) in CONTAINERS else track_object(row, mark)
        yield _unpack(made, count) if count else made


def _contains(left: Any, right: Any) -> bool:
    """Evaluate ``left in right``."""
    kind = kind_of(right)
    if type(left) is not TaintStr or kind not in _COLLECTIONS:
        return operator.contains(right, left)
    found = operator.contains(right, plain_str(left))
    mark = mark_of(left)
    if mark is not None:
        known = len(right) <= _MAX_VALUES and all(kind_of(v) in LEAVES for v in right)
        made = mark.record("in", (_in_order(right) if known else Varying("..."),))
        if made is not None and found:
            made.note_live()
    return found


def _lacks(left: Any, right: Any) -> bool:
    """Evaluate ``left not in right``."""
    return not _contains(left, right)


def _in_order(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return the members, in an order that is the same in every run."""
    if isinstance(values, set | frozenset):
        return tuple(sorted(cast("set[Any]", values), key=repr))
    return tuple(values)


def _item(holder: Any, key: Any) -> Any:
    """Evaluate ``holder[key]``."""
    if type(key) is TaintStr and type(holder) is dict:
        keys = text_keys(cast("dict[Any, Any]", holder))
        mark = mark_of(key)
        if mark is not None and len(keys) <= _MAX_VALUES:
            made = mark.record("in", (keys,))
            if made is not None:
                (made.note_live if plain_str(key) in keys else made.note_raised)()
        return cast("Any", holder[plain_str(key)])
    result = holder[key]
    if type(holder) is re.Match and (mark := tracked(holder)) is not None:
        written = Written(key) if type(key) is int else key
        return taint(result, mark.record("getitem", (written,)))
    return result


def _attribute(holder: Any, name: str) -> Any:
    """Evaluate ``holder.name``, for the few names under which parsed objects keep text."""
    result = getattr(holder, name)
    mark = tracked(holder) if kind_of(holder) not in CONTAINERS else None
    if mark is None or type(result) not in (str, dict):
        return result
    return taint(result, mark.record("getattr", (name,)))


HELPERS: dict[str, Callable[..., Any]] = {
    "__knitbone_watch__": watch,
    "__knitbone_pieces__": _join_pieces,
    "__knitbone_unpack__": _unpack,
    "__knitbone_loop__": _loop,
    "__knitbone_in__": _contains,
    "__knitbone_not_in__": _lacks,
    "__knitbone_item__": _item,
    "__knitbone_attribute__": _attribute,
}
"""By the names that rewritten code knows them by."""


def install_helpers() -> None:
    """Make the helpers known to rewritten code, in every module and in exchanged ``globals``."""
    for name, helper in HELPERS.items():
        setattr(builtins, name, helper)


_logger = get_logger(__name__)

Transform = Callable[[ast.Module, ast.Module, str], CodeType | None]
"""Compiles a watched tree, given the tree as written and the file; ``None``: nothing to add."""


def compile_watched(source: bytes | str, filename: str, transform: Transform | None = None) -> Any:
    """Return the code of a module, watched; the plain code where it cannot be rewritten.

    Raises:
        SyntaxError: as ``compile`` does.
    """
    plain = compile(source, filename, "exec", dont_inherit=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # said when the plain code was compiled
            tree = parse_source(source, filename)
            watched = rewrite_module(tree)
            made = transform(watched, tree, filename) if transform is not None else None
            return made or compile(watched, filename, "exec", dont_inherit=True)
    except Exception:  # noqa: BLE001 - fail open: the module runs as it is written
        log(_logger, logging.WARNING, "module not watched", exc_info=True, file=filename)
        return plain


def start_watching(scope: Scope) -> None:
    """Watch the calls of rewritten code in this process from now on, for an importer of one's
    own."""
    install_helpers()
    set_scope(scope)


@contextmanager
def watching(scope: Scope, transform: Transform | None = None) -> Generator[None, None, None]:
    """Watch the modules of ``scope`` that are imported meanwhile."""

    def code_of(path: str) -> CodeType:
        made: CodeType = compile_watched(Path(path).read_bytes(), path, transform)
        return made

    def watch(spec: ModuleSpec) -> None:
        if spec.origin is not None and scope.contains(spec.origin):
            compile_with(spec, code_of)

    install_helpers()
    before = set_scope(scope)
    hook = ImportHook(watch)
    hook.install()
    try:
        yield
    finally:
        # Rewritten modules live on and keep their helpers, which pass plain values at once.
        hook.remove()
        set_scope(before)
