"""Escapes through the wall around files."""

from __future__ import annotations

from .escape_parts import Escape, escape

FILES: tuple[Escape, ...] = (
    escape(
        "write_python",
        "files",
        "io os pathlib shutil tempfile",
        """
        folder, name = os.path.split(outside)

        def append(path, opener=None):
            with open(path, "a", opener=opener) as file:
                return file.write("kb\\n")

        def temporary():
            with tempfile.NamedTemporaryFile(dir=folder, prefix=name + "."):
                return True

        def below(flags):
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                return os.write(os.open(name, flags, dir_fd=handle), b"kb")
            finally:
                os.close(handle)

        inner = pathlib.Path("kb.txt")
        inner.write_text("kb")
        adding = os.O_WRONLY | os.O_APPEND
        route("open a", lambda: append(outside))
        route("opener", lambda: append(outside, lambda path, flags: os.open(path, flags)))
        route("relative", lambda: append(os.path.relpath(outside)))
        route("bytes", lambda: append(os.fsencode(outside)))
        route("proc root", lambda: append("/proc/self/root" + outside))
        route("dots", lambda: append(folder + "/./../" + os.path.basename(folder) + "//" + name))
        route("os.open", lambda: os.write(os.open(outside, adding), b"kb"))
        route("dir_fd", lambda: below(adding))
        route("FileIO", lambda: io.FileIO(outside, "r+").write(b"kb"))
        route("new file", lambda: os.write(os.open(outside + ".n", os.O_CREAT | adding), b"k"))
        route("temporary", temporary)
        route("copy", lambda: bool(shutil.copyfile("kb.txt", outside + ".copy")))
        route("copy2", lambda: bool(shutil.copy2("kb.txt", outside)))
        route("truncate", lambda: os.truncate(outside, 3) is None)
        route("read-only O_TRUNC", lambda: os.open(outside, os.O_RDONLY | os.O_TRUNC) > 0)
        route("pathlib", lambda: pathlib.Path(outside).write_text("kb"))
        """,
    ),
    escape(
        "write_native",
        "files",
        "importlib os",
        """
        def module(name):
            return importlib.import_module(name)

        def sqlite(path):
            with module("sqlite3").connect(path) as base:
                base.execute("create table if not exists kb (a)")
            return os.path.exists(path)

        def vacuum():
            base = module("sqlite3").connect(":memory:")
            base.execute("create table kb (a)")
            base.execute(f"vacuum into '{outside}.vacuum'")
            return True

        def attach():
            base = module("sqlite3").connect(":memory:")
            base.execute(f"attach '{outside}.attached' as b")
            base.execute("create table b.kb (a)")
            return True

        def keylog():
            ssl = module("ssl")
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).keylog_filename = outside + ".keys"
            return os.path.exists(outside + ".keys")

        def history():
            module("readline").write_history_file(outside + ".history")
            return True

        def spawn():
            opening = (os.POSIX_SPAWN_OPEN, 1, outside, os.O_WRONLY | os.O_APPEND, 0o600)
            pid = os.posix_spawn("/bin/echo", ["echo", "kb"], {}, file_actions=[opening])
            return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0

        def dbm(kind):
            module("dbm." + kind).open(outside + "." + kind, "c").close()
            return True

        route("sqlite", lambda: sqlite(outside + ".db"))
        route("sqlite uri", lambda: sqlite(os.path.relpath(outside) + ".db2"))
        route("sqlite vacuum", vacuum)
        route("sqlite attach", attach)
        route("ssl key log", keylog)
        route("readline", history)
        route("posix_spawn open", spawn)
        route("gdbm", lambda: dbm("gnu"))
        route("ndbm", lambda: dbm("ndbm"))
        """,
    ),
    escape(
        "names_python",
        "files",
        "os pathlib shutil socket stat",
        """
        def away_and_back(away):
            os.rename(outside, away)
            os.rename(away, outside)
            return True

        def bind():
            with socket.socket(socket.AF_UNIX) as one:
                one.bind(outside + ".bound")
            return True

        pathlib.Path("kb.txt").write_text("kb")
        route("mkdir", lambda: os.mkdir(outside + ".m") is None)
        route("makedirs", lambda: os.makedirs(outside + ".m2/a/b") is None)
        route("mkfifo", lambda: os.mkfifo(outside + ".fifo") is None)
        route("mknod", lambda: os.mknod(outside + ".node", stat.S_IFREG | 0o600) is None)
        route("symlink", lambda: os.symlink("x", outside + ".link") is None)
        route("link", lambda: os.link(outside, outside + ".hard") is None)
        route("bind", bind)
        route("rename", lambda: away_and_back(outside + ".moved"))
        route("rename in", lambda: away_and_back("kb-stolen"))
        route("rename out", lambda: os.replace("kb.txt", outside + ".in") is None)
        route("unlink", lambda: os.unlink(outside + ".a") is None)
        route("pathlib unlink", lambda: pathlib.Path(outside + ".b").unlink() is None)
        route("rmtree", lambda: shutil.rmtree(outside + ".d") is None)
        route("remove", lambda: os.remove(outside) is None)
        """,
    ),
    escape(
        "names_libc",
        "files",
        "ctypes os platform",
        """
        path, here = outside.encode(), -100
        column = {"x86_64": 0, "aarch64": 1}.get(platform.machine(), 0)
        numbers = {
            "openat": (257, 56), "openat2": (437, 437), "unlinkat": (263, 35),
            "mkdirat": (258, 34), "mknodat": (259, 33), "renameat2": (316, 276),
            "truncate": (76, 45), "symlinkat": (266, 36), "linkat": (265, 37),
            "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
        }

        def system(name, *arguments):
            return c("syscall", numbers[name][column], *arguments)

        def by_handle():
            handle = ctypes.create_string_buffer((128).to_bytes(4, "little"), 144)
            mount = ctypes.c_int()
            system("name_to_handle_at", here, path, handle, ctypes.byref(mount), 0)
            root = os.open("/", os.O_RDONLY)
            return system("open_by_handle_at", root, handle, os.O_WRONLY | os.O_APPEND)

        def exchange():
            with open("kb.txt", "w") as file:
                file.write("kb")
            system("renameat2", here, b"kb.txt", here, path, 2)
            return system("renameat2", here, b"kb.txt", here, path, 2)

        how = (os.O_WRONLY | os.O_APPEND).to_bytes(8, "little") + bytes(16)
        route("open", lambda: c("open", path, os.O_WRONLY | os.O_APPEND))
        route("creat", lambda: c("creat", path + b".creat", 0o600))
        route("mkdir", lambda: c("mkdir", path + b".lm", 0o700))
        route("mknod", lambda: c("mknod", path + b".lf", 0o010600, 0))
        route("symlink", lambda: c("symlink", b"x", path + b".ls"))
        route("link", lambda: c("link", path, path + b".lh"))
        route("openat", lambda: system("openat", here, path, os.O_RDWR, 0))
        route("openat2", lambda: system("openat2", here, path, how, len(how)))
        route("by handle", by_handle)
        route("mkdirat", lambda: system("mkdirat", here, path + b".sm", 0o700))
        route("mknodat", lambda: system("mknodat", here, path + b".sf", 0o010600, 0))
        route("symlinkat", lambda: system("symlinkat", b"x", here, path + b".ss"))
        route("linkat", lambda: system("linkat", here, path, here, path + b".sh", 0))
        route("exchange", exchange)
        route("truncate", lambda: c("truncate", path, 3))
        route("raw truncate", lambda: system("truncate", path, 2))
        route("rename", lambda: c("rename", path + b".a", path + b".la"))
        route("unlinkat", lambda: system("unlinkat", here, path + b".b", 0))
        route("unlink", lambda: c("unlink", path))
        """,
    ),
    escape(
        "links",
        "files",
        "os threading time",
        """
        folder, name = os.path.split(outside)

        def through(target, path, *more):
            os.symlink(target, path)
            handle = os.open(os.path.join(path, *more), os.O_WRONLY | os.O_APPEND)
            return os.write(handle, b"kb")

        def hard():
            os.link(outside, "kb-hard")
            return os.write(os.open("kb-hard", os.O_WRONLY | os.O_APPEND), b"kb")

        def race():
            # The name points here when it is checked, and outside when it is opened.
            os.symlink(outside, "kb-out")
            with open("kb-in", "w"):
                pass
            os.symlink("kb-in", "kb-race")
            stop = threading.Event()

            def swap():
                while not stop.is_set():
                    for target in (outside, "kb-in"):
                        os.symlink(target, "kb-next")
                        os.replace("kb-next", "kb-race")

            thread = threading.Thread(target=swap, daemon=True)
            thread.start()
            real, end, wins = os.path.realpath(outside), time.monotonic() + 0.7, 0
            while time.monotonic() < end:
                try:
                    handle = os.open("kb-race", os.O_WRONLY | os.O_APPEND)
                except OSError:
                    continue
                wins += os.readlink(f"/proc/self/fd/{handle}") == real
                os.close(handle)
            stop.set()
            thread.join()
            return wins

        route("symlink", lambda: through(outside, "kb-1"))
        route("symlink folder", lambda: through(folder, "kb-2", name))
        route("symlink root", lambda: through("/", "kb-3", outside.lstrip("/")))
        up = ["../" * 40 + outside[1:]]
        route("proc cwd", lambda: through("/proc/self/cwd/..", "kb-4", *up))
        route("chain", lambda: through("kb-1", "kb-5"))
        route("hard link", hard)
        route("race", race)
        """,
    ),
    escape(
        "descriptors",
        "files",
        "ctypes fcntl mmap os socket stat",
        """
        folder = os.path.dirname(outside)
        adding = os.O_WRONLY | os.O_APPEND
        # Looked at before this attempt opens any: what the process was born with.
        inherited = [int(n) for n in os.listdir("/proc/self/fd")]

        def again(flags, place):
            handle = os.open(outside, flags)
            try:
                return os.write(os.open(f"{place}/{handle}", adding), b"kb")
            finally:
                os.close(handle)

        def mapped():
            handle = os.open(outside, os.O_RDONLY)
            with mmap.mmap(handle, 4, mmap.MAP_SHARED, mmap.PROT_WRITE) as view:
                view[:2] = b"kb"
            return True

        def protected():
            libc.mmap.restype = ctypes.c_void_p
            handle = os.open(outside, os.O_RDONLY)
            place = libc.mmap(None, ctypes.c_size_t(4096), 1, 1, handle, ctypes.c_long(0))
            return c("mprotect", place, 4096, 3)

        def unnamed():
            handle = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600)
            name = f"/proc/self/fd/{handle}".encode()
            return c("linkat", -100, name, -100, outside.encode() + b".tmpfile", 0x400)

        def is_ours(path):
            return path.startswith(os.path.dirname(os.getcwd()) + "/")

        def inspect(handle):
            # Nothing is written to what was inherited, except where it leads to `outside`.
            kind, path = os.fstat(handle).st_mode, os.readlink(f"/proc/self/fd/{handle}")
            flags = fcntl.fcntl(handle, fcntl.F_GETFL)
            if stat.S_ISDIR(kind):
                up = "../" * 40 + outside.lstrip("/")
                return os.write(os.open(up, adding, dir_fd=handle), b"kb")
            if stat.S_ISREG(kind) and flags & os.O_ACCMODE and "deleted" not in path:
                return path.startswith("/") and not is_ours(path) and path
            if stat.S_ISSOCK(kind):
                with socket.socket(fileno=os.dup(handle)) as one:
                    internet = one.family in (socket.AF_INET, socket.AF_INET6)
                    return internet and str(one.getsockname())
            return False

        route("/proc/self/fd", lambda: again(os.O_RDONLY, "/proc/self/fd"))
        route("/dev/fd", lambda: again(os.O_RDONLY, "/dev/fd"))
        route("O_PATH", lambda: again(os.O_PATH, "/proc/self/fd"))
        route("thread-self", lambda: again(os.O_RDONLY, "/proc/thread-self/fd"))
        route("mmap", mapped)
        route("mprotect", protected)
        route("O_TMPFILE", unnamed)
        for handle in inherited:
            route(f"fd {handle}", lambda handle=handle: inspect(handle))
        """,
    ),
    escape(
        "start_files",
        "files",
        "os pwd",
        """
        # What a later login, shell or clock would run. Opened and closed again, never written:
        # opening is what has to fail. Folders: a file without a name, gone on closing.
        home = pwd.getpwuid(os.getuid()).pw_dir
        files = [".bashrc", ".profile", ".zshrc", ".bash_aliases", ".gitconfig", ".netrc"]
        files += [".ssh/authorized_keys", ".ssh/config", ".vimrc", ".python_history"]
        folders = ["", ".ssh", ".config", ".config/autostart", ".config/systemd/user", ".local/bin"]
        folders += [".local/lib", ".cache", ".docker", ".gnupg", ".config/git", ".ipython"]
        system = ["/etc/cron.d", "/var/spool/cron", "/var/spool/cron/crontabs", "/tmp", "/var/tmp"]
        system += ["/var/spool/cron/atjobs", "/etc/profile.d", "/usr/local/bin", "/run"]
        system += ["/run/lock", "/var/lock", "/etc/systemd/system", f"/run/user/{os.getuid()}"]

        def opened(path, flags):
            os.close(os.open(path, flags, 0o600))
            return True

        adding = os.O_WRONLY | os.O_APPEND
        for path in [outside] + [os.path.join(home, name) for name in files]:
            if os.path.exists(path):
                route(path, lambda path=path: opened(path, adding))
        for path in [os.path.join(home, name) for name in folders] + system:
            if os.path.isdir(path):
                route(path, lambda path=path: opened(path, os.O_TMPFILE | os.O_WRONLY))
        """,
    ),
    escape(
        "observe",
        "files",
        "ctypes fcntl mmap os subprocess",
        """
        # Reading, watching and locking what stands in for a private key. Only lengths are told.
        def watched():
            handle = c("inotify_init1", os.O_CLOEXEC)
            return c("inotify_add_watch", handle, outside.encode(), 0x20)

        def locked(kind):
            handle = os.open(outside, os.O_RDONLY)
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
            return True

        def leased():
            fcntl.fcntl(os.open(outside, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)
            return True

        def mapped():
            with mmap.mmap(os.open(outside, os.O_RDONLY), 0, access=mmap.ACCESS_READ) as view:
                return len(view)

        def sent():
            into = os.open("kb-copy", os.O_RDWR | os.O_CREAT)
            return os.sendfile(into, os.open(outside, os.O_RDONLY), 0, 64)

        def program():
            done = subprocess.run(["cat", outside], capture_output=True, timeout=2)
            return len(done.stdout)

        route("open", lambda: len(open(outside, "rb").read()))
        route("proc root", lambda: len(open("/proc/self/root" + outside, "rb").read()))
        route("libc", lambda: c("open", outside.encode(), os.O_RDONLY))
        route("mmap", mapped)
        route("sendfile", sent)
        route("program", program)
        route("list", lambda: len(os.listdir(os.path.dirname(outside))))
        route("inotify", watched)
        route("lock", lambda: locked(fcntl.LOCK_EX))
        route("lease", leased)
        """,
    ),
)
