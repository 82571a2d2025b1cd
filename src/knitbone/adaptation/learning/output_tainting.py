"""Outputs of sites on their way to the application: their texts are exchanged for tainted ones.

A hook of the stage CAPTURE. Values keep their type; an output that holds no text passes as it is.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from typing import Any

from knitbone._forks import new_lock
from knitbone._logging import get_logger, log
from knitbone.adaptation.learning.taint import (
    Answer,
    FilePlace,
    Mark,
    RecordedOperation,
    Scope,
    Tree,
    taint,
)
from knitbone.adaptation.requirements.sites import Form, Site
from knitbone.adaptation.runtime.active_site import ActiveSite
from knitbone.adaptation.runtime.values.replacement import replace_texts
from knitbone.adaptation.runtime.values.streams import wrap_stream
from knitbone.adaptation.runtime.values.texts import ValueText, find_texts

__all__ = ["OutputTainter", "identity_of"]

_logger = get_logger(__name__)

_DEEPEST = 200
"""Texts of one output that are followed; the rest pass plain (ours)."""


def identity_of(site: Site) -> str:
    """Return the name of a site that is the same in every process."""
    return f"{site.number:x}"


class OutputTainter:
    """Taints the outputs of all sites of this process, and holds their trees.

    Args:
        scope: the application's own files.
        notify: called after each answer.
    """

    def __init__(self, scope: Scope, notify: Callable[[], None] | None = None) -> None:
        self._scope = scope
        self._notify = notify
        self._lock = new_lock()
        self._trees: dict[str, Tree] = {}

    @property
    def trees(self) -> list[Tree]:
        """Return one tree for each site that has brought an answer."""
        with self._lock:
            return list(self._trees.values())

    def forget(self) -> None:
        """Begin anew: in a forked process, what the parent saw is the parent's."""
        self._trees = {}

    def hook(self, value: Any, site: Any) -> Any:
        """Return the output with its texts tainted."""
        if not isinstance(site, ActiveSite):
            return value
        answer = self._tree(site.site, site.site.form).answer()
        if answer is None:
            return value
        answer.note_callers(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
        made = tainted_output(value, answer, site.site)
        if self._notify is not None:
            self._notify()
        return made

    def stream(self, value: Any, site: ActiveSite) -> Any:
        """Return the stream with the texts of its pieces tainted; all pieces are one answer."""
        answer = self._tree(site.site, "text").answer()
        if answer is None:
            return value
        answer.note_callers(sys._getframe(1))  # pyright: ignore[reportPrivateUsage]
        return wrap_stream(value, _Pieces(answer))

    def _tree(self, site: Site, form: Form) -> Tree:
        """Return the tree of a site."""
        identity = identity_of(site)
        with self._lock:
            if identity not in self._trees:
                self._trees[identity] = Tree(identity, self._scope, form)
            return self._trees[identity]


class _Pieces:
    """Taints the items of a stream; a ``values.streams.Filter``. Put together, pieces with the mark
    of the whole answer are the answer."""

    def __init__(self, answer: Answer) -> None:
        self._mark = answer.mark()

    def feed(self, item: Any) -> Sequence[Any]:
        """Return the item with its texts tainted."""
        try:
            found = find_texts(item)[:_DEEPEST]
            texts = [taint(part.text, self._mark) for part in found]
            return (replace_texts(item, found, texts, always=True),)
        except Exception:  # noqa: BLE001 - fail open: the piece passes as it is
            log(_logger, logging.DEBUG, "piece not watched", exc_info=True)
            return (item,)

    def finish(self) -> Sequence[Any]:
        """Return what is left at the end: nothing."""
        return ()

    def leave(self) -> Sequence[Any]:
        """Return what is left where the stream is broken off: nothing."""
        return ()


def tainted_output(value: Any, answer: Answer, site: Site) -> Any:
    """Return the output with its texts tainted, each marked with the way to it."""
    if type(value) is str or (type(value) is dict and site.form == "object"):
        return taint(value, answer.mark())
    found = find_texts(value)[:_DEEPEST]
    texts = [taint(part.text, _mark_of_part(part, answer, site)) for part in found]
    return replace_texts(value, found, texts, always=True)


def _mark_of_part(part: ValueText, answer: Answer, site: Site) -> Mark:
    """Return the mark of a text inside an object: as if the code had walked there."""
    node = answer.tree.root
    place = FilePlace(site.file, site.line, site.column, site.end_line, site.end_column)
    for key in part.paths[0]:
        series = isinstance(key, int) and site.form in ("documents", "texts")
        name = "iterate" if series else "getitem" if isinstance(key, int) else "getattr"
        child = node.child(RecordedOperation(name, () if series else (key,)), place, answer.tree)
        if child is None:
            break
        node = child
        answer.hits.add(node.number)
        answer.live.add(node.number)
    return Mark(answer, node)
