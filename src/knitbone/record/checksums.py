"""Checksums of what a store keeps, so that a row which a disk or a hand changed is known for it.

CRC-32: it finds every change of up to 32 neighbouring bits, and of other damage all but one in four
thousand million. A keyed or cryptographic digest would find no more of what a disk does, and costs
four times as much of a small row and eight bytes more (``benchmarks.records``): nobody is kept from
forging a row by it. Messages have their BLAKE2b digest, by which they are found
(:mod:`knitbone.record.event_rows`); an event's checksum covers the digests of its messages.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

import msgspec

__all__ = ["event_checksum", "row_checksum"]

_NONE = b"\0"
_encode = msgspec.msgpack.encode


def event_checksum(
    run_id: str, body: bytes, given: Iterable[bytes] | None, said: bytes | None
) -> int:
    """The checksum of an event, to which the store adds its place in the run.

    Args:
        given: the digests of the messages that a model was given; ``None`` where there are none.
        said: the digest of what it answered.
    """
    mixed = zlib.crc32(body, zlib.crc32(run_id.encode("utf-8", "surrogatepass")))
    if given is None:
        return mixed
    return zlib.crc32(said or _NONE, zlib.crc32(b"".join(given), mixed))


def row_checksum(*values: str | bytes | int | None) -> int:
    """The checksum of a row's columns in their order."""
    return zlib.crc32(_encode(values))
