"""The suites benchmark compares test by test: one that ends otherwise must not hide in totals."""

from __future__ import annotations

from pathlib import Path

import pytest

from knitbone_evals.adapt.suites.__main__ import verdict
from knitbone_evals.adapt.suites.environment import HERE, read_suites
from knitbone_evals.adapt.suites.measure import counts, differences, outcomes

JUNIT = """<testsuites><testsuite>
<testcase classname="a" name="one"/>
<testcase classname="a" name="two"><failure/></testcase>
<testcase classname="a" name="three"><skipped type="pytest.skip"/></testcase>
<testcase classname="a" name="four"><skipped type="pytest.xfail"/></testcase>
<testcase classname="b" name="one"/>
<testcase classname="b" name="one"><error/></testcase>
</testsuite></testsuites>"""


def test_outcomes_are_read_by_test_and_a_failed_teardown_counts(tmp_path: Path) -> None:
    file = tmp_path / "junit.xml"
    file.write_text(JUNIT)
    assert outcomes(file) == {
        "a::one": "passed",
        "a::two": "failed",
        "a::three": "skipped",
        "a::four": "xfailed",
        "b::one": "error",
    }


def test_equal_totals_do_not_hide_different_tests() -> None:
    bare, observed = {"a": "passed", "b": "skipped"}, {"a": "skipped", "b": "passed"}
    assert counts(bare) == counts(observed)
    assert differences(bare, observed) == [
        ("a", "passed", "skipped"),
        ("b", "skipped", "passed"),
    ]


def test_a_test_that_only_one_run_has_is_a_difference() -> None:
    assert differences({"a": "passed"}, {}) == [("a", "passed", "absent")]
    assert differences({}, {"a": "passed"}) == [("a", "absent", "passed")]


GREEN = {
    "bare": {"tests": {"passed": 500, "skipped": 1}},
    "observed": {"tests": {"passed": 500, "skipped": 1}},
    "differences": [],
    "sites executed": 20,
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, []),
        ({"sites executed": 19}, ["only 19 sites executed"]),
        ({"bare": {"tests": {"passed": 499}}}, ["only 499 tests pass"]),
        (
            {"observed": {"tests": {"passed": 499, "failed": 1, "error": 1}}},
            ["2 tests fail observed"],
        ),
        (
            {"differences": [("a::b", "passed", "absent")]},
            ["a::b: passed bare, absent observed"],
        ),
    ],
)
def test_verdict(change: dict, said: list[str]) -> None:
    assert verdict(GREEN | change) == said


def test_every_suite_has_a_lock_that_pins_the_declared_version() -> None:
    for name, suite in read_suites().items():
        lock = (HERE / "locks" / f"{name}.txt").read_text().splitlines()
        assert f"{name}=={suite.version}" in [line.partition(" ")[0] for line in lock]
        assert all("==" in line for line in lock if line)
