def dilution_volume(stock_molar: float, target_molar: float, target_ml: float) -> dict:
    """How much stock solution and solvent to mix for a diluted solution.

    Uses c1 * V1 = c2 * V2 and takes volumes as additive.

    Args:
        stock_molar: concentration of the stock solution in mol/l, above 0.
        target_molar: concentration wanted in mol/l, above 0 and not greater
            than stock_molar.
        target_ml: volume of diluted solution wanted in millilitres, above 0.

    Returns:
        {"stock_ml": volume of stock solution, "solvent_ml": volume of solvent
        to add}, both in millilitres, rounded to 3 decimals.

    Raises:
        ValueError: an argument is outside the stated range.
    """
    if min(stock_molar, target_molar, target_ml) <= 0:
        raise ValueError("all arguments must be above 0")
    if target_molar > stock_molar:
        raise ValueError("target_molar must not be greater than stock_molar")
    stock_ml = target_molar * target_ml / stock_molar
    return {
        "stock_ml": round(stock_ml, 3),
        "solvent_ml": round(target_ml - stock_ml, 3),
    }
