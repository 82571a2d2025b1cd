"""The page of what a program's outputs were: escaped, readable, and never empty without a word."""

import pytest
from page_support import HOSTILE, Page

from knitbone.adaptation.testing import Observation, ProgramReport, SiteCounts
from knitbone.report.adaptation import observation_lines, why_nothing
from knitbone.report.adaptation_html import adaptation_page


def outcome(*observations, answers=3, conforming=1, **fields):
    counts = SiteCounts(
        site="app.py:3", answers=answers, conforming=conforming, median_us=610.0,
        observed=sum(one.count for one in observations),
    )  # fmt: skip
    given = {
        "processes": 1, "known": ("app.py:3:5",), "executed": {"app.py:3:5": answers},
        "sites": (counts,), "adaptations": (), "untouched": {}, "analysed": (),
    }  # fmt: skip
    return ProgramReport(**{**given, "observations": observations, **fields})


def seen(**fields):
    given = {
        "site": "app.py:3", "requirement": "one record a line",
        "evidence": "app.py:5  re.findall(x)",
        "action": "observed", "count": 2, "rules": ("delimiter",), "before": "1) a\n2) b",
        "after": "1. a\n2. b",
    }  # fmt: skip
    return Observation(**{**given, **fields})


def test_an_observation_names_site_requirement_texts_count_and_milliseconds():
    assert list(observation_lines(outcome(seen()))) == [
        "app.py:3   2 times in 3 answers, 0.61 ms each   would be repaired: delimiter",
        "  required  one record a line   (app.py:5  re.findall(x))",
        "  before    1) a\\n2) b",
        "  after     1. a\\n2. b",
    ]


def test_what_has_no_repair_is_shown_with_the_reason():
    lines = list(observation_lines(outcome(seen(after=None, reason="no record", rules=()))))
    assert lines[0].endswith("does not fit, and no repair is proven: no record")
    assert not any(line.startswith("  after") for line in lines)


@pytest.mark.parametrize("hostile", [*HOSTILE, "x" * 5_000 + "\n\r\t"])
def test_nothing_that_an_answer_says_acts_in_terminal_or_page(hostile):
    fields = dict.fromkeys(
        ("site", "requirement", "evidence", "before", "after", "reason"), hostile
    )
    shown = outcome(seen(**fields, rules=(hostile,)), untouched={hostile: hostile})
    for line in observation_lines(shown):
        assert line.isprintable()
        assert len(line) < 600
    page = adaptation_page(shown, ("python", hostile), "observe")
    Page(page)
    assert "\x1b" not in page
    assert "\u202e" not in page
    page.encode()


def test_the_page_shows_before_and_after_and_the_counts():
    page = adaptation_page(outcome(seen(), seen(site="b.py:1")), ("python", "app.py"), "observe")
    for part in ("1) a\n2) b", "1. a\n2. b", "<code>python app.py</code>", "Nothing was changed."):
        assert part in page
    assert page.count('<details class="item') == 2
    assert page.count(" open>") == 1  # the strongest case, the rest folded
    assert "0.61" in page
    assert "knitbone run -- python app.py" in page
    assert "prefers-color-scheme: dark" in page


NOTHING = {
    "no module": ({"processes": 0}, "no module of the application was loaded"),
    "no site": ({"known": (), "executed": {}, "sites": ()}, "no output of a model"),
    "not run": ({"executed": {}, "sites": ()}, "app.py:3 did not run"),
    "no requirement": (
        {"sites": (SiteCounts(site="app.py:3", answers=2, plain=1, unchecked=1),)},
        "nothing is required of the outputs that came",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", NOTHING)
def test_where_nothing_was_looked_at_the_reason_is_said(kind):
    fields, words = NOTHING[kind]
    empty = outcome(**fields)
    assert words in why_nothing(empty)
    assert words in adaptation_page(empty, ("python",), "repair")


def test_where_everything_fits_that_is_said():
    fits = outcome(answers=3, conforming=3)
    assert why_nothing(fits) == ""
    assert "Every answer that was read fits" in adaptation_page(fits, ("python",), "observe")
