"""Steps of an agent: thought, action, input; then a final answer."""

import re

from knitbone_evals.adapt.apps.dev_positional.kit import replaced
from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault

SPEC = AppSpec(name="lab_agent", half="dev_positional", domain="program synthesis", function="ask")
CALLS = (
    ("convert", "2.5 g", "2500 mg"),
    ("convert", "0.3 l", "300 ml"),
    ("convert", "12 g", "12000 mg"),
    ("lookup", "ethanol", "4 bottles"),
    ("lookup", "acetone", "none"),
    ("lookup", "sodium chloride", "2 kg"),
    ("lookup", "argon", "not listed"),
)
THOUGHTS = (
    "I should use a tool for this.",
    "First I need the number.",
    "Let me look at the shelf: it may be empty.",
    "The store knows.",
    "The question is about an amount, so I need to use a tool.",
)
ANSWERS = (
    "You have enough.",
    "It is 2500 mg.",
    "There is none left: order two bottles.",
    "**Two** kilograms\nof salt.",
    "No",
)


def of(calls, thoughts, answer, note=""):
    steps = tuple(
        f"Thought: {thought}\nAction: {call[0]}\nAction Input: {call[1]}"
        for call, thought in zip(calls, thoughts, strict=True)
    )
    return Base(
        inputs={"question": "Do we have enough?"},
        outputs=(*steps, f"Thought: I now know the final answer\nFinal Answer: {answer}"),
        expected={"answer": answer, "trace": [list(call) for call in calls]},
        note=note,
    )


def base(rng, _pool):
    n = rng.randint(1, 2)
    return of(rng.sample(CALLS, n), rng.sample(THOUGHTS, n), rng.choice(ANSWERS))


def last(name, pattern, new):
    """A fault of the last answer only."""

    @fault(name, "template")
    def inject(base, _rng):
        *steps, final = base.outputs
        changed = re.sub(pattern, new, final, flags=re.MULTILINE)
        return None if changed == final else Injected(outputs=(*steps, changed))

    return inject


FAULTS = (
    replaced("bold labels", r"^(Thought|Action|Action Input):", r"**\1:**"),
    replaced("bold labels outside", r"^(Thought|Action|Action Input):", r"**\1**:"),
    replaced("input with underscore", r"^Action Input:", "Action_Input:"),
    replaced("input in small", r"^Action Input:", "Action input:"),
    replaced("tool in backticks", r"^Action: (\w+)", r"Action: `\1`"),
    replaced("tool in brackets", r"^Action: (\w+)", r"Action: [\1]"),
    replaced("tool as a call", r"^Action: (\w+)\nAction Input: (.*)", r'Action: \1("\2")'),
    replaced("tool capitalised", r"^(Action: )(\w)", lambda match: match[1] + match[2].upper()),
    replaced("use the tool", r"^Action: (\w+)", r"Action: use the \1 tool"),
    replaced("input called input", r"^Action Input:", "Input:"),
    replaced("equals", r"^(Thought|Action|Action Input):", r"\1 ="),
    replaced(
        "labels in capitals", r"^(Thought|Action|Action Input):", lambda match: match[0].upper()
    ),
    last("final small", r"^Final Answer:", "Final answer:"),
    last("final bold outside", r"^Final Answer:", "**Final Answer**:"),
    last("final as heading", r"^Final Answer: ", "### Final Answer\n"),
    last("final only answer", r"^Final Answer:", "Answer:"),
    replaced("input lost", r"\nAction Input: .*", "", determined=False),
    replaced("unknown tool", r"^Action: \w+", "Action: search_web", determined=False),
)


def extra(_rng):
    yield case_of(
        SPEC, of([CALLS[3]], ["An action is needed: now."], "Action: buy some", note="label inside")
    )
    yield case_of(
        SPEC,
        of([CALLS[0]], ["x"], "y", note="odd"),
        outputs=('Action:convert\nAction Input:  "2.5 g"\n', "Final Answer:y"),
    )
    yield case_of(SPEC, of([], [], "a - **b**: c", note="no step"))
