"""Faults of the tools for servers."""

from __future__ import annotations

from knitbone_evals.fuzz.planted.specification import (
    Fault,
    Planted,
    Sound,
    raised,
    target_of,
)

THEME = "network"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of(THEME, "subnet_hosts"),
        category="memory",
        fault=Fault("hang"),
        also=(raised("MemoryError", "subnet_hosts"),),
        specification="under",
        lacks="that the subnet must be small",
        witness={"cidr": "2001:db8::/64", "limit": 5},
        normal={"cidr": "192.168.4.0/24"},
        more=(
            {"cidr": "10.0.0.1/32", "limit": 1},
            {"cidr": "2001:db8::/120", "limit": 3},
        ),
        refusals=(
            raised("ValueError", "subnet_hosts", "limit must be"),
            raised("ValueError", "subnet_hosts", "is not a subnet"),
        ),
    ),
    Planted(
        target=target_of(THEME, "describe_filter"),
        category="embedded document",
        fault=raised("KeyError", "describe_filter"),
        specification="under",
        lacks="which comparisons there are",
        witness={"query": "?status=open&name__contains=pump"},
        normal={"query": "?status=open&size__gte=100"},
        more=(
            {"query": ""},
            {"query": "page=2&sort=-size"},
            {"query": "a__=1&b=%20&c"},
        ),
        hard="document",
    ),
    Planted(
        target=target_of(THEME, "backoff_schedule"),
        category="numeric boundary",
        fault=raised("OverflowError", "backoff_schedule"),
        specification="ill",
        sentence="Number of attempts, 0 to 5000.",
        witness={"retries": 2000},
        normal={"retries": 6, "base": 1.0, "cap": 20.0},
        more=(
            {"retries": 0},
            {"retries": 5000, "factor": 1.0},
            {"retries": 300, "factor": 10.0},
        ),
        refusals=(raised("ValueError", "backoff_schedule"),),
    ),
    Planted(
        target=target_of(THEME, "resolve_hosts"),
        category="async",
        fault=raised("ValueError", "resolve_hosts", "Futures is empty"),
        specification="under",
        lacks="that there must be a name",
        witness={"names": []},
        normal={"names": ["db1", " WEB", "db1", "nas"]},
        more=({"names": ["x"]}, {"names": ["", "mail"]}),
    ),
    Sound(
        target=target_of(THEME, "service_status"),
        accepted=(
            {"service": "api"},
            {"service": "payments"},
            {"service": "Search"},
            {"service": "mail"},
        ),
        refused=({"service": "billing"}, {"service": ""}),
        refusals=(raised("ValueError", "service_status", "is not on the status page"),),
    ),
    Sound(
        target=target_of(THEME, "explain_status"),
        accepted=({"code": 404}, {"code": 500}, {"code": 200}, {"code": 999}, {"code": -1}),
    ),
    Sound(
        target=target_of(THEME, "ping_hosts"),
        accepted=({"names": ["web", "db2", "x"]}, {"names": []}),
    ),
)
