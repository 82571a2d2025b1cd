"""Tools of a mail-order house for LangChain agents, with nested arguments."""

import re

from langchain_core.tools import StructuredTool, tool
from pydantic import BaseModel, Field


class Box(BaseModel):
    label: str = Field(description="what the box holds")
    grams: int = Field(ge=1, le=30_000, description="weight of the box")


class PackingList(BaseModel):
    reference: str = Field(description='"P-" and four digits; others are refused with a ValueError')
    count: int = Field(ge=1, le=12, description="number of boxes")
    boxes: list[Box] = Field(min_length=1, description="the boxes")


async def _heaviest_box(packing: PackingList) -> str:
    if not re.fullmatch("P-[0-9]{4}", packing.reference):
        raise ValueError("the reference is P- and four digits")
    grams = [packing.boxes[number].grams for number in range(packing.count)]
    heaviest = packing.boxes[grams.index(max(grams))]
    return f"{heaviest.label}, {heaviest.grams} g"


class _Packing(BaseModel):
    packing: PackingList = Field(description="the packing list of a delivery")


heaviest_box = StructuredTool.from_function(
    coroutine=_heaviest_box,
    name="heaviest_box",
    description="Names the heaviest box of a delivery.",
    args_schema=_Packing,
)


class Line(BaseModel):
    article: str = Field(description="name of the article")
    pieces: int = Field(ge=1, le=100, description="number of pieces")
    cents: int = Field(ge=0, le=1_000_000, description="price of one piece in cents")


class Order(BaseModel):
    customer: str = Field(description="name of the customer")
    lines: list[Line] = Field(description="what is ordered")


@tool
def dearest_line(order: Order) -> str:
    """Name the article of an order that costs the most, all its pieces together."""
    dearest = max(order.lines, key=lambda line: line.pieces * line.cents)
    return f"{dearest.article}: {dearest.pieces * dearest.cents} cents"


@tool
def order_total(order: Order) -> int:
    """Add up an order, in cents; 0 for one without lines."""
    return sum(line.pieces * line.cents for line in order.lines)


class Customs(BaseModel):
    content: str = Field(description="what the parcel holds")
    cents: int = Field(ge=0, le=10_000_000, description="its value in cents")


class Address(BaseModel):
    town: str = Field(
        description='postal code of four digits, a space, and the town, as "8010 Graz"'
    )
    country: str = Field(default="AT", description="AT, CH, DE or LI")


class Parcel(BaseModel):
    to: Address = Field(description="where it goes")
    grams: int = Field(ge=1, le=31_500, description="its weight")
    customs: Customs | None = Field(default=None, description="declaration for the customs")


def _postage(parcel: Parcel) -> str:
    """Compute the postage of a parcel.

    Answers "We cannot send there." if the town or the country is not as described.
    """
    if not re.fullmatch("[0-9]{4,5} [A-Za-z .-]{1,40}", parcel.to.town):
        return "We cannot send there."
    if parcel.to.country not in ("AT", "CH", "DE", "LI"):
        return "We cannot send there."
    cents = 500 + parcel.grams // 10
    if parcel.to.country in ("CH", "LI") and parcel.grams > 2000:
        cents += parcel.customs.cents // 50
    return f"{cents} cents"


class _Postage(BaseModel):
    parcel: Parcel = Field(description="the parcel to send")


postage = StructuredTool.from_function(_postage, name="postage", args_schema=_Postage)


@tool
def price_before_voucher(code: str, cents: int) -> str:
    """Compute what an order would have cost without its voucher.

    Args:
        code: Code of the voucher: "SAVE", and the percentage it takes off, 1 to 100, as in
            "SAVE20". For others the answer is "There is no such voucher.".
        cents: Price that was paid, 0 to 1000000; others are refused with a ValueError.
    """
    match = re.fullmatch("SAVE([1-9][0-9]?|100)", code)
    if match is None:
        return "There is no such voucher."
    if not 0 <= cents <= 1_000_000:
        raise ValueError("0 to 1000000 cents")
    return f"{cents * 100 // (100 - int(match.group(1)))} cents"


class Course(BaseModel):
    name: str = Field(description="name of the course")
    cents: int | None = Field(default=None, ge=0, le=100_000, description="price of a single dish")
    choices: list["Course"] = Field(
        default=[], description="what guests choose from, if it is not a single dish"
    )


def _mean_price(course: Course) -> float:
    if course.cents is not None:
        return float(course.cents)
    prices = [_mean_price(choice) for choice in course.choices]
    return sum(prices) / len(prices)


@tool
def mean_price(course: Course) -> float:
    """Compute the mean price of a course of the menu over all that guests can choose."""
    return _mean_price(course)


class Part(BaseModel):
    number: str = Field(description='number of the part: "T" and three digits')
    grams: int = Field(ge=0, le=100_000, description="weight of the part itself")
    contains: list[str] = Field(default=[], description="numbers of the parts within it")


@tool
def assembly_weight(parts: list[Part]) -> str:
    """Weigh the first part of a list, with all parts within it.

    Answers "The list is not complete." if it is empty, or a number is missing or has another form.
    """
    known = {part.number: part for part in parts if re.fullmatch("T[0-9]{3}", part.number)}
    if not parts or any(name not in known for part in parts for name in part.contains):
        return "The list is not complete."
    if parts[0].number not in known:
        return "The list is not complete."
    return f"{_grams(parts[0].number, known)} g"


def _grams(number: str, known: dict[str, Part]) -> int:
    part = known[number]
    return part.grams + sum(_grams(inner, known) for inner in part.contains)
