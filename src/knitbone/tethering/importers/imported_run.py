"""What an importer gives, and the identifier of what it read."""

from __future__ import annotations

import hashlib
import json

import msgspec

from knitbone.core.events import Annotation, Json, Run

__all__ = ["ImportedRun", "fingerprint"]


class ImportedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run, and apart from it whatever the file says about the run after the fact.

    Labels never enter the run, so that no diagnosis can see them.
    """

    run: Run
    labels: tuple[Annotation, ...] = ()


def fingerprint(*parts: Json) -> str:
    """An identifier made of content alone: the same run imported twice is the same run."""
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(json.dumps(part, sort_keys=True).encode("ascii"))
        digest.update(b"\0")
    return digest.hexdigest()
