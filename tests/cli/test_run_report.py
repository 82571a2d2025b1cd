"""The lines that ``knitbone run`` prints for the sites of a program."""

from knitbone.adaptation.summary import SiteCounts
from knitbone.cli.run import _line


def test_many_kinds_of_repairs_do_not_push_the_counts_out_of_sight():
    rules = {f"key {place} -> {place + 1}": place + 1 for place in range(30)}
    counts = SiteCounts(
        site="app.py:3", answers=9, repaired=5, refused=4, rules=rules, reason="no JSON"
    )
    line = _line(counts)
    assert line.startswith("app.py:3   9 answers   5 repaired (key 29 -> 30 in 30 records, ")
    assert "key 26 -> 27 in 27 records, 26 more kinds)" in line
    assert "   4 refused: no JSON; original passed on" in line


def test_a_long_reason_is_cut():
    counts = SiteCounts(site="app.py:3", answers=1, refused=1, reason="x" * 5_000, median_us=12.0)
    assert len(_line(counts)) < 300
    assert _line(counts).endswith("   p50 12 µs")
