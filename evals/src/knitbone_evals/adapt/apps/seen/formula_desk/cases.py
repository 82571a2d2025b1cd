"""One Python expression, compiled and evaluated for each row."""

from types import SimpleNamespace

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import on_text
from knitbone_evals.adapt.faults.base import CONTENT, THINKING, WRAPPER
from knitbone_evals.adapt.faults.markup import concluded, fenced, introduced, once

SPEC = AppSpec(name="formula_desk", half="seen", domain="program synthesis", function="column")
ROWS = [
    {"price": 12.5, "pieces": 4, "weight": 0.8, "rebate": 0.1},
    {"price": 3.0, "pieces": 30, "weight": 2.5, "rebate": 0.0},
]
FORMULAS = {
    "price * pieces * (1 - rebate)": lambda at: at.price * at.pieces * (1 - at.rebate),
    "round(price * pieces / {k}, 2)": lambda at: round(at.price * at.pieces / at.k, 2),
    "max(price, {k}) * pieces": lambda at: max(at.price, at.k) * at.pieces,
    "price * pieces if pieces > {k} else price * {k}": lambda at: (
        at.price * at.pieces if at.pieces > at.k else at.price * at.k
    ),
    "round((price + {k}) * (1 - rebate), 1)": lambda at: round(
        (at.price + at.k) * (1 - at.rebate), 1
    ),
    "min(weight * pieces, {k}) + (price if rebate == 0 else 0)": lambda at: (
        min(at.weight * at.pieces, at.k) + (at.price if at.rebate == 0 else 0)
    ),
    "(price >= {k}) and (pieces < {k} or weight > 1)": lambda at: (
        (at.price >= at.k) and (at.pieces < at.k or at.weight > 1)
    ),
}
"""Each expression, and what it means; ``k`` is a number that is drawn."""
NAMES = ("price", "pieces", "weight", "rebate", "round", "min", "max")


def of_formula(text, function, number=0, note=""):
    return Base(
        inputs={"wish": "What I want to see.", "rows": ROWS},
        outputs=(text,),
        expected={
            "names": sorted(name for name in NAMES if name in text),
            "values": [function(SimpleNamespace(**row, k=number)) for row in ROWS],
        },
        note=note,
    )


def base(rng, _pool):
    text, function = rng.choice(list(FORMULAS.items()))
    number = rng.randint(2, 60)
    return of_formula(text.replace("{k}", str(number)), function, number)


FAULTS = (
    THINKING,
    on_text("expression in a fence", "template", fenced("python"), layer=WRAPPER),
    on_text("expression as code", "template", lambda text, _: f"`{text}`", layer=WRAPPER),
    on_text("prose before expression", "template", introduced("The expression is:"), layer=WRAPPER),
    on_text(
        "prose after expression",
        "template",
        concluded("It multiplies the columns as you asked."),
        layer=WRAPPER,
    ),
    on_text("returned", "template", lambda text, _: f"return {text}"),
    on_text("last parenthesis lost", "syntax", lambda text, _: text.removesuffix(")")
            if text.endswith(")") else None),
    on_text("one parenthesis too many", "syntax", lambda text, _: text + ")"),
    on_text("times sign", "syntax", lambda text, _: text.replace("*", "\u00d7"), layer=CONTENT),
    on_text("sign of greater or equal", "syntax", lambda text, _: text.replace(">=", "\u2265")),
    on_text("expression twice an operator", "syntax", once(r" / ", " / / "), determined=False),
    on_text("operator at the end", "syntax", lambda text, _: text + " +", determined=False),
    on_text("no answer", "template", lambda _text, _: "It depends on the rebate.",
            determined=False),
)  # fmt: skip


def extra(_rng):
    spaced = of_formula("price*pieces", lambda at: at.price * at.pieces, note="white space")
    yield case_of(SPEC, spaced, outputs=("price  *\tpieces",))
    lines = of_formula("price + 1", lambda at: at.price + 1, note="lines in parentheses")
    yield case_of(SPEC, lines, outputs=("(\n    price\n    + 1  # handling\n)",))
