"""A date and time in one format."""

from datetime import datetime, timedelta

from knitbone_evals.adapt.apps.dev_syntax.kit import (
    replaced,
    said,
    syntax,
    template,
    undetermined,
    wrapped,
)
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults.base import THINKING
from knitbone_evals.adapt.faults.markup import fenced, introduced

SPEC = AppSpec(name="date_desk", half="dev_syntax", domain="task management", function="book")


def of(start, text=None, note=""):
    end = start + timedelta(minutes=30)
    return Base(
        inputs={"request": "see you then", "minutes": 30},
        outputs=(text or start.strftime("%Y-%m-%d %H:%M"),),
        expected=[start.isoformat(), end.isoformat(), start.strftime("%A")],
        note=note,
    )


def base(rng, _pool):
    return of(
        datetime(  # noqa: DTZ001 - the application's dates have no zone
            rng.randint(2023, 2027),
            rng.randint(1, 12),
            rng.randint(1, 28),
            rng.randint(0, 23),
            rng.choice((0, 15, 30, 45)),
        )
    )


FAULTS = (
    THINKING,
    template("backticks", wrapped("`{}`")),
    template("fence", fenced("")),
    template("prose", introduced("The appointment starts at:")),
    template("inline prose", wrapped("The appointment is on {}.")),
    template("bold", wrapped("**{}**")),
    template("quotes", wrapped('"{}"')),
    template("label", wrapped("Start: {}")),
    syntax("iso T", replaced(" ", "T")),
    syntax("slashes", replaced("-", "/")),
    syntax("seconds", wrapped("{}:00")),
    syntax("period", wrapped("{}.")),
    syntax("unicode dash", replaced("-", "\u2011")),
    syntax("iso seconds", lambda text, _: text.replace(" ", "T") + ":00"),
    undetermined("relative", said("next Tuesday at 3 pm")),
    undetermined("date only", lambda text, _: text.split()[0]),
)


def extra(_rng):
    yield case_of(SPEC, of(datetime(2025, 3, 4, 5, 6), "2025-3-4 5:06\n"))  # noqa: DTZ001
