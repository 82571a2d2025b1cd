"""A Python expression that is evaluated for every row."""

import re

from knitbone_evals.adapt.apps.dev_syntax.kit import (
    replaced,
    said,
    syntax,
    template,
    undetermined,
    without_end,
    wrapped,
)
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults.base import THINKING
from knitbone_evals.adapt.faults.markup import concluded, fenced, introduced

SPEC = AppSpec(name="row_filter", half="dev_syntax", domain="context QA", function="select")
ROWS = [
    {"name": "Ada", "age": 34, "city": "Oslo", "orders": [1, 2], "spent": 120.5},
    {"name": "Bo", "age": 19, "city": "Lyon", "orders": [], "spent": 0},
    {"name": "Cy", "age": 61, "city": "Oslo", "orders": [5], "spent": 999},
    {"name": "Di", "age": 45, "city": "Cork", "orders": [1, 2, 3], "spent": 45},
]
EXPRESSIONS = [
    'age > {k} and city == "Oslo"',
    "len(orders) >= 2 or spent > {k}",
    'city in ("Oslo", "Lyon") and not (age < {k})',
    "(age >= {k} and spent <= 500) or city != 'Oslo'",
    "{k} <= age <= 60",
    'city.startswith("O") and abs(spent - {k}) > 10',
]


def of(expression, note=""):
    return Base(
        inputs={"wish": "the good ones", "rows": ROWS},
        outputs=(expression,),
        expected=[
            row["name"]
            for row in ROWS
            if eval(expression, {}, {key: row[key] for key in row if key != "name"})
        ],
        note=note,
    )


def base(rng, _pool):
    return of(rng.choice(EXPRESSIONS).replace("{k}", str(rng.randint(18, 50))))


FAULTS = (
    THINKING,
    template("backticks", wrapped("`{}`")),
    template("fence", fenced("python")),
    template("prose", introduced("Sure, here it is:")),
    template("after", concluded("This keeps the customers you want.")),
    template("returned", wrapped("return {}")),
    template("labelled", wrapped("Expression: {}")),
    template("lambda", wrapped("lambda row: {}"), determined=False),
    template("if", wrapped("if {}:")),
    template("assigned", wrapped("condition = {}")),
    syntax("amp", lambda text, _: text.replace(" and ", " && ").replace(" or ", " || ")),
    syntax("single equals", replaced("==", "=")),
    syntax("diamond", replaced("!=", "<>")),
    syntax("strict", replaced("==", "===")),
    syntax("bang", replaced("not (", "!(")),
    syntax("AND upper", lambda text, _: text.replace(" and ", " AND ").replace(" or ", " OR ")),
    syntax("paren lost end", without_end(")")),
    syntax("paren lost inner", replaced("orders)", "orders")),
    syntax("paren too many", wrapped("{})")),
    syntax("string open", without_end('"')),
    syntax("smart", lambda text, _: re.sub(r"['\"](\w+)['\"]", "“\\1”", text)),
    syntax("ge", lambda text, _: text.replace(">=", "≥").replace("<=", "≤")),
    syntax("semicolon", wrapped("{};")),
    syntax("=>", replaced(">=", "=>")),
    undetermined("operator end", wrapped("{} and")),
    undetermined("prose only", said("I cannot filter by that.")),
)


def extra(_rng):
    yield case_of(SPEC, of("True"))
    yield case_of(SPEC, of("(\n  age > 20 and  # adults\n  city != '“'\n)"))
    yield case_of(SPEC, of("city not in {'Rome', \"O'Hare\"}"))
