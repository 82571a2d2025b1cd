"""Support tickets, kept in memory for the agent."""

from __future__ import annotations

from typing import Any

_CHAINS = {
    "network": ["Jon", "Petra", "head of infrastructure"],
    "billing": ["Amal", "head of finance"],
    "apps": ["Kim", "Luis", "Dora", "head of development"],
}
_STEP_HOURS = {"low": 72, "normal": 24, "high": 8, "critical": 2}
_KNOWN = {
    "E1001": "TypeError: 'NoneType' object is not subscriptable. Seen when the session has run "
    "out; ask the customer to log in again.",
    "E1002": "Error: connection refused (port 5432). The database restarts at 03:00.",
    "E2040": "Traceback (most recent call last): KeyError: 'tenant'. Fixed in 4.2.",
    "E3000": "Internal Server Error. Escalate to apps.",
}


class TicketBoard:
    """Open and closed tickets and the queues of the agents."""

    def __init__(self) -> None:
        self._tickets: dict[int, dict[str, Any]] = {
            101: {"subject": "No mail since Monday", "agent": "mara", "open": True},
            102: {"subject": "Invoice shown twice", "agent": "mara", "open": True},
            103: {"subject": "VPN drops", "agent": None, "open": True},
            104: {"subject": "New keyboard", "agent": "tom", "open": True},
        }
        self._queues: dict[str, list[int]] = {"mara": [101, 102], "tom": [104]}

    def assign(self, ticket_id: int, agent: str) -> str:
        """Put an open ticket into the queue of an agent.

        Args:
            ticket_id: Number of the ticket; there are 101 to 104.
            agent: Name of the agent.

        Returns:
            What was done.
        """
        ticket = self._tickets.get(ticket_id)
        if ticket is None:
            return f"Ticket {ticket_id} does not exist."
        if not ticket["open"]:
            return f"Ticket {ticket_id} is closed."
        name = agent.strip().lower()
        if not name:
            return "Please name an agent."
        for queue in self._queues.values():
            if ticket_id in queue:
                queue.remove(ticket_id)
        self._queues.setdefault(name, []).append(ticket_id)
        ticket["agent"] = name
        return f"Ticket {ticket_id} is now with {name}, who has {len(self._queues[name])}."

    def close(self, ticket_id: int, solution: str = "") -> str:
        """Close a ticket.

        Args:
            ticket_id: Number of the ticket; there are 101 to 104.
            solution: How it was solved.

        Returns:
            What was done, and how many tickets its agent still has.
        """
        ticket = self._tickets.get(ticket_id)
        if ticket is None:
            return f"Ticket {ticket_id} does not exist."
        if not ticket["open"]:
            return f"Ticket {ticket_id} was closed before."
        ticket["open"] = False
        ticket["solution"] = solution
        agent = ticket["agent"]
        if agent is None:
            return f"Ticket {ticket_id} is closed."
        self._queues[agent].remove(ticket_id)
        return f"Ticket {ticket_id} is closed; {agent} has {len(self._queues[agent])} left."

    def reopen(self, ticket_id: int) -> str:
        """Open a closed ticket again; it stays with the agent who had it.

        Args:
            ticket_id: Number of the ticket; there are 101 to 104.

        Returns:
            What was done.
        """
        ticket = self._tickets.get(ticket_id)
        if ticket is None:
            return f"Ticket {ticket_id} does not exist."
        if ticket["open"]:
            return f"Ticket {ticket_id} is open."
        ticket["open"] = True
        return f"Ticket {ticket_id} is open again."


board = TicketBoard()


def escalation_path(team: str, priority: str, hours_open: int) -> list[str]:
    """Tell who has to know about a ticket by now.

    Args:
        team: Team that works on it: network, billing or apps. Everything else belongs to the
            service desk.
        priority: Priority of the ticket.
        hours_open: Full hours since it was opened.

    Returns:
        The people to inform, the first contact first.
    """
    chain = _CHAINS.get(team.strip().lower())
    if chain is None:
        return ["service desk"]
    if hours_open < 2:
        return chain[:1]
    steps = hours_open // _STEP_HOURS[priority]
    return chain[: 1 + steps]


def merge_duplicates(tickets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Merge tickets that a customer has sent more than once.

    Tickets of the same customer with the same subject are duplicates; upper and lower case do
    not matter. Tickets without customer or subject are left alone.

    Args:
        tickets: The exported tickets, each an object with `id`, `customer` and `subject` and
            whatever else the export holds.

    Returns:
        The tickets that remain; `duplicates` counts what was merged into each of them.
    """
    kept: dict[tuple[str, str], dict[str, Any]] = {}
    result = []
    for ticket in tickets:
        customer = str(ticket.get("customer") or "").strip().lower()
        subject = str(ticket.get("subject") or "").strip().lower()
        entry = {**ticket, "duplicates": 0}
        if not customer or not subject:
            result.append(entry)
            continue
        first = kept.get((customer, subject))
        if first is None:
            kept[customer, subject] = entry
            result.append(entry)
            continue
        first["duplicates"] += 1
        first["created"] = min(str(first["created"]), str(ticket["created"]))
    return result


def known_error(code: str) -> str:
    """Look up an error code of our product in the list of known errors.

    Args:
        code: The code which the customer sees, e.g. "E1002".

    Returns:
        The message behind the code and what to do about it, or that there is no entry.
    """
    entry = _KNOWN.get(code.strip().upper())
    return entry if entry is not None else f"{code}: no such entry, please ask the apps team."
