# (symbol, neutrons) -> half-life
HALF_LIVES = {
    ("H", 2): "12.32 years",
    ("C", 8): "5700 years",
    ("K", 21): "1.25 billion years",
    ("Co", 33): "5.27 years",
    ("I", 78): "8.02 days",
    ("Cs", 82): "30.1 years",
    ("U", 146): "4.47 billion years",
}


def isotope_half_life(element: str, number: int) -> str:
    """Look up the half-life of a radioactive isotope.

    Args:
        element: chemical symbol, e.g. "Co"
        number: number of the isotope

    Covers the isotopes of H, C, K, Co, I, Cs and U most used in teaching.
    Returns the half-life as text with its unit.
    """
    value = HALF_LIVES.get((element, number))
    if value is None:
        return "Error: isotope not in table"
    return value
