"""The tools in ``support``: all sound, with answers that look like errors."""

from knitbone_evals.fuzz.planted.specification import Planted, Sound, target_of

TOOLS: tuple[Planted | Sound, ...] = (
    Sound(
        target=target_of("support", "find_member"),
        accepted=({"name": "Ada"}, {"name": "Cora"}, {"name": ""}),
    ),
    Sound(
        target=target_of("support", "translate_message"),
        accepted=(
            {"message": "File not found", "language": "de"},
            {"message": "Timeout", "language": "fr"},
            {"message": "Access denied", "language": "en"},
        ),
    ),
    Sound(
        target=target_of("support", "last_outage"),
        accepted=({"service": "mail"}, {"service": "web"}, {"service": "backup"}),
    ),
    Sound(
        target=target_of("support", "compare_outputs"),
        accepted=(
            {"expected": "a\nb", "actual": "a\nc"},
            {"expected": "a ", "actual": "a\n"},
            {"expected": "", "actual": "\n\nx"},
        ),
    ),
)
