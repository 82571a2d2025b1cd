"""Texts that code looks for among values after a step such as ``strip``, against what it accepts.

Each program is run on each answer: what the requirement says of it is what the code does.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from knitbone.adaptation.requirements.file import read_shape, write_shape
from knitbone.adaptation.testing import (
    Invocation,
    StructuredTemplate,
    analyse_text,
    prepare_check,
)
from knitbone.common.structured.conformance import fits
from knitbone.config import AdaptConfig

_HEAD = """
import json
import xml.etree.ElementTree as ET
from enum import Enum
from openai import OpenAI
class State(Enum):
    ON = "on"
    STAND_BY = "stand-by"
NAMES = ("on", "stand-by")
TABLE = {"on": 1, "stand-by": 2}
def ask(q):
    messages = [{"role": "user", "content": q}]
    return OpenAI().chat.completions.create(model="m", messages=messages).choices[0].message.content
"""
_STEPS = ["", ".strip()", ".lower()", ".strip().lower()", ".casefold().strip()", ".rstrip()"]
_CONSUMERS = {
    "an enumeration": "return State({word}).value",
    "a tuple": "w = {word}\n    if w not in NAMES:\n        raise ValueError(w)\n    return w",
    "a table": "return TABLE[{word}]",
}
_WORDS = [
    "on",
    "ON",
    " on",
    "on\n",
    " On ",
    "stand-by",
    "Stand-By",
    "standby",
    "off",
    "",
    "on, now",
]
_CASES = list(itertools.product(_STEPS, _CONSUMERS))


def _program(tmp_path: Path, read: str, steps: str, consumer: str) -> tuple[Any, Any]:
    """The function that gets an answer, and the requirement that is read from it."""
    body = _CONSUMERS[consumer].format(word=read + steps)
    code = f"{_HEAD}def app(q):\n    text = ask(q)\n    {body}\n"
    path = tmp_path / "app.py"
    (site,) = analyse_text(code, path).sites
    (requirement,) = (r for r in site.requirements if isinstance(r, StructuredTemplate))
    space: dict[str, Any] = {}
    exec(compile(code, str(path), "exec"), space)

    def run(answer: str) -> Any:
        space["ask"] = lambda _: answer
        return space["app"]("?")

    return run, requirement


def _result(run: Any, answer: str) -> Any:
    try:
        return run(answer)
    except (ValueError, KeyError):
        return None


@pytest.mark.parametrize(("steps", "consumer"), _CASES)
def test_a_field_of_json_is_accepted_where_the_code_accepts_it(
    tmp_path: Path, steps: str, consumer: str
) -> None:
    run, requirement = _program(tmp_path, 'json.loads(text)["state"]', steps, consumer)
    check = prepare_check(requirement)
    assert check is not None
    for word in _WORDS:
        answer = json.dumps({"state": word})
        verdict = check(answer, Invocation(AdaptConfig()))
        plain = _result(run, answer)
        assert (verdict.disposition == "conforming") is (plain is not None), word
        if verdict.disposition == "repaired":
            assert _result(run, verdict.text) is not None, word
            assert word.casefold().strip() in ("on", "stand-by", "standby"), word


@pytest.mark.parametrize(("steps", "consumer"), _CASES)
def test_the_text_of_an_element_is_accepted_where_the_code_accepts_it(
    tmp_path: Path, steps: str, consumer: str
) -> None:
    read = 'ET.fromstring(text).find("state").text'
    run, requirement = _program(tmp_path, read, steps, consumer)
    for word in filter(None, _WORDS):
        plain = _result(run, f"<a><state>{word}</state></a>")
        assert fits({"state": word}, requirement.shape) is (plain is not None), word


@pytest.mark.parametrize("steps", _STEPS)
def test_steps_are_written_for_people_and_read_again(tmp_path: Path, steps: str) -> None:
    _, requirement = _program(tmp_path, 'json.loads(text)["state"]', steps, "a tuple")
    written = write_shape(requirement.shape)
    assert read_shape(written) == requirement.shape
    assert (f" after {steps.replace('()', '')[1:]} in " in str(written)) is bool(steps)
