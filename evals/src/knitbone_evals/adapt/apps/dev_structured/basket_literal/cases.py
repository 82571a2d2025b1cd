"""A Python list of tuples."""

from knitbone_evals.adapt.apps.dev_structured.kit import replaced, wrapped
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import on_text
from knitbone_evals.adapt.faults.base import THINKING

SPEC = AppSpec(
    name="basket_literal", half="dev_structured", domain="conversation", function="basket"
)
ITEMS = ("milk", "Bread", "eggs", "baker's yeast", "rice", "olive oil", "Äpfel")


def draw(rng):
    return [
        (item, rng.randint(1, 12), rng.random() < 0.5)
        for item in rng.sample(ITEMS, rng.randint(1, 5))
    ]


def of(items, note="", text=None):
    names = {}
    for name, _amount, organic in items:
        names.setdefault("organic" if organic else "plain", []).append(name.lower())
    return Base(
        inputs={"utterance": "get me things"},
        outputs=(text or repr(items),),
        expected={"total": sum(amount for _, amount, _ in items), **names},
        note=note,
    )


def base(rng, _pool):
    return of(draw(rng))


FAULTS = (
    THINKING,
    wrapped("python fence", "```python\n", "\n```"),
    wrapped("fence", "```\n", "\n```"),
    wrapped("intro", "Here is the list: "),
    wrapped("intro lines", "Sure! Based on your message, here's the list:\n\n"),
    wrapped("outro", "", "\n\nAnything else?"),
    wrapped("assigned", "shopping_list = "),
    wrapped("assigned in fence", "```python\nitems = ", "\n```"),
    wrapped("in backticks", "`", "`"),
    wrapped("printed", "print(", ")"),
    replaced("json booleans", r"\bTrue\b", "true", defect="syntax", count=0),
    replaced("json booleans false", r"\bFalse\b", "false", defect="syntax", count=0),
    replaced("closing bracket lost", r"\]\Z", "", defect="syntax"),
    replaced("parenthesis lost", r"\)(, \()", r"\1", defect="syntax"),
    replaced("comma lost between tuples", r"\), \(", ") (", defect="syntax"),
    replaced("apostrophe", r'"baker\'s yeast"', "'baker's yeast'", defect="syntax"),
    replaced("typographic", r"'(\w+)'", "\u2018\\1\u2019", defect="syntax", count=0),
    replaced("amount as text", r", (\d+),", r", '\1',"),
    replaced("flag as text", r"\bTrue\b", "'True'"),
    replaced("amount with unit", r", (\d+), True", r", '\1 kg', True"),
    replaced("amount missing", r", \d+,", ",", determined=False),
    replaced("amount unknown", r", \d+,", ", None,", determined=False),
    on_text(
        "tuple alone", "template", lambda text, _: text[1:-1] if text.count("(") == 1 else None
    ),
    on_text(
        "tuples without list",
        "template",
        lambda text, _: text[1:-1] if text.count("(") == 1 else None,
    ),
    on_text(
        "two lists", "template", lambda text, _: text + "\n[('beer', 6, False)]", determined=False
    ),
    on_text("ellipsis", "syntax", lambda text, _: text[:-1] + ", ...]", determined=False),
    replaced("items bare", r"\('(\w+)',", r"(\1,", defect="syntax", count=0),
)


def extra(rng):
    items = draw(rng)
    yield case_of(
        SPEC,
        of(
            items,
            "double quotes, lines",
            text="[\n" + "".join(f"    {each!r},\n" for each in items) + "]",
        ),
    )
    items = draw(rng)
    yield case_of(SPEC, of(items, "lists for tuples", text=repr([list(each) for each in items])))
    items = draw(rng)
    yield case_of(SPEC, of(items, "a tuple of tuples", text=repr((*items,))))
    items = [("true", 2, True), ("print(x)", 1, False), ("items = [", 1, False)]
    yield case_of(SPEC, of(items, "syntax in texts"))
    items = draw(rng)
    yield case_of(
        SPEC, of(items, "comment", text="[  # list\n" + ",\n".join(map(repr, items)) + "]")
    )
    yield case_of(SPEC, of([], "nothing", text="[]"))
    items = draw(rng)[:1]
    yield case_of(SPEC, of(items * 2, "twice"))
