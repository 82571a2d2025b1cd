"""Faults of the text tools."""

from __future__ import annotations

from knitbone_evals.fuzz.planted.specification import Planted, Sound, raised, target_of

THEME = "prose"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of(THEME, "reading_ease"),
        category="empty input",
        fault=raised("ZeroDivisionError", "reading_ease"),
        specification="under",
        lacks="that the text needs a word of English letters",
        witness={"text": "?!"},
        normal={"text": "The cat sat on the mat. It was a very comfortable mat!"},
        more=({"text": ""}, {"text": "   "}, {"text": "Yes"}),
    ),
    Planted(
        target=target_of(THEME, "fill_template"),
        category="embedded document",
        fault=raised("KeyError", "fill"),
        specification="under",
        lacks="which filters there are, and what happens to others",
        witness={"template": "Dear {{name|capitalize}},", "values": {"name": "ana"}},
        normal={"template": "Dear {{name|title}} in {{ city }},", "values": {"name": "ana"}},
        more=(
            {"template": "{{x|nope}}", "values": {}},
            {"template": "{name} {{}} {{a b}}", "values": {"name": "ana"}},
            {"template": "{{name | upper}}", "values": {"name": "ana"}},
        ),
        hard="document",
    ),
    Sound(
        target=target_of(THEME, "slugify"),
        accepted=(
            {"title": "Crème brûlée, step by step"},
            {"title": "a-very-long-title", "max_length": 7},
            {"title": "2024"},
        ),
        refused=({"title": ""}, {"title": "東京"}, {"title": "ok", "max_length": 0}),
        refusals=(
            raised("ValueError", "slugify", "no slug can be made"),
            raised("ValueError", "slugify", "max_length must be"),
        ),
    ),
)
