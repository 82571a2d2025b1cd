"""Faults of the ticket tools."""

from __future__ import annotations

from knitbone_evals.fuzz.planted.specification import Planted, Sound, answers, raised, target_of

THEME = "tickets"
_UNKNOWN = (answers("does not exist"), answers("is closed"), answers("was closed before"))

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of(THEME, "board.close"),
        category="state between calls",
        fault=raised("ValueError", "close", "list.remove"),
        specification="under",
        lacks="that a reopened ticket cannot be closed unless it is assigned anew",
        witness={"ticket_id": 101},
        steps=(
            (target_of(THEME, "board.close"), {"ticket_id": 101, "solution": "Quota raised"}),
            (target_of(THEME, "board.reopen"), {"ticket_id": 101}),
        ),
        normal={"ticket_id": 102, "solution": "Shown once now"},
        more=({"ticket_id": 103}, {"ticket_id": 102}, {"ticket_id": 7}),
        hard="state",
        refusals=_UNKNOWN,
    ),
    Sound(
        target=target_of(THEME, "board.assign"),
        accepted=(
            {"ticket_id": 103, "agent": "Tom"},
            {"ticket_id": 103, "agent": "mara"},
            {"ticket_id": 99, "agent": "mara"},
            {"ticket_id": 101, "agent": " "},
        ),
        refusals=(*_UNKNOWN, answers("Please name an agent")),
        companion=True,
    ),
    Sound(
        target=target_of(THEME, "board.reopen"),
        accepted=({"ticket_id": 101}, {"ticket_id": 5}),
        refusals=_UNKNOWN,
        companion=True,
    ),
    Planted(
        target=target_of(THEME, "escalation_path"),
        category="undocumented enumeration",
        fault=raised("KeyError", "escalation_path"),
        specification="under",
        lacks="that priority is one of low, normal, high and critical",
        witness={"team": "apps", "priority": "urgent", "hours_open": 30},
        normal={"team": "apps", "priority": "high", "hours_open": 20},
        more=(
            {"team": "facility", "priority": "urgent", "hours_open": 30},
            {"team": "billing", "priority": "whatever", "hours_open": 1},
            {"team": "Network", "priority": "low", "hours_open": 500},
        ),
        deep=True,
    ),
    Planted(
        target=target_of(THEME, "merge_duplicates"),
        category="embedded document",
        fault=raised("KeyError", "merge_duplicates", "created"),
        specification="under",
        lacks="that duplicates must have `created`",
        witness={
            "tickets": [
                {"id": 1, "customer": "ACME", "subject": "Login fails"},
                {"id": 2, "customer": "acme", "subject": "login fails"},
            ]
        },
        normal={
            "tickets": [
                {"id": 1, "customer": "ACME", "subject": "Login", "created": "2024-05-02"},
                {"id": 2, "customer": "acme", "subject": "login", "created": "2024-05-01"},
                {"id": 3, "customer": "Foo", "subject": "Print"},
            ]
        },
        more=({"tickets": []}, {"tickets": [{}, {}]}, {"tickets": [{"customer": 5}]}),
        hard="document",
    ),
    Sound(
        target=target_of(THEME, "known_error"),
        accepted=(
            {"code": "E1001"},
            {"code": "e1002"},
            {"code": "E2040"},
            {"code": "E3000"},
            {"code": "E9"},
            {"code": ""},
        ),
    ),
)
