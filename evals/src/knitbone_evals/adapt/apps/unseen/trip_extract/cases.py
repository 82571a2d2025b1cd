"""A strict pydantic model behind LangChain's parser, which mends fences and open ends itself."""

import json
from itertools import pairwise

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import json_faults
from knitbone_evals.adapt.pools import NAMES

SPEC = AppSpec(name="trip_extract", half="unseen", domain="conversation", function="extract")
CITIES = ("Oslo", "Bergen", "Porto", "Gdansk", "Lyon", "Aarhus", "Split", "Narvik", "St. Gallen")
WISHES = (None, "a window seat", "no stairs, please", "room for two bicycles", "quiet car")


def results(trip):
    return {
        "traveller": trip["traveller"],
        "per_head": round(trip["budget"] / trip["people"], 2),
        "route": " - ".join([trip["legs"][0]["start"], *(leg["end"] for leg in trip["legs"])]),
        "modes": [leg["mode"] for leg in trip["legs"]],
        "flexible": trip["flexible"],
        "wishes": trip["wishes"],
    }


def of_trip(trip, indent=None, note=""):
    return Base(
        inputs={"request": f"{trip['traveller']} wants to go to {trip['legs'][-1]['end']}."},
        outputs=(json.dumps(trip, indent=indent, ensure_ascii=False),),
        expected=results(trip),
        note=note,
    )


def draw(rng):
    stops = rng.sample(CITIES, rng.randint(2, 4))
    return {
        "traveller": rng.choice(NAMES),
        "people": rng.randint(1, 5),
        "budget": rng.randint(20, 400) * 5 + 0.5,
        "flexible": rng.random() < 0.6,
        "legs": [
            {"start": start, "end": end, "mode": rng.choice(("train", "bus", "ferry"))}
            for start, end in pairwise(stops)
        ],
        "wishes": rng.choice(WISHES),
    }


def base(rng, _pool):
    return of_trip(draw(rng), rng.choice((None, 2)))


FAULTS = json_faults(
    "json fence",
    "plain fence",
    "prose and fence",
    "closing brackets lost",
    "prose after",
    "said twice",
    "raw line break in a text",
    "list as text",
)


def extra(rng):
    trip = draw(rng)
    yield case_of(
        SPEC, of_trip(trip | {"wishes": "Nothing, he said: \"{'a': None,}\""}, note="odd text")
    )
    yield case_of(
        SPEC, of_trip(trip | {"budget": 700}, note="a whole number where a decimal may be")
    )
    there_and_back = [
        {"start": "Oslo", "end": "Bergen", "mode": "train"},
        {"start": "Bergen", "end": "Oslo", "mode": "train"},
    ]
    yield case_of(SPEC, of_trip(trip | {"legs": there_and_back}, note="there and back"))
    commuter = there_and_back * 2
    yield case_of(SPEC, of_trip(trip | {"legs": commuter}, note="there and back, twice"))
    fenced = of_trip(trip, note="a fence, which this parser takes off itself")
    yield case_of(SPEC, fenced, outputs=(f"```json\n{fenced.outputs[0]}\n```",))
