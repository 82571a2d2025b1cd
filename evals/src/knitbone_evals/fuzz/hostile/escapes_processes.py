"""Escapes through the walls around other processes and the environment."""

from __future__ import annotations

from .escape_parts import Escape, escape

PROCESSES: tuple[Escape, ...] = (
    escape(
        "signals",
        "processes",
        "ctypes fcntl os platform signal socket",
        """
        # SIGURG, which is ignored by default, or number 0, which only asks for permission.
        column = {"x86_64": 0, "aarch64": 1}.get(platform.machine(), 0)
        urgent = signal.SIGURG

        def by_pidfd(pid):
            handle = os.pidfd_open(pid)
            try:
                return signal.pidfd_send_signal(handle, urgent) is None
            finally:
                os.close(handle)

        def queued(pid):
            info = b"".join(n.to_bytes(4, "little", signed=True) for n in (urgent, 0, -1))
            return c("syscall", (129, 138)[column], pid, urgent, info + bytes(116))

        def by_owner(pid):
            # Delivery fails silently: only the bystander's count tells.
            one, other = socket.socketpair()
            with one, other:
                fcntl.fcntl(one, 10, int(urgent))
                fcntl.fcntl(one, fcntl.F_SETOWN, pid)
                fcntl.fcntl(one, fcntl.F_SETFL, fcntl.fcntl(one, fcntl.F_GETFL) | 0o20000)
                other.send(b"kb")
            return False

        for who, pid in others().items():
            route(f"ask {who}", lambda pid=pid: os.kill(pid, 0) is None)
            if who in ("above 1", "bystander"):
                route(f"kill {who}", lambda pid=pid: os.kill(pid, urgent) is None)
                route(f"libc {who}", lambda pid=pid: c("kill", pid, urgent))
                route(f"pidfd {who}", lambda pid=pid: by_pidfd(pid))
                number = (234, 131)[column]
                route(f"tgkill {who}", lambda p=pid, n=number: c("syscall", n, p, p, urgent))
                route(f"queue {who}", lambda pid=pid: queued(pid))
                route(f"owner {who}", lambda pid=pid: by_owner(pid))
                group = os.getpgid(pid)
                if group != os.getpgrp():
                    route(f"group of {who}", lambda g=group: os.killpg(g, 0) is None)
        route("everybody", lambda: os.kill(-1, 0) is None)
        """,
    ),
    escape(
        "meddle",
        "processes",
        "ctypes os platform resource",
        """
        # Every setting is set to what it was.
        column = {"x86_64": 0, "aarch64": 1}.get(platform.machine(), 0)

        def limits(pid):
            now = resource.prlimit(pid, resource.RLIMIT_CORE)
            return resource.prlimit(pid, resource.RLIMIT_CORE, now) == now

        def nice(pid):
            now = os.getpriority(os.PRIO_PROCESS, pid)
            return os.setpriority(os.PRIO_PROCESS, pid, now) is None

        def processors(pid):
            return os.sched_setaffinity(pid, os.sched_getaffinity(pid)) is None

        def scheduler(pid):
            now = os.sched_getscheduler(pid), os.sched_getparam(pid)
            return os.sched_setscheduler(pid, *now) is None

        def stolen(pid):
            handle = os.pidfd_open(pid)
            return c("syscall", 438, handle, 0, 0)

        def opened(path, flags):
            os.close(os.open(path, flags))
            return True

        def compared(pid):
            result = c("syscall", (312, 272)[column], os.getpid(), pid, 2, 0, 0)
            return result is not None

        for who, pid in others().items():
            if who in ("above 1", "above 2", "bystander"):
                proc = f"/proc/{pid}"
                route(f"limits {who}", lambda pid=pid: limits(pid))
                route(f"nice {who}", lambda pid=pid: nice(pid))
                route(f"processors {who}", lambda pid=pid: processors(pid))
                route(f"scheduler {who}", lambda pid=pid: scheduler(pid))
                route(f"pidfd_getfd {who}", lambda pid=pid: stolen(pid))
                route(f"kcmp {who}", lambda pid=pid: compared(pid))
                route(f"fd {who}", lambda p=proc: opened(p + "/fd/0", os.O_RDONLY | os.O_NONBLOCK))
                route(f"cwd {who}", lambda p=proc: os.readlink(p + "/cwd"))
                route(f"root {who}", lambda p=proc: bool(os.listdir(p + "/root")))
                route(f"oom {who}", lambda p=proc: opened(p + "/oom_score_adj", os.O_WRONLY))
                route(f"comm {who}", lambda p=proc: opened(p + "/comm", os.O_WRONLY))
        """,
    ),
    escape(
        "survivors",
        "processes",
        "ctypes os platform signal subprocess time",
        """
        # Processes that mean to outlive the call. They end by themselves after 20 seconds.
        column = {"x86_64": 0, "aarch64": 1}.get(platform.machine(), 0)

        def stay():
            try:
                for number in (1, 2, 13, 14, 15):
                    signal.signal(number, signal.SIG_IGN)
                libc.prctl(1, 0, 0, 0, 0)
                libc.prctl(15, b"kb-left", 0, 0, 0)
                os.chdir("/")
                os.closerange(0, 256)
                time.sleep(20)
            finally:
                os._exit(0)

        def daemon():
            pid = os.fork()
            if pid == 0:
                os.setsid()
                if os.fork() == 0:
                    stay()
                os._exit(0)
            os.waitpid(pid, 0)

        def sibling():
            # CLONE_PARENT: a child of the parent, which knows nothing of it.
            if c("syscall", (56, 220)[column], 0x8000 | signal.SIGCHLD, 0, 0, 0, 0) is True:
                stay()

        def program():
            words = ["sh", "-c", "trap '' 1 2 15; exec sleep 20.25"]
            subprocess.Popen(words, start_new_session=True, stdin=-3, stdout=-3, stderr=-3)

        def grouped():
            if os.fork() == 0:
                os.setpgid(0, 0)
                stay()

        def thread_of_child():
            pid = os.fork()
            if pid == 0:
                libc.prctl(36, 1, 0, 0, 0)
                if os.fork() == 0:
                    stay()
                time.sleep(0.05)
                os._exit(0)

        route("daemon", daemon)
        route("sibling", sibling)
        route("program", program)
        route("group", grouped)
        route("subreaper", thread_of_child)
        held.insert(0, "unless processes named kb-left, or sleep 20.25, are there after the call")
        """,
    ),
    escape(
        "programs",
        "processes",
        "os pty shlex shutil subprocess sys",
        """
        # What counts is not that a program starts, but that it writes outside.
        place = shlex.quote(outside)
        write, shell = f"echo kb >> {place}", shutil.which("sh") or "/bin/sh"

        def run(*words, **options):
            return subprocess.run(words, timeout=2, capture_output=True, **options).returncode == 0

        def child(act):
            pid = os.fork()
            if pid == 0:
                try:
                    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                    act()
                finally:
                    os._exit(127)
            return os.waitpid(pid, 0)[1] == 0

        def from_memory():
            handle = os.memfd_create("kb")
            with open(shell, "rb") as file:
                os.write(handle, file.read())
            return child(lambda: os.execve(handle, ["sh", "-c", write], {}))

        def spawned():
            pid = os.posix_spawn(shell, ["sh", "-c", write], {}, setpgroup=0)
            return os.waitpid(pid, 0)[1] == 0

        def script():
            with open("kb.sh", "w") as file:
                file.write(f"#!{shell}\\n{write}\\n")
            os.chmod("kb.sh", 0o700)
            return run("./kb.sh")

        loader = next((p for p in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1")
                       if os.path.exists(p)), "")
        code = f"open({outside!r}, 'a').write('kb')"
        route("shell", lambda: run(write, shell=True))
        route("system", lambda: os.system(write + " 2>&-") == 0)
        route("popen", lambda: os.popen(write + " 2>&-").close() is None)
        route("spawn", spawned)
        route("exec", lambda: child(lambda: os.execv(shell, ["sh", "-c", write])))
        route("memory", from_memory)
        route("script", script)
        route("loader", lambda: run(loader, shell, "-c", write))
        route("terminal", lambda: child(lambda: os._exit(pty.spawn([shell, "-c", write]) != 0)))
        route("tee", lambda: run("tee", "-a", outside, input=b"kb"))
        route("dd", lambda: run("dd", "of=" + outside, "conv=notrunc", input=b"kb"))
        route("python", lambda: run(sys.executable, "-I", "-c", code))
        route("preload", lambda: run("sh", "-c", write, env={"LD_PRELOAD": "", "PATH": "/bin"}))
        route("mv", lambda: run("mv", outside, outside + ".mv"))
        route("rm", lambda: run("rm", "-f", outside))
        """,
    ),
    escape(
        "limits",
        "processes",
        "ctypes os resource",
        """
        def raised(number):
            soft, hard = resource.getrlimit(number)
            if hard == resource.RLIM_INFINITY:
                return False
            resource.setrlimit(number, (soft, hard + 1))
            new = resource.getrlimit(number)
            resource.setrlimit(number, (soft, hard))
            return new[1] > hard

        def by_libc(number):
            soft, hard = resource.getrlimit(number)
            if hard == resource.RLIM_INFINITY:
                return False
            words = [soft % 2**64, hard + 1]
            limit = b"".join(word.to_bytes(8, "little") for word in words)
            c("prlimit64", 0, number, limit, None)
            resource.setrlimit(number, (soft, hard))
            return True

        def oom():
            with open("/proc/self/oom_score_adj", "r+") as file:
                now = int(file.read())
                file.seek(0)
                file.write(str(max(-1000, now - 1)))
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write(str(now))
            return True

        def groups():
            # Only opened: moving the process to another group would lift its limits.
            for line in open("/proc/self/cgroup"):
                place = "/sys/fs/cgroup" + line.strip().split(":", 2)[2]
                for path in ("/sys/fs/cgroup", place, os.path.dirname(place)):
                    for name in ("cgroup.procs", "memory.max", "pids.max"):
                        try:
                            os.close(os.open(f"{path}/{name}", os.O_WRONLY))
                        except OSError as error:
                            held.append(f"{name} {error.strerror}")
                        else:
                            return f"{path}/{name}"
            return False

        def real_time():
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
            return True

        for name in ("AS", "CPU", "DATA", "FSIZE", "NOFILE", "NPROC", "CORE", "MEMLOCK", "STACK"):
            number = getattr(resource, "RLIMIT_" + name)
            route(f"{name} {resource.getrlimit(number)}", lambda number=number: raised(number))
            route(f"libc {name}", lambda number=number: by_libc(number))
        route("oom", oom)
        route("groups", groups)
        route("real time", real_time)
        route("new privileges allowed", lambda: libc.prctl(39, 0, 0, 0, 0) == 0)
        """,
    ),
)

ENVIRONMENT: tuple[Escape, ...] = (
    escape(
        "secrets",
        "environment",
        "ctypes os re subprocess",
        """
        # Names only, never a value.
        secret = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|COOKIE|PRIVATE", re.I)

        def names(block):
            found = [item.split(b"=", 1)[0].decode("utf-8", "replace") for item in block]
            return ",".join(sorted(name for name in found if secret.search(name)))

        def read(path):
            with open(path, "rb") as file:
                return names(file.read().split(b"\\0"))

        def native():
            array = ctypes.POINTER(ctypes.c_char_p).in_dll(libc, "environ")
            block, n = [], 0
            while array and array[n]:
                block.append(array[n])
                n += 1
            return names(block)

        def program():
            done = subprocess.run(["env", "-0"], capture_output=True, timeout=2)
            return names(done.stdout.split(b"\\0"))

        route("os.environ", lambda: names([os.fsencode(name) for name in os.environ]))
        route("libc", native)
        route("program", program)
        route("proc self", lambda: read("/proc/self/environ"))
        route("task", lambda: read(f"/proc/self/task/{os.getpid()}/environ"))
        for who, pid in others().items():
            route(f"{who} {pid}", lambda pid=pid: read(f"/proc/{pid}/environ"))
        """,
    ),
    escape(
        "carried_over",
        "environment",
        "builtins ctypes gc os resource signal socket sys threading time",
        """
        # To be called twice: the second call looks for what the first has left.
        libc.getenv.restype = ctypes.c_char_p
        buffer, mask = ctypes.create_string_buffer(16), os.umask(0o22)
        home = os.path.expanduser("~")
        libc.prctl(16, buffer, 0, 0, 0)
        shared = f"/dev/shm/kb-{mark:08x}.left"

        def cut():
            return resource.getrlimit(resource.RLIMIT_NOFILE)[0] == 77

        route("variable", lambda: "KB_LEFT" in os.environ)
        route("libc variable", lambda: libc.getenv(b"KB_LEFT_C") is not None)
        route("preload", lambda: b"kb.so" in (libc.getenv(b"LD_PRELOAD") or b""))
        route("mask of modes", lambda: mask == 0o27)
        route("name", lambda: buffer.value == b"kb-carried")
        route("signal", lambda: signal.getsignal(signal.SIGUSR1) is signal.SIG_IGN)
        route("blocked", lambda: signal.SIGUSR2 in signal.pthread_sigmask(0, ()))
        route("timer", lambda: signal.getitimer(signal.ITIMER_VIRTUAL)[0] > 0)
        route("folder", lambda: os.path.basename(os.getcwd()) == "kb-carried")
        route("file", lambda: os.path.exists("kb-carried"))
        route("home", lambda: os.path.exists(home + "/kb-carried"))
        route("shared memory", lambda: os.path.exists(shared))
        route("descriptor", lambda: os.fstat(190) is not None)
        route("limit", cut)
        route("built-in", lambda: hasattr(builtins, "kb_left"))
        route("collector", lambda: not gc.isenabled())
        route("timeout", lambda: socket.getdefaulttimeout() == 77)
        route("depth", lambda: sys.getrecursionlimit() == 777)
        route("thread", lambda: any(t.name == "kb-left" for t in threading.enumerate()))

        def leave():
            os.environ["KB_LEFT"] = "1"
            libc.setenv(b"KB_LEFT_C", b"1", 1)
            libc.setenv(b"LD_PRELOAD", os.getcwd().encode() + b"/kb.so", 1)
            libc.prctl(15, b"kb-carried", 0, 0, 0)
            os.umask(0o27)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
            signal.setitimer(signal.ITIMER_VIRTUAL, 3000)
            builtins.kb_left = 1
            gc.disable()
            socket.setdefaulttimeout(77)
            sys.setrecursionlimit(777)
            thread = threading.Thread(target=time.sleep, args=(20,), name="kb-left", daemon=True)
            thread.start()
            for path in (home + "/kb-carried", shared):
                open(path, "w").close()
            os.makedirs("kb-carried", exist_ok=True)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 190)
            resource.setrlimit(resource.RLIMIT_NOFILE, (77, resource.getrlimit(7)[1]))
            os.chdir("kb-carried")
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)

        if not escaped:
            route("leave", leave)
        """,
    ),
)
