"""Run by path as a program of its own: confine this process, then become a shell.

``python -I -S confined_shell.py LANDLOCK_FILE FOLDER... -- COMMAND``: the command may write below
the folders only, and has no TCP. Exits with ``NOT_CONFINED`` where the kernel cannot do that. It is
a program, and no function that runs between fork and exec, since threads may run beside it.
"""

import os
import resource
import runpy
import sys

NOT_CONFINED = 97
CPU_S, FILE_BYTES = 10, 16 * 1024 * 1024


def main() -> None:
    """Confine, then become bash."""
    border = sys.argv.index("--")
    landlock, folders, command = sys.argv[1], sys.argv[2:border], sys.argv[border + 1]
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    if landlock and runpy.run_path(landlock)["restrict"](folders, network=False) is None:
        sys.exit(NOT_CONFINED)
    os.execv("/bin/bash", ["bash", "-c", command])


if __name__ == "__main__":
    main()
