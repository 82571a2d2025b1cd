"""Faults of the tools for settings files."""

from __future__ import annotations

from knitbone_evals.fuzz.planted.specification import Planted, Sound, raised, target_of

THEME = "config"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of(THEME, "ini_value"),
        category="embedded document",
        fault=raised("InterpolationError", "ini_value"),
        specification="under",
        lacks="that percent signs in values have a meaning",
        witness={
            "ini_text": "[backup]\nname = daily\nkeep = 80% of disk\n",
            "section": "backup",
            "key": "keep",
        },
        normal={"ini_text": "[backup]\nname = daily\n", "section": "backup", "key": "name"},
        more=(
            {"ini_text": "", "section": "a", "key": "b", "default": "c"},
            {"ini_text": "[a]\nb = 5%\n", "section": "a", "key": "other"},
            {"ini_text": "[a]\nb = %(c)s/x\nc = y\n", "section": "a", "key": "B"},
        ),
        hard="document",
        refusals=(raised("ValueError", "ini_value", "not an INI file"),),
    ),
    Planted(
        target=target_of(THEME, "expand_variable"),
        category="relation between arguments",
        fault=raised("RecursionError", "_expand"),
        specification="under",
        lacks="that variables must not refer to one another in a circle",
        witness={"values": {"PATH": "${PATH}:/opt/bin"}, "name": "PATH"},
        normal={"values": {"HOME": "/srv", "LOGS": "${HOME}/logs"}, "name": "LOGS"},
        more=(
            {"values": {}, "name": "X"},
            {"values": {"A": "${B}${B}-${", "B": "1"}, "name": "A"},
        ),
    ),
    Sound(
        target=target_of(THEME, "check_json"),
        accepted=(
            {"text": '{"debug": true}'},
            {"text": "{debug: true}"},
            {"text": ""},
            {"text": "[1, 2"},
        ),
    ),
    Sound(
        target=target_of(THEME, "parse_size"),
        accepted=({"text": "10 MB"}, {"text": "512"}, {"text": "1.5 kib"}),
        refused=({"text": "big"}, {"text": "-1 KB"}, {"text": "3 parsecs"}, {"text": ""}),
        refusals=(
            raised("ValueError", "parse_size", "is not a size"),
            raised("ValueError", "parse_size", "unknown unit"),
        ),
    ),
)
