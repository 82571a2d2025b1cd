"""The order of findings: what a maintainer would act on first."""

import itertools

import pytest

from knitbone.adaptation.requirements.findings import (
    JudgedFinding,
    ReviewedSite,
    SiteFinding,
    rank_of,
    ranked_findings,
)
from knitbone.adaptation.testing import Site


def judged(name, line=1, severity="warning", silenced=""):
    finding = SiteFinding(name=name, text=name, file="app.py", line=line, severity=severity)
    return JudgedFinding(finding=finding, fingerprint=f"{name}{line}", silenced=silenced)


def reviewed(*findings, confidence="high", name="s"):
    site = Site(
        file="app.py", line=9, column=0, end_line=9, end_column=5, function="f", expression="ask()",
        origin="ask", origin_file="app.py", origin_line=1, origin_end_line=1, confidence=confidence,
    )  # fmt: skip
    return ReviewedSite(site=site, id=name, findings=findings)


def names(sites):
    return [(each.judged.id, each.sites) for each in ranked_findings(sites)]


def test_what_damages_comes_before_what_is_lost_and_that_before_an_error_that_shows():
    sites = [
        reviewed(judged("may raise", 1), judged("silent loss", 2)),
        reviewed(judged("SQL executed unchecked", 3, "error"), judged("odd", 4, "note")),
    ]
    assert [name for name, _ in names(sites)] == [
        "sql-executed-unchecked", "silent-loss", "may-raise", "odd",
    ]  # fmt: skip


def test_a_line_that_several_sites_lead_to_is_one_entry():
    sites = [reviewed(judged("may raise", 5), name=name) for name in "abc"]
    assert names(sites) == [("may-raise", 3)]


def test_of_one_line_only_what_to_act_on_first_is_listed():
    site = reviewed(judged("may raise", 5), judged("output executed as it is", 5))
    assert names([site]) == [("output-executed-as-it-is", 1)]


def test_what_somebody_has_judged_is_not_listed():
    assert names([reviewed(judged("may raise", silenced="comment"))]) == []


@pytest.mark.parametrize("severity", ["error", "warning", "note"])
def test_ranks_fall_with_the_confidence(severity):
    finding = judged("silent loss", severity=severity)
    ranks = [rank_of(finding, confidence) for confidence in ("high", "medium", "low")]
    assert all(a > b for a, b in itertools.pairwise(ranks))
    assert all(0 <= rank <= 100 for rank in ranks)
