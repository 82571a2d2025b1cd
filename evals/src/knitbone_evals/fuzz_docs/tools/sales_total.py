SALES = {
    "Harbour Street": {
        "2025-05-01": 1210.0, "2025-05-02": 980.5, "2025-05-03": 1630.0,
        "2025-05-04": 1402.0, "2025-05-05": 760.0, "2025-05-06": 812.5,
        "2025-05-07": 1105.0, "2025-05-08": 899.0,
    },
    "Mill Lane": {
        "2025-05-01": 410.0, "2025-05-02": 388.0, "2025-05-03": 702.5,
        "2025-05-04": 655.0, "2025-05-05": 290.0, "2025-05-06": 301.0,
        "2025-05-07": 350.0, "2025-05-08": 342.0,
    },
}


def sales_total(store: str, from_date: str, to_date: str) -> float:
    """Total sales of a store in a period.

    Args:
        store: "Harbour Street" or "Mill Lane"
        from_date: start of the period, YYYY-MM-DD
        to_date: end of the period, YYYY-MM-DD

    Returns:
        Sum of sales in euros. Data is available for 1 to 8 May 2025.
    """
    days = SALES[store]
    return round(sum(v for day, v in days.items() if from_date <= day < to_date), 2)
