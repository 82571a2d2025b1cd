TIMETABLE = {
    "L1": [
        ("Mon", "18:00", "Yoga Basics"),
        ("Wed", "09:30", "Gentle Pilates"),
        ("Sat", "10:00", "Intro to Spinning"),
    ],
    "L2": [
        ("Mon", "19:15", "Vinyasa Flow"),
        ("Thu", "18:30", "Body Pump"),
        ("Sat", "11:15", "Spinning"),
    ],
    "L3": [
        ("Tue", "20:00", "Power Yoga"),
        ("Sat", "08:00", "Boot Camp"),
    ],
}


def find_classes(level: str, day: str) -> list[str]:
    """List the gym's group classes on a weekday.

    Args:
        level: difficulty level of the class
        day: weekday, three letters: Mon, Tue, Wed, Thu, Fri, Sat, Sun

    Returns:
        list of "HH:MM name", empty if there is no class
    """
    return [f"{time} {name}" for d, time, name in TIMETABLE[level] if d == day]
