"""A statement that SQLite runs."""

import re

from knitbone_evals.adapt.apps.dev_syntax.kit import (
    at_first,
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
from knitbone_evals.adapt.faults.markup import fenced

SPEC = AppSpec(name="report_sql", half="dev_syntax", domain="program synthesis", function="answer")
ALBUMS = {
    "Fjord": 2011,
    "Winter Light": 2015,
    "Low Tide": 2015,
    "Lagos Nights": 2019,
    "Harbour": 2021,
    "R and B, Vol. 2": 2022,
}
BY_OTHERS = {"Nora Vale": (2011, 2015), "Olu Ade": (2019,), "Sean O'Neill": (2021,)}
"""Years of the albums of artists who are not from the US."""
KINDS = {"Winter Light": "other", "Low Tide": "hit", "Lagos Nights": "hit"}
"""Albums with an i in the title."""
BEST = {
    2011: [{"country": "NO", "total": 12000.5}],
    2015: [{"country": "US", "total": 41000.0}],
    2019: [{"country": "NG", "total": 22000.0}],
    2021: [{"country": "IE", "total": 900.0}],
    2022: [{"country": "US", "total": 5000.0}],
}


def after(year):
    counts = {name: sum(each > year for each in years) for name, years in BY_OTHERS.items()}
    return [{"name": name, "albums": count} for name, count in counts.items() if count]


QUESTIONS = [
    (
        "Which albums came out in {y}?",
        "SELECT title, year FROM albums WHERE year = {y} ORDER BY title;",
        lambda year: [
            {"title": title, "year": year} for title in sorted(ALBUMS) if ALBUMS[title] == year
        ],
    ),
    (
        "How many albums since {y}?",
        "SELECT COUNT(*) AS n FROM albums WHERE year >= {y}",
        lambda year: [{"n": sum(each >= year for each in ALBUMS.values())}],
    ),
    (
        "Artists and their albums after {y}",
        (
            "SELECT a.name, COUNT(b.id) AS albums\n"
            "FROM artists AS a\n"
            "JOIN albums AS b ON b.artist_id = a.id\n"
            "WHERE b.year > {y} AND a.country <> 'US'\n"
            "GROUP BY a.name\n"
            "ORDER BY a.name;"
        ),
        after,
    ),
    (
        "Albums of Sean O'Neill",
        (
            "SELECT title FROM albums WHERE artist_id IN (SELECT id FROM artists WHERE "
            "name = 'Sean O''Neill') AND year > {y};"
        ),
        lambda year: [{"title": "Harbour"}] if year < 2021 else [],
    ),
    (
        "Best selling country in {y}",
        (
            "SELECT a.country, ROUND(SUM(b.sales), 1) AS total\n"
            "FROM artists a\n"
            "INNER JOIN albums b ON a.id = b.artist_id\n"
            "WHERE b.year = {y}\n"
            "GROUP BY a.country\n"
            "ORDER BY total DESC\n"
            "LIMIT 1;"
        ),
        lambda year: BEST.get(year, []),
    ),
    (
        "Categories",
        (
            "SELECT title, CASE WHEN sales > 20000 THEN 'hit' ELSE 'other' END AS kind "
            "FROM albums WHERE title LIKE '%i%' AND year <= {y} ORDER BY id"
        ),
        lambda year: [
            {"title": title, "kind": kind} for title, kind in KINDS.items() if ALBUMS[title] <= year
        ],
    ),
]


def of(question, sql, rows_of, year, note=""):
    rows = rows_of(year)
    return Base(
        inputs={"question": question.replace("{y}", str(year))},
        outputs=(sql.replace("{y}", str(year)),),
        expected={"n": len(rows), "rows": rows},
        note=note,
    )


def base(rng, _pool):
    question, sql, rows_of = rng.choice(QUESTIONS)
    return of(question, sql, rows_of, rng.choice((2011, 2015, 2019, 2021, 2022, 2010)))


FAULTS = (
    THINKING,
    template("sql fence", fenced("sql")),
    template("sqlite fence", fenced("sqlite")),
    template("sqlite prompt", wrapped("sqlite> {}")),
    template("SQLQuery:", wrapped("SQLQuery: {}")),
    template("backticks around", wrapped("`{}`")),
    template(
        "prose both",
        lambda text, _: (
            "To answer this I join both tables:\n\n"
            "```sql\n"
            f"{text}\n"
            "```\n\n"
            "This returns one row per album."
        ),
    ),
    template("tag without fence", wrapped("sql\n{}")),
    syntax("trailing comma", at_first(r"\s+FROM albums", r", FROM albums")),
    syntax("smart quotes", lambda text, _: re.sub(r"'(\w+)'", "\u2018\\1\u2019", text)),
    syntax("last paren lost", at_last(r"\)", "")),
    syntax("backslash apostrophe", replaced("''", "\\'")),
    syntax("escaped line breaks", replaced("\n", "\\n")),
    syntax("cpp not equals and and", replaced(" AND ", " && ")),
    syntax("comma before where", at_first(r"\s+GROUP BY", ", GROUP BY")),
    syntax("escaped star", replaced("*", "\\*")),
    syntax("greater or equal sign", lambda text, _: text.replace(">=", "≥").replace("<=", "≤")),
    syntax("semicolon twice with comment", lambda text, _: text.rstrip(";") + ";;"),
    undetermined("cut", lambda text, _: text[: text.rindex("WHERE") + 6]),
    undetermined("wrong column", replaced("year", "release_year")),
    undetermined("refusal", said("I cannot answer that from these tables.")),
)


SINCE = (
    ("comment", "select count(*) as n from albums where year>={y} -- all of them"),
    ("quotes", 'SELECT COUNT(*) AS "n"\n  FROM `albums`\n WHERE [year] >= {y}\n;\n'),
    ("cte", "WITH x AS (SELECT * FROM albums WHERE year >= {y}) SELECT COUNT(*) AS n FROM x"),
    (
        "odd literals",
        "/* since {y} */ SELECT COUNT(*) AS n FROM albums "
        "WHERE year >= {y} AND title != '(' AND title <> '\u2018x\u2019'",
    ),
)
"""Other statements for the second question."""


def extra(_rng):
    question, _, rows_of = QUESTIONS[1]
    for note, sql in SINCE:
        yield case_of(SPEC, of(question, sql, rows_of, 2015, note))
