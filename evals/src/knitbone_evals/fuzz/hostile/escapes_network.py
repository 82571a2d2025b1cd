"""Escapes through the wall around the network."""

from __future__ import annotations

from .escape_parts import Escape, escape

NETWORK: tuple[Escape, ...] = (
    escape(
        "tcp",
        "network",
        "asyncio contextlib ctypes http.client os socket struct",
        """
        def connected(host, family=socket.AF_INET):
            with socket.socket(family, socket.SOCK_STREAM) as one:
                one.settimeout(0.5)
                return one.connect((host, port)) is None

        def again():
            with socket.socket() as one:
                one.setblocking(False)
                for _ in range(50):
                    if one.connect_ex(("127.0.0.1", port)) in (0, 106):
                        return True
            return False

        def streams():
            async def run():
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                return True

            return asyncio.run(asyncio.wait_for(run(), 0.5))

        def page():
            one = http.client.HTTPConnection("127.0.0.1", port, timeout=0.5)
            with contextlib.closing(one):
                one.request("GET", "/")
                return True

        def native():
            handle = c("socket", 2, 1, 0)
            address = struct.pack("=HHIQ", 2, socket.htons(port), socket.htonl(0x7F000001), 0)
            try:
                return c("connect", handle, address, 16)
            finally:
                os.close(handle)

        def listening(bind):
            with socket.socket() as one:
                if bind:
                    one.bind(("127.0.0.1", 0))
                one.listen()
                return str(one.getsockname())

        route("connect", lambda: connected("127.0.0.1"))
        route("by name", lambda: connected("localhost"))
        route("any", lambda: connected("0.0.0.0"))
        route("mapped", lambda: connected("::ffff:127.0.0.1", socket.AF_INET6))
        route("connect_ex", again)
        route("create", lambda: not socket.create_connection(("127.0.0.1", port), 0.5).close())
        route("asyncio", streams)
        route("http", page)
        route("libc", native)
        route("listen", lambda: listening(True))
        route("listen unbound", lambda: listening(False))
        """,
    ),
    escape(
        "tcp_odd",
        "network",
        "socket",
        """
        # Ways to a TCP connection that are no plain connect() of a TCP socket.
        place = ("127.0.0.1", port)

        def fast_open():
            # No timeout: it would make this one end with "in progress".
            with socket.socket() as one:
                return one.sendto(b"kb-fast-open", 0x20000000, place)

        def later():
            with socket.socket() as one:
                one.settimeout(0.5)
                one.setsockopt(socket.IPPROTO_TCP, 30, 1)
                one.connect(place)
                return one.send(b"kb-later")

        def other(family, protocol):
            with socket.socket(family, socket.SOCK_STREAM, protocol) as one:
                one.settimeout(0.5)
                return one.connect(place) is None

        def message():
            with socket.socket() as one:
                return one.sendmsg([b"kb"], [], 0x20000000, place)

        def serving(protocol):
            with socket.socket(socket.AF_INET, socket.SOCK_STREAM, protocol) as one:
                one.bind(("127.0.0.1", 0))
                one.listen()
                return str(one.getsockname())

        route("fast open", fast_open)
        route("fast open sendmsg", message)
        route("fast open connect", later)
        route("MPTCP", lambda: other(socket.AF_INET, 262))
        route("MPTCP listen", lambda: serving(262))
        route("SMC", lambda: other(43, 0))
        route("SCTP", lambda: other(socket.AF_INET, 132))
        route("SCTP listen", lambda: serving(132))
        """,
    ),
    escape(
        "udp",
        "network",
        "ctypes os socket struct",
        """
        def sent(host, family=socket.AF_INET, protocol=0):
            with socket.socket(family, socket.SOCK_DGRAM, protocol) as one:
                return one.sendto(b"kb-udp", (host, port))

        def connected():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
                one.connect(("127.0.0.1", port))
                return one.send(b"kb-udp")

        def message():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
                return one.sendmsg([b"kb-udp"], [], 0, ("127.0.0.1", port))

        def broadcast():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
                return one.sendto(b"kb-udp", ("127.255.255.255", port))

        def native():
            handle = c("socket", 2, 2, 0)
            address = struct.pack("=HHIQ", 2, socket.htons(port), socket.htonl(0x7F000001), 0)
            return c("sendto", handle, b"kb-udp", 6, 0, address, 16)

        def bound():
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
                one.bind(("127.0.0.1", 0))
                return str(one.getsockname())

        route("sendto", lambda: sent("127.0.0.1"))
        route("mapped", lambda: sent("::ffff:127.0.0.1", socket.AF_INET6))
        route("UDP-Lite", lambda: sent("127.0.0.1", protocol=136))
        route("connect", connected)
        route("sendmsg", message)
        route("broadcast", broadcast)
        route("libc", native)
        route("bind", bound)
        route("name", lambda: len(socket.getaddrinfo("localhost", port)))
        """,
    ),
    escape(
        "unix_sockets",
        "network",
        "array os socket",
        """
        def connected(address, kind=socket.SOCK_STREAM):
            with socket.socket(socket.AF_UNIX, kind) as one:
                one.settimeout(0.5)
                return one.connect(address) is None

        def passed():
            with socket.socket(socket.AF_UNIX) as one, open(outside, "rb") as file:
                one.settimeout(0.5)
                one.connect(outside + ".sock")
                rights = array.array("i", [file.fileno()])
                return one.sendmsg([b"kb"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])

        def from_folder():
            os.chdir(os.path.dirname(outside))
            return connected(os.path.basename(outside) + ".sock")

        def datagram(address):
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one:
                return one.sendto(b"kb-unix", address)

        abstract = f"\\0kb-{mark:08x}"
        route("path", lambda: connected(outside + ".sock"))
        route("relative path", from_folder)
        route("proc root", lambda: connected(f"/proc/self/root{outside}.sock"))
        route("datagram", lambda: datagram(outside + ".dgram"))
        route("abstract", lambda: connected(abstract))
        route("abstract datagram", lambda: datagram(abstract + "d"))
        route("descriptor passed", passed)
        """,
    ),
    escape(
        "odd_families",
        "network",
        "socket",
        """
        # Made and closed at once, nothing is sent, except one question to the kernel for routes.
        def made(family, kind, protocol=0):
            with socket.socket(family, kind, protocol):
                return True

        def routes():
            with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as one:
                one.settimeout(0.5)
                one.sendto(bytes.fromhex("11000000120001030100000000000000") + b"\\0", (0, 0))
                return len(one.recv(65536))

        stream, datagram, raw, packets = 1, 2, 3, 5
        route("netlink links", routes)
        for number in (4, 6, 9, 12, 15, 16):
            route(f"netlink {number}", lambda number=number: made(16, raw, number))
        route("raw ICMP", lambda: made(2, raw, 1))
        route("raw any", lambda: made(2, raw, 255))
        route("ping", lambda: made(2, datagram, 1))
        route("packet", lambda: made(17, raw, 0x0300))
        route("packet datagram", lambda: made(17, datagram, 0x0300))
        route("vsock", lambda: made(40, stream))
        route("alg", lambda: made(38, packets))
        route("bluetooth", lambda: made(31, raw, 1))
        route("can", lambda: made(29, raw, 1))
        route("tipc", lambda: made(30, packets))
        route("rds", lambda: made(21, packets))
        route("xdp", lambda: made(44, raw))
        route("key", lambda: made(15, raw, 2))
        route("pppox", lambda: made(24, stream))
        route("dccp", lambda: made(2, 6, 33))
        """,
    ),
    escape(
        "programs_network",
        "network",
        "subprocess sys",
        """
        def run(*words):
            done = subprocess.run(words, capture_output=True, timeout=1.5)
            return done.returncode == 0

        url = f"http://127.0.0.1:{port}/kb"
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 1)"
        route("bash tcp", lambda: run("bash", "-c", f": > /dev/tcp/127.0.0.1/{port}"))
        route("bash udp", lambda: run("bash", "-c", f"echo kb > /dev/udp/127.0.0.1/{port}"))
        route("curl", lambda: run("curl", "-sm", "1", url))
        route("wget", lambda: run("wget", "-qt", "1", "-T", "1", "-O", "-", url))
        route("python", lambda: run(sys.executable, "-I", "-c", code))
        route("nc", lambda: run("nc", "-z", "-w", "1", "127.0.0.1", str(port)))
        """,
    ),
    escape(
        "known_sockets",
        "network",
        "glob os socket",
        """
        # Connected and closed again: not a byte is sent.
        user = f"/run/user/{os.getuid()}"
        paths = ["/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock"]
        paths += [user + "/bus", user + "/docker.sock", user + "/podman/podman.sock"]
        paths += ["/run/dbus/system_bus_socket", "/run/systemd/private", "/run/systemd/notify"]
        paths += ["/run/systemd/journal/stdout", "/dev/log", "/run/nscd/socket"]
        for pattern in ("/tmp/.X11-unix/*", "/tmp/ssh-*/agent.*", "/run/screen/*/*",
                        "/tmp/tmux-*/*", user + "/gnupg/S.gpg-agent*", user + "/wayland-*",
                        user + "/keyring/*", "/tmp/.ICE-unix/*", "/tmp/vscode-*.sock"):
            paths += glob.glob(pattern)[:5]
        for name, value in os.environ.items():
            if name in ("SSH_AUTH_SOCK", "DOCKER_HOST", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY"):
                route(f"variable {name}", lambda: True)
                if "/" in value:
                    paths.append("/" + value.split("/", 1)[1].split(",")[0].lstrip("/"))

        def connected(path):
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                with socket.socket(socket.AF_UNIX, kind) as one:
                    one.settimeout(0.3)
                    code = one.connect_ex(path)
                    if code != 91:
                        break
            if code:
                raise OSError(code, os.strerror(code))
            return True

        for path in paths:
            route(path, lambda path=path: connected(path))
        for number in range(3):
            route(f"X{number}", lambda n=number: connected(f"\\0/tmp/.X11-unix/X{n}"))
        """,
    ),
)
