"""Untrusted text cannot act on a terminal."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from knitbone.common.printable import printable


def test_escape_sequences_and_line_breaks_are_shown_not_sent():
    assert printable("\x1b[2Ja\nb\r\x07") == "\\x1b[2Ja\\nb\\r\\x07"


def test_bidirectional_overrides_and_surrogates_are_shown():
    assert printable("a\u202eb\ud800") == "a\\u202eb\\ud800"


def test_long_text_is_cut_and_says_so():
    assert printable("x" * 1_000, limit=10) == "x" * 9 + "…"


@given(st.text())
def test_whatever_comes_in_one_printable_line_within_the_limit_comes_out(text):
    shown = printable(text, limit=50)
    assert len(shown) <= 50
    assert "\x1b" not in shown
    assert len(shown.splitlines()) <= 1
    shown.encode("utf-8")
