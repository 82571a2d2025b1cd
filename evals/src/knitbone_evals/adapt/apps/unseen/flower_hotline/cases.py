"""ReAct steps, then an answer for the customer; the tools are lookups."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import REACT, Injected, fault, on_text

SPEC = AppSpec(
    name="flower_hotline",
    half="unseen",
    domain="conversation",
    function="answer",
    counted=("price", "stock"),
)
USES_SENTENCES = True

PRICES = {"rose": "2.50", "tulip": "1.20", "lily": "3.80", "daisy": "0.90", "orchid": "12.00"}
STOCK = {"rose": 140, "tulip": 60, "lily": 0, "daisy": 300, "orchid": 7}
THOUGHTS = (
    "I must look that up",
    "The customer asks about it, so I check",
    "I need the figure first",
    "Let me see what we have",
)


def step(thought, tool, flower):
    return f"Thought: {thought}\nAction: {tool}\nAction Input: {flower}"


def final(text):
    return f"Thought: I know enough\nFinal Answer: {text}"


def expected(text, calls):
    tools = [tool for tool, _ in calls]
    return {"value": text, "calls": {name: tools.count(name) for name in ("price", "stock")}}


def of_calls(rng, calls, text, note="", source="constructed"):
    steps = [step(rng.choice(THOUGHTS), tool, flower) for tool, flower in calls]
    return Base(
        inputs={"question": f"What about {' and '.join(flower for _, flower in calls)}?"},
        outputs=(*steps, final(text)),
        expected=expected(text, calls),
        slots={"calls": calls},
        source=source,
        note=note,
    )


def base(rng, pool):
    every = [(tool, flower) for tool in ("price", "stock") for flower in PRICES]
    calls = rng.sample(every, rng.randint(1, 3))
    if pool.source == "real":
        return of_calls(rng, calls, rng.choice(pool.sentences), source="real")
    told = [
        f"one {flower} costs {PRICES[flower]} euros"
        if tool == "price"
        else f"of the {flower} there are {STOCK[flower]} left"
        for tool, flower in calls
    ]
    text = "; ".join(told)
    return of_calls(rng, calls, text[0].upper() + text[1:] + ".")


@fault("lookup repeated", "behaviour", layer=0)
def again(base, rng):
    """A step once more, with the same input: what it gives is known already."""
    place = rng.randrange(len(base.outputs) - 1)
    where = rng.randrange(place + 1, len(base.outputs))
    repeated = (*base.outputs[:where], base.outputs[place], *base.outputs[where:])
    return Injected(outputs=repeated)


@fault("lookup repeated twice", "behaviour", layer=0)
def again_and_again(base, _rng):
    first = base.outputs[0]
    return Injected(outputs=(first, first, first, *base.outputs[1:]))


FAULTS = (
    *REACT,
    on_text(
        "final answer in small letters",
        "template",
        lambda text, _: text.replace("Final Answer:", "final answer:"),
    ),
    on_text(
        "final answer misspelt",
        "template",
        lambda text, _: text.replace("Final Answer:", "Final Anwser:"),
    ),
    on_text(
        "final answer in bold",
        "template",
        lambda text, _: text.replace("Final Answer:", "**Final Answer:**"),
    ),
    again,
    again_and_again,
)


def extra(rng):
    both = [("price", "rose"), ("stock", "rose"), ("price", "tulip")]
    yield case_of(SPEC, of_calls(rng, both, "Both are there.", "one tool, different inputs"))
    quoting = "We write Action: free delivery on every card."
    yield case_of(SPEC, of_calls(rng, both[:1], quoting, "a field's name in the answer"))
    yield case_of(SPEC, of_calls(rng, both[1:2], "140. 140 roses.", "a number, then a sentence"))
