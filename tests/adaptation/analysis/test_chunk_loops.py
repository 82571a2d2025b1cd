"""Loops of an application that cut a text themselves (Comfrey §4.3.2)."""

import itertools
import textwrap

import pytest

import knitbone
from knitbone.adaptation import report

pytestmark = pytest.mark.usefixtures("every_scenario")

TEXT = "The committee approved the revised budget. Nobody from the district objected to it. " * 12

LOOPS = {
    "while": """
        cut, start = [], 0
        while start < len(text):
            cut.append((start, text[start : start + SIZE]))
            start += STEP
        return cut
    """,
    "append": """
        chunks = []
        for start in range(0, len(text), STEP):
            chunks.append((start, text[start : start + SIZE]))
        return chunks
    """,
    "yield": """
        for start in range(0, len(text), STEP):
            yield start, text[start : SIZE + start]
    """,
}


def cutter(load, body, size=100, overlap=0):
    head = f"import knitbone\n\nSIZE = {size}\nSTEP = {size - overlap}\n\n@knitbone.adapt\n"
    return load(head + "def chunks(text):\n" + textwrap.indent(textwrap.dedent(body), "    "))


@pytest.mark.parametrize("body", LOOPS)
def test_the_loop_cuts_between_words_and_its_offsets_stay_right(load, body):
    cut = list(cutter(load, LOOPS[body]).chunks(TEXT))
    assert "".join(piece for _, piece in cut) == TEXT
    assert all(TEXT[start : start + len(piece)] == piece for start, piece in cut)
    assert all(start == 0 or TEXT[start - 1] == " " for start, _ in cut)
    assert all(len(piece) <= 100 for _, piece in cut)
    assert report().sites[0].repaired == 1


def test_a_text_that_is_cut_well_is_cut_as_the_code_says(load):
    lines = "".join(f"Line number {number:02d} of the log.\n" for number in range(8))
    app = cutter(load, LOOPS["append"], size=len(lines) // 4)
    assert [len(piece) for _, piece in app.chunks(lines)] == [len(lines) // 4] * 4
    assert report().sites[0].conforming == 1


def test_an_overlap_stays_one(load):
    cut = cutter(load, LOOPS["append"], size=120, overlap=30).chunks(TEXT)
    for (start, piece), (following, _) in itertools.pairwise(cut):
        assert following <= start + len(piece)
    assert cut[-1][0] + len(cut[-1][1]) == len(TEXT)


@pytest.mark.parametrize("value", ["", "short", b"x" * 500, list(range(500))])
def test_other_values_are_cut_as_they_were(load, value):
    app = cutter(load, LOOPS["append"])
    assert [piece for _, piece in app.chunks(value)] == [
        value[start : start + 100] for start in range(0, len(value), 100)
    ]


def test_observing_changes_nothing(load, monkeypatch):
    monkeypatch.setenv("KNITBONE_ADAPT_MODE", "observe")
    app = cutter(load, LOOPS["append"])
    assert {len(piece) for _, piece in app.chunks(TEXT)[:-1]} == {100}
    assert report().sites[0].observed == 1


def test_the_decorated_function_is_the_same_object(load):
    app = cutter(load, LOOPS["append"])
    assert knitbone.adapt(app.chunks) is app.chunks
