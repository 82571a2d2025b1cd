"""The tools in ``gentle``: all sound, with refusals as answers or in a framework's way."""

from knitbone_evals.fuzz.planted.specification import Planted, Sound, answers, raised, target_of

TOOLS: tuple[Planted | Sound, ...] = (
    Sound(
        target=target_of("gentle", "to_litres"),
        accepted=(
            {"amount": 2.0, "unit": "pint"},
            {"amount": 0.0, "unit": "cup"},
            {"amount": 1e6, "unit": "gallon"},
        ),
        refused=({"amount": 1.0, "unit": "barrel"}, {"amount": -1.0, "unit": "cup"}),
        refusals=(answers("unknown unit"), answers("amount out of range")),
    ),
    Sound(
        target=target_of("gentle", "rooms_on_floor"),
        accepted=({"floor": 0}, {"floor": 1}, {"floor": 2}),
        refused=({"floor": 3}, {"floor": -1}),
        refusals=(answers("floor must be 0, 1 or 2"),),
    ),
    Sound(
        target=target_of("gentle", "repaired_by"),
        accepted=(
            {"device": "boiler", "decade": "2020s"},
            {"device": "lift", "decade": "1990s"},
            {"device": "lift", "decade": "2000s"},
        ),
        refused=({"device": "oven", "decade": "2020s"}, {"device": "lift", "decade": "1980s"}),
        refusals=(raised("ToolException", "repaired_by"),),
    ),
    Sound(
        target=target_of("gentle", "handbook_page"),
        accepted=({"page": 1}, {"page": 2}, {"page": 3}),
        refused=({"page": 0}, {"page": 4}),
        refusals=(raised("LookupError", "handbook_page"),),
    ),
)
