"""Slots that the code makes a date of: written as it reads them, where only one day is meant."""

import pytest
from positional_templates import LINE_BREAK, SLOT, judged, record_of

from knitbone.adaptation.testing import Element


def day(reading):
    return Element(kind="slot", type="date", captured=True, reading=reading)


EVENT = record_of(
    "Title:", SLOT, LINE_BREAK, "Date:", day("%Y-%m-%d"), LINE_BREAK, "Time:", day("%H:%M"),
    on_violation="raises",
)  # fmt: skip
GERMAN = record_of(
    day("%d.%m.%Y"), expression='datetime.strptime(text, "%d.%m.%Y")', on_violation="raises"
)
STRIPPED = record_of(
    day("%Y-%m-%d"),
    expression='datetime.strptime(ask("When?").strip(), "%Y-%m-%d")',
    on_violation="raises",
)
EVENT_OF = "Title: Fair\nDate: {}\nTime: {}".format


@pytest.mark.parametrize(
    ("template", "answer", "repaired"),
    [
        (EVENT, EVENT_OF("November 21, 2026", "9:30 PM"), EVENT_OF("2026-11-21", "21:30")),
        (EVENT, EVENT_OF("21.11.2026", "18:00"), EVENT_OF("2026-11-21", "18:00")),
        (GERMAN, "2026-11-21", "21.11.2026"),
        (GERMAN, "**21 November 2026**", "21.11.2026"),
        (STRIPPED, "It starts on 2026-11-21.", "2026-11-21"),
    ],
)
def test_a_date_is_written_as_the_code_reads_it(template, answer, repaired):
    verdict = judged(template, answer)
    assert (verdict.disposition, verdict.text) == ("repaired", repaired)
    assert judged(template, repaired).text is repaired


@pytest.mark.parametrize(
    ("template", "answer"),
    [
        (EVENT, EVENT_OF("2026-11-21", "18:00")),
        (EVENT, EVENT_OF("2026-1-5", "9:30").replace("Fair", "21 November 2026")),
        (GERMAN, "03.04.2026"),
    ],
)
def test_a_date_that_the_code_reads_stays(template, answer):
    verdict = judged(template, answer)
    assert verdict.disposition == "conforming"
    assert verdict.text is answer


@pytest.mark.parametrize(
    ("template", "answer"),
    [
        (EVENT, EVENT_OF("03/04/2026", "18:00")),
        (EVENT, EVENT_OF("2026-11-21", "in the evening")),
        (EVENT, EVENT_OF("before 21 November 2026", "18:00")),
        (EVENT, EVENT_OF("21 November", "18:00")),
        (GERMAN, "03/04/2026"),
        (GERMAN, "21 November"),
    ],
)
def test_a_date_that_may_be_another_stays(template, answer):
    verdict = judged(template, answer)
    assert verdict.disposition == "refused"
    assert verdict.text is answer
