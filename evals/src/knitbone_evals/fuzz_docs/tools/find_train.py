TRAINS = {
    ("Varsby", "Holm"): [
        ("07:05", "08:50"),
        ("09:20", "11:05"),
        ("11:20", "13:05"),
        ("15:20", "17:05"),
    ],
    ("Holm", "Varsby"): [
        ("06:40", "08:25"),
        ("12:40", "14:25"),
        ("18:10", "19:55"),
    ],
}


def find_train(origin: str, destination: str, depart_after: str = "", arrive_by: str = "") -> str:
    """Find a direct train between two stations (Varsby, Holm).

    Args:
        origin: station of departure
        destination: station of arrival
        depart_after: earliest departure, "HH:MM"
        arrive_by: latest arrival, "HH:MM"

    Returns:
        Departure and arrival of the best matching train: the first one for
        depart_after, the last one for arrive_by.
    """
    trains = TRAINS.get((origin, destination))
    if trains is None:
        return "Error: no such connection"
    if bool(depart_after) == bool(arrive_by):
        return "Error: bad query"
    if depart_after:
        found = [t for t in trains if t[0] >= depart_after]
    else:
        found = [t for t in reversed(trains) if t[1] <= arrive_by]
    if not found:
        return "No train found"
    return f"dep {found[0][0]}, arr {found[0][1]}"
