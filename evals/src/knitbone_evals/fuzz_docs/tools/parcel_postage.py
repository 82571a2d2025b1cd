# upper weight limit in grams -> price per zone in euros
BANDS = [
    (500, {1: 3.20, 2: 5.10, 3: 8.40}),
    (1000, {1: 4.10, 2: 6.90, 3: 11.20}),
    (2000, {1: 5.30, 2: 9.40, 3: 15.80}),
    (5000, {1: 7.60, 2: 13.90, 3: 24.50}),
    (10000, {1: 10.40, 2: 19.80, 3: 37.00}),
]


def parcel_postage(weight: float, zone: int) -> float:
    """Postage for a parcel.

    Args:
        weight: weight of the parcel
        zone: 1 = domestic, 2 = EU, 3 = rest of the world

    Returns:
        Price in euros. Raises ValueError if the parcel is too heavy or the
        zone is unknown.
    """
    if zone not in (1, 2, 3):
        raise ValueError("unknown zone")
    if weight <= 0:
        raise ValueError("weight must be positive")
    for limit, prices in BANDS:
        if weight <= limit:
            return prices[zone]
    raise ValueError("parcel too heavy")
