"""Tools around invoices: instalments, credits, amounts."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from langchain_core.tools import tool

_CURRENCIES = ("€", "$", "£", "EUR", "USD", "GBP", "CHF")


def split_instalments(total: float, count: int, first_percent: float = 0.0) -> list[float]:
    """Split the total of an invoice into monthly instalments.

    Args:
        total: Amount of the invoice, up to one million.
        count: Number of instalments, 1 to 120.
        first_percent: Share of the total that is due with the first instalment, in percent;
            0 for equal instalments.

    Returns:
        The instalments in the order in which they are due.

    Raises:
        ValueError: If an argument lies outside its range.
    """
    if not 0 <= total <= 1_000_000:
        raise ValueError("total must be between 0 and 1000000")
    if not 1 <= count <= 120:
        raise ValueError("count must be between 1 and 120")
    if not 0 <= first_percent <= 100:
        raise ValueError("first_percent must be between 0 and 100")
    if first_percent == 0:
        each = round(total / count, 2)
        return [round(total - each * (count - 1), 2)] + [each] * (count - 1)
    first = round(total * first_percent / 100, 2)
    each = round((total - first) / (count - 1), 2)
    return [first] + [each] * (count - 1)


def apply_credit_notes(invoice: str) -> dict[str, Any]:
    """Apply the credit notes of an invoice to its lines.

    Args:
        invoice: The invoice as JSON: an object with `lines`, a list of objects with `text` and
            `amount`, and optionally `credits`, a list of objects with `line` (number of the
            credited line, the first is 1) and `amount`.

    Returns:
        The `lines` after the credits, and the `total`.

    Raises:
        ValueError: If the invoice is not such a JSON document.
    """
    try:
        document = json.loads(invoice)
    except (ValueError, RecursionError):
        raise ValueError("the invoice is not valid JSON") from None
    if not isinstance(document, dict) or not isinstance(document.get("lines"), list):
        raise ValueError("the invoice has no list of lines")
    lines = []
    for entry in document["lines"]:
        lines.append({"text": _text(entry), "amount": _amount(entry)})
    credits = document.get("credits") or []
    if not isinstance(credits, list):
        raise ValueError("credits must be a list")
    for credit in credits:
        amount = _amount(credit)
        number = credit.get("line")
        if not isinstance(number, int):
            raise ValueError("a credit needs the number of its line")
        line = lines[number - 1]
        line["amount"] = round(line["amount"] - amount, 2)
    return {"lines": lines, "total": round(sum(line["amount"] for line in lines), 2)}


def _text(entry: Any) -> str:
    return str(entry.get("text", "")) if isinstance(entry, dict) else ""


def _amount(entry: Any) -> float:
    amount = entry.get("amount") if isinstance(entry, dict) else None
    if not isinstance(amount, (int, float)) or not -1e9 <= amount <= 1e9:
        raise ValueError("lines and credits need an amount")
    return float(amount)


@tool
def parse_amount(text: str) -> float:
    """Read an amount of money as it is written on an invoice.

    Continental and English notation are both understood, e.g. "1.234,50 €", "$1,234.50" or
    "99,90". Separators of thousands are dropped and the currency is ignored.
    """
    clean = text.strip()
    for currency in _CURRENCIES:
        clean = clean.replace(currency, "")
    clean = clean.replace(" ", "").replace("\u00a0", "").replace("'", "")
    if not re.fullmatch(r"-?[0-9][0-9.,]*", clean):
        raise ValueError(f"{text!r} is not an amount")
    if "," in clean and "." in clean:
        if clean.rindex(",") > clean.rindex("."):
            clean = clean.replace(".", "").replace(",", ".")
        else:
            clean = clean.replace(",", "")
    else:
        clean = clean.replace(",", ".")
    return float(clean)


def months_to_pay_off(balance: float, monthly_payment: float, annual_rate: float = 0.0) -> int:
    """Compute how many months it takes to pay off an outstanding balance.

    Args:
        balance: What is owed today, up to 100000.
        monthly_payment: What is paid at the end of each month, at least 1.
        annual_rate: Interest per year in percent, 0 to 30.

    Returns:
        The number of monthly payments until nothing is owed any more.
    """
    if not 0 <= balance <= 100_000:
        raise ValueError("balance must be between 0 and 100000")
    if not 1 <= monthly_payment <= 100_000:
        raise ValueError("monthly_payment must be between 1 and 100000")
    if not 0 <= annual_rate <= 30:
        raise ValueError("annual_rate must be between 0 and 30")
    if annual_rate == 0:
        return math.ceil(balance / monthly_payment)
    monthly_rate = annual_rate / 1200
    months = 0
    while balance > 0:
        balance += balance * monthly_rate - monthly_payment
        months += 1
    return months


def check_vat_number(number: str) -> str:
    """Check a German VAT identification number.

    Args:
        number: The number as on the invoice, e.g. "DE136695976". Blanks are ignored.

    Returns:
        "valid", or what is wrong, e.g. "error: invalid check digit".
    """
    clean = number.replace(" ", "").upper()
    if not clean.startswith("DE"):
        return "error: unsupported country, only DE can be checked"
    digits = clean[2:]
    if not re.fullmatch("[0-9]{9}", digits):
        return f"error: 9 digits expected after DE, got {len(digits)} characters"
    product = 10
    for digit in digits[:8]:
        total = (int(digit) + product) % 10 or 10
        product = 2 * total % 11
    if (11 - product) % 10 != int(digits[8]):
        return "error: invalid check digit"
    return "valid"
