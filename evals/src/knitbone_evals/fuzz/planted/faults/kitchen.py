"""The faults in ``kitchen``."""

from knitbone_evals.fuzz.planted.specification import Planted, Sound, raised, target_of

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of("kitchen", "scaled_amounts"),
        category="embedded document",
        fault=raised("ZeroDivisionError", "scaled_amounts"),
        specification="under",
        lacks="that a fraction must not have zero below the line",
        witness={
            "recipe": '{"servings": 2, "ingredients": [{"name": "salt", "amount": "1/0"}]}',
            "servings": 4,
        },
        normal={
            "recipe": '{"servings": 2, "ingredients": [{"name": "flour", "amount": "1/2"}]}',
            "servings": 4,
        },
        more=(
            {"recipe": '{"servings": 1, "ingredients": []}', "servings": 100},
            {
                "recipe": '{"ingredients": [{"amount": "0/3", "name": "a"},'
                ' {"name": "b", "amount": "250", "unit": "g"}], "servings": 4}',
                "servings": 3,
            },
        ),
        hard="document",
        deep=True,
        refusals=(
            raised("ValueError", "scaled_amounts"),
            raised("ValueError", "_servings"),
        ),
    ),
    Planted(
        target=target_of("kitchen", "cooking_time"),
        category="nested model",
        fault=raised("KeyError", "_done_at"),
        specification="under",
        lacks="that a step must not wait for one that the recipe does not have",
        witness={
            "recipe": {
                "title": "Stew",
                "steps": [{"name": "boil", "minutes": 30, "after": ["peel"]}],
            }
        },
        normal={
            "recipe": {
                "title": "Stew",
                "steps": [
                    {"name": "peel", "minutes": 10},
                    {"name": "boil", "minutes": 90, "after": ["peel"]},
                ],
            }
        },
        more=(
            {"recipe": {"title": "", "steps": []}},
            {"recipe": {"title": "Tea", "steps": [{"name": "a", "minutes": 4}]}},
        ),
        hard="document",
        refusals=(raised("ValueError", "_done_at"),),
    ),
    Planted(
        target=target_of("kitchen", "menu_card"),
        category="embedded document",
        fault=raised("AttributeError", "menu_card"),
        specification="under",
        lacks="that a dish must be text for YAML, neither empty nor a number",
        witness={"menu": "monday: potato soup\nsunday:"},
        normal={"menu": "monday: potato soup\nfriday: 'fish and chips'"},
        more=({"menu": "{sunday: roast}"}, {"menu": "# week 12\ntuesday: |\n  peas\n  rice"}),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "menu_card", "menu: "),),
    ),
    Planted(
        target=target_of("kitchen", "pan_for"),
        category="numeric boundary",
        fault=raised("StopIteration", "pan_for"),
        also=(raised("RuntimeError", "", "StopIteration"),),
        specification="under",
        lacks="that the largest pan holds four litres",
        witness={"millilitres": 4001},
        normal={"millilitres": 750},
        more=({"millilitres": 1}, {"millilitres": 4000}),
        refusals=(raised("ValueError", "pan_for"),),
    ),
)
