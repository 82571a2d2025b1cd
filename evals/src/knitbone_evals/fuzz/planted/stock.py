"""Warehouse tools for the purchasing agent."""

from __future__ import annotations

import csv
import math
from typing import Any

from langchain_core.tools import StructuredTool, tool
from pydantic import BaseModel, Field

_BATCHES: dict[str, list[dict[str, Any]]] = {
    "BOLT-M6": [{"batch": "A17", "quantity": 40}, {"batch": "B02", "quantity": 25}],
    "SEAL-20": [{"batch": "K9", "quantity": 12}],
    "GLUE-5": [{"batch": "G1", "quantity": 3}, {"batch": "G2", "quantity": 6}],
}


class PickArgs(BaseModel):
    sku: str = Field(description="Article: BOLT-M6, SEAL-20 or GLUE-5")
    quantity: int = Field(ge=1, le=500, description="How many pieces to take")


@tool(args_schema=PickArgs)
def pick_batch(sku: str, quantity: int) -> str:
    """Take pieces of an article out of the warehouse, the oldest batch first.

    Answers with the batches to take from, or with what is left if that is not enough.
    """
    batches = _BATCHES.get(sku.strip().upper())
    if batches is None:
        return f"There is no article {sku}."
    oldest = batches[0]
    if quantity < oldest["quantity"]:
        oldest["quantity"] -= quantity
        return f"{quantity} from batch {oldest['batch']}"
    left = sum(batch["quantity"] for batch in batches)
    if quantity > left:
        return f"Only {left} pieces are left."
    taken = []
    while quantity > 0:
        batch = batches[0]
        part = min(quantity, batch["quantity"])
        taken.append(f"{part} from batch {batch['batch']}")
        batch["quantity"] -= part
        quantity -= part
        if batch["quantity"] == 0:
            batches.pop(0)
    return ", ".join(taken)


class ReorderArgs(BaseModel):
    daily_use: float = Field(ge=0, le=10_000, description="Average use per day")
    lead_days: int = Field(ge=0, le=365, description="Days from order to delivery")
    pack_size: int = Field(ge=0, le=10_000, description="Pieces in one pack of the supplier")
    on_hand: int = Field(default=0, ge=0, le=1_000_000, description="Pieces in the warehouse")
    safety_days: int = Field(default=3, ge=0, le=60, description="Days of reserve to keep")


def _reorder(
    daily_use: float, lead_days: int, pack_size: int, on_hand: int = 0, safety_days: int = 3
) -> str:
    need = daily_use * (lead_days + safety_days) - on_hand
    if need <= 0:
        return "Nothing to order."
    packs = math.ceil(need / pack_size)
    return f"Order {packs} packs, {packs * pack_size} pieces."


reorder_quantity = StructuredTool.from_function(
    func=_reorder,
    name="reorder_quantity",
    description="Computes how many packs of an article have to be ordered so that the stock lasts "
    "until the next delivery, reserve included.",
    args_schema=ReorderArgs,
)


def low_stock(csv_text: str, min_level: int = 10) -> list[str]:
    """List the articles of a stock export that have to be reordered.

    Args:
        csv_text: The export: CSV with a head line and the columns article, location, quantity.
            Lines whose article is empty are separators.
        min_level: Articles with fewer pieces are listed.

    Returns:
        One line for each such article, e.g. "BOLT-M6: 4 in A3".

    Raises:
        ValueError: If the text is not CSV, or a quantity is not a whole number.
    """
    try:
        rows = list(csv.reader(csv_text.splitlines()))
    except csv.Error as problem:
        raise ValueError(f"the export is not readable: {problem}") from None
    low = []
    for row in rows[1:]:
        if not row or not row[0].strip():
            continue
        article, quantity = row[0].strip(), row[2].strip()
        try:
            pieces = int(quantity)
        except ValueError:
            raise ValueError(f"the quantity of {article} is not a whole number") from None
        if pieces < min_level:
            low.append(f"{article}: {pieces} in {row[1].strip()}")
    return low


def audit_rows(rows: list[str]) -> list[str]:
    """Audit the lines of a stock count before they are booked.

    Args:
        rows: Lines like "BOLT-M6;40", article and counted pieces with a semicolon between.

    Returns:
        One finding for each line that cannot be booked, such as "ERROR line 2: negative
        quantity"; "OK" alone if every line is fine.
    """
    findings = []
    seen = set()
    for number, row in enumerate(rows, 1):
        article, semicolon, pieces = (part.strip() for part in row.partition(";"))
        if not semicolon:
            findings.append(f"ERROR line {number}: invalid line, no semicolon")
        elif article.upper() not in _BATCHES:
            findings.append(f"ERROR line {number}: unknown article {article}")
        elif article.upper() in seen:
            findings.append(f"ERROR line {number}: {article} was counted before")
        elif pieces.startswith("-"):
            findings.append(f"ERROR line {number}: negative quantity")
        elif not (pieces.isascii() and pieces.isdigit()):
            findings.append(f"ERROR line {number}: {pieces or 'nothing'} is not a number")
        seen.add(article.upper())
    return findings or ["OK"]
