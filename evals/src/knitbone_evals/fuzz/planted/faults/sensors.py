"""The faults in ``sensors``."""

from knitbone_evals.fuzz.planted.specification import Planted, Sound, raised, target_of

TOOLS: tuple[Planted | Sound, ...] = (
    Planted(
        target=target_of("sensors", "event_fahrenheit"),
        category="embedded document",
        fault=raised("TypeError", "event_fahrenheit"),
        specification="under",
        lacks="that the value must be a number, never null or text",
        witness={"event": 'event: reading\ndata: {"sensor": "roof1", "value": null}'},
        normal={"event": 'event: reading\ndata: {"sensor": "roof1", "value": 18.5}'},
        more=(
            {"event": 'data: {"sensor": "a", "value": -40, "battery": "low"}'},
            {"event": 'id: 7\ndata: {"value": 0, "sensor": "b12"}\n\n'},
        ),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "event_fahrenheit", "event: "),),
    ),
    Planted(
        target=target_of("sensors", "latest_mean"),
        category="relation between arguments",
        fault=raised("IndexError", "latest_mean"),
        specification="under",
        lacks="that the window must not be longer than the values",
        witness={"values": [1.5, 2.5], "window": 3},
        normal={"values": [1.5, 2.5, 3.5], "window": 2},
        more=({"values": [4.0], "window": 1}, {"values": [1.0, 2.0, 3.0], "window": 3}),
        refusals=(raised("ValueError", "latest_mean"),),
    ),
    Planted(
        target=target_of("sensors", "thermometer"),
        category="state between calls",
        fault=raised("KeyError", "thermometer"),
        specification="under",
        lacks="that a refused unit stays set",
        witness={"action": "read"},
        before=({"action": "unit", "unit": "R"},),
        normal={"action": "read"},
        more=({"action": "unit", "unit": "F"}, {"action": "read"}),
        hard="state",
        refusals=(raised("ValueError", "thermometer"),),
    ),
    Planted(
        target=target_of("sensors", "packet_values"),
        category="hidden format",
        fault=raised("error", "packet_values"),
        specification="under",
        lacks="that there must be as many values as the second byte says",
        witness={"packet": "10 03 00ff fffe"},
        normal={"packet": "10 02 00ff fffe"},
        more=({"packet": "1000"}, {"packet": "10017FFF"}),
        hard="document",
        deep=True,
        refusals=(raised("ValueError", "packet_values", "packet: "),),
    ),
)
