QUOTES = {
    "NWND.L": 412.5,
    "HLX.L": 87.2,
    "BRTK.DE": 36.14,
    "ORVA.PA": 128.9,
    "SLMN.OL": 255.0,
}
CURRENCY = {"L": "GBX", "DE": "EUR", "PA": "EUR", "OL": "NOK"}
# Northwind Foods, Helix Mining, Bretek, Orval Optics, Salmar Nord


def share_price(company: str) -> dict | str:
    """Get the last closing price of a European company.

    Covered: Northwind Foods (London), Helix Mining (London), Bretek
    (Frankfurt), Orval Optics (Paris), Salmar Nord (Oslo).

    Args:
        company: the company to look up

    Returns:
        dict with "price" and "currency" (GBX is pence)
    """
    price = QUOTES.get(company)
    if price is None:
        return f"Error: no quote for {company}"
    return {"price": price, "currency": CURRENCY[company.rsplit(".", 1)[1]]}
