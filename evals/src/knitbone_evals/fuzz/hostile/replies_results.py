"""Tools whose results and leavings attack whoever looks at them."""

from __future__ import annotations

from .reply_parts import Reply, reply

RESULTS: tuple[Reply, ...] = (
    reply(
        "result_hostile",
        "results whose methods raise, lie, hang, or run code when looked at",
        "no_repr lying answers_all pickled text_class number_class dict_class equal endless_repr "
        "surrogates forbidden nan cleanup",
        "threading time",
        """
        def one(base=object, **members):
            return type("Result", (base,), members)

        def fail(*a, **k):
            raise RuntimeError("do not look")

        def no_repr():
            return one(__repr__=fail, __str__=fail, __format__=fail, __bool__=fail, __len__=fail)()

        def lying():
            return one(__class__=property(lambda self: str))()

        def answers_all():
            # Whatever is asked for is there: model_dump, to_dict, isError, content, __await__ ...
            kind = one(__getattr__=lambda self, name: self, __call__=lambda self, *a, **k: self,
                       __iter__=lambda self: self, __next__=lambda self: self,
                       __await__=lambda self: self, __getitem__=lambda self, key: self)
            return kind()

        def pickled():
            return one(__reduce_ex__=lambda self, version: (open, ("kb-unpickled", "w")))()

        def text_class():
            return one(str, encode=fail, __len__=lambda self: -1, __str__=fail, __eq__=fail,
                       __hash__=fail, lower=fail, strip=lambda self, *a: self)("error: x")

        def number_class():
            return one(int, __repr__=fail, __index__=fail, __eq__=lambda self, other: True)(5)

        def dict_class():
            def items(self):
                while True:
                    yield "key", self

            return one(dict, items=items, __iter__=lambda self: iter(int, 1), keys=fail)(a=1)

        def equal():
            same = lambda self, other: time.sleep(3600)
            return one(__eq__=same, __ne__=same, __lt__=same, __hash__=lambda self: 1)()

        def endless_repr():
            return one(__repr__=lambda self: time.sleep(3600))()

        def surrogates():
            return {"\\ud800": "\\udfff" * 1000, "\\x00\\x1b[2J": b"\\xff", 5: {None: ...}}

        def forbidden():
            return [open, type, threading.Lock(), lambda: 0, object(), (x for x in ()), {1, "a"}]

        def nan():
            return [float("nan"), float("-inf"), -0.0, 1e400, 10**5000, complex(1, float("nan"))]

        def cleanup():
            def gone(self):
                while True:
                    time.sleep(3600)

            return [one(__del__=gone)() for _ in range(3)]
        """,
    ),
    reply(
        "result_huge",
        "results and printed text beyond every limit",
        "text_ raw printed errors_printed laughs number items keys descriptor_flood",
        "os sys",
        """
        def text_():
            return "x" * 200_000_000

        def raw():
            return bytes(200_000_000)

        def printed():
            for _ in range(200):
                sys.stdout.write("x" * 1_000_000)
            return "printed"

        def errors_printed():
            for _ in range(200):
                os.write(2, b"\\x1b[2J" * 200_000)
            return "printed"

        def laughs():
            value = ["ha"]
            for _ in range(60):
                value = [value, value]
            return value

        def number():
            return 1 << 80_000_000

        def items():
            return list(range(10_000_000))

        def keys():
            return {f"key{n}": n for n in range(1_000_000)}

        def descriptor_flood():
            handles = []
            try:
                while True:
                    handles.append(os.open(os.devnull, os.O_RDONLY))
            except OSError:
                return f"{len(handles)} left open"
        """,
    ),
    reply(
        "result_endless",
        "results that never end, contain themselves, or are deeper than any stack",
        "generator async_generator coroutine self_list self_dict deep_list deep_dict deep_tuple "
        "slow_generator raising_generator",
        "asyncio itertools time",
        """
        def generator():
            return ("x" * 1000 for _ in itertools.count())

        def async_generator():
            async def endless():
                while True:
                    yield "x"

            return endless()

        def coroutine():
            async def never():
                await asyncio.Event().wait()

            return never()

        def self_list():
            value = [1]
            value += [value, value]
            return value

        def self_dict():
            value = {}
            value["self"] = value["list"] = [value]
            return value

        def deep(wrap):
            value = "bottom"
            for _ in range(100_000):
                value = wrap(value)
            return value

        def deep_list():
            return deep(lambda value: [value])

        def deep_dict():
            return deep(lambda value: {"k": value})

        def deep_tuple():
            return deep(lambda value: (value,))

        def slow_generator():
            def slow():
                while True:
                    time.sleep(1)
                    yield "x"

            return slow()

        def raising_generator():
            def bad():
                try:
                    yield "x"
                finally:
                    while True:
                        yield "still here"

            return bad()
        """,
    ),
    reply(
        "leavings",
        "leaves a folder that is hard to list, compare, reset or remove",
        "gone deep pipe sparse no_mode names loops home many held_open zero nested_mode",
        "os shutil stat",
        """
        def gone():
            here = os.getcwd()
            os.makedirs("a/b")
            os.chdir("a/b")
            shutil.rmtree(here, ignore_errors=True)
            return "nowhere"

        def deep():
            for _ in range(3000):
                os.mkdir("d" * 100)
                os.chdir("d" * 100)
            return "deep"

        def pipe():
            for name in ("data.txt", "notes.md", "kb.json"):
                if os.path.lexists(name):
                    os.remove(name)
                os.mkfifo(name)
            return "opening one of them hangs"

        def sparse():
            with open("sparse", "w") as file:
                file.truncate(1 << 40)
            return "a terabyte of nothing"

        def no_mode():
            os.makedirs("locked/inner")
            with open("locked/inner/file", "w"):
                pass
            os.chmod("locked/inner", 0)
            os.chmod("locked", 0)
            os.chmod(".", 0)
            return "locked"

        def names():
            for name in (b"\\xff\\xfe", b"a\\nb", b"-rf", b"\\x1b[2J", b" ", b"x" * 255, b"..."):
                os.close(os.open(name, os.O_CREAT | os.O_WRONLY, 0o600))
            return "named"

        def loops():
            os.symlink("loop", "loop")
            os.symlink(".", "here")
            os.symlink("/", "root")
            os.symlink("/proc/self/root/proc/self/root", "again")
            return "linked"

        def home():
            # Only a stand-in beside the working folder: nobody's real home is to be touched.
            place = os.path.expanduser("~")
            if os.path.dirname(place) != os.path.dirname(os.getcwd()):
                return "not a stand-in"
            for name in os.listdir(place):
                path = os.path.join(place, name)
                if not stat.S_ISDIR(os.lstat(path).st_mode):
                    os.remove(path)
                    os.symlink("/dev/zero", path)
            os.mkfifo(os.path.join(place, ".bashrc2"))
            os.chmod(place, 0)
            return "changed"

        def many():
            for n in range(20_000):
                os.symlink("x", f"link{n}")
            return "many"

        def held_open():
            handles = [open(f"gone{n}", "wb") for n in range(20)]
            for n, file in enumerate(handles):
                file.write(bytes(5_000_000))
                file.flush()
                os.remove(f"gone{n}")
            globals()["kb_handles"] = handles
            return "100 MB without a name"

        def zero():
            os.symlink("/dev/zero", "zero.txt")
            os.symlink("/dev/stdin", "stdin.txt")
            os.symlink("/proc/kmsg", "kmsg.txt")
            return "linked"

        def nested_mode():
            os.makedirs("m/n", mode=0o300)
            os.chmod("m/n", 0o300)
            os.chmod("m", 0o300)
            return "unreadable, writable"
        """,
    ),
)
