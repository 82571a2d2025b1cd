"""Prompt files, templates and their infills, and the writer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from documentation_support import RuleChat
from hypothesis import given
from hypothesis import strategies as st

from knitbone.config import FuzzConfig
from knitbone.errors import InputFormatError, ModelError
from knitbone.fuzzing.budget import CampaignBudget
from knitbone.fuzzing.documentation.prompt_files import PROMPT_NAMES, PromptFiles
from knitbone.fuzzing.documentation.records import PromptTemplate
from knitbone.fuzzing.documentation.templates import (
    Refused,
    check_infills,
    is_degenerate,
    prompt_set,
    read_template,
)
from knitbone.fuzzing.documentation.writer import PromptWriter
from knitbone.fuzzing.records import ToolUnderTest

TOOL = ToolUnderTest(name="lodge_price", target="t", documentation="Price of a stay.", schema={})
TRAIN = PromptTemplate(text="Trains to [city] on [day]?", masks=("city", "day"))


def budget() -> CampaignBudget:
    return CampaignBudget(FuzzConfig(), elapsed=lambda: 0.0)


def reason_of(text: str, **given: Any) -> str:
    read = read_template(text, **given)
    return read.reason if isinstance(read, Refused) else ""


# --- files ---------------------------------------------------------------------------------------


def test_every_task_has_a_prompt_with_a_version() -> None:
    prompts = PromptFiles()
    assert set(prompts.versions) == set(PROMPT_NAMES)
    assert all(prompts.versions.values())
    assert "3 different requests" in prompts.text("templates", count=3)


def test_a_folder_replaces_prompts_by_name(tmp_path: Path) -> None:
    (tmp_path / "infills.md").write_text("version: 7\n---\nWrite {{ count }} of them.\n")
    prompts = PromptFiles(tmp_path)
    assert prompts.text("infills", count=4) == "Write 4 of them."
    assert prompts.versions["infills"].startswith("7 (infills.md, ")
    assert prompts.versions["templates"] == PromptFiles().versions["templates"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("infils.md", "version: 1\n---\nx", r"infils.md is the prompt of no task.*infills.md"),
        ("infills.md", "no head", "has no head"),
        ("infills.md", "version 1\n---\nx", "line 1 is not 'key: value'"),
        ("infills.md", "purpose: x\n---\nx", "has no version"),
        ("infills.md", "version: 1\n---\n \n", "has no text"),
        ("infills.md", "version: 1\n---\n{{ number }}", "uses the field 'number'.*count"),
        ("infills.md", "version: 1\n---\n{% if %}", "is no template"),
    ],
)
def test_a_prompt_file_that_cannot_be_used_is_told(
    tmp_path: Path, name: str, content: str, said: str
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputFormatError, match=said):
        PromptFiles(tmp_path)


def test_a_prompt_file_runs_no_code(tmp_path: Path) -> None:
    (tmp_path / "infills.md").write_text("version: 1\n---\n{{ count.__class__.__mro__ }}")
    with pytest.raises(Exception, match="unsafe"):
        PromptFiles(tmp_path).text("infills", count=1)


def test_a_folder_of_prompts_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputFormatError, match="does not exist"):
        PromptFiles(tmp_path / "none")


# --- templates -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Trains to [city]?", ""),
        ("Trains to Vienna?", "a template without a mask"),
        ("Trains to [city?", "brackets that do not close"),
        ("Trains to [0]?", "a mask that is no word"),
        ("Trains to []?", "a mask that is no word"),
        ("[city] [day]", "a template of masks only"),
        ("x" * 301 + "[city]", "a template that nobody would ask"),
        ("ha ha ha ha ha ha ha ha ha ha ha [city]", "a template that nobody would ask"),
        ("trains to  [City]", "a template that was used before"),
    ],
)
def test_templates_are_checked_by_code(text: str, reason: str) -> None:
    assert reason_of(text, used=["Trains to [city]!"] if "  " in text else ()) == reason


@pytest.mark.parametrize(
    ("infill", "reason"),
    [
        ("Wien", ""),
        ("vienna", ""),
        ("Vienna", "an infill that repeats another"),
        ("the City", "an infill that is the mask's name"),
        ("some city", "an infill that is the mask's name"),
        ("[city]", "an infill that is none"),
        (" ", "an infill that is none"),
        ("Graz", "an infill that was used before"),
    ],
)
def test_infills_are_checked_by_code(infill: str, reason: str) -> None:
    kept, refused = check_infills(
        TRAIN, {"city": ["Vienna", infill], "day": ["Monday"]}, used={"city": ["graz"]}
    )
    assert [each.reason for each in refused] == ([reason] if reason else [])
    assert kept["city"] == (("Vienna",) if reason else ("Vienna", infill))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("3", "three", True),
        ("3", "5", False),
        ("3", "a few", False),
        ("3", "3 nights", True),
        ("3 km", "5 km", False),
        ("1 km", "1000 m", True),
        ("1,000", "1000", True),
        ("2031-05-02", "2 May 2031", True),
        ("2031-05-02", "May 3rd, 2031", False),
        ("summer", "summertime", True),
    ],
)
def test_infills_that_surely_mean_other_things_are_refused(
    one: str, other: str, same: bool
) -> None:
    kept, _ = check_infills(TRAIN, {"city": [one, other], "day": ["Monday"]})
    assert kept["city"] == ((one, other) if same else (one,))


def test_a_mask_without_infills_makes_no_set() -> None:
    kept, refused = check_infills(TRAIN, {"city": ["Vienna", "Wien"]})
    assert [each.reason for each in refused] == ["a mask that is not filled"]
    assert prompt_set(TRAIN, kept, count=3) is None


def test_a_set_goes_through_the_infills_of_all_masks() -> None:
    made = prompt_set(
        TRAIN, {"city": ["Vienna", "Wien", "VIE"], "day": ["2 May", "May 2"]}, count=3
    )
    assert made is not None
    assert [prompt.text for prompt in made.prompts] == [
        "Trains to Vienna on 2 May?",
        "Trains to Wien on May 2?",
        "Trains to VIE on 2 May?",
    ]
    assert made.prompts[1].infills == {"city": "Wien", "day": "May 2"}


def test_a_word_that_infill_and_template_share_stands_once() -> None:
    template = PromptTemplate(text="A stay of [number] nights?", masks=("number",))
    made = prompt_set(template, {"number": ["two nights", "2"]}, count=2)
    assert made is not None
    assert [each.text for each in made.prompts] == ["A stay of two nights?", "A stay of 2 nights?"]


@given(
    text=st.text("ab []", max_size=30),
    values=st.lists(st.text("abx[] 3", max_size=6), max_size=4),
)
def test_a_set_has_no_mask_left_and_differs(text: str, values: list[str]) -> None:
    template = read_template(text)
    if isinstance(template, Refused):
        return
    kept, _ = check_infills(template, dict.fromkeys(template.masks, values))
    made = prompt_set(template, kept, count=3)
    if made is None:
        return
    texts = [prompt.text for prompt in made.prompts]
    assert len(set(texts)) == len(texts) >= 2
    assert not any("[" in each or "]" in each for each in texts)


@pytest.mark.parametrize(
    ("text", "degenerate"),
    [
        ("Share 10 apples among no children.", False),
        ("aaaaaaaaaaaaaaaaaaaaaaa", True),
        ('"a" * 1000', True),
        ("'str'.repeat(1000)", True),
        ("${input}", True),
        ("no no no no no no no no no no no no", True),
        ("", True),
        ("!!!", True),
    ],
)
def test_degenerate_requests_are_recognised(text: str, degenerate: bool) -> None:
    assert is_degenerate(text) is degenerate


# --- writer --------------------------------------------------------------------------------------


def test_a_wrong_template_is_asked_for_again_once_with_the_reason() -> None:
    told: list[Any] = []

    def templates(material: dict[str, Any]) -> dict[str, Any]:
        told.append(material)
        good = {"templates": ["Trains to [city]?"]}
        return {"templates": ["Trains?"]} if len(told) == 1 else good

    writer = PromptWriter(RuleChat(templates=templates), PromptFiles())
    written = writer.templates(TOOL, count=1, budget=budget())
    assert [each.text for each in written.templates] == ["Trains to [city]?"]
    assert written.dropped == {}
    assert told[1]["problems"] == ["a template without a mask: Trains?"]


@pytest.mark.parametrize("unreadable", ["[1]", '{"templates": 3}', '{"infills": ["Wien"]}'])
def test_an_answer_that_is_no_record_is_asked_for_again_once(unreadable: str) -> None:
    told: list[Any] = []

    def first(good: dict[str, Any]) -> Any:
        def answer(material: dict[str, Any]) -> Any:
            told.append(material.get("problems"))
            return good if told[-1] else json.loads(unreadable)

        return answer

    ways = [{"mask": "city", "thing": "Vienna", "ways": ["Vienna", "Wien"]}]
    chat = RuleChat(
        templates=first({"templates": ["Trains to [city]?"]}), infills=first({"infills": ways})
    )
    writer = PromptWriter(chat, PromptFiles())
    written = writer.templates(TOOL, count=1, budget=budget())
    filled = writer.fill(TOOL, written.templates[0], count=2, used={}, budget=budget())
    assert filled.set is not None
    assert written.dropped == filled.dropped == {}
    assert chat.asked == ["templates", "templates", "infills", "infills"]
    assert told[1] == [
        f"an answer that is no JSON of the form: {json.dumps(json.loads(unreadable))}"
    ]


def test_an_answer_that_is_no_record_twice_is_an_error_of_the_model() -> None:
    chat = RuleChat(templates=[1])
    with pytest.raises(ModelError, match="was asked for a record"):
        PromptWriter(chat, PromptFiles()).templates(TOOL, count=1, budget=budget())
    assert len(chat.asked) == 2


def test_what_is_wrong_twice_is_dropped_and_counted() -> None:
    writer = PromptWriter(RuleChat(templates={"templates": ["Trains?"]}), PromptFiles())
    written = writer.templates(TOOL, count=2, budget=budget())
    assert written.templates == ()
    assert written.dropped == {"a template without a mask": 1}


def test_used_infills_are_shown_and_refused_again() -> None:
    told: list[Any] = []

    def infills(material: dict[str, Any]) -> dict[str, Any]:
        told.append(material["used"])
        ways = ["Vienna", "Wien"] if len(told) == 1 else ["Graz", "Graz, Austria"]
        return {"infills": [{"mask": "city", "thing": ways[0], "ways": ways}]}

    template = PromptTemplate(text="Trains to [city]?", masks=("city",))
    writer = PromptWriter(RuleChat(infills=infills), PromptFiles())
    written = writer.fill(
        TOOL, template, count=2, used={"city": ["Vienna", "Wien"]}, budget=budget()
    )
    assert told == [{"city": ["Vienna", "Wien"]}] * 2
    assert written.set is not None
    assert [each.text for each in written.set.prompts] == [
        "Trains to Graz?",
        "Trains to Graz, Austria?",
    ]


def test_amounts_that_are_no_texts_are_taken() -> None:
    answer = {"infills": [{"mask": "[n]", "thing": 3, "ways": [3, "three"]}]}
    template = PromptTemplate(text="Take [n] of them", masks=("n",))
    writer = PromptWriter(RuleChat(infills=answer), PromptFiles())
    written = writer.fill(TOOL, template, count=2, used={}, budget=budget())
    assert written.set is not None
    assert [each.text for each in written.set.prompts] == ["Take 3 of them", "Take three of them"]


def test_a_rewording_that_loses_an_infill_is_not_taken() -> None:
    template = PromptTemplate(text="Trains to [city]?", masks=("city",))
    plain = prompt_set(template, {"city": ["Vienna", "SF"]}, count=2)
    assert plain is not None
    said = {"requests": ["any trains to vienna", "how do I transfer there"]}
    writer = PromptWriter(RuleChat(humanise=said), PromptFiles())
    written = writer.humanise(TOOL, plain, budget=budget())
    assert written.set is not None
    assert [each.text for each in written.set.prompts] == [
        "any trains to vienna",
        "Trains to SF?",
    ]
    assert written.set.prompts[0].plain == "Trains to Vienna?"
    assert written.dropped == {"a rewording that lost an infill": 1}
