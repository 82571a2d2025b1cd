ORDERS = {
    "C-104": [
        ("2025-05-30", "O-8841", 59.90),
        ("2025-05-11", "O-8702", 120.00),
        ("2025-04-02", "O-8395", 18.50),
        ("2025-02-17", "O-7960", 240.75),
        ("2025-01-08", "O-7511", 33.20),
    ],
    "C-220": [
        ("2025-06-01", "O-8859", 12.00),
        ("2025-03-21", "O-8244", 75.40),
    ],
}
MAX_PAGE = 25


def list_orders(customer_id: str, limit: int) -> list[dict]:
    """List the orders of a customer, newest first.

    Args:
        customer_id: customer id such as "C-104"
        limit: maximum number of orders to return

    Returns:
        list of {"date", "order", "total"}; total is in euros
    """
    if not 1 <= limit <= MAX_PAGE:
        raise ValueError("invalid limit")
    rows = ORDERS.get(customer_id, [])[:limit]
    return [{"date": d, "order": o, "total": t} for d, o, t in rows]
