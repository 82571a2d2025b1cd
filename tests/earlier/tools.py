"""A tool as an earlier version of knitbone fuzzed it."""


def share(total: int, people: int) -> str:
    """Share an amount of money among people.

    Args:
        total: cents
        people: how many
    """
    return f"{total // people} cents each"
