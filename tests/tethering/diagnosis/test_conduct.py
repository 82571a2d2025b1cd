"""Facts that a run itself holds against a step, and what they do to the ranking."""

from __future__ import annotations

import pytest
from hangs import no_hang

from knitbone.tethering.diagnosis.detect import conduct
from knitbone.tethering.diagnosis.detect.conduct import facts_of, score_conduct
from knitbone.tethering.diagnosis.detect.evidence import PlaneEvidence
from knitbone.tethering.diagnosis.region import frontier
from knitbone.tethering.diagnosis.suspicion import SHORT, suspicions
from knitbone.tethering.diagnosis.units import TransitionUnit, UnitCall

CODE = "The ferries can be listed by a script:\n```python\nprint(ferries())\n```"


def said(ordinal, action, *, feedback="", status="unknown", calls=(), side_effect=False):
    return TransitionUnit(
        ordinal=ordinal, index=ordinal, event=str(ordinal), observation="", belief="",
        action=action, feedback=feedback, agent="agent", calls=calls, status=status,
        side_effect=side_effect,
    )  # fmt: skip


def talk(*actions):
    units = []
    for ordinal, action in enumerate(actions):
        text, feedback = action if isinstance(action, tuple) else (action, "")
        units.append(said(ordinal, text, feedback=feedback))
    return units


def steps_with(fact, units):
    return [k for k, value in enumerate(facts_of(units)[fact]) if value > 0]


def outliers(*scores):
    return [
        PlaneEvidence(plane="run-local", ordinal=k, score=score, rank=1)
        for k, score in enumerate(scores)
    ]


@pytest.mark.parametrize(
    "trouble",
    [
        ("Look the ferries of Oban up in the timetable.", "No results for ferries."),
        ("Look the ferries of Oban up in the timetable.", "exitcode: 0 (execution succeeded)\n[]"),
    ],
)
def test_trouble_is_charged_to_the_first_step_after_which_it_shows(trouble):
    units = talk(
        "Find out when the last ferry to Mull leaves.", trouble,
        ("Look the buses of Oban up in the timetable.", "No results for buses."),
        "The timetable holds neither ferries nor buses of Oban.",
    )  # fmt: skip
    assert steps_with("first trouble", units) == [1]


def test_a_next_speaker_who_notices_it_is_trouble_too():
    units = talk(
        "Find out when the last ferry to Mull leaves.",
        "The last ferry to Mull leaves at noon on every day.",
        "It seems that noon is the first ferry, so there was an issue with the table.",
    )
    assert steps_with("first trouble", units) == [1]


def test_code_counts_where_it_comes_first():
    units = talk("Find out when the last ferry leaves.", CODE, "It printed nothing at all.", CODE)
    assert steps_with("first code", units) == [1]


def test_the_word_of_a_deed_counts_where_nothing_was_done():
    units = talk(
        "Find out when the last ferry leaves.",
        "I have verified the timetable and the last ferry leaves at nine.",
    )
    assert steps_with("word without deed", units) == [1]
    working = [units[0], said(1, units[1].action, status="ok", feedback="21:00")]
    assert steps_with("word without deed", working) == []
    with_code = talk("Find out when it leaves.", f"I will check the timetable.\n{CODE}")
    assert steps_with("word without deed", with_code) == []


def test_values_that_the_step_itself_calls_made_up_count_and_the_task_does_not():
    units = talk(
        "Assume that it is Tuesday and find the last ferry.",
        "There is no timetable, so let's assume that it leaves at nine.",
        "The ferry leaves at nine on Tuesdays, which answers the question.",
    )
    assert steps_with("declared assumption", units) == [1]


def test_a_correction_points_back_to_the_step_whose_words_it_shares():
    units = talk(
        "Find out when the last ferry to Mull leaves.",
        "Winter timetable: departure of the Craignure boat is 21:00 from pier two.",
        "Hotels near the harbour cost ninety pounds with breakfast.",
        "The winter timetable was a mistake, for the Craignure boat uses another pier in summer.",
    )
    blame = facts_of(units)["blamed later"]
    assert max(range(4), key=blame.__getitem__) == 1
    assert blame[3] == 0
    assert sum(blame) == pytest.approx(1.0)
    without = talk(*(unit.action for unit in units[:3]))
    assert facts_of(without)["blamed later"] == [0, 0, 0]


def test_in_a_run_with_calls_changes_of_state_count_and_words_do_not():
    units = [
        said(0, "I have checked the booking and assume that it is yours."),
        said(1, "cancel()", calls=(UnitCall(tool="cancel"),), side_effect=True),
        said(2, "read()", calls=(UnitCall(tool="read"),)),
    ]
    assert facts_of(units) == {"side_effect": [0.0, 1.0, 0.0], "in the way": [0.0, 0.0, 0.0]}
    scores = [item.score for item in score_conduct(units)]
    assert scores == [0.0, 1.0, 0.0]


def test_a_step_that_says_nothing_and_does_nothing_comes_last():
    units = talk("Find out when the last ferry leaves.", "It leaves at nine, says the table.",
                 "TERMINATE")  # fmt: skip
    conduct_only = score_conduct(units)
    scores = suspicions(units, [*outliers(0.1, 0.2, 0.9), *conduct_only])
    assert min(range(3), key=scores.__getitem__) == 2
    assert frontier(conduct_only) == []  # silence draws no other step into the region


def test_without_facts_the_plane_is_silent():
    assert score_conduct(talk("Find the last ferry of the day.", "It leaves at nine on Tuesdays."))\
        == []  # fmt: skip


@pytest.mark.parametrize(("count", "blamed"), [(SHORT - 1, 1), (SHORT, 0)])
def test_in_short_conversations_facts_silence_outliers(count, blamed):
    plain = [f"The ferry to island {k} leaves {k} minutes past the hour." for k in range(count)]
    plain[1] = "Let's assume that it leaves at nine today."
    units = talk(*plain)
    evidence = [*outliers(9.0, *[0.0] * (count - 1)), *score_conduct(units)]
    scores = suspicions(units, evidence)
    assert max(range(count), key=scores.__getitem__) == blamed


def test_a_step_names_its_facts_in_words_that_a_report_knows():
    units = talk("Find the last ferry of the day.", f"Let's assume a table.\n{CODE}")
    (record,) = [item for item in score_conduct(units) if item.ordinal == 1]
    assert record.signals == ("first code", "declared assumption")
    assert set(facts_of(units)) | {"side_effect", "in the way"} == set(conduct.SIGNALS)


@pytest.mark.parametrize("text", ["it seems " * 2_000, "I will now " * 2_000, "sample " * 3_000])
def test_long_runs_and_repetitive_texts_take_linear_time(text):
    units = talk(*[f"{text} try again {k}" for k in range(150)])
    with no_hang():
        score_conduct(units)
