"""The tools in ``strict``: all sound, with refusals by exceptions."""

from knitbone_evals.fuzz.planted.specification import Planted, Sound, raised, target_of

TOOLS: tuple[Planted | Sound, ...] = (
    Sound(
        target=target_of("strict", "roman_numeral"),
        accepted=({"number": 1990}, {"number": 1}, {"number": 3999}),
        refused=({"number": 0}, {"number": 4000}),
        refusals=(raised("ValueError", "roman_numeral"),),
    ),
    Sound(
        target=target_of("strict", "spread"),
        accepted=(
            {"values": [1.0, 2.0]},
            {"values": [0.0, 0.0, 0.0]},
            {"values": [-1e100, 1e100]},
        ),
        refused=({"values": []}, {"values": [1.0, float("inf")]}),
        refusals=(raised("ValueError", "spread"), raised("OverflowError", "spread")),
    ),
    Sound(
        target=target_of("strict", "seat_price"),
        accepted=({"row": "A", "seat": 1}, {"row": "F", "seat": 20}, {"row": "C", "seat": 7}),
        refused=({"row": "", "seat": 1}, {"row": "A", "seat": 21}),
        refusals=(raised("TheatreError", "seat_price"),),
    ),
    Sound(
        target=target_of("strict", "config_keys"),
        accepted=(
            {"config": '{"port": 80, "host": "a"}'},
            {"config": "{}"},
            {"config": '{"\\ud800": [NaN]}'},
        ),
        refused=({"config": "port = 80"}, {"config": "[1]"}, {"config": "[" * 4001}),
        refusals=(raised("ValueError", "config_keys"), raised("TypeError", "config_keys")),
    ),
    Sound(
        target=target_of("strict", "percent_of"),
        accepted=(
            {"part": 1.0, "whole": 4.0},
            {"part": 0.0, "whole": 1e-300},
            {"part": 2.5, "whole": 2.5},
        ),
        refused=({"part": 1.0, "whole": 0.0}, {"part": 5.0, "whole": 4.0}),
        refusals=(raised("ValueError", "percent_of"),),
    ),
    Sound(
        target=target_of("strict", "opening_hours"),
        accepted=(
            {"weekday": 1, "week": 1},
            {"weekday": 7, "week": 53},
            {"weekday": 3, "week": 31},
        ),
        refused=({"weekday": 0, "week": 1}, {"weekday": 1, "week": 54}),
        refusals=(raised("ValueError", "_checked"),),
    ),
    Sound(
        target=target_of("strict", "joined_tags"),
        accepted=({"tags": ["a", "b-2"]}, {"tags": []}, {"tags": ["x"], "separator": " "}),
        refused=({"tags": ["A b"]}, {"tags": [], "separator": "/"}),
        refusals=(raised("ValueError", "joined_tags"), raised("TypeError", "joined_tags")),
    ),
)
