"""Attempts to get out of the sandbox, one function each, sorted by the wall they try.

`attempt(outside)` returns "escaped: ..." with every way that worked, or "held: ..."; an error that
it raises means held, too. `outside` is an existing file in a folder that may be spoiled. The
attempts look for what `world.World` prepares, which tells afterwards what really changed. Believe
it rather than the answer: a sandbox that copies on write lets a tool believe that it wrote.
"""

from __future__ import annotations

from .escape_parts import WALLS, Escape
from .escapes_files import FILES
from .escapes_kernel import KERNEL, MEMORY
from .escapes_metadata import METADATA
from .escapes_network import NETWORK
from .escapes_processes import ENVIRONMENT, PROCESSES

__all__ = ["ESCAPES", "UNPROMISED", "WALLS", "Escape"]

ESCAPES: tuple[Escape, ...] = FILES + METADATA + NETWORK + PROCESSES + ENVIRONMENT + MEMORY + KERNEL

# Where the documentation of the sandbox names no wall, or says that there is none for some of the
# ways: to be looked at, and written down, rather than to be failed.
UNPROMISED: dict[str, str] = {
    "observe": "reading, watching and locking outside is nowhere refused",
    "metadata_libc": "not refused by the kernel; native code and programs pass the audit hook",
    "hook_evaded": "the audit hook is said to see Python code only, and to be no jail",
    "tcp_odd": "only plain TCP is named: not MPTCP, SMC, SCTP; fast open should hold",
    "udp": "not refused by the kernel; native code passes",
    "programs_network": "UDP of programs passes, TCP should not",
    "unix_sockets": "not mentioned",
    "known_sockets": "not mentioned",
    "odd_families": "not mentioned",
    "meddle": "priorities, limits and descriptors of other processes are not mentioned",
    "signals": "the template above the worker is in the same sandbox; by the kernel from 6.12",
    "limits": "only if it is root that runs the tool, or new privileges are allowed",
    "memory_of_others": "not mentioned; of processes outside, Landlock refuses it",
    "shared_memory": "only /dev/shm is mentioned: not System V, not message queues",
    "io_uring": "not mentioned; files and TCP should hold there, too",
    "namespaces": "not mentioned; what matters are mounts and what they uncover",
    "rare_calls": "not mentioned",
    "terminal": "not mentioned",
}
