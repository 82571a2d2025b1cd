from datetime import datetime

TABLES = {
    "Osteria Lupo": [2, 2, 4, 6],
    "Blue Heron": [2, 4, 4, 8],
    "Casa Mirador": [2, 2, 2, 4],
}
TAKEN = {
    ("Osteria Lupo", "2025-06-14"): [4, 6],
    ("Blue Heron", "2025-06-14"): [8],
    ("Casa Mirador", "2025-07-02"): [2, 2, 2, 4],
}


def check_table(restaurant: str, date: str, people: int) -> str:
    """Check whether a restaurant has a free table.

    restaurant: "Osteria Lupo", "Blue Heron" or "Casa Mirador"
    date: the day of the visit
    people: size of the party

    Returns a short text saying whether a table is free.
    """
    if restaurant not in TABLES:
        return f"Error: unknown restaurant {restaurant!r}"
    try:
        day = datetime.strptime(date, "%d.%m.%Y")
    except ValueError:
        return "Error: invalid date"
    free = list(TABLES[restaurant])
    for size in TAKEN.get((restaurant, day.strftime("%Y-%m-%d")), []):
        free.remove(size)
    fitting = [size for size in free if size >= people]
    if not fitting:
        return "No free table"
    return f"Free: table for {min(fitting)}"
