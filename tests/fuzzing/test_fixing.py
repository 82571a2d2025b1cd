"""Documentation from what a campaign learned: true, short, in place, and read by an agent."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from knitbone.fuzzing.fixing import (
    DocumentationFix,
    DocumentationFixed,
    EarlierFixes,
    FixSetting,
    fix,
)
from knitbone.fuzzing.fixing.error_counts import keeps
from knitbone.fuzzing.fixing.sentence_constraints import read_constraints
from knitbone.fuzzing.fixing.statements import MOST_WORDS, sentences
from knitbone.fuzzing.records import ToolUnderTest

TOOLS = Path(__file__).parent / "fixing_tools.py"


def fixed(target: str, setting: FixSetting | None = None) -> DocumentationFix:
    events = fix(target, setting or FixSetting(calls=80))
    found = [event.fix for event in events if isinstance(event, DocumentationFixed)]
    assert len(found) == 1
    return found[0]


def read_back(made: DocumentationFix) -> ToolUnderTest:
    """The tool as an agent sees it when it is fixed."""
    properties = {name: {"description": text} for name, text in made.parameters.items()}
    return ToolUnderTest(
        name=made.tool.name,
        target=made.tool.target,
        documentation=made.description,
        schema={"type": "object", "properties": {**made.tool.schema["properties"], **properties}},
    )


@pytest.mark.parametrize(
    ("name", "accepted", "refused"),
    [
        ("seat", {"note": "Bo;3;out"}, {"note": "Bo;3;roof"}),
        ("seat", {"note": "Bo;3;out"}, {"note": "Bo;0;out"}),
        ("tickets", {"zone": 2}, {"zone": 3}),
        ("undocumented", {"code": "AX"}, {"code": "CX"}),
        ("book", {"day": "17.05.2024", "guests": 1}, {"day": "2024-05-17", "guests": 1}),
        ("Room", {"kind": "double", "nights": 2}, {"kind": "triple", "nights": 2}),
        ("SEASON", {"season": "low"}, {"season": "winter"}),
    ],
)
def test_the_patched_documentation_admits_what_works_and_rules_out_what_fails(
    name: str, accepted: dict, refused: dict
) -> None:
    made = fixed(f"{TOOLS}:{name}")
    assert made.refusal is None, made.refusal
    assert len(made.patches) == 1
    told = read_constraints(read_back(made))
    assert keeps(told, accepted)
    assert not keeps(told, refused)
    assert keeps(read_constraints(made.tool), refused), "that was not said before"
    own, _ = sentences(made.tool, made.statements)
    assert sum(len(text.split()) for text in own.values()) <= MOST_WORDS


def test_styles_are_extended_in_place() -> None:
    google = fixed(f"{TOOLS}:tickets")
    assert "zone: Zone of the destination. From 0 to 2.\n" in google.description
    assert "1 to 20." in google.description
    assert google.description.endswith("The price.")
    sphinx = fixed(f"{TOOLS}:window")
    assert ":param start: first minute. At most `end`.\n" in sphinx.description
    field = fixed(f"{TOOLS}:Room")
    assert field.parameters["kind"] == "kind of room. One of 'single' or 'double'."
    assert field.parameters["nights"].startswith("number of nights. ")


def test_nothing_is_stated_of_a_tool_that_takes_everything() -> None:
    made = fixed(f"{TOOLS}:sound")
    assert (made.statements, made.patches, made.overlay) == ((), (), None)


def test_a_form_is_not_made_narrower_than_what_the_tool_reads() -> None:
    made = fixed(f"{TOOLS}:rounded")
    told = made.description or made.tool.documentation
    assert "whole number" not in told, "it reads 1.5 as well"


def test_a_bound_that_another_argument_sets_is_not_stated() -> None:
    made = fixed(f"{TOOLS}:column_of")
    assert keeps(
        [statement.constraint for statement in made.statements], {"table": "a;b", "column": 1}
    )


def test_names_of_the_sandbox_do_not_get_into_a_documentation() -> None:
    made = fixed(f"{TOOLS}:files_here")
    told = (made.description or made.tool.documentation) + str(made.parameters)
    assert "one of" not in told.lower()
    assert "Example" not in told


def test_what_a_tool_says_to_somebody_does_not_get_into_its_documentation() -> None:
    made = fixed(f"{TOOLS}:hostile")
    told = made.description + " ".join(made.parameters.values())
    assert 'One of "fast" or "slow".' in told
    assert "ignore" not in told
    assert "SYSTEM" not in told
    assert "\x1b" not in made.patches[0].diff


@pytest.fixture
def repository() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(TOOLS, Path(folder, "tools.py"))
        git(folder, "init", "-q")
        git(folder, "add", ".")
        git(folder, "-c", "user.email=a@b", "-c", "user.name=a", "commit", "-qm", "x")
        yield Path(folder)


def git(folder: str | Path, *arguments: str, text: bytes | None = None) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, input=text, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def test_git_applies_the_patch_and_writing_gives_the_same_file(repository: Path) -> None:
    path = repository / "tools.py"
    made = fixed(f"{path}:tickets")
    before = path.read_bytes()
    git(repository, "apply", "-", text=made.patches[0].diff.encode())
    applied = path.read_bytes()
    assert applied != before
    git(repository, "checkout", "tools.py")
    written = fixed(f"{path}:tickets", FixSetting(calls=80, write=True))
    assert written.written
    assert path.read_bytes() == applied


NEIGHBOURS = '''from typing import Annotated


class Kit:
    def room(self, season: str) -> int:
        """Price of a room"""
        return {"low": 60, "high": 110}[season]

    def bed(self, kind: Annotated[str, "The kind"]) -> int:
        """Price of a bed"""
        return {"single": 60, "double": 110}[kind]
'''
"""What is changed of one tool stands among the lines by which the other's place is known."""


@pytest.fixture
def neighbours(repository: Path) -> Path:
    path = repository / "neighbours.py"
    path.write_text(NEIGHBOURS, encoding="utf-8")
    git(repository, "add", ".")
    git(repository, "-c", "user.email=a@b", "-c", "user.name=a", "commit", "-qm", "y")
    return path


def both_fixed(path: Path, setting: FixSetting) -> list[DocumentationFix]:
    earlier = EarlierFixes()
    events = (
        event
        for name in ("room", "bed")
        for event in fix(f"{path}:Kit.{name}", setting, earlier=earlier)
    )
    return [event.fix for event in events if isinstance(event, DocumentationFixed)]


def test_patches_of_tools_beside_each_other_apply_together(neighbours: Path) -> None:
    made = both_fixed(neighbours, FixSetting(calls=40))
    together = "".join(patch.diff for each in made for patch in each.patches)
    git(neighbours.parent, "apply", "-", text=together.encode())
    applied = neighbours.read_text(encoding="utf-8")
    assert '"low" or "high"' in applied
    assert "'single' or 'double'" in applied
    git(neighbours.parent, "checkout", "neighbours.py")
    written = both_fixed(neighbours, FixSetting(calls=40, write=True))
    assert [each.written for each in written] == [True, True], "our own change is none of others"
    assert neighbours.read_text(encoding="utf-8") == applied


def test_a_date_is_shown_as_its_form_is_spelled() -> None:
    setting = FixSetting(calls=40, examples=((None, {"day": "1.5.2024", "guests": 2}),))
    made = fixed(f"{TOOLS}:book", setting)
    assert "DD.MM.YYYY" in made.parameters["day"]
    assert re.search(r"For example '\d\d\.\d\d\.\d{4}'", made.parameters["day"])


def test_a_file_with_changes_is_left_as_it_is(repository: Path) -> None:
    path = repository / "tools.py"
    path.write_bytes(path.read_bytes() + b"\n# at work\n")
    before = path.read_bytes()
    made = fixed(f"{path}:tickets", FixSetting(calls=80, write=True))
    assert not made.written
    assert path.read_bytes() == before
    assert made.refusal is not None
    assert "not committed" in made.refusal.what
    assert made.patches, "it is shown all the same"


def test_a_generated_file_is_left_as_it_is(repository: Path) -> None:
    path = repository / "tools.py"
    path.write_bytes(b"# Code generated by protoc. DO NOT EDIT.\n" + path.read_bytes())
    git(repository, "-c", "user.email=a@b", "-c", "user.name=a", "commit", "-qam", "x")
    made = fixed(f"{path}:tickets", FixSetting(calls=80, write=True))
    assert not made.written
    assert made.refusal is not None
    assert "generates" in made.refusal.what


def test_the_check_counts_fewer_errors_within_what_is_documented() -> None:
    made = fixed(f"{TOOLS}:seat", FixSetting(calls=80, check=True))
    assert made.before is not None
    assert made.after is not None
    assert made.before.within >= 3
    assert made.after.within == 0 < made.after.unique
