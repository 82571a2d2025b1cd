"""The tools in ``glossary``: all sound, with answers that look like errors."""

from knitbone_evals.fuzz.planted.specification import Planted, Sound, target_of

_LOG = "start\nTraceback (most recent call last):\nKeyError: 'id'\nstop"

TOOLS: tuple[Planted | Sound, ...] = (
    Sound(
        target=target_of("glossary", "search_log"),
        accepted=(
            {"log": _LOG, "word": "traceback"},
            {"log": _LOG, "word": "memory"},
            {"log": "", "word": ""},
        ),
    ),
    Sound(
        target=target_of("glossary", "check_brackets"),
        accepted=(
            {"source": "f(x)\n\nprint(["},
            {"source": "a = {1: [2]}"},
            {"source": ")"},
        ),
    ),
    Sound(
        target=target_of("glossary", "explain_status"),
        accepted=({"code": 500}, {"code": 404}, {"code": 799}),
    ),
    Sound(
        target=target_of("glossary", "explain_exit"),
        accepted=({"code": 139}, {"code": -9}, {"code": 100_000}),
    ),
    Sound(
        target=target_of("glossary", "explain_exception"),
        accepted=({"name": "KeyError"}, {"name": " IndexError"}, {"name": "Error"}),
    ),
)
