FEES = {"standard": 0.0, "online": 0.0, "branch": 4.5}


def monthly_payment(amount: float, rate: float, term: int, channel: str = "standard") -> float:
    """Compute the monthly payment of an annuity loan.

    Args:
        amount: amount borrowed, in euros
        rate: annual interest rate in percent, e.g. 4.5
        term: term of the loan
        channel: "standard", "online" or "branch" (a branch loan has a
            service fee that is included in the payment)

    Returns:
        Monthly payment in euros, rounded to cents.
    """
    if amount <= 0 or rate < 0 or term < 1:
        raise ValueError("amount and term must be positive, rate not negative")
    monthly = rate / 100 / 12
    if monthly == 0:
        payment = amount / term
    else:
        payment = amount * monthly / (1 - (1 + monthly) ** -term)
    return round(payment + FEES[channel], 2)
