# standard offsets from UTC in hours, no daylight saving time
OFFSETS = {
    "Lisbon": 0.0,
    "Paris": 1.0,
    "Cairo": 2.0,
    "Mumbai": 5.5,
    "Tokyo": 9.0,
    "New York": -5.0,
    "Lima": -5.0,
    "Honolulu": -10.0,
}


def time_difference(city_a: str, city_b: str) -> float:
    """Time difference of city_a with city_b, in hours.

    Uses standard time (no daylight saving). Cities: Lisbon, Paris, Cairo,
    Mumbai, Tokyo, New York, Lima, Honolulu. The result is signed.

    Args:
        city_a: first city
        city_b: second city
    """
    for city in (city_a, city_b):
        if city not in OFFSETS:
            raise ValueError(f"unknown city {city}")
    return OFFSETS[city_b] - OFFSETS[city_a]
