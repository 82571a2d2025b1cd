import math
from datetime import datetime

# mean level and amplitude in metres, first high water of the year (UTC)
PORTS = {
    "Busan": (0.7, 0.45, datetime(2025, 1, 1, 0, 20)),
    "Incheon": (4.6, 3.9, datetime(2025, 1, 1, 8, 50)),
    "Darwin": (4.0, 2.6, datetime(2025, 1, 1, 9, 15)),
}
PERIOD_HOURS = 12.4206


def tide_height(port: str, time: str) -> float:
    """Predicted height of the tide at a port.

    Args:
        port: "Busan", "Incheon" or "Darwin".
        time: date and time as "YYYY-MM-DD HH:MM", in 2025.

    Returns:
        Height above chart datum in metres, rounded to 2 decimals.
    """
    mean, amplitude, high = PORTS[port]
    moment = datetime.strptime(time, "%Y-%m-%d %H:%M")
    hours = (moment - high).total_seconds() / 3600
    return round(mean + amplitude * math.cos(2 * math.pi * hours / PERIOD_HOURS), 2)
