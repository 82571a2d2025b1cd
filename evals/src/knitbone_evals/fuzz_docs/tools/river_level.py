# Gauges were renumbered when the telemetry was replaced; the old station
# names are no longer known to the service.
LEVELS = {
    "RG-011": (1.42, "steady"),  # Kelby
    "RG-014": (0.87, "falling"),  # Ashford Mill
    "RG-031": (2.10, "rising"),  # Town Bridge
}


def river_level(station: str) -> dict:
    """Return the latest published level of the river Ewe at a station.

    Args:
        station: name of the gauging station, one of "Kelby",
            "Ashford Mill", "Town Bridge"

    Returns:
        {"level_m": level in metres, "trend": "rising"|"falling"|"steady"}
    """
    if station not in LEVELS:
        return {"error": "station not found"}
    level, trend = LEVELS[station]
    return {"level_m": level, "trend": trend}
