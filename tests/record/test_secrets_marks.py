"""One pass finds what a search for each fixed text finds."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.record.secrets.assignments import HINTS
from knitbone.record.secrets.commands import COMMAND_HINTS
from knitbone.record.secrets.marks import read_marks
from knitbone.record.secrets.names import FOREIGN

PIECES = st.one_of(
    st.sampled_from([hint.decode() for hint in (*HINTS, *COMMAND_HINTS)]).flatmap(
        lambda hint: st.integers(1, len(hint)).map(lambda end: hint[:end])
    ),
    st.sampled_from([*FOREIGN, "://", "%20", "&#", "+-", "$", "PRIVATE KEY", "PASS", "\ud83d"]),
    st.text(max_size=4),
)


def folded(text):
    return text.encode("latin-1", "replace").lower()


@given(text=st.lists(PIECES, max_size=12).map("".join))
def test_one_pass_finds_what_single_searches_find(text):
    small = folded(text)
    marks = read_marks(text, small)
    found = {hint: re.finditer(b"(?=%s)" % re.escape(hint), small) for hint in HINTS}
    places = sorted({match.start() for matches in found.values() for match in matches})
    assert (marks.names if marks else []) == places
    assert (marks.commands if marks else set()) == {hint for hint in COMMAND_HINTS if hint in small}
    assert bool(marks and marks.is_foreign) == any(word in text for word in FOREIGN)
    for name, signs in {
        "has_address": [b"://"],
        "has_hash": [b"$"],
        "has_encoding": [b"://", b"%", b"&#", b"+-", b"\\u"],
        "has_block": [b"private key", b"private-lines"],
    }.items():
        assert bool(marks and getattr(marks, name)) == any(sign in small for sign in signs)


@pytest.mark.parametrize("text", ["", "The menu costs nothing.", "\ud800" * 9, "ä" * 50])
def test_a_text_without_marks_is_let_go(text):
    assert read_marks(text, folded(text)) is None
