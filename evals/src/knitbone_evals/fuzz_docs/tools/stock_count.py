STOCK = {
    "MAIN": {"desk lamp": 14, "office chair": 3, "whiteboard": 6},
    "EAST": {"desk lamp": 40, "office chair": 12, "whiteboard": 0},
    "PORT": {"desk lamp": 9, "office chair": 25, "whiteboard": 2},
}


def stock_count(item: str, warehouse: str = "") -> int:
    """Number of units of an item that we have in stock.

    Args:
        item: item name in lower case, singular: "desk lamp",
            "office chair" or "whiteboard"
        warehouse: warehouse code (MAIN, EAST, PORT), optional

    Returns:
        units in stock, 0 if the item is not known
    """
    if warehouse == "*":
        return sum(items.get(item, 0) for items in STOCK.values())
    return STOCK[warehouse or "MAIN"].get(item, 0)
