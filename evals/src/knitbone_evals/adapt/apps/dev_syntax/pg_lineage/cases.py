"""A statement in the PostgreSQL dialect."""

import re

import sqlglot
from sqlglot import exp

from knitbone_evals.adapt.apps.dev_syntax.kit import (
    at_last,
    replaced,
    said,
    syntax,
    template,
    undetermined,
    wrapped,
)
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults.base import THINKING
from knitbone_evals.adapt.faults.markup import concluded, fenced, introduced

SPEC = AppSpec(name="pg_lineage", half="dev_syntax", domain="program synthesis", function="lineage")
STATEMENTS = [
    (
        "SELECT o.id, o.placed_at::date AS day, c.email FROM orders o JOIN customers "
        "c ON c.id = o.customer_id WHERE o.placed_at >= now() - INTERVAL '{n} days'"
    ),
    (
        "SELECT date_trunc('month', placed_at) AS month, SUM(total) FROM orders WHERE "
        "status IN ('paid', 'sent') GROUP BY 1 HAVING SUM(total) > {n} ORDER BY 1;"
    ),
    (
        "SELECT payload->>'city' AS city, COUNT(*) FROM events WHERE payload @> "
        '\'{"kind": "visit"}\' GROUP BY city LIMIT {n}'
    ),
    (
        "WITH late AS (\n"
        "    SELECT customer_id, COUNT(*) AS n\n"
        "    FROM orders\n"
        "    WHERE shipped_at > due_at\n"
        "    GROUP BY customer_id\n"
        ")\n"
        "SELECT c.name, late.n\n"
        "FROM late\n"
        "JOIN customers c ON c.id = late.customer_id\n"
        "WHERE late.n > {n};"
    ),
    (
        "SELECT name FROM customers WHERE email ILIKE '%@example.org' AND (age > {n} "
        "OR (vip AND NOT blocked))"
    ),
]


def of(sql, note=""):
    tree = sqlglot.parse_one(sql, read="postgres")
    return Base(
        inputs={"request": "What did we sell?"},
        outputs=(sql,),
        note=note,
        expected={
            "tables": sorted({each.name for each in tree.find_all(exp.Table)}),
            "columns": sorted({each.name for each in tree.find_all(exp.Column)}),
            "literals": [each.this for each in tree.find_all(exp.Literal)],
            "sql": tree.sql(dialect="postgres"),
        },
    )


def base(rng, _pool):
    return of(rng.choice(STATEMENTS).replace("{n}", str(rng.randint(1, 90))))


FAULTS = (
    THINKING,
    template("fence", fenced("sql")),
    template("postgres fence", fenced("postgresql")),
    template("psql prompt", wrapped("postgres=# {}")),
    template("prose before", introduced("Here's the PostgreSQL query:")),
    template("prose after", concluded("Note that the interval is relative to the current time.")),
    template("backticks", wrapped("`{}`")),
    syntax("last paren lost", at_last(r"\)", "")),
    syntax("extra paren", lambda text, _: text.rstrip(";") + ")"),
    syntax("smart quotes", lambda text, _: re.sub(r"'([\w ]+)'", "\u2018\\1\u2019", text)),
    syntax("double amp", replaced(" AND ", " && "), determined=False),
    syntax("string not closed", lambda text, _: text[:-1] if text.endswith("'") else None),
    syntax(
        "prompt with continuation",
        lambda text, _: (
            "postgres=# " + text.replace("\n", "\npostgres-# ") if "\n" in text else None
        ),
    ),
    undetermined(
        "cut", lambda text, _: text[: text.rindex("WHERE") + 9] if "WHERE" in text else None
    ),
    undetermined("refuse", said("I'm sorry, I need the schema first.")),
)


def extra(_rng):
    yield case_of(SPEC, of('select 1 as "one" /* ( */ from orders -- it\'s fine'))
    yield case_of(SPEC, of("SELECT $$it's (odd$$ AS note, E'a\\'b' AS x FROM orders"))
    yield case_of(SPEC, of("SELECT ARRAY[1,2,3] || ARRAY[4] AS a, '“x”' AS q FROM orders;"))
