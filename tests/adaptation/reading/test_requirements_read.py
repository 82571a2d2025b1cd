import re

import msgspec
import pytest
from positional_templates import ALL, NUMBERED, template_of

from knitbone.adaptation.testing import (
    Evidence,
    PositionalTemplate,
    Requirement,
    Unknown,
    UnreadablePattern,
    describe,
    read_pattern,
)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"^\d+\.\s+(.*)$", 'one record a line: <number> "." <text>'),
        (r"^\s*(\d+)[.)]\s*(.+?)\s*$", 'one record a line: <number> ("." or ")") <text>'),
        (r"^Task (\d+): (.+)", 'one record a line: "Task" <number> ":" <text>'),
        (
            r"^(?:Task|Step) (\d+)\. (.+)",
            'one record a line: ("Task" or "Step") <number> "." <text>',
        ),
        (r"^(?:Task )?(\d+)\. (.+)", 'one record a line: [("Task")] <number> "." <text>'),
        (r"^\s*[-*]\s+(.+)$", 'one record a line: ("-" or "*") <text>'),
        (r"^(?:\d+\.|-)\s+(.+)$", 'one record a line: (<number> "." or "-") <text>'),
        (r"^Action Input: (.*)", 'one record a line: "Action Input" ":" <text>'),
        (r"(\d+)\) ([^\n]+)", 'records: <number> ")" <text>'),
    ],
)
def test_a_pattern_reads_as_the_record_it_describes(pattern, expected):
    assert describe(template_of(pattern, re.MULTILINE)) == expected


@pytest.mark.parametrize(
    "pattern",
    [r"(a+)+$", r"((?:\d)+)+x", r"(\w+\s*)+:", r"(\w)\1", r"(?<=a)b", r"(", r".*", r"\w+", ""],
)
def test_a_pattern_that_is_not_one_flat_record_is_said_to_be_unreadable(pattern):
    with pytest.raises(UnreadablePattern):
        read_pattern(pattern)


def test_flags_inside_the_pattern_count():
    shape = read_pattern(r"(?ims)^task (\d+)\. (.*)")
    assert (shape.ignore_case, shape.multiline, shape.spans_lines) == (True, True, True)


@pytest.mark.parametrize("template", ALL.values(), ids=ALL)
def test_a_requirement_travels_through_json_unchanged(template):
    sent = msgspec.json.encode(template)
    assert msgspec.json.decode(sent, type=Requirement) == template


def test_an_unknown_requirement_says_why():
    unknown = Unknown(reason="the pattern is computed at run time", evidence=NUMBERED.evidence)
    assert describe(unknown) == "unknown: the pattern is computed at run time"
    assert msgspec.json.decode(msgspec.json.encode(unknown), type=Requirement) == unknown


def test_a_template_knows_what_marks_its_records():
    markers = {name: template.marker for name, template in ALL.items()}
    assert markers == {
        "anywhere": "number",
        "numbered": "number",
        "numbered_read": "number",
        "tasks": "number",
        "bullets": "bullet",
        "spanning": "number",
        "either": "number",
    }
    assert ALL["numbered_read"].reads_number
    assert not ALL["numbered"].reads_number
    assert isinstance(NUMBERED, PositionalTemplate)
    assert isinstance(NUMBERED.evidence, Evidence)
