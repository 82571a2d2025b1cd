from decimal import Decimal


def cash_total(amount: str) -> str:
    """Amount to pay in cash in the Republic of Marno.

    Marno's smallest coin is 20 cents, and its law rounds cash amounts always
    DOWN to a multiple of 0.20, never to the nearest: 7.39 is paid as 7.20. An
    amount below 0.20 is free (0.00). One exception: an amount that ends in
    exactly .99 is rounded UP to the next whole marn (4.99 is paid as 5.00).

    Args:
        amount: price in marns as text with a decimal point and exactly two
            decimals, e.g. "7.39", without currency sign or thousands
            separators, not negative.

    Returns:
        The amount to pay in cash, as text with two decimals.

    Raises:
        ValueError: the amount is not written as described.
    """
    whole, point, cents = amount.partition(".")
    digits = whole + cents
    if not (point and whole and len(cents) == 2 and digits.isascii() and digits.isdigit()):
        raise ValueError('amount must be like "7.39"')
    total = int(whole) * 100 + int(cents)
    total = total + 1 if cents == "99" else total - total % 20
    return str((Decimal(total) / 100).quantize(Decimal("0.01")))
