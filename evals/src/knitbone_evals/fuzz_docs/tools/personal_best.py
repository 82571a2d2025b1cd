BESTS = {
    ("Ida Holt", "100m"): 11.84,
    ("Ida Holt", "200m"): 24.10,
    ("Marco Vell", "100m"): 10.61,
    ("Marco Vell", "long_jump"): 7.42,
    ("Suri Anand", "long_jump"): 6.05,
    ("Suri Anand", "200m"): 24.77,
}


def personal_best(athlete: str, event: str) -> float | None:
    """Personal best of an athlete of the club in an event.

    Args:
        athlete: given name and family name with one space between:
            "Ida Holt", "Marco Vell" or "Suri Anand" (exactly so).
        event: "100m", "200m" or "long_jump".

    Returns:
        For "100m" and "200m" the time in seconds, for "long_jump" the distance
        in metres. None if the athlete has no result in that event.

    Raises:
        ValueError: the athlete or the event is not one of those listed.
    """
    if athlete not in {name for name, _ in BESTS}:
        raise ValueError("unknown athlete")
    if event not in ("100m", "200m", "long_jump"):
        raise ValueError("unknown event")
    return BESTS.get((athlete, event))
