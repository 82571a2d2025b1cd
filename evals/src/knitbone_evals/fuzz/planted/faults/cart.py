"""Faults of the web shop's tools."""

from __future__ import annotations

from knitbone_evals.fuzz.planted.specification import Planted, Sound, answers, raised, target_of

THEME = "cart"

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of(THEME, "basket.average_price"),
        category="state between calls",
        fault=raised("ZeroDivisionError", "average_price"),
        specification="ill",
        sentence="The average price in euros, 0 for an empty basket.",
        witness={},
        steps=(
            (target_of(THEME, "basket.add"), {"product": "mug", "quantity": 2}),
            (target_of(THEME, "basket.remove"), {"product": "mug", "quantity": 2}),
        ),
        setup=(
            (target_of(THEME, "basket.add"), {"product": "mug", "quantity": 2}),
            (target_of(THEME, "basket.add"), {"product": "lamp"}),
        ),
        normal={},
        more=({},),
        hard="state",
    ),
    Sound(
        target=target_of(THEME, "basket.add"),
        accepted=(
            {"product": "mug"},
            {"product": "lamp", "quantity": 20},
            {"product": "sofa"},
            {"product": "mug", "quantity": 0},
        ),
        refusals=(answers("We do not sell"), answers("Between 1 and 20")),
        companion=True,
    ),
    Sound(
        target=target_of(THEME, "basket.remove"),
        accepted=({"product": "mug"}, {"product": "mug", "quantity": -1}),
        refusals=(answers("There is no"), answers("Nothing was removed")),
        companion=True,
    ),
    Planted(
        target=target_of(THEME, "parcel_band"),
        category="length or range limit",
        fault=raised("IndexError", "parcel_band"),
        specification="under",
        lacks="that express parcels weigh 20 kg at most",
        witness={"weight_kg": 24.0, "country": "AT", "express": True},
        normal={"weight_kg": 4.0, "country": "AT", "express": True},
        more=(
            {"weight_kg": 0.3},
            {"weight_kg": 24.0, "country": "US", "express": True},
            {"weight_kg": 500.0, "country": "DE"},
            {"weight_kg": 20.0, "country": "nl", "express": True},
        ),
        deep=True,
        refusals=(raised("ValueError", "parcel_band", "weight_kg must be above 0"),),
    ),
    Planted(
        target=target_of(THEME, "checkout_total"),
        category="nested model",
        fault=raised("TypeError", "_checkout_total"),
        specification="under",
        lacks="that a discount of the kind percent must have percent",
        witness={
            "lines": [
                {"product": "mug", "price": 8.5, "discount": {"kind": "percent", "amount": 2.0}}
            ]
        },
        normal={
            "lines": [
                {"product": "mug", "price": 8.5, "discount": {"kind": "percent", "percent": 10.0}},
                {"product": "lamp", "price": 49.9, "quantity": 2},
            ],
            "member": True,
        },
        more=(
            {"lines": []},
            {"lines": [{"product": "mug", "price": 8.5, "discount": {"kind": "amount"}}]},
            {"lines": [{"product": "mug", "price": 8.5, "discount": None}]},
        ),
        deep=True,
    ),
    Sound(
        target=target_of(THEME, "product_lookup"),
        accepted=({"product": "mug"}, {"product": " Lamp "}),
        refused=({"product": "sofa"}, {"product": ""}),
        refusals=(answers("Error: not found"),),
    ),
)
