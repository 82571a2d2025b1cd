def convert_temperature(value: float, from_unit: str, to_unit: str) -> float:
    """Convert a temperature from one unit to another.

    Args:
        value: the temperature in from_unit.
        from_unit: unit of value: "C" (Celsius), "F" (Fahrenheit) or "K"
            (kelvin), upper case, without a degree sign.
        to_unit: unit wanted, "C", "F" or "K" likewise.

    Returns:
        The temperature in to_unit, rounded to 2 decimals.

    Raises:
        ValueError: a unit is not one of the three, or the temperature is below
            absolute zero.
    """
    if from_unit not in ("C", "F", "K") or to_unit not in ("C", "F", "K"):
        raise ValueError('units must be "C", "F" or "K"')
    if from_unit == "C":
        kelvin = value + 273.15
    elif from_unit == "F":
        kelvin = (value + 459.67) * 5 / 9
    else:
        kelvin = value
    if kelvin < 0:
        raise ValueError("below absolute zero")
    if to_unit == "C":
        return round(kelvin - 273.15, 2)
    if to_unit == "F":
        return round(kelvin * 9 / 5 - 459.67, 2)
    return round(kelvin, 2)
