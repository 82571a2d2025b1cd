"""Faults of the wiki's tools."""

from __future__ import annotations

from knitbone_evals.fuzz.planted.specification import Planted, Sound, answers, raised, target_of

THEME = "notes"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of(THEME, "open_page"),
        category="permission",
        fault=raised("AttributeError", "open_page"),
        specification="ill",
        sentence="If the role may not read the page, the answer says whom to ask for access.",
        witness={"title": "runbook", "role": "staff"},
        normal={"title": "handbook"},
        more=(
            {"title": "salaries", "role": "guest"},
            {"title": "Runbook", "role": "ops"},
            {"title": "roadmap", "role": "staff"},
        ),
        deep=True,
        refusals=(raised("ValueError", "open_page"), answers("This page is not for")),
    ),
    Planted(
        target=target_of(THEME, "scratch"),
        category="underspecified purpose",
        fault=raised("KeyError", "scratch"),
        specification="under",
        lacks="what can be done with the note: append, show and clear",
        witness={"action": "read"},
        normal={"action": "append", "text": "call the plumber"},
        more=({"action": "show"}, {"action": "show", "text": "x"}, {"action": "clear"}),
    ),
    Sound(
        target=target_of(THEME, "broken_links"),
        accepted=(
            {"markdown": "See [the plan](roadmap) and [that](raodmap).\n[x]()"},
            {"markdown": ""},
            {"markdown": "[site](https://example.org) [a](HANDBOOK)"},
        ),
    ),
)
