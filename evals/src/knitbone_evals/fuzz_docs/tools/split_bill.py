def split_bill(total_cents: int, people: int, tip_percent: int = 0) -> list[int]:
    """Split a restaurant bill among people, to the cent.

    The tip is added to the total first (rounded up to a whole cent); then the
    sum is divided equally. Cents that are left over go one each to the first
    persons in the list, so the shares add up exactly.

    Args:
        total_cents: the bill in cents, 0 or more (24.50 euros is 2450).
        people: number of people, 1 or more.
        tip_percent: tip in whole percent of the bill, 0 or more; 10 means 10 %.
            The default is no tip.

    Returns:
        One share in cents for each person, the larger shares first.

    Raises:
        ValueError: an argument is below its minimum.
    """
    if total_cents < 0 or people < 1 or tip_percent < 0:
        raise ValueError("total_cents >= 0, people >= 1, tip_percent >= 0 required")
    tip = -(-total_cents * tip_percent // 100)
    share, rest = divmod(total_cents + tip, people)
    return [share + 1] * rest + [share] * (people - rest)
