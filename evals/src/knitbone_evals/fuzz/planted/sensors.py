"""Tools of a weather station: events, means, packets, settings."""

import json
import re
import struct
from typing import Any, Literal

_SCALES = {"C": (1.0, 0.0), "F": (1.8, 32.0), "K": (1.0, 273.15)}
_settings = {"unit": "C"}


def event_fahrenheit(event: str) -> str:
    """Read a temperature in degrees Celsius from the stream of events, and convert it.

    Args:
        event: One event, as the station sends it: lines of which one starts with "data: " and goes
            on with a JSON object, which has the "sensor" (a small letter or more, then digits)
            and the "value". At most 200 characters.

    Raises:
        ValueError: The event is too long, or has no such line, or there is no JSON object with a
            sensor and a value in it.
    """
    if len(event) > 200:
        raise ValueError("event: 200 characters at most")
    data = [line[6:] for line in event.splitlines() if line.startswith("data: ")]
    if not data:
        raise ValueError('event: no line starts with "data: "')
    try:
        reading: Any = json.loads(data[0])
    except (ValueError, RecursionError) as error:
        raise ValueError("event: the data is not JSON") from error
    if not isinstance(reading, dict) or "value" not in reading:
        raise ValueError("event: the data has no value")
    sensor = reading.get("sensor")
    if not isinstance(sensor, str) or not re.fullmatch("[a-z]{1,10}[0-9]{0,3}", sensor):
        raise ValueError("event: the data names no sensor")
    return f"{sensor}: {reading['value'] * 1.8 + 32:.1f} F"


def latest_mean(values: list[float], window: int) -> float:
    """Compute the mean of the latest values.

    Args:
        values: The values, oldest first, 1 to 1000.
        window: How many of them are averaged, at least 1.

    Raises:
        ValueError: There is no value, or too many, or the window is below 1.
    """
    if not 1 <= len(values) <= 1000:
        raise ValueError("values: 1 to 1000 are needed")
    if window < 1:
        raise ValueError("window must be at least 1")
    means = []
    for start in range(len(values) - window + 1):
        means.append(sum(values[start : start + window]) / window)
    return means[-1]


def thermometer(action: Literal["unit", "read"], unit: str = "") -> str:
    """Read the thermometer, or choose the unit in which it is read.

    Args:
        action: "unit" chooses the unit for all later readings, "read" reads.
        unit: C, F or K; only for "unit".

    Raises:
        ValueError: The unit is none of these.
    """
    if action == "unit":
        _settings["unit"] = unit
        if unit not in _SCALES:
            raise ValueError("unit must be C, F or K")
        return f"readings are in {unit}"
    factor, offset = _SCALES[_settings["unit"]]
    return f"{18.5 * factor + offset:.1f} {_settings['unit']}"


def packet_values(packet: str) -> list[int]:
    """Decode a packet of the station.

    Args:
        packet: Hexadecimal bytes: 10 for the kind, one byte with the number of values, and the
            values with two bytes each, as in "10 02 00ff fffe".

    Raises:
        ValueError: The packet is not hexadecimal, has no header, or is of another kind.
    """
    try:
        data = bytes.fromhex(packet)
    except ValueError as error:
        raise ValueError("packet: not hexadecimal") from error
    if len(data) < 2:
        raise ValueError("packet: there is no header")
    if data[0] != 0x10:
        raise ValueError(f"packet: unknown kind {data[0]:02x}")
    return list(struct.unpack(f">{data[1]}h", data[2:]))
