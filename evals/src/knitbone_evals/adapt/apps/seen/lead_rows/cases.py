"""Rows of four cells between bars."""

import re

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import on_text
from knitbone_evals.adapt.faults.base import CONTENT, THINKING, WRAPPER
from knitbone_evals.adapt.faults.markup import concluded, fenced, introduced
from knitbone_evals.adapt.pools import NAMES

SPEC = AppSpec(name="lead_rows", half="seen", domain="context QA", function="contacts")
COMPANIES = (
    "Nordlicht AG",
    "Tern & Co",
    "Bluebell Ltd",
    "Casa Verde",
    "Zimt GmbH",
    "A-One",
    "S.E.A.",
)
CITIES = ("Bergen", "Graz", "Porto", "Leeds", "New York", "Aix-en-Provence")


def write(rows):
    return "\n".join("|".join(map(str, row)) for row in rows)


def results(rows):
    keys = ("name", "company", "city", "budget")
    return {
        "rows": [dict(zip(keys, row, strict=True)) for row in rows],
        "total": sum(row[3] for row in rows),
    }


def of_rows(rows, note=""):
    return Base(
        inputs={"notes": "(a page of notes in pencil)"},
        outputs=(write(rows),),
        expected=results(rows),
        slots={"items": rows},
        note=note,
    )


def draw(rng, count):
    return [
        (name, rng.choice(COMPANIES), rng.choice(CITIES), 500 * rng.randint(1, 90))
        for name in rng.sample(NAMES, count)
    ]


def base(rng, _pool):
    return of_rows(draw(rng, rng.randint(2, 5)))


def _each(change):
    return lambda text, _rng: "\n".join(change(line) for line in text.split("\n"))


def _as_table(text, _rng):
    lines = [f"| {line.replace('|', ' | ')} |" for line in text.split("\n")]
    return "\n".join(["| name | company | city | budget |", "| --- | --- | --- | --- |", *lines])


FAULTS = (
    THINKING,
    on_text("prose before rows", "template", introduced("Here are the contacts:"), layer=WRAPPER),
    on_text("prose after rows", "template", concluded("These are all contacts."), layer=WRAPPER),
    on_text("rows in a fence", "template", fenced(""), layer=WRAPPER),
    on_text("bar at both ends", "template", _each(lambda line: f"|{line}|")),
    on_text("bar at the end", "template", _each(lambda line: f"{line}|")),
    on_text("rows as a table", "template", _as_table),
    on_text(
        "header over the rows",
        "template",
        lambda text, _: f"name|company|city|budget\n{text}",
        layer=CONTENT,
    ),
    on_text("semicolons for bars", "template", lambda text, _: text.replace("|", ";")),
    on_text("tabs for bars", "template", lambda text, _: text.replace("|", "\t")),
    on_text("blank lines between rows", "template", lambda text, _: text.replace("\n", "\n\n")),
    on_text(
        "a cell too few",
        "template",
        lambda text, _: re.sub(r"\|[^|\n]*(?=\|\d+$)", "", text, count=1, flags=re.MULTILINE),
        determined=False,
    ),
    on_text(
        "budget in words", "template", lambda text, _: re.sub(r"\d+\Z", "open", text),
        determined=False,
    ),
)  # fmt: skip


def extra(rng):
    row = ("Ada Brandt", "Tern & Co", "Leeds", 1000)
    yield case_of(SPEC, of_rows([row, (*row[:3], 2000)], "one person, two budgets"))
    yield case_of(SPEC, of_rows([("Ed", "", "Graz", 0)], "an empty company"))
    yield case_of(SPEC, of_rows([("Li; Wei", "A, B", "Oslo", 5)], "other delimiters in cells"))
    spaced = of_rows(draw(rng, 2), "blank lines around, which strip() takes off")
    yield case_of(SPEC, spaced, outputs=(f"\n{spaced.outputs[0]}\n\n",))
