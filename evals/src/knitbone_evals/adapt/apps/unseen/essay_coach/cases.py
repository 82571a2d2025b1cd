"""Two turns of plain prose; the spelling is the one of the pupil's essay."""

from knitbone_evals.adapt.cases import AppSpec, Base, case_of
from knitbone_evals.adapt.faults import Injected, fault
from knitbone_evals.adapt.faults.wording import foreign_sentence
from knitbone_evals.adapt.pools import varied

SPEC = AppSpec(
    name="essay_coach", half="unseen", domain="conversation", function="lesson", compare="text"
)
ESSAYS = (
    "My neighbo[u|]r has a parrot. Its favo[u|]rite colo[u|]r is red.",
    "We travel[l|]ed to the coast and I reali[s|z]ed that I like storms.",
    "The theat[re|er] in our town is blue-green. I apologi[s|z]e for the long story about it.",
)
QUESTIONS = ("What should I change first?", "How can I make the end better?", "Is it too short?")
REMARKS = (
    (
        "Your opening is lively and makes the reader curious.",
        "The opening is lively and makes the reader curious about the story.",
    ),
    ("Organi[s|z]e the middle part by days.", "The middle part should be organi[s|z]ed by days."),
    ("The humo[u|]r in the third line works well.", "In the third line, the humo[u|]r works well."),
    ("Describe what the harbo[u|]r looked like.", "Tell us what the harbo[u|]r looked like."),
    ("Two commas are missing near the end.", "Near the end, two commas are missing."),
    ("You emphasi[s|z]e the weather a little too much.", ""),
    ("The word 'suddenly' can go.", ""),
    ("A dialogue with the parrot's owner would help.", ""),
    ("The title promises a mystery that never comes.", ""),
    ("Your analy[s|z]ing of the wind is a joy.", ""),
    ("Its behavio[u|]r could be shown rather than named.", ""),
)


def of_remarks(variety, essay, question, comment, answer, note=""):
    """``comment`` and ``answer``: remarks with both spellings still in them."""
    texts = [[varied(remark, variety) for remark, _ in each] for each in (comment, answer)]
    essay = varied(essay, variety)
    return Base(
        inputs={"essay": essay, "question": question},
        outputs=tuple(" ".join(each) for each in texts),
        expected=results(essay, *(" ".join(each) for each in texts)),
        slots={"variety": variety, "turns": (comment, answer)},
        note=note,
    )


def results(essay, comment, answer):
    return {"comment": comment, "answer": answer, "words": len(essay.split())}


def base(rng, _pool):
    drawn = rng.sample(REMARKS, 7)
    cut = rng.randint(2, 4)
    return of_remarks(
        rng.choice(("uk", "us")),
        rng.choice(ESSAYS),
        rng.choice(QUESTIONS),
        drawn[:cut],
        drawn[cut:],
    )


def other_spelling_in(turn):
    def inject(base, rng):
        variety = base.slots["variety"]
        other = "us" if variety == "uk" else "uk"
        remarks = [remark for remark, _ in base.slots["turns"][turn]]
        places = [i for i, each in enumerate(remarks) if varied(each, "uk") != varied(each, "us")]
        if not places:
            return None
        place = rng.choice(places)
        texts = [varied(each, other if i == place else variety) for i, each in enumerate(remarks)]
        outputs = list(base.outputs)
        outputs[turn] = " ".join(texts)
        return Injected(outputs=tuple(outputs))

    return inject


@fault("remark of the first turn in other words", "semantics")
def reworded(base, rng):
    """The comment says one thing twice; which of both goes is free."""
    variety = base.slots["variety"]
    comment = base.slots["turns"][0]
    places = [place for place, (_, other) in enumerate(comment) if other]
    if not places:
        return None
    place = rng.choice(places)
    said = [varied(remark, variety) for remark, _ in comment]
    again = varied(comment[place][1], variety)
    faulty = " ".join([*said, again])
    other = " ".join([*said[:place], *said[place + 1 :], again])
    answer = base.outputs[1]
    return Injected(
        outputs=(faulty, answer), accepted=(results(base.inputs["essay"], other, answer),)
    )


FAULTS = (
    fault("first turn in the other spelling", "lexical")(other_spelling_in(0)),
    fault("second turn in the other spelling", "lexical")(other_spelling_in(1)),
    foreign_sentence(),
    reworded,
)


def extra(_rng):
    def trap(comment, answer, note):
        return of_remarks(
            "uk", ESSAYS[0], QUESTIONS[0], [(each, "") for each in comment], [(answer, "")], note
        )

    yield case_of(
        SPEC,
        trap(
            ["You write 'color' once and 'colour' once.", "Choose one."],
            "Keep 'colour'.",
            "the other spelling is quoted, for it is what the sentence is about",
        ),
    )
    yield case_of(
        SPEC,
        trap(
            ["Cut the first sentence.", "Keep the second sentence."],
            "Cut the first sentence.",
            "opposites; then the advice that was asked for again",
        ),
    )
    yield case_of(
        SPEC,
        trap(
            ["Read 'The Color Purple' by Alice Walker."],
            "It is in the Lincoln Center library.",
            "a title and a name",
        ),
    )
    yield case_of(
        SPEC,
        trap(
            ["The line 'C'est la vie' fits well."],
            "Schadenfreude is a good word here.",
            "foreign words that English uses",
        ),
    )
