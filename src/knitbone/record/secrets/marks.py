"""The fixed texts of which a secret bears one, all found in one pass over a text.

Every record passes here in the agent's call, so most texts have to be let go at once. The pass is
Aho and Corasick's, which takes as long for fifty texts as for one.
"""

from __future__ import annotations

from collections.abc import Iterable

from ahocorasick_rs import BytesAhoCorasick

from knitbone.record.secrets.assignments import HINTS
from knitbone.record.secrets.commands import COMMAND_HINTS
from knitbone.record.secrets.cues import CUES, Announcement, Cue, cue_of
from knitbone.record.secrets.names import FOREIGN
from knitbone.record.secrets.sequences import PHRASES

__all__ = ["Marks", "announcements", "read_marks"]

_BLOCKS = (b"private key", b"private-lines")
_ADDRESS = b"://"
_ENCODINGS = (_ADDRESS, b"&#", b"%", b"+-", b"\\u")
"""Without one of these, a name or a long run nothing is encoded that would be a secret."""
_HASH = b"$"
_ALL = tuple(dict.fromkeys((*HINTS, *COMMAND_HINTS, *_BLOCKS, *_ENCODINGS, _HASH, *CUES)))
_SEARCH = BytesAhoCorasick(_ALL)


def _places(words: Iterable[bytes]) -> frozenset[int]:
    return frozenset(_ALL.index(word) for word in words)


_NAMES = _places(HINTS)
_CUES = _places(CUES)
_COMMANDS = _places(COMMAND_HINTS)
_OF_BLOCKS = _places(_BLOCKS)
_OF_ENCODINGS = _places(_ENCODINGS)
_OF_PHRASES = _places(word.encode() for word in PHRASES)
_AT_ADDRESS, _AT_HASH = _ALL.index(_ADDRESS), _ALL.index(_HASH)
_FOREIGN = BytesAhoCorasick([word.encode() for word in FOREIGN])


class Marks:
    """What a text bears.

    Attributes:
        names: where a part of a name stands that may announce a secret, in order; of names written
            in other letters than ASCII only whether there are any (``is_foreign``).
        commands: hints of commands.
        has_cues: whether there are words near which a secret may stand.
    """

    __slots__ = (
        "_found",
        "_of_cues",
        "commands",
        "has_address",
        "has_block",
        "has_cues",
        "has_encoding",
        "has_hash",
        "has_phrase",
        "is_foreign",
        "names",
    )

    def __init__(self, found: list[tuple[int, int, int]], *, is_foreign: bool) -> None:
        indexes = {index for index, _, _ in found}
        of_names, of_cues = indexes & _NAMES, indexes & _CUES
        self.names = (
            sorted({start for index, start, _ in found if index in of_names}) if of_names else []
        )
        self._found = found
        self._of_cues = of_cues
        self.has_cues = bool(of_cues)
        self.is_foreign = is_foreign
        commands = indexes & _COMMANDS
        self.commands = {_ALL[index] for index in commands}
        self.has_block = not indexes.isdisjoint(_OF_BLOCKS)
        self.has_address = _AT_ADDRESS in indexes
        self.has_encoding = not indexes.isdisjoint(_OF_ENCODINGS)
        self.has_hash = _AT_HASH in indexes
        self.has_phrase = not indexes.isdisjoint(_OF_PHRASES)

    @property
    def kinds(self) -> set[Cue]:
        """What the words say near which a secret may stand."""
        return {CUES[_ALL[index]] for index in self._of_cues}

    def cues(self) -> list[tuple[int, bytes]]:
        """These words, and where they stand."""
        return [(start, _ALL[index]) for index, start, _ in self._found if index in self._of_cues]


def announcements(text: str, marks: Marks, named: Iterable[Announcement]) -> list[Announcement]:
    """All words of a text that announce a secret, in order.

    Args:
        named: names of secrets among them.
    """
    found = list(named)
    for start, word in marks.cues():
        cue = cue_of(word, text, start)
        if cue is not None:
            found.append(Announcement(start, start + len(word), cue))
    found.sort(key=_end)
    return found


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
