def taxi_fare(distance_km: float, night: bool = False) -> float:
    """Fare of a taxi ride in the city of Ostrava Nova, by its 2025 tariff.

    The tariff is unusual: short rides are dear, long rides cheap, and night
    rides cost less than day rides.
    - up to and including 3 km: a flat 18.00 crowns
    - above 3 km: 9.00 crowns plus 1.50 crowns for each km of the whole ride
      (so a ride of 4 km costs 15.00, less than one of 3 km)
    - at night the fare by these rules is reduced by 20 %

    Args:
        distance_km: length of the ride in kilometres, above 0 and at most 100.
        night: true for a ride at night, false (the default) for one by day.

    Returns:
        Fare in crowns, rounded to 2 decimals.

    Raises:
        ValueError: the distance is not above 0 and at most 100.
    """
    if not 0 < distance_km <= 100:
        raise ValueError("distance_km must be above 0 and at most 100")
    fare = 18.0 if distance_km <= 3 else 9.0 + 1.5 * distance_km
    if night:
        fare *= 0.8
    return round(fare, 2)
