"""What refusals tell is read whatever their wording, and leads a campaign through several."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knitbone.fuzzing.api import fuzz
from knitbone.fuzzing.generate.refusal_hints import (
    corrected_calls,
    new_suggestions,
    reason_words,
    suggested_values,
)

FORMATS = {
    "%Y-%m-%d %H:%M": ("'%Y-%m-%d %H:%M'", "YYYY-MM-DD HH:MM", "yyyy-mm-dd hh:mm"),
    "%d.%m.%Y": ("%d.%m.%Y", "DD.MM.YYYY", "dd.mm.yyyy"),
    "%m/%d/%Y": ("%m/%d/%Y", "MM/DD/YYYY"),
    "%H:%M": ("%H:%M", "HH:MM [24-hour format]", "hh:mm"),
    "%H:%M:%S": ("%H:%M:%S", "HH:MM:SS", "HH:mm:ss"),
    "%Y-%m-%dT%H:%M:%S": ("%Y-%m-%dT%H:%M:%S", "YYYY-MM-DDTHH:MM:SS", "ISO 8601"),
    "%Y%m%d": ("%Y%m%d", "YYYYMMDD"),
}
AROUND = (
    "time data 'x' does not match format {}",
    "Error: invalid day. Expected {}",
    'Dates must be given as {}, got "x".',
    '{{"isError": true, "content": "Error executing tool add: use {} for day"}}',
)


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize(("form", "written"), [(f, w) for f, all_ in FORMATS.items() for w in all_])
def test_a_moment_is_written_as_the_message_asks(form: str, written: str, around: str) -> None:
    found = suggested_values(around.format(written))
    assert any(_reads(value, form) for value in found[:3]), found


def _reads(value: str, form: str) -> bool:
    try:
        datetime.strptime(value, form)  # noqa: DTZ007 - the tool's own form
    except ValueError:
        return False
    return True


LISTS = (
    "Sheet 'x' not found. Available sheets: {}.",
    "Invalid operator: x. Valid operators: {}",
    "unknown chart_type ''. Use one of: {}. Fix the arguments and call again.",
    "color must be one of {}",
    "Known cities are {}.",
    '{{"error": "supported units: {}"}}',
)
WRITTEN = {
    "a, b, c": "alpha, beta, gamma",
    "quoted": "'alpha', 'beta', 'gamma'",
    "list": "['alpha', 'beta', 'gamma']",
    "bare list": "[alpha, beta, gamma]",
    "with or": "alpha, beta or gamma",
    "bars": "alpha|beta|gamma",
    "braces": "{'alpha', 'beta', 'gamma'}",
}


@pytest.mark.parametrize("around", LISTS)
@pytest.mark.parametrize("written", WRITTEN)
def test_choices_are_read_however_they_are_listed(around: str, written: str) -> None:
    found = suggested_values(around.format(WRITTEN[written]))
    assert {"alpha", "beta", "gamma"} <= set(found)


def test_argument_that_the_message_names_is_the_one_that_is_corrected() -> None:
    given = {"sheet": "x", "day": "x9", "rows": [1]}
    message = "day must be YYYY-MM-DD"
    made = list(corrected_calls(given, message, new_suggestions(message, given)))
    assert made == [{"sheet": "x", "day": "2024-05-17", "rows": [1]}]
    message = "'x9' is not one of: red, green"
    made = list(corrected_calls(given, message, new_suggestions(message, given)))
    assert [call["day"] for call in made] == ["red", "green"]


def test_wording_is_the_same_whatever_the_call_held() -> None:
    said = {
        reason_words(f"Sheet {value!r} not found. Available sheets: alpha, beta", {"sheet": value})
        for value in ("", "x", "a sheet", "4711", "Takings")
    }
    assert len(said) == 1


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_message_is_read(message: str) -> None:
    values = suggested_values(message)
    assert len(values) <= 24
    assert all(0 < len(value) <= 60 for value in values)
    reason_words(message, {"a": message, "b": [message]})


def test_hostile_messages_take_no_time() -> None:
    for message in ("{" * 50_000, "one of " * 20_000, "YYYY-" * 20_000, "'" * 100_000):
        suggested_values(message)
        reason_words(message, {"a": "b"})


TOOL = '''
import json, subprocess, sys
CODE = r"""{code}"""
def append_row(sheet: str, day: str, operator: str, value: str) -> str:
    """Append a row."""
    given = json.dumps([sheet, day, operator, value])
    done = subprocess.run([sys.executable, "-S", "-c", CODE, given], capture_output=True, text=True)
    if done.returncode:
        raise ValueError(done.stdout.strip())
    return done.stdout
'''
CODE = """
import datetime, json, sys
sheet, day, operator, value = json.loads(sys.argv[1])
def refuse(text):
    print(text)
    sys.exit(1)
if sheet not in ("Takings", "Costs"):
    refuse(f"Sheet {sheet!r} not found. Available sheets: Takings, Costs")
try:
    datetime.datetime.strptime(day, "%d.%m.%Y %H:%M")
except ValueError:
    refuse("Invalid day, expected DD.MM.YYYY HH:MM")
if operator not in ("equals", "contains"):
    refuse(f"Invalid operator: {operator}. Valid operators: ['equals', 'contains']")
print("appended")
"""


def test_campaign_gets_through_three_refusals_of_code_out_of_sight(tmp_path: Path) -> None:
    (tmp_path / "rows.py").write_text(TOOL.replace("{code}", CODE), encoding="utf-8")
    campaign = fuzz(f"{tmp_path / 'rows.py'}:append_row", calls=80, seed=3)
    assert campaign.normal > 3
