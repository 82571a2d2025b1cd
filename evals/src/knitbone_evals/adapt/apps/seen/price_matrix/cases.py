"""A Python literal: a dict of tuples."""

import re

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import on_text
from knitbone_evals.adapt.faults.base import CONTENT, THINKING, WRAPPER
from knitbone_evals.adapt.faults.markup import concluded, fenced, introduced, once

SPEC = AppSpec(name="price_matrix", half="seen", domain="program synthesis", function="quote")
ARTICLES = ("oak shelf", "brass hook", "lamp, blue", "rug 2x3", "mirror", "desk 'Olga'", "stool")


def write(matrix, spread):
    if not spread:
        return repr(matrix)
    return "{\n" + "".join(f"    {key!r}: {value!r},\n" for key, value in matrix.items()) + "}"


def results(matrix):
    lines = [
        f"{pieces} x {article}: {price * pieces:.2f}" + ("" if in_stock else " (late)")
        for article, (price, pieces, in_stock) in matrix.items()
    ]
    total = sum(price * pieces for price, pieces, _ in matrix.values())
    return {"lines": lines, "total": round(total, 2)}


def of_matrix(matrix, spread=False, note=""):
    return Base(
        inputs={"request": "Two of each, please."},
        outputs=(write(matrix, spread),),
        expected=results(matrix),
        note=note,
    )


def draw(rng):
    return {
        article: (rng.randint(100, 9900) / 100, rng.randint(1, 12), rng.random() < 0.7)
        for article in rng.sample(ARTICLES, rng.randint(2, 4))
    }


def base(rng, _pool):
    return of_matrix(draw(rng), rng.random() < 0.5)


def _closer_lost(text, _rng):
    return text.removesuffix("}").rstrip().removesuffix(",")


def _json_words(text, _rng):
    return text.replace("True", "true").replace("False", "false")


FAULTS = (
    THINKING,
    on_text("python fence", "template", fenced("python"), layer=WRAPPER),
    on_text("fence without language", "template", fenced(""), layer=WRAPPER),
    on_text("prose before literal", "template", introduced("Here is the dict:"), layer=WRAPPER),
    on_text("prose after literal", "template", concluded("All prices in euros."), layer=WRAPPER),
    on_text("assigned to a name", "template", lambda text, _: f"matrix = {text}", layer=WRAPPER),
    on_text("brace lost", "syntax", _closer_lost),
    on_text("words of JSON", "syntax", _json_words, layer=CONTENT),
    on_text(
        "typographic quotes in the literal", "syntax",
        lambda text, _: re.sub(r"'([\w ,]+)'", "\u2018\\1\u2019", text),
    ),
    on_text("comma lost between entries", "syntax", once(r"\),(?=\s+['\"])", ")")),
    on_text("one parenthesis lost", "syntax", once(r"\)(?=,\s+['\"])", "")),
    on_text("colon lost in an entry", "syntax", once(r"(?<=['\"]): (?=\()", " ")),
    on_text(
        "literal cut off", "syntax", lambda text, _: text[: text.rindex(".") + 1],
        determined=False,
    ),
    on_text(
        "a price to be told", "syntax", once(r"\(\d+\.\d+", "(to be told"), determined=False,
    ),
)  # fmt: skip


def extra(rng):
    commented = of_matrix(draw(rng), True, "comments, which Python reads")
    text = commented.outputs[0].replace(",\n", ",  # net\n", 1)
    yield case_of(SPEC, commented, outputs=(text,))
    yield case_of(SPEC, of_matrix({"a": (1, 2, True), "A": (1.0, 2, True)}, note="two cases"))
    joined = of_matrix({"oak shelf": (2.5, 4, True)}, note="texts side by side, which Python joins")
    yield case_of(SPEC, joined, outputs=("{'oak ' 'shelf': (2.5, 0x4, True)}",))
