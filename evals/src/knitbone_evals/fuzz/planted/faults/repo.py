"""Faults of the version control tools."""

from __future__ import annotations

from knitbone_evals.fuzz.planted.specification import Planted, Sound, answers, raised, target_of

THEME = "repo"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of(THEME, "workspace.log"),
        category="state between calls",
        fault=raised("KeyError", "log"),
        specification="under",
        lacks="what is checked out after the branch that was checked out is deleted",
        witness={},
        steps=(
            (target_of(THEME, "workspace.switch"), {"name": "speed"}),
            (target_of(THEME, "workspace.delete_branch"), {"name": "speed"}),
        ),
        normal={"count": 2},
        more=({}, {"count": 1}, {"count": 1000}),
        hard="state",
        refusals=(raised("ValueError", "log", "count must be at least 1"),),
    ),
    Sound(
        target=target_of(THEME, "workspace.create_branch"),
        accepted=({"name": "fix/date"}, {"name": "main"}, {"name": "a b"}),
        refusals=(answers("is not a valid name"), answers("exists already")),
        companion=True,
    ),
    Sound(
        target=target_of(THEME, "workspace.switch"),
        accepted=({"name": "speed"}, {"name": "main"}, {"name": "nowhere"}),
        refusals=(answers("There is no branch"),),
        companion=True,
    ),
    Sound(
        target=target_of(THEME, "workspace.delete_branch"),
        accepted=({"name": "speed"}, {"name": "main"}, {"name": "nowhere"}),
        refusals=(answers("There is no branch"), answers("main cannot be deleted")),
        companion=True,
    ),
    Planted(
        target=target_of(THEME, "resolve_revision"),
        category="length or range limit",
        fault=raised("KeyError", "resolve_revision"),
        specification="under",
        lacks="what happens to a number that leads back beyond the first commit",
        witness={"revision": "main~7"},
        normal={"revision": "HEAD~2"},
        more=(
            {"revision": "v1.0"},
            {"revision": "71ab00~"},
            {"revision": "HEAD~4"},
            {"revision": "0b17e3"},
        ),
        deep=True,
        refusals=(raised("ValueError", "resolve_revision"),),
    ),
    Sound(
        target=target_of(THEME, "lint_commit_message"),
        accepted=(
            {"message": "fix: read empty files"},
            {"message": ""},
            {"message": "Update."},
            {"message": "bug: " + "x" * 80 + "\nno blank line"},
            {"message": "feat: "},
        ),
    ),
)
