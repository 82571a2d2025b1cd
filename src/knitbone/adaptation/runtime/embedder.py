"""The sentence embedder of this process, loaded once and warm."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from knitbone._forks import new_lock, renew_in_child, unforked
from knitbone._logging import get_logger, log
from knitbone.config import load_config
from knitbone.errors import KnitboneError

if TYPE_CHECKING:
    from knitbone.common.similarity import TextEmbedder

__all__ = ["load_embedder", "load_embedder_ahead"]

_logger = get_logger(__name__)
_warming = new_lock()
_created: list[TextEmbedder | None] = []
_warm: list[TextEmbedder | None] = []


def load_embedder() -> TextEmbedder | None:
    """Load and warm the configured embedder; ``None`` where there is none, which is logged once."""
    if not _warm:
        with _warming:  # a hundred threads that begin at once need one model
            if not _created:
                _created.append(_new_embedder())
            if not _warm:
                _warm.append(_warm_up(_created[0]))
    return _warm[0]


def load_embedder_ahead() -> None:
    """Load an embedder that runs in this process before it is needed; no server is asked ahead."""
    if load_config().embedder.provider == "embedded":
        load_embedder()


@renew_in_child
def _reset_in_child() -> None:
    """Have a forked child warm the embedder up itself: its threads stayed in the parent."""
    _warm.clear()


def _new_embedder() -> TextEmbedder | None:
    try:
        with unforked:
            from knitbone.models.embedders import create_embedder  # noqa: PLC0415 - heavy

        return create_embedder(load_config().embedder)
    except KnitboneError as error:
        return _log_missing(error)


def _warm_up(embedder: TextEmbedder | None) -> TextEmbedder | None:
    try:
        if embedder is not None:
            embedder.embed(["warm"])
    except KnitboneError as error:
        return _log_missing(error)
    return embedder


def _log_missing(error: KnitboneError) -> None:
    log(_logger, logging.WARNING, "texts are not compared by meaning", reason=str(error))
