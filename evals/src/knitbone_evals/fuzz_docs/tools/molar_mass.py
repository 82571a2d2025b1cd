import re

ATOMIC_MASS = {
    "H": 1.008, "C": 12.011, "N": 14.007, "O": 15.999, "Na": 22.990,
    "Mg": 24.305, "P": 30.974, "S": 32.06, "Cl": 35.45, "K": 39.098,
    "Ca": 40.078, "Fe": 55.845, "Cu": 63.546,
}


def molar_mass(formula: str) -> float:
    """Calculate the molar mass of a compound.

    Args:
        formula: molecular formula without brackets or charges. Known
            elements: H C N O Na Mg P S Cl K Ca Fe Cu

    Returns:
        molar mass in g/mol, rounded to 2 decimals
    """
    if not re.fullmatch(r"(?:[A-Z][a-z]?\d+)+", formula):
        raise ValueError("malformed formula")
    total = 0.0
    for symbol, count in re.findall(r"([A-Z][a-z]?)(\d+)", formula):
        if symbol not in ATOMIC_MASS:
            raise ValueError(f"unknown element {symbol}")
        total += ATOMIC_MASS[symbol] * int(count)
    return round(total, 2)
