"""Arguments of two tools that book rooms."""

import json

import msgspec

from knitbone_evals.adapt.apps.dev_structured.kit import field, on_value
from knitbone_evals.adapt.cases import AppSpec, Base, case_of

SPEC = AppSpec(
    name="room_tool",
    half="dev_structured",
    domain="task management",
    function="concierge",
    kind="tools",
)
ROOMS = {"Aurora": 4, "Borealis": 8, "Cumulus": 20}


def outcome(name, arguments):
    if name == "reserve":
        return {
            "room": arguments["room"],
            "until": 9 + arguments["hours"],
            "invited": [guest.upper() for guest in arguments["guests"]],
        }
    fits = [name for name, size in ROOMS.items() if size >= arguments["seats"]]
    if arguments.get("projector") is True:
        fits = [name for name in fits if name != "Aurora"]
    if arguments.get("floor") == "ground":
        fits = [name for name in fits if name == "Cumulus"]
    return fits


def of(calls, note=""):
    outputs = [
        {"text": "", "tool_calls": [{"name": name, "arguments": arguments}]}
        for name, arguments in calls
    ]
    return Base(
        inputs={"wish": "A room, please"},
        outputs=(*outputs, "Done."),
        expected={"said": "Done.", "log": [outcome(name, arguments) for name, arguments in calls]},
        note=note,
    )


def find(rng):
    arguments = {"seats": rng.randint(1, 19)}
    if rng.random() < 0.7:
        arguments["projector"] = rng.random() < 0.6
    if rng.random() < 0.7:
        arguments["floor"] = rng.choice(("ground", "first", "any"))
    return "find_room", arguments


def reserve(rng):
    return "reserve", {
        "room": rng.choice(list(ROOMS)),
        "hours": rng.choice((1, 1.5, 2, 3)),
        "guests": rng.sample(("Ada", "Bruno", "Kaia Olsen"), rng.randint(0, 3)),
    }


def base(rng, _pool):
    return of(rng.choice(([find(rng)], [reserve(rng)], [find(rng), reserve(rng)])))


_FAULTS = (
    field("seats as text", "seats", lambda value, _rng: str(value)),
    field(
        "seats as word",
        "seats",
        lambda value, _rng: {
            2: "two",
            3: "three",
            4: "four",
            5: "five",
            6: "six",
            8: "eight",
            10: "ten",
            12: "twelve",
        }.get(value),
        determined=False,
        tolerated=True,
    ),
    field(
        "projector as 1",
        "projector",
        lambda value, _rng: 1 if value else None,
        determined=False,
        tolerated=True,
    ),
    field("floor unknown", "floor", lambda _value, _rng: "second", determined=False),
    field("room lower", "room", lambda value, _rng: value.lower()),
    field(
        "room with prefix",
        "room",
        lambda value, _rng: value + " room",
        determined=False,
        tolerated=True,
    ),
    field("room unknown", "room", lambda _value, _rng: "Dawn", determined=False),
    field("hours as text", "hours", lambda value, _rng: str(value)),
    field("hours with unit", "hours", lambda value, _rng: f"{value} hours"),
    field(
        "guests as text",
        "guests",
        lambda value, _rng: value[0] if len(value) == 1 else None,
        determined=False,
        tolerated=True,
    ),
    field(
        "guests as JSON text",
        "guests",
        lambda value, _rng: json.dumps(value) if len(value) > 1 else None,
    ),
    on_value(
        "camel or capital key",
        lambda value, _rng: (
            {("Seats" if key == "seats" else key): item for key, item in value.items()}
            if "seats" in value
            else None
        ),
    ),
    on_value(
        "wrapped", lambda value, rng: {rng.choice(("arguments", "input", "parameters")): value}
    ),
    on_value(
        "key missing",
        lambda value, _rng: (
            {key: item for key, item in value.items() if key != "hours"}
            if "hours" in value
            else None
        ),
        determined=False,
    ),
    on_value(
        "further argument",
        lambda value, _rng: (
            {**value, "reason": "team meeting"} if "hours" in value else {**value, "city": "Ulm"}
        ),
        determined=False,
        tolerated=True,
    ),
)


def turned(base, how):
    """With the arguments of every call turned: into text for the faults, and back."""
    return msgspec.structs.replace(
        base,
        outputs=tuple(
            output
            if isinstance(output, str)
            else {
                **output,
                "tool_calls": [
                    {**call, "arguments": how(call["arguments"])} for call in output["tool_calls"]
                ],
            }
            for output in base.outputs
        ),
    )


def of_dicts(fault):
    """The fault of a text as one of arguments that are no text."""

    def inject(base, rng):
        done = fault.inject(turned(base, json.dumps), rng)
        return None if done is None else turned(done, json.loads)

    return msgspec.structs.replace(fault, inject=inject)


FAULTS = tuple(of_dicts(fault) for fault in _FAULTS)


def extra(_rng):
    yield case_of(SPEC, of([("find_room", {"seats": 2})], "only the required"))
    yield case_of(
        SPEC, of([("reserve", {"room": "Aurora", "hours": 2, "guests": []})], "no guests")
    )
    yield case_of(
        SPEC,
        of(
            [("reserve", {"room": "Aurora", "hours": 2, "guests": ['["x"]', "true", "5"]})],
            "texts like values",
        ),
    )
    yield case_of(
        SPEC, of([("find_room", {"seats": 5, "floor": "any", "projector": False})], "false")
    )
    yield case_of(
        SPEC,
        of([("reserve", {"room": "Cumulus", "hours": 2.0, "guests": ["A", "A"]})], "twice a guest"),
    )
