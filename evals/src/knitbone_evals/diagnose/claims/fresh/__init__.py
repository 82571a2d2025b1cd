"""Fresh programs: agents that go right and agents that go wrong, by an author who read no claim."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

ARCHIVE = Path(__file__).with_name("worlds.zip")
"""The programs, as their author wrote them (``knitbone_evals.archives``)."""
__path__.append(str(ARCHIVE))

from knitbone_evals.diagnose.claims.fresh import (  # noqa: E402
    commerce,
    data,
    devices,
    knowledge,
    office,
    operations,
)
from knitbone_evals.diagnose.claims.fresh.base import Program, every  # noqa: E402

WORLDS = (
    *commerce.WORLDS,
    *operations.WORLDS,
    *data.WORLDS,
    *knowledge.WORLDS,
    *office.WORLDS,
    *devices.WORLDS,
)

__all__ = ["WORLDS", "Program", "fresh_programs"]


def fresh_programs(seed: int) -> Iterator[Program]:
    """All programs, the same for the same seed."""
    for made in every(WORLDS, seed):
        yield made.program
