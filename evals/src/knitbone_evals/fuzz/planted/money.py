"""Tools about money and figures."""

import asyncio
import re

_POPULATION = {"Graz": 302000, "Linz": 212000, "Wels": 64000}
_RATES = {"EUR": 1.0, "USD": 1.09, "CHF": 0.95}


def population(city: str) -> str:
    """Tell how many people live in a city.

    Args:
        city: Name of the city. It must be followed by its country, as in "Graz, Austria".

    Returns:
        The number, or "Unknown city.".
    """
    name = city.split(",", maxsplit=1)[0]
    if name not in _POPULATION:
        return "Unknown city."
    return f"{_POPULATION[city]} people"


def euros_to_dollars(amount: str) -> str:
    """Convert an amount of euros to dollars.

    Args:
        amount: Digits with exactly two decimals, as in "12.00". Up to nine digits stand before
            the point.

    Returns:
        The amount in dollars, or "This is not an amount.".
    """
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{2})?", amount):
        return "This is not an amount."
    return f"{_dollars(amount):.2f} USD"


def _dollars(amount: str) -> float:
    return int(amount) * _RATES["USD"]


def price_in_cents(price: str) -> int:
    """Convert a price to cents.

    Args:
        price: Amount and currency (EUR, USD or CHF), for example "12,50 EUR".

    Raises:
        ValueError: The currency is missing or unknown.
    """
    amount, currency = _split_price(price)
    return round(_number(amount) * 100 / _RATES[currency])


def _split_price(price: str) -> tuple[str, str]:
    amount, _, currency = price.rpartition(" ")
    if currency not in _RATES or not re.fullmatch("[0-9]{1,6}(?:[.,][0-9]{2})?", amount):
        raise ValueError(f"not a price: {price[:40]!r}")
    return amount, currency


def _number(amount: str) -> float:
    return float(amount)


async def exchange_rate(currency: str) -> float:
    """Look up how much of a currency one euro buys.

    Args:
        currency: Three-letter code of the currency.
    """
    await asyncio.sleep(0)
    return _RATES[currency.upper()]


async def transfer(order: str) -> str:
    """Transfer money between accounts of the household.

    Args:
        order: Account to take from, ">", account to give to, ":", whole number of euros of one to
            six digits, as in "savings>daily:50". Accounts are daily, savings and holiday.

    Raises:
        ValueError: The order is written in another way.
    """
    account = "(daily|savings|holiday)"
    match = re.fullmatch(f"{account}>{account}:([0-9]{{1,6}})", order)
    if match is None:
        raise ValueError(f"not an order: {order[:60]!r}")
    giver, taker, euros = match.groups()
    locks = {name: asyncio.Lock() for name in ("daily", "savings", "holiday")}
    async with locks[giver], locks[taker]:
        return f"{euros} euros from {giver} to {taker}"
