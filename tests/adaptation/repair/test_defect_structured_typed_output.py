"""Answers that a library validates against an output type: repaired where its validator refuses."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model

from knitbone.adaptation.repair.structured.typed_output import (
    RefusedValue,
    output_type_of,
    prepare_typed_output,
)
from knitbone.adaptation.runtime.validators.answers import refused_values
from knitbone.adaptation.testing import (
    Evidence,
    Invocation,
    PromptMessage,
    StructuredTemplate,
    Verdict,
)
from knitbone.config import AdaptConfig

_REQUIREMENT = StructuredTemplate(
    format="json",
    parser="",
    on_violation="raises",
    evidence=Evidence(file="app.py", line=1, expression="agent.run_sync(text).output"),
)


class Slip(BaseModel):
    """What the reception prints."""

    urgency: Literal["routine", "soon", "urgent"]
    pain: int = Field(ge=0, le=10, description="pain on the scale of 0 to 10")
    price: float = Field(description="price in euros")
    day: dt.date
    arrives: dt.time
    note: str | None = None


_GOOD: dict[str, Any] = {
    "urgency": "soon",
    "pain": 4,
    "price": 12.5,
    "day": "2026-03-01",
    "arrives": "16:00",
}


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    minutes: int


def _verdict(text: str, kind: Any = Slip, wrapper: str = "") -> Verdict:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)

    def validate(draft: str) -> tuple[RefusedValue, ...] | None:
        try:
            adapter.validate_json(draft)
        except ValidationError as error:
            return tuple(refused_values(error))
        return None

    output = output_type_of(adapter.json_schema(), wrapper)
    # What the user wrote names units and scales, too: none of it is about a field.
    asked = [PromptMessage(role="user", text="It costs $9 or 20 %, out of 100, for 3 weeks.")]
    invocation = Invocation(AdaptConfig(), asked=lambda: asked)
    return prepare_typed_output(_REQUIREMENT, output, validate)(text, invocation)


def _with(**changed: Any) -> str:
    return json.dumps({**_GOOD, **changed})


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (_with(pain="four"), {"pain": 4}),
        (_with(pain="4/10"), {"pain": 4}),
        (_with(price="€12.50"), {"price": 12.5}),
        (_with(price="1,480 €"), {"price": 1480.0}),
        (_with(urgency="Soon."), {"urgency": "soon"}),
        (_with(day="March 1, 2026"), {"day": dt.date(2026, 3, 1)}),
        (_with(arrives="4:00 PM"), {"arrives": dt.time(16)}),
        (json.dumps({"slip": _GOOD}), {}),
        (f"Here it is:\n```json\n{_with(pain='four')}\n```", {"pain": 4}),
        (_with().replace('"pain"', '"Pain"'), {"pain": 4}),
        (_with(note="x").replace('"x"', "None"), {"note": None}),
    ],
)
def test_an_answer_is_written_as_the_validator_takes_it(text: str, meant: dict[str, Any]) -> None:
    verdict = _verdict(text)
    assert verdict.disposition == "repaired", verdict.reason
    found = Slip.model_validate_json(verdict.text)
    assert found == Slip.model_validate({**_GOOD, **meant})
    assert _verdict(verdict.text).disposition == "conforming"


@pytest.mark.parametrize(
    "text",
    [
        _with(pain="four or five"),
        _with(pain="11"),
        _with(pain="4 weeks"),
        _with(pain="40%"),
        _with(price="$12"),
        _with(price="12 to 14"),
        _with(urgency="not urgent"),
        _with(urgency="soon or urgent"),
        _with(day="01/02/2026"),
        _with(day=None),
        _with(arrives="before 4:00 PM"),
        json.dumps({**_GOOD, "pain": "four", "remark": "fasting"}),
        "I cannot help with that.",
        _with()[:-30],
        f"{_with(pain='four')}\n{_with(pain='five')}",
    ],
)
def test_what_may_mean_something_else_is_refused(text: str) -> None:
    verdict = _verdict(text)
    assert (verdict.disposition, verdict.text) == ("refused", text), verdict.rules


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("There are **42** of them.", int, 42),
        ("42", int, 42),
        ("Yes.", Literal["yes", "no"], "yes"),
        ('["a", "b"]', list[str], ["a", "b"]),
        ('{"response": "forty-two"}', int, 42),
    ],
)
def test_a_value_alone_is_put_under_its_key(text: str, kind: Any, value: Any) -> None:
    wrapped = create_model("Wrapped", response=(kind, ...))
    verdict = _verdict(text, wrapped, "response")
    assert json.loads(verdict.text) == {"response": value}


def test_a_validator_that_converts_nothing_gets_a_number() -> None:
    verdict = _verdict('{"minutes": "20 min"}', Strict)
    assert json.loads(verdict.text) == {"minutes": 20}


@given(
    st.builds(
        dict,
        urgency=st.sampled_from(["routine", "soon", "urgent"]),
        pain=st.one_of(st.integers(0, 10), st.integers(0, 10).map(str)),
        price=st.one_of(st.floats(0, 1e6), st.integers(0, 99).map(str)),
        day=st.dates().map(str),
        arrives=st.times().map(str),
        note=st.one_of(st.none(), st.text(max_size=20)),
        more=st.text(max_size=5),
    )
)
def test_what_the_validator_accepts_is_not_touched(answer: dict[str, Any]) -> None:
    text = json.dumps(answer)
    verdict = _verdict(text)
    assert verdict.disposition == "conforming"
    assert verdict.text is text


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8),
                    lambda inner: st.lists(inner, max_size=3)
                    | st.dictionaries(st.sampled_from([*_GOOD, "x"]), inner, max_size=6),
                    max_leaves=12))  # fmt: skip
def test_a_repair_is_accepted_and_comes_to_rest(document: object) -> None:
    text = json.dumps(document)
    verdict = _verdict(text)
    if verdict.disposition == "repaired":
        assert _verdict(verdict.text).disposition == "conforming"
    else:
        assert verdict.text is text
