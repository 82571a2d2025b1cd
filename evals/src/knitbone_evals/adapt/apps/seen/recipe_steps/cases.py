"""A numbered list that is read line by line, without an expression."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import NUMBERED, repeated_item

SPEC = AppSpec(name="recipe_steps", half="seen", domain="task management", function="steps")
DISHES = ("pea soup", "onion tart", "apple crumble", "lentil curry", "rye bread", "plum jam")
STEPS = (
    ("Peel the onions and cut them into rings", "Cut the peeled onions into rings"),
    ("Heat two spoons of oil in a pan", "In a pan, heat two spoonfuls of oil"),
    ("Let the dough rest under a cloth", "The dough rests below a cloth"),
    ("Rinse the lentils with cold water", "Wash the lentils in cold water"),
    ("Crush the cardamom in a mortar", ""),
    ("Grease the baking tin", "Butter the tin for baking"),
    ("Whisk the eggs with a pinch of salt", "Beat the eggs with some salt"),
    ("Simmer for 12 minutes: do not boil", ""),
    ("Bake at 180 degrees until golden", ""),
    ("Fold in the berries", ""),
    ("Squeeze half a lemon over the apples", "Sprinkle the juice of half a lemon on the apples"),
    ("Serve with a spoon of yoghurt", ""),
    ("Toast the almonds without fat", "Roast the almonds in a dry pan"),
    ("Strain the stock through a sieve", ""),
)


def write(items):
    return "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1))


def results_for(dish):
    def results(items):
        steps = {str(number): item for number, item in enumerate(items, 1)}
        return {"dish": dish, "steps": steps, "last": len(items)}

    return results


def of_items(dish, items, reworded=None, note=""):
    return Base(
        inputs={"dish": dish},
        outputs=(write(items),),
        expected=results_for(dish)(items),
        slots={"items": items, "reworded": reworded or {}},
        note=note,
    )


DISH = DISHES[0]
"""Faults that need the results are about this dish."""


def base(rng, _pool):
    drawn = dict(rng.sample(STEPS, rng.randint(4, 7)))
    return of_items(DISH, list(drawn), drawn)


FAULTS = (
    *(each for each in NUMBERED if each.name not in ("full-width number", "bullets for numbers")),
    repeated_item(write, results_for(DISH), reworded=False),
    repeated_item(write, results_for(DISH), reworded=True),
)

TRAPS = (
    (
        "the same with other amounts",
        ["Add 100 g of sugar", "Stir until it melts", "Add 50 g of sugar"],
    ),
    ("opposites", ["Cover the pot", "Wait ten minutes", "Uncover the pot"]),
    ("both sides", ["Fry the first side until brown", "Fry the second side until brown"]),
    (
        "a full stop and numbers in a step",
        ["Mix 1. grade flour with 3. grade flour", "Bake at 5. level"],
    ),
)


def extra(rng):
    for note, items in TRAPS:
        yield case_of(SPEC, of_items(rng.choice(DISHES), items, note=note))
    spoken = of_items(DISHES[1], ["Peel", "Chop finely"], note="prose around is passed over")
    text = f"These are the steps:\n\n{write(['Peel', 'Chop finely'])}\n\nEnjoy!"
    yield case_of(SPEC, spoken, outputs=(text,))
