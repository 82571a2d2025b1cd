"""CSV with a header; fields with a comma stand in quotes."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import CSV

SPEC = AppSpec(name="stock_sheet", half="unseen", domain="context QA", function="read_shelf")
ARTICLES = (
    "screws M4",
    "hinge left",
    "hinge right",
    "wood glue",
    "bolt, long",
    "tape, grey",
    "brush 20 mm",
    "paint white",
    "nails",
    "hook, brass",
    "washers",
)


def field(text):
    return f'"{text}"' if "," in text else text


def write(rows):
    lines = [f"{field(a)},{shelf},{count},{price}" for a, shelf, count, price in rows]
    return "\n".join(["article,shelf,count,price", *lines])


def results(rows):
    cents = sum(count * round(float(price) * 100) for _, _, count, price in rows)
    return {
        "stock": [{"article": a, "shelf": shelf, "count": count} for a, shelf, count, _ in rows],
        "worth": cents / 100,
    }


def of_rows(rows, note=""):
    return Base(
        inputs={"notes": "; ".join(f"{row[2]} {row[0]}" for row in rows)},
        outputs=(write(rows),),
        expected=results(rows),
        note=note,
    )


def base(rng, _pool):
    return of_rows(
        [
            (
                name,
                f"{rng.choice('ABC')}{rng.randint(1, 9)}",
                rng.randint(1, 90),
                f"{rng.randint(0, 30)}.{rng.randint(10, 99)}",
            )
            for name in rng.sample(ARTICLES, rng.randint(2, 5))
        ]
    )


FAULTS = CSV


def extra(_rng):
    one = ("nails", "A1", 10, "1.50")
    yield case_of(SPEC, of_rows([one, ("nails", "B2", 10, "1.50")], "equal but for the shelf"))
    yield case_of(SPEC, of_rows([one, one], "two equal lines: two boxes"))
    yield case_of(SPEC, of_rows([("a - b", "C1", 1, "2.00")], "a dash in a field"))
    quoted = of_rows([one], "all fields quoted")
    yield case_of(SPEC, quoted, outputs=('article,shelf,count,price\n"nails","A1","10","1.50"\n',))
    doubled = of_rows([('pipe 3/4"', "A1", 2, "4.25")], "a quote in a field")
    yield case_of(SPEC, doubled, outputs=('article,shelf,count,price\n"pipe 3/4""",A1,2,4.25',))
    crlf = of_rows([one], "lines that end as Windows ends them")
    yield case_of(SPEC, crlf, outputs=(write([one]).replace("\n", "\r\n") + "\r\n",))
    yield case_of(SPEC, of_rows([], "nothing on the shelf"))
