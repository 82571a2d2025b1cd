"""Recorded understanding of requests: what is asked, and what is replayed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from knitbone.errors import ModelServerError
from knitbone.models.chat import ToolSpec
from knitbone_evals.fuzz_docs.__main__ import prompt_sets
from knitbone_evals.fuzz_docs.comprehension import (
    Question,
    RecordedComprehension,
    key_of_question,
    pending_lines,
)
from knitbone_evals.fuzz_docs.labels import HERE, labels
from knitbone_evals.fuzz_docs.understood import against_first

TOOL = ToolSpec(
    name="room",
    description="Book a room. day: first night, as YYYY-MM-DD.",
    parameters={"type": "object", "properties": {"day": {"type": "string"}}},
)
USABLE = {
    "day": {
        "words": "3 May 2031", "kind": "date", "year": 2031, "month": 5, "day": 3,
        "stated": {"quote": "as YYYY-MM-DD", "pattern": "%Y-%m-%d"},
    }
}  # fmt: skip


def answered(path: Path, answer: object) -> RecordedComprehension:
    key = key_of_question(TOOL, "From 3 May 2031")
    path.write_text(json.dumps({"key": key, "answer": answer}) + "\n", encoding="utf-8")
    return RecordedComprehension(path)


def test_a_recorded_understanding_is_replayed(tmp_path: Path) -> None:
    found = answered(tmp_path / "answers", USABLE).meanings(TOOL, "From 3 May 2031")
    assert found["day"].month == 5
    assert found["day"].stated is not None


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"day": {"words": "4 May", "kind": "date"}}, "does not hold the words"),
        ({"day": {"words": "3 May 2031", "kind": "date", "form": "ISO"}}, "form"),
        ("3 May", "object"),
    ],
)
def test_an_answer_that_cannot_be_used_is_asked_again_with_the_reason(
    tmp_path: Path, answer: object, told: str
) -> None:
    recorded = answered(tmp_path / "answers", answer)
    question = Question(0, TOOL, "From 3 May 2031")
    (line,) = pending_lines([question], recorded)
    assert told in line["requests"][0]["problem"]
    with pytest.raises(ModelServerError, match=r"No usable answer"):
        recorded.meanings(TOOL, question.request)


def test_questions_show_what_an_agent_sees_and_one_wording_of_a_request_to_a_batch(
    tmp_path: Path,
) -> None:
    asked = [Question(1, TOOL, "From 3 May 2031"), Question(0, TOOL, "From May 3rd")]
    lines = pending_lines(asked, RecordedComprehension(tmp_path / "none"))
    assert [line["batch"] for line in lines] == [0, 1]
    assert all(len(line["requests"]) == 1 for line in lines)
    assert set(lines[0]["tool"]) == {"name", "description", "arguments"}


def test_the_instructions_take_no_example_from_the_forty_tools() -> None:
    told = (HERE / "comprehension.md").read_text(encoding="utf-8")
    for label in labels():
        assert not re.search(rf"\b{label.name}\b", told)
        for written in prompt_sets()[label.name]:
            assert not any(prompt.text in told for prompt in written.prompts)


def test_two_readers_are_compared_tool_by_tool() -> None:
    def tools(*found: bool) -> dict[str, object]:
        kinds = ["misleading", "misleading", "misleading", "sound", "sound"]
        return {
            f"t{at}": {"kind": kind, "found": {"cascade": each}}
            for at, (kind, each) in enumerate(zip(kinds, found, strict=True))
        }

    new, old = tools(True, True, False, False, True), tools(True, False, True, True, True)
    compared = against_first(new, old, "cascade")
    assert compared["rightly only now"] == ["t1", "t3"]
    assert compared["rightly only before"] == ["t2"]
    assert compared["p"] == 1.0
