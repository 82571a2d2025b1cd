"""Procedures do things twice; only a list that starts over is a fault."""

from knitbone_evals.adapt.apps.dev_semantics import kit
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault

SPEC = AppSpec(name="bread_guide", half="dev_semantics", domain="task management", function="guide")
STEPS = (
    [
        "Mix flour, water and yeast.",
        "Knead the dough.",
        "Let the dough rest for an hour.",
        "Fold the dough.",
        "Let the dough rest for an hour.",
        "Bake at 230 degrees.",
    ],
    [
        "Boil the water.",
        "Pour a little water over the leaves.",
        "Wait one minute.",
        "Pour the rest over the leaves.",
        "Wait one minute.",
        "Serve.",
    ],
    [
        "Dip the cutlet in flour.",
        "Dip the cutlet in egg.",
        "Dip the cutlet in crumbs.",
        "Fry one side for three minutes.",
        "Turn it over.",
        "Fry the other side for three minutes.",
    ],
    [
        "Peel the potatoes.",
        "Slice the potatoes.",
        "Soak them in cold water.",
        "Dry them.",
        "Fry them at 140 degrees.",
        "Let them cool.",
        "Fry them at 180 degrees.",
    ],
    [
        "Roll out the dough.",
        "Spread butter on it.",
        "Fold it in three.",
        "Chill it for thirty minutes.",
        "Roll out the dough.",
        "Fold it in three.",
        "Chill it for thirty minutes.",
        "Cut triangles and roll them up.",
    ],
    [
        "Whisk the egg whites.",
        "Whisk the egg yolks with sugar.",
        "Fold the whites into the yolks.",
        "Pour the batter into the tin.",
        "Bake for forty minutes.",
    ],
)
OTHER = {
    "Whisk the egg yolks with sugar.": [
        "Beat the egg yolks with sugar.",
        "Whisk the yolks of the eggs with the sugar.",
    ],
    "Cut triangles and roll them up.": ["Cut triangles, then roll them up."],
    "Fold the whites into the yolks.": ["Fold the egg whites into the yolks."],
}


def say(items):
    return ("\n".join(f"{n}. {step}" for n, step in enumerate(items, 1)),)


def base(rng, _pool):
    steps = rng.choice(STEPS)
    dish = rng.choice(("bread", "tea", "something nice"))

    def result(items):
        return {"dish": dish, "count": len(items), "steps": list(items)}

    return Base(
        inputs={"dish": dish},
        outputs=say(steps),
        expected=result(steps),
        slots={"items": steps, "say": say, "result": result, "other": OTHER},
    )


@fault("guide twice from the start", "semantics")
def restart(base, _rng):
    return Injected(outputs=(base.outputs[0] + "\n\n" + base.outputs[0],))


FAULTS = (
    restart,
    kit.again(
        "last step over and over",
        lambda items, _other, rng: ([*items, *[items[-1]] * rng.randint(4, 8)], []),
    ),
)


def extra(_rng):
    for steps in (
        ["Rinse.", "Apply shampoo.", "Rinse.", "Repeat."],
        ["Turn left.", "Turn left.", "Turn right."],
        ["Add an egg and beat.", "Add another egg and beat.", "Add the last egg and beat."],
    ):
        yield case_of(
            SPEC,
            Base(
                inputs={"dish": "it"},
                outputs=say(steps),
                expected={"dish": "it", "count": len(steps), "steps": steps},
                note=steps[0],
            ),
        )
