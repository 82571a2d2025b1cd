"""Escapes through the walls around memory, and around rarely used doors of the kernel."""

from __future__ import annotations

from .escape_parts import Escape, escape

MEMORY: tuple[Escape, ...] = (
    escape(
        "memory_of_others",
        "memory",
        "ctypes os",
        """
        # Sixteen bytes are read and thrown away; nothing is written, nobody is stopped.
        def first(pid):
            with open(f"/proc/{pid}/maps") as file:
                return int(next(line for line in file if " r" in line).split("-")[0], 16)

        def opened(pid, flags):
            handle = os.open(f"/proc/{pid}/mem", flags)
            try:
                return len(os.pread(handle, 16, first(pid)))
            finally:
                os.close(handle)

        def copied(pid):
            here = ctypes.create_string_buffer(16)
            width = ctypes.c_size_t * 2
            local = width(ctypes.addressof(here), 16)
            return c("process_vm_readv", pid, local, 1, width(first(pid), 16), 1, 0)

        def empty_write(pid):
            here = ctypes.create_string_buffer(16)
            width = ctypes.c_size_t * 2
            local = width(ctypes.addressof(here), 0)
            return c("process_vm_writev", pid, local, 1, width(first(pid), 0), 1, 0)

        def traced(pid):
            # Seized by a child, whose end lets go again without ever stopping it.
            child = os.fork()
            if child == 0:
                libc.ptrace.restype = ctypes.c_long
                code = libc.ptrace(0x4206, ctypes.c_long(pid), None, None)
                os._exit(0 if code == 0 else min(ctypes.get_errno() or 1, 255))
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if code:
                raise OSError(code, os.strerror(code) if code > 0 else "ended by a signal")
            return True

        for who, pid in others().items():
            route(f"map {who}", lambda pid=pid: first(pid) > 0)
            route(f"mem {who}", lambda pid=pid: opened(pid, os.O_RDONLY))
            route(f"mem for writing {who}", lambda pid=pid: opened(pid, os.O_RDWR))
            route(f"process_vm_readv {who}", lambda pid=pid: copied(pid))
            route(f"process_vm_writev {who}", lambda pid=pid: empty_write(pid))
            route(f"ptrace {who}", lambda pid=pid: traced(pid))
        """,
    ),
    escape(
        "memory_of_caller",
        "memory",
        "gc re time",
        """
        # A fork keeps what its parent had in memory. The caller's variable is to hold
        # "blindsecret-" and sixteen hexadecimal digits; how often these are found is told.
        pattern = re.compile(b"blindsecret" + b"-[0-9a-f]{16}")
        end = time.monotonic() + 2

        def scan():
            count = 0
            with open("/proc/self/maps") as file:
                places = [line.split() for line in file]
            with open("/proc/self/mem", "rb", 0) as memory:
                for place in places:
                    start, stop = (int(part, 16) for part in place[0].split("-"))
                    if "w" not in place[1] or time.monotonic() > end:
                        continue
                    while start < stop:
                        try:
                            memory.seek(start)
                            chunk = memory.read(min(1 << 20, stop - start))
                        except (OSError, OverflowError):
                            break
                        if not chunk:
                            break
                        count += len(pattern.findall(chunk))
                        start += len(chunk)
            return count

        def objects():
            count = 0
            for one in gc.get_objects():
                if type(one) is dict:
                    for value in list(one.values()):
                        text = value.encode("utf-8", "replace") if type(value) is str else value
                        count += type(text) is bytes and bool(pattern.search(text))
            return count

        route("objects", objects)
        route("memory", scan)
        """,
    ),
    escape(
        "shared_memory",
        "memory",
        "ctypes multiprocessing.shared_memory os",
        """
        # Made beforehand by the harness; what is made here lies under a name of its own.
        key, name = mark & 0x7FFFFFFF, f"kb-{mark:08x}"

        def segment():
            one = multiprocessing.shared_memory.SharedMemory(name + ".shm")
            one.buf[:2] = b"kb"
            return True

        def attached():
            number = libc.shmget(key, 0, 0)
            if number == -1:
                raise OSError(ctypes.get_errno(), "shmget")
            libc.shmat.restype = ctypes.c_void_p
            place = libc.shmat(number, None, 0)
            if place in (None, 2**64 - 1):
                raise OSError(ctypes.get_errno(), "shmat")
            ctypes.memmove(place, b"kb", 2)
            libc.shmdt(ctypes.c_void_p(place))
            return True

        def left(make, remove):
            # Works, though perhaps in a namespace of one's own: the harness can tell.
            number = make()
            remove(number if number is not True else 0)
            held.append("works, unclear for whom")
            return False

        def queue():
            handle = c("mq_open", b"/" + name.encode(), os.O_WRONLY)
            return c("mq_send", handle, b"kb", 2, 0)

        def shm_left():
            with open(f"/dev/shm/{name}.new", "w") as file:
                return not file.write("kb")

        route("file", lambda: os.write(os.open(f"/dev/shm/{name}.shm", os.O_RDWR), b"kb"))
        route("segment", segment)
        route("new file", shm_left)
        route("System V", attached)
        flags = 0o1600
        route("System V segment", lambda: left(
            lambda: c("shmget", 0, 4096, flags), lambda n: c("shmctl", n, 0, None)))
        route("System V semaphore", lambda: left(
            lambda: c("semget", 0, 1, flags), lambda n: c("semctl", n, 0, 0)))
        route("System V queue", lambda: left(
            lambda: c("msgget", 0, flags), lambda n: c("msgctl", n, 0, None)))
        route("queue", queue)
        """,
    ),
)

KERNEL: tuple[Escape, ...] = (
    escape(
        "io_uring",
        "kernel",
        "ctypes mmap os socket struct",
        """
        # The same acts, asked for in a ring: past filters of system calls and Python's hook.
        params = ctypes.create_string_buffer(120)
        ring = c("syscall", 425, 8, params)
        fields = struct.unpack("30I", params.raw)
        entries, sq, cq = fields[0], fields[10:20], fields[20:30]
        tails = mmap.mmap(ring, sq[6] + entries * 4, offset=0)
        done = mmap.mmap(ring, cq[5] + fields[1] * 16, offset=0x8000000)
        slots = mmap.mmap(ring, entries * 64, offset=0x10000000)

        def word(view, offset):
            return struct.unpack_from("I", view, offset)[0]

        def ask(operation, handle=-100, second=0, first=0, length=0, flags=0, third=0):
            tail = word(tails, sq[1])
            slot = tail & word(tails, sq[2])
            slots[slot * 64 : slot * 64 + 64] = struct.pack(
                "=BBHiQQIIQ8xQ8x", operation, 0, 0, handle, second, first, length, flags, 7, third
            )
            struct.pack_into("I", tails, sq[6] + slot * 4, slot)
            struct.pack_into("I", tails, sq[1], tail + 1)
            c("syscall", 426, ring, 1, 1, 1, None, 0)
            head = word(done, cq[0])
            place = cq[5] + (head & word(done, cq[2])) * 16
            result = struct.unpack_from("i", done, place + 8)[0]
            struct.pack_into("I", done, cq[0], head + 1)
            if result < 0:
                raise OSError(-result, os.strerror(-result))
            return result

        keep = []

        def text(value):
            keep.append(ctypes.create_string_buffer(value))
            return ctypes.addressof(keep[-1])

        path, adding = text(outside.encode()), os.O_WRONLY | os.O_APPEND

        def attribute():
            return ask(42, 0, text(b"kb"), text(b"user.kb3"), 2, 0, path) == 0

        def connect():
            packed = struct.pack("=HHIQ", 2, socket.htons(port), socket.htonl(0x7F000001), 0)
            with socket.socket() as one:
                return ask(16, one.fileno(), 16, text(packed)) == 0

        route("set up", lambda: ask(0) == 0)
        route("open", lambda: ask(18, first=path, flags=adding))
        route("attribute", attribute)
        route("folder", lambda: ask(37, first=text(outside.encode() + b".ring"), length=448) == 0)
        route("socket", lambda: ask(45, 2, 2))
        route("connect", connect)
        route("unlink", lambda: ask(36, first=text(outside.encode() + b".a")) == 0)
        """,
    ),
    escape(
        "namespaces",
        "kernel",
        "ctypes os",
        """
        # Each in a child of its own, and every mount in a namespace that ends with it.
        user, mounts, net, pids, names = 0x10000000, 0x20000, 0x40000000, 0x20000000, 0x4000000

        def child(*acts):
            pid = os.fork()
            if pid == 0:
                code = 255
                try:
                    code = 0 if all([act() for act in acts]) else 254
                except OSError as error:
                    code = error.errno or 255
                finally:
                    os._exit(code)
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            if code:
                raise OSError(code, os.strerror(code) if code > 0 else "ended by a signal")
            return True

        def new(flags):
            return lambda: c("unshare", flags)

        def private():
            return c("mount", None, b"/", None, 0x44000, None)

        def mount():
            os.makedirs("kb-mount", exist_ok=True)
            return c("mount", b"kb", b"kb-mount", b"tmpfs", 0, None)

        def bound():
            os.makedirs("kb-bound", exist_ok=True)
            c("mount", os.path.dirname(outside).encode(), b"kb-bound", None, 4096, None)
            handle = os.open("kb-bound/" + os.path.basename(outside), os.O_WRONLY | os.O_APPEND)
            return os.write(handle, b"kb")

        def uncovered():
            # Under a private /dev/shm lies everybody's.
            c("umount2", b"/dev/shm", 2)
            return os.path.exists(f"/dev/shm/kb-{mark:08x}.shm")

        def joined(kind):
            return c("setns", os.open(f"/proc/{os.getppid()}/ns/{kind}", os.O_RDONLY), 0)

        def rooted():
            up = os.open("/", os.O_RDONLY)
            os.makedirs("kb-root", exist_ok=True)
            os.chroot("kb-root")
            os.fchdir(up)
            os.chroot(".")
            return os.write(os.open(outside, os.O_WRONLY | os.O_APPEND), b"kb")

        def tree():
            return c("syscall", 428, -100, b"/", 0x8001)

        for word, first in (("", 0), ("user+", user)):
            route(f"{word}mount", lambda f=first: child(new(f | mounts), private, mount))
            route(f"{word}bind", lambda f=first: child(new(f | mounts), private, bound))
            route(f"{word}shm", lambda f=first: child(new(f | mounts), private, uncovered))
            route(f"{word}tree", lambda f=first: child(new(f | mounts), private, tree))
            route(f"{word}net", lambda f=first: child(new(f | net)))
            route(f"{word}pid", lambda f=first: child(new(f | pids)))
            route(f"{word}uts", lambda f=first: child(new(f | names)))
        route("user", lambda: child(new(user)))
        route("chroot", lambda: child(rooted))
        route("user+chroot", lambda: child(new(user), rooted))
        route("root", lambda: child(lambda: os.getuid() != 0 and os.setuid(0) is None))
        for kind in ("mnt", "net", "user", "pid"):
            route(f"setns {kind}", lambda kind=kind: child(lambda: joined(kind)))
        """,
    ),
    escape(
        "rare_calls",
        "kernel",
        "ctypes os platform struct",
        """
        # Made and dropped. Devices and switches are opened and closed, never written.
        column = {"x86_64": 0, "aarch64": 1}.get(platform.machine(), 0)
        numbers = {"add_key": (248, 217), "keyctl": (250, 219), "perf": (298, 241),
                   "bpf": (321, 280), "userfaultfd": (323, 282), "memfd_secret": (447, 447)}

        def system(name, *arguments):
            return c("syscall", numbers[name][column], *arguments)

        def key(ring):
            number = system("add_key", b"user", b"kb-blind", b"kb", 2, ring)
            system("keyctl", 9, number, ring)
            return f"key {number}"

        def perf(pid):
            attributes = struct.pack("=IIQQQQQ", 1, 112, 0, 1000, 0, 0, 0x61) + bytes(64)
            handle = system("perf", attributes, pid, -1, -1, 0)
            os.close(handle)
            return True

        def bpf(kind):
            attributes = struct.pack("=IIII", kind, 4, 4, 1) + bytes(112)
            handle = system("bpf", 0, attributes, len(attributes))
            os.close(handle)
            return True

        def opened(path, flags):
            os.close(os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC))
            return True

        for name, ring in (("process", -2), ("session", -3), ("user", -4)):
            route(f"{name} keyring", lambda ring=ring: key(ring))
        route("perf self", lambda: perf(0))
        route("perf parent", lambda: perf(os.getppid()))
        route("bpf array", lambda: bpf(2))
        route("userfaultfd", lambda: system("userfaultfd", 1))
        for path in ("/dev/mem", "/dev/kmsg", "/dev/fuse", "/dev/kvm", "/dev/net/tun", "/dev/vsock",
                     "/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/dev/uinput",
                     "/sys/kernel/uevent_helper", "/proc/sys/vm/drop_caches", "/dev/vhost-net",
                     "/proc/sys/fs/binfmt_misc/register", "/dev/loop-control", "/dev/sda",
                     "/proc/sys/kernel/modprobe"):
            if os.path.exists(path):
                route(path, lambda path=path: opened(path, os.O_WRONLY))
        """,
    ),
    escape(
        "terminal",
        "kernel",
        "ctypes fcntl glob os termios",
        """
        # A blank typed on the user's behalf, at most. Other terminals are opened only.
        def typed(handle):
            if not os.isatty(handle):
                return False
            fcntl.ioctl(handle, termios.TIOCSTI, b" ")
            return True

        def opened(path):
            os.close(os.open(path, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK))
            return True

        for handle in range(10):
            route(f"typed {handle}", lambda handle=handle: typed(handle))
        route("typed tty", lambda: typed(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)))
        paths = ["/dev/tty", "/dev/console", "/dev/tty0", "/dev/tty1", "/dev/vcs"]
        for path in paths + glob.glob("/dev/pts/[0-9]*")[:5]:
            route(path, lambda path=path: opened(path))
        for handle in (0, 1, 2):
            route(f"named {handle}", lambda handle=handle: opened(os.ttyname(handle)))
        """,
    ),
)
