"""Where a documentation stands in the tool's own source."""

from __future__ import annotations

from pathlib import Path

import pytest

from knitbone.fuzzing.documentation.faults import documentation_place
from knitbone.fuzzing.records import ToolUnderTest

SOURCE = '''"""Tools of an inn."""

def other(season: str) -> str:
    """Price of a stay."""

def lodge(season: str) -> str:

    """Price of a stay.

    Args:
        season: when
    """

class Lodge:
    name = "lodge_tool"
    description = "Says what a night in the lodge costs."

def bare(season): ...
'''


@pytest.mark.parametrize(
    ("name", "documentation", "line"),
    [
        ("lodge", "Price of a stay.\n\nArgs:\n    season: when", 8),
        ("other", "Price of a stay.", 4),
        ("lodge_tool", "Says what a night in the lodge costs.", 16),
        ("bare", "", 18),
        ("elsewhere", "Written when the program runs.", None),
    ],
)
def test_it_is_the_line_that_an_author_would_change(
    tmp_path: Path, name: str, documentation: str, line: int | None
) -> None:
    (tmp_path / "inn.py").write_text(SOURCE, encoding="utf-8")
    tool = ToolUnderTest(
        name=name, target="x", documentation=documentation, schema={},
        roots=(str(tmp_path) + "/", str(tmp_path / "inn.py")),
    )  # fmt: skip
    found = documentation_place(tool)
    assert (None if found is None else found.line) == line


@pytest.mark.parametrize("content", [b"def (", b"\xff\xfe", b"x = '\x00'", b"(" * 10_000])
def test_a_file_that_is_no_python_names_no_place(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "inn.py").write_bytes(content)
    roots = (str(tmp_path / "inn.py"), str(tmp_path / "gone.py"))
    tool = ToolUnderTest(name="a", target="x", documentation="", schema={}, roots=roots)
    assert documentation_place(tool) is None
