BINS = {
    1001: [("A-03", 40), ("C-11", 12)],
    1002: [("B-07", 5)],
    1003: [],
    1004: [("A-01", 18), ("A-02", 18), ("D-09", 7)],
}


def item_bins(sku: int, minimum: int = 1) -> list[dict]:
    """Bins of the warehouse that hold an item.

    Args:
        sku: article number of the item; known ones are 1001 to 1004.
        minimum: list only bins that hold at least this many pieces (this
            number included). The default 1 lists all bins with the item.

    Returns:
        List of {"bin": code of the bin, "pieces": pieces in it} sorted by code
        of the bin. Empty if no bin holds enough.

    Raises:
        ValueError: the article number is not known.
    """
    if sku not in BINS:
        raise ValueError("unknown article number")
    rows = [{"bin": b, "pieces": n} for b, n in BINS[sku] if n >= minimum]
    return sorted(rows, key=lambda row: row["bin"])
