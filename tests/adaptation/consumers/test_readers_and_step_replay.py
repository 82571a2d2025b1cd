"""The code's string methods are replayed alike, wherever the pieces are asked for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from knitbone.adaptation.consumers.readers import Step, pieces_behind
from knitbone.adaptation.consumers.step_replay import replay

STEPS = st.sampled_from(
    [
        *(Step(name) for name in ("strip", "lstrip", "rstrip", "lower", "upper", "casefold")),
        *(Step("strip", (mark,)) for mark in (" -", "a", ".")),
        Step("replace", ("a", "b")),
        Step("removeprefix", ("- ",)),
        Step("removesuffix", (".",)),
        Step("html.unescape"),
        Step("textwrap.dedent"),
        Step("splitlines"),
        Step("split", ("\n",)),
    ]
)
TEXTS = st.text("aAb -.&lt;\n", max_size=30)


def seen(pieces):
    """Empty lines are left out by one of the two: no consumer reads them."""
    return [piece for piece in pieces if piece.strip()]


@given(st.lists(STEPS, max_size=6), TEXTS)
def test_readers_and_checks_see_the_same_pieces(steps, text):
    apply = replay(steps, rewrite=True)
    assert apply is not None
    assert seen(apply([text])) == seen(pieces_behind(steps, text))


@given(st.lists(STEPS, max_size=6), TEXTS, st.integers(0, 3))
def test_a_loop_over_the_lines_changes_no_line(steps, text, first):
    looped = [each for step in steps for each in (step, Step("iterate"))]
    assert pieces_behind(looped, text, first=first) == pieces_behind(steps, text, first=first)
