import uuid

RESPONSE_HOURS = {"low": 72, "normal": 24, "urgent": 4}


def open_support_ticket(subject: str, priority: str = "normal") -> dict:
    """Open a new support ticket.

    Every call opens another ticket with a fresh random id, also when it is
    called again with the same arguments.

    Args:
        subject: one line of 1 to 120 characters describing the problem.
        priority: "low", "normal" (the default) or "urgent", in lower case.

    Returns:
        {"ticket_id": "T-" and 12 hexadecimal digits, "subject": the subject as
        given, "respond_within_hours": 72 for low, 24 for normal, 4 for urgent}

    Raises:
        ValueError: the subject is empty or longer than 120 characters, or the
            priority is not one of the three.
    """
    if not 1 <= len(subject) <= 120:
        raise ValueError("subject must have 1 to 120 characters")
    if priority not in RESPONSE_HOURS:
        raise ValueError("priority must be low, normal or urgent")
    return {
        "ticket_id": "T-" + uuid.uuid4().hex[:12],
        "subject": subject,
        "respond_within_hours": RESPONSE_HOURS[priority],
    }
