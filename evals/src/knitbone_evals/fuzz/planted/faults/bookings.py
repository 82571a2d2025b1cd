"""Faults of the hotel's tools."""

from __future__ import annotations

from knitbone_evals.fuzz.planted.specification import (
    Fault,
    Planted,
    Sound,
    answers,
    raised,
    target_of,
)

THEME = "bookings"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of(THEME, "tables.hold"),
        category="async",
        fault=Fault("hang"),
        also=(raised("RuntimeError", "hold", "event loop"),),
        specification="under",
        lacks="that no table can be held any more after a party was too large",
        witness={"table": 3, "guest": "Okafor", "party": 2},
        before=({"table": 1, "guest": "Lindqvist", "party": 5},),
        normal={"table": 2, "guest": "Okafor", "party": 4},
        more=(
            {"table": 2, "guest": "Lindqvist"},
            {"table": 9, "guest": "Lindqvist"},
            {"table": 4, "guest": "Rossi", "party": 0},
        ),
        hard="state",
        refusals=(
            answers("A party has"),
            answers("There is no table"),
            answers("seats"),
            answers("is taken"),
        ),
    ),
    Planted(
        target=target_of(THEME, "room_rate"),
        category="async",
        fault=Fault("output type"),
        specification="ill",
        sentence="From 28 nights on the monthly rate applies, which includes breakfast.",
        witness={"room": "double", "nights": 30},
        normal={"room": "double", "nights": 3, "breakfast": True},
        more=({"room": "Suite", "nights": 27}, {"room": "single", "nights": 1}),
        deep=True,
        refusals=(raised("ValueError", "room_rate"),),
    ),
    Planted(
        target=target_of(THEME, "quote_stay"),
        category="hidden format",
        fault=raised("ValueError", "quote_stay", "invalid literal for int"),
        specification="over",
        sentence="Give it in full, with the letter of the campaign",
        witness={"nights": 4, "guests": 2, "code": "SAVE10-B"},
        normal={"nights": 4, "guests": 2, "code": "SAVE10"},
        more=(
            {"nights": 2, "guests": 1, "code": "SAVE10-B"},
            {"nights": 7},
            {"nights": 7, "code": "WELCOME"},
        ),
        deep=True,
        refusals=(raised("ValueError", "quote_stay", "must be between"),),
    ),
    Planted(
        target=target_of(THEME, "read_voucher"),
        category="embedded document",
        fault=raised("TypeError", "read_voucher"),
        specification="ill",
        sentence="Vouchers without `valid_until` never expire.",
        # {"guest": "Okafor", "value": 50}
        witness={"code": "eyJndWVzdCI6ICJPa2Fmb3IiLCAidmFsdWUiOiA1MH0=", "arrival": "2024-07-01"},
        # the same with "valid_until": "2024-12-31"
        normal={
            "code": "eyJndWVzdCI6ICJPa2Fmb3IiLCAidmFsdWUiOiA1MCwgInZhbGlkX3VudGlsIjogIjIwMjQtMTI"
            "tMzEifQ==",
            "arrival": "2024-07-01",
        },
        more=(
            {
                "code": "eyJndWVzdCI6ICJPa2Fmb3IiLCAidmFsdWUiOiA1MCwgInZhbGlkX3VudGlsIjogIjIwMjQt"
                "MTItMzEifQ==",
                "arrival": "2025-01-01",
            },
        ),
        hard="document",
        refusals=(raised("ValueError", "read_voucher"),),
    ),
    Sound(
        target=target_of(THEME, "stay_dates"),
        accepted=({"arrival": "2024-02-28", "nights": 3}, {"arrival": "2100-12-31", "nights": 1}),
        refused=(
            {"arrival": "tomorrow", "nights": 2},
            {"arrival": "1999-01-01", "nights": 2},
            {"arrival": "2024-02-28", "nights": 0},
        ),
        refusals=(answers("Error: arrival must"), answers("Error: nights must")),
    ),
)
