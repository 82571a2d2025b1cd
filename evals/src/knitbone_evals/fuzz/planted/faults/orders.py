"""The faults in ``orders``."""

from knitbone_evals.fuzz.planted.specification import Planted, Sound, raised, target_of

_BOX = {"label": "candles", "grams": 900}
_PARCEL = {"to": {"town": "9490 Vaduz", "country": "LI"}, "grams": 4000}

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of("orders", "heaviest_box"),
        category="async",
        fault=raised("IndexError"),
        specification="under",
        lacks="that there must be as many boxes as the count says",
        witness={"packing": {"reference": "P-0417", "count": 2, "boxes": [_BOX]}},
        normal={"packing": {"reference": "P-0417", "count": 1, "boxes": [_BOX]}},
        deep=True,
        refusals=(raised("ValueError", "_heaviest_box"),),
    ),
    Planted(
        target=target_of("orders", "dearest_line"),
        category="nested model",
        fault=raised("ValueError", "dearest_line"),
        specification="under",
        lacks="that an order must have a line",
        witness={"order": {"customer": "Ada", "lines": []}},
        normal={
            "order": {
                "customer": "Ada",
                "lines": [{"article": "soap", "pieces": 2, "cents": 320}],
            }
        },
    ),
    Planted(
        target=target_of("orders", "postage"),
        category="nested model",
        fault=raised("AttributeError", "_postage"),
        specification="under",
        lacks="that heavy parcels to Switzerland and Liechtenstein need a declaration",
        witness={"parcel": _PARCEL},
        normal={"parcel": {**_PARCEL, "customs": {"content": "soap", "cents": 3000}}},
        deep=True,
    ),
    Planted(
        target=target_of("orders", "price_before_voucher"),
        category="numeric boundary",
        fault=raised("ZeroDivisionError", "price_before_voucher"),
        specification="ill",
        sentence='"SAVE", and the percentage it takes off, 1 to 100',
        witness={"code": "SAVE100", "cents": 500},
        normal={"code": "SAVE20", "cents": 500},
        deep=True,
        refusals=(raised("ValueError", "price_before_voucher"),),
    ),
    Planted(
        target=target_of("orders", "mean_price"),
        category="nested model",
        fault=raised("ZeroDivisionError", "_mean_price"),
        specification="under",
        lacks="that a course without a price needs choices",
        witness={"course": {"name": "dessert", "choices": [{"name": "fruit"}]}},
        normal={"course": {"name": "dessert", "choices": [{"name": "fruit", "cents": 400}]}},
    ),
    Planted(
        target=target_of("orders", "assembly_weight"),
        category="nested model",
        fault=raised("RecursionError"),
        specification="under",
        lacks="that no part may contain itself",
        witness={"parts": [{"number": "T001", "grams": 5, "contains": ["T001"]}]},
        normal={
            "parts": [
                {"number": "T001", "grams": 5, "contains": ["T002"]},
                {"number": "T002", "grams": 3},
            ]
        },
        deep=True,
    ),
    Sound(
        target=target_of("orders", "order_total"),
        accepted=(
            {"order": {"customer": "", "lines": []}},
            {"order": {"customer": "B", "lines": [{"article": "a", "pieces": 1, "cents": 0}]}},
        ),
    ),
)
