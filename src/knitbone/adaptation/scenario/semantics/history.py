"""The history of answers at each place of a session, to report repeated ones (external redundancy).

In a chat a repeated answer is only reported: another answer's text is never delivered for it. For
loops that refine an answer see ``iterations.py``.
"""

from __future__ import annotations

from collections import deque

from knitbone._forks import new_lock
from knitbone.adaptation.scenario.facts import read_words

__all__ = ["MIN_WORDS_REPORTED", "AnswerHistory"]

MIN_WORDS_REPORTED = 20
"""Shorter answers (``yes``, a label, a refusal) are the right answer to many questions."""
_MAX_SITES = 256


class AnswerHistory:
    """The last answers of each place in one session, and the questions. Thread-safe, bounded."""

    def __init__(self) -> None:
        self._lock = new_lock()
        self._sites: dict[str, deque[tuple[str, int]]] = {}

    def note(self, site: str, query: str, text: str, *, keep: int) -> str:
        """Remember an answer; return the other question that got the same one before, or ``""``.

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
