"""The journal: what is read back, what a torn or foreign file does, and who may write."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from knitbone.errors import InputFormatError
from knitbone.fuzzing.journal import Header, Journal, JournalEntry, Journals, call_key, header_of
from knitbone.fuzzing.records import CallOutcome, StackFrame, ToolUnderTest

TOOL = ToolUnderTest(name="t", target="m:t", documentation="Does.", schema={"type": "object"})
HEADER = header_of(TOOL, seed=1, calls=9, settings={"memory_mb": 5})

OUTCOMES = [
    CallOutcome(status="ok", text="fine", length=4),
    CallOutcome(status="ok", text="lone \udc80 surrogate, \u2028, \x00", length=9),
    CallOutcome(
        status="raised",
        exception="ValueError",
        message="no",
        frame=StackFrame(file="/a.py", line=3, source="x = 1", function="t"),
        trace={"int": 10**400, "float": float("inf"), "deep": [[{"a": None}]]},
    ),
    CallOutcome(status="ok", trace={"events": [f"event {n}" for n in range(20_000)]}),
]


def entries() -> list[JournalEntry]:
    return [
        JournalEntry(key=call_key({"n": n}, 5.0, fresh=False), elapsed=n / 7, outcome=outcome)
        for n, outcome in enumerate(OUTCOMES)
    ]


def write(folder: Path, header: Header = HEADER) -> Path:
    with Journals(folder).open(header) as journal:
        for entry in entries():
            journal.record(entry)
        return journal.path


def resume(folder: Path, header: Header = HEADER) -> Journal:
    return Journals(folder, resume=True).open(header)


def test_outcomes_read_back_as_they_were_in_order(tmp_path: Path) -> None:
    path = write(tmp_path)
    assert path.stat().st_size < 200_000, "a trace is compressed"
    with resume(tmp_path) as journal:
        assert journal.left == len(OUTCOMES)
        assert [journal.answer(entry.key) for entry in entries()] == entries()
        assert journal.answer("anything") is None
        journal.record(entries()[0])
    with resume(tmp_path) as journal:
        assert journal.left == len(OUTCOMES) + 1


@pytest.mark.parametrize("cut", [1, 2, 40, 4_000])
def test_a_torn_last_line_is_dropped_and_written_anew(tmp_path: Path, cut: int) -> None:
    path = write(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    with resume(tmp_path) as journal:
        assert journal.left == len(OUTCOMES) - 1
        for entry in entries()[:-1]:
            assert journal.answer(entry.key) == entry
        assert journal.answer(entries()[-1].key) is None
        journal.record(entries()[-1])
    assert path.read_bytes() == whole


def test_killed_before_the_header_was_out_it_begins_anew(tmp_path: Path) -> None:
    path = write(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:20])
    with resume(tmp_path) as journal:
        assert journal.left == 0
    assert path.read_bytes() == whole[: whole.index(b"\n") + 1]


def test_a_line_damaged_in_the_middle_is_told_by_its_number(tmp_path: Path) -> None:
    path = write(tmp_path)
    lines = path.read_bytes().split(b"\n")
    lines[2] = lines[2][:-5]
    path.write_bytes(b"\n".join(lines))
    with resume(tmp_path) as journal:
        journal.answer(entries()[0].key)
        with pytest.raises(InputFormatError, match=r"Line 3 of .* is damaged"):
            journal.answer(entries()[1].key)
    path.write_bytes(b"no journal\n")
    with pytest.raises(InputFormatError, match=r"Line 1 of .* is damaged"):
        resume(tmp_path)


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("seed", 2, r"the seed changed \(then 1, now 2\)"),
        ("calls", 10, "the number of calls changed"),
        ("settings", '{"memory_mb": 6}', "the settings changed"),
        ("schema", "0", "documentation or argument schema changed"),
        ("code", "0", "source files changed"),
        ("version", "knitbone 0", "the version of knitbone or Python changed"),
    ],
)
def test_the_journal_of_another_campaign_is_refused(
    tmp_path: Path, field: str, value: object, told: str
) -> None:
    write(tmp_path)
    with pytest.raises(InputFormatError, match=told):
        resume(tmp_path, msgspec.structs.replace(HEADER, **{field: value}))


def test_a_change_of_the_tools_own_files_changes_the_header(tmp_path: Path) -> None:
    file = tmp_path / "tool.py"
    file.write_text("a = 1\n")
    tool = msgspec.structs.replace(TOOL, roots=(str(file),))
    before = header_of(tool, seed=1, calls=9, settings={})
    assert before == header_of(tool, seed=1, calls=9, settings={})
    file.write_text("a = 22\n")
    assert before.code != header_of(tool, seed=1, calls=9, settings={}).code


def test_another_call_than_the_journaled_one_is_refused(tmp_path: Path) -> None:
    write(tmp_path)
    with (
        resume(tmp_path) as journal,
        pytest.raises(InputFormatError, match=r"Call 1 in .* is not the call"),
    ):
        journal.answer(call_key({"n": 7}, 5.0, fresh=False))


def test_two_campaigns_cannot_write_one_journal(tmp_path: Path) -> None:
    path = write(tmp_path)
    whole = path.read_bytes()
    with resume(tmp_path), pytest.raises(InputFormatError, match="in use by another campaign"):
        Journals(tmp_path).open(HEADER)
    assert path.read_bytes() == whole, "what is in use is not overwritten"


def test_without_resume_it_is_overwritten_and_complete_ones_are_discarded(tmp_path: Path) -> None:
    folder = tmp_path / "journals"
    write(folder)
    journals = Journals(folder)
    assert journals.unfinished() == len(OUTCOMES)
    with journals.open(HEADER) as journal:
        assert journal.left == 0
    assert journals.unfinished() == 0
    own = folder / "notes.jsonl"
    own.write_text("mine")
    journals.discard()
    assert list(folder.iterdir()) == [own]
    own.unlink()
    journals.discard()
    assert not folder.exists()


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputFormatError, match="cannot be written"):
        Journals(tmp_path / "file").open(HEADER)
