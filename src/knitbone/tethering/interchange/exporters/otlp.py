"""Runs as OTLP: JSON for files, and spans in batches for a collector.

OTLP/JSON is a plain mapping, so it is written here and needs no library.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

import msgspec

from knitbone._version import __version__
from knitbone.errors import ConfigError
from knitbone.record.events import Json, Run
from knitbone.tethering.interchange.spans.run import spans_of
from knitbone.tethering.interchange.spans.values import attributes_of

__all__ = ["MAX_REQUEST", "SERVICE", "batches", "lines", "resource_attributes"]

MAX_REQUEST = 4 * 1024 * 1024
"""Bytes of JSON in one request; a collector takes 20 MiB by default, a gateway often 5."""

_encoder = msgspec.json.Encoder()
SERVICE: dict[str, Json] = {"service.name": "knitbone"}
"""Resource attributes that every trace has, unless the environment says otherwise."""


def lines(
    runs: Iterable[Run], *, untimed_ns: int, resource: Mapping[str, Json] | None = None
) -> Iterator[bytes]:
    """One line of OTLP/JSON a run, as the collector's file exporter writes.

    Args:
        untimed_ns: see ``spans_of``.
        resource: resource attributes, such as ``service.name``.
    """
    for run in runs:
        spans = list(spans_of(run, untimed_ns=untimed_ns))
        yield _encoder.encode(_traces(spans, resource)) + b"\n"


def batches(run: Run, *, untimed_ns: int) -> Iterator[list[dict[str, Any]]]:
    """The run's spans, in batches of at most ``MAX_REQUEST`` bytes of JSON; a larger span goes
    alone."""
    batch: list[dict[str, Any]] = []
    size = 0
    for span in spans_of(run, untimed_ns=untimed_ns):
        length = len(_encoder.encode(span))
        if batch and size + length > MAX_REQUEST:
            yield batch
            batch, size = [], 0
        batch.append(span)
        size += length
    yield batch


def resource_attributes(environ: Mapping[str, str]) -> dict[str, Json]:
    """``OTEL_RESOURCE_ATTRIBUTES`` and ``OTEL_SERVICE_NAME``, which goes before.

    Raises:
        ConfigError: not a list of ``key=value``, percent-encoded (W3C Baggage without properties).
    """
    found: dict[str, Json] = {}
    said = environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    for number, item in enumerate(part for part in said.split(",") if part.strip()):
        key, equals, value = item.partition("=")
        key, value = unquote(key.strip()), unquote(value.strip())
        if not equals or not key or not (key + value).isprintable():
            raise ConfigError(
                f"OTEL_RESOURCE_ATTRIBUTES: entry {number + 1} is not key=value.",
                next_step="Write key1=value1,key2=value2; encode other characters as %20.",
            )
        found[key] = value
    if name := environ.get("OTEL_SERVICE_NAME"):
        found["service.name"] = name
    return found


def _traces(spans: Sequence[Any], resource: Mapping[str, Json] | None) -> dict[str, Any]:
    scope = {"name": "knitbone", "version": __version__}
    attributes = attributes_of(SERVICE | dict(resource or {}))
    groups = [{"scope": scope, "spans": list(spans)}]
    return {"resourceSpans": [{"resource": {"attributes": attributes}, "scopeSpans": groups}]}
