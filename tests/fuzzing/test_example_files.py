"""A file name in an example does not promise that the file exists."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knitbone.config import FuzzConfig
from knitbone.fuzzing.api import fuzz
from knitbone.fuzzing.classification.rules import classify_by_rules
from knitbone.fuzzing.final_verdicts import settle
from knitbone.fuzzing.records import Campaign, ExceptionOrigin, Finding, ToolUnderTest
from knitbone.report.fuzz import news

NAMES = st.sampled_from(
    ["main.py", "src/utils.py", "docs/README.md", "data.csv", "./a/b.json", "report.pdf", "notes",
     "C:\\data\\x.txt", "~/todo.md", "images/", "/etc/app.conf", "My File.xlsx"]
)  # fmt: skip
TOLD = st.sampled_from(
    [
        "Path to the file to read. Examples: {a}, {b}",
        "The file, such as {a}.",
        "Which document to open, for example {a} or {b}.",
        "Relative to the folder, e.g. {a}.",
        "A file name (like {b}).",
    ]
)
ARGUMENTS = st.sampled_from(["file_path", "path", "filename", "folder", "name", "source"])
FAILURES = st.sampled_from(
    [
        ("FileNotFoundError", "[Errno 2] No such file or directory: {v!r}",
         ("FileNotFoundError", "OSError"), "operation"),
        ("NotADirectoryError", "[Errno 20] Not a directory: {v!r}",
         ("NotADirectoryError", "OSError"), "operation"),
        ("ValueError", "File not found: {v}", ("ValueError",), "tool"),
        ("ValueError", "{v} does not exist", ("ValueError",), "tool"),
        ("RuntimeError", "Could not open {v}", ("RuntimeError",), "tool"),
        ("app.MissingFile", "no such file: {v}", ("MissingFile",), "library"),
        ("sqlite3.OperationalError", "unable to open database file",
         ("OperationalError", "DatabaseError"), "library"),
    ]
)  # fmt: skip


def campaign_of(argument: str, told: str, finding: Finding) -> Campaign:
    tool = ToolUnderTest(
        name="view",
        target="tools.py:view",
        documentation=f"Read something.\n\nArgs:\n    {argument}: {told}\n",
        schema={
            "type": "object",
            "properties": {argument: {"type": "string"}},
            "required": [argument],
        },
    )
    said = classify_by_rules(tool, finding)
    made = Finding(**{**{f: getattr(finding, f) for f in finding.__struct_fields__},
                      "classification": said})  # fmt: skip
    campaign = Campaign(
        tool=tool, seed=0, calls=1, findings=(made,), rejected=0, denied=0,
        minimisation_calls=0, chao1=None,
    )  # fmt: skip
    return settle(campaign)


def finding_of(
    argument: str, value: str, failure: tuple[str, str, tuple[str, ...], str]
) -> Finding:
    kind, message, bases, by = failure
    origin = ExceptionOrigin(by=by, bases=bases)  # pyright: ignore[reportArgumentType] - sampled
    return Finding(
        id="a", kind="raised", exception=kind, frame=None, message=message.format(v=value),
        arguments={argument: value}, call=1, standing="refused", origin=origin,
    )  # fmt: skip


@given(st.data())
def test_a_missing_file_breaks_no_example(data: st.DataObject) -> None:
    argument, first, second = data.draw(ARGUMENTS), data.draw(NAMES), data.draw(NAMES)
    told = data.draw(TOLD).format(a=f'"{first}"', b=f'"{second}"')
    value = data.draw(st.sampled_from([first, second, "", "a"]))
    if argument in ("name", "source") and "file" not in told.lower() and "." not in first + second:
        return  # nothing says that it is a file
    campaign = campaign_of(argument, told, finding_of(argument, value, data.draw(FAILURES)))
    assert news(campaign) == []
    classification = campaign.findings[0].classification
    assert classification is not None
    assert classification.verdict != "ill-specified", classification


@pytest.mark.parametrize(
    ("argument", "told", "value", "message"),
    [
        ("unit", 'Its sign, such as "km".', "km", "no unit called km"),
        ("day", 'For example "2024/05/01".', "2024/05/01", "the day must be written otherwise"),
        ("file_name", 'Such as "report.csv".', "report.csv", "only .txt is taken"),
    ],
)
def test_an_example_that_is_refused_for_another_reason_is_broken(
    argument: str, told: str, value: str, message: str
) -> None:
    failure = ("ValueError", message, ("ValueError",), "tool")
    campaign = campaign_of(argument, told, finding_of(argument, value, failure))
    assert [each.because for each in news(campaign)] == [
        "it refuses the documentation's own example"
    ]


def test_a_tool_that_opens_the_named_file_has_no_failure(private: Path, tmp_path: Path) -> None:
    file = tmp_path / "tools.py"
    file.write_text(
        'def view(file_path: str) -> str:\n    """Read a file.\n\n    Args:\n'
        "        file_path: Path to the file to read, relative to the folder.\n"
        '            Examples: "main.py", "src/utils.py", "docs/README.md"\n    """\n'
        "    with open(file_path) as file:\n        return file.read()[:10]\n"
    )
    campaign = fuzz(f"{file}:view", calls=60, config=FuzzConfig(minimise_calls=40))
    assert [each for each in news(campaign) if each.exception != "UnicodeDecodeError"] == []
