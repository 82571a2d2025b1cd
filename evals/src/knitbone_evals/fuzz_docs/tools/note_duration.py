QUARTERS = {
    "whole": 4.0,
    "half": 2.0,
    "quarter": 1.0,
    "eighth": 0.5,
    "sixteenth": 0.25,
}


def note_duration(bpm: float, note: str, dotted: bool = False) -> float:
    """Duration of a note at a given tempo.

    Args:
        bpm: tempo in quarter notes per minute, above 0.
        note: "whole", "half", "quarter", "eighth" or "sixteenth", lower case.
        dotted: true for a dotted note, which lasts one and a half times as
            long; false by default.

    Returns:
        Duration in milliseconds, rounded to 1 decimal.

    Raises:
        ValueError: bpm is not above 0 or the note is not one of the five.
    """
    if not bpm > 0:
        raise ValueError("bpm must be above 0")
    if note not in QUARTERS:
        raise ValueError("unknown note")
    factor = 1.5 if dotted else 1.0
    return round(60000 / bpm * QUARTERS[note] * factor, 1)
