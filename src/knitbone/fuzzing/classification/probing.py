"""Trying what the documentation says: calls of the tool beside those of the campaign."""

from __future__ import annotations

from knitbone.fuzzing.classification.case import Probe
from knitbone.fuzzing.findings import judge
from knitbone.fuzzing.sandbox.client import Sandbox
from knitbone.record.events import Json

__all__ = ["prober"]


def prober(sandbox: Sandbox, *, timeout_s: float, index: int = 0) -> Probe:
    """Calls one tool of a sandbox, each time in a fresh process; asks for no call twice.

    Args:
        timeout_s: wall clock allowed to one call.
    """
    known: dict[str, str | None] = {}
    roots = sandbox.tools[index].roots

    def probe(arguments: dict[str, Json]) -> str | None:
        key = repr(arguments)
        if key not in known:
            outcome = sandbox.call(index, arguments, timeout_s=timeout_s, fresh=True)
            verdict = judge(outcome, arguments, roots=roots)
            failed = outcome.status if outcome.status != "ok" else None
            known[key] = failed if verdict is None else verdict.id
        return known[key]

    return probe
