"""Every distinct repair and refusal of a site is listed, with its count: in the summary, in the
report that ``knitbone run`` writes, on the terminal and the page, and to ``on_repair``; in
``observe`` mode as what would be done.

The answers are drawn from tables in which each entry is a kind of its own, so what has to be listed
is known without asking the code.
"""

import contextlib
import json
from collections import Counter

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import knitbone
from knitbone.adaptation.runtime.summary import MAX_KINDS, Kinds, changed_places
from knitbone.adaptation.testing import (
    Observation,
    ProcessReport,
    forget_counts,
    merge_reports,
    process_report,
)
from knitbone.record.events import encode_json
from knitbone.report.adaptation import observation_lines, unlisted_line
from knitbone.report.adaptation_html import adaptation_page

APP = """
import json, re
import knitbone
ANSWER = ""
TOLD = []
@knitbone.source
def ask(goal):
    return ANSWER
{decorator}
def ages(goal):
    data = json.loads(ask(goal))
    return int(data["age"]), data["name"]
{decorator}
def steps(goal):
    return re.findall(r"^\\d+\\.\\s+(.*)$", ask(goal), re.M)
{decorator}
def verdict(goal):
    answer = ask(goal).strip().lower()
    if answer not in ("yes", "no"):
        raise ValueError(answer)
    return answer
"""
SITES = {
    "ages": (
        {
            "{'age': 36, 'name': 'Ada'}": '{"age": 36, "name": "Ada"}',
            '{"age": 36, "name": "Ada",}': '{"age": 36, "name": "Ada"}',
            'Sure! {"age": 36, "name": "Ada"}': '{"age": 36, "name": "Ada"}',
            '{"age": 36, "name": "Ada"} I hope this helps.': '{"age": 36, "name": "Ada"}',
            '```json\n{"age": 36, "name": "Ada"}\n```': '{"age": 36, "name": "Ada"}',
            '{"Age": 36, "name": "Ada"}': '{"age": 36, "name": "Ada"}',
            '{"age": 36, "Name": "Ada"}': '{"age": 36, "name": "Ada"}',
        },
        ("no", '{"name": "Ada"}', '{"age": "old", "name": "Ada"}', '{"age": "young", "name": "A"}'),
    ),
    "steps": (
        {
            "1) a\n2) b": "1. a\n2. b",
            "1: a\n2: b": "1. a\n2. b",
            "1 - a\n2 - b": "1. a\n2. b",
            "- a\n- b": "1. a\n2. b",
            "* a\n* b": "1. a\n2. b",
        },
        ("I cannot do that.",),
    ),
    "verdict": ({"Yes.": "yes", "**no**": "no", "The answer is yes.": "yes"}, ("maybe",)),
}
FITS = {"ages": '{"age": 1, "name": "A"}', "steps": "1. a\n2. b", "verdict": "yes"}
KINDS = [
    (site, answer)
    for site, (repairs, refusals) in SITES.items()
    for answer in (*repairs, *refusals)
]
EXAMPLES = 25


@pytest.fixture(params=["repair", "observe"])
def app(request, load):
    decorator = f'@knitbone.adapt(mode="{request.param}", budget_ms=60_000, on_repair=TOLD.append)'
    return request.param, load(APP.format(decorator=decorator))


def ask(module, site, answer):
    module.ANSWER = answer
    # What the application makes of an answer that does not fit.
    with contextlib.suppress(ValueError, KeyError):
        getattr(module, site)("x")


def test_each_entry_of_the_tables_is_one_kind(app):
    _, module = app
    for site, (repairs, refusals) in SITES.items():
        for answer in (*repairs, *refusals):
            forget_counts()
            ask(module, site, answer)
            (one,) = knitbone.summary().observations
            assert (one.before, one.after) == (answer, repairs.get(answer))
            assert one.rules if answer in repairs else one.reason


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(
        st.lists(st.sampled_from([*KINDS, *FITS.items()]), max_size=20), min_size=1, max_size=3
    )
)
def test_every_distinct_repair_and_refusal_is_listed_with_its_count(app, processes):
    mode, module = app
    parts, told, last = [], [], ()
    for answers in processes:
        forget_counts()
        module.TOLD.clear()
        for site, answer in answers:
            ask(module, site, answer)
        last = knitbone.summary().observations
        parts.append(msgspec.json.decode(process_report(complete=True), type=ProcessReport))
        told += module.TOLD
    drawn = Counter(pair for answers in processes for pair in answers if pair in KINDS)
    expected = Counter({answer: number for (_, answer), number in drawn.items()})
    assert Counter({one.before: one.count for one in last}) == Counter(
        answer for site, answer in processes[-1] if (site, answer) in KINDS
    )

    outcome = merge_reports(parts)
    assert Counter({one.before: one.count for one in outcome.observations}) == expected
    repairs = {answer: after for table, _ in SITES.values() for answer, after in table.items()}
    for one in outcome.observations:
        assert one.after == repairs.get(one.before)
        assert one.reason or one.rules
        done = "repaired" if one.after is not None else "refused"
        assert one.action == ("observed" if mode == "observe" else done)

    written = json.loads(encode_json(msgspec.structs.asdict(outcome)))["observations"]
    assert Counter({one["before"]: one["count"] for one in written}) == expected

    lines = "\n".join(observation_lines(outcome))
    assert lines.count("  before    ") == len(expected)
    page = adaptation_page(outcome, ("python", "app.py"), mode)
    assert page.count('<details class="item') == len(expected)
    assert ("would be repaired" in lines) == (mode == "observe" and bool(told))

    mended = {answer: number for answer, number in expected.items() if answer in repairs}
    assert Counter(repair.before for repair in told) == mended
    assert all(
        repair.after == repairs[repair.before] and repair.rule and repair.site for repair in told
    )
    assert all(repair.delivered == (mode == "repair") for repair in told)


def kind(number, site="app.py:3", count=1):
    return Observation(
        site=site, requirement="x", evidence="y", action="refused", count=count, identity=number
    )


@given(st.lists(st.lists(st.integers(0, 3 * MAX_KINDS)), max_size=4))
def test_no_kind_is_lost_where_there_are_more_than_are_kept(processes):
    merged = Kinds()
    for drawn in processes:
        kinds = Kinds()
        for number in drawn:
            kinds.add(kind(number))
        for one in kinds.listed():
            merged.add(one)
        for more in kinds.unlisted():
            merged.add_unlisted(more)
    every = [number for drawn in processes for number in drawn]
    listed, unlisted = merged.listed(), merged.unlisted()
    assert len(listed) <= MAX_KINDS
    assert len(listed) + sum(more.kinds for more in unlisted) == len(set(every))
    assert sum(o.count for o in listed) + sum(more.times for more in unlisted) == len(every)


def test_memory_is_bounded_and_the_bound_is_said():
    kinds = Kinds()
    for number in range(5_000):
        kinds.add(kind(number))
        kinds.add(kind(number))
    (more,) = kinds.unlisted()
    assert len(kinds.listed()) == MAX_KINDS
    assert (more.kinds, more.complete, more.times) == (1_000, False, 2 * (5_000 - MAX_KINDS))
    said = unlisted_line(more)
    assert said.startswith("app.py:3   and at least 1000 more kinds, 9800 times")
    assert "a list holds 100 of a site" in said


def test_answers_that_are_all_different_do_not_fill_the_memory(load):
    module = load(APP.format(decorator="@knitbone.adapt(budget_ms=60_000)"))
    for number in range(MAX_KINDS + 50):
        ask(module, "ages", f'{{"Age": 36, "name": "{number}"}}')
        ask(module, "ages", f"nothing {number} {{")
        ask(module, "ages", f'{{"age": "old {number} years", "name": "Ada"}}')
    summary = knitbone.summary()
    renamed = [one for one in summary.observations if one.changes == (("Age", "age"),)]
    assert [one.count for one in renamed] == [MAX_KINDS + 50]
    assert len(summary.observations) <= MAX_KINDS
    (counts,) = [each for each in summary.sites if each.answers]
    assert all(len(reasons) <= MAX_KINDS + 1 for reasons in counts.reasons.values())
    assert len(counts.rules) <= MAX_KINDS + 1


@given(st.text(max_size=60), st.text(max_size=60))
def test_changed_places_stand_in_both_texts(before, after):
    places = changed_places(before, after)
    assert bool(places) == (before != after)
    assert all(old in before and new in after and old != new for old, new in places)


CHANGES = {
    ('{"age": "36 years", "n": 1}', '{"age": 36, "n": 1}'): (('"36 years"', "36"),),
    ("1) a\n2) b", "1. a\n2. b"): ((")", "."),),
    ('{"role": "Admin"}', '{"role": "admin"}'): (("Admin", "admin"),),
    ("Sure! {} Bye", "{}"): (("Sure! ", ""), (" Bye", "")),
}


@pytest.mark.parametrize("texts", CHANGES)
def test_the_changed_place_is_what_a_person_would_point_at(texts):
    assert changed_places(*texts) == CHANGES[texts]


def test_secrets_are_kept_nowhere(load, caplog):
    module = load(APP.format(decorator="@knitbone.adapt(on_repair=TOLD.append, budget_ms=60_000)"))
    secret = "sk-proj-Zq3vT8mXw2Lr9KdYb7Nc4Hf6"
    with caplog.at_level("DEBUG", logger="knitbone"):
        ask(module, "ages", f'{{"Age": 36, "name": "Ada", "api_key": "{secret}"}}')
        ask(module, "ages", f'{{"age": "{secret}", "name": "Ada"}}')
    summary = knitbone.summary()
    assert len(summary.observations) == 2
    assert len(module.TOLD) == 1
    assert "[redacted]" in module.TOLD[0].after
    for where in (summary, module.TOLD, process_report(complete=True), caplog.text):
        assert secret not in str(where)
    assert not any(secret in str(vars(record)) for record in caplog.records)
