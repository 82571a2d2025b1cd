"""A Python literal: a list of tuples."""

import re

from knitbone_evals.adapt.apps.dev_syntax.kit import (
    at_last,
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

SPEC = AppSpec(name="literal_menu", half="dev_syntax", domain="task management", function="bill")
DISHES = [
    "Leek soup",
    "Chef's salad",
    "Fish & chips",
    "Rice (brown)",
    "Apple pie, warm",
    'Lamb "Greek" style',
]


def of(items, text, note=""):
    return Base(
        inputs={"text": "the menu"},
        outputs=(text,),
        expected={
            "total": sum(price for _, price, _ in items),
            "veg": [dish for dish, _, vegetarian in items if vegetarian],
            "dishes": [dish for dish, *_ in items],
        },
        note=note,
    )


def base(rng, _pool):
    items = [
        (dish, rng.randint(3, 30), rng.random() < 0.5)
        for dish in rng.sample(DISHES, rng.randint(1, 4))
    ]
    spread = rng.randint(0, 1)
    lines = "".join(f"    {item!r},\n" for item in items)
    text = f"[\n{lines}]" if spread else repr(items)
    return of(items, text)


FAULTS = (
    THINKING,
    template("fence", fenced("python")),
    template("prose", introduced("Here is the list:")),
    template("after", concluded("Let me know if you want the prices in euros!")),
    template("assigned", wrapped("menu = {}")),
    template("print", wrapped("print({})")),
    syntax("json bools", lambda text, _: text.replace("True", "true").replace("False", "false")),
    syntax("last bracket lost", without_end("]")),
    syntax("paren lost", at_last(r"\)", "")),
    syntax(
        "two closers lost",
        lambda text, _: re.sub(r"\)\]\Z", "", text) if text.endswith(")]") else None,
    ),
    syntax("comma lost between", replaced("), (", ") (", 1)),
    syntax(
        "smart",
        lambda text, _: (
            re.sub(r"'([^'\"\n]*)'", "\u2018\\1\u2019", text) if '"' not in text else None
        ),
    ),
    syntax("double comma", replaced("), (", "),, (", 1)),
    syntax("apostrophe not escaped", replaced('"Chef\'s salad"', "'Chef's salad'")),
    syntax("ellipsis", lambda text, _: text[:-1].rstrip(", \n") + ", ...]", determined=False),
    syntax("comment", replaced("),\n", "),  // a dish\n", 1)),
    undetermined("cut", lambda text, _: text[: len(text) // 2]),
    undetermined("prose only", said("The menu has no prices.")),
)


def extra(_rng):
    yield case_of(SPEC, of([("a", 1, True)], "(('a', 1, True),)"))
    yield case_of(SPEC, of([("a", 1, False)], "[\n ('a', # first\n 1, False), \n]\n"))
    yield case_of(SPEC, of([("\u2018a\u2019", 2, False)], "[['\u2018a\u2019', 0x2, False]]"))
