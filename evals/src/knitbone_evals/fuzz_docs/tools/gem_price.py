# price in florins per carat in the market of the game
PRICES = {
    "diamond": 3.0,
    "ruby": 12.5,
    "emerald": 7.0,
    "amethyst": 410.0,
    "glass": 95.0,
}


def gem_price(gem: str, carats: float) -> float:
    """Price of a gem at the market in the board game "Delvers of Quarrn".

    Prices are the game's own and have nothing to do with real ones: in Quarrn
    diamonds are the most common stone and cheapest of all, and amethyst is
    dearest. Florins per carat: diamond 3, emerald 7, ruby 12.5, glass 95,
    amethyst 410. A stone above 10 carats counts as unlucky and sells for half
    the price (of the whole stone).

    Args:
        gem: "diamond", "ruby", "emerald", "amethyst" or "glass", in lower case.
        carats: weight of the stone in carats, above 0.

    Returns:
        Price of the whole stone in florins, rounded to 2 decimals.

    Raises:
        ValueError: the gem is not one of the five or carats is not above 0.
    """
    if gem not in PRICES:
        raise ValueError("unknown gem")
    if not carats > 0:
        raise ValueError("carats must be above 0")
    price = PRICES[gem] * carats
    if carats > 10:
        price /= 2
    return round(price, 2)
