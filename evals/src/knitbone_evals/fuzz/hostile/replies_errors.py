"""Tools whose errors attack whoever looks at them."""

from __future__ import annotations

from .reply_parts import Reply, reply

ERRORS: tuple[Reply, ...] = (
    reply(
        "error_text",
        "errors whose text raises, never ends, is giant or is no text",
        "raises exits endless giant surrogates no_text control formats recursive subclass",
        "",
        """
        def raised(answer):
            class Bad(Exception):
                __str__ = __repr__ = lambda self: answer()

            raise Bad("hidden")

        def fail(error):
            raise error

        def raises():
            raised(lambda: 1 / 0)

        def exits():
            raised(lambda: fail(SystemExit(0)))

        def endless():
            def loop():
                while True:
                    pass

            raised(loop)

        def giant():
            raised(lambda: "x" * 100_000_000)

        def surrogates():
            raised(lambda: "\\ud800\\udfff" * 1000)

        def no_text():
            raised(lambda: 5)

        def control():
            raise ValueError("\\x00\\x1b[2J\\x1b]0;x\\x07\\r\\n\\u202e" * 100)

        def formats():
            raise ValueError("{0.__class__} %s %n $(id) `id` {{}} ${x}\\n```\\n# all is well")

        def recursive():
            def deeper():
                return "x" + deeper()

            raised(deeper)

        def subclass():
            class Text(str):
                def __getattribute__(self, name):
                    raise SystemError(name)

                def __len__(self):
                    return -1

            raised(lambda: Text("x"))
        """,
    ),
    reply(
        "error_class",
        "errors that lie about their class, or that are caught by nobody",
        "lying metaclass_ names interrupt leaving stopping pickled attributes "
        "generator_exit zero_file waiting_file odd_file equal",
        "",
        """
        def lying():
            class Lie(Exception):
                __class__ = property(lambda self: KeyboardInterrupt)

            raise Lie("I am another")

        def metaclass_():
            class Meta(type):
                def __getattribute__(cls, name):
                    raise RuntimeError("no " + name)

                def __instancecheck__(cls, one):
                    raise RuntimeError("no check")

            raise Meta("Odd", (Exception,), {})("x")

        def names():
            kind = type("A" * 1_000_000 + "\\x1b[2J", (Exception,), {"__module__": 5})
            kind.__qualname__ = "\\x00.<locals>\\n" * 1000
            raise kind("x")

        def interrupt():
            raise KeyboardInterrupt

        def leaving():
            raise type("Quiet", (BaseException,), {})("no Exception")

        def stopping():
            raise StopIteration("x")

        def generator_exit():
            raise GeneratorExit("x")

        def pickled():
            class Bad(Exception):
                def __reduce__(self):
                    return open, ("kb-unpickled", "w")

                __reduce_ex__ = lambda self, version: self.__reduce__()

            raise Bad("unpickle me")

        def attributes():
            class Bad(Exception):
                def __getattribute__(self, name):
                    raise RecursionError(name)

            raise Bad("x")

        def raised_in(place):
            # The lines of its traceback claim to be in files that never end, or hang.
            exec(compile("def bad():\\n raise ValueError('x')\\nbad()", place, "exec"), {})

        def zero_file():
            raised_in("/dev/zero")

        def waiting_file():
            import os

            os.mkfifo("kb-waits")
            raised_in(os.path.abspath("kb-waits"))

        def odd_file():
            raised_in("a\\nb\\x1b[2J" + "x" * 100_000)

        def equal():
            class Same(Exception):
                __eq__ = lambda self, other: True
                __hash__ = None
                args = property(lambda self: 1 / 0)

            raise Same("x")
        """,
    ),
    reply(
        "error_chain",
        "errors that form circles, long chains and wide groups",
        "circle context long group nested_group notes self_argument deep_stack many_frames",
        "builtins",
        """
        def circle():
            one, other = ValueError("one"), KeyError("other")
            one.__cause__, other.__cause__ = other, one
            one.__context__, other.__context__ = other, one
            raise one

        def context():
            one = ValueError("one")
            one.__context__ = one.__cause__ = one
            raise one

        def long():
            error = first = ValueError("0")
            for n in range(100_000):
                error.__cause__ = ValueError(str(n))
                error = error.__cause__
            raise first

        def grouped(errors):
            # Without groups, before Python 3.11: one error that holds them all.
            kind = getattr(builtins, "ExceptionGroup", None)
            return kind("group", errors) if kind else ValueError(*errors)

        def group():
            raise grouped([ValueError(str(n)) for n in range(10_000)])

        def nested_group():
            error = ValueError("x")
            for _ in range(900):
                error = grouped([error, error])
            raise error

        def notes():
            error = ValueError("x")
            error.__notes__ = ["n" * 1000] * 50_000 + [5, None, error]
            raise error

        def self_argument():
            error = ValueError()
            error.args = (error, [error], {"e": error})
            raise error

        def deep_stack():
            return deep_stack()

        def many_frames():
            def down(n):
                if n == 0:
                    raise ValueError("bottom " + "x" * 10_000)
                try:
                    down(n - 1)
                except ValueError as error:
                    raise error from ValueError(str(n))

            down(200)
        """,
    ),
)
