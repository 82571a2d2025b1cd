"""A pydantic model that is read in its lax mode: it takes "3" for 3, but no other key."""

import json

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import json_faults
from knitbone_evals.adapt.pools import NAMES, constructed

SPEC = AppSpec(name="guest_orders", half="seen", domain="conversation", function="tickets")
USES_SENTENCES = True
DISHES = ("Club sandwich", "Caesar salad", "Soup of the day", "Fish & chips", "Crêpes", "Espresso")
WITHOUT = ("onions", "nuts", "ice", "cheese")


def results(order):
    return {
        "room": order["room"],
        "guest": order["guest"],
        "lines": [[d["count"], d["name"], sorted(d.get("without", []))] for d in order["dishes"]],
        "morning": order["breakfast"],
        "tip": order.get("tip", 0.0),
        "remark": order.get("remark"),
    }


def of_orders(orders, indent=None, source="constructed", note=""):
    return Base(
        inputs={"messages": [f"Room {order['room']} here." for order in orders]},
        outputs=tuple(json.dumps(order, indent=indent, ensure_ascii=False) for order in orders),
        expected=[results(order) for order in orders],
        source=source,
        note=note,
    )


def draw(rng, pool):
    return {
        "room": rng.randint(101, 640),
        "guest": rng.choice(NAMES),
        "dishes": [
            {
                "name": name,
                "count": rng.randint(1, 3),
                "without": rng.sample(WITHOUT, rng.randint(0, 2)),
            }
            for name in rng.sample(DISHES, rng.randint(1, 3))
        ],
        "breakfast": rng.random() < 0.5,
        "tip": rng.choice((0.5, 2.0, 3.5)),
        "remark": rng.choice((None, pool.some(rng, 1)[0])),
    }


def base(rng, pool):
    orders = [draw(rng, pool) for _ in range(rng.choice((1, 1, 2)))]
    return of_orders(orders, rng.choice((None, 2)), pool.source)


FAULTS = json_faults(
    # pydantic's lax mode reads them; the other keys are optional or hold a list of objects.
    "number as text",
    "flag as text",
    "list as text",
    "raw line break in a text",
    "key in other case",
    "key missing",
    "key misspelt",
    "key twice with different values",
    "python literals",
)

TRAPS = (
    ("nothing to leave out, no remark", {"remark": None, "tip": 0.0}),
    ("a remark with quotes and brackets", {"remark": 'He wrote "{no ice}" [twice], // and left'}),
    ("a remark that is JSON", {"remark": '{"room": 7}'}),
    ("the same dish twice, once without nuts", {"dishes": [
        {"name": "Brownie", "count": 1}, {"name": "Brownie", "count": 1, "without": ["nuts"]}]}),
    ("a number in lax mode", {"tip": "2.5"}),
)  # fmt: skip


def extra(rng):
    for note, changes in TRAPS:
        order = draw(rng, constructed()) | changes
        built = of_orders([order], note=note)
        if isinstance(order["tip"], str):
            built = of_orders([order | {"tip": 2.5}], note=note)
        yield case_of(SPEC, built, outputs=(json.dumps(order),))
