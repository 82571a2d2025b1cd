"""The fixed texts of which a secret bears one, all found in one pass over a text.

Every record passes here in the agent's call, so most texts have to be let go at once. The pass is
Aho and Corasick's, which takes as long for fifty texts as for one.
"""

from __future__ import annotations

from ahocorasick_rs import BytesAhoCorasick

from knitbone.core.secrets.assignments import HINTS
from knitbone.core.secrets.commands import COMMAND_HINTS
from knitbone.core.secrets.cues import CUES, cue_of
from knitbone.core.secrets.names import FOREIGN
from knitbone.core.secrets.nearness import Announcement

__all__ = ["Marks", "announcements", "read_marks"]

_BLOCKS = (b"private key", b"private-lines")
_ADDRESS = b"://"
_ENCODINGS = (_ADDRESS, b"&#", b"%", b"+-", b"\\u0")
"""Without one of these, a name or a long run nothing is encoded that would be a secret."""
_HASH = b"$"
_ALL = tuple(dict.fromkeys((*HINTS, *COMMAND_HINTS, *_BLOCKS, *_ENCODINGS, _HASH, *CUES)))
_SEARCH = BytesAhoCorasick(_ALL)
_NAMES = frozenset(_ALL.index(hint) for hint in HINTS)
_CUES = frozenset(_ALL.index(word) for word in CUES)
_FOREIGN = BytesAhoCorasick([word.encode() for word in FOREIGN])


class Marks:
    """What a text bears.

    Attributes:
        names: where a part of a name stands that may announce a secret, in order; of names written
            in other letters than ASCII only whether there are any (``is_foreign``).
        commands: hints of commands.
        cues: words near which a secret may stand.
    """

    __slots__ = (
        "commands",
        "cues",
        "has_address",
        "has_block",
        "has_encoding",
        "has_hash",
        "is_foreign",
        "names",
    )

    def __init__(self, found: list[tuple[int, int, int]], *, is_foreign: bool) -> None:
        kinds = {_ALL[index] for index, _, _ in found}
        self.names = sorted({start for index, start, _ in found if index in _NAMES})
        self.cues = [(start, index) for index, start, _ in found if index in _CUES]
        self.is_foreign = is_foreign
        self.commands = kinds.intersection(COMMAND_HINTS)
        self.has_block = not kinds.isdisjoint(_BLOCKS)
        self.has_address = _ADDRESS in kinds
        self.has_encoding = not kinds.isdisjoint(_ENCODINGS)
        self.has_hash = _HASH in kinds


def announcements(text: str, marks: Marks, named: list[Announcement]) -> list[Announcement]:
    """All words of a text that announce a secret, in order.

    Args:
        named: names of secrets among them.
    """
    for start, index in marks.cues:
        word = _ALL[index]
        cue = cue_of(word, text, start)
        if cue is not None:
            named.append(Announcement(start, start + len(word), cue))
    named.sort(key=_end)
    return named


def _end(one: Announcement) -> int:
    return one.end


def read_marks(text: str, folded: bytes) -> Marks | None:
    """What the text bears; ``None`` where it bears nothing.

    Args:
        folded: the text in small letters, a byte a character.
    """
    found = _SEARCH.find_matches_as_indexes(folded, overlapping=True)
    is_foreign = not text.isascii() and bool(
        _FOREIGN.find_matches_as_indexes(text.encode("utf-8", "surrogatepass"))
    )
    return Marks(found, is_foreign=is_foreign) if found or is_foreign else None
