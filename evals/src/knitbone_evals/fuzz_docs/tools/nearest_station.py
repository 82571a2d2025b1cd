import math

# name -> (longitude, latitude)
STATIONS = {
    "Leiden": (4.482, 52.166),
    "Utrecht": (5.110, 52.089),
    "Groningen": (6.565, 53.211),
    "Maastricht": (5.705, 50.850),
    "Den Helder": (4.761, 52.955),
}


def nearest_station(a: float, b: float) -> str:
    """Find the main railway station nearest to a place in the Netherlands.

    Args:
        a, b: coordinates of the place in decimal degrees (WGS84)

    Returns:
        name of the station
    """
    def distance(station: tuple[float, float]) -> float:
        lon, lat = station
        dx = (lon - a) * math.cos(math.radians(52))
        dy = lat - b
        return math.hypot(dx, dy)

    return min(STATIONS, key=lambda name: distance(STATIONS[name]))
