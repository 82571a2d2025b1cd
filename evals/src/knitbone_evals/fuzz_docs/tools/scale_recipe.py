# amounts for one serving
RECIPES = {
    "pancakes": {"flour_g": 60, "milk_ml": 100, "egg_pieces": 0.5},
    "risotto": {"rice_g": 80, "stock_ml": 250, "parmesan_g": 20},
    "hummus": {"chickpeas_g": 75, "tahini_g": 18, "lemon_juice_ml": 8},
}


def scale_recipe(recipe: str, servings: int) -> dict:
    """Amounts of the ingredients of a recipe for a number of servings.

    Args:
        recipe: "pancakes", "risotto" or "hummus", in lower case.
        servings: number of servings, 1 to 50.

    Returns:
        Dictionary from ingredient to amount for all the servings together. The
        end of each key gives the unit: _g grams, _ml millilitres, _pieces
        pieces (may be a half, is not rounded).

    Raises:
        ValueError: the recipe is not one of the three, or servings is not from
            1 to 50.
    """
    if recipe not in RECIPES:
        raise ValueError("recipe must be pancakes, risotto or hummus")
    if not 1 <= servings <= 50:
        raise ValueError("servings must be 1 to 50")
    return {name: amount * servings for name, amount in RECIPES[recipe].items()}
