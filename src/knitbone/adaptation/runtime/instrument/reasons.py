"""The reasons why functions, modules and sites of this process run without instrumentation."""

from __future__ import annotations

import logging

from knitbone._forks import new_lock
from knitbone._logging import get_logger, log
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.instrument.transform import (
    InstrumentationError,
    missing_wraps,
    parse_module,
)
from knitbone.adaptation.runtime.instrument.wraps import wraps_of

__all__ = ["drop_reason", "keep_reason", "reasons", "why_untouched"]

_logger = get_logger(__name__)
_lock = new_lock()
_reasons: dict[str, str] = {}


def reasons() -> dict[str, str]:
    """Return the functions, modules and sites that run untouched, with the reason."""
    with _lock:
        return dict(_reasons)


def keep_reason(name: str, reason: str) -> None:
    """Remember why ``name`` runs untouched."""
    with _lock:
        _reasons[name] = reason
    log(_logger, logging.WARNING, "runs untouched", target=name, reason=reason)


def drop_reason(name: str) -> None:
    """Forget the reason of ``name``: it is instrumented after all."""
    with _lock:
        _reasons.pop(name, None)


def why_untouched(site: Site, source: str) -> str | None:
    """Return the reason why the values of a site cannot be adapted at run time; ``None``: there is
    none.

    It is read from the site's source, so that ``knitbone check`` can show it beforehand.

    Args:
        source: the text of the site's file.
    """
    try:
        tree = parse_module(source, site.file)
    except InstrumentationError as reason:
        return str(reason)
    if missing_wraps(tree, wraps_of([site], site.file)):
        return (
            "its expression does not stand exactly once at its place in the source "
            "(inside an f-string, up to Python 3.11)"
        )
    if site.function == "<module>":
        return (
            "it stands at the top level of its module: the decorator cannot reach it, "
            "`knitbone run` does"
        )
    return None
