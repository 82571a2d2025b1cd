"""The walk of a list through adapt: only rooms that concern a list."""

import pytest

from knitbone.adaptation.testing import forget_counts
from knitbone_evals.adapt.touched import CONFORMING, DRIFTED, walk_of


@pytest.fixture(autouse=True)
def _fresh_counts():
    yield
    forget_counts()


def rooms(answer: str, room: str) -> set[str]:
    return {file.rpartition("/")[2] for file in walk_of(answer).touches if room in file}


def test_a_repaired_list_visits_no_form_but_its_own():
    assert rooms(DRIFTED, "repair/positional/") == {
        "list_lines.py",
        "drift_signs.py",
        "line_records.py",
        "heads.py",
        "rewrite.py",
    }


def test_a_conforming_list_is_neither_taken_apart_nor_rehearsed():
    assert rooms(CONFORMING, "repair/positional/") == {"list_lines.py", "drift_signs.py"}
    assert rooms(CONFORMING, "rehearsal") == set()
