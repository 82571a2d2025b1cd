"""The reasons why something runs as it is, met at run time or told by the source before."""

from __future__ import annotations

import logging

from knitbone._forks import new_lock
from knitbone._logging import get_logger, log
from knitbone.adaptation.requirements.sites import Site
from knitbone.adaptation.runtime.instrument.transform import Cannot, parse_module, unfound
from knitbone.adaptation.runtime.instrument.wraps import wraps_of

__all__ = ["drop_reason", "keep_reason", "reasons", "why_untouched"]

_logger = get_logger(__name__)
_lock = new_lock()
_reasons: dict[str, str] = {}


def reasons() -> dict[str, str]:
    """Functions, modules and sites that run untouched in this process, with the reason."""
    with _lock:
        return dict(_reasons)


def keep_reason(name: str, reason: str) -> None:
    """Remember why ``name`` runs untouched."""
    with _lock:
        _reasons[name] = reason
    log(_logger, logging.WARNING, "runs untouched", target=name, reason=reason)


def drop_reason(name: str) -> None:
    """``name`` is instrumented after all."""
    with _lock:
        _reasons.pop(name, None)


def why_untouched(site: Site, source: str) -> str | None:
    """Why the values of a site cannot pass through the hooks at run time, as far as its source
    tells; ``None`` where nothing speaks against it.

    Args:
        source: the text of the site's file.
    """
    try:
        tree = parse_module(source, site.file)
    except Cannot as reason:
        return str(reason)
    if unfound(tree, wraps_of([site], site.file)):
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
