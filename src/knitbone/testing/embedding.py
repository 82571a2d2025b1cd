"""A simulated sentence embedding: words hashed into a vector. It knows nothing of meaning."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable

__all__ = ["simulated_embedding"]

DIMENSIONS = 256


def simulated_embedding(texts: Iterable[str], *, dimensions: int = DIMENSIONS) -> list[list[float]]:
    """One unit vector of ``dimensions`` numbers a text, the same on every machine.

    *Simulated*: each lower-cased word adds or subtracts one at a place given by its hash, so the
    cosine follows shared words, never shared meaning. A text without words is the first axis.
    """
    return [_embed(text, dimensions) for text in texts]


def _embed(text: str, dimensions: int) -> list[float]:
    vector = [0.0] * dimensions
    for word in text.lower().split():
        digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
        place = int.from_bytes(digest[:8], "big") % dimensions
        vector[place] += 1.0 if digest[8] & 1 else -1.0
    length = math.sqrt(sum(value * value for value in vector))
    if length == 0:
        return [1.0] + [0.0] * (dimensions - 1)
    return [value / length for value in vector]
