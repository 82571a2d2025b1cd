"""What was met again and again at a site is counted as one thing, with its first example."""

from knitbone.adaptation.runtime.summary import Summary, merge_observations
from knitbone.record.events import Adaptation


def event(number=0, *, site="app.py:3", action="observed", after="b", **more):
    return Adaptation(
        id=f"{number:032x}", started_ns=1, site=site, requirement="r", action=action,
        before=f"a{number}", after=after, **more,
    )  # fmt: skip


def test_alike_events_are_counted_and_the_first_is_the_example():
    summary = Summary()
    for number in range(300):  # more than the events that are kept
        summary.keep(event(number, rules=(f"rule {number}",)))
    (one,) = summary.observations
    assert (one.count, one.before, one.rules) == (300, "a0", ("rule 0",))


def test_what_has_no_repair_is_told_apart_and_so_are_actions_and_sites():
    summary = Summary()
    for kind in ({}, {"after": None}, {"action": "unread"}, {"site": "app.py:9"}, {}):
        summary.keep(event(**kind))
    assert [one.count for one in summary.observations] == [2, 1, 1, 1]


def test_kinds_and_texts_are_bounded():
    summary = Summary()
    for number in range(1_000):
        summary.keep(event(number, site=f"app.py:{number}", after="x" * 10_000))
    assert len(summary.observations) == 200
    assert len(summary.observations[0].after) == 2_000


def test_a_fork_or_a_server_that_clears_the_counts_clears_them_too():
    summary = Summary()
    summary.keep(event())
    summary.clear()
    assert summary.observations == ()


def test_several_processes_are_added_up_the_most_frequent_first():
    parts = []
    for sites in (["x", "y", "y"], ["y", "x", "y"]):
        summary = Summary()
        for site in sites:
            summary.keep(event(site=site))
        parts.append(summary.observations)
    assert [(one.site, one.count) for one in merge_observations(parts)] == [("y", 4), ("x", 2)]
