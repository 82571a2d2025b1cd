"""A cron expression of five fields."""

from knitbone_evals.adapt.apps.dev_syntax.kit import (
    replaced,
    syntax,
    template,
    undetermined,
    wrapped,
)
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults.base import THINKING
from knitbone_evals.adapt.faults.markup import concluded, fenced, introduced

FIELDS = ("minute", "hour", "day", "month", "weekday")
DAYS, MONTHS, WEEKDAYS = list(range(1, 32)), list(range(1, 13)), list(range(8))
SPEC = AppSpec(name="cron_desk", half="dev_syntax", domain="task management", function="schedule")


def of(line, parts, note=""):
    return Base(
        inputs={"wish": "when the shop opens"},
        outputs=(line,),
        expected=dict(zip(FIELDS, parts, strict=True)),
        note=note,
    )


def base(rng, _pool):
    hour, minute = rng.randint(0, 23), rng.randint(0, 59)
    line, parts = rng.choice(
        [
            (f"{minute} {hour} * * *", [[minute], [hour], DAYS, MONTHS, WEEKDAYS]),
            (f"*/15 {hour} * * 1-5", [[0, 15, 30, 45], [hour], DAYS, MONTHS, [1, 2, 3, 4, 5]]),
            (
                f"{minute} 9-17/2 1,15 * *",
                [[minute], [9, 11, 13, 15, 17], [1, 15], MONTHS, WEEKDAYS],
            ),
            (f"{minute} {hour} 1 1,7 *", [[minute], [hour], [1], [1, 7], WEEKDAYS]),
        ]
    )
    return of(line, parts)


FAULTS = (
    THINKING,
    template("backticks", wrapped("`{}`")),
    template("fence", fenced("")),
    template("cron fence", fenced("cron")),
    template("prose", introduced("Here is the cron expression:")),
    template(
        "explained", concluded("This runs at the given time, every day of the selected range.")
    ),
    template("label", wrapped("Cron: {}")),
    syntax("dash", replaced("-", "\u2013")),
    template("quotes", wrapped('"{}"')),
    syntax("escaped stars", replaced("*", "\\*")),
    undetermined("six fields", wrapped("0 {}")),
    undetermined("four fields", lambda text, _: text.rsplit(" ", 1)[0]),
)


def extra(_rng):
    yield case_of(SPEC, of("  5   4 * * *\n", [[5], [4], DAYS, MONTHS, WEEKDAYS]))
