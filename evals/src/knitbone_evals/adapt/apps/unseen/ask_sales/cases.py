"""SQL for SQLite. The expected rows are computed here, in Python, from the same data."""

from collections import Counter

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import SQL

SPEC = AppSpec(name="ask_sales", half="unseen", domain="program synthesis", function="ask")
SHOPS = [(1, "Oslo", 2009), (2, "Porto", 2015), (3, "Gdansk", 2018), (4, "Lyon", 2021)]
SALES = [
    (1, "lamp", 12, 39.5, "2024-01"),
    (1, "chair", 4, 120.0, "2024-02"),
    (2, "lamp", 30, 35.0, "2024-01"),
    (2, "desk", 2, 310.0, "2024-03"),
    (3, "chair", 9, 99.0, "2024-02"),
    (3, "lamp", 5, 41.0, "2024-03"),
    (4, "desk", 6, 289.0, "2024-01"),
    (4, "chair", 11, 105.0, "2024-03"),
    (1, "desk", 1, 330.0, "2024-03"),
]
CITY = {number: city for number, city, _ in SHOPS}


def young(rng):
    year = rng.randint(2005, 2022)
    rows = sorted([city] for _, city, opened in SHOPS if opened > year)
    return f"SELECT city FROM shops WHERE opened > {year} ORDER BY city;", ["city"], rows


def pieces_by_city(rng):
    product = rng.choice(("lamp", "chair", "desk"))
    total = Counter()
    for shop, what, amount, _, _ in SALES:
        if what == product:
            total[CITY[shop]] += amount
    query = (
        "SELECT shops.city, SUM(amount) AS total FROM sales JOIN shops ON shops.id = shop_id "
        f"WHERE product = '{product}' GROUP BY shops.city ORDER BY shops.city;"
    )
    return query, ["city", "total"], [list(each) for each in sorted(total.items())]


def dear_products(rng):
    shop, price = rng.randint(1, 4), rng.randint(20, 320)
    count = Counter(row[1] for row in SALES if row[0] == shop and row[3] > price)
    query = (
        f"SELECT product, COUNT(*) AS n FROM sales WHERE shop_id = {shop} AND price > {price} "
        "GROUP BY product ORDER BY product;"
    )
    return query, ["product", "n"], [list(each) for each in sorted(count.items())]


def pieces_by_month(rng):
    first, second = rng.sample(("lamp", "chair", "desk"), 2)
    total = Counter()
    for _, what, amount, _, month in SALES:
        if what in (first, second):
            total[month] += amount
    query = (
        "SELECT month, SUM(amount) AS pieces\nFROM sales\n"
        f"WHERE product IN ('{first}', '{second}')\nGROUP BY month\nORDER BY month;"
    )
    return query, ["month", "pieces"], [list(each) for each in sorted(total.items())]


def highest(rng):
    month = rng.choice(("2024-01", "2024-02", "2024-03"))
    top = max(row[3] for row in SALES if row[4] == month)
    return f"SELECT MAX(price) AS top FROM sales WHERE month = '{month}';", ["top"], [[top]]


def many(rng):
    shop, amount = rng.randint(1, 4), rng.randint(1, 30)
    n = sum(row[0] == shop and row[2] > amount for row in SALES)
    query = f"SELECT COUNT(*) AS n FROM sales WHERE amount > {amount} AND shop_id = {shop};"
    return query, ["n"], [[n]]


def one_shop(rng):
    _, city, opened = rng.choice(SHOPS)
    query = f"SELECT city, opened FROM shops WHERE city = '{city}';"
    return query, ["city", "opened"], [[city, opened]]


QUERIES = (young, pieces_by_city, dear_products, pieces_by_month, highest, many, one_shop)


def of_query(query, columns, rows, note=""):
    return Base(
        inputs={"question": "What do the books say?"},
        outputs=(query,),
        expected={"columns": columns, "rows": rows, "message": ""},
        note=note,
    )


def base(rng, _pool):
    return of_query(*rng.choice(QUERIES)(rng))


FAULTS = SQL

TRAPS = (
    ("no semicolon, small letters", "select city from shops where id = 2", ["city"], [["Porto"]]),
    (
        "a comment",
        "SELECT city -- the town, of course\nFROM shops WHERE id = 1;",
        ["city"],
        [["Oslo"]],
    ),
    ("a quote within a text", "SELECT 'it''s' AS s;", ["s"], [["it's"]]),
    (
        "texts that look broken",
        "SELECT 'a,, b) FROM (' AS s, '&&' AS t;",
        ["s", "t"],
        [["a,, b) FROM (", "&&"]],
    ),
    (
        "a common table expression",
        "WITH big AS (SELECT * FROM sales WHERE amount > 20) SELECT product FROM big;",
        ["product"],
        [["lamp"]],
    ),
    (
        "the same column twice",
        "SELECT city, city FROM shops WHERE id = 4;",
        ["city", "city"],
        [["Lyon", "Lyon"]],
    ),
    (
        "a comparison with two signs",
        "SELECT city FROM shops WHERE id == 3;",
        ["city"],
        [["Gdansk"]],
    ),
    ("quoted names", 'SELECT "city" FROM "shops" WHERE "id" = 3;', ["city"], [["Gdansk"]]),
)


def extra(_rng):
    for note, query, columns, rows in TRAPS:
        yield case_of(SPEC, of_query(query, columns, rows, note))
