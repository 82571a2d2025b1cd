RECIPES = {
    "Shakshuka": ["egg", "tomato", "onion", "pepper"],
    "Tortilla": ["egg", "potato", "onion"],
    "Gazpacho": ["tomato", "cucumber", "pepper", "bread"],
    "Carrot Cake": ["carrot", "egg", "flour", "walnut"],
    "Leek Soup": ["leek", "potato", "cream"],
    "Waldorf Salad": ["apple", "celery", "walnut"],
}


def recipes_with(ingredient: str, max_results: int = 10) -> list[str]:
    """Find recipes that use an ingredient.

    Args:
        ingredient: the ingredient to look for, in English (upper or lower
            case does not matter)
        max_results: how many recipes to return at most

    Returns:
        names of the recipes in alphabetical order; an empty list if no
        recipe uses the ingredient
    """
    wanted = ingredient.strip().lower()
    found = sorted(name for name, parts in RECIPES.items() if wanted in parts)
    return found[:max_results]
