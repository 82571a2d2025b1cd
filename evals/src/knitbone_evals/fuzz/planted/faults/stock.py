"""Faults of the warehouse tools."""

from __future__ import annotations

from knitbone_evals.fuzz.planted.specification import Planted, Sound, answers, raised, target_of

THEME = "stock"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of(THEME, "pick_batch"),
        category="state between calls",
        fault=raised("IndexError", "pick_batch"),
        specification="ill",
        sentence="Answers with the batches to take from, or with what is left if that is not"
        " enough.",
        witness={"sku": "SEAL-20", "quantity": 1},
        before=({"sku": "SEAL-20", "quantity": 12},),
        normal={"sku": "BOLT-M6", "quantity": 50},
        more=(
            {"sku": "GLUE-5", "quantity": 4},
            {"sku": "SEAL-20", "quantity": 200},
            {"sku": "NUT-1", "quantity": 2},
        ),
        hard="state",
        refusals=(answers("There is no article"), answers("pieces are left")),
    ),
    Planted(
        target=target_of(THEME, "reorder_quantity"),
        category="numeric boundary",
        fault=raised("ZeroDivisionError", "_reorder"),
        specification="under",
        lacks="that pack_size must be above 0",
        witness={"daily_use": 4.0, "lead_days": 10, "pack_size": 0},
        normal={"daily_use": 4.0, "lead_days": 10, "pack_size": 25, "on_hand": 12},
        more=(
            {"daily_use": 0.0, "lead_days": 10, "pack_size": 0},
            {"daily_use": 1.5, "lead_days": 0, "pack_size": 1, "safety_days": 0},
        ),
        deep=True,
    ),
    Planted(
        target=target_of(THEME, "low_stock"),
        category="embedded document",
        fault=raised("IndexError", "low_stock"),
        specification="under",
        lacks="what happens to lines with fewer than three columns",
        witness={"csv_text": "article,location,quantity\nBOLT-M6,A3,4\nSEAL-20,B1\n"},
        normal={"csv_text": "article,location,quantity\nBOLT-M6,A3,4\nSEAL-20,B1,40\n"},
        more=(
            {"csv_text": ""},
            {"csv_text": "article,location,quantity\n\n,,\nGLUE-5,C,7\n", "min_level": 3},
        ),
        hard="document",
        refusals=(raised("ValueError", "low_stock"),),
    ),
    Sound(
        target=target_of(THEME, "audit_rows"),
        accepted=(
            {"rows": ["BOLT-M6;40", "GLUE-5;9"]},
            {"rows": ["BOLT-M6;-4", "BOLT-M6;3", "NUT;1", "GLUE-5", "SEAL-20;x"]},
            {"rows": []},
        ),
    ),
)
