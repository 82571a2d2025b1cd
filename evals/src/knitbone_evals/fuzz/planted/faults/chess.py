"""The faults in ``chess``."""

from knitbone_evals.fuzz.planted.specification import Fault, Planted, Sound, raised, target_of

_START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of("chess", "piece_at"),
        category="hidden format",
        fault=raised("IndexError", "piece_at"),
        specification="under",
        lacks="that every rank must describe eight squares",
        witness={"position": "8/8/8/8/4/8/8/K6k w - -", "square": "h4"},
        normal={"position": f"{_START} w KQkq - 0 1", "square": "e1"},
        more=(
            {"position": _START, "square": "e4"},
            {"position": "8/8/8/8/3p4/8/8/K6k w - -", "square": "d4"},
        ),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "piece_at"),),
    ),
    Planted(
        target=target_of("chess", "rating_after"),
        category="numeric boundary",
        fault=raised("OverflowError", "rating_after"),
        specification="under",
        lacks="that ratings must not be too far apart",
        witness={"rating": 1500, "opponent": 1_000_000, "points": 0.5},
        normal={"rating": 1500, "opponent": 1600, "points": 1.0},
        more=(
            {"rating": 2400, "opponent": 800, "points": 0},
            {"rating": 0, "opponent": 0, "points": 0.5},
        ),
        refusals=(raised("ValueError", "rating_after", "points"),),
    ),
    Planted(
        target=target_of("chess", "without_comments"),
        category="hang",
        fault=Fault("hang"),
        also=(raised("MemoryError", "without_comments"),),
        specification="under",
        lacks="that a brace must not be closed before it is opened",
        witness={"moves": "1. e4 } e5 {"},
        normal={"moves": "1. e4 {best by test} e5"},
        more=({"moves": "1. d4"}, {"moves": "{a}{b} 1. c4 {c}"}),
        deep=True,
        refusals=(raised("ValueError", "without_comments"),),
    ),
    Planted(
        target=target_of("chess", "scoresheet"),
        category="state between calls",
        fault=raised("IndexError", "record"),
        specification="ill",
        sentence='"undo" takes the last one back',
        witness={"action": "show"},
        before=({"action": "move", "move": "e2e4"}, {"action": "undo"}),
        normal={"action": "move", "move": "e2e4"},
        more=({"action": "show"}, {"action": "undo"}),
        hard="state",
        refusals=(raised("ValueError", "record"),),
    ),
)
