"""Rows of three cells with bars between."""

from knitbone_evals.adapt.apps.dev_positional.kit import replaced, replaced_once, rewritten
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(
    name="shopping_rows", half="dev_positional", domain="task management", function="shopping"
)
ITEMS = (
    ("flour", "1.29", "type 405"),
    ("butter", "2.49", "unsalted, at room temperature"),
    ("eggs", "3.10", "six, free range"),
    ("milk", "1.05", "whole"),
    ("sugar", "0.99", "fine"),
    ("lemons", "1.80", "organic - for the zest"),
    ("salt", "0.45", "a pinch"),
    ("olive oil", "6.99", "extra virgin"),
    ("red wine", "5", "for the sauce; dry"),
    ("beef", "14.5", "shoulder, in cubes"),
    ("carrots", "1.2", "four"),
    ("thyme", "1.49", "fresh"),
    ("stock", "2.19", "ready-made is fine"),
)


def of(rows, note=""):
    return Base(
        inputs={"dish": "a cake"},
        outputs=("\n".join(" | ".join(row) for row in rows),),
        expected={
            "items": [
                {"name": name, "price": float(price), "note": remark}
                for name, price, remark in rows
            ],
            "total": round(sum(float(row[1]) for row in rows), 2),
        },
        note=note,
    )


def base(rng, _pool):
    return of(rng.sample(ITEMS, rng.randint(3, 7)))


def table(text):
    return "| Name | Price | Note |\n|---|---|---|\n" + "\n".join(
        f"| {line} |" for line in text.split("\n")
    )


FAULTS = (
    rewritten("markdown table", table),
    rewritten(
        "outer pipes", lambda answer: "\n".join(f"| {line} |" for line in answer.split("\n"))
    ),
    rewritten("header row", lambda answer: "name | price | note\n" + answer),
    rewritten("header and rule", lambda answer: "name | price | note\n--- | --- | ---\n" + answer),
    replaced("bullets", r"^", "- "),
    rewritten(
        "numbers",
        lambda answer: "\n".join(
            f"{name}. {line}" for name, line in enumerate(answer.split("\n"), 1)
        ),
    ),
    rewritten("fence", lambda answer: f"```\n{answer}\n```"),
    rewritten("preamble", lambda answer: f"Here is your shopping list:\n\n{answer}"),
    rewritten("closing", lambda answer: f"{answer}\n\nEnjoy your meal!"),
    replaced("blank lines", r"\n", "\n\n", flags=0),
    replaced("tabs", r" \| ", "\t"),
    replaced("full-width bars", r"\|", "\uff5c"),
    replaced("euro sign", r"\| (\d[\d.]*) \|", r"| €\1 |"),
    replaced("euro after", r"\| (\d[\d.]*) \|", r"| \1 EUR |"),
    replaced_once("one row of dashes", r"^(.*) \| (.*) \| ", r"\1 - \2 - "),
    replaced_once("one price missing", r"^(.*) \| (.*) \| (.*)$", r"\1 | \3", determined=False),
    replaced_once(
        "one price unknown", r"^(.*) \| (.*) \| (.*)$", r"\1 | varies | \3", determined=False
    ),
)


def extra(_rng):
    yield case_of(
        SPEC,
        of(
            [("1. class flour", "1.0", "- none -"), ("- butter", "2", "**soft**")],
            note="marks inside",
        ),
    )
    yield case_of(SPEC, of([("a", "1", ""), ("", "2.5", "nothing")], note="empty cells"))
    yield case_of(SPEC, of([("a", "1", "b")], note="tight"), outputs=("\n a|1|b \n",))
