"""Tool calls with JSON arguments against a schema; the tools are pure."""

import json

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault, json_faults

SPEC = AppSpec(
    name="unit_desk",
    half="unseen",
    domain="conversation",
    function="chat",
    kind="tools",
    counted=("convert", "postage"),
)
RATES = {"EUR": 1.0, "USD": 1.08, "GBP": 0.85, "NOK": 11.6, "JPY": 162.0}
ZONES = {"home": 4.9, "europe": 11.5, "world": 24.0}


def result_of(name, arguments):
    if name == "convert":
        euros = arguments["amount"] / RATES[arguments["source"]]
        return round(euros * RATES[arguments["target"]], 2)
    price = ZONES[arguments["zone"]] + 1.5 * (arguments["grams"] // 1000)
    return price + 3 if arguments.get("insured") else price


def call(name, arguments):
    return {"text": "", "tool_calls": [{"name": name, "arguments": json.dumps(arguments)}]}


def expected(calls, answer):
    results = [result_of(name, arguments) for name, arguments in calls]
    names = [name for name, _ in calls]
    return {
        "value": {"answer": answer, "results": results},
        "calls": {name: names.count(name) for name in ("convert", "postage")},
    }


def of_calls(calls, answer, note=""):
    return Base(
        inputs={"question": "What does it cost, all in all?"},
        outputs=(*(call(name, arguments) for name, arguments in calls), answer),
        expected=expected(calls, answer),
        slots={"calls": calls, "answer": answer},
        note=note,
    )


def draw(rng):
    if rng.random() < 0.5:
        source, target = rng.sample(list(RATES), 2)
        return "convert", {"amount": rng.randint(1, 900), "source": source, "target": target}
    arguments = {"grams": rng.randint(100, 9000), "zone": rng.choice(list(ZONES))}
    return "postage", arguments | ({"insured": True} if rng.random() < 0.6 else {})


def base(rng, _pool):
    calls = []
    while len(calls) < rng.choice((1, 2, 2, 3)):
        drawn = draw(rng)
        if drawn not in calls:
            calls.append(drawn)
    told = " and ".join(str(result_of(*each)) for each in calls)
    return of_calls(calls, f"That makes {told}.")


def _repeated(base, place, where, again):
    """The call is made once; its result may reach the model once or twice."""
    answer = base.slots["answer"]
    results = list(base.expected["value"]["results"])
    twice = [*results[:where], results[place], *results[where:]]
    told_twice = {**base.expected, "value": {"answer": answer, "results": twice}}
    outputs = (*base.outputs[:where], again, *base.outputs[where:])
    return Injected(outputs=outputs, accepted=(told_twice,))


@fault("call repeated", "behaviour", layer=0)
def again(base, rng):
    place = rng.randrange(len(base.outputs) - 1)
    return _repeated(base, place, rng.randrange(place + 1, len(base.outputs)), base.outputs[place])


@fault("call repeated, arguments in other order", "behaviour", layer=0)
def again_in_other_order(base, rng):
    place = rng.randrange(len(base.outputs) - 1)
    name, arguments = base.slots["calls"][place]
    other = call(name, dict(reversed(arguments.items())))
    return _repeated(base, place, rng.randrange(place + 1, len(base.outputs)), other)


@fault("call twice in one message", "behaviour", layer=0)
def twice_at_once(base, _rng):
    first = base.outputs[0]
    both = {"text": "", "tool_calls": first["tool_calls"] * 2}
    done = _repeated(base, 0, 1, first)
    return Injected(outputs=(both, *base.outputs[1:]), accepted=done.accepted)


FAULTS = (
    *json_faults(
        "thinking before",
        "byte order mark",
        "needless backslash",
        "raw line break in a text",
        "json fence",
        "plain fence",
        "prose before",
        "prose after",
        "prose and fence",
        "two fences",
        "comment",
        "inside of an object",
        "inside of a list",
        "list as text",
        "said twice",
        "two objects",
        "key twice with different values",
    ),
    again,
    again_in_other_order,
    twice_at_once,
)


def extra(_rng):
    there = ("convert", {"amount": 100, "source": "EUR", "target": "USD"})
    back = ("convert", {"amount": 108, "source": "USD", "target": "EUR"})
    yield case_of(SPEC, of_calls([there, back], "There and back.", "there and back"))
    steps = [("postage", {"grams": grams, "zone": "home"}) for grams in (500, 1500, 2500)]
    yield case_of(SPEC, of_calls(steps, "Three weights.", "one tool, three inputs"))
    whole = ("convert", {"amount": 10.0, "source": "EUR", "target": "NOK"})
    yield case_of(SPEC, of_calls([whole], "Done.", "a decimal that is whole"))
    spaced = of_calls([there], "Done.", "white space in the arguments")
    text = json.dumps(there[1], indent=4)
    yield case_of(
        SPEC,
        spaced,
        outputs=({"text": "", "tool_calls": [{"name": "convert", "arguments": text}]}, "Done."),
    )
    wrong = of_calls([there], "Sorry.", "a currency that the tool does not have")
    unknown = call("convert", {**there[1], "target": "Gold"})
    yield case_of(
        SPEC,
        wrong,
        outputs=(unknown, "Sorry."),
        defects=("template",),
        faults=("value not allowed",),
        expected="unchanged",
    )
