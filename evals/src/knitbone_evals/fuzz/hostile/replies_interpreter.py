"""Tools that change the interpreter in which the worker goes on: modules, built-ins, clocks."""

from __future__ import annotations

from .reply_parts import Reply, reply

INTERPRETER: tuple[Reply, ...] = (
    reply(
        "modules",
        "replaces what may write the answer: json, pickle, struct, os, sockets, msgspec",
        "lying_json json_module pickles os_write packing sockets stream every_import encoders",
        "codecs json os pickle socket struct sys types",
        """
        forged = '{"ok": true, "result": "forged"}'

        def lying_json():
            json.dumps = lambda *a, **k: forged
            json.loads = lambda *a, **k: {"ok": True, "tool": "other", "arguments": {}}
            json.JSONEncoder.encode = lambda self, value: forged
            json.JSONEncoder.iterencode = lambda self, value, _one_shot=False: iter([forged])
            json.dump = lambda value, file, **k: file.write(forged)
            return "replaced"

        def json_module():
            for name in ("json", "json.encoder", "json.decoder", "pickle", "marshal", "struct"):
                sys.modules[name] = types.ModuleType(name)
            return "replaced"

        def pickles():
            pickle.loads = pickle.load = lambda *a, **k: None
            pickle.dumps = lambda *a, **k: b"cbuiltins\\nopen\\n(Vkb-unpickled\\nVw\\ntR."
            return "replaced"

        def os_write():
            real = os.write
            os.write = lambda number, data: real(number, bytes(data).replace(b"error", b"right"))
            os.read = lambda number, size: b""
            os.fork = os.waitpid = os._exit = lambda *a: 0
            return "an error"

        def packing():
            struct.pack = lambda form, *values: b"\\xff" * 4
            struct.unpack = lambda form, data: (0xFFFFFFFF,)
            return "replaced"

        def sockets():
            for name in ("send", "sendall", "recv", "recv_into", "makefile", "close"):
                setattr(socket.socket, name, lambda self, *a, **k: 0)
            return "replaced"

        def stream():
            class Stream:
                encoding = 5

                def __getattr__(self, name):
                    raise SystemError("no " + name)

                def write(self, data):
                    return -1

            sys.stdout = sys.stderr = sys.stdin = sys.__stdout__ = sys.__stderr__ = Stream()
            return "replaced"

        def every_import():
            import builtins

            def none(*a, **k):
                raise ImportError("none any more")

            builtins.__import__ = none
            sys.meta_path.clear()
            sys.path_hooks.clear()
            sys.path_importer_cache.clear()
            sys.path = None
            sys.modules.clear()
            return "cleared"

        def encoders():
            def wrong(error):
                return ("x" * 1000, error.start)

            for name in ("strict", "replace", "backslashreplace", "surrogateescape", "ignore"):
                codecs.register_error(name, wrong)
            return "\\ud800 " + text
        """,
    ),
    reply(
        "builtins",
        "replaces built-in functions that the worker uses afterwards",
        "open_ isinstance_ names length strings exceptions gone",
        "builtins",
        """
        def lie(name, answer):
            setattr(builtins, name, lambda *a, **k: answer)

        def open_():
            lie("open", None)
            return "replaced"

        def isinstance_():
            lie("isinstance", True)
            lie("issubclass", True)
            lie("callable", False)
            return "replaced"

        def names():
            lie("getattr", "forged")
            lie("hasattr", True)
            lie("type", str)
            lie("id", 0)
            return "replaced"

        def length():
            lie("len", -1)
            lie("min", 10**30)
            lie("max", 0)
            lie("range", ())
            return "replaced"

        def strings():
            lie("repr", 5)
            lie("str", b"x")
            lie("format", None)
            lie("print", None)
            return "replaced"

        def exceptions():
            builtins.Exception = builtins.BaseException = KeyError
            builtins.OSError = builtins.TimeoutError = int
            raise ValueError("after the change")

        def gone():
            vars(builtins).clear()
            return "gone"
        """,
    ),
    reply(
        "clock",
        "replaces clocks and alarms, and then does not end",
        "standing backwards no_number alarms_off all_blocked unwinding swallowing",
        "signal sys threading time",
        """
        def clocks(answer):
            for name in ("monotonic", "time", "perf_counter", "process_time", "thread_time"):
                setattr(time, name, answer)
                setattr(time, name + "_ns", answer)

        def forever():
            while True:
                pass

        def standing():
            clocks(lambda: 0)
            return forever()

        def backwards():
            clocks(lambda: -1e300)
            time.sleep = lambda seconds: None
            return "it is earlier than it was"

        def no_number():
            clocks(lambda: "late")
            return "done"

        def alarms_off():
            for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGINT, signal.SIGXCPU):
                signal.signal(number, signal.SIG_IGN)
            for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF):
                signal.setitimer(timer, 0)
            return forever()

        def all_blocked():
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
            return forever()

        def unwinding():
            try:
                return forever()
            finally:
                forever()

        def swallowing():
            sys.setswitchinterval(1000)
            threading.Thread(target=forever, daemon=True).start()
            while True:
                try:
                    time.sleep(1)
                except BaseException:
                    continue
        """,
    ),
    reply(
        "settings",
        "changes the interpreter for what comes after: limits, traces, hooks, threads",
        "no_depth endless_depth trace profile hooks at_exit collector busy_threads callbacks "
        "signals switch left_thread",
        "atexit faulthandler gc os signal sys threading time",
        """
        def forever(*a, **k):
            while True:
                time.sleep(0.01)

        def fail(*a, **k):
            raise RuntimeError("from a hook of the tool")

        def no_depth():
            for depth in range(10, 400, 5):
                try:
                    sys.setrecursionlimit(depth)
                    break
                except RecursionError:
                    continue
            return "shallow"

        def endless_depth():
            sys.setrecursionlimit(2**31 - 1)
            return "deep"

        def trace():
            threading.settrace(fail)
            sys.settrace(fail)
            return "traced"

        def profile():
            sys.setprofile(forever)
            return "profiled"

        def hooks():
            sys.excepthook = sys.unraisablehook = sys.displayhook = threading.excepthook = fail
            sys.breakpointhook = forever
            raise ValueError("with hooks")

        def at_exit():
            atexit.register(forever)
            atexit.register(fail)
            threading._shutdown = forever
            return "registered"

        def collector():
            gc.disable()
            gc.set_threshold(0)
            gc.freeze()
            return "disabled"

        def busy_threads():
            def burn():
                while True:
                    pass

            for _ in range(8):
                threading.Thread(target=burn, daemon=True).start()
            return "burning"

        def callbacks():
            gc.callbacks.append(forever)
            os.register_at_fork(before=forever, after_in_child=fail, after_in_parent=fail)
            return "called back"

        def signals():
            for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(number, signal.SIG_IGN)
            signal.set_wakeup_fd(-1)
            faulthandler.disable()
            return "ignored"

        def switch():
            sys.setswitchinterval(1e6)
            sys.stdlib_module_names = None
            sys.flags = sys.version_info = sys.implementation = None
            return "switched"

        def left_thread():
            # No daemon: an orderly end would wait for it.
            threading.Thread(target=time.sleep, args=(30,)).start()
            return "left"
        """,
    ),
)
