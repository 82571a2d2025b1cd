"""Tools of a rehearsal room: playlists, chords, tempo, forms of songs."""

import csv
import io
import re

_NATURAL = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
_FLAT = {"Db": 1, "Eb": 3, "Gb": 6, "Ab": 8, "Bb": 10}
_NAMES = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")


class _Playlist:
    def __init__(self) -> None:
        self._titles: list[str] = []
        self._at = 0

    def add(self, title: str) -> str:
        """Put a title at the end of the playlist.

        Args:
            title: The title, 1 to 60 letters, digits and spaces; others are refused, and so are
                a title that is there already, and more than 40 titles.
        """
        if not re.fullmatch(r"[\w .,'-]{1,60}", title):
            raise ValueError("title: 1 to 60 letters, digits and spaces are needed")
        if title in self._titles or len(self._titles) == 40:
            raise ValueError("title: it is there already, or the playlist is full")
        self._titles.append(title)
        return f"{len(self._titles)}. {title}"

    def remove(self, title: str) -> str:
        """Take a title off the playlist.

        Args:
            title: The title; one that is not on the playlist is refused.
        """
        if title not in self._titles:
            raise ValueError("title: it is not on the playlist")
        self._titles.remove(title)
        return f"{len(self._titles)} titles are left"

    def next(self) -> str:
        """Play the next title of the playlist; after the last one, start again with the first.

        Raises:
            ValueError: The playlist is empty.
        """
        if not self._titles:
            raise ValueError("the playlist is empty")
        title = self._titles[self._at]
        self._at = (self._at + 1) % len(self._titles)
        return f"now playing {title}"


_playlist = _Playlist()
playlist_add = _playlist.add
playlist_remove = _playlist.remove
playlist_next = _playlist.next


def chord_notes(chord: str) -> str:
    """Spell the three notes of a chord, with sharps.

    Args:
        chord: Root of the chord, which is a letter A to G, perhaps with "#" or "b" after it, and
            "m" if it is minor, as in "F#m". For anything else the answer is "unknown chord".
    """
    match = re.fullmatch("([A-G][#b]?)(m?)", chord)
    if match is None:
        return "unknown chord"
    root, minor = match.groups()
    first = _FLAT[root] if root.endswith("b") else _NATURAL[root[0]] + root.count("#")
    steps = (0, 3, 7) if minor else (0, 4, 7)
    return " ".join(_NAMES[(first + step) % 12] for step in steps)


def mean_tempo(table: str) -> float:
    """Compute the mean tempo of a piece.

    Args:
        table: CSV with the header "bar,bpm" and a row for every change of tempo, as in
            "bar,bpm\\n1,96\\n17,120". Blank lines are ignored.

    Raises:
        ValueError: The table is not CSV, its header is different, it has no row, or a tempo is not
            a number of one to three digits.
    """
    try:
        rows = [row for row in csv.reader(io.StringIO(table)) if row]
    except csv.Error as error:
        raise ValueError(f"table: not CSV ({error})") from error
    if not rows or rows[0] != ["bar", "bpm"]:
        raise ValueError('table: the header must be "bar,bpm"')
    if len(rows) == 1:
        raise ValueError("table: there is no row")
    tempos = []
    for row in rows[1:]:
        tempo = row[1].strip()
        if not re.fullmatch("[0-9]{1,3}", tempo):
            raise ValueError(f"table: not a tempo: {tempo[:20]!r}")
        tempos.append(int(tempo))
    return sum(tempos) / len(tempos)


def written_out(form: str) -> str:
    """Write the form of a song out, part by part.

    Args:
        form: The parts with spaces between them, each a capital letter and how often it is played
            if it is more than once, as in "A2 B A" for "AABA". At most 40 parts.

    Raises:
        ValueError: A part has another form, or there are too many.
    """
    parts = form.split()
    if len(parts) > 40:
        raise ValueError("form: 40 parts at most")
    song = ""
    for part in parts:
        match = re.fullmatch("([A-Z])([1-9][0-9]{0,11})?", part)
        if match is None:
            raise ValueError(f"form: not a part: {part[:20]!r}")
        song += match.group(1) * int(match.group(2) or 1)
    return song
