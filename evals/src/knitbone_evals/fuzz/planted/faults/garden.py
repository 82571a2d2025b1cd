"""The faults in ``garden``."""

from knitbone_evals.fuzz.planted.specification import Planted, Sound, raised, target_of

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of("garden", "bed_plan"),
        category="embedded document",
        fault=raised("InterpolationError", "bed_plan"),
        specification="under",
        lacks="that a percent sign has a meaning in the notes",
        witness={"plan": "[north]\nwidth = 2\nsoil = 50% peat"},
        normal={"plan": "[north]\nwidth = 2\nplants = peas, kale\nsoil = sandy"},
        more=({"plan": "[a]\nwidth=3\n[b]\nwidth: 12\nplants:"}, {"plan": "[a]\nwidth = 1"}),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "bed_plan", "plan: "),),
    ),
    Planted(
        target=target_of("garden", "watering_total"),
        category="nested model",
        fault=raised("KeyError", "watering_total"),
        specification="under",
        lacks="what happens to an entry of the bed without an amount",
        witness={"bed": "east", "entries": [{"bed": "east", "date": "2023-05-04"}]},
        normal={"bed": "east", "entries": [{"bed": "east", "litres": 12}]},
        more=(
            {"bed": "east", "entries": []},
            {"bed": "a", "entries": [{"bed": "a", "cans": 2}, {"bed": "b"}]},
        ),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "watering_total"),),
    ),
    Planted(
        target=target_of("garden", "frost_free"),
        category="empty input",
        fault=raised("ValueError", "frost_free", "max()"),
        specification="under",
        lacks="that one night at least must be above zero",
        witness={"nights": "-3, 0, -1.5"},
        normal={"nights": "3.5, -1, 0, 12"},
        more=({"nights": "4"}, {"nights": "1,2,3,-4,5"}),
        deep=True,
        refusals=(raised("ValueError", "frost_free", "nights: "),),
    ),
)
