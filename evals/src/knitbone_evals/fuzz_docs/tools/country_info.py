COUNTRIES = {
    "FR": {"name": "France", "capital": "Paris", "currency": "EUR"},
    "JP": {"name": "Japan", "capital": "Tokyo", "currency": "JPY"},
    "KE": {"name": "Kenya", "capital": "Nairobi", "currency": "KES"},
    "PE": {"name": "Peru", "capital": "Lima", "currency": "PEN"},
    "NZ": {"name": "New Zealand", "capital": "Wellington", "currency": "NZD"},
    "PL": {"name": "Poland", "capital": "Warsaw", "currency": "PLN"},
}


def country_info(code: str) -> dict:
    """Name, capital and currency of a country.

    Args:
        code: ISO 3166-1 alpha-2 code of the country in upper case, e.g. "FR".
            Only these are known: FR, JP, KE, NZ, PE, PL.

    Returns:
        {"name": English name, "capital": English name of the capital,
        "currency": ISO 4217 code of the currency}

    Raises:
        KeyError: the code is not one of the six.
    """
    if code not in COUNTRIES:
        raise KeyError(f"unknown country code {code}")
    return dict(COUNTRIES[code])
