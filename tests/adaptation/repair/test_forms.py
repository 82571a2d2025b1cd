"""An answer is written in the form that its prompt shows only where that is sure."""
# ruff: noqa: E501 - programs as they are

import importlib
import itertools
import sys

import pytest

import knitbone

HEADER = """
import re
import knitbone
ANSWER = ""
UNITS = {"mg/dL": 1, "mmol/L": 2}
@knitbone.source
def ask(prompt):
    return ANSWER
"""
SCORE = """
def handle(home="Albion", away="Rovers"):
    a, b = (int(x) for x in ask(f"{home} (home) played {away} (away). Answer as HOME-AWAY, for example 2-0.").split("-"))
    return a, b
"""
FREIGHT = """
def handle():
    kg, pickup = ask("The weight in kg and the pickup time. Answer like this: 1250|16:45  (no other text)").split("|")
    hour, minute = pickup.split(":")
    return int(kg), int(hour) * 60 + int(minute)
"""
AWARD = """
def handle():
    found = re.match(r"^([A-Z]{2}-\\d{4}); (\\d{2}/\\d{2}/\\d{4}); (EUR|GBP) (\\d+\\.\\d{2})$", ask("Case, date of decision, sum. Example: HC-2020; 31/01/2020; EUR 1500.00"))
    if found is None:
        raise ValueError("no match")
    return found.groups()
"""
LINES = """
def handle():
    pairs = {}
    for line in ask("Reply with these lines:\\nsample: <id>\\nanalyte: <name, lower case>\\nvalue: <number>\\nunit: <mg/dL or mmol/L>\\n").splitlines():
        key, value = line.split(": ", 1)
        pairs[key] = value
    return pairs["sample"], pairs["analyte"], float(pairs["value"]), UNITS[pairs["unit"]]
"""
_numbers = itertools.count()


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))
    names = []

    def run(source, answer):
        """Return what the adapted code makes of an answer."""
        name = f"formed_{next(_numbers)}"
        names.append(name)
        (tmp_path / f"{name}.py").write_text(HEADER + source, encoding="utf-8")
        module = importlib.import_module(name)
        module.ANSWER = answer
        try:
            return knitbone.adapt(module.handle)()
        except (ValueError, KeyError) as error:
            return type(error)

    yield run
    for name in names:
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("source", "answer", "right"),
    [
        (SCORE, "3:1", (3, 1)),
        (SCORE, "Albion: 3, Rovers: 1", (3, 1)),
        (SCORE, "The final score was 3 to 1", ValueError),  # "to" may be the end of a range
        (FREIGHT, "The total weight is 24,800 kg and the pickup time is 11:20.", (24800, 680)),
        (FREIGHT, "Pickup: 5:30 PM, weight: 900 kg", (900, 1050)),
        (AWARD, "CC-2025\n9 October 2023\nGBP 7425", ("CC-2025", "09/10/2023", "GBP", "7425.00")),
        (LINES, '```json\n{"sample": "S-1", "analyte": "Urea", "value": 6.8, "unit": "mmol/L"}\n```', ("S-1", "urea", 6.8, 2)),
        (LINES, "| Sample | Analyte | Value | Unit |\n|---|---|---|---|\n| S-1 | urea | 6.8 | mg/dL |", ("S-1", "urea", 6.8, 1)),
        (LINES, "- **Value:** 6.8 mmol/L\n- **Unit:** mmol/L\n- **Sample:** S-1\n- **Analyte:** urea", ("S-1", "urea", 6.8, 2)),
    ],
)  # fmt: skip
def test_values_in_another_layout_are_read(run, source, answer, right):
    assert run(source, answer) == right


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        (SCORE, "Rovers: 1, Albion: 3"),
        (SCORE, "Rovers won 3:1"),
        (SCORE, "3:1 or 1:3"),
        (SCORE, "won 3 of 4"),
        (FREIGHT, "less than 900 kg at 11:20"),
        (FREIGHT, "900 lbs at 11:20"),
        (FREIGHT, "900 kg, delivery: 11:20"),
        (FREIGHT, "900 kg before 11:20"),
        (FREIGHT, "not 900 kg at 11:20"),
        (AWARD, "CC-2025; 9 October 2023; €7425"),
        (AWARD, "CC-2025; 08.07.2023; EUR 7425 or GBP 6000"),
        (LINES, "sample = S-1\nanalyte = urea"),
        (LINES, "sample = S-1\nanalyte = urea\nvalue = 6.8\nvalue = 7.1\nunit = mg/dL"),
        (
            LINES,
            '{"sample": "S-1", "analyte": "urea (perhaps creatinine)", "value": 6.8, "unit": "mg/dL"}',
        ),
        (LINES, "sample = S-1\nanalyte = urea\nvalue = 6.8 mmol/L\nunit = mg/dL"),
        (LINES, "sample = S-1\nanalyte = urea\nvalue = 6.8\nunit = mg/dL\nI made these up."),
    ],
)
def test_what_is_not_sure_stays(run, source, answer):
    assert run(source, answer) in (ValueError, KeyError)
