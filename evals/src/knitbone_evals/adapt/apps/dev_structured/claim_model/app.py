"""An insurer's intake: the claim as a validated model, with an enum, dates, nesting and limits."""

from datetime import date
from enum import Enum
from typing import Annotated, Literal

from openai import OpenAI
from pydantic import BaseModel, ConfigDict, Field, ValidationError


class Peril(str, Enum):
    FIRE = "fire"
    WATER = "water damage"
    THEFT = "theft"
    STORM = "storm"


class Item(BaseModel):
    label: str
    value: Annotated[float, Field(ge=0)]


class Claim(BaseModel):
    model_config = ConfigDict(extra="forbid")

    policy: str = Field(pattern=r"^[A-Z]{2}-\d{5}$")
    peril: Peril
    happened: date
    items: list[Item] = Field(min_length=1)
    reported_by: Literal["holder", "broker", "police"]
    injured: bool
    contact_phone: str | None = None


SCHEMA = Claim.model_json_schema()


def intake(letter):
    client = OpenAI()
    for _attempt in range(2):
        reply = client.chat.completions.create(
            model="gpt-4o-mini",
            messages=[
                {"role": "system", "content": f"Fill in the claim as JSON. Schema: {SCHEMA}"},
                {"role": "user", "content": letter},
            ],
        )
        try:
            claim = Claim.model_validate_json(reply.choices[0].message.content)
        except ValidationError:
            continue
        return {
            "state": "auto",
            "desk": claim.peril.name,
            "month": claim.happened.month,
            "sum": sum(item.value for item in claim.items),
            "by": claim.reported_by,
            "hurt": claim.injured,
            "phone": claim.contact_phone,
            "policy": claim.policy,
        }
    return {"state": "manual"}
