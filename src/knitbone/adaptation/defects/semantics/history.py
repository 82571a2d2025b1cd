"""What earlier answers at the same place said (external redundancy).

In a chat a repeated answer is only reported: another answer's text is never delivered for it. A
loop of refinements ends when an iteration says what the one before said (Comfrey §4.5.2); the
code that runs the loop asks ``repeats``.
"""

from __future__ import annotations

import threading
from collections import deque

from knitbone.adaptation.checks import Invocation
from knitbone.adaptation.defects.semantics.atoms import read_answer
from knitbone.core.facts import difference, read_claim, read_words
from knitbone.core.thresholds import thresholds_for

__all__ = ["MIN_WORDS_REPORTED", "AnswerHistory", "repeats"]

MIN_WORDS_REPORTED = 20
"""Shorter answers (``yes``, a label, a refusal) are the right answer to many questions."""
_MAX_SITES = 256
_MAX_TEXT = 131_072


class AnswerHistory:
    """The last answers of each place in one session, and what was asked. Thread-safe, bounded."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sites: dict[str, deque[tuple[str, int]]] = {}

    def note(self, site: str, query: str, text: str, *, keep: int) -> str:
        """Remember an answer. Returns the other question that had the same one before, or ``""``.

        An answer to the same question may be the same; without a question nothing is said.
        """
        words = read_words(text)
        key = hash(words)
        with self._lock:
            if site not in self._sites and len(self._sites) >= _MAX_SITES:
                self._sites.pop(next(iter(self._sites)))
            queue = self._sites.setdefault(site, deque())
            others = [asked for asked, said in queue if said == key and asked and asked != query]
            if (query, key) not in queue:
                queue.append((query, key))
            while len(queue) > keep:
                queue.popleft()
        long = len(words) >= MIN_WORDS_REPORTED
        return others[-1] if others and query and long else ""


def repeats(answer: str, earlier: str, invocation: Invocation) -> bool:
    """Whether an iteration says nothing that the one before did not say, and nothing less.

    Sentence by sentence in order: the same facts, and where the words differ an embedder's
    cosine over tau_redundancy. Code and data have to be the same but for blanks.
    """
    if answer.strip() == earlier.strip():
        return True
    if max(len(answer), len(earlier)) > _MAX_TEXT:
        return False
    deadline = invocation.deadline
    ours, theirs = read_answer(answer, deadline).atoms, read_answer(earlier, deadline).atoms
    if len(ours) != len(theirs) or not ours:
        return False
    reworded: list[tuple[str, str]] = []
    for one, other in zip(ours, theirs, strict=True):
        invocation.deadline.check()
        if one.kind != other.kind:
            return False
        if one.kind == "other":
            if one.text.split() != other.text.split():
                return False
        elif one.words != other.words:
            left, right = read_claim(one.text), read_claim(other.text)
            if difference(left, right) or difference(right, left):
                return False
            reworded.append((one.text, other.text))
    return not reworded or _alike(reworded, invocation)


def _alike(pairs: list[tuple[str, str]], invocation: Invocation) -> bool:
    embedder = invocation.embedder
    if embedder is None:
        return False
    tau = invocation.config.tau_redundancy
    limit = thresholds_for(embedder.name).redundancy if tau is None else tau
    rows = embedder.embed([text for pair in pairs for text in pair])
    return all(float(rows[i] @ rows[i + 1]) > limit for i in range(0, len(rows), 2))
