"""What may enforce a sandbox, by the names under which a campaign tells it."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "AUDIT",
    "FILTER",
    "LANDLOCK",
    "NO_PRIVILEGES",
    "OWN_MEMORY",
    "OWN_NETWORK",
    "OWN_PROCESSES",
    "READ_ONLY",
    "missing_walls",
]

LANDLOCK = "landlock"
OWN_PROCESSES = "own processes"
OWN_MEMORY = "own /dev/shm"
READ_ONLY = "read-only files"
OWN_NETWORK = "own network"
NO_PRIVILEGES = "no privileges"
FILTER = "seccomp"
AUDIT = "audit hook"

_HOLES = {
    LANDLOCK: "files elsewhere may be written by native code",
    OWN_PROCESSES: "other processes can be seen",
    READ_ONLY: "modes, owners and times of files elsewhere may be changed by native code",
    OWN_NETWORK: "UDP and local sockets may be reached by native code",
    FILTER: "sockets that are no network ones may be opened by native code",
}


def missing_walls(confinement: Sequence[str], *, network: bool) -> tuple[str, ...]:
    """What is not enforced here, and what that leaves open, a short line each.

    Args:
        network: whether hosts are allowed: then the network is shared on purpose.
    """
    have = {wall.split(" ")[0] if wall.startswith(LANDLOCK) else wall for wall in confinement}
    return tuple(
        f"no {wall}: {hole}"
        for wall, hole in _HOLES.items()
        if wall not in have and not (wall == OWN_NETWORK and network)
    )
