"""``KNITBONE_DISABLED``: the switch for everything. Loads the standard library only."""

from __future__ import annotations

import os

__all__ = ["is_disabled"]

_OFF = frozenset({"", "0", "false", "no", "off"})
"""Values under which the switch is not set."""


def is_disabled() -> bool:
    """Whether ``KNITBONE_DISABLED`` switches everything off; read anew at each call."""
    return os.environ.get("KNITBONE_DISABLED", "").strip().casefold() not in _OFF
