"""Passages in pairs, then in nodes of the application's own; one may be about something else."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.found import base_of, entries_of, irrelevant_faults

SPEC = AppSpec(
    name="node_desk",
    half="seen",
    domain="context QA",
    function="explain",
    kind="retriever",
    feeds="passages",
)
TOPICS = {
    "How do I claim travel expenses?": (
        "Travel expenses are claimed with form T2 within one month after the journey.",
        "Receipts for hotels and trains are added to the travel claim as photos.",
        "For journeys by car we pay 30 cents a kilometre.",
        "Expenses above 800 euros need the signature of your manager.",
    ),
    "What do I do when I am ill?": (
        "Call your team before nine when you are ill.",
        "From the fourth day of an illness on we need a note by your doctor.",
        "Whoever falls ill on holiday gets the days back with a doctor's note.",
        "After six weeks of illness the insurance pays instead of us.",
    ),
    "How does the warranty work for customers?": (
        "The warranty covers faults of material for two years after the sale.",
        "Customers send the broken device with the bill; we repair it within ten days.",
        "A warranty repair does not start the two years again.",
        "Scratches and damage by water are not covered by the warranty.",
    ),
}
OTHER = (
    "The running club meets at the fountain on Wednesdays.",
    "Our founder was born in a village near Trieste.",
    "Bees live on the roof; their honey is sold before Christmas.",
    "The chess board in the lobby belongs to everybody.",
)
EVERYTHING = [text for texts in TOPICS.values() for text in texts] + list(OTHER)


def results(entries):
    return {
        "text": SPEC.reply,
        "pages": sorted(each["source"] for each in entries),
        "words": sum(len(each["text"].split()) for each in entries),
    }


base = base_of(TOPICS, OTHER, "question", results)
FAULTS = irrelevant_faults(TOPICS, OTHER, "question")


def extra(_rng):
    def of_texts(question, texts, note):
        entries = entries_of(texts, EVERYTHING)
        return Base(
            inputs={"question": question},
            outputs=tuple(entries),
            expected=results(entries),
            note=note,
        )

    travel = list(TOPICS["How do I claim travel expenses?"])
    ill = list(TOPICS["What do I do when I am ill?"])
    yield case_of(SPEC, of_texts("Do I get money back for petrol?", travel[1:3], "other words"))
    yield case_of(
        SPEC,
        of_texts(
            "I fell ill on a business journey: expenses and note?", [travel[0], ill[1]], "two"
        ),
    )
