"""Tools that attack the channel by which the worker answers: descriptors, frames, its end."""

from __future__ import annotations

from .reply_parts import Reply, reply

CHANNEL: tuple[Reply, ...] = (
    reply(
        "forge",
        "forged answers in many formats, into every pipe and socket at hand",
        "lines lengths pickles giant_length half_frame noise streams",
        "json os pickle select stat struct sys",
        """
        def handles():
            for number in sorted(int(name) for name in os.listdir("/proc/self/fd")):
                try:
                    kind = os.fstat(number).st_mode
                except OSError:
                    continue
                if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
                    yield number

        def send(*frames):
            for number in [*handles(), *range(3, 21)]:
                for frame in frames:
                    try:
                        if select.select([], [number], [], 0)[1]:
                            os.write(number, frame[:4096])
                    except (OSError, ValueError):
                        break
            return "forged"

        answers = [{"ok": True, "result": "forged"}, {"status": "ok", "value": "forged"},
                   {"type": "result", "id": 1, "result": "forged", "findings": []},
                   {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}, None, [], "forged"]
        texts = [json.dumps(answer).encode() for answer in answers]

        class Unpickled:
            # Shows as a file "kb-unpickled" in the folder of whoever unpickles it.
            def __reduce__(self):
                return open, ("kb-unpickled", "w")

        def lines():
            header = b"Content-Length: 9\\r\\n\\r\\n{}"
            return send(*(text + b"\\n" for text in texts), b"\\n\\n", header)

        def lengths():
            return send(*(struct.pack(form, len(text)) + text for text in texts
                          for form in (">I", "<I", ">Q", "<Q", ">H")))

        def pickles():
            one = pickle.dumps(Unpickled())
            forms = (">I", "<I", "<Q", ">Q")
            return send(one, *(struct.pack(form, len(one)) + one for form in forms))

        def giant_length():
            header = b"Content-Length: 99999999999\\r\\n\\r\\n"
            return send(b"\\x7f\\xff\\xff\\xff", b"\\xff" * 8, header)

        def half_frame():
            send(b'{"ok": true, "result": "', struct.pack(">I", 100), struct.pack("<I", 100))
            os._exit(0)

        def noise():
            return send(bytes(range(256)) * 16, b"\\xc1" * 100, b"[" * 4096, b"\\x91" * 4096)

        def streams():
            for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
                for text in texts:
                    stream.write(text.decode() + "\\n\\x1b]0;x\\x07\\x1b[2J")
                stream.flush()
            return "written"
        """,
    ),
    reply(
        "close",
        "closes or redirects the descriptors by which it is heard",
        "all_closed above_two streams stdin to_null to_each_other file_objects",
        "gc io os socket sys",
        """
        def all_closed():
            os.closerange(0, 4096)
            return "closed"

        def above_two():
            os.closerange(3, 4096)
            return "closed"

        def streams():
            sys.stdout.close()
            sys.stderr.close()
            sys.stdin = sys.stdout = sys.stderr = None
            return "closed"

        def stdin():
            os.close(0)
            if sys.stdin:
                sys.stdin.close()
            return "closed"

        def to_null():
            null = os.open(os.devnull, os.O_RDWR)
            for number in range(64):
                os.dup2(null, number)
            return "redirected"

        def to_each_other():
            one, other = os.pipe()
            for number in range(64):
                if number not in (one, other):
                    os.dup2(other if number % 2 else one, number)
            return "redirected"

        def file_objects():
            for one in gc.get_objects():
                if isinstance(one, (socket.socket, io.BufferedWriter, io.BufferedReader)):
                    one.close()
            return "closed"
        """,
    ),
    reply(
        "steal",
        "reads the requests meant for the worker, or changes how its channel behaves",
        "read peeked non_blocking shut_down reader_thread tiny_buffers",
        "fcntl os select socket stat threading",
        """
        def channels():
            for name in os.listdir("/proc/self/fd"):
                try:
                    kind = os.fstat(int(name)).st_mode
                except OSError:
                    continue
                if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
                    yield int(name)

        def read():
            for number in channels():
                try:
                    if select.select([number], [], [], 0.05)[0]:
                        os.read(number, 1 << 16)
                except OSError:
                    continue
            return "stolen"

        def sockets():
            for number in channels():
                try:
                    yield socket.socket(fileno=os.dup(number))
                except OSError:
                    continue

        def peeked():
            for one in sockets():
                try:
                    one.recv(100, socket.MSG_PEEK | socket.MSG_DONTWAIT)
                except OSError:
                    continue
            return "peeked"

        def non_blocking():
            for number in channels():
                fcntl.fcntl(number, fcntl.F_SETFL, os.O_NONBLOCK | os.O_ASYNC)
            return "changed"

        def shut_down():
            for one in sockets():
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue
            return "shut"

        def reader_thread():
            # Stays and takes every other request from now on.
            def take():
                while True:
                    read()

            threading.Thread(target=take, daemon=True).start()
            return "started"

        def tiny_buffers():
            for one in sockets():
                for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                    one.setsockopt(socket.SOL_SOCKET, option, 1)
            for number in channels():
                try:
                    fcntl.fcntl(number, 1031, 4096)
                except OSError:
                    continue
            return "shrunk"
        """,
    ),
    reply(
        "end",
        "ends, stops or replaces its own process",
        "exit_zero exit_odd at_once abort stop kill program segment child_exits forked_twice",
        "ctypes os signal sys",
        """
        def exit_zero():
            sys.exit(0)

        def exit_odd():
            raise SystemExit(type("Code", (), {"__str__": lambda self: 1 / 0})())

        def at_once():
            os._exit(0)

        def abort():
            os.abort()

        def stop():
            os.kill(os.getpid(), signal.SIGSTOP)
            return "continued"

        def kill():
            os.kill(os.getpid(), signal.SIGKILL)

        def program():
            os.execv("/bin/echo", ["echo", '{"ok": true, "result": "forged"}'])

        def segment():
            ctypes.string_at(1)

        def child_exits():
            # The child goes back into the worker's own code and answers, too.
            return f"two of us: {os.fork() == 0}"

        def forked_twice():
            if os.fork():
                os._exit(0)
            return "the child answers, its parent has ended"
        """,
    ),
    reply(
        "callers",
        "changes the functions and variables of the code that called it",
        "locals_ globals_ functions traced audit_flood",
        "ctypes sys types",
        """
        def frames():
            frame = sys._getframe(2)
            while frame is not None:
                yield frame
                frame = frame.f_back

        def locals_():
            for frame in frames():
                for name, value in list(frame.f_locals.items()):
                    if isinstance(value, (str, int, float, bool)):
                        frame.f_locals[name] = "forged"
                if sys.version_info < (3, 13):
                    update = ctypes.pythonapi.PyFrame_LocalsToFast
                    update(ctypes.py_object(frame), ctypes.c_int(0))
            return "forged"

        def globals_():
            for frame in list(frames()):
                for name, value in list(frame.f_globals.items()):
                    if isinstance(value, (int, float, str)) and not name.startswith("__"):
                        frame.f_globals[name] = type(value)()
            return "forged"

        def functions():
            for frame in list(frames()):
                for name, value in list(frame.f_globals.items()):
                    if isinstance(value, types.FunctionType):
                        frame.f_globals[name] = lambda *a, **k: "forged"
            return "forged"

        def traced():
            def local(frame, event, argument):
                if event == "return":
                    raise MemoryError("from a trace")
                return local

            for frame in frames():
                frame.f_trace = local
            sys.settrace(lambda *a: local)
            return "traced"

        def audit_flood():
            def hook(event, arguments):
                raise RuntimeError("refused by the tool itself: " + event)

            sys.addaudithook(hook)
            return "hooked"
        """,
    ),
)
