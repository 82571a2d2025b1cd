"""What every embedder promises, and the handling of text and vectors they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from knitbone.errors import import_extra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = import_extra("numpy", extra="embed", purpose="Sentence embedding")

__all__ = ["Embedder", "Vectors", "clean", "place_rows", "unit_rows"]

Vectors: TypeAlias = "NDArray[np.float32]"
"""An array of shape (n, d), one row a text."""


class Embedder(Protocol):
    """Turns texts into vectors whose dot product is their cosine similarity.

    Implementations may be called from several threads at once.
    """

    @property
    def name(self) -> str:
        """The model, as thresholds know it."""
        ...

    @property
    def identity(self) -> str:
        """The model, where it runs, and how text is prepared for it: the key of a cache.

        Two embedders with one identity give the same vector for the same text.
        """
        ...

    @property
    def dimension(self) -> int | None:
        """Length of a vector; None while an endpoint has not been asked yet."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row a text, in order: shape (n, d), float32, of unit length.

        A text without anything to embed (empty, blank, control characters only) has the zero
        row, so its similarity to every text, itself included, is 0. Longer text than the model
        takes is cut off at its end. Lone surrogates and NULs are dropped.

        Raises:
            ModelError: the model cannot be loaded or reached, or answers nonsense.
            MissingExtraError: its library is not installed.
        """
        ...


def clean(text: str, *, max_characters: int) -> str:
    """The text as a model can take it: valid Unicode, no NUL, stripped, and of bounded length.

    The bound comes first, so that a text of 100 MB costs no more than a short one.
    """
    kept = text.lstrip()[:max_characters]
    if not kept.isascii():
        # Lone surrogates cannot be encoded, and two that belong together are one character.
        kept = kept.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return kept.replace("\0", "").strip()


def unit_rows(vectors: NDArray[np.floating]) -> Vectors:
    """The rows at unit length; a zero row stays zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(
        vectors, lengths, out=np.zeros(vectors.shape, dtype=np.float64), where=lengths > 0
    ).astype(np.float32)


def place_rows(rows: Vectors, places: Sequence[int], *, count: int) -> Vectors:
    """``rows`` at ``places`` among ``count`` rows; the others are zero."""
    placed = np.zeros((count, rows.shape[1]), dtype=np.float32)
    placed[list(places)] = rows
    return placed
