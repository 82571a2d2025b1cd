"""PostgreSQL text that sqlglot reads; what it makes of the query is the result."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import SQL, on_text

SPEC = AppSpec(name="ledger_sql", half="seen", domain="program synthesis", function="checked")
QUERIES = (
    ("SELECT name FROM accounts WHERE owner = '{who}'", ["accounts"]),
    ("SELECT SUM(amount) FROM entries WHERE memo = '{what}'", ["entries"]),
    (
        "SELECT accounts.name, COUNT(*) FROM entries "
        "JOIN accounts ON entries.account = accounts.id "
        "WHERE entries.amount > {n} AND accounts.owner = '{who}' GROUP BY accounts.name",
        ["accounts", "entries"],
    ),
    (
        "SELECT id, amount FROM entries WHERE memo LIKE '%{what}%' AND amount < {n} "
        "ORDER BY amount DESC LIMIT {k}",
        ["entries"],
    ),
    (
        "SELECT account, AVG(amount) AS mean FROM entries WHERE amount > {n} AND memo <> '{what}'",
        ["entries"],
    ),
)
WHO, WHAT = ("Ines", "Olaf", "Mia Tan", "Bo"), ("rent", "fuel", "tax", "gifts")


def of_query(sql, tables, note=""):
    return Base(
        inputs={"question": "What do we want to know?"},
        outputs=(sql,),
        expected={"sql": sql, "tables": tables, "allowed": True},
        note=note,
    )


def base(rng, _pool):
    sql, tables = rng.choice(QUERIES)
    filled = sql.format(
        who=rng.choice(WHO), what=rng.choice(WHAT), n=10 * rng.randint(1, 90), k=rng.randint(3, 20)
    )
    return of_query(filled, tables)


_LEFT_OUT = {
    # sqlglot reads a comma before FROM, and some of the others as another query. The queries end
    # without a semicolon and have no underscore in their way.
    "comma before from",
    "quote lost at the end",
    "escaped underscore",
    "comma lost in sql",
    "unknown column",
    "double ampersand",
    "sql cut off",
}
FAULTS = (
    *(each for each in SQL if each.name not in _LEFT_OUT),
    on_text("label before sql", "template", lambda text, _: f"SQL: {text}"),
    on_text(
        "quote lost inside", "syntax",
        lambda text, _: text.replace("' GROUP", " GROUP") if "' GROUP" in text else None,
    ),
    on_text("where without condition", "syntax",
            lambda text, _: text[: text.index("WHERE") + 5], determined=False),
)  # fmt: skip


def extra(_rng):
    other = of_query("SELECT id FROM entries", ["entries"], "comments and white space")
    read = {**other.expected, "sql": "/* all */ SELECT id FROM entries"}
    text = "-- all\nselect id\nfrom entries"
    yield case_of(SPEC, other, outputs=(text,), expected=read)
    cast = "SELECT CAST(amount AS TEXT) FROM entries"
    built = of_query(cast, ["entries"], "a cast in the dialect's own way")
    yield case_of(SPEC, built, outputs=("SELECT amount::text FROM entries",))
