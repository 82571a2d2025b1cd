"""Faults of the calendar tools."""

from __future__ import annotations

from knitbone_evals.fuzz.planted.specification import Planted, Sound, raised, target_of

THEME = "agenda"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of(THEME, "next_occurrence"),
        category="numeric boundary",
        fault=raised("ValueError", "next_occurrence", "day is out of range"),
        specification="under",
        lacks="what happens to a series that begins on a day which not every month has",
        witness={"start": "2024-01-31", "every_months": 1, "after": "2024-02-10"},
        normal={"start": "2024-01-15", "every_months": 3, "after": "2024-06-01"},
        more=(
            {"start": "2024-05-01", "every_months": 12, "after": "2020-01-01"},
            {"start": "2023-12-24", "every_months": 1, "after": "2024-12-24"},
            {"start": "2024-01-31", "every_months": 12, "after": "2026-06-30"},
        ),
        deep=True,
        refusals=(
            raised("ValueError", "_day"),
            raised("ValueError", "next_occurrence", "every_months must be"),
        ),
    ),
    Planted(
        target=target_of(THEME, "end_time"),
        category="wrong example",
        fault=raised("AttributeError", "end_time", "groups"),
        specification="ill",
        sentence='How long it takes, e.g. "45m", "2h" or "1h 15m".',
        witness={"start": "14:30", "duration": "1h 15m"},
        normal={"start": "14:30", "duration": "45m"},
        more=({"start": "23:30", "duration": "2h"}, {"start": "08:00", "duration": "1h15m"}),
        refusals=(raised("ValueError", "_minutes", "is not a time"),),
    ),
    Sound(
        target=target_of(THEME, "free_slots"),
        accepted=(
            {"busy": ["10:00-11:30", "13:00-14:00"]},
            {"busy": []},
            {"busy": ["08:00-18:00"], "day_start": "09:00", "day_end": "12:00"},
        ),
        refused=(
            {"busy": ["10:00"]},
            {"busy": ["25:00-26:00"]},
            {"busy": ["12:00-11:00"]},
            {"busy": [], "day_start": "17:00", "day_end": "09:00"},
        ),
        refusals=(
            raised("ValueError", "_minutes", "is not a time"),
            raised("ValueError", "free_slots"),
        ),
    ),
    Sound(
        target=target_of(THEME, "validate_event"),
        accepted=(
            {"event": {"title": "Lunch", "date": "2024-05-31", "start": "12:00"}},
            {"event": {}},
            {"event": {"title": "Lunch", "date": "31.05.2024", "start": "noon"}},
            {"event": {"title": 5, "date": None, "start": ["12:00"]}},
        ),
    ),
)
