"""What the escapes are made of: every source is one function, put together from the same frame."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from textwrap import dedent, indent

WALLS = ("files", "network", "processes", "environment", "memory", "metadata", "kernel")

# `c` calls the C library, whole numbers as 64 bits, and raises OSError where it returns -1.
_LIBC = """
libc = ctypes.CDLL(None, use_errno=True)

def c(name, *arguments):
    arguments = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = getattr(libc, name)(*arguments)
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), name)
    return True if result == 0 else result
"""

# Who else there is: the processes above, and the bystander whose name is made of `mark`.
_OTHERS = """
def others():
    pid, found = os.getpid(), {}
    while pid > 0:
        try:
            with open(f"/proc/{pid}/stat") as file:
                pid = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            pid = os.getppid() if not found else 0
        if pid > 0:
            found[f"above {len(found) + 1}"] = pid
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/comm") as file:
                if file.read().strip() == f"kb-{mark:08x}":
                    found["bystander"] = int(name)
        except (OSError, ValueError):
            continue
    return found
"""

_FRAME = '''\
def attempt(outside: str) -> str:
    """Try to get out."""
    import {imports}

    escaped, held = [], []

    def route(name, action):
        try:
            proof = action()
        except Exception as error:
            held.append(f"{{name}}: {{type(error).__name__}} {{error}}"[:120])
        else:
            (escaped if proof else held).append(name if proof is True else f"{{name}}={{proof}}")

{body}
    words = "; ".join(escaped or held)
    return f"escaped: {{words}}" if escaped else f"held: {{words}}"
'''


@dataclass(frozen=True)
class Escape:
    name: str
    wall: str
    source: str = field(repr=False)


def escape(name: str, wall: str, imports: str, body: str) -> Escape:
    modules = sorted(imports.split())
    body = dedent(body).strip("\n")
    if "ctypes" in modules:
        body = _LIBC.strip("\n") + "\n\n" + body
    if "port" in re.findall(r"\w+", body):
        body = "port = 20000 + mark % 10000\n" + body
    if "others()" in body:
        body = _OTHERS.strip("\n") + "\n\n" + body
    if "mark" in re.findall(r"\w+", body):
        body = "mark = zlib.crc32(outside.encode())\n" + body
        modules = sorted({"zlib", *modules})
    source = _FRAME.format(imports=", ".join(modules), body=indent(body, "    "))
    return Escape(name, wall, source)
