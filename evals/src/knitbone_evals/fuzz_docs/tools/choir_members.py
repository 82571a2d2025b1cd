MEMBERS = {
    "soprano": {"Ana", "Brigid", "Chloe", "Dagny", "Elif", "Farah", "Greta"},
    "alto": {"Hana", "Ines", "Jo", "Katrin", "Lena", "Mira"},
    "tenor": {"Nils", "Omar", "Pavel", "Quentin", "Ravi"},
    "bass": {"Sven", "Tomas", "Uwe", "Viktor", "Wim", "Yannis"},
}


def choir_members(voice: str) -> list[str]:
    """List the members of the choir who sing a voice.

    The list has no particular order: members are kept in an unordered set, and
    the order may change each time the service is restarted. Sort the list if
    you need an order.

    Args:
        voice: "soprano", "alto", "tenor" or "bass", in lower case.

    Returns:
        First names, each once, in arbitrary order.

    Raises:
        ValueError: voice is not one of the four.
    """
    if voice not in MEMBERS:
        raise ValueError("voice must be soprano, alto, tenor or bass")
    return list(MEMBERS[voice])
