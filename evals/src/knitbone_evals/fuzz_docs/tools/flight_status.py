FLIGHTS = {
    "KV102": {"from": "OSL", "to": "LIS", "status": "on time", "delay_minutes": 0},
    "KV215": {"from": "LIS", "to": "CPH", "status": "delayed", "delay_minutes": 55},
    "KV330": {"from": "CPH", "to": "ATH", "status": "cancelled", "delay_minutes": 0},
    "KV418": {"from": "ATH", "to": "OSL", "status": "delayed", "delay_minutes": 20},
}


def flight_status(flight_number: str) -> dict:
    """Status of a Kestrel Air flight in the airline's sample timetable.

    Args:
        flight_number: "KV" and three digits without a space, e.g. "KV102".
            Upper or lower case does not matter. Flights in the timetable:
            KV102, KV215, KV330, KV418.

    Returns:
        {"from": IATA code of the airport of departure, "to": IATA code of the
        airport of arrival, "status": "on time", "delayed" or "cancelled",
        "delay_minutes": delay in minutes, 0 unless the status is "delayed"}.
        For a flight not in the timetable: {"error": "unknown flight"}.
    """
    flight = FLIGHTS.get(flight_number.upper())
    if flight is None:
        return {"error": "unknown flight"}
    return dict(flight)
