"""Faults of the club's tools."""

from __future__ import annotations

from knitbone_evals.fuzz.planted.specification import Fault, Planted, Sound, raised, target_of

THEME = "signup"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of(THEME, "draw_winner"),
        category="non-determinism",
        fault=Fault("nondeterminism"),
        specification="ill",
        sentence="The same entries and seed always give the same winner",
        witness={"entries": [f"guest {number}" for number in range(40)], "seed": 0},
        normal={"entries": ["Ana", "Bo", "Cem"], "seed": 7},
        more=({"entries": ["Ana"]}, {"entries": ["Ana", " ", "Bo"], "seed": -3}),
        refusals=(raised("ValueError", "draw_winner", "nobody takes part"),),
    ),
    Planted(
        target=target_of(THEME, "missing_answers"),
        category="non-determinism",
        fault=Fault("nondeterminism"),
        specification="ill",
        sentence="Tell which questions of the sign-up form are not answered yet.",
        witness={"answers": {"name": "Ana", "email": "ana@example.org"}},
        normal={"answers": {"name": "Ana", "email": "a@b.c", "shirt": "M", "arrival": "Friday"}},
    ),
    Planted(
        target=target_of(THEME, "is_display_name"),
        category="hang",
        fault=Fault("hang"),
        specification="under",
        lacks="that names which are not allowed must be short",
        witness={"name": "a" * 48 + "!"},
        normal={"name": "Mary-Jane O'Neil"},
        more=({"name": ""}, {"name": "x2"}, {"name": "a" * 200}),
    ),
    Sound(
        target=target_of(THEME, "draw_lots"),
        accepted=(
            {"names": ["Ana", "Bo", "Cem"], "count": 2},
            {"names": ["Ana"]},
            {"names": [], "count": 0},
        ),
        refused=({"names": [], "count": 1}, {"names": ["Ana"], "count": -1}),
        refusals=(raised("ValueError", "draw_lots", "count must be between"),),
    ),
)
