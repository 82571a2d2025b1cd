"""Tool calls through a dispatcher; two tools are pure, one books a van."""

import json

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault, json_faults

SPEC = AppSpec(
    name="parcel_tools",
    half="seen",
    domain="task management",
    function="assist",
    kind="tools",
    counted=("distance", "load", "book"),
)
KM = {("Ulm", "Linz"): 410, ("Linz", "Brno"): 220, ("Ulm", "Brno"): 560, ("Brno", "Lodz"): 430}
DAYS = ("Monday", "Tuesday", "Friday")


def result_of(name, arguments, booked):
    if name == "distance":
        pair = (arguments["start"], arguments["end"])
        return KM.get(pair) or KM.get(pair[::-1]) or -1
    if name == "load":
        capacity = 40 if arguments["size"] == "small" else 120
        return -(-arguments["parcels"] // (capacity // 2 if arguments["fragile"] else capacity))
    booked.append(arguments["day"])
    return f"van {len(booked)} on {arguments['day']}"


def call(name, arguments):
    return {"text": "", "tool_calls": [{"name": name, "arguments": json.dumps(arguments)}]}


def of_calls(calls, told, note=""):
    booked = []
    names = [name for name, _ in calls]
    outcomes = [result_of(name, arguments, booked) for name, arguments in calls]
    return Base(
        inputs={"request": "Please arrange it."},
        outputs=(*(call(name, arguments) for name, arguments in calls), told),
        expected={
            "value": {"told": told, "outcomes": outcomes},
            "calls": {name: names.count(name) for name in ("distance", "load", "book")},
        },
        slots={"calls": calls, "told": told},
        note=note,
    )


def draw(rng):
    kind = rng.random()
    if kind < 0.45:
        start, end = rng.choice(list(KM))
        return "distance", {"start": start, "end": end}
    if kind < 0.85:
        parcels, size = rng.randint(10, 900), rng.choice(("small", "big"))
        return "load", {"parcels": parcels, "size": size, "fragile": rng.random() < 0.5}
    return "book", {"day": rng.choice(DAYS)}


def base(rng, _pool):
    count, calls = rng.choice((1, 2, 3)), []
    while len(calls) < count:
        drawn = draw(rng)
        if drawn not in calls:
            calls.append(drawn)
    return of_calls(calls, f"Arranged in {count} steps.")


def _repeated(base, rng, again):
    """A pure call once more; its result may be told to the model once or twice."""
    calls = base.slots["calls"]
    pure = [place for place, (name, _) in enumerate(calls) if name != "book"]
    if not pure:
        return None
    place = rng.choice(pure)
    where = rng.randrange(place + 1, len(base.outputs))
    value = base.expected["value"]
    twice = [*value["outcomes"][:where], value["outcomes"][place], *value["outcomes"][where:]]
    told_twice = {**base.expected, "value": {**value, "outcomes": twice}}
    outputs = (
        *base.outputs[:where],
        again(calls[place], base.outputs[place]),
        *base.outputs[where:],
    )
    return Injected(outputs=outputs, accepted=(told_twice,))


@fault("pure call repeated", "behaviour", layer=0)
def repeated(base, rng):
    return _repeated(base, rng, lambda _call, output: output)


@fault("pure call repeated, other order and spaces", "behaviour", layer=0)
def repeated_otherwise(base, rng):
    def again(each, _output):
        name, arguments = each
        text = json.dumps(dict(reversed(arguments.items())), indent=1)
        return {"text": "", "tool_calls": [{"name": name, "arguments": text}]}

    return _repeated(base, rng, again)


_TAKEN = ("single quotes", "trailing comma", "bare keys", "closing brackets lost", "comma lost",
          "python literals", "number as text", "flag as text", "key in other case", "key misspelt",
          "one closing bracket too many", "typographic quotes", "encoded twice",
          "cut off in a value", "key missing")  # fmt: skip
FAULTS = (
    *(each for each in json_faults() if each.name in _TAKEN),
    repeated,
    repeated_otherwise,
)


def extra(_rng):
    booking = ("book", {"day": "Friday"})
    note = "two vans for one day: a call that changes something is never left out"
    yield case_of(SPEC, of_calls([booking, booking], "Two vans on Friday.", note))
    ways = [("distance", {"start": a, "end": b}) for a, b in (("Ulm", "Brno"), ("Brno", "Ulm"))]
    yield case_of(SPEC, of_calls(ways, "There and back.", "there and back: other arguments"))
    loads = [("load", {"parcels": 300, "size": s, "fragile": False}) for s in ("small", "big")]
    yield case_of(SPEC, of_calls(loads, "Big is better.", "sizes compared"))
    nowhere = of_calls([("distance", {"start": "Ulm", "end": "Rome"})], "I do not know.", "unknown")
    yield case_of(SPEC, nowhere)
