"""Leaflets that are found and joined; one of another subject may be among them."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault

SPEC = AppSpec(
    name="clinic_qa",
    half="unseen",
    domain="context QA",
    function="answer",
    kind="retriever",
    feeds="leaflets",
)
TOPICS = {
    "How do I prepare for a blood test?": (
        "Do not eat for eight hours before a blood test; water is allowed.",
        "Before blood is taken, tell the nurse which medicines you take.",
        "The blood test itself takes five minutes, and the arm is bandaged afterwards.",
        "Results of blood tests reach your doctor after two working days.",
    ),
    "How do I look after a plaster cast?": (
        "Keep the plaster cast dry: cover it with a bag when you take a shower.",
        "Raise the arm with the cast on a pillow in the first two nights.",
        "Come back at once if the fingers below the plaster turn blue or cold.",
        "Never push a knitting needle under the cast to scratch the skin.",
    ),
    "What must I know about vaccinations before a journey?": (
        "Travel vaccinations should be given at least four weeks before the journey.",
        "Bring your vaccination card, so that earlier shots can be seen.",
        "For journeys to the tropics the yellow fever vaccination may be required.",
        "A slight fever on the day after a vaccination is normal.",
    ),
    "How can I sleep better?": (
        "Go to bed and get up at the same time every day, and sleep comes more easily.",
        "Coffee after three in the afternoon disturbs your sleep.",
        "A dark and cool bedroom helps you to fall asleep.",
        "Screens should be switched off an hour before you go to sleep.",
    ),
}
OTHER = (
    "The canteen serves lasagne on Thursdays and soup every day.",
    "Our car park has ninety places; the ticket machine takes coins only.",
    "The staff choir rehearses in the chapel on Tuesday evenings.",
    "The roof of the east wing will be painted in October.",
    "Flowers can be bought at the kiosk next to the main gate.",
    "The lift in building C is out of order until further notice.",
    "Applications for an internship in accounting close on 1 March.",
)
TOP = 4
"""So many entries the application asks for: a fifth one would never be found."""
_ALL = [text for texts in TOPICS.values() for text in texts]


def entry(text):
    everything = [*_ALL, *OTHER]
    number = everything.index(text) if text in everything else 90 + len(text) % 10
    return {"text": text, "source": f"leaflet-{number:02d}"}


def results(entries):
    return {
        "answer": SPEC.reply,
        "sources": sorted(each["source"] for each in entries),
        "context_length": sum(len(each["text"].split()) for each in entries),
    }


def of_entries(question, entries, note=""):
    return Base(
        inputs={"question": question},
        outputs=tuple(entries),
        expected=results(entries),
        note=note,
    )


def base(rng, _pool):
    question = rng.choice(list(TOPICS))
    texts = rng.sample(TOPICS[question], rng.randint(2, 4))
    return of_entries(question, [entry(text) for text in texts])


@fault("irrelevant entry", "context")
def irrelevant(base, rng):
    if len(base.outputs) == TOP:
        return None
    where = rng.randrange(len(base.outputs) + 1)
    other = entry(rng.choice(OTHER))
    return Injected(outputs=(*base.outputs[:where], other, *base.outputs[where:]))


@fault("entry of another subject", "context")
def other_subject(base, rng):
    if len(base.outputs) == TOP:
        return None
    others = [texts for question, texts in TOPICS.items() if question != base.inputs["question"]]
    where = rng.randrange(len(base.outputs) + 1)
    other = entry(rng.choice(rng.choice(others)))
    return Injected(outputs=(*base.outputs[:where], other, *base.outputs[where:]))


FAULTS = (irrelevant, other_subject)

TRAPS = (
    (
        "two entries without a word in common",
        "How do I look after a plaster cast?",
        ("Cover it with a bag when you take a shower.", "Blue fingers? Come back at once!"),
    ),
    (
        "relevant in other words",
        "How can I sleep better?",
        (
            "Insomnia often goes away with a regular daily rhythm.",
            "Coffee after three in the afternoon disturbs your sleep.",
        ),
    ),
    ("one entry", "How do I prepare for a blood test?", (_ALL[0],)),
    ("one entry, and not a good one", "How do I prepare for a blood test?", (OTHER[0],)),
    (
        "opposite answers, both of the subject",
        "May I eat before a blood test?",
        (
            "Do not eat for eight hours before a blood test; water is allowed.",
            "For a blood test of the thyroid alone you may eat as usual.",
        ),
    ),
)


def extra(_rng):
    for note, question, texts in TRAPS:
        yield case_of(SPEC, of_entries(question, [entry(text) for text in texts], note))
