"""The baseline of findings: only what is new is news, whatever line it stands on."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from knitbone.config import FuzzConfig
from knitbone.errors import InputFormatError
from knitbone.fuzzing import baseline
from knitbone.fuzzing.api import fuzz
from knitbone.fuzzing.records import Campaign, Finding, Variant

CONFIG = FuzzConfig(call_timeout_s=2.0)
BODY = """\
def tool(text: str) -> str:
    if not text:
        raise ValueError("text is empty")
    return text[len(text) // len(text) - 1] + str(1 // (len(text) - 3))
"""


def run(file: Path, body: str, *, seed: int = 1) -> Campaign:
    file.write_text(body)
    return fuzz(f"{file}:tool", calls=80, seed=seed, config=CONFIG)


def test_fingerprints_stay_when_lines_shift_and_seeds_change(private: Path, tmp_path: Path) -> None:
    file = tmp_path / "shifting.py"
    before = run(file, BODY)
    after = run(file, "import os\n\n\n" + BODY, seed=2)
    assert len(before.findings) == 2
    assert {f.fingerprint for f in before.findings} == {f.fingerprint for f in after.findings}
    assert {f.id for f in before.findings}.isdisjoint({f.id for f in after.findings})


def test_only_a_new_failure_is_new(private: Path, tmp_path: Path) -> None:
    file = tmp_path / "growing.py"
    accepted = baseline.updated([run(file, BODY)], ())
    grown = run(file, BODY + "\n\nold = tool\ndef tool(text: str) -> str:\n"
                "    return old(text) + str(1 // (len(text) - 4))\n")  # fmt: skip
    marked = baseline.mark_known(grown, accepted)
    fresh = [finding for finding in marked.findings if finding.counts and not finding.known]
    assert [(f.exception, f.frame.function if f.frame else "") for f in fresh] == [
        ("ZeroDivisionError", "tool")
    ]
    assert baseline.stale([marked], accepted) == []
    mended = run(file, BODY.replace("1 // (len(text) - 3)", "1 // 3"))
    gone = baseline.stale([mended], accepted)
    assert [(entry.kind, entry.exception) for entry in gone] == [("raised", "ZeroDivisionError")]


def test_what_is_refused_now_is_told(private: Path, tmp_path: Path) -> None:
    campaign = run(tmp_path / "former.py", BODY)
    formerly = [
        baseline.AcceptedFailure(
            fingerprint=finding.fingerprint, tool=campaign.tool.target, kind=finding.kind,
            exception=finding.exception or "", where="", message="",
        )
        for finding in campaign.findings
    ]  # fmt: skip
    marked = baseline.mark_known(campaign, formerly)
    assert all(finding.known for finding in marked.findings)
    assert baseline.stale([marked], formerly) == []
    moved = baseline.reclassified([marked], formerly)
    assert [entry.exception for entry in moved] == ["ValueError"]
    kept = baseline.updated([marked], formerly)
    assert [entry.exception for entry in kept] == ["ZeroDivisionError"]


def finding(**changes: object) -> Finding:
    base = Finding(
        id="a", kind="raised", exception="E", frame=None, message="m", arguments={}, call=1
    )
    return msgspec.structs.replace(base, **changes)


def test_equal_failures_of_one_tool_are_told_apart(sound: Campaign) -> None:
    twice = baseline.with_fingerprints(sound.tool, [finding(), finding(id="b")])
    assert twice[0].fingerprint != twice[1].fingerprint
    again = baseline.with_fingerprints(sound.tool, [finding(id="b")])
    assert again[0].fingerprint == twice[0].fingerprint


def worded(name: str, message: str, **changes: object) -> Finding:
    return finding(id=name, kind="returned", exception=None, message=message, **changes)


def test_a_failure_accepted_in_one_wording_is_known_in_another(sound: Campaign) -> None:
    names = "Error executing tool greet: no such guest", "Error: the guest is not known"
    (accepted,) = baseline.with_fingerprints(
        sound.tool, [worded("a", names[0], reason="no such guest")]
    )
    entries = baseline.updated([msgspec.structs.replace(sound, findings=(accepted,))], ())
    variant = Variant(
        id="a", kind="returned", exception=None, frame=None, message=names[0], arguments={}, call=2
    )
    for variants, known in (((variant,), True), ((), False)):
        again = baseline.with_fingerprints(sound.tool, [worded("b", names[1], variants=variants)])
        marked = baseline.mark_known(msgspec.structs.replace(sound, findings=again), entries)
        assert [each.known for each in marked.findings] == [known]


@pytest.fixture
def sound(private: Path) -> Campaign:
    return fuzz("knitbone.samples.tools:greet", calls=1, config=CONFIG)


def test_other_tools_entries_stay_and_a_file_reads_back(sound: Campaign, tmp_path: Path) -> None:
    other = baseline.AcceptedFailure(
        fingerprint="0" * 16, tool="other:tool", kind="raised", exception="E", where="", message=""
    )
    mended = msgspec.structs.replace(other, tool=sound.tool.target)
    entries = baseline.updated([sound], [other, mended])
    assert entries == [other]
    path = tmp_path / "findings.json"
    baseline.save_baseline(path, [mended, other])
    assert baseline.load_baseline(path) == (mended, other)
    first = path.read_bytes()
    baseline.save_baseline(path, [other, mended])
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "cannot be read as a baseline"),
        ('{"schema": 2, "findings": []}', "has schema 2"),
        ('{"schema": 1, "findings": [{"fingerprint": "x"}]}', "cannot be read as a baseline"),
        (
            '{"schema": 1, "findings": [{"fingerprint": "x", "tool": "t", "kind": "k", '
            '"exception": "", "where": "", "message": ""}]}',
            "'x' is not a fingerprint",
        ),
        ("[" * 100_000, "cannot be read as a baseline"),
    ],
)
def test_a_file_that_is_no_baseline_is_explained(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "findings.json"
    path.write_text(text)
    with pytest.raises(InputFormatError, match=told):
        baseline.load_baseline(path)
    with pytest.raises(InputFormatError, match="cannot be written"):
        baseline.save_baseline(tmp_path / "none" / "b.json", [])
