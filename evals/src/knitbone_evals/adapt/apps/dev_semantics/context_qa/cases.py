"""Answers close to the context are right; the prompt before the answer is not."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault

SPEC = AppSpec(
    name="context_qa", half="dev_semantics", domain="context QA", function="answer", compare="text"
)
RULES = """Guests must be registered at the desk before eight in the evening.
Bicycles are parked in the yard behind the house, never in the hallway.
The laundry room is open from seven to ten.
Quiet hours start at ten at night.
Packages are kept at the desk for one week."""
"""The context, as it stands in the application."""
ANSWERED = (
    ("Where do I park my bicycle?", "Park it in the yard behind the house."),
    (
        "Where do I park my bicycle?",
        "Bicycles are parked in the yard behind the house, never in the hallway.",
    ),
    ("When is the laundry room open?", "The laundry room is open from seven to ten."),
    ("When is the laundry room open?", "From seven to ten."),
    ("How long do you keep packages?", "Packages are kept at the desk for one week."),
    (
        "When do quiet hours start?",
        "They start at ten at night. Please keep doors closed after that.",
    ),
    (
        "Can my sister stay?",
        "Yes, but she must be registered at the desk before eight in the evening.",
    ),
    ("May I have a dog?", "The rules do not say anything about dogs."),
    (
        "What happens to my packages?",
        "Packages are kept at the desk for one week. After that, ask the post office.",
    ),
)


def of(question, said, note=""):
    return Base(
        inputs={"question": question},
        outputs=(said,),
        expected={"q": question, "a": said},
        slots={"question": question, "said": said},
        note=note,
    )


def base(rng, _pool):
    return of(*rng.choice(ANSWERED))


def formed(name, form):
    """A fault that puts the question and the answer into another form."""

    def inject(base, _rng):
        return Injected(outputs=(form(base.slots["question"], base.slots["said"]),))

    return fault(name, "semantics")(inject)


FAULTS = (
    formed(
        "prompt said again",
        lambda question, said: f"Context:\n{RULES}\n\nQuestion: {question}\nAnswer: {said}",
    ),
    formed("question said again", lambda question, said: f"Question: {question}\nAnswer: {said}"),
    formed("question above", lambda question, said: f"{question}\n\n{said}"),
    formed("context after the answer", lambda _question, said: f"{said}\n\nContext:\n{RULES}"),
    formed("answer twice", lambda _question, said: f"{said}\n\n{said}"),
    formed("answer over and over", lambda _question, said: "\n".join([said] * 5)),
)


def extra(_rng):
    for question, said in (
        ("Name all rules.", RULES),
        (
            "Quote the rule about bicycles.",
            '"Bicycles are parked in the yard behind the house, never in the hallway."',
        ),
        (
            "When do quiet hours start, and when does the laundry room close?",
            "Quiet hours start at ten at night. The laundry room is open from seven to ten.",
        ),
    ):
        yield case_of(SPEC, of(question, said, question))
