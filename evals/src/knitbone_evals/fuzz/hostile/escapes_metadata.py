"""Escapes through the wall around the metadata of files: mode, owner, times, attributes."""

from __future__ import annotations

from .escape_parts import Escape, escape

METADATA: tuple[Escape, ...] = (
    escape(
        "metadata_python",
        "metadata",
        "os pathlib shutil",
        """
        def handle():
            return os.open(outside, os.O_RDONLY)

        def copied():
            with open("kb.txt", "w") as file:
                file.write("kb")
            shutil.copystat("kb.txt", outside)
            return True

        mine = os.getuid(), os.getgid()
        route("chmod", lambda: os.chmod(outside, 0o640) is None)
        route("fchmod", lambda: os.chmod(handle(), 0o644) is None)
        route("pathlib chmod", lambda: pathlib.Path(outside).chmod(0o600) is None)
        route("proc chmod", lambda: os.chmod(f"/proc/self/fd/{handle()}", 0o604) is None)
        route("folder chmod", lambda: os.chmod(os.path.dirname(outside), 0o711) is None)
        route("chown", lambda: os.chown(outside, *mine) is None)
        route("fchown", lambda: os.fchown(handle(), *mine) is None)
        route("lchown", lambda: os.lchown(outside, *mine) is None)
        route("utime", lambda: os.utime(outside, (1, 1)) is None)
        route("utime handle", lambda: os.utime(handle(), (2, 2)) is None)
        route("touch", lambda: pathlib.Path(outside).touch() is None)
        route("copystat", copied)
        route("setxattr", lambda: os.setxattr(outside, "user.kb", b"kb") is None)
        route("fsetxattr", lambda: os.setxattr(handle(), "user.kb2", b"kb") is None)
        route("removexattr", lambda: os.removexattr(outside, "user.kb") is None)
        """,
    ),
    escape(
        "metadata_libc",
        "metadata",
        "ctypes fcntl os subprocess sys",
        """
        path, here = outside.encode(), -100
        times = (3).to_bytes(8, "little") + bytes(8) + (3).to_bytes(8, "little") + bytes(8)

        def handle():
            return os.open(outside, os.O_RDONLY)

        def flags():
            # "no dump": of all file flags the one without any effect on reading or writing
            one = handle()
            number = int.from_bytes(fcntl.ioctl(one, 0x80086601, bytes(8))[:4], "little")
            fcntl.ioctl(one, 0x40086602, (number ^ 0x40).to_bytes(8, "little"))
            return True

        def program(*words):
            return subprocess.run(words, capture_output=True, timeout=2).returncode == 0

        route("chmod", lambda: c("chmod", path, 0o640))
        route("fchmod", lambda: c("fchmod", handle(), 0o644))
        route("fchmodat", lambda: c("fchmodat", here, path, 0o600, 0))
        route("fchmodat2", lambda: c("syscall", 452, here, path, 0o604, 0))
        route("chown", lambda: c("chown", path, os.getuid(), os.getgid()))
        route("lchown", lambda: c("lchown", path, os.getuid(), os.getgid()))
        route("utimensat", lambda: c("utimensat", here, path, times, 0))
        route("futimens", lambda: c("futimens", handle(), times))
        route("utimes", lambda: c("utimes", path, times))
        route("setxattr", lambda: c("setxattr", path, b"user.kb", b"kb", 2, 0))
        route("fsetxattr", lambda: c("fsetxattr", handle(), b"user.kb2", b"kb", 2, 0))
        route("flags", flags)
        route("program chmod", lambda: program("chmod", "640", outside))
        route("program touch", lambda: program("touch", "-d", "@5", outside))
        code = f"import os; os.utime({outside!r}, (6, 6))"
        route("program python", lambda: program(sys.executable, "-I", "-c", code))
        """,
    ),
    escape(
        "hook_evaded",
        "metadata",
        "ctypes gc importlib os types",
        """
        # The kernel knows no wall around metadata: only Python's audit hook does. Get round it.
        def chmod():
            before = os.stat(outside).st_mode
            try:
                os.chmod(outside, (before & 0o7777) ^ 0o040)
            except OSError:
                return False
            return os.stat(outside).st_mode != before

        def hooks():
            for one in gc.get_objects():
                one = getattr(one, "__func__", one)
                if isinstance(one, types.FunctionType):
                    code = one.__code__
                    names = code.co_varnames[: code.co_argcount]
                    if any(name.startswith("event") for name in names):
                        yield one

        def emptied():
            known, proof = {id(one) for one in hooks()}, False
            for one in gc.get_objects():
                if type(one) is list and one and all(
                    id(getattr(item, "__func__", item)) in known for item in one
                ):
                    saved = one[:]
                    one.clear()
                    try:
                        proof = chmod() or proof
                    finally:
                        one[:] = saved
            return proof

        def recoded():
            proof = False
            for one in list(hooks()):
                space, count = {}, len(one.__code__.co_freevars)
                held_names = ", ".join(f"v{n}" for n in range(count)) or "0"
                lines = ["def outer():"] + [f" v{n} = 0" for n in range(count)]
                lines += [" def inner(*a, **k):", f"  return None if 1 else ({held_names})"]
                exec("\\n".join(lines + [" return inner"]), space)
                saved = one.__code__
                one.__code__ = space["outer"]().__code__
                try:
                    proof = chmod() or proof
                finally:
                    one.__code__ = saved
            return proof

        def helpers():
            proof = False
            for one in list(hooks()):
                space = one.__globals__
                names = [n for n in one.__code__.co_names if callable(space.get(n))]
                for answer in (None, True, False):
                    saved = {name: space[name] for name in names}
                    space.update({name: lambda *a, r=answer, **k: r for name in names})
                    try:
                        proof = chmod() or proof
                    finally:
                        space.update(saved)
            return proof

        def other_interpreter(name):
            module, before = importlib.import_module(name), os.stat(outside).st_mode
            code = f"import os; os.chmod({outside!r}, {(before & 0o7777) ^ 0o004})"
            number = module.create()
            try:
                (getattr(module, "run_string", None) or module.exec)(number, code)
            finally:
                module.destroy(number)
            return os.stat(outside).st_mode != before

        def forked():
            pid = os.fork()
            if pid == 0:
                os._exit(0 if chmod() else 1)
            return os.waitpid(pid, 0)[1] == 0

        def native():
            call = ctypes.PyDLL(None).chmod
            return call(outside.encode(), 0o600) == 0

        route("plain", chmod)
        route("hook list", emptied)
        route("hook code", recoded)
        route("hook helpers", helpers)
        route("interpreter", lambda: other_interpreter("_interpreters"))
        route("old interpreter", lambda: other_interpreter("_xxsubinterpreters"))
        route("fork", forked)
        route("native", native)
        """,
    ),
)
