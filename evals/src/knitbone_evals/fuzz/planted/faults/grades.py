"""Faults of the tools for marks and tests."""

from __future__ import annotations

from knitbone_evals.fuzz.planted.specification import (
    Fault,
    Planted,
    Sound,
    raised,
    target_of,
)

THEME = "grades"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of(THEME, "letter_grade"),
        category="output type",
        fault=Fault("output type"),
        specification="under",
        lacks="that there is no British class below 40 percent",
        witness={"percent": 30.0, "scale": "uk", "curve": 5.0},
        normal={"percent": 65.0, "scale": "uk"},
        more=(
            {"percent": 30.0},
            {"percent": 0.0, "scale": "us"},
            {"percent": 35.0, "scale": "uk", "curve": 5.0},
        ),
        deep=True,
        refusals=(raised("ValueError", "letter_grade"),),
    ),
    Sound(
        target=target_of(THEME, "check_answer"),
        accepted=(
            {"question": 1, "answer": "lisbon"},
            {"question": 2, "answer": "1789"},
            {"question": 3, "answer": ""},
            {"question": 9, "answer": "x"},
        ),
    ),
    Sound(
        target=target_of(THEME, "median_score"),
        accepted=({"scores": [70.0, 85.5, 90.0]}, {"scores": [0.0]}, {"scores": [1, 2]}),
        refused=({"scores": []}, {"scores": [50.0, 101.0]}, {"scores": [-1.0]}),
        refusals=(raised("ValueError", "median_score"),),
    ),
)
