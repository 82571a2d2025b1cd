"""TF-IDF similarity of short texts, with numpy alone.

Weighting as in scikit-learn's default (Comfrey §5 uses that library): raw term counts, smoothed
idf ``ln((1 + n) / (1 + df)) + 1``, rows at unit length.

A term is a run of letters, digits and underscores, case folded, of one character or more: "3" and
"x" count, because they are often all that two texts differ in. Scripts that write no spaces
(Chinese, Japanese, Thai, Lao, Khmer, Burmese) give overlapping pairs of characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from knitbone.errors import import_extra

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = import_extra("numpy", extra="embed", purpose="Text similarity")

__all__ = ["MAX_CHARACTERS", "terms", "tfidf_similarity"]

MAX_CHARACTERS = 65_536
"""What of one text is looked at."""
_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(rf"([{_SPACELESS}]+)|[^\W{_SPACELESS}]+")
_CHUNK = 1_024
"""Terms held as dense columns at once: 4 MB for 1,000 texts."""


def terms(text: str) -> list[str]:
    """The terms of a text, in order, repeats included."""
    found: list[str] = []
    for match in _RUN.finditer(text[:MAX_CHARACTERS].casefold()):
        run = match.group()
        if match.group(1) and len(run) > 1:
            found.extend(run[place : place + 2] for place in range(len(run) - 1))
        else:
            found.append(run)
    return found


def tfidf_similarity(texts: Sequence[str]) -> NDArray[np.float32]:
    """The cosine of every two texts: shape (n, n), 0 to 1.

    A text without terms is like no text, itself included. Memory grows with n², time with n²
    times the number of terms that two texts or more share (0.5 s for 1,000 paragraphs).
    """
    counts = [Counter(terms(text)) for text in texts]
    n = len(texts)
    document_frequency = Counter(term for count in counts for term in count)
    idf = {term: float(np.log((1 + n) / (1 + df))) + 1 for term, df in document_frequency.items()}
    lengths = np.array(
        [sum((times * idf[term]) ** 2 for term, times in count.items()) ** 0.5 for count in counts],
        dtype=np.float64,
    )
    similarity = np.zeros((n, n), dtype=np.float32)
    # A term of one text alone adds to that text's length only: most columns need not exist.
    shared = [term for term, df in document_frequency.items() if df > 1]
    for start in range(0, len(shared), _CHUNK):
        columns = {term: place for place, term in enumerate(shared[start : start + _CHUNK])}
        block = np.zeros((n, len(columns)), dtype=np.float32)
        for row, count in enumerate(counts):
            for term in count.keys() & columns.keys():
                block[row, columns[term]] = count[term] * idf[term] / lengths[row]
        similarity += block @ block.T
    np.fill_diagonal(similarity, lengths > 0)
    return np.clip(similarity, 0, 1)
