"""What a type checker makes of ``knitbone.repair``: checked by ``make lint``, never run."""

# pyright: reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

import dataclasses
from typing import Any, TypedDict, assert_type

import pydantic

import knitbone
from knitbone import RepairResult


@dataclasses.dataclass
class Car:
    make: str


class Trip(TypedDict):
    days: int


class Order(pydantic.BaseModel):
    number: int


TEXT = "{make: 'Fiat'}"

assert_type(knitbone.repair(TEXT, Car), RepairResult[Car])
assert_type(knitbone.repair(TEXT, Car).unwrap(), Car)
assert_type(knitbone.repair(TEXT, Car).value, Car | None)
assert_type(knitbone.repair(TEXT, Trip).unwrap()["days"], int)
assert_type(knitbone.repair(TEXT, Order).unwrap().number, int)
assert_type(knitbone.repair(TEXT, list[Car]).unwrap(), list[Car])
assert_type(knitbone.repair(TEXT, dict[str, int]).unwrap(), dict[str, int])
assert_type(knitbone.repair(TEXT).unwrap(), Any)
assert_type(knitbone.repair(TEXT, ["make"]).unwrap(), Any)
assert_type(knitbone.repair(TEXT, {"type": "object"}).unwrap(), Any)
assert_type(knitbone.repair(TEXT, "json").unwrap(), Any)
assert_type(knitbone.repair(TEXT, Car | Order).unwrap(), Any)
assert_type(knitbone.repair(TEXT, example={"make": "Fiat"}).unwrap(), Any)

# Each of these is an error: pyright reports an ignore comment that is not needed.
str(knitbone.repair(TEXT, Car).unwrap().colour)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]
str(knitbone.repair(TEXT, Car).value.make)  # pyright: ignore[reportOptionalMemberAccess]
knitbone.repair(b"{}")  # pyright: ignore[reportArgumentType]
