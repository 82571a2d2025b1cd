import random

# typical level in ppm
ROOMS = {"A101": 620, "A102": 880, "B201": 540, "Lab": 450}


def room_co2(room: str) -> dict:
    """Take a live CO2 reading from the sensor in a room.

    The sensor measures anew at every call; readings fluctuate by up to about
    60 ppm from one call to the next.

    Args:
        room: "A101", "A102", "B201" or "Lab", spelled exactly so.

    Returns:
        {"room": the room, "co2_ppm": reading in parts per million with one
        decimal, "ventilate": true if the reading is above 1000 ppm}

    Raises:
        ValueError: there is no sensor in that room.
    """
    if room not in ROOMS:
        raise ValueError("room must be A101, A102, B201 or Lab")
    reading = round(ROOMS[room] + random.uniform(-30, 30), 1)
    return {"room": room, "co2_ppm": reading, "ventilate": reading > 1000}
