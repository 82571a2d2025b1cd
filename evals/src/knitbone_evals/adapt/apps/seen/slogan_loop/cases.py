"""Drafts of a poster: each adds a sentence, until the model only says it again or otherwise."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault

SPEC = AppSpec(name="slogan_loop", half="seen", domain="task management", function="poster")
TURNS = 5
BRIEFS = {
    "a night at the observatory": (
        ("The dome opens at nine on Saturday.", "On Saturday the dome opens at nine."),
        (
            "Dr. Amara shows the rings of Saturn through the great telescope.",
            "Through the great telescope, Dr. Amara shows the rings of Saturn.",
        ),
        ("Children come in free.", "There is free entry for children."),
        (
            "Bring a warm coat, for the dome is not heated.",
            "The dome is unheated, so bring a warm coat.",
        ),
    ),
    "the repair fair": (
        (
            "Bring your broken radio to the old tram depot.",
            "Your broken radio: bring it to the old tram depot.",
        ),
        ("Fifteen volunteers help you to mend it.", "Fifteen volunteers will help you mend it."),
        ("Spare parts are sold at cost price.", "You can buy spare parts at cost price."),
        ("There is soup from noon on.", "From noon on there will be soup."),
    ),
    "a choir looks for singers": (
        ("Sing with us on Thursdays in the chapel.", "On Thursdays, sing with us in the chapel."),
        ("We rehearse a requiem for the autumn.", "For the autumn we are rehearsing a requiem."),
        ("Basses are welcome most of all.", "Most welcome of all are basses."),
        ("You need not read music.", "Reading music is not required."),
    ),
}


def whole(sentences, wording=0):
    return " ".join(each[wording] for each in sentences)


def of_drafts(brief, sentences, count, note=""):
    texts = [whole(sentences[: number + 1]) for number in range(count)]
    return Base(
        inputs={"brief": brief},
        outputs=(*texts, texts[-1]),
        expected={"text": texts[-1], "turns": count},
        slots={"sentences": sentences, "count": count},
        note=note,
    )


def base(rng, _pool):
    brief, sentences = rng.choice(list(BRIEFS.items()))
    return of_drafts(brief, rng.sample(sentences, 4), rng.randint(1, 4))


@fault("draft in other words", "semantics")
def rephrased(base, _rng):
    """The finished draft is said in other words until the loop gives up."""
    count, sentences = base.slots["count"], base.slots["sentences"]
    said = [whole(sentences[:count], 1 - turn % 2) for turn in range(TURNS - count)]
    return Injected(outputs=(*base.outputs[:count], *said))


@fault("sentences of the draft turned round", "semantics")
def turned(base, _rng):
    count, sentences = base.slots["count"], base.slots["sentences"]
    if count < 2:
        return None
    orders = (sentences[:count][::-1], [*sentences[1:count], sentences[0]])
    said = [whole(orders[turn % 2]) for turn in range(TURNS - count)]
    return Injected(outputs=(*base.outputs[:count], *said))


FAULTS = (rephrased, turned)


def extra(_rng):
    brief, sentences = next(iter(BRIEFS.items()))
    finished = whole(sentences[:2])
    for old, new, note in (
        ("nine", "ten", "only the hour changes: that is a change"),
        ("Saturday", "Sunday", "only the day changes"),
        ("opens", "does not open", "a negation is added"),
        ("Dr. Amara", "Dr. Lindt", "another person"),
    ):
        built = of_drafts(brief, sentences, 2, note)
        changed = finished.replace(old, new)
        yield case_of(
            SPEC, built, outputs=(finished, changed, changed),
            expected={"text": changed, "turns": 2},
        )  # fmt: skip
