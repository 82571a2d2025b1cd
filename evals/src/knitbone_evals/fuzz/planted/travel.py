"""Tools of a travel agent for one small railway."""

import re

_DEPARTURES = {"north": (360, 540, 1020), "south": (375, 700, 1130), "harbour": (400, 810)}
_RIDES = tuple(range(15, 1440, 20))
_KILOMETRES = {"harbour": 0, "old town": 4, "market": 6, "university": 11, "airport": 19}
_PLATFORMS = {"R": 1, "S": 3, "IC": 5}
_ZONES = (2.1, 2.9, 4.0, 5.2, 6.6, 8.3)


def _minutes(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def next_departure(station: str, after: str) -> str:
    """Tell when the next train leaves a station.

    Args:
        station: north, south or harbour. For another one the answer is "No such station.".
        after: Earliest time of departure.
    """
    if station not in _DEPARTURES:
        return "No such station."
    earliest = _minutes(after)
    for departure in _DEPARTURES[station]:
        if departure >= earliest:
            return f"{departure // 60:02}:{departure % 60:02}"
    return "No more trains today."


def assign_coach(booking: str) -> str:
    """Say in which coach a passenger sits.

    Args:
        booking: Number of the passenger and number of coaches of the train, written "17->4".
            Both are whole numbers of one to four digits.

    Raises:
        ValueError: The booking is written in another way.
    """
    parts = booking.split("->")
    if len(parts) != 2 or not all(re.fullmatch("[0-9]{1,4}", part) for part in parts):
        raise ValueError(f"not a booking: {booking!r}")
    passenger, coaches = (int(part) for part in parts)
    return f"coach {passenger % coaches + 1}"


def platform_of(train: str) -> int:
    """Give the platform from which a train leaves.

    Args:
        train: Kind and number of the train, such as "R 14": one to three capital letters, a space,
            and one to four digits.

    Raises:
        ValueError: The train is written in another way.
    """
    match = re.fullmatch("([A-Z]{1,3}) ([0-9]{1,4})", train)
    if match is None:
        raise ValueError(f"not a train: {train!r}")
    return _PLATFORMS[match.group(1)] + int(match.group(2)) % 2


def ticket_price(zone: int, passengers: int = 1) -> float:
    """Price of a single ticket from the centre.

    Args:
        zone: Zone of the destination, counted from the centre, which is 0.
        passengers: Number of passengers, 1 to 20.

    Raises:
        ValueError: The zone is negative, or the number of passengers is not within 1 and 20.
    """
    if zone < 0 or not 1 <= passengers <= 20:
        raise ValueError("zone from 0, passengers from 1 to 20")
    return round(_ZONES[zone] * passengers, 2)


def stops_per_kilometre(start: str, end: str) -> str:
    """Say how many trains a day there are for each kilometre between two stations.

    Args:
        start: harbour, old town, market, university or airport, in any case.
        end: Another one of them.

    Returns:
        The figure, or "Unknown station." or "This is the same station.".
    """
    if start == end:
        return "This is the same station."
    first, second = start.strip().casefold(), end.strip().casefold()
    if first not in _KILOMETRES or second not in _KILOMETRES:
        return "Unknown station."
    distance = abs(_KILOMETRES[first] - _KILOMETRES[second])
    return f"{len(_RIDES) / distance:.1f}"


def typical_departure(window: str) -> str:
    """Give the middle departure of the shuttle within a window of time.

    Args:
        window: Begin and end of the window, as in "08:00-12:30". The end may lie on the next day.

    Raises:
        ValueError: The window is written in another way, or is shorter than half an hour.
    """
    match = re.fullmatch("([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-3]):([0-5][0-9])", window)
    if match is None:
        raise ValueError(f"not a window of time: {window!r}")
    hours, minutes, to_hours, to_minutes = (int(part) for part in match.groups())
    begin, end = hours * 60 + minutes, to_hours * 60 + to_minutes
    if abs(end - begin) < 30:
        raise ValueError("the window is shorter than half an hour")
    rides = [ride for ride in _RIDES if begin <= ride <= end]
    middle = rides[len(rides) // 2]
    return f"{middle // 60:02}:{middle % 60:02}"


def seat_row(seat: str) -> str:
    """Describe a seat of the airport coach.

    Args:
        seat: Row and place: a letter from A to H for the row, a digit from 1 to 8 for the place,
            as in "C4".

    Raises:
        ValueError: The seat is written in another way.
    """
    if not re.fullmatch("[A-H][1-8]", seat):
        raise ValueError(f"not a seat: {seat!r}")
    row = "ABCDEFGH".index(seat[0])
    places = ("window", "middle", "aisle", "aisle", "middle", "window", "jump", "jump")
    if row == 7:
        places = places[:6]  # the last row has no jump seats
    return f"row {row + 1}, {places[int(seat[1]) - 1]}"
