import random


def draw_raffle(ticket_count: int, winners: int) -> list[int]:
    """Draw winning ticket numbers at random for a raffle.

    Each call is a new, independent draw: the same arguments give different
    winners each time.

    Args:
        ticket_count: how many tickets were sold, 1 to 100000. Tickets are
            numbered 1 to ticket_count, both included.
        winners: how many different tickets win, at least 1 and at most
            ticket_count.

    Returns:
        The winning ticket numbers in the order drawn (first prize first), no
        number twice.

    Raises:
        ValueError: an argument is outside the stated range.
    """
    if not 1 <= ticket_count <= 100000:
        raise ValueError("ticket_count must be 1 to 100000")
    if not 1 <= winners <= ticket_count:
        raise ValueError("winners must be 1 to ticket_count")
    return random.sample(range(1, ticket_count + 1), winners)
