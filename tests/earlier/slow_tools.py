"""A tool whose campaign was killed under an earlier version of knitbone."""

import time


def share(total: int, people: int) -> str:
    """Share an amount of money among people.

    Args:
        total: cents
        people: how many
    """
    time.sleep(0.05)
    return f"{total // people} cents each"
