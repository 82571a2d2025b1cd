"""Tools for the people who run the servers."""

from __future__ import annotations

import asyncio
import ipaddress
from http import HTTPStatus
from urllib.parse import parse_qsl

from langchain_core.tools import tool

_OPERATORS = {"eq": "=", "ne": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_HOSTS = {"db1": "10.0.0.11", "db2": "10.0.0.12", "web": "10.0.1.4", "mail": "10.0.1.9"}
_DOWN = {"db2", "mail"}
_STATUS = {
    "api": "200 OK, 38 ms",
    "payments": "503 Service Unavailable: upstream connect error, connection refused",
    "search": "Error: timed out after 30 s (3 attempts failed)",
    "mail": "degraded: 421 too many connections",
}


@tool
def subnet_hosts(cidr: str, limit: int = 10) -> list[str]:
    """List the first addresses for hosts in a subnet.

    Args:
        cidr: The subnet, IPv4 or IPv6, e.g. 192.168.4.0/24.
        limit: How many addresses to list, 1 to 100.
    """
    if not 1 <= limit <= 100:
        raise ValueError("limit must be between 1 and 100")
    try:
        network = ipaddress.ip_network(cidr.strip(), strict=False)
    except ValueError:
        raise ValueError(f"{cidr!r} is not a subnet") from None
    hosts = list(network.hosts())
    return [str(host) for host in hosts[:limit]]


def describe_filter(query: str) -> str:
    """Put the filter in the address of a list into words.

    Args:
        query: The query string, e.g. "?status=open&size__gte=100". Two underscores separate a
            field from its comparison; `page` and `sort` are left out.

    Returns:
        The conditions, e.g. "status = open and size >= 100", or "everything".
    """
    conditions = []
    for key, value in parse_qsl(query.strip().lstrip("?"), keep_blank_values=True):
        if key in ("page", "sort"):
            continue
        field, _, comparison = key.partition("__")
        sign = _OPERATORS[comparison] if comparison else "="
        conditions.append(f"{field} {sign} {value}")
    return " and ".join(conditions) or "everything"


def backoff_schedule(
    retries: int, base: float = 0.5, factor: float = 2.0, cap: float = 60.0
) -> list[float]:
    """Plan the pauses between attempts to reach a server.

    Args:
        retries: Number of attempts, 0 to 5000.
        base: First pause in seconds, above 0 and up to 3600.
        factor: By how much each pause is longer than the one before, 1 to 10.
        cap: Longest pause in seconds, above 0.

    Returns:
        The pauses in seconds; none is longer than `cap`.

    Raises:
        ValueError: If an argument is out of its range.
    """
    if not 0 <= retries <= 5000:
        raise ValueError("retries must be between 0 and 5000")
    if not 0 < base <= 3600:
        raise ValueError("base must be above 0 and at most 3600")
    if not 1 <= factor <= 10:
        raise ValueError("factor must be between 1 and 10")
    if not cap > 0:
        raise ValueError("cap must be above 0")
    pauses = []
    for attempt in range(retries):
        pauses.append(min(cap, base * float(factor) ** attempt))
    return pauses


async def _resolve(name: str) -> str:
    await asyncio.sleep(0)
    return f"{name} {_HOSTS.get(name, 'unknown')}"


async def resolve_hosts(names: list[str]) -> list[str]:
    """Look up the addresses of several hosts at once.

    Args:
        names: Names of the hosts, e.g. db1, db2, web or mail. Blanks around them and repeated
            names do not matter.

    Returns:
        Name and address for each host, "unknown" instead of the address if there is none,
        sorted by name.
    """
    wanted = {name.strip().lower() for name in names if name.strip()}
    tasks = [asyncio.create_task(_resolve(name)) for name in wanted]
    done, _ = await asyncio.wait(tasks)
    return sorted(task.result() for task in done)


def service_status(service: str) -> str:
    """Show what the status page says about a service.

    Args:
        service: Name of the service: api, payments, search or mail.

    Returns:
        The last line of the status page for this service.

    Raises:
        ValueError: If the status page does not list the service.
    """
    name = service.strip().lower()
    if name not in _STATUS:
        raise ValueError(f"{service!r} is not on the status page; listed: {', '.join(_STATUS)}")
    return _STATUS[name]


def explain_status(code: int) -> str:
    """Explain a status code of HTTP.

    Args:
        code: The code, e.g. 404.

    Returns:
        Name and meaning of the code, e.g. "404 Not Found: Nothing matches the given URI"; a
        remark if there is no such code.
    """
    for status in HTTPStatus:
        if status == code:
            return f"{int(status)} {status.phrase}: {status.description or status.phrase}"
    return f"{code} is not a status code of HTTP"


async def ping_hosts(names: list[str]) -> list[str]:
    """Ping hosts and report which of them answer.

    Args:
        names: Names of the hosts.

    Returns:
        One line per host in the given order: "web: ok", "db2: Error: request timed out" or
        "x: Error: unknown host".
    """
    lines = []
    for name in names:
        await asyncio.sleep(0)
        host = name.strip().lower()
        if host not in _HOSTS:
            lines.append(f"{name}: Error: unknown host")
        elif host in _DOWN:
            lines.append(f"{name}: Error: request timed out")
        else:
            lines.append(f"{name}: ok")
    return lines
