"""The faults in ``counters``."""

from knitbone_evals.fuzz.planted.specification import (
    Fault,
    Planted,
    Sound,
    answers,
    raised,
    target_of,
)

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of("counters", "next_departure"),
        category="output type",
        fault=Fault("output type"),
        specification="ill",
        sentence="After the last bus of the day, the answer is the first one of the next day.",
        witness={"station": "Old Town", "time": "18:21"},
        normal={"station": "Old Town", "time": "08:00"},
        more=(
            {"station": "Harbour", "time": "00:00"},
            {"station": "Harbour", "time": "21:30"},
        ),
        deep=True,
        refusals=(raised("ValueError", "next_departure"),),
    ),
    Planted(
        target=target_of("counters", "seat_orders"),
        category="state between calls",
        fault=answers("-"),
        specification="ill",
        sentence='"count" tells how many seats are reserved, 0 to 12.',
        witness={"action": "count"},
        before=(
            {"action": "reserve", "order": "001", "seats": 5},
            {"action": "cancel", "order": "001"},
            {"action": "cancel", "order": "001"},
        ),
        normal={"action": "reserve", "order": "001", "seats": 5},
        more=({"action": "cancel", "order": "001"}, {"action": "count"}),
        hard="state",
        deep=True,
        refusals=(raised("ValueError", "seat_orders"),),
    ),
)
