"""The faults in ``shipping``."""

import base64

from knitbone_evals.fuzz.planted.specification import Fault, Planted, Sound, raised, target_of


def _code(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of("shipping", "read_label"),
        category="embedded document",
        fault=raised("AttributeError", "read_label"),
        specification="under",
        lacks="that the receiver must be an object",
        witness={"code": _code('{"to": "Ada, Linz", "grams": 900}')},
        normal={"code": _code('{"to": {"name": "Ada", "town": "Linz"}, "grams": 900}')},
        more=(
            {"code": _code('{"to": {"name": "", "town": "Bern", "zip": 1}, "grams": 1}')},
            {"code": _code('{"grams": 40000, "to": {"town": "Rome", "name": "B"}}')},
        ),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "read_label", "code: "),),
    ),
    Planted(
        target=target_of("shipping", "driver_note"),
        category="embedded document",
        fault=raised("UnicodeDecodeError", "driver_note"),
        specification="ill",
        sentence='"note" (any text, percent-encoded)',
        witness={"query": "parcel=AB123456&note=Caf%E9"},
        normal={"query": "parcel=AB123456&note=at%20the%20door"},
        more=(
            {"query": "note=Caf%C3%A9&parcel=AB123456"},
            {"query": "parcel=ZZ000000&note=ring+twice&x"},
        ),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "driver_note", "query: "),),
    ),
    Planted(
        target=target_of("shipping", "parcels_needed"),
        category="hang",
        fault=Fault("hang"),
        specification="under",
        lacks="that the limit must not be zero, or close to it",
        witness={"weight": 12.5, "limit": 0.0},
        normal={"weight": 12.5, "limit": 5.0},
        more=({"weight": 10_000.0, "limit": 30.0}, {"weight": 1.0, "limit": 1.0}),
        refusals=(raised("ValueError", "parcels_needed"),),
    ),
)
