"""An expression for a parser of the application's own."""

from knitbone_evals.adapt.apps.dev_syntax.kit import (
    replaced,
    syntax,
    template,
    undetermined,
    without_end,
    wrapped,
)
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults.base import THINKING
from knitbone_evals.adapt.faults.markup import fenced, introduced

SPEC = AppSpec(
    name="own_calculator", half="dev_syntax", domain="task management", function="word_problem"
)


def of(text, note=""):
    return Base(
        inputs={"problem": "Ann buys apples and pays."},
        outputs=(text,),
        expected=round(float(eval(text)), 6),
        note=note,
    )


def base(rng, _pool):
    a, b, c, d = (rng.randint(2, 99) for _ in range(4))
    return of(
        rng.choice(
            [
                f"({a} + {b}) * {c}",
                f"{a} * {b} - {c} / {d}",
                f"({a} - {b}) / ({c} + {d})",
                f"{a}.5 * ({b} + {c} * ({d} - 1))",
                f"-{a} + {b} * {c}",
            ]
        )
    )


FAULTS = (
    THINKING,
    template("backticks", wrapped("`{}`")),
    template("fence", fenced("")),
    template("prose", introduced("The expression is:")),
    template("label", wrapped("Expression: {}")),
    template("latex inline", wrapped("$ {} $")),
    template("bold", wrapped("**{}**")),
    syntax("times", replaced("*", "\u00d7")),
    syntax("divide", replaced("/", "÷")),
    syntax("minus", replaced("-", "\u2212")),
    syntax("result after", lambda text, _: f"{text} = {round(eval(text), 2)}"),
    syntax("equals sign at the end", wrapped("{} =")),
    syntax("paren lost", without_end(")")),
    syntax("paren too many", wrapped("{})")),
    syntax("latex times", replaced("*", "\\times")),
    syntax("period", wrapped("{}."), determined=False),
    undetermined("operator at the end", wrapped("{} +")),
    undetermined("names", lambda text, _: text + " + apples"),
    syntax("brackets", lambda text, _: text.replace("(", "[").replace(")", "]")),
    syntax("escaped star", replaced("*", "\\*")),
)


def extra(_rng):
    yield case_of(SPEC, of("  7*(8-2)  "))
    yield case_of(SPEC, of("--3"))
